"""Files are written whole or not at all, and a refusal is one sentence, whoever reports it."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from explorer.base.errors import StorageError
from explorer.base.files import write_atomic, write_text_atomic


def test_a_full_disk_under_a_database_is_one_sentence_and_the_old_file_stands(tmp_path: Path) -> None:
    target = tmp_path / "words.sqlite"
    target.write_bytes(b"the old one")

    def write(path: Path) -> None:
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("PRAGMA max_page_count = 2")  # SQLite then reports what it reports of a full disk
            connection.execute("CREATE TABLE words (text TEXT)")
            connection.executemany("INSERT INTO words VALUES (?)", [("long " * 1000,)] * 20)

    with pytest.raises(StorageError) as raised:
        write_atomic(target, write)
    assert "The disk is full: words.sqlite could not be written" in raised.value.sentence
    assert target.read_bytes() == b"the old one"
    assert list(tmp_path.iterdir()) == [target]


def test_a_database_that_fails_otherwise_says_why(tmp_path: Path) -> None:
    def write(path: Path) -> None:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("CREATE TABLE something (text TEXT)")
            connection.execute("SELECT * FROM absent")

    with pytest.raises(StorageError, match=r"could not be written \(no such table: absent\); what was"):
        write_atomic(tmp_path / "words.sqlite", write)
    assert list(tmp_path.iterdir()) == []


def test_a_text_is_written_whole(tmp_path: Path) -> None:
    write_text_atomic(tmp_path / "new" / "text.txt", "Grüße\n")
    assert (tmp_path / "new" / "text.txt").read_bytes() == "Grüße\n".encode()
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["text.txt"]


def test_two_threads_may_write_one_file_at_one_time(tmp_path: Path) -> None:
    """As where two jobs count their first tokens: both unpack the vocabulary."""
    both, refused = threading.Barrier(2), []

    def write(path: Path) -> None:
        path.write_text("whole")
        both.wait(120)

    def work() -> None:
        try:
            write_atomic(tmp_path / "words", write)
        except StorageError as error:
            refused.append(error)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert refused == []
    assert [path.name for path in tmp_path.iterdir()] == ["words"]
