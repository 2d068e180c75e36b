"""Whose prompts are meant: the index that a path opens as, or the folder of documents that is still to be indexed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from explorer.analysts.prompts import PROMPTS_NAME
from explorer.base.errors import InputError, OpenError
from explorer.indexing.home import choose_home
from explorer.tables.locate import locate, no_folder
from explorer.tables.settings import GraphragSettings, settings_for_documents, settings_of_index


@dataclass(frozen=True)
class PromptsPlace:
    """`folder` is where edited prompts lie or would lie; `settings` those of the GraphRAG project, None without one;
    `foreign` is an index that GraphRAG made, which is not indexed here."""

    folder: Path
    settings: GraphragSettings | None
    foreign: bool = False


def prompts_place(path: Path, index_dir: Path | None = None) -> PromptsPlace:
    """The prompts of an index, or of a folder that has none yet. Raises InputError where there is no such folder."""
    path = path.expanduser().absolute()
    try:
        located = locate(path, index_dir)
    except OpenError:
        if not path.is_dir():
            raise InputError(no_folder(path)) from None
        home = index_dir.expanduser().absolute() if index_dir is not None else choose_home(path)[0]
        return PromptsPlace(home / PROMPTS_NAME, settings_for_documents(path))
    settings = settings_of_index(located.root, located.output, located.folder)
    return PromptsPlace(located.home / PROMPTS_NAME, settings, located.foreign)
