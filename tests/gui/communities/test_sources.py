"""The report and what its citations open: every text escaped, every place named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from explorer.gui.places.communities.markup import chips, highlighted, name_pattern, with_chips
from explorer.gui.places.communities.place import CommunitiesPlace
from explorer.gui.places.communities.quotes import quote, sentence_around, whereabouts
from explorer.gui.places.communities.safe_browser import SafeBrowser
from explorer.gui.places.communities.source_page import claim_page, entity_page
from explorer.gui.session import Citation
from explorer.gui.theme import Theme
from explorer.tables.citations import parse_citations
from explorer.tables.index import Index, open_index
from explorer.tables.rows import DocumentRow, EntityRow, SpanRow, UnitRow


class Tables:
    """An index of one document."""

    def __init__(self, span: SpanRow | None = None) -> None:
        text = "First. Scrooge was rich, very rich. He said <b>humbug</b>. Last."
        unit = UnitRow("u1", 24, text[7:], 20, "d1", ("e1",))
        self.unit_by_id = {"u1": unit}
        self.unit_by_number = {24: unit}
        self.document_by_id = {"d1": DocumentRow("d1", 0, "stave-3.txt", text)}
        self.span_by_unit = {"u1": span} if span is not None else {}
        self.entity = EntityRow("e1", 12, "Scrooge", "PERSON", "A <script>miser</script>.", ("u1", "gone"), 1, 3)
        self.entity_by_title = {"Scrooge": self.entity}


def test_the_place_of_a_sentence_in_its_file() -> None:
    index = Tables(SpanRow("u1", "d1", "notes/stave-3.txt", 100, 200, 2))
    text, place = quote(index, index.unit_by_id["u1"], name_pattern(["scrooge"]))
    assert text == "Scrooge was rich, very rich."
    assert place.words() == "notes/stave-3.txt · characters 100–128 · page 2"


def test_without_spans_the_document_is_searched() -> None:
    index = Tables()
    place = whereabouts(index, index.unit_by_id["u1"])
    document = index.document_by_id["d1"].text
    assert document[place.start : place.end] == index.unit_by_id["u1"].text
    assert place.file == "stave-3.txt"


@pytest.mark.parametrize(
    ("text", "word", "expected"),
    [
        ("One. Two has it! Three.", "it", "Two has it!"),
        ("他走了。史克鲁奇很富有。他笑了。", "史克鲁奇", "史克鲁奇很富有。"),
        ("no end of it", "end", "no end of it"),
    ],
)
def test_sentences_in_several_scripts(text: str, word: str, expected: str) -> None:
    start = text.index(word)
    first, last = sentence_around(text, start, start + len(word))
    assert text[first:last] == expected


def test_names_are_marked_as_whole_words_in_any_case() -> None:
    marked = highlighted("Ann met ANN and Annabel & <Ann>.", ["Ann"])
    assert marked.count('class="hit"') == 3 and "Annabel" in marked and "&lt;" in marked
    assert highlighted("no names", []) == "no names"


def test_an_entity_with_hostile_text_is_shown_as_text(qtbot: Any) -> None:
    index = Tables()
    browser = SafeBrowser("source")
    qtbot.addWidget(browser)
    browser.show_html(entity_page(Theme(), index, index.entity, []))
    text = browser.toPlainText()
    assert "A <script>miser</script>." in text and "<b>humbug</b>" not in text.split("1 text unit")[0]
    assert "1 text unit named by the table is not in this index." in text
    assert "characters 7–35" in text


def test_the_browser_fetches_and_follows_nothing(qtbot: Any) -> None:
    from PySide6.QtCore import QUrl

    browser = SafeBrowser("source")
    qtbot.addWidget(browser)
    followed: list[tuple[str, str]] = []
    browser.link_clicked.connect(lambda scheme, rest: followed.append((scheme, rest)))
    assert bytes(browser.loadResource(2, QUrl("file:///etc/passwd")).data()) == b""
    for url in ("http://example.org/", "file:///etc/passwd", "javascript:x", "cite:Entities/3"):
        browser.anchorClicked.emit(QUrl(url))
    assert followed == [("cite", "Entities/3")]
    assert browser.source().isEmpty()


def test_ids_that_no_row_bears_are_shown_as_such() -> None:
    (mark,) = parse_citations("[Data: Entities (1, 99, +more)]")
    made = chips(mark, lambda kind, number: number == 1)
    assert 'href="cite:Entities/1"' in made and "cite:Entities/99" not in made
    assert "not in this index" in made and "+more" in made


def test_a_report_is_text_with_chips() -> None:
    made = with_chips("**Bold** <i>claim</i> [Data: Sources (4)].", lambda kind, number: True)
    assert made.startswith("Bold &lt;i&gt;claim&lt;/i&gt; ") and made.endswith(".") and "cite:Sources/4" in made


def test_a_source_shows_its_text_with_the_names_of_the_community(carol: CommunitiesPlace) -> None:
    session = carol.session
    session.choose_community(carol.hierarchy.children[-1][0])
    unit = session.index.text_units[5]
    session.open_citation(Citation("Sources", unit.number))
    drawer = carol.report_pane.drawer
    assert drawer.shown == Citation("Sources", unit.number)
    text = drawer.browser.toPlainText()
    assert " ".join(unit.text.split())[:80] in " ".join(text.split())
    assert "characters" in text


def test_back_goes_to_the_source_before(carol: CommunitiesPlace) -> None:
    session, drawer = carol.session, carol.report_pane.drawer
    session.open_citation(Citation("Entities", 5))
    session.open_citation(Citation("Sources", 3))
    drawer.back.click()
    assert drawer.shown == Citation("Entities", 5)


def test_claims_are_read_where_there_are_any(carol: CommunitiesPlace) -> None:
    assert len(carol.report_pane.claims) == 406
    number, claim = next(iter(carol.report_pane.claims.items()))
    carol.session.open_citation(Citation("Claims", number))
    assert str(claim["description"])[:40] in carol.report_pane.drawer.browser.toPlainText()
    assert "Claims 1" in claim_page(Theme(), carol.session.index, 1, {"description": "x"})


def test_what_a_report_was_written_from_and_its_family(carol: CommunitiesPlace) -> None:
    number = carol.hierarchy.children[-1][0]
    child = carol.hierarchy.children[number][0]
    carol.session.choose_community(child)
    text = carol.report_pane.report.toPlainText()
    size = carol.hierarchy.nodes[child].size
    assert f"of {size} entities and" in text
    assert "Parent: " + carol.hierarchy.nodes[number].title in text.replace("\xa0", " ")
    carol.report_pane.report.link_clicked.emit("community", str(number))
    assert carol.session.community == number


def test_a_community_without_a_report_says_so(shared: Path, open_page: Any) -> None:
    carol = open_page(shared / "indexes" / "microsoft" / "verbs-v3.1.2", opener=open_index)
    index: Index = carol.session.index
    del index.report_by_community[7]
    carol.session.choose_community(7)
    assert "has no report" in carol.report_pane.report.toPlainText()


def test_every_report_of_every_index_can_be_shown(shared: Path, qtbot: Any) -> None:
    from explorer.gui.places.communities.hierarchy import Hierarchy
    from explorer.gui.places.communities.report_page import report_page

    theme = Theme()
    for name in ("microsoft/verbs-v3.1.2", "mit/joelandres-christmas", "generated-3.3/fast-dulce6"):
        folder = shared / "indexes" / name
        if not folder.is_dir():
            continue
        index = open_index(folder)
        forest = Hierarchy(index.communities, index.report_by_community)
        for number in forest.nodes:
            page = report_page(theme, index, forest, number, lambda kind, number: True)
            assert "head" in page and "<script" not in page
