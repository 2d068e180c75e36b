"""Files of every format against what the makers of the test material say is right."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import zipfile
from pathlib import Path

import docx
import pytest

from explorer.base.ids import content_hash
from explorer.corpus.identity import distinct_documents, distinct_ids
from explorer.corpus.material import FileReading
from explorer.corpus.read import read_file

GLASS = "Anna Weiss met Karim Daoud in Lyon on 3 May 1911."


def read_text(tmp_path: Path, name: str, content: str | bytes) -> FileReading:
    data = content.encode() if isinstance(content, str) else content
    (tmp_path / name).write_bytes(data)
    return read_file(tmp_path, name)


def text_of(reading: FileReading) -> str:
    assert not reading.failed and not reading.skip_reason, reading
    (document,) = reading.documents
    return document.text


# What needs no guess and so carries no note.
CERTAIN = {"utf8.txt", "utf8_bom.txt", "utf16le_bom.txt", "utf16be_bom.txt", "utf32_bom.txt"}


def test_encodings(shared: Path) -> None:
    folder = shared / "mixed" / "encodings"
    truth = json.loads((folder / "_truth.json").read_text("utf-8"))
    for name, text in truth.items():
        reading = read_file(folder, name)
        assert text_of(reading) == text, name
        assert bool(reading.notes) == (name not in CERTAIN), (name, reading.notes)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("20 °C on Tuesday, 5 £ and a naïve café – it’s late.", "cp1252"),
        ("Die Straße nach Würzburg heißt Südallee.", "mac_roman"),
        ("Élève très appliqué, il rêve d'un été à la plage. Où êtes-vous allés après le dîner ? " * 3, "cp1252"),
        ("På ön bodde en gammal fiskare som älskade sjön och höstens färger över åarna. " * 3, "cp1252"),
        ("Příliš žluťoučký kůň úpěl ďábelské ódy. Jiří Dvořák se vrátil do Brna večer. " * 3, "cp1250"),
        ("Zażółć gęślą jaźń. Łódź płynęła przez rzekę, a chłopiec śpiewał piosenkę. " * 3, "cp1250"),
        ("A kisfiú elment az erdőbe, és talált egy szép virágot. Árvíztűrő tükörfúrógép. " * 3, "cp1250"),
    ],
)
def test_single_byte_encodings_are_told_apart_and_marked(tmp_path: Path, text: str, encoding: str) -> None:
    reading = read_text(tmp_path, "a.txt", text.encode(encoding))
    assert text_of(reading) == text
    assert any("guessed" in note for note in reading.notes)


def test_ascii_with_a_byte_of_no_encoding_is_read_and_marked(tmp_path: Path) -> None:
    reading = read_text(
        tmp_path, "a.txt", b"Anna Weiss met \x81\xfe\x8d\x90 Karim Daoud in Lyon. " * 2 + b"The end. " * 40
    )
    assert "Karim Daoud in Lyon" in text_of(reading) and reading.notes


def test_damaged_encodings_are_read_and_marked(shared: Path) -> None:
    folder = shared / "mixed" / "encodings"
    late = read_file(folder, "late_non_ascii.txt")
    assert not late.notes
    assert any(letter > "\x7f" for letter in text_of(late)) and "\ufffd" not in text_of(late)
    for name in ("mixed_broken.txt", "truncated_utf8.txt"):
        reading = read_file(folder, name)
        assert "\ufffd" in text_of(reading)
        assert any("damaged" in note for note in reading.notes)
    assert text_of(read_file(folder, "truncated_utf8.txt")).startswith("Zoë Zoë")
    nul = read_file(folder, "nul_bytes.txt")
    assert text_of(nul) == "AnnaWeiss met Karim\n" and nul.notes == ("2 NUL characters were left out",)
    two = text_of(read_file(folder, "nfd_vs_nfc.txt"))
    assert two.count("Zoë Müller") == 2


def test_formats_read_as_their_manifest_says(shared: Path) -> None:
    folder = shared / "mixed" / "formats"
    assert [d.row for d in read_file(folder, "table.csv").documents] == [1, 2, 3]
    assert read_file(folder, "table.csv").documents[2].text == 'name: Kovac, "Marta"\nrole: director\ncity: Trieste'
    assert text_of(read_file(folder, "semicolon_bom.csv")) == "Name: Groß\nRolle: Gründer\nOrt: Köln"
    column = read_file(folder, "text_column.csv")
    assert [(d.row, d.text[:10]) for d in column.documents] == [(1, "Anna Weiss"), (3, "only text"), (4, "12345")]
    assert [(s.row, s.path) for s in column.skipped] == [(2, "text_column.csv")]
    records = read_file(folder, "records.json")
    assert [d.row for d in records.documents] == [1] and [s.row for s in records.skipped] == [2, 3]
    lines = read_file(folder, "lines.jsonl")
    assert [d.row for d in lines.documents] == [1, 3] and [s.row for s in lines.skipped] == [2]
    assert GLASS in text_of(read_file(folder, "object.json"))
    page = text_of(read_file(folder, "page.html"))
    assert "SCRIPT" not in page and "color" not in page and "hidden text" not in page and "menu" not in page
    assert "Weiss & Daoud" in page and "Rhone — Glass" in page and "Kovac\tdirector" in page
    for name in ("latin1_meta.html", "wrong_meta.html"):
        assert "Jürgen Groß traf Zoë Müller" in text_of(read_file(folder, name))
    notes = read_file(folder, "notes.md")
    assert text_of(notes).startswith("# Rhone Glass Works\n")
    assert notes.documents[0].raw_data == "title: Glass works\ntags: [glass, trieste]"
    assert GLASS in text_of(read_file(folder, "spec.rst"))
    assert read_file(folder, "markitdown/test_mskanji.csv").documents[0].text == "名前: 佐藤太郎\n年齢: 30\n住所: 東京"
    assert len(read_file(folder, "docling/csv-pipe.csv").documents) == 5


# name → a phrase that stands in the file, as its own page shows it
PHRASES = {
    "markitdown/test.docx": "AutoGen: Enabling Next-Gen LLM Applications via Multi-Agent Conversation",
    "markitdown/test.pdf": "While there is contemporaneous exploration of multi-agent approaches",
    "markitdown/SPARSE-2024-INV-1234_borderless_table.pdf": "INVENTORY RECONCILIATION REPORT",
    "markitdown/test_blog.html": "Large language models (LLMs) are powerful tools",
    "markitdown/test_wikipedia.html": "Microsoft entered the operating system (OS) business in 1980",
    "docling/wiki_duck.html": "Ducks are mostly aquatic birds",
    "docling/Strict.docx": "Some text",
    "docling/word_tables.docx": "Header 0.0 | Header 0.1 | Header 0.2",
    "docling/lorem_ipsum.docx": "Lorem ipsum dolor sit amet",
    "docling/textbox.docx": "Chiayi County Shuishang Township",
    "markitdown/equations.docx": "mλ",
    "python-docx/hdr-header-footer.docx": "section with header",
    "pdf/015-arabic__habibi.pdf": "habibi",
    "pdf/025-attachment__with-attachment.pdf": "Lorem ipsum dolor sit amet",
    "pdf/011-google-doc-document__google-doc-document.pdf": "Beautiful is better than ugly.",
}


@pytest.mark.parametrize("name", PHRASES)
def test_phrases_of_real_files(shared: Path, name: str) -> None:
    assert PHRASES[name] in text_of(read_file(shared / "mixed" / "formats", name))


def test_every_file_of_the_manifest_has_one_fate(shared: Path) -> None:
    folder = shared / "mixed"
    with (folder / "MANIFEST.csv").open(encoding="utf-8", newline="") as handle:
        paths = [row["path"] for row in csv.DictReader(handle)]
    for path in paths:
        reading = read_file(folder, path)
        fates = [bool(reading.documents), bool(reading.failed), bool(reading.skip_reason)]
        assert sum(fates) == 1, (path, reading)
        for document in reading.documents:
            assert document.id == hashlib.sha512(document.text.encode()).hexdigest()
    locked = read_file(folder, "formats/pdf/005-libreoffice-writer-password__libreoffice-writer-password.pdf")
    assert "password" in locked.failed
    pictures = read_file(folder, "formats/pdf/019-grayscale-image__grayscale-image.pdf")
    assert "no text" in pictures.skip_reason
    assert "no text" in read_file(folder, "formats/python-docx/doc-word-default-blank.docx").skip_reason


def test_pages_of_a_pdf(shared: Path) -> None:
    (document,) = read_file(shared / "mixed" / "formats", "pdf/004-pdflatex-4-pages__pdflatex-4-pages.pdf").documents
    assert [page for _, page in document.pages] == [1, 2, 3, 4]
    starts = [start for start, _ in document.pages]
    assert starts[0] == 0 and starts == sorted(starts)
    # LaTeX puts the page number at the foot of each page.
    for (start, page), end in zip(document.pages, [*starts[1:], len(document.text)], strict=True):
        assert document.text[start:end].split()[-1] == str(page)


def test_dates_are_those_of_the_file_in_utc(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    os.utime(tmp_path / "a.txt", (0, 1_000_000_000.75))
    assert read_file(tmp_path, "a.txt").documents[0].creation_date == "2001-09-09 01:46:40 +0000"


@pytest.mark.parametrize("name", ["a.pdf", "a.docx", "a.json", "a.txt", "a.md", "a.html", "a.csv", "a.rst", "a.jsonl"])
def test_rubbish_under_any_extension_is_one_reason(tmp_path: Path, name: str) -> None:
    reading = read_text(tmp_path, name, bytes(range(256)) * 40)
    assert not reading.documents
    assert (reading.failed or reading.skip_reason or reading.skipped) and "\n" not in reading.failed


def test_a_cut_off_docx_and_pdf_fail_alone(shared: Path, tmp_path: Path) -> None:
    for source in ("markitdown/test.docx", "markitdown/test.pdf"):
        data = (shared / "mixed" / "formats" / source).read_bytes()
        reading = read_text(tmp_path, Path(source).name, data[: len(data) // 3])
        assert reading.failed or reading.skip_reason, source
        assert "\n" not in reading.failed


def test_markdown_between_rules_that_is_no_front_matter_stays(tmp_path: Path) -> None:
    text = "---\nThe storm came at night.\n---\nThe boats were out.\n"
    assert text_of(read_text(tmp_path, "a.md", text)) == text


def test_toml_front_matter_is_not_prose(tmp_path: Path) -> None:
    assert text_of(read_text(tmp_path, "a.md", '+++\r\ntitle = "x"\r\n+++\r\nText.\r\n')) == "Text.\n"


def test_line_ends_become_line_feeds(tmp_path: Path) -> None:
    assert text_of(read_text(tmp_path, "a.txt", b"one\r\ntwo\rthree\n")) == "one\ntwo\nthree\n"


def test_rst_neither_reads_files_nor_runs_nor_speaks(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "secret.txt").write_text("THE SECRET")
    source = (
        "Title\n=====\n\n.. include:: secret.txt\n\n.. csv-table::\n   :file: secret.txt\n\n"
        ".. raw:: html\n   :file: secret.txt\n\n.. autoclass:: harbour.Pilot\n\n   The pilot boards at dawn.\n\n"
        "See :ref:`the tides` and `nothing`_ and |today|.\n\n.. |today| date::\n\n.. comment here\n\n*Done*.\n"
    )
    reading = read_text(tmp_path, "a.rst", source)
    text = text_of(reading)
    assert "SECRET" not in text and "comment here" not in text
    assert "Title" in text and "The pilot boards at dawn." in text and "the tides" in text and "Done." in text
    assert text == text_of(read_text(tmp_path, "a.rst", source))
    assert capfd.readouterr() == ("", "")


def test_html_without_blocks_hidden_parts_and_entities(tmp_path: Path) -> None:
    page = (
        "<?xml version='1.0' encoding='utf-8'?><p>a&nbsp;&lt;b&gt; &#x1F600;<br>c <b>d</b>e<!-- no -->"
        "<template>no</template><div style='display: none'>no</div></p><pre>x\n  y</pre><ul><li>one<li>two</ul>"
    )
    assert text_of(read_text(tmp_path, "a.html", page)) == "a <b> 😀\nc de\n\nx\n  y\n\none\n\ntwo"


def test_html_nested_very_deep_keeps_its_end(tmp_path: Path) -> None:
    depth = 5000
    page = "<div>" * depth + "the bottom" + "</div>" * depth
    assert "the bottom" in text_of(read_text(tmp_path, "a.html", page))


def test_json_nested_too_deep_fails_alone(tmp_path: Path) -> None:
    assert read_text(tmp_path, "a.json", "[" * 100_000 + "]" * 100_000).failed


def test_json_of_strings_halves_of_characters_and_columns(tmp_path: Path) -> None:
    strings = read_text(tmp_path, "a.json", '["one", "two", ""]')
    assert [d.text for d in strings.documents] == ["one", "two"] and [s.row for s in strings.skipped] == [3]
    half = read_text(tmp_path, "b.json", '{"text": "caf\\ud83d!"}')
    assert text_of(half) == "caf\ufffd!"
    half.documents[0].raw_data.encode("utf-8")  # type: ignore[union-attr]
    nested = read_text(tmp_path, "c.json", '[{"who": {"name": "Ada", "born": 1815}, "tags": ["x", "y"], "none": null}]')
    assert text_of(nested) == "who.name: Ada\nwho.born: 1815\ntags: x\ntags: y"


def test_csv_with_long_fields_line_breaks_and_repeated_columns(tmp_path: Path) -> None:
    long = "word " * 60_000
    reading = read_text(tmp_path, "a.csv", f'a,a,\n"line\r\nbreak",2,"{long}"\n,NaN,None\n\n')
    (document,) = reading.documents
    assert document.text.startswith("a: line\nbreak\na (2): 2\ncolumn 3: word word")
    assert len(document.text) > len(long)
    assert [(s.row, s.reason) for s in reading.skipped] == [(2, "no text in any column")]


def test_csv_with_a_header_only(tmp_path: Path) -> None:
    assert "no row" in read_text(tmp_path, "a.csv", "a,b,c\n").failed


def test_docx_in_the_order_of_the_page(tmp_path: Path) -> None:
    made = docx.Document()
    made.add_paragraph("before")
    table = made.add_table(rows=2, cols=2)
    for row, cells in enumerate((("a", "b"), ("c", "d"))):
        for column, text in enumerate(cells):
            table.cell(row, column).text = text
    table.cell(1, 1).add_table(rows=1, cols=1).cell(0, 0).text = "inner"
    made.add_paragraph("after\tall")
    made.save(str(tmp_path / "a.docx"))
    assert text_of(read_file(tmp_path, "a.docx")) == "before\n\na | b\nc | d inner\n\nafter\tall"


def test_docx_tracked_changes_and_a_bomb(tmp_path: Path) -> None:
    made = docx.Document()
    made.add_paragraph("kept ")
    made.save(str(tmp_path / "a.docx"))
    buffer = io.BytesIO()
    with zipfile.ZipFile(tmp_path / "a.docx") as source, zipfile.ZipFile(buffer, "w") as target:
        for entry in source.infolist():
            content = source.read(entry)
            if entry.filename == "word/document.xml":
                content = content.replace(
                    b"</w:p>",
                    b"<w:ins><w:r><w:t>added</w:t></w:r></w:ins><w:del><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>",
                    1,
                )
            target.writestr(entry.filename, content)
    assert text_of(read_text(tmp_path, "b.docx", buffer.getvalue())) == "kept added"


def test_equal_texts_get_ids_of_their_own_and_the_first_keeps_the_plain_hash(tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt", "c.txt"):
        (tmp_path / name).write_text("same" if name != "c.txt" else "other")
    (tmp_path / "d.csv").write_text("text\nsame\nsame\n")
    readings = [read_file(tmp_path, name) for name in ("d.csv", "b.txt", "c.txt", "a.txt")]
    forward, backward = distinct_documents(readings), distinct_documents(readings[::-1])
    assert forward == backward
    ids = {(d.path, d.row): d.id for reading in forward for d in reading.documents}
    assert len(set(ids.values())) == 5
    assert ids["a.txt", None] == content_hash("same") and ids["c.txt", None] == content_hash("other")
    assert len(set(distinct_ids([("x", "p")] * 4))) == 4
