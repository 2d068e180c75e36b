"""Prices and prompts in the window: what ships, what is the user's, what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from explorer.analysts.prompts import Prompts, shipped_text
from explorer.base.errors import InputError
from explorer.gui.places.connections.typed import parameters_text, price_text, read_parameters, read_price
from explorer.models.connection import Connection
from explorer.models.connections import load_connections, save_connection
from explorer.models.prices import Price, price_for, shipped_prices, user_prices, user_prices_file
from tests.gui.connections.conftest import settle


@pytest.fixture
def prices(window, page):
    window.place("connections").show_page(1)
    return window.place("connections").prices


def cell(page, model: str, column: int):
    return page.model.index(page.model.models.index(model), column)


def enter(page, model: str, column: int, text: str) -> bool:
    return page.model.setData(cell(page, model, column), text)


def test_shipped_prices_stand_with_their_source_and_date(prices) -> None:
    assert set(prices.model.models) == set(shipped_prices())
    price = shipped_prices()["gpt-4o"]
    assert float(cell(prices, "gpt-4o", 1).data()) == price.prompt
    assert "openai.com" in cell(prices, "gpt-4o", 3).data() and "2026-11-30" in cell(prices, "gpt-4o", 3).data()


def test_a_price_of_the_users_own_stands_before_it_and_can_be_taken_away(window, prices) -> None:
    assert enter(prices, "gpt-4o", 1, "$1.75")
    assert user_prices() == {"gpt-4o": Price(prompt=1.75, output=shipped_prices()["gpt-4o"].output)}
    assert cell(prices, "gpt-4o", 3).data() == "yours"
    prices.view.setCurrentIndex(cell(prices, "gpt-4o", 1))
    window.registry.get("prices.restore").trigger()
    assert user_prices() == {}
    assert float(cell(prices, "gpt-4o", 1).data()) == shipped_prices()["gpt-4o"].prompt


def test_an_unknown_price_stays_unknown_until_both_are_entered(window, prices) -> None:
    prices.new_model.setText("llama-9")
    window.registry.get("prices.add").trigger()
    assert cell(prices, "llama-9", 1).data() == "unknown"
    assert not enter(prices, "llama-9", 2, "3")
    assert "what prompts cost first" in prices.wrong.text()
    assert enter(prices, "llama-9", 1, "0.5")
    connection = Connection(name="x", kind="openai")
    assert price_for(connection, "llama-9") is None and cell(prices, "llama-9", 2).data() == "unknown"
    assert enter(prices, "llama-9", 2, "1.5")
    assert price_for(connection, "llama-9") == Price(prompt=0.5, output=1.5)


@pytest.mark.parametrize("text", ["cheap", "-1", "nan", "inf", "1e400"])
def test_what_is_no_price_is_refused_and_nothing_is_kept(prices, text: str) -> None:
    assert not enter(prices, "gpt-4o", 1, text)
    assert "A price is a number" in prices.wrong.text()
    assert not user_prices_file().exists()


def test_a_damaged_file_of_prices_is_said(window, page) -> None:
    user_prices_file().parent.mkdir(parents=True, exist_ok=True)
    user_prices_file().write_text("models = 3")
    window.place("connections").prices.load()
    window.place("connections").show_page(1)
    assert str(user_prices_file()) in window.place("connections").prices.wrong.text()
    page.form.show_connection(Connection(name="x", kind="openai", chat_model="gpt-4o"))  # the form still opens


def test_a_price_of_a_connection_stands_before_all_others(window, page, qtbot) -> None:
    save_connection(Connection(name="work", kind="openai", chat_model="gpt-4o", key="none"))
    window.session.connections_changed.emit()
    page.choose("work")
    settle(window, qtbot)
    assert page.form.prices.models == ["gpt-4o"]
    assert page.form.prices.index(0, 3).data().startswith("openai.com")
    page.form.prices.setData(page.form.prices.index(0, 1), "9")
    window.registry.get("connections.save").trigger()
    settle(window, qtbot)
    assert price_for(load_connections()["work"], "gpt-4o").prompt == 9
    page.form.chat_model.setEditText("another")
    assert page.form.prices.models == ["another"]
    assert page.form.prices.index(0, 1).data() == "unknown"


def test_parameters_as_they_are_typed() -> None:
    text = 'temperature = 0, stop = ["a, b", "c"], user = me, flag = true, word = "7"'
    read = read_parameters(text)
    assert read == {"temperature": 0, "stop": ["a, b", "c"], "user": "me", "flag": True, "word": "7"}
    assert read_parameters(parameters_text(read)) == read
    assert read_parameters("  ") == {}
    for wrong in ("temperature", "= 3", "a =", "a = 1, b"):
        with pytest.raises(InputError, match="name = value"):
            read_parameters(wrong)
    assert read_price("") is None and read_price(" 2.5 ") == 2.5
    assert (price_text(2.5), price_text(0.0375), price_text(None)) == ("2.50", "0.0375", "")


def test_a_stage_gets_its_model_and_parameters_in_the_table(page) -> None:
    stages = page.form.stages
    said: list[str] = []
    stages.refused.connect(said.append)
    row = next(row for row in range(stages.rowCount()) if stages.index(row, 0).data() == "Reading reports")
    assert stages.setData(stages.index(row, 1), "mini")
    assert stages.setData(stages.index(row, 2), "max_tokens = 900")
    assert (stages.models, stages.parameters) == ({"map": "mini"}, {"map": {"max_tokens": 900}})
    assert not stages.setData(stages.index(row, 2), "max_tokens") and said
    assert stages.setData(stages.index(row, 1), "") and stages.models == {}
    assert not stages.flags(stages.index(row, 0)) & Qt.ItemFlag.ItemIsEditable


@pytest.fixture
def prompts(window, page, qtbot, tmp_path: Path):
    with qtbot.waitSignal(window.session.layout_ready):
        window.session.open_path(tmp_path / "letters")
    window.place("connections").show_page(2)
    return window.place("connections").prompts


def choose(prompts, name: str) -> None:
    row = [prompt.name for prompt in prompts.model.prompts].index(name)
    prompts.list.setCurrentIndex(prompts.model.index(row, 0))


def test_without_an_open_folder_prompts_are_only_shown(window, page) -> None:
    window.place("connections").show_page(2)
    prompts = window.place("connections").prompts
    assert prompts.text.isReadOnly() and "open a folder" in prompts.words.text()
    assert prompts.model.prompts[0].name == "entity_extraction"
    assert prompts.text.toPlainText() == shipped_text("entity_extraction")


def test_an_edited_prompt_is_that_of_the_open_folder_and_can_be_restored(window, prompts) -> None:
    choose(prompts, "describe")
    edited = f"Be brief.\n{shipped_text('describe')}"
    prompts.text.setPlainText(edited)
    window.registry.get("prompts.save").trigger()
    assert not prompts.wrong.isVisible()
    assert Prompts(prompts.folder).text("describe") == edited
    assert Prompts(prompts.folder).edited == ("describe",)
    assert "edited" in prompts.list.currentIndex().data()
    window.session.close_index()
    assert prompts.text.isReadOnly()
    choose(prompts, "describe")
    assert prompts.text.toPlainText() == shipped_text("describe")


def test_a_prompt_that_lost_a_field_is_refused_in_words_and_what_was_typed_stays(window, prompts) -> None:
    choose(prompts, "entity_extraction")
    broken = shipped_text("entity_extraction").replace("$input_text", "")
    prompts.text.setPlainText(broken)
    window.registry.get("prompts.save").trigger()
    assert "has lost $input_text" in prompts.wrong.text() and prompts.wrong.isVisible()
    assert prompts.text.toPlainText() == broken
    assert Prompts(prompts.folder).edited == ()
    window.registry.get("prompts.restore").trigger()
    assert prompts.text.toPlainText() == shipped_text("entity_extraction")
    assert not prompts.wrong.isVisible()


def test_a_broken_prompt_on_disk_is_named_and_can_be_restored(window, prompts) -> None:
    folder = prompts.folder
    folder.mkdir(parents=True)
    (folder / "reduce.txt").write_text("Answer.")
    (folder / "answer.txt").write_bytes(b"\xff\xfe\x00")
    prompts.load()
    choose(prompts, "reduce")
    assert "has lost" in prompts.wrong.text()
    choose(prompts, "answer")
    assert "cannot be read" in prompts.wrong.text()
    window.registry.get("prompts.restore").trigger()
    choose(prompts, "reduce")
    window.registry.get("prompts.restore").trigger()
    assert Prompts(folder).edited == ()
    assert not list(folder.iterdir())
