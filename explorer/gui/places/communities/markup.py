"""Pieces of HTML for the report and the sources. Whatever comes from documents, models or tables is escaped here."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable

from PySide6.QtGui import QGuiApplication

from explorer.gui.theme import Theme
from explorer.tables.citations import Mark, parse_citations

Resolves = Callable[[str, int], bool]
"""Whether the index has a row of that kind with that number."""

_MARKDOWN = re.compile(r"^\s{0,3}#{1,6}\s+|\*\*|__", re.MULTILINE)


_LONGEST_NAME = 500
LONGEST = 40_000  # letters of one field: laying out millions of them would stop the window for minutes


def shown_part(text: str, most: int = LONGEST) -> tuple[str, str]:
    """What of a text is shown, and as HTML how much is not ("" where that is nothing)."""
    if len(text) <= most:
        return text, ""
    words = f"… {len(text) - most:,} more letters are not shown here; the export of the index has them."
    return text[:most], f" <span class='muted'>{words}</span>"


def escape(text: str) -> str:
    """Text as HTML, its line ends kept, its control characters gone; of a text of megabytes the beginning."""
    text, rest = shown_part(text)
    return _escaped(text) + rest


def _escaped(text: str) -> str:
    clean = "".join(letter if letter.isprintable() or letter in "\n\t" else " " for letter in text)
    return html.escape(clean).replace("\n", "<br>")


def style(theme: Theme) -> str:
    """The sheet of all pages; every colour is the theme's."""
    points = QGuiApplication.font().pointSizeF()
    colour = {
        name: theme.colour(name).name() for name in ("text", "muted", "accent", "accent_soft", "failed", "border")
    }
    return (
        f"<style>body {{ color: {colour['text']}; }} a {{ color: {colour['accent']}; text-decoration: none; }}"
        f" .muted {{ color: {colour['muted']}; }} .chip {{ background-color: {colour['accent_soft']}; }}"
        f" .lost {{ color: {colour['failed']}; }} .hit {{ background-color: {colour['accent_soft']}; }}"
        " p { margin: 0 0 7px 0; line-height: 125%; } li { margin: 0 0 3px 0; }"
        f" .head {{ font-size: {1.32 * points:.1f}pt; font-weight: 600; margin: 2px 0 4px 0; line-height: 112%; }}"
        " .part { font-weight: 600; margin: 11px 0 2px 0; }</style>"
    )


def chips(mark: Mark, resolves: Resolves) -> str:
    """A citation as chips, a link for each number; a number that the index does not have is shown as such."""
    made = []
    for group in mark.groups:
        numbers = []
        for number in group.numbers:
            if resolves(group.kind, number):
                numbers.append(f'<a href="cite:{group.kind}/{number}">{number}</a>')
            else:
                numbers.append(f'<span class="lost"><s>{number}</s>&nbsp;(not in this index)</span>')
        more = " +more" if group.more else ""
        made.append(f'<span class="chip">&nbsp;{group.kind}&nbsp;{", ".join(numbers)}{more}&nbsp;</span>')
    return " ".join(made)


def with_chips(text: str, resolves: Resolves) -> str:
    """A text of a report with its citations as chips and the commonest Markdown marks taken off."""
    text, rest = shown_part(text)
    parts, at = [], 0
    for mark in parse_citations(text):
        parts.append(escape(_MARKDOWN.sub("", text[at : mark.start])))
        parts.append(chips(mark, resolves))
        at = mark.end
    parts.append(escape(_MARKDOWN.sub("", text[at:])))
    return "".join(parts) + rest


def highlighted(text: str, names: Iterable[str]) -> str:
    """A text with each place where one of the names stands marked (whole words, any case)."""
    pattern = name_pattern(names)
    if pattern is None:
        return escape(text)
    text, rest = shown_part(text)
    parts, at = [], 0
    for match in pattern.finditer(text):
        parts.append(escape(text[at : match.start()]))
        parts.append(f'<span class="hit"><b>{escape(match.group())}</b></span>')
        at = match.end()
    parts.append(escape(text[at:]))
    return "".join(parts) + rest


def name_pattern(names: Iterable[str]) -> re.Pattern[str] | None:
    """What finds any of the names in a text; white space in a name matches any white space.

    A name of more letters than any name has is left out: a pattern of a million letters takes a minute to make.
    """
    made = []
    known = {name.strip() for name in names if len(name) <= _LONGEST_NAME and name.strip()}
    for name in sorted(known, key=lambda name: (-len(name), name))[:120]:
        words = r"\s+".join(re.escape(word) for word in name.split())
        before = r"(?<!\w)" if re.match(r"\w", name) and name[0].isascii() else ""
        after = r"(?!\w)" if re.search(r"\w$", name) and name[-1].isascii() else ""
        made.append(f"{before}{words}{after}")
    return re.compile("|".join(made), re.IGNORECASE) if made else None
