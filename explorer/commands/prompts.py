"""prompts INDEX: which prompts an index is asked with, and those of its GraphRAG project, offered and taken over."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.base.errors import InputError
from explorer.commands.output import write_json, write_line, write_message
from explorer.commands.paths import typed_path

if TYPE_CHECKING:
    from explorer.analysts.prompt_files import PromptText
    from explorer.analysts.prompt_offers import PromptOffer

_ALL = "all"


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "prompts",
        help="the prompts of an index, and those that its GraphRAG project offers",
        description="List the prompts that a model is sent for an index, or for a folder that is to be indexed, and "
        "those of the GraphRAG project it belongs to. None of these is used until it is taken over.",
    )
    parser.add_argument("path", type=typed_path, metavar="INDEX", help="an index, a project root, or a folder to index")
    parser.add_argument("--index", type=typed_path, metavar="DIR", help="where the index is kept, if not in its folder")
    parser.add_argument(
        "--take-over",
        action="append",
        default=[],
        metavar="NAME",
        help="use the project's prompt, by its name or that of its file (all: each that can)",
    )
    parser.add_argument(
        "--restore",
        action="append",
        default=[],
        metavar="NAME",
        help="use the prompt that ships again (or all)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Change what is asked for, then print; 0 when done, 1 where a prompt that was named could not be taken over.

    Raises InputError for a name that is no prompt, StorageError where a prompt cannot be written.
    """
    from explorer.analysts.prompt_files import load_prompts, restore_prompt
    from explorer.analysts.prompt_offers import find_offers
    from explorer.analysts.prompts import prompt_names
    from explorer.indexing.project_prompts import prompts_place

    place = prompts_place(arguments.path, arguments.index)
    names = prompt_names()
    offers = find_offers(place.settings, place.folder, foreign=place.foreign)
    files = {offer.path.name for offer in offers}
    for name in (*arguments.take_over, *arguments.restore):
        if name not in (*names, _ALL) and not (name in arguments.take_over and name in files):
            raise InputError(f"There is no prompt {name!r}; there are {', '.join(names)}. Nothing was changed.")
    for name in dict.fromkeys(names if _ALL in arguments.restore else arguments.restore):
        restore_prompt(place.folder, name)
    offers = find_offers(place.settings, place.folder, foreign=place.foreign)
    if arguments.take_over and not any(offer.name for offer in offers):
        raise InputError(f"No GraphRAG project with prompts belongs to {arguments.path}; none was taken over.")
    refused = sum(_take(name, offers, place.folder) for name in dict.fromkeys(arguments.take_over))
    offers = find_offers(place.settings, place.folder, foreign=place.foreign)
    _write(arguments.json, load_prompts(place.folder), offers)
    return 1 if refused else 0


def _take(name: str, offers: Sequence[PromptOffer], folder: Path) -> int:
    """Take one prompt over, or all that can be; gives how many that were named could not."""
    from explorer.analysts.prompt_offers import take_over

    if name == _ALL:
        for offer in offers:
            if not offer.wrong:
                take_over(folder, offer)
        return 0
    named = [offer for offer in offers if name in (offer.name, offer.path.name)]
    if not named:
        write_message(f"The project has no prompt of its own for {name}; the one in use stays.")
    for offer in named:  # a project may use one file for two purposes
        if offer.wrong:
            write_message(f"{offer.path.name} was not taken over as {offer.name or offer.use}: {offer.wrong}")
        else:
            take_over(folder, offer)
    return 1 if not named or any(offer.wrong for offer in named) else 0


def _write(as_json: bool, prompts: Sequence[PromptText], offers: Sequence[PromptOffer]) -> None:
    from explorer.analysts.prompt_offers import MEANING

    if as_json:
        write_json(
            {
                "prompts": [
                    {"name": prompt.name, "edited": prompt.edited, "fields": prompt.fields, "wrong": prompt.wrong}
                    for prompt in prompts
                ],
                "offers": [
                    {
                        "name": offer.name, "file": str(offer.path), "fills": offer.fills, "added": offer.added,
                        "wrong": offer.wrong, "taken": offer.taken,
                    }
                    for offer in offers
                ],
            }
        )  # fmt: skip
        return
    for prompt in prompts:
        state = "cannot be used" if prompt.wrong else "edited" if prompt.edited else "as it ships"
        write_line(f"{prompt.name:<18} {state}{': ' + prompt.wrong if prompt.wrong else ''}")
    if not offers:
        return
    write_line()
    write_line("The GraphRAG project has prompts of its own. None is used until it is taken over (--take-over NAME).")
    for offer in offers:
        write_line(f"{offer.path.name}: {offer.words}")
    write_line(MEANING)
