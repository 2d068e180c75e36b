"""Extraction as a whole: what is found, what is counted, what is the same in every run."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from explorer.analysts.judgements import Extraction, UnitText
from explorer.analysts.offline import tagged
from explorer.analysts.offline.extract import choose_grade, extract
from explorer.base.cancel import CancelScope
from explorer.base.errors import Cancelled, InputError
from explorer.base.events import Event, Notice, StageProgress
from explorer.models.call_store import CallStore, StoredCall

ROOT = Path(__file__).resolve().parents[2]

HARBOUR = """# The Harbour of Linden Bay

Captain Mara Venn brought the Silver Heron into Linden Bay on a grey morning. Mara Venn owed the harbour to
Tobias Reed. Tobias Reed is the harbour master of Linden Bay. The keeper of the lighthouse waved to Captain Mara Venn.

In the evening Tobias Reed wrote to the Harbour Commission. The Harbour Commission (HC) had its seat in Port Arden.
Reed's daughter met Mara Venn at the lighthouse. The lighthouse stood above Linden Bay.
"""


def harbour() -> list[UnitText]:
    return [UnitText("u1", HARBOUR, "d1"), UnitText("u2", "Mara Venn sailed from Linden Bay to Port Arden.", "d2")]


def titles(extraction: Extraction) -> set[str]:
    return {entity.title for entity in extraction.entities}


@pytest.mark.parametrize("grade", ["patterns", "spacy"])
def test_a_reader_finds_the_names_of_a_text(grade: str) -> None:
    if grade == "spacy" and tagged.model_name() is None:
        pytest.skip("spaCy and its model are not installed")
    extraction = extract(harbour(), grade=grade)
    found = titles(extraction)
    assert {"Mara Venn", "Tobias Reed", "Linden Bay", "Port Arden"} <= found
    assert len({title.casefold() for title in found}) == len(found)
    units = {entity.title: entity.text_unit_ids for entity in extraction.entities}
    assert units["Mara Venn"] == ("u1", "u2")
    assert units["Tobias Reed"] == ("u1",)
    for entity in extraction.entities:
        assert entity.frequency == len(entity.text_unit_ids) >= 1
        assert entity.description and entity.type


def test_a_description_is_the_sentence_that_defines() -> None:
    extraction = extract(harbour(), grade="patterns")
    descriptions = {entity.title: entity.description for entity in extraction.entities}
    assert descriptions["Tobias Reed"] == "Tobias Reed is the harbour master of Linden Bay."


def test_a_relationship_is_shown_by_its_description_and_stands_once() -> None:
    extraction = extract(harbour(), grade="patterns")
    pairs = [(link.source, link.target) for link in extraction.relationships]
    assert len(pairs) == len(set(pairs))
    assert all(source < target for source, target in pairs)
    assert pairs == sorted(pairs)
    assert {title for pair in pairs for title in pair} <= titles(extraction)
    for link in extraction.relationships:
        assert link.weight > 0
        low = link.description.casefold()
        assert link.source.casefold() in low and link.target.casefold() in low


def test_the_weight_is_the_share_of_sentences_times_its_log_ratio() -> None:
    # Ten sentences; Alder stands in two, Birch in two, both together in one. By hand: 0.1 * log2(0.1 / (0.2 * 0.2)).
    # Sentences without a name stand between, so that no pair stands in neighbouring sentences.
    filler = "It was so and it was not so."
    spoken = ["We saw Alder and Birch.", filler, "We saw Alder.", filler, "We saw Birch.", *[filler] * 5]
    extraction = extract([UnitText("u", "\n\n".join(spoken))], grade="patterns")
    (link,) = [one for one in extraction.relationships if (one.source, one.target) == ("Alder", "Birch")]
    assert link.weight == pytest.approx(0.1 * math.log2(0.1 / 0.04))
    assert link.description == "We saw Alder and Birch."


def test_pairs_that_stand_together_less_than_by_chance_are_left_out_and_counted() -> None:
    # Alder in 9 of 10 sentences, Birch in 6, together in 5: 0.5 < 0.9 * 0.6, so the weight is below zero.
    together = ["We saw Alder and Birch."] * 5 + ["We saw Alder."] * 4 + ["We saw Birch."]
    # A text unit for each sentence, so that none has a neighbour.
    units = [UnitText(str(number), line, "d") for number, line in enumerate(together)]
    extraction = extract(units, grade="patterns")
    assert titles(extraction) >= {"Alder", "Birch"}
    assert extraction.relationships == ()
    assert extraction.dropped["pairs_at_or_below_zero"] == 1


def test_nothing_in_nothing_out() -> None:
    empty = extract([], grade="patterns")
    assert empty.entities == () and empty.relationships == () and empty.calls.count == 0
    blank = extract([UnitText("u", " \n\n \t"), UnitText("v", "... --- 12 34")], grade="patterns")
    assert blank.entities == () and blank.relationships == ()


def test_a_unit_twice_under_one_id_is_counted_once() -> None:
    unit = UnitText("same", "Mara Venn met Tobias Reed in Linden Bay.")
    extraction = extract([unit, unit], grade="patterns")
    assert all(entity.text_unit_ids == ("same",) for entity in extraction.entities)
    assert all(link.text_unit_ids == ("same",) for link in extraction.relationships)


def test_the_calls_of_a_language_model_are_counted_in_its_tokens() -> None:
    from explorer.analysts import prompts
    from explorer.base.tokens import count_tokens

    units = harbour()
    extraction = extract(units, grade="patterns")
    sent = [
        prompts.render("entity_extraction", entity_types="organization, person, geo, event", input_text=unit.text)
        for unit in units
    ]
    assert extraction.calls.count == 2 and extraction.calls.cached == 0
    assert extraction.calls.prompt_tokens == sum(count_tokens(prompt) for prompt in sent)
    assert extraction.calls.output_tokens > 0


def test_a_second_run_reads_from_the_store_and_gives_the_same(tmp_path: Path) -> None:
    with CallStore(tmp_path / "calls.sqlite") as store:
        first = extract(harbour(), grade="patterns", store=store)
        second = extract(harbour(), grade="patterns", store=store)
    assert first.calls.cached == 0 and second.calls.cached == 2
    assert second.entities == first.entities and second.relationships == first.relationships


def test_a_stopped_run_goes_on_where_it_was(tmp_path: Path) -> None:
    units = [UnitText(f"u{n}", f"Mara Venn met Guest Number{n} in Linden Bay.") for n in range(24)]
    scope = CancelScope()

    def stop_after_some(event: Event) -> None:
        if isinstance(event, StageProgress) and event.done >= 8:
            scope.cancel()

    with CallStore(tmp_path / "calls.sqlite") as store:
        with pytest.raises(Cancelled):
            extract(units, grade="patterns", store=store, sink=stop_after_some, scope=scope)
        again = extract(units, grade="patterns", store=store)
        assert 8 <= again.calls.cached < 24
    fresh = extract(units, grade="patterns")
    assert again.entities == fresh.entities and again.relationships == fresh.relationships


def test_a_damaged_reading_is_made_again(tmp_path: Path) -> None:
    with CallStore(tmp_path / "calls.sqlite") as store:
        whole = extract(harbour(), grade="patterns", store=store)

        class Broken(CallStore):
            def get(self, key: str) -> StoredCall | None:
                return StoredCall(key, "extract", '{"sentences": 3}')

        with Broken(tmp_path / "broken.sqlite") as broken:
            again = extract(harbour(), grade="patterns", store=broken)
    assert again.entities == whole.entities and again.calls.cached == 0


def test_progress_never_falls_and_ends_at_the_total() -> None:
    events: list[Event] = []
    units = [UnitText(f"u{n}", f"Mara Venn met Guest Number{n}.") for n in range(12)]
    extract(units, grade="patterns", sink=events.append)
    done = [event.done for event in events if isinstance(event, StageProgress)]
    assert done == sorted(done) and done[-1] == 12
    assert all(event.total == 12 and event.stage == "extract" for event in events if isinstance(event, StageProgress))


def test_the_grade_is_said_and_follows_the_language(monkeypatch: pytest.MonkeyPatch) -> None:
    german = [
        "Der Hafen von Linden liegt an der Bucht, und die Schiffe kommen am Morgen mit dem Wind in die Stadt."
    ] * 3
    english = [HARBOUR]
    said: list[Event] = []
    monkeypatch.setattr("explorer.analysts.offline.extract.model_name", lambda: "en_core_web_sm")
    assert choose_grade(english, "auto", said.append) == "spacy:en_core_web_sm"
    assert choose_grade(german, "auto", said.append) == "patterns"
    assert choose_grade(german, "spacy", said.append) == "spacy:en_core_web_sm"
    monkeypatch.setattr("explorer.analysts.offline.extract.model_name", lambda: None)
    assert choose_grade(english, "auto", said.append) == "patterns"
    sentences = [event.sentence for event in said if isinstance(event, Notice)]
    assert len(sentences) == 4 and "English" in sentences[1] and "not installed" in sentences[3]
    with pytest.raises(InputError, match="not here"):
        choose_grade(english, "spacy")
    with pytest.raises(InputError, match="no grade"):
        choose_grade(english, "best")


def test_the_same_bytes_for_any_hash_seed_and_any_number_of_processes(tmp_path: Path) -> None:
    program = textwrap.dedent(
        """
        import json, sys
        from dataclasses import asdict
        from tests.analysts.test_extraction import HARBOUR
        from explorer.analysts.judgements import UnitText
        from explorer.analysts.offline import extract as module

        if __name__ == "__main__":
            module._INLINE = int(sys.argv[1])
            names = ["Linden", "Alder", "Elm"]
            units = [UnitText(f"u{n}", HARBOUR.replace("Linden", name)) for n, name in enumerate(names)]
            print(json.dumps(asdict(module.extract(units, grade="patterns")), sort_keys=True))
        """
    )
    script = tmp_path / "run.py"
    script.write_text(program)
    results = set()
    for seed, inline in (("0", "6"), ("1", "6"), ("2", "0")):
        run = subprocess.run(
            [sys.executable, str(script), inline],
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT), "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
        )
        results.add(run.stdout)
    assert len(results) == 1
    assert json.loads(results.pop())["entities"]


def test_chinese_names_are_found_by_counting(shared: Path) -> None:
    folder = shared / "corpora" / "zh_sanguo"
    units = [UnitText(path.name, path.read_text("utf-8")) for path in sorted(folder.glob("*.txt"))[:40]]
    extraction = extract(units, grade="auto")
    # The people of the first forty chapters whom any reader of the novel would name.
    assert {"玄德", "曹操", "吕布", "张飞", "关公", "袁绍", "董卓", "刘表", "赵云"} <= titles(extraction)
    assert extraction.relationships


def test_german_names_are_found_and_articles_are_not_part_of_them(shared: Path) -> None:
    folder = shared / "corpora" / "qa_xquad_de" / "docs"
    units = [UnitText(path.name, path.read_text("utf-8")) for path in sorted(folder.glob("*.txt"))]
    found = titles(extract(units, grade="auto"))
    assert {"Victoria", "Fresno", "Jacksonville", "Frankreich", "Kenia", "Martin Luther"} <= found
    assert not [title for title in found if title.casefold().split()[0] in ("der", "die", "das", "und", "den")]
