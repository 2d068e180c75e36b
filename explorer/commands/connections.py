"""connections list|add|test|remove|find: the language models that this program may use, and whether they work.

A key is never an argument (it would stand in the shell's history and in the list of processes): it comes from a hidden
prompt, from stdin, from the keyring or from an environment variable.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from explorer.base.errors import ExplorerError, InputError
from explorer.commands.connection_fields import add_field_options, read_connection
from explorer.commands.output import write_json, write_line, write_message, write_table

if TYPE_CHECKING:
    from explorer.models.check_report import CheckLine
    from explorer.models.connection import Connection

_OFFLINE = "offline"
_MARKS = {"right": "ok   ", "note": "note ", "wrong": "WRONG"}


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("connections", help="language models: list, add, test, remove, find local servers")
    does = parser.add_subparsers(title="what to do", metavar="WHAT", required=True)
    listing = does.add_parser("list", help="the connections that are set up")
    listing.set_defaults(run=_list)
    adding = does.add_parser("add", help="set up a connection, or change one with --replace")
    adding.add_argument("name", metavar="NAME")
    add_field_options(adding)
    _add_key_options(adding)
    adding.add_argument("--replace", action="store_true", help="change the connection of that name")
    adding.set_defaults(run=_add)
    testing = does.add_parser("test", help="one chat and one embedding call; says in words what is wrong")
    testing.add_argument("name", metavar="NAME")
    testing.set_defaults(run=_test)
    removing = does.add_parser("remove", help="take a connection away, and its key out of the keyring")
    removing.add_argument("name", metavar="NAME")
    removing.set_defaults(run=_remove)
    finding = does.add_parser("find", help="servers of language models that run on this machine now")
    finding.set_defaults(run=_find)
    for one in (listing, adding, testing, removing, finding):
        one.add_argument("--json", action="store_true", help="print one JSON object")


def _add_key_options(parser: argparse.ArgumentParser) -> None:
    keys = parser.add_mutually_exclusive_group()
    keys.add_argument("--key-env", metavar="VARIABLE", help="read the key from this environment variable when needed")
    keys.add_argument("--no-key", action="store_true", help="the server asks for no key (so on this machine)")
    keys.add_argument("--key-stdin", action="store_true", help="read the key from stdin and keep it in the keyring")
    keys.add_argument("--key-kept", action="store_true", help="the key is in the keyring already: do not ask for it")


def _list(arguments: argparse.Namespace) -> int:
    """Print the connections; 0. Raises InputError where their file cannot be read."""
    from explorer.models.connections import load_connections, unreadable_connections

    known = load_connections()
    wrong = unreadable_connections()
    if arguments.json:
        rows = [{"name": _OFFLINE}, *(connection.model_dump(mode="json") for connection in known.values())]
        write_json({"connections": rows, "unreadable": wrong})
        return 0
    table = [(_OFFLINE, "", "", "", "", "")]
    for connection in known.values():
        address = connection.base_url or "OpenAI"
        mode = connection.reply_mode or "not tested"
        table.append(
            (connection.name, address, connection.chat_model, connection.embedding_model, connection.key, mode)
        )
    write_table(("name", "address", "chat model", "embedding model", "key", "JSON"), table)
    for name, reason in wrong.items():
        write_message(f"The connection {name} cannot be used and was left as it is: {reason}.")
    return 0


def _add(arguments: argparse.Namespace) -> int:
    """Save a connection, and its key in the keyring; 0. Raises InputError where a field or the key is wrong."""
    from explorer.models.connections import load_connections, refuse_secrets, save_connection
    from explorer.models.keys import Keys
    from explorer.models.open_client import is_local, server_address

    old = load_connections().get(arguments.name)
    if old is not None and not arguments.replace:
        raise InputError(
            f"There is a connection named {arguments.name} already; nothing was changed. Add --replace to change it."
        )
    connection = read_connection(arguments, old)
    secret: str | None = None
    if arguments.key_env is not None:
        connection = connection.model_copy(update={"key": f"env:{arguments.key_env}"})
    elif arguments.no_key:
        connection = connection.model_copy(update={"key": "none"})
    elif arguments.key_stdin:
        secret = sys.stdin.readline()
    elif old is None and not arguments.key_kept and is_local(connection.base_url):
        connection = connection.model_copy(update={"key": "none"})  # and the sentence at the end says so
    elif old is None and not arguments.key_kept and sys.stdin.isatty():
        secret = _ask_key(connection)
    if secret is not None or arguments.key_kept:
        connection = connection.model_copy(update={"key": "keyring"})
    refuse_secrets(connection)
    server_address(connection)
    keys = Keys()
    if secret is not None:
        try:
            keys.put(connection, secret)
        except InputError:
            raise
        except ExplorerError as error:
            raise InputError(
                f"{error.sentence} Nothing was saved. Put the key into an environment variable and name it with "
                "--key-env, or enter it in the window for one session."
            ) from None
    save_connection(connection)
    state = keys.state(connection)
    if arguments.json:
        write_json(
            {"connection": connection.model_dump(mode="json"), "key": state.sentence, "key_found": state.present}
        )
    else:
        write_line(f"{connection.name} is set up. {state.sentence}")
        write_line(f"Try it with: graphrag-explorer connections test {connection.name}")
    return 0


def _ask_key(connection: Connection) -> str:
    import getpass

    return getpass.getpass(f"Key for {connection.name} (not shown; it goes into the keyring): ", stream=sys.stderr)


def _test(arguments: argparse.Namespace) -> int:
    """Test a connection; 0 where all is right, 1 where something is wrong. Raises InputError for an unknown name or a
    key that is not there."""
    import asyncio

    from explorer.models.check_connection import check_connection
    from explorer.models.connections import find_connection, remember_reply_mode
    from explorer.models.keys import Keys

    if arguments.name == _OFFLINE:
        raise InputError(
            "The offline analyst needs no test: it calls no model. graphrag-explorer index says its grade."
        )
    connection = find_connection(arguments.name)
    key = Keys().get(connection)

    def show(line: CheckLine) -> None:
        if not arguments.json:
            write_line(f"{_MARKS[line.state]}  {line.sentence}")

    report = asyncio.run(check_connection(connection, key, say=show))
    if report.reply_mode is not None:
        remember_reply_mode(connection, report.reply_mode)
    if arguments.json:
        write_json(report.as_dict())
    else:
        write_line(
            f"\n{connection.name} can be used." if report.ok else f"\n{connection.name} cannot be used as it is."
        )
    return 0 if report.ok else 1


def _remove(arguments: argparse.Namespace) -> int:
    """Remove a connection and its key; 0. Raises InputError where there is none of that name."""
    from explorer.models.connections import load_connections, remove_connection
    from explorer.models.keys import Keys

    connection = load_connections().get(arguments.name)
    remove_connection(arguments.name)
    kept = ""
    if connection is not None:
        try:
            Keys().forget(connection)
        except ExplorerError as error:
            kept = f"{error.sentence} If a key of {arguments.name} is in it, it is still there."
            write_message(kept)
    if arguments.json:
        write_json({"removed": arguments.name, "key": kept or "removed"})
    else:
        write_line(f"{arguments.name} was removed.")
    return 0


def _find(arguments: argparse.Namespace) -> int:
    """Print the servers that run on this machine; 0."""
    from explorer.models.local_servers import PORTS, find_local_servers

    servers = find_local_servers()
    if arguments.json:
        rows = [
            {
                "name": server.name,
                "base_url": server.base_url,
                "models": list(server.models),
                "needs_key": server.needs_key,
            }
            for server in servers
        ]
        write_json({"servers": rows})
        return 0
    if not servers:
        usual = ", ".join(f"{name} {port}" for port, name in PORTS.items())
        write_line(f"No server answers on the usual ports of this machine ({usual}).")
    for server in servers:
        models = ", ".join(server.models) or ("it asks for a key" if server.needs_key else "it has no models yet")
        write_line(f"{server.name}  {server.base_url}  {models}")
        chat = server.as_connection().chat_model
        write_line(
            f"  graphrag-explorer connections add '{server.name}' --base-url {server.base_url}"
            f"{f' --chat-model {chat}' if chat else ''}{'' if server.needs_key else ' --no-key'}"
        )
    return 0
