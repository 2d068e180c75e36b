"""docx, opened by python-docx: paragraphs and table cells in the order of the page, then notes.

The library's own `paragraph.text` leaves out tracked insertions, content controls, text boxes and equations, so the
text is gathered from the tree that it opened.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from io import BytesIO
from typing import Any

import docx
from lxml import etree

from explorer.corpus.decode import NotText, clean
from explorer.corpus.readers.parts import Parts, whole

_LARGEST = 1 << 29  # unpacked bytes; a packed bomb would take all memory
_STRICT = (
    (b"http://purl.oclc.org/ooxml/officeDocument/relationships",
     b"http://schemas.openxmlformats.org/officeDocument/2006/relationships"),
    (b"http://purl.oclc.org/ooxml/wordprocessingml/main",
     b"http://schemas.openxmlformats.org/wordprocessingml/2006/main"),
    (b"http://purl.oclc.org/ooxml/officeDocument/math",
     b"http://schemas.openxmlformats.org/officeDocument/2006/math"),
    (b"http://purl.oclc.org/ooxml/drawingml/", b"http://schemas.openxmlformats.org/drawingml/2006/"),
)  # fmt: skip
_NOT_SHOWN = frozenset(("del", "moveFrom", "pPr", "rPr", "instrText", "delText", "Fallback", "rubyPr", "rt"))
_LETTERS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_NOTE_PARTS = re.compile(r"/word/(footnotes|endnotes)\d*\.xml")


def read(data: bytes) -> Parts:
    """One document. Raises NotText where the file is no docx, or is locked or far too large unpacked."""
    try:
        with zipfile.ZipFile(BytesIO(data)) as package:
            names = set(package.namelist())
            if sum(entry.file_size for entry in package.infolist()) > _LARGEST:
                raise NotText("it is larger than 512 MB when unpacked")
            strict = b"purl.oclc.org/ooxml" in package.read("_rels/.rels") if "_rels/.rels" in names else False
    except zipfile.BadZipFile as error:
        encrypted = data.startswith(b"\xd0\xcf\x11\xe0")
        reason = "it is protected by a password or of the old .doc format" if encrypted else "it is not a docx file"
        raise NotText(reason) from error
    document = docx.Document(BytesIO(_as_transitional(data) if strict else data))
    blocks = list(_blocks(document.element.body))
    notes = []
    for part in document.part.package.iter_parts():
        name = str(part.partname)
        if _NOTE_PARTS.fullmatch(name):
            blocks.extend(_blocks(etree.fromstring(part.blob, etree.XMLParser(resolve_entities=False))))
        elif name.startswith("/word/comments") and name.endswith("comments.xml"):
            notes.append("its comments were left out")
    text, cleaning = clean("\n\n".join(block for block in blocks if block.strip()))
    return whole(text, (*notes, *cleaning))


def _blocks(element: Any) -> Iterator[str]:
    """The text of each paragraph and each table row below an element, in order."""
    for child in element:
        tag = _tag(child)
        if tag == "p":
            boxes: list[str] = []
            yield "".join(_inline(child, boxes))
            yield from boxes
        elif tag == "tbl":
            yield "\n".join(_rows(child))
        elif tag not in _NOT_SHOWN:
            yield from _blocks(child)


def _rows(table: Any) -> Iterator[str]:
    for row in table.iter("{*}tr"):
        if next(row.iterancestors("{*}tbl")) is not table:
            continue  # a row of a table inside a cell comes with its cell
        cells = [cell for cell in row.iter("{*}tc") if next(cell.iterancestors("{*}tr")) is row]
        texts = (" ".join(block for block in _blocks(cell) if block.strip()) for cell in cells)
        yield " | ".join(" ".join(text.split()) for text in texts).strip(" |")


def _inline(element: Any, boxes: list[str]) -> Iterator[str]:
    """The pieces of a paragraph; what stands in a text box is put into `boxes`."""
    for child in element:
        tag = _tag(child)
        if tag == "t":
            yield child.text or ""
        elif tag in _LETTERS:
            yield _LETTERS[tag]
        elif tag == "txbxContent":
            boxes.extend(_blocks(child))
        elif tag not in _NOT_SHOWN:
            yield from _inline(child, boxes)


def _tag(element: Any) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _as_transitional(data: bytes) -> bytes:
    """A package of the strict variant under the names of the common one, which the library knows."""
    target = BytesIO()
    with zipfile.ZipFile(BytesIO(data)) as source, zipfile.ZipFile(target, "w") as copy:
        for entry in source.infolist():
            content = source.read(entry)
            if entry.filename.endswith((".xml", ".rels")):
                for strict, common in _STRICT:
                    content = content.replace(strict, common)
            copy.writestr(entry.filename, content)
    return target.getvalue()
