"""Plans from columns alone say the same as plans from rows, on every index of the test material."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from explorer.base.errors import ExplorerError
from explorer.base.token_cache import TokenCounter
from explorer.planning.plan import Plan, plan
from explorer.search.options import GlobalOptions
from explorer.tables.index import Index, open_index
from explorer.tables.lean import lean

MODES = ("roll_up", "at_or_below")


def indexes(shared: Path) -> Iterator[Path]:
    for maker in ("generated-3.3", "microsoft", "mit", "broken"):
        for folder in sorted((shared / "indexes" / maker).iterdir()):
            size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
            if folder.is_dir() and size < 30_000_000:
                yield folder


def planned(index: Index, level: int | None, mode: str, counter: TokenCounter) -> Plan | str:
    try:
        return plan(index, GlobalOptions(level=level, reports=mode), "What is new?", counter=counter)
    except ExplorerError as error:
        return error.sentence


def test_a_plan_from_columns_is_the_plan_from_rows(shared: Path) -> None:
    light = 0
    counter = TokenCounter("cl100k_base")
    for folder in indexes(shared):
        try:
            by_rows, by_columns, by_arrays = (open_index(folder) for _ in range(3))
        except ExplorerError:
            continue
        vars(by_rows)["memberships"] = None  # as where the tables are not plain
        _ = by_arrays.entities, by_arrays.communities
        light += lean(by_columns) is not by_columns
        for mode in MODES:
            for level in (0, 1, 2, None):
                wanted = planned(by_rows, level, mode, counter)
                assert planned(lean(open_index(folder)), level, mode, counter) == wanted, (folder, mode, level)
                assert planned(by_arrays, level, mode, counter) == wanted, (folder, mode, level)
    assert light >= 3, "no index was read by its columns"


@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base"])
def test_the_counts_of_parts_are_those_of_the_whole_text(name: str, tmp_path: Path) -> None:
    """Counted by tiktoken itself; a second counter finds them in the file."""
    import tiktoken

    from explorer.base.tokens import encoding

    tokenizer: tiktoken.Encoding = encoding(name)  # type: ignore[arg-type]
    body = "It's the 4th of July 1,024 times — “quoted”, naïve 漢字 and\n\nmore.  Two  spaces\t\r\n\r\nhere's " * 9
    texts = [
        ("7|A title|0.25|", body, "|5.0\n"),
        ("a", "b" * 300, "'s c"),
        (body, " x", body),
        ("", body[:-1], "s not"),
        ("The ", "漢字" * 150, " end"),
        ("12", "3" * 250 + " " * 250, " 4"),
    ]
    wanted = [len(tokenizer.encode_ordinary("".join(parts))) for parts in texts]
    with TokenCounter(name, tmp_path) as counter:  # type: ignore[arg-type]
        assert counter.count_parts(texts) == wanted
    with TokenCounter(name, tmp_path) as counter:  # type: ignore[arg-type]
        assert counter.count_parts(texts) == wanted
        assert counter.count_all(["".join(parts) for parts in texts]) == wanted
