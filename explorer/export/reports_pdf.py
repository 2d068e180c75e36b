"""Reports as a PDF, by fpdf2 with the fonts of the system and HarfBuzz for scripts whose letters join."""

from __future__ import annotations

import unicodedata
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.base.events import EventSink, Notice, ignore
from explorer.base.files import write_atomic
from explorer.export.book import Book, Chapter, Link, Piece, make_book
from explorer.export.fonts import Choice, choose_faces, faces_having, ignorable, system_faces
from explorer.export.lines import Run, break_lines
from explorer.export.target import target_file
from explorer.tables.index import Index

if TYPE_CHECKING:
    from fpdf import FPDF

_INK, _SOFT, _LINK = (28, 36, 48), (86, 98, 117), (29, 95, 168)
_TEXT = 10.0  # points
_MARGIN = 20.0  # mm
_SHOWN_MISSING = 24


def export_reports_pdf(index: Index, out: Path, community: int | None = None, *, sink: EventSink = ignore) -> Path:
    """Write all reports, or those of a community and what is under it; gives the file that was written.

    Letters that no font of the system has stand as boxes; which ones is said through `sink` and on the first page.
    Raises InputError where there is nothing to write, StorageError where the disk refuses.
    """
    target = target_file(out, "reports.pdf")
    book = make_book(index, community)
    choice = choose_faces(_letters(book), system_faces(), faces_having)
    sentence = missing_sentence(choice)
    if sentence:
        sink(Notice(sentence))
        book = Book(book.title, book.chapters, book.references, (*book.notes, sentence))
    made = index.info.created if index.info is not None else next((row.period for row in index.reports), "")
    writer = _Writer(book, choice, made)
    write_atomic(target, lambda path: writer.save(path))
    return target


def missing_sentence(choice: Choice) -> str:
    """Which letters a PDF cannot show, with the remedy; "" where it shows all."""
    if not choice.missing:
        return ""
    shown = ", ".join(f"U+{ord(letter):04X} {_name(letter)}" for letter in choice.missing[:_SHOWN_MISSING])
    more = f" and {len(choice.missing) - _SHOWN_MISSING} more" if len(choice.missing) > _SHOWN_MISSING else ""
    return (
        f"No font of this system has {len(choice.missing)} of the letters ({shown}{more}); they stand as boxes. "
        "Install a font that has them (for example the Noto fonts) and export again."
    )


def _name(letter: str) -> str:
    return unicodedata.name(letter, "without a name").lower()


def _letters(book: Book) -> set[str]:
    letters: set[str] = set("0123456789–…□")
    for text in _texts(book):
        letters.update(text)
    return letters


def _texts(book: Book) -> list[str]:
    texts = [book.title, *book.notes]
    for chapter in book.chapters:
        texts += [chapter.title, chapter.facts, chapter.rating_explanation]
        paragraphs = list(chapter.summary)
        for section in chapter.sections:
            texts.append(section.headline)
            paragraphs += section.paragraphs
        texts += [piece for paragraph in paragraphs for piece in paragraph if isinstance(piece, str)]
    for references in book.references.values():
        texts += [text for one in references for text in (one.name, one.detail, one.text)]
    return texts


