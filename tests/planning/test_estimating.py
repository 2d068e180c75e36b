"""The parts of an estimate, known by hand."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from explorer.base.cancel import CancelScope
from explorer.base.events import ignore
from explorer.corpus.material import TextUnit
from explorer.models.connection import Connection
from explorer.models.prices import Price
from explorer.planning.bill import compare, dollar_range, dollars, load_bill, save_bill
from explorer.planning.candidates import features_of, find_candidates
from explorer.planning.duration import stage_seconds
from explorer.planning.estimated import Middle, StageEstimate, high, low, span, total, without
from explorer.planning.figures import Three, stage_figures
from explorer.planning.fit import Fit, best_fit
from explorer.planning.habit import Habit, UnitSeen, choose_pairs, choose_titles, learn
from explorer.planning.quantities import Quantities, embedding_calls, grown


def test_a_fit_takes_the_feature_that_foretells() -> None:
    points = [({"tokens": 1200.0, "names": float(n)}, 2.0 * n + 1) for n in range(10)]
    fit = best_fit(points, ("tokens", "names"))
    assert fit.feature == "names" and fit.at({"names": 20.0}) == pytest.approx(41.0)
    assert fit.error == pytest.approx(0.0)


def test_a_fit_without_anything_to_tell_is_the_mean() -> None:
    fit = best_fit([({"tokens": 1200.0}, value) for value in (8, 12, 10, 9, 11, 10)], ("tokens",))
    assert (fit.feature, fit.at({"tokens": 5.0}), fit.seen) == ("", 10.0, 6)
    assert fit.error == pytest.approx((10 / 5) ** 0.5)
    with pytest.raises(ValueError, match="nothing was seen"):
        best_fit([], ("tokens",))


def test_a_falling_line_is_no_line() -> None:
    points = [({"tokens": float(n)}, 100.0 - n) for n in range(10)]
    assert best_fit(points, ("tokens",)).slope == 0


def test_growth_as_a_power_of_the_units() -> None:
    """From 10 to 20 units entities grow by the square root of 2 and calls by 2; ten times as many units follow."""
    part = Quantities(entities=100.0, reports_calls=10.0, levels=3.0)
    whole = Quantities(entities=100.0 * 2**0.5, reports_calls=20.0, levels=4.0)
    made = grown(part, whole, 2.0, 10.0)
    assert made.entities == pytest.approx(100 * 20**0.5)
    assert (made.reports_calls, made.levels, made.describe_calls) == (pytest.approx(200.0), 4.0, 0.0)


def test_embedding_batches_are_full_by_number_or_by_tokens() -> None:
    assert embedding_calls(160, 1_000) == 10
    assert embedding_calls(16, 81_910) == 10


def test_seconds_of_a_stage() -> None:
    free = Connection(name="c", base_url="http://h/v1", concurrency=8)
    assert stage_seconds(100, 0, 2.0, free) == 26.0  # 13 turns of two seconds
    assert stage_seconds(3, 0, 2.0, free, rounds=4) == 8.0  # four levels, one after the other
    assert stage_seconds(0, 0, 2.0, free) == 0.0
    slow = free.model_copy(update={"requests_per_minute": 20, "tokens_per_minute": 1_000})
    assert stage_seconds(100, 0, 2.0, slow) == 242.0  # the last twenty wait for four minutes
    assert stage_seconds(100, 11_000, 2.0, slow) == 602.0


def test_figures_of_a_stage_and_their_sum() -> None:
    connection = Connection(name="c", base_url="http://h/v1", chat_model="m", prices={"m": Price(prompt=1, output=4)})
    extract = stage_figures("extract", Three.exact(10), Three.exact(1000), Three(100, 200, 400), connection, cached=3)
    assert (extract.calls, extract.prompt_tokens, extract.output_tokens, extract.cached) == (10, 1000, (100, 400), 3)
    assert extract.cost == pytest.approx((0.0014, 0.0026)) and extract.middle.cost == pytest.approx(0.0018)
    unpriced = stage_figures("describe", Three(0, 1, 2), Three(0, 5, 9), Three(0, 5, 9),
                             connection.model_copy(update={"chat_model": "other"}))  # fmt: skip
    assert unpriced.cost is None and unpriced.middle.cost is None
    common = {"connection": "c", "documents": 1, "text_units": 10, "text_tokens": 900}
    assert total({"extract": extract}, **common).cost == extract.cost
    both = total({"extract": extract, "describe": unpriced}, **common)
    assert both.cost is None and both.middle.cost is None, "a part that is unknown leaves the whole unknown"
    assert (both.calls, both.cached) == ((10, 12), 3)
    assert without(both, "describe").cost == extract.cost


def test_spans() -> None:
    assert span(3.2, 2.9) == 3 and span(1, 5) == (1, 5)
    assert (low(7), high(7), low((1, 5)), high((1, 5))) == (7, 7, 1, 5)


def paid(count: int, prompt: int, output: int, cost: float | None, cached: int = 0) -> SimpleNamespace:
    return SimpleNamespace(count=count, cached=cached, prompt_tokens=prompt, output_tokens=output, cost=cost)


def said(cost: tuple[float, float] | None = (0.41, 0.62)) -> StageEstimate:
    middle = Middle(calls=10, prompt_tokens=1000, output_tokens=240, cost=None if cost is None else 0.5)
    return StageEstimate(model="m", calls=10, prompt_tokens=1000, output_tokens=(200, 300), cost=cost, middle=middle)


def test_the_bill_against_the_estimate(tmp_path: Path) -> None:
    estimate = total({"extract": said()}, connection="c", documents=1, text_units=10, text_tokens=900)
    bill = compare(estimate, {"extract": paid(12, 1000, 250, 0.47, cached=2)})
    stage = bill.stages["extract"]
    assert stage.inside and stage.calls.actual == 10 and stage.prompt_tokens.error == 0
    assert stage.output_tokens.error == pytest.approx(-0.04)
    assert bill.sentence == "The estimate was $0.41 to $0.62; it cost $0.47."
    save_bill(tmp_path, bill)
    assert load_bill(tmp_path) == bill
    (tmp_path / "bill.json").write_text("{", encoding="utf-8")
    assert load_bill(tmp_path) is None and load_bill(tmp_path / "nowhere") is None


def test_a_bill_that_is_outside_says_so() -> None:
    estimate = total({"extract": said()}, connection="c", documents=1, text_units=10, text_tokens=900)
    bill = compare(estimate, {"extract": paid(10, 1001, 310, 0.7), "reports": paid(2, 50, 50, 0.1)})
    assert bill.stages["extract"].prompt_tokens.inside is False and bill.stages["extract"].output_tokens.inside is False
    assert bill.stages["reports"].calls.inside is False, "a stage that nobody spoke of was estimated as nothing"
    assert bill.total.cost.inside is False


def test_a_bill_without_a_price_compares_tokens() -> None:
    estimate = total({"extract": said(None)}, connection="c", documents=1, text_units=10, text_tokens=900)
    bill = compare(estimate, {"extract": paid(10, 1000, 250, None)})
    assert bill.total.cost.inside is None and bill.stages["extract"].inside
    assert bill.sentence.startswith("The estimate was 1,000 prompt tokens; it took 1,000. The money is unknown")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0, "$0"),
        (0.41, "$0.41"),
        (0.0032, "$0.0032"),
        (0.00001, "less than $0.0001"),
        (12.5, "$12.50"),
        (1234.4, "$1,234"),
    ],
)
def test_money_in_words(value: float, words: str) -> None:
    assert dollars(value) == words
    assert dollar_range(None) == "unknown" and dollar_range((value, value)) == words


TEXT = (
    "Clara Weiss met Bruno Adler in Prague. Bruno Adler wrote to Dora Klein. In Vienna Clara Weiss sold the mill. "
    "Dora Klein left Prague. Emil Novak stayed in Vienna with Franz Huber. Franz Huber and Emil Novak sang. "
)


def unit(number: int, text: str = TEXT) -> TextUnit:
    return TextUnit(f"unit{number}", "d", text, 60, "a.txt", 0, len(text))


def test_candidates_and_what_they_tell_of_a_unit() -> None:
    from explorer.analysts.judgements import UnitText

    units = [unit(number) for number in range(3)]
    found = find_candidates([UnitText(one.id, one.text) for one in units], sink=ignore, scope=CancelScope())
    written = [one.title for one in found["unit0"] if one.supply == "written"]
    assert written[:4] == ["Clara Weiss", "Bruno Adler", "Prague", "Dora Klein"] and "Franz Huber" in written
    assert all(one.spread == 3 for one in found["unit0"] if one.title == "Clara Weiss")
    features = features_of(units[0], found["unit0"])
    assert features["tokens"] == 60 and features["names"] >= 5 and features["close"] > 5


def test_a_habit_is_learnt_from_what_a_model_named() -> None:
    """A model that names the first three names of each text, and links those of one sentence."""
    from explorer.analysts.judgements import UnitText

    texts = {
        f"unit{n}": f"Person{n} Alpha met Person{n} Beta in Town{n} Gamma. "
        f"Later Person{n} Delta came to Town{n} Epsilon. "
        f"Then Person{n} Zeta wrote from Harbour City. Harbour City was full. "
        for n in range(12)
    }
    units = {name: unit(int(name[4:]), text) for name, text in texts.items()}
    found = find_candidates([UnitText(name, text) for name, text in texts.items()], sink=ignore, scope=CancelScope())
    features = {name: features_of(units[name], found[name]) for name in units}
    seen = [
        UnitSeen(
            f"unit{n}", (f"PERSON{n} ALPHA", f"PERSON{n} BETA", f"TOWN{n} GAMMA"),
            ((f"PERSON{n} ALPHA", f"PERSON{n} BETA"), (f"PERSON{n} ALPHA", f"TOWN{n} GAMMA")),
        )
        for n in range(8)
    ]  # fmt: skip
    habit = learn(Habit(Fit(1), Fit(1)), seen, found, features, texts)
    titles = choose_titles(habit, "unit11", features["unit11"], found["unit11"])
    assert [title.casefold() for title in titles] == ["person11 alpha", "person11 beta", "town11 gamma"]
    pairs = choose_pairs(habit, "unit11", features["unit11"], titles, texts["unit11"])
    assert len(pairs) == 2 and habit.own == 0.0
    again = choose_titles(habit, "unit11", features["unit11"], found["unit11"])
    assert again == titles, "the same every time"
