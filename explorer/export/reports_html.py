"""Reports as one HTML file that needs nothing beside it and runs nothing."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

from explorer.base.files import write_text_atomic
from explorer.export.book import Book, Chapter, Link, Piece, make_book
from explorer.export.target import target_file
from explorer.tables.index import Index

# No script, no picture, no font and no address outside the file: what stands in a report cannot load anything.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")

_STYLE = """
:root { color-scheme: light dark; --ink: #1c2430; --soft: #566275; --paper: #fbfcfd; --line: #d9dfe7; --link: #1d5fa8;
  --mark: #fff3c4; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e3e8ef; --soft: #9aa7b8; --paper: #12161c; --line: #2c3440; --link: #7fb4ee; --mark: #4a3d12; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.6 system-ui, sans-serif; }
main { max-width: 46rem; margin: 0 auto; padding: 2rem 1.25rem 6rem; overflow-wrap: anywhere; }
h1 { line-height: 1.2; } h2 { margin: 3rem 0 .25rem; line-height: 1.25; } h3 { margin: 1.5rem 0 .25rem; }
a { color: var(--link); text-decoration-thickness: 1px; text-underline-offset: 2px; }
nav ul { list-style: none; padding-left: 1.25rem; } nav > ul { padding-left: 0; }
.facts, .detail, .note { color: var(--soft); } .facts { margin-top: 0; font-variant-numeric: tabular-nums; }
dl { margin: 0; } dt { margin-top: 1rem; font-weight: 600; } dd { margin: 0; }
dt .number { color: var(--soft); font-variant-numeric: tabular-nums; margin-right: .5rem; }
section { border-top: 1px solid var(--line); margin-top: 3rem; } :target { background: var(--mark); }
@media print { nav { display: none; } section { break-before: page; } }
""".strip()


def export_reports_html(index: Index, out: Path, community: int | None = None) -> Path:
    """Write all reports, or those of a community and what is under it; gives the file that was written.

    Raises InputError where there is nothing to write, StorageError where the disk refuses.
    """
    target = target_file(out, "reports.html")
    write_text_atomic(target, html(make_book(index, community)))
    return target


def html(book: Book) -> str:
    """The book as the text of an HTML file."""
    parts = [
        '<!doctype html>\n<html lang="und">\n<head>\n<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{_text(book.title)}</title>\n<style>\n{_STYLE}\n</style>\n</head>\n<body>\n<main>",
        f"<h1>{_text(book.title)}</h1>",
        *(f'<p class="note">{_text(note)}</p>' for note in book.notes),
        f'<nav aria-label="Contents">\n{_contents(book.chapters)}</nav>',
        *(_chapter(chapter) for chapter in book.chapters),
    ]
    for kind, references in book.references.items():
        parts.append(f"<section>\n<h2>{_text(kind)}</h2>\n<dl>")
        for reference in references:
            detail = f' <span class="detail">{_text(reference.detail)}</span>' if reference.detail else ""
            parts.append(
                f'<dt id="{reference.anchor}"><span class="number">{reference.number}</span>'
                f'<bdi dir="auto">{_text(reference.name)}</bdi>{detail}</dt>\n'
                f'<dd dir="auto">{_text(reference.text)}</dd>'
            )
        parts.append("</dl>\n</section>")
    parts.append("</main>\n</body>\n</html>\n")
    return "\n".join(parts)


def _contents(chapters: tuple[Chapter, ...]) -> str:
    """Nested lists; a chapter's depth is at most one more than that of the chapter before it."""
    lines: list[str] = []
    depth = -1
    for chapter in chapters:
        if chapter.depth > depth:
            lines.append("<ul>")
        else:
            lines.append("</li>" + "</ul></li>" * (depth - chapter.depth))
        lines.append(f'<li><a href="#{chapter.anchor}"><bdi dir="auto">{_text(chapter.title)}</bdi></a>')
        depth = chapter.depth
    lines.append("</li></ul>" * (depth + 1))
    return "\n".join(lines) + "\n"


def _chapter(chapter: Chapter) -> str:
    lines = [
        f'<section id="{chapter.anchor}">\n<h2 dir="auto">{_text(chapter.title)}</h2>',
        f'<p class="facts">{_text(chapter.facts)}</p>',
        *(_paragraph(paragraph) for paragraph in chapter.summary),
    ]
    if chapter.rating_explanation:
        lines.append(f'<p class="detail" dir="auto">{_text(chapter.rating_explanation)}</p>')
    for section in chapter.sections:
        if section.headline:
            lines.append(f'<h3 dir="auto">{_text(section.headline)}</h3>')
        lines += [_paragraph(paragraph) for paragraph in section.paragraphs]
    return "\n".join(lines) + "\n</section>"


def _paragraph(pieces: tuple[Piece, ...]) -> str:
    written = (
        f'<a href="#{piece.anchor}">{_text(piece.text)}</a>' if isinstance(piece, Link) else _text(piece)
        for piece in pieces
    )
    return f'<p dir="auto">{"".join(written)}</p>'


def _text(text: str) -> str:
    return escape(_CONTROL.sub("\ufffd", text), quote=True)
