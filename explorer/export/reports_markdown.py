"""Reports as one Markdown file (CommonMark), in which everything that came from documents is plain text."""

from __future__ import annotations

import re
from pathlib import Path

from explorer.base.files import write_text_atomic
from explorer.export.book import Book, Chapter, Link, Piece, make_book
from explorer.export.target import target_file
from explorer.tables.index import Index

# Letters that can open markup anywhere in a line, and those that do only at its start.
_ANYWHERE = re.compile(r"([\\`*_\[\]<>&~|$!])")
_AT_START = re.compile(r"\A(\s*)([#+\-=:]|\d{1,9}(?=[.)]))")


def export_reports_markdown(index: Index, out: Path, community: int | None = None) -> Path:
    """Write all reports, or those of a community and what is under it; gives the file that was written.

    Raises InputError where there is nothing to write, StorageError where the disk refuses.
    """
    target = target_file(out, "reports.md")
    write_text_atomic(target, markdown(make_book(index, community)))
    return target


def markdown(book: Book) -> str:
    """The book as Markdown text."""
    blocks = [f"# {escape(book.title)}"]
    blocks += [f"*{escape_inside(note)}*" for note in book.notes]
    blocks.append("\n".join(_contents(chapter) for chapter in book.chapters))
    for chapter in book.chapters:
        blocks += _chapter(chapter)
    for kind, references in book.references.items():
        blocks.append(f"## {kind}")
        for reference in references:
            detail = f" ({escape_inside(reference.detail)})" if reference.detail else ""
            text = f": {escape_inside(reference.text)}" if reference.text else ""
            name = escape_inside(reference.name)
            blocks.append(f'<a id="{reference.anchor}"></a>**{reference.number}** {name}{detail}{text}')
    return "\n\n".join(blocks) + "\n"


def escape_inside(text: str) -> str:
    """Text inside a line in which no letter means markup."""
    return _ANYWHERE.sub(r"\\\1", text)


def escape(text: str) -> str:
    """Text of a whole line in which no letter means markup."""
    text = escape_inside(text)
    match = _AT_START.match(text)
    if match is None:
        return text
    sign = match[2]
    if sign.isdigit():  # "1." would begin a list; a number itself cannot be escaped, its full stop can
        return f"{match[1]}{sign}\\{text[match.end() :]}"
    return f"{match[1]}\\{sign}{text[match.end() :]}"


def _contents(chapter: Chapter) -> str:
    return f"{'  ' * chapter.depth}- [{escape_inside(chapter.title)}](#{chapter.anchor})"


def _chapter(chapter: Chapter) -> list[str]:
    blocks = [f'<a id="{chapter.anchor}"></a>', f"## {escape(chapter.title)}", f"*{escape_inside(chapter.facts)}*"]
    blocks += [_paragraph(paragraph) for paragraph in chapter.summary]
    if chapter.rating_explanation:
        blocks.append(f"*Rating:* {escape_inside(chapter.rating_explanation)}")
    for section in chapter.sections:
        if section.headline:
            blocks.append(f"### {escape(section.headline)}")
        blocks += [_paragraph(paragraph) for paragraph in section.paragraphs]
    return blocks


def _paragraph(pieces: tuple[Piece, ...]) -> str:
    """A paragraph on one line; only its first piece stands at the start of a line."""
    written = []
    for place, piece in enumerate(pieces):
        if isinstance(piece, Link):
            written.append(f"[{piece.text}](#{piece.anchor})")
        else:
            clean = re.sub(r"[\x00-\x1f\x7f]", " ", piece)
            written.append(escape(clean) if place == 0 else escape_inside(clean))
    return "".join(written).strip()
