"""The command `connections`: what it prints, what it keeps, and that a key is never among either."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator

import keyring
import pytest

from explorer.cli import main
from explorer.models.connections import connections_file, load_connections
from tests.models.keyrings import LockedKeyring, MemoryKeyring

SECRET = "sk-test-7b61f0c2aa"


@pytest.fixture
def ring() -> Iterator[MemoryKeyring]:
    before = keyring.get_keyring()
    made = MemoryKeyring()
    keyring.set_keyring(made)
    yield made
    keyring.set_keyring(before)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["connections", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_every_field_can_be_given_and_is_listed(capsys, ring) -> None:
    code, out, err = run(
        capsys, "add", "work", "--kind", "azure", "--base-url", "https://x.example", "--api-version", "2024-10-21",
        "--chat-model", "big", "--embedding-model", "vec", "--stage-model", "map=mini", "--stage-model", "rate=nano",
        "--parameter", "temperature=0", "--parameter", "stop=[\"x\"]", "--stage-parameter", "rate.max_tokens=50",
        "--concurrency", "3", "--requests-per-minute", "60", "--tokens-per-minute", "1000", "--context-window", "8192",
        "--tokenizer", "cl100k_base", "--price", "big=2.5,10", "--price", "vec=0.1", "--timeout", "20",
        "--retries", "2", "--reply-mode", "text", "--no-key",
    )  # fmt: skip
    assert (code, err) == (0, "")
    assert "work is set up. This server is asked without a key." in out
    made = load_connections()["work"]
    assert made.stage_models == {"map": "mini", "rate": "nano"}
    assert made.parameters == {"temperature": 0, "stop": ["x"]}
    assert made.stage_parameters == {"rate": {"max_tokens": 50}}
    assert made.prices["big"].output == 10 and made.prices["vec"].output == 0
    code, out, _ = run(capsys, "list", "--json")
    rows = json.loads(out)["connections"]
    assert [row["name"] for row in rows] == ["offline", "work"]
    assert rows[1]["context_window"] == 8192 and rows[1]["timeout"] == 20 and rows[1]["key"] == "none"
    _, out, _ = run(capsys, "list")
    assert "https://x.example" in out and out.splitlines()[1].startswith("offline")


def test_a_key_from_stdin_goes_into_the_keyring_and_nowhere_else(capsys, ring, monkeypatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{SECRET}\n"))
    code, out, err = run(capsys, "add", "home", "--chat-model", "gpt-4o", "--key-stdin", "--json")
    assert code == 0
    assert json.loads(out)["key_found"] is True
    assert ring.kept == {("graphrag-explorer", "home"): SECRET}
    assert SECRET not in out + err + connections_file().read_text()
    code, out, err = run(capsys, "remove", "home")
    assert code == 0 and not ring.kept and not load_connections()


def test_where_there_is_no_keyring_nothing_is_saved_and_the_way_out_is_said(capsys, ring, monkeypatch) -> None:
    keyring.set_keyring(keyring.backends.fail.Keyring())
    monkeypatch.setattr("sys.stdin", io.StringIO(SECRET))
    code, out, err = run(capsys, "add", "home", "--key-stdin")
    assert code == 2
    assert "no keyring that can be reached" in err and "--key-env" in err
    assert not load_connections() and SECRET not in out + err


def test_an_environment_variable_is_named_and_not_read_into_anything(capsys, ring, monkeypatch) -> None:
    monkeypatch.setenv("MY_KEY", SECRET)
    code, out, _ = run(capsys, "add", "home", "--key-env", "MY_KEY")
    assert code == 0 and "environment variable MY_KEY" in out
    assert SECRET not in out + connections_file().read_text()
    code, out, err = run(capsys, "add", "other", "--key-env", SECRET)
    assert code == 2 and SECRET not in out + err


def test_a_server_on_this_machine_is_asked_without_a_key_unless_one_is_given(capsys, ring) -> None:
    code, out, _ = run(capsys, "add", "mine", "--base-url", "http://localhost:11434/v1", "--chat-model", "m")
    assert code == 0 and "asked without a key" in out
    assert load_connections()["mine"].key == "none"
    run(capsys, "add", "proxy", "--base-url", "http://localhost:4000/v1", "--key-env", "MY_KEY")
    assert load_connections()["proxy"].key == "env:MY_KEY"


def test_a_name_that_is_taken_is_kept_unless_it_is_to_be_replaced(capsys, ring) -> None:
    assert run(capsys, "add", "home", "--chat-model", "a", "--reply-mode", "json_schema", "--no-key")[0] == 0
    code, _, err = run(capsys, "add", "home", "--chat-model", "b")
    assert code == 2 and "--replace" in err
    assert run(capsys, "add", "home", "--concurrency", "2", "--replace")[0] == 0
    changed = load_connections()["home"]
    assert (changed.chat_model, changed.concurrency, changed.reply_mode) == ("a", 2, "json_schema")
    assert changed.key == "none"  # what is not given stays
    assert run(capsys, "add", "home", "--chat-model", "b", "--replace")[0] == 0
    assert load_connections()["home"].reply_mode is None  # it worked with another model


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("--kind", "compatible"), "base_url is needed"),
        (("--stage-model", "maps=x"), "no stage 'maps'"),
        (("--stage-model", "map"), "STAGE=MODEL"),
        (("--price", "x=cheap"), "dollars for a million tokens"),
        (("--concurrency", "0"), "greater than or equal to 1"),
        (("--base-url", f"https://me:{SECRET}@host/v1"), "could be secrets"),
        (("--parameter", f"api_key={SECRET}"), "could hold a secret"),
        (("--base-url", "localhost:11434/v1"), "begins with http://"),
    ],
)
def test_what_is_wrong_is_said_in_one_line_and_nothing_is_saved(capsys, ring, arguments, word) -> None:
    code, out, err = run(capsys, "add", "home", "--no-key", *arguments)
    assert code == 2
    assert word in err and err.count("\n") == 1
    assert not load_connections() and SECRET not in out + err


def test_a_test_that_goes_well_is_remembered(capsys, ring, model_server) -> None:
    model_server.set(modes=["json_object", "text"], models=["chat", "vec"])
    run(capsys, "add", "home", "--base-url", model_server.url, "--chat-model", "chat", "--embedding-model", "vec",
        "--no-key")  # fmt: skip
    code, out, _ = run(capsys, "test", "home")
    assert code == 0
    assert "note   The server takes no JSON schema" in out and "384 dimensions" in out
    assert load_connections()["home"].reply_mode == "json_object"


def test_a_wrong_key_is_said_and_not_shown(capsys, ring, model_server, monkeypatch) -> None:
    model_server.set(keys=["the-right-key"], echo_key=True)
    monkeypatch.setenv("MY_KEY", SECRET)
    run(capsys, "add", "home", "--base-url", model_server.url, "--chat-model", "chat", "--key-env", "MY_KEY")
    code, out, err = run(capsys, "test", "home", "--json")
    report = json.loads(out)
    assert code == 1 and not report["ok"]
    assert report["lines"][-1]["part"] == "key" and "refuses the key (401)" in report["lines"][-1]["sentence"]
    assert SECRET not in out + err


def test_a_key_that_is_not_there_ends_it_before_any_call(capsys, ring, model_server) -> None:
    run(capsys, "add", "home", "--base-url", model_server.url, "--chat-model", "chat", "--key-env", "NOT_SET_HERE")
    code, _, err = run(capsys, "test", "home")
    assert code == 2 and "NOT_SET_HERE, which is not set" in err
    assert not model_server.log()


def test_a_locked_keyring_does_not_hold_the_command(capsys, ring) -> None:
    run(capsys, "add", "home", "--key-kept")
    locked = LockedKeyring()
    keyring.set_keyring(locked)
    code, _, err = run(capsys, "test", "home")
    locked.unlock.set()
    assert code == 2 and "does not answer" in err


def test_unknown_names_and_the_offline_analyst(capsys, ring) -> None:
    code, _, err = run(capsys, "test", "nowhere")
    assert code == 2 and "Known: offline" in err
    assert run(capsys, "remove", "nowhere")[0] == 2
    assert run(capsys, "test", "offline")[0] == 2


def test_find_names_the_servers_of_this_machine_and_how_to_add_them(capsys, ring, model_server, monkeypatch) -> None:
    monkeypatch.setattr("explorer.models.local_servers.PORTS", {model_server.port: "Ollama"})
    model_server.set(models=["llama3.2:3b", "nomic-embed-text"])
    code, out, _ = run(capsys, "find")
    assert code == 0
    assert "llama3.2:3b, nomic-embed-text" in out and "--chat-model llama3.2:3b --no-key" in out
    code, out, _ = run(capsys, "find", "--json")
    assert json.loads(out)["servers"][0]["base_url"] == model_server.url
    monkeypatch.setattr("explorer.models.local_servers.PORTS", {1: "Ollama"})
    assert "No server answers" in run(capsys, "find")[1]
