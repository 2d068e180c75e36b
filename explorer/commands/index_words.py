"""A run of indexing in words: files, calls and money, what the index holds, what there is to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from explorer.base.events import CapReached
from explorer.base.fate_words import fate_words
from explorer.base.words import agree, counted, share
from explorer.commands.output import write_line
from explorer.indexing.pilot_result import PilotResult
from explorer.indexing.summary import IndexSummary, StageCalls

_SHOWN = 10  # files that are named in words; --json names all


def write_words(summary: IndexSummary) -> None:
    """The summary of a whole run."""
    write_files(summary)
    _write_remarks(summary)
    claims = f", {counted(summary.claims, 'claim')}" if summary.claims else ""
    write_line(
        f"{counted(summary.documents, 'document')}, {counted(summary.text_units, 'text unit')}, "
        f"{counted(summary.entities, 'entity', 'entities')}, {counted(summary.relationships, 'relationship')}{claims}"
    )
    levels = ", ".join(f"{number} at level {level}" for level, number in summary.communities.items()) or "none"
    write_line(f"Communities: {levels}; {counted(summary.reports, 'report')}")
    _write_vectors(summary)
    seconds = sum(summary.seconds.values())
    write_line(f"Index: {summary.index} ({seconds:.1f} s)")


def write_where(folder: Path, summary: IndexSummary) -> None:
    """How to open this index, where the folder itself opens another: the tables that GraphRAG made of it."""
    from explorer.base.errors import OpenError
    from explorer.tables.locate import locate

    try:
        opened = locate(folder)
    except OpenError:
        return
    if opened.foreign and opened.home != Path(summary.index):
        write_line(f"{folder} opens GraphRAG's own tables in {opened.output}; name {summary.index} to open this index.")


def write_files(summary: IndexSummary) -> None:
    """What became of the files, and the reason of each that was not read."""
    files = summary.files
    write_line(
        f"Files: {files.indexed} indexed, {files.unchanged} unchanged, {len(files.skipped)} skipped, "
        f"{len(files.failed)} failed"
    )
    for word, items in (("skipped", files.skipped), ("failed", files.failed)):
        for item in items[:_SHOWN]:
            write_line(f"  {word}: {item.path} — {item.reason}")
        if len(items) > _SHOWN:
            write_line(f"  … and {len(items) - _SHOWN} more {word} (--json names them all)")


def write_calls(calls: Mapping[str, StageCalls]) -> None:
    """Calls, tokens and money by stage, and together. Stages that made no call are left out."""
    made = {stage: sums for stage, sums in calls.items() if sums.count}
    for stage, sums in made.items():
        write_line(f"  {stage}: {_sums(sums)}")
    if len(made) > 1:
        write_line(f"  together: {_sums(together(made))}")
    elif not made:
        write_line("  no call was needed")


def write_failures(summary: IndexSummary) -> None:
    """Calls that gave nothing, by stage and reason, and what to do."""
    if not summary.failures:
        return
    count = len(summary.failures)
    write_line(f"{_calls(count)} gave nothing; the next run makes {'it' if count == 1 else 'them'} again:")
    reasons = Counter((call.stage, call.error or fate_words(str(call.fate))) for call in summary.failures)
    shown = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    for (stage, reason), number in shown[:_SHOWN]:
        write_line(f"  {stage}: {number} × {reason}")
    if len(shown) > _SHOWN:
        write_line(f"  … and {len(shown) - _SHOWN} more (--json names them all)")


def write_pilot(pilot: PilotResult) -> None:
    """What a pilot saw: what it found a text unit, and what failed."""
    units = len(pilot.units)
    read = [unit for unit in pilot.units if not unit.failed]
    write_line(f"Pilot: {share(units, pilot.text_units, 'text unit')}, from {_files(pilot)}")
    if read:
        entities = sum(unit.entities for unit in read) / len(read)
        links = sum(unit.relationships for unit in read) / len(read)
        write_line(f"  a text unit names {entities:.1f} entities and {links:.1f} relationships")
    for unit in [unit for unit in pilot.units if unit.failed][:_SHOWN]:
        write_line(f"  failed: a text unit of {unit.path} — {unit.failed}")


def stopped_sentence(cap: CapReached, calls: Mapping[str, StageCalls]) -> str:
    """One sentence on a run that a cap ended: what was spent, what is kept, how to go on."""
    flag = "--" + cap.name.replace("_", "-")
    total = together(calls)
    return (
        f"Stopped at {flag} {cap.cap:g}: {_sums(total)}. Every reply is kept; the same command with a higher {flag} "
        "goes on from here and pays for nothing twice."
    )


def together(calls: Mapping[str, StageCalls]) -> StageCalls:
    """The sums over all stages."""
    made = [sums for sums in calls.values() if sums.count]
    costs = [sums.cost for sums in made]
    return StageCalls(
        count=sum(sums.count for sums in made),
        cached=sum(sums.cached for sums in made),
        failed=sum(sums.failed for sums in made),
        prompt_tokens=sum(sums.prompt_tokens for sums in made),
        output_tokens=sum(sums.output_tokens for sums in made),
        cost=None if None in costs else sum(cost for cost in costs if cost is not None),
        repaired=sum(sums.repaired for sums in made),
        malformed=sum(sums.malformed for sums in made),
        retries=sum(sums.retries for sums in made),
    )


def money(cost: float | None) -> str:
    """US dollars, or that no price is known."""
    if cost is None:
        return "cost unknown"
    return f"${cost:,.2f}" if cost >= 1 else f"${cost:.4f}"


def _sums(sums: StageCalls) -> str:
    parts = [_calls(sums.count)]
    extra = [
        f"{number:,} {word}"
        for number, word in (
            (sums.cached, fate_words("cached")),
            (sums.repaired, "repaired"),
            (sums.malformed, "malformed"),
            (sums.failed, "failed"),
            (sums.retries, agree(sums.retries, "retry", "retries")),
        )
        if number
    ]
    if extra:
        parts[0] += f" ({', '.join(extra)})"
    parts.append(f"{sums.prompt_tokens:,} + {sums.output_tokens:,} tokens")
    parts.append(money(sums.cost))
    return ", ".join(parts)


def _calls(number: int) -> str:
    return counted(number, "call")


def _files(pilot: PilotResult) -> str:
    number = len({unit.path for unit in pilot.units})
    return "one file" if number == 1 else f"{number:,} files"


def _write_vectors(summary: IndexSummary) -> None:
    vectors = summary.vectors
    if vectors is None:
        return
    if vectors.state == "made":
        rows = ", ".join(f"{number} of {table.replace('_', ' ')}" for table, number in vectors.rows.items() if number)
        write_line(f"Vectors: {rows or 'none'} ({vectors.model})")
    else:
        write_line(f"Vectors: {vectors.sentence}")


def _write_remarks(summary: IndexSummary) -> None:
    """What files that were read still lost or had changed: rows without text, a guessed encoding, failed calls."""
    from explorer.tables.index_file import FILE_NAME, load_info

    info = load_info(Path(summary.index))
    fated = {item.path for item in (*summary.files.skipped, *summary.files.failed)}
    remarks = [(path, file.reason) for path, file in (info.inputs if info else {}).items() if file.reason]
    remarks = [(path, reason) for path, reason in remarks if path not in fated]
    # What was lost before what was only changed.
    remarks.sort(key=lambda remark: " could not be read: " not in remark[1] and " skipped: " not in remark[1])
    for path, reason in remarks[:_SHOWN]:
        write_line(f"  of {path}: {reason}")
    if len(remarks) > _SHOWN:
        write_line(f"  … and remarks on {counted(len(remarks) - _SHOWN, 'more file')} ({FILE_NAME} holds them all)")
