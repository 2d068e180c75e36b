"""Plans from columns alone say the same as plans from rows, on every index of the test material."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from explorer.base.errors import ExplorerError
from explorer.base.token_cache import TokenCounter
from explorer.planning.plan import Plan, plan
from explorer.search.options import GlobalOptions
from explorer.tables.index import Index, open_index
from explorer.tables.lean import lean
from search.small_index import make_index

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


def _damage(path: Path, column: str) -> None:
    """Overwrite the pages of one column: the head of the file stays sound."""
    group = pq.read_metadata(path).row_group(0)
    chunks = (group.column(place) for place in range(group.num_columns))
    chunk = next(chunk for chunk in chunks if chunk.path_in_schema.startswith(column))
    start = chunk.dictionary_page_offset or chunk.data_page_offset
    data = bytearray(path.read_bytes())
    data[start : start + chunk.total_compressed_size] = b"\xff" * chunk.total_compressed_size
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("table", "column"),
    [("communities", "text_unit_ids"), ("communities", "entity_ids"), ("entities", "description"),
     ("community_reports", "findings")],
)  # fmt: skip
def test_damage_is_said_by_a_plan_as_by_an_answer(tmp_path: Path, table: str, column: str) -> None:
    """A plan reads some columns and an answer all: damage in the others must not let the plan promise what then is
    refused."""
    output = make_index(tmp_path).output
    _damage(output / f"{table}.parquet", column)
    counter = TokenCounter("cl100k_base")
    for mode in MODES:
        by_rows = open_index(output)
        by_rows.read_all()
        wanted = planned(by_rows, 2, mode, counter)
        assert by_rows.state(table).state == "unreadable"
        for _ in range(2):  # what was found is not forgotten, nor kept as sound
            assert planned(lean(open_index(output)), 2, mode, counter) == wanted


def test_a_table_that_was_sound_and_is_damaged_later_is_looked_at_again(tmp_path: Path) -> None:
    output = make_index(tmp_path).output
    sound = open_index(output)
    assert lean(sound) is not sound
    _damage(output / "communities.parquet", "text_unit_ids")
    index = open_index(output)
    assert lean(index) is index
    assert index.state("communities").state == "unreadable"
