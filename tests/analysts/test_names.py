"""Names by how they are written, sentences, readings and the model's mentions: values told by reading the sentences."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.analysts.offline import tagged
from explorer.analysts.offline.characters import find_terms
from explorer.analysts.offline.entity_types import (
    EVENT,
    GEO,
    ORGANIZATION,
    PERSON,
    entity_type,
    noun_type,
    person_names,
)
from explorer.analysts.offline.language import function_words, is_english, is_german
from explorer.analysts.offline.mentions import Kind
from explorer.analysts.offline.readings import decode, encode, read_unit
from explorer.analysts.offline.sentences import LONGEST, split_sentences
from explorer.analysts.offline.words import fold


def found(text: str, *kinds: Kind, grade: str = "patterns") -> set[str]:
    return {text[m.start : m.end] for m in read_unit(text, grade).mentions if not kinds or m.kind in kinds}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("He crossed the Bay of Fundy with Dr. Ada Stone.", {"Bay of Fundy", "Dr. Ada Stone"}),
        ("We met J. R. Ames in St. Ives.", {"J. R. Ames", "St. Ives"}),
        ("They wrote to Leonardo da Vinci.", {"Leonardo da Vinci"}),
        ("We trained it on nuScenes with a GPT-4 model.", {"nuScenes", "GPT-4"}),
        ("She asked the U.S. Coast Guard.", {"U.S. Coast Guard"}),
    ],
)
def test_names_inside_a_sentence(text: str, names: set[str]) -> None:
    assert names <= found(text, Kind.NAME)


def test_function_words_and_contractions_are_no_names() -> None:
    assert not found("When we met, I said that I'm sure. But it was so. I've seen it. The end.", Kind.NAME)


def test_what_somebody_has_is_a_mention_with_its_owner() -> None:
    assert found("It was Maria's brother who came.", Kind.OWNED) == {"Maria's brother"}


def test_an_abbreviation_is_found_with_what_it_stands_for() -> None:
    text = "We use direct preference optimization (DPO) and a method (which is new)."
    assert found(text, Kind.DEFINED) == {"direct preference optimization", "direct preference optimization (DPO)"}


def test_a_heading_is_a_title() -> None:
    assert found("# The Fall of the House\n\nIt fell.", Kind.HEADING) == {"The Fall of the House"}


def test_addresses_are_found_whole() -> None:
    text = "Write to ada@example.org or see https://example.org/a/b."
    assert found(text, Kind.ADDRESS) == {"ada@example.org", "https://example.org/a/b"}


@pytest.mark.skipif(tagged.model_name() is None, reason="spaCy and its model are not installed")
def test_the_model_gives_types_and_noun_phrases_and_reads_each_unit_alone() -> None:
    grade = f"spacy:{tagged.model_name()}"
    text = "Barack Obama was born in Honolulu. He studied constitutional law in the United States."
    reading = read_unit(text, grade)
    labels = {text[m.start : m.end]: m.label for m in reading.mentions if m.kind is Kind.ENTITY}
    assert labels["Barack Obama"] == "PERSON" and labels["Honolulu"] == "GPE"
    assert "constitutional law" in found(text, Kind.PHRASE, grade=grade)
    read_unit("Something else was read between.", grade)
    assert read_unit(text, grade) == reading


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The Ghost", "ghost"),
        ("“Blue   Book”", "blue book"),
        ("A Tale\nof Tea", "tale of tea"),
        ("O’Neill", "o'neill"),
    ],
)
def test_the_fold_forgets_case_space_quotes_and_a_leading_article(one: str, other: str) -> None:
    assert fold(one) == fold(other)


def test_the_fold_takes_no_article_from_inside() -> None:
    assert fold("Jordan Hayes") == "jordan hayes"
    assert fold("The A Team") == "a team"


def test_sentences_end_at_stops_paragraphs_headings_and_list_items() -> None:
    text = "# Head\nMr. Stone came. He left!\n\nNo stop here\n\n- one\n- two\n今天下雨。我在家。"
    assert [text[a:b] for a, b in split_sentences(text)] == [
        "# Head", "Mr. Stone came.", "He left!", "No stop here", "- one", "- two\n今天下雨。", "我在家。",
    ]  # fmt: skip
    chinese = "今天下雨。我在家。“走吧！”他说。"
    assert [chinese[a:b] for a, b in split_sentences(chinese)] == ["今天下雨。", "我在家。", "“走吧！”", "他说。"]


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet=st.sampled_from("aB .\n!?'\"#-:(ÄЖ中。「’s1\x00\u2028"), max_size=300))
def test_any_text_has_sentences_in_order_and_mentions_inside_them(text: str) -> None:
    reading = read_unit(text, "patterns")
    end = 0
    for a, b in reading.sentences:
        assert end <= a < b <= len(text) and b - a <= LONGEST
        end = b
    for m in reading.mentions:
        a, b = reading.sentences[m.sentence]
        assert a <= m.start < m.end <= b
    assert decode(encode(reading)) == reading


def test_a_stored_text_that_is_no_reading_is_refused() -> None:
    for text in ("", "[]", "{}", '{"sentences": [[1, 2]], "mentions": [[1, 2, 3, "?", ""]]}'):
        with pytest.raises(ValueError, match="not a reading"):
            decode(text)


def test_nouns_say_what_they_stand_for() -> None:
    assert noun_type("teachers") == noun_type("women") == PERSON
    assert noun_type("lighthouse") == noun_type("counting-house") == GEO
    assert noun_type("committees") == ORGANIZATION
    assert noun_type("battle") == EVENT
    assert noun_type("darkness") is None and noun_type("table") is None


def test_types_come_from_address_noun_and_model() -> None:
    assert entity_type("mrs. stone", {}, 3, True) == PERSON
    assert entity_type("battle of hastings", {"PERSON": 3}, 3, True) == EVENT
    assert entity_type("honolulu", {"GPE": 2, "PERSON": 1}, 3, True) == GEO
    assert entity_type("xyzzy", {}, 3, True) == "NAME" and entity_type("green light", {}, 3, False) == "CONCEPT"
    types = {"stone": "NAME", "mr. stone": PERSON, "ada stone": "NAME", "paris": GEO}
    assert person_names(types) == {"stone": PERSON, "mr. stone": PERSON, "ada stone": PERSON, "paris": GEO}


def test_languages_are_told_by_their_commonest_words() -> None:
    english = ["The cat sat on the mat, and it was the best of all the cats that had been there."]
    german = [
        "Die Katze sitzt auf der Matte, und sie ist die beste von den Katzen, die es in der Stadt gibt, die wir sehen."
    ]
    french = ["Le chat est assis sur le tapis, et il est le meilleur des chats de la ville."]
    assert is_english(english) and not is_german(english)
    assert is_german(german) and not is_english(german)
    assert not is_english(french) and not is_german(french)
    assert {"die"} <= function_words(german * 20) and "Katze".casefold() not in function_words(german * 20)


def test_terms_of_a_script_without_spaces_hold_together_and_stand_freely() -> None:
    before, after = "天地人山水火土木金石", "春夏秋冬早晚来去高低"
    texts = [f"{before[n % 10]}孔明{after[n // 10]}。{before[n // 10]}{after[n % 10]}。" for n in range(100)]
    other = "".join(chr(0x5000 + n) for n in range(3000))  # other characters, each once
    terms = find_terms([*texts, other])
    assert "孔明" in terms
    assert not [term for term in terms if term.startswith("明") or term.endswith("孔")]  # a part of it is no term
