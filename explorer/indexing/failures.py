"""What calls that gave nothing mean for the files they read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

from explorer.base.fates import FileFate
from explorer.corpus.material import TextUnit
from explorer.indexing.files import SettledFile

_SHOWN = 2  # reasons that a file names; the calls have them all


def settle_failures(
    files: Iterable[SettledFile], units: Iterable[TextUnit], failed_units: Mapping[str, str]
) -> tuple[list[SettledFile], list[SettledFile]]:
    """All files with their fates after extraction, and those of them that changed.

    `failed_units` says of each text unit that was not read why. A file of which some were not read is `indexed` with
    a reason; one of which none was is `failed`.
    """
    reasons: dict[str, Counter[str]] = {}
    for unit in units:
        if unit.id in failed_units:
            reasons.setdefault(unit.path, Counter())[failed_units[unit.id]] += 1
    settled, changed = [], []
    for file in files:
        found = reasons.get(file.path)
        if found:
            file = _settle(file, found)
            changed.append(file)
        settled.append(file)
    return settled, changed


def _settle(file: SettledFile, reasons: Counter[str]) -> SettledFile:
    failed = sum(reasons.values())
    common = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    why = "; ".join(_bare(reason) for reason, _ in common[:_SHOWN]) + ("; …" if len(common) > _SHOWN else "")
    whole = failed == file.text_units
    count = f"{failed:,} of {file.text_units:,} text units" if file.text_units > 1 else "its only text unit"
    sentence = f"{count} could not be read: {why}"
    return replace(
        file,
        fate=FileFate.FAILED if whole else FileFate.INDEXED,
        reason="; ".join(part for part in (sentence, file.reason) if part),
        failed_units=failed,
    )


def _bare(reason: str) -> str:
    return reason.strip().rstrip(".") or "no reason was given"
