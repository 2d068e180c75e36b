"""Where keys are kept, what is refused, and that nothing shows them."""

from __future__ import annotations

import base64
import os
import pickle
import shutil
import subprocess
import sys
import threading
import traceback
import urllib.parse
from collections.abc import Iterator
from pathlib import Path

import keyring
import keyring.backends.chainer
import keyring.backends.fail
import keyring.backends.null
import pytest
from keyring.errors import KeyringLocked

from explorer.base.errors import InputError
from explorer.models.connection import Connection
from explorer.models.hide_key import HIDDEN, clean_error, hide_key
from explorer.models.keyring_worker import KeyringUnusable, KeyringWorker
from explorer.models.keys import KeyMissing, Keys
from tests.models.keyrings import LockedKeyring, MemoryKeyring

SECRET = "sk-test-3f9Qx/+7Kz&pL"


class RefusingKeyring(MemoryKeyring):
    def set_password(self, service: str, username: str, password: str) -> None:
        raise KeyringLocked(f"no place for {password}")

    def get_password(self, service: str, username: str) -> str | None:
        raise KeyringLocked("Failed to unlock the collection!")


class ForgetfulKeyring(MemoryKeyring):
    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password[:5]


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    before = keyring.get_keyring()
    yield
    keyring.set_keyring(before)


@pytest.fixture
def ring() -> MemoryKeyring:
    made = MemoryKeyring()
    keyring.set_keyring(made)
    return made


def connection(key: str = "keyring", name: str = "work") -> Connection:
    return Connection(name=name, kind="openai", key=key)


def test_a_key_in_the_keyring_comes_back_in_another_run_of_the_program(ring: MemoryKeyring) -> None:
    assert Keys().put(connection(), f"  {SECRET}\n") == "keyring"
    assert ring.kept == {("graphrag-explorer", "work"): SECRET}
    assert Keys().get(connection()) == SECRET
    assert Keys().state(connection()).sentence == "The key is in the keyring of this system."
    assert Keys().available().keyring


def test_forgetting_takes_it_out_and_can_be_done_twice(ring: MemoryKeyring) -> None:
    keys = Keys()
    keys.put(connection(), SECRET)
    keys.forget(connection())
    keys.forget(connection())
    assert not ring.kept
    with pytest.raises(KeyMissing, match="no key for the connection work in the keyring"):
        keys.get(connection())


def test_a_key_for_this_session_is_in_memory_alone(ring: MemoryKeyring) -> None:
    keys = Keys()
    assert keys.put(connection("session"), SECRET, "session") == "session"
    assert keys.get(connection("session")) == SECRET
    assert not ring.kept
    assert "this session only" in keys.state(connection("session")).sentence
    with pytest.raises(KeyMissing, match="one session only"):
        Keys().get(connection("session"))


def test_an_environment_variable_is_read_when_the_key_is_used() -> None:
    environment: dict[str, str] = {}
    keys = Keys(environment)
    with pytest.raises(KeyMissing, match="environment variable MY_KEY, which is not set"):
        keys.get(connection("env:MY_KEY"))
    environment["MY_KEY"] = SECRET
    assert keys.get(connection("env:MY_KEY")) == SECRET
    assert keys.state(connection("env:MY_KEY")).present


def test_a_server_without_a_key_needs_none_and_asks_no_keyring() -> None:
    keyring.set_keyring(RefusingKeyring())
    assert Keys().get(connection("none")) is None
    assert Keys().state(connection("none")).present


@pytest.mark.parametrize("secret", ["", "  \n", "two words", "line\nbreak", "sk-ä", "sk-\u200b1234"])
def test_what_no_header_can_carry_is_refused_without_being_shown(ring: MemoryKeyring, secret: str) -> None:
    with pytest.raises(InputError) as caught:
        Keys().put(connection(), secret)
    assert not ring.kept
    assert not secret.strip() or secret not in str(caught.value)


