"""Counts, sizes, times and stages as the window says them."""

from __future__ import annotations

from explorer.base.words import counted

STAGE_WORDS = {
    "open": "Reading the tables",
    "read": "Reading files",
    "chunk": "Cutting into text units",
    "extract": "Finding entities",
    "describe": "Joining descriptions",
    "graph": "Building the graph",
    "communities": "Finding communities",
    "reports": "Writing reports",
    "finish": "Writing the tables",
    "positions": "Placing communities",
    "vectors": "Making vectors",
    "names": "Looking for names",
    "rehearse": "Rehearsing the run",
    "map": "Reading reports",
    "reduce": "Writing the answer",
}


def stage_words(stage: str) -> str:
    """A stage by its name in events, as a person would say it."""
    return STAGE_WORDS.get(stage, stage.replace("_", " ").capitalize())


def count(number: int, one: str, many: str = "") -> str:
    """1 file, 2 files, 12,345 files."""
    return counted(number, one, many)


def size(number: int) -> str:
    """Bytes in the unit that gives one to three digits before the point."""
    value = float(number)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000 or unit == "GB":
            return f"{value:.0f} {unit}" if unit == "B" or value >= 100 else f"{value:.1f} {unit}"
        value /= 1000
    return ""


def duration(seconds: float) -> str:
    """0.4 s, 12 s, 3 min 05 s, 2 h 10 min."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def counts(numbers: dict[str, int]) -> str:
    """The counts of a stage in one line; zeros are left out."""
    return " · ".join(counted(number, *_forms(name.replace("_", " "))) for name, number in numbers.items() if number)


def _forms(many: str) -> tuple[str, str]:
    """A name in the singular and in the plural: of "text units failed" the first word in the plural is changed."""
    words = many.split(" ")
    if words[0] == "entity":  # "entity without relationship" is kept in the singular
        return many, " ".join(["entities", *words[1:]])
    for place, word in enumerate(words):
        if word.endswith("ies") and word != "series":
            words[place] = f"{word[:-3]}y"
        elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
            words[place] = word[:-1]
        else:
            continue
        break
    return " ".join(words), many


def money(cost: float | None) -> str:
    """US dollars as a person reads them; "unknown" where a price is, and never 0 for that."""
    if cost is None:
        return "unknown"
    if cost == 0:
        return "$0"
    if cost < 0.01:
        return f"${cost:.4f}" if cost >= 0.0001 else "<$0.0001"
    return f"${cost:,.2f}"


def money_range(cost: tuple[float, float] | None) -> str:
    """$0.41 to $0.62, or one figure, or "unknown"."""
    if cost is None:
        return "unknown"
    low, high = (money(value) for value in cost)
    return low if low == high else f"{low} to {high}"


def number_range(value: int | tuple[int, int]) -> str:
    """1,200, or 800 to 1,500."""
    return f"{value:,}" if isinstance(value, int) else f"{value[0]:,} to {value[1]:,}"
