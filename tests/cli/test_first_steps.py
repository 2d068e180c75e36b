"""What a newcomer types and gets wrong, and what is said then."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from search.small_index import make_index

from explorer.cli import main
from explorer.search.runs import list_runs
from explorer.tables.index import open_index


@pytest.fixture
def carol(shared: Path) -> Path:
    return shared / "indexes/microsoft/verbs-v3.1.2"


def say(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, str, str]:
    code = main([str(word) for word in words])
    out, err = capsys.readouterr()
    return code, out, err


def test_a_level_below_the_deepest_means_the_deepest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    index = make_index(tmp_path)
    note = "The deepest level of this index is 2: level 9 means the same as it."
    code, out, _ = say(capsys, "plan", index.output, "--level", "9")
    assert code == 0 and f"note     {note}" in out.splitlines()
    code, out, _ = say(capsys, "ask", index.output, "word2?", "--level", "9")
    assert code == 0 and note in out.splitlines()
    for reports in ("roll_up", "at_or_below"):
        made = []
        for level in ("2", "9", "all"):
            found = json.loads(say(capsys, "plan", index.output, "--level", level, "--reports", reports, "--json")[1])
            made.append(found["sha256"])
            assert (note in found["notes"]) == (level == "9")
        assert made[0] == made[1]  # the note says the truth
    trace = json.loads(say(capsys, "ask", index.output, "word2?", "--level", "9", "--json")[1])
    assert note in trace["notes"]


def test_a_level_that_is_no_number(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = say(capsys, "plan", make_index(tmp_path).output, "--level", "foo")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "'foo'" in err and "'all'" in err


def test_a_question_in_another_language_is_told_why_nothing_was_found(
    carol: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hint = "the offline analyst compares words, so ask in the language of the documents"
    code, out, _ = say(capsys, "ask", carol, "Warum ändert Scrooge sein Leben?")
    assert code == 0 and "None of the reports" in out and hint in out
    code, out, _ = say(capsys, "ask", carol, "Отчего изменилась жизнь?")
    assert code == 0 and f"No word of the question stands in the documents: {hint}." in out
    code, out, _ = say(capsys, "ask", carol, "Why does Scrooge change his life?")
    assert code == 0 and hint not in out


def test_a_question_without_a_word_is_not_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    index = make_index(tmp_path)
    for question in ("¿?", "…", "🙂 !"):
        code, out, err = say(capsys, "ask", index.output, question)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert "no word" in err
    assert list_runs(open_index(index.output)) == []


def test_where_there_is_no_report_nothing_is_asked(
    shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("zero_rows", "missing_community_reports"):
        code, out, err = say(capsys, "ask", shared / "indexes/broken" / name, "Who?")
        assert (code, out, err.count("\n")) == (1, "", 1)
        assert f"{name} holds no report" in err
    code, out, _ = say(capsys, "ask", make_index(tmp_path).output, "word2?", "--min-community-rank", "1000")
    assert code == 1 and "No report of this index stands for what was asked" in out
    assert "5 reports = 5 below the lowest rank" in out


def test_an_index_of_empty_tables_is_not_sound(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = say(capsys, "doctor", shared / "indexes/broken/zero_rows")
    assert code == 1 and "Sound" not in out
    assert "6 tables without a row, for example documents has no row" in out and "there are entities" not in out


def test_fates_are_words_in_text_and_names_in_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    index = make_index(tmp_path)
    assert "unread   4 not at this level" not in say(capsys, "plan", index.output)[1]  # all stand at the deepest
    assert "unread   3 not at this level" in say(capsys, "plan", index.output, "--level", "0")[1]
    out = say(capsys, "ask", index.output, "nobody knows this", "--level", "0")[1]
    assert "5 reports = 3 not at this level + 2 read" in out and "not_at_level" not in out
    assert "nothing relevant" in out and "nothing_relevant" not in out
    for command in (["plan"], ["ask"]):
        words = [*command, index.output, *(["word2?"] if command == ["ask"] else []), "--level", "0", "--json"]
        assert "not_at_level" in say(capsys, *words)[1]


@pytest.mark.parametrize("command", [["ask", "{}", "Who?"], ["plan", "{}"], ["doctor", "{}"], ["prompts", "{}"]])
def test_a_file_is_said_to_be_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str], command: list[str]) -> None:
    file = tmp_path / "stave-1.txt"
    file.write_text("Marley was dead.")
    code, out, err = say(capsys, *(word.replace("{}", str(file)) for word in command))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "stave-1.txt is a file; give the folder" in err and "There is no" not in err
    _, _, err = say(capsys, *(word.replace("{}", str(tmp_path / "nowhere")) for word in command))
    assert "There is no folder or index" in err


def test_an_advice_names_the_flag_as_it_is_typed(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    err = say(capsys, "ask", shared / "indexes/broken/missing_communities", "Who?")[2]
    assert "(--reports at_or_below)" in err
    out = say(capsys, "plan", shared / "indexes/broken/missing_communities", "--reports", "at_or_below")[1]
    assert "batches" in out  # what is advised works


def test_a_check_of_the_machine_says_what_was_checked(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = say(capsys, "doctor")
    lines = [line.split(maxsplit=1) for line in out.splitlines() if line.startswith("  ")]
    assert len([line for line in lines if line[0] in ("good", "wrong")]) == 7
    assert (code == 0) == all(line[0] == "good" for line in lines)
    for word in ("Python", "Qt", "cl100k_base", "igraph", "spaCy", "vectors", "font"):
        assert any(word in line[1] for line in lines)


def test_both_sentences_on_entities_outside_say_the_same(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = shared / "indexes/mit/kexuan-backup3"
    links = pd.read_parquet(folder / "relationships.parquet", columns=["source", "target"])
    others = links[links["source"] != links["target"]]
    alone = set(links[links["source"] == links["target"]]["source"]) - set(others["source"]) - set(others["target"])
    out = say(capsys, "doctor", folder)[1]
    reasons = f"{4064 - len(alone):,} not in the largest component; {len(alone)} with self-loops only"
    assert f"(in all {reasons})" in out and f"({reasons}; 402 without a relationship)" in out
    assert "With self-loops only it becomes a community of its own." in out
