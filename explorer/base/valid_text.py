"""Text that can be encoded: a reply or an argument may carry halves of characters."""

from __future__ import annotations


def valid_text(text: str) -> str:
    """The text with pairs of surrogates joined and each lone one replaced by U+FFFD.

    JSON escapes and undecodable arguments bring such halves in; no file, no token count and no database takes them.
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
