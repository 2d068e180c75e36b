"""The answer as text with its citations as links. The text is a model's: escaped, never run, nothing fetched."""

from __future__ import annotations

import html
import re
from typing import Any

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QTextBrowser, QWidget

from explorer.gui.session import Citation
from explorer.gui.theme import Theme
from explorer.tables.citations import parse_citations

_SHOWN_NUMBERS = 6
_LINK = re.compile(r"cite:(Entities|Relationships|Sources|Reports|Claims):(\d{1,19})")


class AnswerView(QTextBrowser):
    """Shows an answer; `cited(Citation)` tells that one of its citations was clicked."""

    cited = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self._text = ""
        self.setAccessibleName("The answer")
        self.setOpenLinks(False)
        self.anchorClicked.connect(self._clicked)
        self._streaming = False
        theme.changed.connect(self._recolour)

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        """Nothing is ever loaded: no picture, no sheet, whatever the text names."""
        return None

    def show_answer(self, text: str) -> None:
        """Show text with paragraphs, simple headings and lists; everything else in it stands as it was written."""
        self._text, self._streaming = text, False
        link = self.theme.colour("link").name()
        soft = self.theme.colour("accent_soft").name()
        parts = [_block(block, link, soft) for block in re.split(r"\n\s*\n", text.strip()) if block.strip()]
        self.setHtml("".join(parts))

    def add_text(self, text: str, anew: bool = False) -> None:
        """More of an answer that is being written, as plain text; `anew` takes away what stood there."""
        if anew or not self._streaming:
            self._streaming = True
            self._text = ""
            self.clear()
        self._text += text
        bar = self.verticalScrollBar()
        following = bar.value() >= bar.maximum() - 4
        cursor = self.textCursor()
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(text)
        if following:
            bar.setValue(bar.maximum())

    def _recolour(self) -> None:
        if not self._streaming:
            self.show_answer(self._text)

    def _clicked(self, url: QUrl) -> None:
        match = _LINK.fullmatch(url.toString())
        if match:
            self.cited.emit(Citation(match.group(1), int(match.group(2))))


def _block(block: str, link: str, soft: str) -> str:
    heading = re.match(r"(#{1,4})\s+(.+)", block)
    if heading and "\n" not in block.strip():
        return f"<h4>{_inline(heading.group(2), link, soft)}</h4>"
    lines = [_inline(line.strip(), link, soft) for line in block.splitlines()]
    return f"<p>{'<br>'.join(lines)}</p>"


def _inline(text: str, link: str, soft: str) -> str:
    pieces, at = [], 0
    for mark in parse_citations(text):
        pieces.append(_words(text[at : mark.start]))
        pieces.append(" ".join(_chip(group.kind, group.numbers, group.more, link, soft) for group in mark.groups))
        at = mark.end
    pieces.append(_words(text[at:]))
    return "".join(pieces)


def _words(text: str) -> str:
    return re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", html.escape(text))


def _chip(kind: str, numbers: tuple[int, ...], more: bool, link: str, soft: str) -> str:
    style = f'style="color:{link}; background-color:{soft}; text-decoration:none"'
    links = [f'<a {style} href="cite:{kind}:{number}">{number}</a>' for number in numbers[:_SHOWN_NUMBERS]]
    hidden = len(numbers) - len(links)
    rest = f" +{hidden}" if hidden > 0 else " +more" if more else ""
    name = f'<span style="color:{link}">{kind}</span>'
    return f'<span style="background-color:{soft}">&nbsp;{name} {", ".join(links)}{rest}&nbsp;</span>'