def test_no_keyring_means_a_reason_and_nothing_kept() -> None:
    keyring.set_keyring(keyring.backends.fail.Keyring())
    keys = Keys()
    places = keys.available()
    assert not places.keyring
    assert "no keyring that can be reached" in places.reason
    with pytest.raises(KeyringUnusable):
        keys.put(connection(), SECRET)
    with pytest.raises(KeyMissing, match="for this session, or in an environment variable"):
        keys.get(connection())


def test_the_null_keyring_is_refused() -> None:
    keyring.set_keyring(keyring.backends.null.Keyring())
    assert "keeps nothing" in Keys().available().reason
    with pytest.raises(KeyringUnusable):
        Keys().put(connection(), SECRET)


def plaintext_keyring() -> MemoryKeyring:
    """What keyrings.alt installs, by its module's name; it is not installed here."""
    made = type("PlaintextKeyring", (MemoryKeyring,), {"__module__": "keyrings.alt.file"})
    return made()  # type: ignore[no-any-return]


def test_a_keyring_that_writes_readable_files_is_refused() -> None:
    plain = plaintext_keyring()
    keyring.set_keyring(plain)
    assert "readable into a file" in Keys().available().reason
    with pytest.raises(KeyringUnusable):
        Keys().put(connection(), SECRET)
    assert not plain.kept


def test_of_several_keyrings_the_readable_file_is_never_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    plain, good = plaintext_keyring(), MemoryKeyring()
    monkeypatch.setattr(keyring.backends.chainer.ChainerBackend, "backends", [plain, good])
    keyring.set_keyring(keyring.backends.chainer.ChainerBackend())
    Keys().put(connection(), SECRET)
    assert good.kept and not plain.kept


def test_a_keyring_that_cuts_keys_short_is_found_out() -> None:
    keyring.set_keyring(ForgetfulKeyring())
    with pytest.raises(KeyringUnusable, match="did not give it back unchanged"):
        Keys().put(connection(), SECRET)


def test_what_a_keyring_says_is_not_repeated() -> None:
    keyring.set_keyring(RefusingKeyring())
    with pytest.raises(KeyringUnusable, match="locked") as caught:
        Keys().put(connection(), SECRET)
    assert SECRET not in str(caught.value)
    assert "locked" in Keys().state(connection()).sentence


def test_a_locked_keyring_is_not_waited_for_and_works_once_it_is_open() -> None:
    locked = LockedKeyring()
    locked.kept["graphrag-explorer", "work"] = SECRET
    keyring.set_keyring(locked)
    keys = Keys(limit=0.2)
    before = set(threading.enumerate())
    for _ in range(2):  # the second is refused at once: one question is enough for the person
        with pytest.raises(KeyMissing, match="does not answer"):
            keys.get(connection())
    (asking,) = set(threading.enumerate()) - before
    assert asking.name == "keyring"
    locked.unlock.set()
    asking.join(120)
    assert not asking.is_alive()
    keys._keyring._limit = 120.0  # what is open answers at once, but a busy machine may need longer than 0.2 s for it
    assert keys.get(connection()) == SECRET


