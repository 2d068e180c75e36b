"""reStructuredText, parsed by docutils with everything switched off that reads files or runs."""

from __future__ import annotations

import re
from io import StringIO

from docutils import nodes
from docutils.core import publish_doctree

from explorer.base.words import agree, counted
from explorer.corpus.decode import clean, decode
from explorer.corpus.readers.parts import Parts, whole

_SETTINGS: dict[str, object] = {
    "_disable_config": True,  # a docutils.conf beside the program must not change what is read
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "report_level": 5,
    "halt_level": 5,
    "line_length_limit": 10_000_000,
    "input_encoding": "unicode",
    "syntax_highlight": "none",
    "smart_quotes": False,
}
# `date` would write today's date into the text: the same file must give the same text tomorrow.
_DATE = re.compile(r"^([ \t]*\.\.[ \t]+(?:\|[^|\n]+\|[ \t]+)?)date::.*$", re.MULTILINE)


def read(data: bytes) -> Parts:
    """The text of the document's tree: a paragraph a block; directives that docutils does not know stay as source."""
    decoded = decode(data)
    settings = dict(_SETTINGS, warning_stream=StringIO())
    source = _DATE.sub(r"\1replace:: (date)", decoded.text)
    tree = publish_doctree(source, settings_overrides=settings)
    unknown = 0
    for message in list(tree.findall(nodes.system_message)):
        kept = list(message.findall(nodes.literal_block))
        unknown += bool(kept)
        _put(message, [nodes.paragraph("", block.astext()) for block in kept])
    for node in [*tree.findall(nodes.comment), *tree.findall(nodes.substitution_definition), *tree.findall(nodes.raw)]:
        _put(node, [])
    notes = decoded.notes
    if unknown:
        notes += (
            f"{counted(unknown, 'directive that needs', 'directives that need')} another program "
            f"{agree(unknown, 'was', 'were')} kept as source text",
        )
    text, cleaning = clean(re.sub(r"\n{3,}", "\n\n", tree.astext()).strip())
    return whole(text, notes + cleaning)


def _put(node: nodes.Element, instead: list[nodes.paragraph]) -> None:
    if node.parent is not None:
        node.parent.replace(node, instead)
