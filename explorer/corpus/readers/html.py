"""HTML: what a reader of the page would read, without scripts, styles, menus and hidden parts."""

from __future__ import annotations

import re

from lxml import etree
from lxml import html as lxml_html

from explorer.corpus.decode import clean, decode
from explorer.corpus.readers.parts import Parts, whole

_CHARSET = re.compile(
    rb"""<(?:meta|\?xml)[^>]{0,200}?(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]{1,40})""", re.IGNORECASE
)
_NO_TEXT = frozenset(
    ("script", "style", "noscript", "template", "svg", "math", "head", "iframe", "object", "select", "textarea")
)
_MENUS = frozenset(("nav",))
_BLOCKS = frozenset(
    (
        "address", "article", "aside", "blockquote", "body", "caption", "dd", "details", "dialog", "div", "dl", "dt",
        "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr",
        "html", "legend", "li", "main", "ol", "p", "pre", "section", "summary", "table", "tbody", "tfoot", "thead",
        "tr", "ul",
    )
)  # fmt: skip


def read(data: bytes) -> Parts:
    """The visible text: a line a block, cells of a row side by side, entities decoded, the title first."""
    declared = _CHARSET.search(data[:4096])
    decoded = decode(data, declared=declared[1].decode("ascii") if declared else "")
    if not decoded.text.strip():
        return whole("", decoded.notes)
    # huge_tree: pages nested deeper than 256 levels would lose their end without a word.
    parser = lxml_html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True)
    try:
        root = lxml_html.document_fromstring(decoded.text.encode("utf-8"), parser=parser)
    except etree.ParserError:  # nothing but comments
        return whole("", decoded.notes)
    notes = decoded.notes
    if any(entry.level_name == "FATAL" for entry in parser.error_log):
        # The fast parser gave up (2,048 levels) and would drop the rest of the page without a word.
        text, cleaning = clean(_flat_text(decoded.text))
        return whole(text, (*notes, "nested too deeply: its blocks could not be told apart", *cleaning))
    walk = _Walk()
    walk.through(root)
    text = walk.text()
    title = " ".join((root.findtext(".//title") or "").split())
    if title and title not in text.split("\n", 3)[:3]:
        text = f"{title}\n\n{text}" if text else title
    text, cleaning = clean(text)
    notes += cleaning
    if walk.left_out:
        notes += ("menus and hidden parts were left out",)
    return whole(text, notes)


def _flat_text(page: str) -> str:
    """The text of a page by a parser that has no limit of depth, a line a piece."""
    from bs4 import BeautifulSoup

    soup = BeautifulSoup(page, "html.parser")
    for element in soup.find_all([*_NO_TEXT, *_MENUS]):
        element.extract()
    return soup.get_text("\n", strip=True)


class _Walk:
    """Collects the text of a tree, block by block, without recursion."""

    def __init__(self) -> None:
        self.left_out = False
        self._pieces: list[str] = []

    def through(self, root: lxml_html.HtmlElement) -> None:
        silent: etree._Element | None = None
        preformatted = 0
        for event, element in etree.iterwalk(root, events=("start", "end")):
            tag = element.tag if isinstance(element.tag, str) else ""
            if event == "start":
                if silent is None and self._is_silent(element, tag):
                    silent = element
                if silent is not None:
                    continue
                self._before(tag)
                preformatted += tag == "pre"
                self._add(element.text, preformatted)
                continue
            if silent is element:
                silent = None
            elif silent is None:
                preformatted -= tag == "pre"
                self._after(tag)
            if silent is None and element is not root:
                self._add(element.tail, preformatted)

    def text(self) -> str:
        lines = (re.sub(r"[ \f\v]+", " ", line).strip(" ") for line in "".join(self._pieces).split("\n"))
        return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).replace("\x1e", " ").strip()

    def _is_silent(self, element: etree._Element, tag: str) -> bool:
        if tag in _NO_TEXT or not tag:
            return True
        style = (element.get("style") or "").replace(" ", "").lower()
        if tag in _MENUS or element.get("hidden") is not None or "display:none" in style:
            self.left_out = True
            return True
        return False

    def _before(self, tag: str) -> None:
        if tag in _BLOCKS:
            self._pieces.append("\n" if tag in ("li", "tr", "dd", "dt") else "\n\n")
        elif tag == "br":
            self._pieces.append("\n")

    def _after(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._pieces.append("\t")
        elif tag in _BLOCKS:
            self._pieces.append("\n")

    def _add(self, text: str | None, preformatted: int) -> None:
        if not text:
            return
        if preformatted:
            self._pieces.append(text.replace(" ", "\x1e"))
        else:
            self._pieces.append(re.sub(r"\s+", " ", text))
