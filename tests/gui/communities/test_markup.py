"""Texts of tables as HTML: escaped, and never longer than the window can lay out."""

from __future__ import annotations

from typing import Any

from explorer.gui.places.communities.markup import LONGEST, escape, highlighted, with_chips
from explorer.gui.places.communities.safe_browser import SafeBrowser


def yes(_kind: str, _number: int) -> bool:
    return True


def test_markup_scripts_and_control_characters_are_text() -> None:
    made = escape("<script>x</script>&\x00\x1b[31m\u202e'\"")
    assert "<" not in made.replace("<br>", "") and "\x00" not in made and "\x1b" not in made and "\u202e" not in made
    assert made.startswith("&lt;script&gt;")


def test_a_field_of_megabytes_is_shown_from_its_beginning_and_the_rest_counted(qtbot: Any) -> None:
    browser = SafeBrowser("A page")
    qtbot.addWidget(browser)
    for made in (
        escape("x" * 2_000_000),
        with_chips("word [Data: Entities (1)] " * 100_000, yes),
        highlighted("ALMA lives. " * 200_000, ["ALMA"]),
    ):
        browser.show_html(f"<p>{made}</p>")
        shown = browser.toPlainText()
        assert "more letters are not shown" in shown
        assert len(shown) < 2 * LONGEST
    assert "1,960,000 more letters" in escape("x" * 2_000_000)
    assert "not shown" not in escape("x" * LONGEST)
