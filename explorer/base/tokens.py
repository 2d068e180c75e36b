"""Token counts with tiktoken, from vocabulary files that ship with the program: nothing is downloaded."""

from __future__ import annotations

import gzip
import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from explorer.base.files import write_atomic
from explorer.base.paths import resource, user_cache_dir

if TYPE_CHECKING:
    from tiktoken import Encoding

EncodingName = Literal["o200k_base", "cl100k_base"]

# tiktoken looks its files up under the SHA-1 of the address that it would fetch them from, and checks their SHA-256.
_CACHE_NAMES = {
    "o200k_base": "fb374d419588a4632f3f557e76b4b70aebbca790",
    "cl100k_base": "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
}


@cache
def encoding(name: EncodingName) -> Encoding:
    """The tiktoken encoding of that name, unpacked to the user cache on first use.

    Raises ValueError for a name that has no vocabulary file here.
    """
    if name not in _CACHE_NAMES:
        raise ValueError(f"no vocabulary for the tokenizer {name!r}: o200k_base and cl100k_base are here")
    cache = user_cache_dir() / "tokenizers"
    target = cache / _CACHE_NAMES[name]
    if not target.exists():
        packed = resource("tokenizers", f"{name}.tiktoken.gz")
        write_atomic(target, lambda path: _unpack(packed, path))
    os.environ["TIKTOKEN_CACHE_DIR"] = str(cache)
    import tiktoken  # 0.3 s: only who counts pays for it

    return tiktoken.get_encoding(name)


def count_tokens(text: str, name: EncodingName = "cl100k_base") -> int:
    """The number of tokens of a text; the text of special tokens counts as ordinary text."""
    return len(encoding(name).encode_ordinary(text))


def encoding_of(model: str) -> EncodingName | None:
    """The encoding of a model by its name, None where it is not known or has no vocabulary file here."""
    import tiktoken

    try:
        name = tiktoken.encoding_name_for_model(model.rpartition("/")[2])  # a proxy puts the maker before it
    except KeyError:
        return None
    return name if name in _CACHE_NAMES else None  # type: ignore[return-value]


def _unpack(packed: Path, target: Path) -> None:
    target.write_bytes(gzip.decompress(packed.read_bytes()))
