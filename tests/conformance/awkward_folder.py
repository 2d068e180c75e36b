"""A small folder of texts that tables, CSV and prompts stumble over: delimiters, quotes, escapes, braces, scripts."""

from __future__ import annotations

import json
from pathlib import Path

_LETTER = (
    'Bruno "the Bear" Stein wrote to Clara Weiss | care of the Harbour Council.\r\n'
    "Clara Weiss kept the letter in C:\\papers\\new; Bruno Stein \\n meant no harm.\tThe Harbour Council read it.\n"
    '"Clara Weiss", said Anna Keller, "is {context_data} to Bruno Stein", and {0} {{more}} %s $HOME.\n'
    "Anna Keller met Bruno Stein at Old Quay. Old Quay belongs to the Harbour Council. <b>Anna Keller</b> & sons.\n"
)
_TOWN = (
    "Anna Keller ging mit Jürgen Groß über die Brücke. Jürgen Groß wohnt in Köln. Anna Keller fuhr nach Köln.\n"
    "Clara Weiss trägt 😀 ein Abzeichen; Bruno Stein sah Jürgen Groß in Köln. e\u0301 is not \u00e9.\n"
    "诸葛亮见刘备。刘备曰：\u201c孤之有孔明\u201d。 \u0645\u0631\u062d\u0628\u0627 Clara Weiss \u200bis here.\n"
)
_MISSING = (
    "NaN Nan met None Null at Old Quay. Nan Null and Clara Weiss spoke of N/A. Clara Weiss asked NA, Inc.\n"
    "True False works for the Harbour Council. 007 Bond saw Anna Keller. Anna Keller saw 007 Bond in Köln.\n"
)


def make_awkward_folder(folder: Path) -> Path:
    """Write the files; gives the folder."""
    folder.mkdir(parents=True)
    (folder / "letter.txt").write_bytes(_LETTER.encode())
    (folder / "town.md").write_text(f'---\ntitle: "Köln: a town"\ntags: [a, "b|c"]\n---\n{_TOWN}', encoding="utf-8")
    (folder / "missing, or \u2018not\u2019.txt").write_text(_MISSING, encoding="utf-8")
    rows = [
        {"id": 1, "text": "Clara Weiss sold a boat to Anna Keller at Old Quay.", "price": 1.5, "tags": ["a", None]},
        {"id": "two", "text": "Bruno Stein bought the boat | from Anna Keller.", "where": {"town": "Köln"}},
        {"id": None, "text": "The Harbour Council knew of the boat and of Clara Weiss."},
    ]
    (folder / "boats.json").write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
    notes = ['"A, B","Anna Keller wrote ""no"" to Jürgen Groß; see Old Quay."', "nan,Jürgen Groß saw Bruno Stein."]
    (folder / "notes.csv").write_text("\n".join(["title,text", *notes, ""]), encoding="utf-8")
    return folder
