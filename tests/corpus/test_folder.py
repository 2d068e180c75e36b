"""What a folder holds: every file listed once, with its reason where it is not read."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from explorer.base.errors import InputError
from explorer.corpus.folder import find_files
from explorer.corpus.names import find_path, printable_name
from explorer.corpus.read import read_file

posix = pytest.mark.skipif(os.name == "nt", reason="Windows has no such names, links and rights")


def reasons(folder: Path) -> dict[str, str]:
    return {file.path: file.reason for file in find_files(folder)}


def test_files_come_sorted_and_each_with_its_reason(tmp_path: Path) -> None:
    (tmp_path / "b" / "deep").mkdir(parents=True)
    (tmp_path / "b" / "deep" / "z.TXT").write_text("upper case counts")
    (tmp_path / "a.md").write_text("# A")
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    (tmp_path / "LICENSE").write_text("free")
    (tmp_path / ".secret.txt").write_text("hidden")
    (tmp_path / "~$a.docx").write_text("lock")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config.txt").write_text("hidden")
    (tmp_path / ".graphrag-explorer").mkdir()
    (tmp_path / ".graphrag-explorer" / "runs.json").write_text("{}")
    found = find_files(tmp_path)
    assert [file.path for file in found] == sorted(file.path for file in found)
    assert {file.path for file in found if not file.reason} == {"a.md", "b/deep/z.TXT"}
    said = reasons(tmp_path)
    assert said["empty.txt"] == "the file is empty"
    assert ".png" in said["picture.png"]
    assert "extension" in said["LICENSE"]
    assert "hidden" in said[".secret.txt"] and "hidden" in said[".git/"]
    assert not any("graphrag-explorer" in path for path in said)
    assert not any("config" in path for path in said)
    assert next(file.size for file in found if file.path == "a.md") == 3


def test_an_index_elsewhere_in_the_folder_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    (tmp_path / "index").mkdir()
    (tmp_path / "index" / "run.json").write_text("{}")
    assert [file.path for file in find_files(tmp_path, without=[tmp_path / "index"])] == ["a.txt"]


@pytest.mark.parametrize("kind", ["missing", "file", "empty"])
def test_a_folder_that_cannot_be_used_is_one_sentence(tmp_path: Path, kind: str) -> None:
    target = tmp_path / "here"
    if kind == "file":
        target.write_text("x")
    elif kind == "empty":
        target.mkdir()
    with pytest.raises(InputError) as error:
        find_files(target)
    assert str(target) in error.value.sentence
    assert "\n" not in error.value.sentence


@posix
def test_a_folder_without_the_right_to_read_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Rights do not bind root, who may run this test: the refusal is made by hand.
    (tmp_path / "locked").mkdir()
    (tmp_path / "a.txt").write_text("a")
    real = Path.iterdir

    def refuse(self: Path):  # type: ignore[no-untyped-def]
        if self.name == "locked":
            raise PermissionError(13, "Permission denied")
        return real(self)

    monkeypatch.setattr(Path, "iterdir", refuse)
    assert reasons(tmp_path) == {"a.txt": "", "locked/": "the folder cannot be read (Permission denied)"}
    with pytest.raises(InputError, match="Permission denied"):
        find_files(tmp_path / "locked")


@posix
def test_a_file_without_the_right_to_read_it_fails_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_text("a")

    def refuse(self: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    assert read_file(tmp_path, "a.txt").failed == "it cannot be read (Permission denied)"


@posix
def test_links_are_listed_and_never_followed(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    (folder / "sub").mkdir(parents=True)
    (tmp_path / "outside.txt").write_text("outside")
    (folder / "a.txt").write_text("a")
    (folder / "out.txt").symlink_to(tmp_path / "outside.txt")
    (folder / "again.txt").symlink_to(folder / "a.txt")
    (folder / "nowhere.txt").symlink_to(folder / "gone.txt")
    (folder / "self.txt").symlink_to(folder / "self.txt")
    (folder / "sub" / "loop").symlink_to(folder, target_is_directory=True)
    os.mkfifo(folder / "pipe.txt")
    said = reasons(folder)
    assert [path for path, reason in said.items() if not reason] == ["a.txt"]
    assert "out of the folder" in said["out.txt"]
    assert "own place" in said["again.txt"] and "own place" in said["sub/loop"]
    assert "nowhere" in said["nowhere.txt"] and "nowhere" in said["self.txt"]
    assert said["pipe.txt"] == "not a regular file"


@posix
@pytest.mark.skipif(sys.platform == "darwin", reason="macOS accepts UTF-8 names only")
def test_odd_names_are_read(tmp_path: Path) -> None:
    names = [b"caf\xe9.txt", b"two\nlines.txt", "雪.txt".encode(), b"back\\x41slash.txt", b" space .txt"]
    for place, name in enumerate(names):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_text(f"text {place}")
    found = find_files(tmp_path)
    texts = {file.path: read_file(tmp_path, file.path).documents[0].text for file in found}
    assert texts == {
        "caf\\xe9.txt": "text 0",
        "two\nlines.txt": "text 1",
        "雪.txt": "text 2",
        "back\\x41slash.txt": "text 3",
        " space .txt": "text 4",
    }
    for path in texts:
        path.encode("utf-8")  # a table holds nothing else


@pytest.mark.parametrize("path", ["../secret.txt", "/etc/passwd", "a/../../b.txt", "", "a//b.txt", "./a.txt"])
def test_a_path_of_a_table_never_leads_out_of_the_folder(tmp_path: Path, path: str) -> None:
    with pytest.raises(ValueError):
        find_path(tmp_path, path)
    assert read_file(tmp_path, path).failed


def test_a_plain_name_stays_as_it_is() -> None:
    assert printable_name("Ärger\t雪 😀.md") == "Ärger\t雪 😀.md"


def test_a_file_that_is_gone_fails_with_a_reason(tmp_path: Path) -> None:
    assert "No such file" in read_file(tmp_path, "gone.txt").failed


def test_a_project_s_own_files_are_no_documents(tmp_path: Path) -> None:
    """`graphrag init` writes prompts as .txt, and its cache holds every reply as JSON."""
    for name in ("input/a.txt", "prompts/extract_graph.txt", "cache/chat/x.json", "output/stats.json", "logs/l.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("text")
    (tmp_path / "settings.json").write_text("{}")
    said = reasons(tmp_path)
    assert set(said) == {"input/a.txt", "prompts/", "cache/", "output/", "logs/", "settings.json"}
    assert [path for path, reason in said.items() if not reason] == ["input/a.txt"]
    assert all("GraphRAG project" in reason for reason in said.values() if reason)


def test_folders_of_these_names_elsewhere_are_documents(tmp_path: Path) -> None:
    for name in ("prompts/extract_graph.txt", "cache/b.txt", "output/c.md", "deep/prompts/extract_graph.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("text")
    assert not any(reasons(tmp_path).values())
    (tmp_path / "deep" / "settings.yaml").write_text("a: 1")
    assert reasons(tmp_path)["deep/prompts/extract_graph.txt"] == "", "the folder that was named is no project"
    (tmp_path / "settings.yaml").write_text("a: 1")
    (tmp_path / "prompts" / "extract_graph.txt").rename(tmp_path / "prompts" / "mine.txt")
    assert reasons(tmp_path)["prompts/mine.txt"] == "", "settings of something else"
