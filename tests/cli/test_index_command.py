"""The commands index and doctor as a person or a script runs them: output, messages, exit codes."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from explorer import __version__, cli
from explorer.base.paths import HOME_NAME
from tests.indexing.folders import make_folder, readings

ROOT = Path(__file__).resolve().parents[2]


def command(*arguments: str, **more: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "explorer", *arguments],
        cwd=ROOT, capture_output=True, text=True, timeout=240, check=False, encoding="utf-8", **more,  # type: ignore[call-overload]
    )  # fmt: skip


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    folder = make_folder(tmp_path_factory.mktemp("cli") / "documents")
    return folder, command("index", str(folder), "--json", "--grade", "patterns")


def test_index_prints_one_json_object_and_nothing_else(
    indexed: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    folder, done = indexed
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["index"] == str(folder / HOME_NAME)
    assert found["files"] == {"indexed": 5, "unchanged": 0, "skipped": [], "failed": []}
    assert found["documents"] == 6


def test_in_a_pipe_there_are_no_bars(indexed: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    _, done = indexed
    assert "%|" not in done.stderr and "\r" not in done.stderr
    assert "Traceback" not in done.stderr


def test_a_second_time_in_words(
    indexed: tuple[Path, subprocess.CompletedProcess[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    folder, _ = indexed
    assert cli.main(["index", str(folder), "--grade", "patterns"]) == 0
    assert "0 indexed, 5 unchanged" in capsys.readouterr().out


@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo terminal")
def test_on_a_terminal_there_is_a_bar_for_each_stage(tmp_path: Path) -> None:
    import fcntl
    import pty
    import struct
    import termios

    folder = make_folder(tmp_path / "documents")
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 25, 100, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-m", "explorer", "index", str(folder), "--grade", "patterns", "--json"],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=theirs, text=True,
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    try:
        while piece := os.read(ours, 65536):
            shown += piece
    except OSError:  # the other end of a terminal is closed
        pass
    os.close(ours)
    assert process.stdout is not None
    assert json.loads(process.stdout.read())["documents"] == 6
    process.stdout.close()
    assert process.wait(240) == 0
    for stage in (b"read", b"chunk", b"extract", b"reports", b"positions"):
        assert stage in shown
    assert b"%|" in shown


def test_index_somewhere_else_leaves_the_folder_untouched(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = make_folder(tmp_path / "documents")
    before = sorted(folder.rglob("*"))
    assert cli.main(["index", str(folder), "--index", str(tmp_path / "elsewhere"), "--grade", "patterns"]) == 0
    capsys.readouterr()
    assert sorted(folder.rglob("*")) == before
    assert (tmp_path / "elsewhere" / "output" / "entities.parquet").is_file()
    assert cli.main(["doctor", str(folder), "--index", str(tmp_path / "elsewhere"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["defects"] == []


def test_rows_without_text_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = make_folder(tmp_path / "documents")
    (folder / "rows.csv").write_text("text,by\nThe ferry sank.,Ada\n,Bert\n,Cem\n", "utf-8")
    for _ in range(2):  # an unchanged file still lost the same rows
        assert cli.main(["index", str(folder), "--grade", "patterns"]) == 0
        assert "  of rows.csv: 2 skipped: no text in the column 'text'\n" in capsys.readouterr().out


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs the device that is always full")
def test_a_full_disk_under_the_standard_output_is_one_sentence(indexed: tuple[Path, object]) -> None:
    for arguments in (["doctor", str(indexed[0])], ["plan", str(indexed[0]), "--json"]):
        with Path("/dev/full").open("w") as full:
            done = subprocess.run(
                [sys.executable, "-m", "explorer", *arguments],
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
        assert "standard output" in done.stderr


@pytest.fixture
def refused(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Runs a command that cannot be done and gives its sentence."""

    def run(*arguments: str) -> str:
        assert cli.main(arguments) == 2
        out, errors = capsys.readouterr()
        assert out == ""
        assert "Traceback" not in errors and errors.count("\n") == 1, errors
        return errors

    return run


def test_what_cannot_be_done_is_one_sentence_and_exit_code_2(tmp_path: Path, refused: Callable[..., str]) -> None:
    assert "no folder" in refused("index", str(tmp_path / "nowhere"))
    assert "empty" in refused("index", str(tmp_path))
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    assert "Nothing in" in refused("index", str(tmp_path))


