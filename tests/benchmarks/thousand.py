"""A folder of many short documents, each one text unit, about people and places that have few namesakes."""

from __future__ import annotations

import os
import random
from pathlib import Path

_FIRST = (
    "Ada Bela Cora Dora Enno Falk Gesa Hauke Imke Jost Karla Levin Merle Nils Okka Piet Rieke Sönke Tjark Ubbo".split()
)
_START = "Al Ber Con Dor El Fal Gor Hal Ing Jor Kel Lan Mor Nor Os Pel Quin Ros Sten Tor Ul Ver Wen Yor Zan".split()
_END = "bach berg brook dale den field ford gate ham holm hurst land ley mark mere more ness port ridge stead".split()
_DEEDS = "paid met advised sued taught hired praised followed replaced succeeded painted visited".split()
_TIME = 1_700_000_000


def make_documents(folder: Path, count: int = 1000, seed: int = 1) -> Path:
    """Write `count` documents of 60 to 180 words; the same each time, file times included."""
    folder.mkdir(parents=True, exist_ok=True)
    chance = random.Random(seed)
    for number in range(count):
        path = folder / f"note-{number:04d}.txt"
        path.write_text(_document(chance, number), encoding="utf-8")
        os.utime(path, (_TIME, _TIME))
    return folder


def _document(chance: random.Random, number: int) -> str:
    place = f"{chance.choice(_START)}{chance.choice(_END)}"
    people = [
        f"{chance.choice(_FIRST)} {chance.choice(_START)}{chance.choice(_END)}{chance.choice('abcdeiknorst')}"
        for _ in range(chance.randint(3, 6))
    ]
    lines = [f"Note {number} from the town of {place}."]
    for _ in range(chance.randint(5, 14)):
        one, other = chance.sample(people, 2)
        lines.append(
            f"{one} {chance.choice(_DEEDS)} {other} in the {chance.randint(2, 30)}th week of the year "
            f"{chance.randint(1600, 2000)}, as the books of the town still tell."
        )
    return " ".join(lines) + "\n"