def test_a_locked_keyring_does_not_keep_the_program_from_ending() -> None:
    program = (
        "import keyring, threading\n"
        "from keyring.backend import KeyringBackend\n"
        "class Stuck(KeyringBackend):\n"
        "    priority = 1\n"
        "    def get_password(self, service, username): threading.Event().wait()\n"
        "    def set_password(self, service, username, password): threading.Event().wait()\n"
        "    def delete_password(self, service, username): threading.Event().wait()\n"
        "keyring.set_keyring(Stuck())\n"
        "from explorer.models.keyring_worker import KeyringUnusable, KeyringWorker\n"
        "try: KeyringWorker(0.1).get('work')\n"
        "except KeyringUnusable as error: print(error.sentence)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    assert "does not answer" in done.stdout


def test_keys_are_not_shown_and_not_copied(ring: MemoryKeyring) -> None:
    keys = Keys()
    keys.put(connection("session"), SECRET, "session")
    assert SECRET not in repr(keys)
    with pytest.raises(TypeError):
        pickle.dumps(keys)


@pytest.mark.parametrize("before", ["", "a", "ab", "user:", "Bearer "])
@pytest.mark.parametrize("after", ["", "x", "yz"])
def test_a_key_is_hidden_in_every_spelling(before: str, after: str) -> None:
    coded = base64.b64encode(f"{before}{SECRET}{after}".encode()).decode()
    web = base64.urlsafe_b64encode(f"{before}{SECRET}{after}".encode()).decode()
    quoted = urllib.parse.quote(SECRET, safe="")
    text = hide_key(f"{before}{SECRET}{after} {coded} {web} {quoted}", SECRET)
    assert text.count(HIDDEN) == 4
    assert SECRET not in text and quoted not in text


def test_what_an_error_says_is_cleaned_with_all_that_it_came_from() -> None:
    try:
        try:
            raise ValueError("illegal header", f"Bearer {SECRET}".encode())
        except ValueError as inner:
            raise RuntimeError(f"cannot send {SECRET}") from inner
    except RuntimeError as error:
        clean_error(error, SECRET)
        assert SECRET not in "".join(traceback.format_exception(error))
        assert str(error) == f"cannot send {HIDDEN}"
        assert error.__cause__.args[0] == "illegal header"


def test_words_that_pass_for_keys_are_left_in_texts() -> None:
    assert hide_key("the ollama server", "ollama") == "the ollama server"
    assert hide_key("nothing to hide", None) == "nothing to hide"


_REAL = """
import keyring, sys
from explorer.models.connection import Connection
from explorer.models.keys import Keys
connection = Connection(name="work", kind="openai")
print(type(keyring.get_keyring()).__module__, Keys().available())
step = sys.argv[1]
if step == "put":
    Keys().put(connection, sys.stdin.read())
elif step == "get":
    print(Keys().get(connection))
else:
    Keys().forget(connection)
    print(Keys().state(connection).sentence)
"""


def test_a_real_secret_service_keeps_a_key_between_two_programs(tmp_path) -> None:
    """dbus-run-session and gnome-keyring, with a keyring and a home of their own."""
    for program in ("dbus-run-session", "gnome-keyring-daemon"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed (packages dbus and gnome-keyring)")
    script = tmp_path / "step.py"
    script.write_text(_REAL)
    python = f"'{sys.executable}' '{script}'"
    line = (
        "echo -n pw | gnome-keyring-daemon --unlock --components=secrets >/dev/null; "
        f"printf %s '{SECRET}' | {python} put && {python} get && {python} forget"
    )
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("PYTHON_KEYRING", "DBUS_"))},
        "HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data"),
        "XDG_CACHE_HOME": str(tmp_path / "cache"), "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "PYTHONPATH": str(Path.cwd()),
    }  # fmt: skip
    environment.pop("DISPLAY", None)
    done = subprocess.run(
        ["dbus-run-session", "--", "bash", "-c", line], capture_output=True, text=True, timeout=240, env=environment
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("keyring.backends.SecretService KeyPlaces(keyring=True")
    assert SECRET in lines
    assert lines[-1].startswith("There is no key for the connection work in the keyring.")


def test_one_worker_serves_one_call_at_a_time(ring: MemoryKeyring) -> None:
    worker = KeyringWorker()
    failures: list[BaseException] = []

    def use(number: int) -> None:
        try:
            worker.put(f"c{number}", f"secret-{number}")
            assert worker.get(f"c{number}") == f"secret-{number}"
        except (KeyringUnusable, AssertionError) as error:
            failures.append(error)

    threads = [threading.Thread(target=use, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert len(ring.kept) == 8
