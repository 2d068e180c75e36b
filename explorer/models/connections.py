"""The connections that the user set up, in one readable file of the user data directory. No key is in it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from filelock import FileLock, Timeout
from pydantic import ValidationError

from explorer.base.errors import BusyError, InputError
from explorer.base.files import storage_error, write_text_atomic
from explorer.base.paths import user_data_dir
from explorer.models.connection import OFFLINE, Connection, ReplyMode

_KEY = re.compile(r"keyring|session|none|env:[A-Za-z_][A-Za-z0-9_]*")
# Parameters in which a secret would be kept readable.
_SECRETS = re.compile(r"(extra_)?headers|(extra_)?query|.*api.?key|.*authorization|.*_token|.*password|.*secret", re.I)


def connections_file() -> Path:
    """Where connections are kept."""
    return user_data_dir() / "connections.json"


def load_connections() -> dict[str, Connection]:
    """The connections by name, in the order in which they were added; those that cannot be read are left out
    (`unreadable_connections` names them).

    Raises InputError where the whole file cannot be read.
    """
    found: dict[str, Connection] = {}
    for entry in _entries():
        try:
            connection = Connection.model_validate(entry)
        except ValidationError:
            continue
        found[connection.name] = connection
    return found


def unreadable_connections() -> dict[str, str]:
    """Entries of the file that are no connections (of a newer version, or edited by hand): name → what is wrong."""
    wrong: dict[str, str] = {}
    for place, entry in enumerate(_entries(), start=1):
        try:
            Connection.model_validate(entry)
        except ValidationError as error:
            name = entry.get("name") if isinstance(entry, dict) else None
            wrong[str(name or f"entry {place}")] = problem_words(error)
    return wrong


def find_connection(name: str) -> Connection:
    """The connection of a name. Raises InputError that names those there are."""
    known = load_connections()
    if name in known:
        return known[name]
    wrong = unreadable_connections().get(name)
    if wrong is not None:
        raise InputError(f"The connection {name} in {connections_file()} cannot be used: {wrong}.")
    names = ", ".join([OFFLINE, *known])
    raise InputError(
        f"There is no connection named {name!r}. Known: {names}. Set one up with: graphrag-explorer connections add."
    )


def save_connection(connection: Connection, *, was: str | None = None) -> None:
    """Keep a connection under its name, in the place of the one that had it (or of `was`, where it is renamed).

    Raises InputError where it would put a secret into the file, or where `was` is renamed to a name that is taken.
    """
    refuse_secrets(connection)
    with _writing() as entries:
        old = connection.name if was is None else was
        names = [entry.get("name") if isinstance(entry, dict) else None for entry in entries]
        if connection.name != old and connection.name in names:
            raise InputError(f"There is a connection named {connection.name} already; choose another name.")
        row = connection.model_dump(mode="json", exclude_defaults=True)
        if old in names:
            entries[names.index(old)] = row
        else:
            entries.append(row)


def remove_connection(name: str) -> None:
    """Take a connection out of the file (`Keys.forget` drops its key). Raises InputError where it is not there."""
    with _writing() as entries:
        kept = [entry for entry in entries if not (isinstance(entry, dict) and entry.get("name") == name)]
        if len(kept) == len(entries):
            raise InputError(f"There is no connection named {name!r}; nothing was removed.")
        entries[:] = kept


def remember_reply_mode(connection: Connection, mode: ReplyMode) -> bool:
    """Keep with a saved connection which way to ask for JSON has worked.

    False where it is not saved, or was given another address or model since: what worked may then not hold.
    """
    saved = load_connections().get(connection.name)
    if saved is None or (saved.base_url, saved.chat_model) != (connection.base_url, connection.chat_model):
        return False
    if saved.reply_mode != mode:
        save_connection(saved.model_copy(update={"reply_mode": mode}))
    return True


def refuse_secrets(connection: Connection) -> None:
    """Raises InputError where something of a connection would put a secret into a file that anyone can read."""
    if _KEY.fullmatch(connection.key) is None:
        raise InputError(
            "A connection says only where its key is: keyring, session, none, or env: and the name of an environment "
            "variable (letters, digits and underscores). The key itself is never part of it."
        )
    try:
        address = urlsplit(connection.base_url)
    except ValueError:
        raise InputError("The address of the server cannot be read; it looks like https://host/v1.") from None
    if "@" in address.netloc or address.query or address.fragment:
        raise InputError(
            "The address of the server holds a user name, a password or parameters after a question mark; these could "
            "be secrets and would be kept readable. Give the address alone, and the key as the key."
        )
    for parameters in (connection.parameters, *connection.stage_parameters.values()):
        for name in parameters:
            if _SECRETS.fullmatch(name):
                raise InputError(
                    f"The parameter {name} could hold a secret and would be kept readable; it was not saved. "
                    "Give the key as the key of the connection."
                )


def problem_words(error: ValidationError) -> str:
    """What pydantic found wrong, in a few words; the values themselves are not repeated."""
    parts = []
    for problem in error.errors(include_input=False, include_url=False, include_context=False):
        where = ".".join(str(step) for step in problem["loc"])
        message = str(problem["msg"]).removeprefix("Value error, ")
        parts.append(f"{where}: {message}" if where else message)
    return "; ".join(parts)


def _entries() -> list[Any]:
    path = connections_file()
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise InputError(f"{path} cannot be read ({reason}); it was left as it is.") from error
    try:
        value = json.loads(text)
        entries = value["connections"]
    except (ValueError, KeyError, TypeError) as error:
        raise _damaged(path) from error
    if not isinstance(entries, list):
        raise _damaged(path)
    return entries


def _damaged(path: Path) -> InputError:
    return InputError(f"{path} is damaged and was left as it is. Mend it, or move it away to set up connections anew.")


@contextmanager
def _writing() -> Iterator[list[Any]]:
    """The entries to be changed in place; written when the body ends well. Two programs take turns."""
    path = connections_file()
    lock = FileLock(path.with_suffix(".lock"))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=5)
    except Timeout as error:
        raise BusyError(f"Another program is writing {path}; nothing was changed. Try again.") from error
    except OSError as error:
        raise storage_error(path, error) from error
    try:
        entries = _entries()
        yield entries
        write_text_atomic(path, json.dumps({"connections": entries}, indent=2, ensure_ascii=False) + "\n")
    finally:
        lock.release()