def test_bad_knobs_are_one_sentence_and_exit_code_2(tmp_path: Path, refused: Callable[..., str]) -> None:
    folder = str(make_folder(tmp_path / "documents"))
    assert "overlap" in refused("index", folder, "--chunk-size", "100", "--chunk-overlap", "100")
    assert "--max-cluster-size" in refused("index", folder, "--max-cluster-size", "0")
    assert "--seed" in refused("index", folder, "--seed", "-1")
    assert "connection" in refused("index", folder, "--connection", "nobody")


def test_a_newer_index_and_a_second_writer_are_one_sentence(tmp_path: Path, refused: Callable[..., str]) -> None:
    from explorer.base.locks import writer_lock

    folder = make_folder(tmp_path / "documents")
    home = folder / HOME_NAME
    home.mkdir()
    with writer_lock(home):
        assert "Another program" in refused("index", str(folder))
    (home / "index.json").write_text('{"schema_version": 77}')
    assert "newer version" in refused("index", str(folder))


def test_the_exit_code_and_the_sentence_reach_the_shell(tmp_path: Path) -> None:
    done = command("index", str(tmp_path / "nowhere"))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")
def test_ctrl_c_stops_in_a_sentence_and_the_next_run_goes_on(tmp_path: Path) -> None:
    texts = {f"{n:03}.txt": f"Anna met Bruno in town {n}. Clara wrote to Anna about Bruno {n}." for n in range(300)}
    folder = make_folder(tmp_path / "documents", texts)
    process = subprocess.Popen(
        [sys.executable, "-m", "explorer", "index", str(folder), "--grade", "patterns"],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    deadline = time.monotonic() + 240
    while time.monotonic() < deadline and not readings(folder / HOME_NAME):
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all processes of the command
    out, errors = process.communicate(timeout=240)
    assert process.returncode == 1, errors
    assert out == "" and "Stopped" in errors and "Traceback" not in errors
    done = command("index", str(folder), "--grade", "patterns", "--json")
    found = json.loads(done.stdout)
    assert done.returncode == 0 and found["documents"] == 300
    assert found["calls"]["extract"]["cached"] > 0


def test_version_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    for option in ("--version", "--help"):
        with pytest.raises(SystemExit) as end:
            cli.main([option])
        assert end.value.code == 0
    out = capsys.readouterr().out
    assert __version__ in out
    assert " index " in out and " doctor " in out


def test_no_command_and_a_path_both_open_the_window(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[str]] = []

    class Window:
        @staticmethod
        def add_parser(subparsers: object) -> None:
            parser = subparsers.add_parser("window")  # type: ignore[attr-defined]
            parser.add_argument("path", nargs="?")
            parser.set_defaults(run=lambda arguments: seen.append([arguments.path]) or 0)

    monkeypatch.setattr(cli, "_module", lambda name: Window)
    assert cli.main([]) == 0
    assert cli.main(["some/folder"]) == 0
    assert seen == [[None], ["some/folder"]]


def test_the_command_line_starts_without_heavy_libraries() -> None:
    code = (
        "import sys; from explorer import cli\n"
        "try:\n    cli.main(['--version'])\nexcept SystemExit:\n    pass\n"
        "heavy = {'pandas', 'pyarrow', 'igraph', 'leidenalg', 'spacy', 'networkx', 'PySide6', 'openai'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_where_graphrag_s_tables_lie_in_the_folder_the_index_is_named(
    shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(shared / "indexes/microsoft/dulce-v3.0.0", tmp_path / "output")
    (tmp_path / "settings.yaml").write_text("models: {}\n", "utf-8")
    (tmp_path / "input").mkdir()
    (tmp_path / "input/a.txt").write_text("Ada Byron met Grace Hopper. Ada Byron wrote to Grace Hopper.", "utf-8")
    assert cli.main(["index", str(tmp_path), "--no-vectors"]) == 0
    (line,) = [line for line in capsys.readouterr().out.splitlines() if "GraphRAG's own" in line]
    home = tmp_path / ".graphrag-explorer"
    assert line == f"{tmp_path} opens GraphRAG's own tables in {tmp_path / 'output'}; name {home} to open this index."
    assert cli.main(["plan", str(home), "--json"]) == 0
