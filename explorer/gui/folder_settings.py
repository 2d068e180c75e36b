"""What the GraphRAG project of a folder decides and offers before the folder is indexed. No Qt here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from explorer.analysts.prompt_offers import PromptOffer
    from explorer.indexing.options import IndexOptions
    from explorer.tables.settings_taken import Taken


@dataclass(frozen=True)
class FolderSettings:
    """`taken` are the values of settings.yaml that decide the run while `used`; `offers` the project's own prompts and
    `prompts` the folder where those that are taken over are kept; `models` what the settings name, in words."""

    taken: Taken
    prompts: Path
    offers: Sequence[PromptOffer] = ()
    models: str = ""
    used: bool = True

    @property
    def options(self) -> IndexOptions | None:
        """The options of the run; None for our defaults."""
        from explorer.indexing.project_settings import options_with

        return options_with(self.taken) if self.used and self.taken.values else None

    def with_used(self, used: bool) -> FolderSettings:
        return replace(self, used=used)


def may_have_settings(folder: Path) -> bool:
    """Whether a file of settings lies where one would count; asked before any is read."""
    from explorer.tables.settings import SETTINGS_NAMES

    places = (folder, folder.parent) if folder.name == "input" else (folder,)
    return any((place / name).is_file() for place in places for name in SETTINGS_NAMES)


def folder_settings(folder: Path, home: Path | None) -> FolderSettings | None:
    """Read them; None where the folder belongs to no GraphRAG project, or its settings say nothing of indexing and
    offer nothing. `home` is where the index is or will be, by default as `choose_home` says."""
    from explorer.analysts.prompt_offers import find_offers
    from explorer.analysts.prompts import PROMPTS_NAME
    from explorer.indexing.home import choose_home
    from explorer.indexing.project_settings import index_settings
    from explorer.tables.settings import settings_for_documents
    from explorer.tables.settings_words import model_words

    settings = settings_for_documents(folder)
    if settings is None:
        return None
    prompts = (home or choose_home(folder)[0]) / PROMPTS_NAME
    taken, offers = index_settings(settings), find_offers(settings, prompts)
    if not (taken.values or taken.left_out or offers):
        return None
    return FolderSettings(taken, prompts, offers, model_words(settings))
