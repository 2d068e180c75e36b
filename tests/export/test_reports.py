"""Reports read back by independent readers: nothing that a document says becomes markup, links lead somewhere."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from pypdf import PdfReader

from explorer.base.errors import InputError, StorageError
from explorer.base.events import Event, Notice
from explorer.export.book import make_book
from explorer.export.fonts import Choice, Face, choose_faces, faces_having, system_faces
from explorer.export.reports import export_reports
from explorer.export.reports_markdown import escape
from explorer.export.reports_pdf import missing_sentence
from export.hostile_index import CHINESE, LINK, TITLE, make_index


class Page(HTMLParser):
    """Tags with their attributes, ids, links and the visible text of an HTML page."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "br", "img", "hr", "link"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data

    @property
    def links(self) -> set[str]:
        return {str(attributes["href"]) for tag, attributes in self.tags if tag == "a" and "href" in attributes}

    @property
    def ids(self) -> list[str]:
        return [str(attributes["id"]) for _, attributes in self.tags if "id" in attributes]


def squeeze(text: str) -> str:
    return " ".join(text.split())


@pytest.fixture
def html_page(tmp_path: Path) -> Page:
    (path,) = export_reports(make_index(tmp_path), tmp_path / "out.html", "html")
    return Page(path.read_text("utf-8"))


def test_html_runs_nothing_loads_nothing_and_closes_what_it_opens(html_page: Page) -> None:
    assert html_page.open == []
    names = {tag for tag, _ in html_page.tags}
    assert not names & {"script", "img", "iframe", "link", "object", "form", "b", "i"}
    attributes = {name for _, found in html_page.tags for name in found}
    assert not any(name.startswith("on") for name in attributes) and "src" not in attributes
    assert all(link.startswith("#") for link in html_page.links)
    assert ("meta", "default-src 'none'; style-src 'unsafe-inline'") in {
        (tag, found.get("content")) for tag, found in html_page.tags
    }


def test_html_says_what_the_reports_say(html_page: Page) -> None:
    text = squeeze(html_page.text)
    for number in (0, 1, 3, 7):
        assert f"{TITLE} {number}" in text and f"Headline <b>{number}</b>" in text
        assert squeeze(f"Finding of {number}: {LINK.splitlines()[0]}") in text
    assert "[Data: Entities (0, 99); Relationships (0, +more); Sources (5)]" in text
    assert "1 community has no report: 2." in text
    assert "prefers-color-scheme: dark" not in text  # it stands in the style, not in the page


def test_html_links_lead_to_what_they_name(html_page: Page) -> None:
    assert len(html_page.ids) == len(set(html_page.ids))
    assert {link[1:] for link in html_page.links} <= set(html_page.ids)
    assert {"entity-0", "relationship-0", "source-5", "community-0", "community-7"} <= set(html_page.ids)
    assert "entity-99" not in html_page.ids  # the index has no such row; the number stands without a link
    assert "=HYPERLINK(1).txt" in html_page.text


def test_html_has_a_dark_and_a_light_scheme(tmp_path: Path) -> None:
    (path,) = export_reports(make_index(tmp_path), tmp_path / "out.html", "html")
    source = path.read_text("utf-8")
    assert "prefers-color-scheme: dark" in source and "color-scheme: light dark" in source


def test_markdown_renders_to_the_text_and_to_no_other_markup(tmp_path: Path) -> None:
    (path,) = export_reports(make_index(tmp_path), tmp_path / "out.md", "md")
    rendered = MarkdownIt("gfm-like", {"html": True, "linkify": False}).render(path.read_text("utf-8"))
    page = Page(rendered)
    assert {tag for tag, _ in page.tags} <= {"h1", "h2", "h3", "p", "em", "strong", "ul", "li", "a"}
    assert all(link.startswith("#") for link in page.links)
    assert {link[1:] for link in page.links} <= set(page.ids)
    text = squeeze(page.text)
    for number in (0, 1, 3, 7):
        assert f"{TITLE} {number}" in text
    for line in LINK.splitlines():
        assert squeeze(line) in text
    assert sum(tag == "h2" for tag, _ in page.tags) == 4 + 3  # four reports, three lists of what they cite


@pytest.mark.parametrize(
    "text",
    [
        "# x",
        "1. x",
        "12) x",
        "- x",
        "+ x",
        "> x",
        "a * b * c",
        "__init__",
        "a|b",
        "<b>",
        "&lt;",
        "`x`",
        "~~x~~",
        "\\",
        "===",
    ],
)
def test_escaped_markdown_is_one_paragraph_of_the_same_text(text: str) -> None:
    page = Page(MarkdownIt("gfm-like", {"linkify": False}).render(escape(text)))
    assert [tag for tag, _ in page.tags] == ["p"] and squeeze(page.text) == text


def test_a_community_comes_with_everything_under_it(tmp_path: Path) -> None:
    index = make_index(tmp_path)
    assert [chapter.anchor for chapter in make_book(index).chapters] == [
        "community-0", "community-1", "community-3", "community-7",
    ]  # fmt: skip
    book = make_book(index, 1)
    assert [(chapter.anchor, chapter.depth) for chapter in book.chapters] == [("community-1", 0), ("community-3", 1)]
    with pytest.raises(InputError, match="no community 99"):
        make_book(index, 99)
    with pytest.raises(InputError, match="no report"):
        make_book(index, 2)