class _Writer:
    """Sets the book page by page."""

    def __init__(self, book: Book, choice: Choice, made: str) -> None:
        self._book = book
        self._missing = frozenset(choice.missing)
        self._has_font = choice.text is not None
        self._pdf = pdf = _new_pdf()
        self._widths: dict[tuple[str, str, float], float] = {}
        self._family = "helvetica"
        if choice.text is not None:
            self._family = "text"
            pdf.add_font("text", "", choice.text.path, collection_font_number=choice.text.number)
            heavy = choice.bold or choice.text
            pdf.add_font("text", "B", heavy.path, collection_font_number=heavy.number)
            for place, face in enumerate(choice.fallbacks):
                pdf.add_font(f"other{place}", "", face.path, collection_font_number=face.number)
            pdf.set_fallback_fonts([f"other{place}" for place in range(len(choice.fallbacks))], exact_match=False)
            if any(_needs_shaping(text) for text in _texts(book)):
                pdf.set_text_shaping(True)
        pdf.set_title(self._clean(book.title))
        pdf.set_creator("GraphRAG Explorer")
        pdf.set_creation_date(_date(made))
        anchors = [chapter.anchor for chapter in book.chapters]
        anchors += [one.anchor for references in book.references.values() for one in references]
        # fpdf2 wants a page at once; the true one is set when the place is reached.
        self._links = {anchor: pdf.add_link(page=1) for anchor in anchors}

    def save(self, path: Path) -> None:
        self._front()
        for chapter in self._book.chapters:
            self._chapter(chapter)
        for kind in self._book.references:
            self._references(kind)
        path.write_bytes(bytes(self._pdf.output()))

    def _front(self) -> None:
        self._pdf.add_page()
        self._block(self._book.title, 20, "B")
        for note in self._book.notes:
            self._block(note, 9, ink=_SOFT)
        self._pdf.ln(4)
        for chapter in self._book.chapters:
            entry = Run(self._clean(chapter.title), ink=_LINK, link=self._links[chapter.anchor])
            self._set([entry], _TEXT, indent=5.0 * min(chapter.depth, 8))

    def _chapter(self, chapter: Chapter) -> None:
        self._heading(chapter.title, chapter.anchor, chapter.depth)
        self._block(chapter.facts, 9, ink=_SOFT)
        for paragraph in chapter.summary:
            self._paragraph(paragraph)
        if chapter.rating_explanation:
            self._block(chapter.rating_explanation, 9, ink=_SOFT)
        for section in chapter.sections:
            if section.headline:
                self._room(24)
                self._pdf.ln(2)
                self._block(section.headline, 11, "B")
            for paragraph in section.paragraphs:
                self._paragraph(paragraph)

    def _references(self, kind: str) -> None:
        self._heading(kind, None, 0)
        for one in self._book.references[kind]:
            self._room(14)
            self._place(one.anchor)
            runs = [Run(f"{one.number}  ", ink=_SOFT), Run(self._clean(one.name), "B", _INK)]
            if one.detail:
                runs.append(Run(f"  {self._clean(one.detail)}", ink=_SOFT))
            self._set(runs, _TEXT)
            self._block(one.text, 9)
            self._pdf.ln(1.5)

    def _heading(self, title: str, anchor: str | None, depth: int) -> None:
        self._room(45)
        self._pdf.ln(9)
        self._pdf.start_section(self._clean(title) or "…", level=depth, strict=False)
        if anchor is not None:
            self._place(anchor)
        self._block(title, 15 if depth == 0 else 13, "B")

    def _place(self, anchor: str) -> None:
        # A little above the line, so that a viewer that jumps there shows all of it.
        self._pdf.set_link(self._links[anchor], page=self._pdf.page_no(), y=max(0.0, self._pdf.get_y() - 2))

    def _paragraph(self, pieces: tuple[Piece, ...]) -> None:
        self._set(
            [
                Run(piece.text, ink=_LINK, link=self._links.get(piece.anchor))
                if isinstance(piece, Link)
                else Run(self._clean(piece), ink=_INK)
                for piece in pieces
            ],
            _TEXT,
        )
        self._pdf.ln(1.5)

    def _block(self, text: str, size: float, style: str = "", ink: tuple[int, int, int] = _INK) -> None:
        self._set([Run(self._clean(text), style, ink)], size)
        self._pdf.ln(1.0)

    def _set(self, runs: list[Run], size: float, indent: float = 0.0) -> None:
        """Write runs as lines; a line that does not fit goes to the next page."""
        height = size * 0.5

        def measure(text: str, style: str) -> float:
            key = (text, style, size)
            if key not in self._widths:
                self._pdf.set_font(self._family, style, size)
                self._widths[key] = self._pdf.get_string_width(text)
            return self._widths[key]

        for line in break_lines(runs, self._pdf.epw - indent, measure):
            self._pdf.set_x(_MARGIN + indent)
            for run in line:
                self._pdf.set_font(self._family, run.style, size)
                self._pdf.set_text_color(*run.ink)
                # fpdf2 2.8 believes that a font which it chose inside a saved graphics state still holds after it.
                self._pdf.current_font_is_set_on_page = False
                self._pdf.cell(None, height, run.text, link=run.link or "")
            self._pdf.ln(height)

    def _room(self, height: float) -> None:
        if self._pdf.get_y() > self._pdf.h - _MARGIN - height:
            self._pdf.add_page()

    def _clean(self, text: str) -> str:
        """Text that every chosen font can show: a box for a letter that none has."""
        box = "□" if self._has_font and "□" not in self._missing else "?"
        kept = []
        for letter in text:
            if letter in self._missing or "\ud800" <= letter <= "\udfff":
                kept.append(box)
            elif not self._has_font and ord(letter) > 255:
                kept.append("" if ignorable(letter) else box)
            elif unicodedata.category(letter) == "Cc" or letter in "\u2028\u2029":
                kept.append(" ")
            elif not ("\ufe00" <= letter <= "\ufe0f"):
                kept.append(letter)
        return "".join(kept)


def _new_pdf() -> FPDF:
    from fpdf import FPDF

    class Pages(FPDF):
        def footer(self) -> None:
            self.set_y(-12)
            self.set_font("helvetica", "", 8)
            self.set_text_color(*_SOFT)
            self.cell(0, 6, str(self.page_no()), align="C")

    pdf = Pages(format="A4")
    pdf.set_margins(_MARGIN, _MARGIN, _MARGIN)
    pdf.c_margin = 0  # runs of a line stand side by side
    pdf.set_auto_page_break(True, margin=_MARGIN)
    return pdf


def _needs_shaping(text: str) -> bool:
    """Whether letters join, combine or run from right to left, so that one glyph a letter would be wrong."""
    return not text.isascii() and any(
        unicodedata.bidirectional(letter) in ("R", "AL") or unicodedata.category(letter) in ("Mn", "Mc", "Me")
        for letter in text
        if letter > "\u02ff"
    )


def _date(day: str) -> datetime:
    """The day that the index was made, so that the same index gives the same file; 1970 where it is not known."""
    try:
        return datetime.fromisoformat(day[:10]).replace(tzinfo=UTC)
    except ValueError:
        return datetime(1970, 1, 1, tzinfo=UTC)
