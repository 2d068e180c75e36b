"""The prompts of one folder on disk: the edited ones beside its index, the shipped ones for the others."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from explorer.base.errors import InputError
from explorer.base.files import storage_error, write_text_atomic


@dataclass(frozen=True)
class PromptText:
    """A prompt as it holds in a folder. `wrong` says why an edited one that lies there cannot be used."""

    name: str
    text: str
    fields: tuple[str, ...]
    edited: bool = False
    wrong: str = ""


def load_prompts(folder: Path | None) -> list[PromptText]:
    """Every prompt as it holds with the edited ones of a folder; None is: as they ship."""
    from explorer.analysts.prompts import prompt_names

    return [_load(folder, name) for name in prompt_names()]


def keep_prompt(folder: Path, name: str, text: str) -> PromptText:
    """Keep an edited prompt. Raises InputError where it lost a field or has one that nothing fills, StorageError where
    it cannot be written. A text that is the shipped one takes the edited one away."""
    from explorer.analysts.prompts import LONGEST, check_prompt, prompt_fields, shipped_text

    text = text.rstrip("\n")
    if len(text) > LONGEST:
        raise InputError(f"The prompt has more than {LONGEST:,} characters; it was not kept.")
    if text == shipped_text(name):
        return restore_prompt(folder, name)
    check_prompt(name, text)
    write_text_atomic(folder / f"{name}.txt", f"{text}\n")
    return PromptText(name, text, prompt_fields(name), True)


def restore_prompt(folder: Path, name: str) -> PromptText:
    """Take an edited prompt away. Raises StorageError where its file cannot be removed."""
    path = folder / f"{name}.txt"
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise storage_error(path, error) from error
    return _load(None, name)


def _load(folder: Path | None, name: str) -> PromptText:
    from explorer.analysts.prompts import check_prompt, prompt_fields, shipped_text

    fields = prompt_fields(name)
    path = None if folder is None else folder / f"{name}.txt"
    if path is None or not path.is_file():
        return PromptText(name, shipped_text(name), fields)
    try:
        text = path.read_text("utf-8").rstrip("\n")
    except (OSError, UnicodeDecodeError):
        return PromptText(name, shipped_text(name), fields, True, f"{path} cannot be read; restore the shipped prompt.")
    try:
        check_prompt(name, text)
    except InputError as error:
        return PromptText(name, text, fields, True, error.sentence)
    return PromptText(name, text, fields, text != shipped_text(name))