def test_a_hierarchy_that_runs_in_a_circle_ends(tmp_path: Path) -> None:
    rows = [
        {"id": f"c{n}", "human_readable_id": n, "community": n, "level": n, "parent": 1 - n, "children": [1 - n],
         "title": "", "entity_ids": [], "relationship_ids": [], "text_unit_ids": [], "period": "", "size": 0}
        for n in (0, 1)
    ]  # fmt: skip
    index = make_index(tmp_path, communities=rows)
    chapters = [chapter.anchor for chapter in make_book(index).chapters]
    assert sorted(chapters) == ["community-0", "community-1", "community-3", "community-7"]
    assert [chapter.anchor for chapter in make_book(index, 1).chapters] == ["community-1", "community-0"]


def test_reports_of_a_real_index(shared: Path, tmp_path: Path) -> None:
    from explorer.tables.index import open_index

    index = open_index(shared / "indexes" / "microsoft" / "verbs-v3.1.2")
    (path,) = export_reports(index, tmp_path / "r.html", "html", 0)
    page = Page(path.read_text("utf-8"))
    assert {link[1:] for link in page.links} <= set(page.ids)
    children = {row.community for row in index.communities if row.parent == 0}
    assert {f"community-{number}" for number in children | {0}} <= set(page.ids)
    assert index.report_by_community[0].summary[:80] in page.text


def test_an_existing_folder_gets_a_file_and_an_unknown_format_is_refused(tmp_path: Path) -> None:
    index = make_index(tmp_path)
    assert export_reports(index, tmp_path, "md") == [tmp_path / "reports.md"]
    with pytest.raises(InputError, match="'odt'"):
        export_reports(index, tmp_path, "odt")


def test_a_place_that_cannot_be_written_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = make_index(tmp_path)
    (tmp_path / "r.html").write_text("old")

    def full(self: Path, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(StorageError, match="disk is full"):
        export_reports(index, tmp_path / "r.html", "html")
    assert (tmp_path / "r.html").read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["output", "r.html"]


# PDF


def pdf_text(path: Path) -> str:
    """Without white space, and without the NUL that pypdf puts between letters of an OpenType CFF font."""
    return re.sub(r"[\s\0]+", "", "".join(page.extract_text() for page in PdfReader(path).pages))


def test_pdf_holds_the_text_and_its_links_work(tmp_path: Path) -> None:
    if not system_faces():
        pytest.skip("this system has no font")
    said: list[Event] = []
    (path,) = export_reports(make_index(tmp_path), tmp_path / "r.pdf", "pdf", sink=said.append)
    text = pdf_text(path)
    assert re.sub(r"\s", "", f"{TITLE} 7") in text
    assert "Headline<b>3</b>" in text
    reader = PdfReader(path)
    assert reader.metadata is not None and str(reader.metadata.title).startswith("Reports of")
    assert len(reader.outline) >= 2
    targets = [
        annotation.get_object()["/Dest"]
        for page in reader.pages
        for annotation in page.get("/Annots", [])
        if annotation.get_object().get("/Subtype") == "/Link"
    ]
    # four entries of contents; in each of four reports a link to an entity, a relationship and a source
    assert len(targets) >= 4 + 4 * 3
    missing = any(isinstance(event, Notice) for event in said)
    assert (CHINESE in text) != missing


def test_pdf_is_the_same_twice(tmp_path: Path) -> None:
    index = make_index(tmp_path)
    (first,) = export_reports(index, tmp_path / "1.pdf", "pdf")
    (second,) = export_reports(index, tmp_path / "2.pdf", "pdf")
    assert first.read_bytes() == second.read_bytes()


def test_pdf_letters_that_no_font_has_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dejavu = [face for face in system_faces() if face.family == "DejaVu Sans"]
    if not dejavu:
        pytest.skip("DejaVu Sans is not on this system")
    monkeypatch.setattr("explorer.export.reports_pdf.system_faces", lambda: tuple(dejavu))
    monkeypatch.setattr("explorer.export.reports_pdf.faces_having", lambda letter: tuple(dejavu))
    said: list[Event] = []
    (path,) = export_reports(make_index(tmp_path), tmp_path / "r.pdf", "pdf", sink=said.append)
    (notice,) = said
    assert isinstance(notice, Notice)
    assert f"{len(set(CHINESE))} of the letters" in notice.sentence and "U+738B" in notice.sentence
    text = pdf_text(path)
    assert CHINESE not in text and "□" in text and "U+738B" in text


def test_pdf_without_any_font_still_holds_latin_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("explorer.export.reports_pdf.system_faces", tuple)
    monkeypatch.setattr("explorer.export.reports_pdf.faces_having", lambda letter: ())
    said: list[Event] = []
    (path,) = export_reports(make_index(tmp_path), tmp_path / "r.pdf", "pdf", sink=said.append)
    assert said and "Headline<b>3</b>" in pdf_text(path)


def test_fonts_that_lack_a_letter_are_helped_by_others() -> None:
    letters = set("aя王נ")
    choice = choose_faces(letters, system_faces(), faces_having)
    if choice.text is None:
        pytest.skip("this system has no font")
    assert choice == choose_faces(sorted(letters), system_faces(), faces_having)
    assert bool(missing_sentence(choice)) == bool(choice.missing)


def test_a_broken_font_file_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "bad.ttf").write_bytes(b"no font")
    bad = Face(tmp_path / "bad.ttf", 0, "DejaVu Sans", "Book")
    assert choose_faces("aя", [bad], lambda letter: [bad]) == Choice(None, None, (), ("я",))
