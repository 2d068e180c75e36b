"""A GraphRAG project in the window: its settings begin the knobs and decide the run, its prompts are offered."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtWidgets import QLabel, QWidget

from explorer.base.cancel import CancelScope
from explorer.base.events import ignore
from explorer.gui.folder_settings import folder_settings
from explorer.gui.indexing_job import index_in_child
from explorer.gui.loading import NoIndexYet
from explorer.gui.window import MainWindow
from explorer.models.connection import Connection
from explorer.models.connections import save_connection
from explorer.tables.settings import read_settings
from tests.gui.conftest import MakeWindow, small_index, small_layout
from tests.gui.documents.test_paid_runs import said

SECRET = "sk-canary-of-settings-0123"
JOIN = "Join what is said of {entity_name}, {max_length} words: {description_list}"
MAP = 'Note "points" with description and score, {max_length} words: {context_data}'
SETTINGS = f"""
models:
  default_chat_model: {{type: chat, model: gpt-4.1, api_key: {SECRET}}}
  default_embedding_model: {{type: embedding, model: text-embedding-3-large, api_key: "{SECRET}"}}
chunks: {{size: 300, overlap: 30}}
cluster_graph: {{max_cluster_size: 0}}
summarize_descriptions: {{prompt: prompts/join.txt}}
extract_graph: {{prompt: prompts/find.txt, entity_types: [ship, port]}}
global_search: {{max_context_tokens: 300, data_max_tokens: 7000, map_max_length: "${{WORDS}}",
  map_prompt: prompts/map.txt, dynamic_search_threshold: 2}}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    for folder in ("input", "prompts"):
        (root / folder).mkdir(parents=True)
    (root / "input" / "one.txt").write_text("Alma Berg met Bruno Carr in Harbour Street. " * 20)
    for name, text in (("join", JOIN), ("find", "List {tuple_delimiter} of {input_text}"), ("map", MAP)):
        (root / "prompts" / f"{name}.txt").write_text(text)
    (root / "settings.yaml").write_text(SETTINGS)
    return root


@pytest.fixture
def runs() -> list[dict[str, Any]]:
    return []


@pytest.fixture
def window(make_window: MakeWindow, runs: list[dict[str, Any]]) -> MainWindow:
    """A window in which every folder with a `project` in its name is an index of that project, and no other is one."""

    def opener(path: Path) -> Any:
        if path.name == "input" and not runs:
            raise NoIndexYet("no index yet")
        index = small_index(path, name=path.name)
        index.settings = read_settings(path)
        index.home = path.parent / f"home-{path.name}"
        return index

    def runner(folder: Path, home: Path | None, sink: Any, scope: Any, order: Any = None, options: Any = None) -> Any:
        runs.append({"order": order, "options": options})
        return SimpleNamespace(bill=None)

    return make_window(opener=opener, layouter=small_layout, runner=runner, lister=lambda folder: [("one.txt", 9, "")])


def opened(window: MainWindow, qtbot, path: Path) -> Any:
    window.show_place("ask")
    with qtbot.waitSignal(window.session.index_opened):
        window.open_path(path)
    qtbot.waitUntil(lambda: not window.engine.jobs)
    return window.place("ask")


def asked(window: MainWindow, qtbot, folder: Path) -> Any:
    """Open a folder and wait for the question before its run."""
    window.open_path(folder)
    qtbot.waitUntil(lambda: window.desk.preparation.state == "ready" and not window.engine.jobs)
    return window.place("documents").before_pane


def all_words(root: QWidget) -> str:
    """Everything that a page says, and what its fields hold and tell."""
    said = []
    for widget in root.findChildren(QWidget):
        said += [widget.toolTip(), widget.accessibleName(), widget.accessibleDescription()]
        for name in ("text", "toPlainText", "currentText", "suffix", "placeholderText"):
            found = getattr(type(widget), name, None)
            if callable(found):
                said.append(str(found(widget)))
    return "\n".join(said)


# Ask


def test_the_knobs_begin_with_the_values_of_the_project(window: MainWindow, qtbot, project: Path) -> None:
    knobs = opened(window, qtbot, project).knobs
    assert knobs.numbers["max_context_tokens"].value() == 300  # less than a person could turn to: not cut to 500
    assert knobs.numbers["data_max_tokens"].value() == 7000
    assert knobs.numbers["map_max_length"].value() == 1000
    assert knobs.options(0).max_context_tokens == 300
    assert "settings.yaml" in knobs.numbers["data_max_tokens"].suffix()
    assert "settings.yaml" not in knobs.numbers["map_max_length"].suffix()
    words = knobs.note.text()
    assert f"From {project / 'settings.yaml'}: Tokens of a batch 300" in words
    assert "map_max_length in settings.yaml names an environment variable" in words
    assert "Read, but of no knob here: dynamic_search_threshold 2." in words
    assert "2 from settings.yaml, 1 left out" in window.place("ask").knobs_button.text()


def test_back_to_the_defaults_and_to_the_project_again(window: MainWindow, qtbot, project: Path) -> None:
    place = opened(window, qtbot, project)
    knobs = place.knobs
    knobs.reset_button.click()
    assert knobs.options(0).max_context_tokens == 12_000 and knobs.options(0).data_max_tokens == 12_000
    assert "Not used now" in knobs.note.text() and "0 from settings.yaml" in place.knobs_button.text()
    knobs.again_button.click()
    assert knobs.options(0).max_context_tokens == 300 and not knobs.again_button.isEnabled()
    assert "2 from settings.yaml" in place.knobs_button.text()


def test_another_index_has_its_own_values_and_what_was_turned_stays(
    window: MainWindow, qtbot, project: Path, tmp_path: Path
) -> None:
    knobs = opened(window, qtbot, project).knobs
    knobs.numbers["data_max_tokens"].setValue(5000)
    opened(window, qtbot, project)  # the same project, opened again after a run
    assert knobs.options(0).data_max_tokens == 5000
    (tmp_path / "bare").mkdir()
    place = opened(window, qtbot, tmp_path / "bare")
    assert knobs.options(0).max_context_tokens == 12_000 and knobs.options(0).data_max_tokens == 5000
    assert place.knobs_button.text() == "Knobs ▾" and knobs.note.isHidden() and knobs.again_button.isHidden()


@pytest.mark.parametrize("text", ["a: [", "[1]", "x: &x {y: *x}", "global_search: {max_context_tokens: 0}"])
def test_settings_that_cannot_be_used_leave_the_defaults_and_one_sentence(
    window: MainWindow, qtbot, project: Path, text: str
) -> None:
    (project / "settings.yaml").write_text(text)
    place = opened(window, qtbot, project)
    assert place.knobs.options(0).max_context_tokens == 12_000
    assert len(place.knobs.note.text().splitlines()) == 1 and "stand" in place.knobs.note.text()
    assert "0 from settings.yaml, 1 left out" in place.knobs_button.text()


# Documents


def test_a_folder_of_a_project_waits_and_says_what_decides_its_run(
    window: MainWindow, qtbot, project: Path, runs: list[dict[str, Any]]
) -> None:
    pane = asked(window, qtbot, project / "input")
    assert not runs and pane.settings.use.isChecked()
    words = pane.settings.values.text()
    assert "chunk_size 300" in words and "entity_types ship, port" in words and str(project / "settings.yaml") in words
    assert "max_cluster_size 0 in settings.yaml is not allowed" in pane.settings.left_out.text()
    assert "gpt-4.1" in pane.settings.left_out.text()
    assert "costs nothing" in pane.line.text() and pane.max_cost.isHidden() and pane.pilot_button.isHidden()
    assert not window.registry.get("index.pilot").isEnabled()
    with qtbot.waitSignal(window.indexing.finished):
        window.registry.get("index.start").trigger()
    options = runs[0]["options"]
    assert (options.chunk_size, options.chunk_overlap, options.entity_types) == (300, 30, ("ship", "port"))
    assert options.max_cluster_size == 10 and runs[0]["order"] is None


def test_the_defaults_can_be_had_instead(window: MainWindow, qtbot, project: Path, runs: list[dict[str, Any]]) -> None:
    pane = asked(window, qtbot, project / "input")
    pane.settings.use.click()
    assert "The defaults hold" in pane.settings.values.text()
    qtbot.waitUntil(lambda: not window.engine.jobs)
    with qtbot.waitSignal(window.indexing.finished):
        window.registry.get("index.start").trigger()
    assert runs[0]["options"] is None


def test_an_estimate_is_made_with_the_values_and_anew_without(
    window: MainWindow, qtbot, project: Path, runs: list[dict[str, Any]]
) -> None:
    save_connection(Connection(name="Paid", base_url="http://127.0.0.1:9/v1", chat_model="m", key="none"))
    seen: list[Any] = []

    def estimator(*arguments: Any, options: Any = None) -> Any:
        seen.append(options)
        return said()

    window.desk.preparation._estimator = estimator
    window.session.use_connection("Paid")
    pane = asked(window, qtbot, project / "input")
    assert seen[-1].chunk_size == 300
    pane.settings.use.click()
    qtbot.waitUntil(lambda: window.desk.preparation.state == "ready" and not window.engine.jobs)
    assert seen[-1] is None
    pane.settings.use.click()
    qtbot.waitUntil(lambda: window.desk.preparation.state == "ready" and not window.engine.jobs)
    window.session.use_connection("offline")  # it costs nothing now, and still is a question of the settings
    qtbot.waitUntil(lambda: window.desk.preparation.state == "ready" and not window.engine.jobs)
    assert window.desk.preparation.connection is None
    with qtbot.waitSignal(window.indexing.finished):
        window.registry.get("index.start").trigger()
    assert runs[0]["options"].chunk_size == 300


def test_a_folder_of_no_project_begins_at_once(
    window: MainWindow, qtbot, project: Path, runs: list[dict[str, Any]]
) -> None:
    (project / "settings.yaml").unlink()
    with qtbot.waitSignal(window.indexing.finished):
        window.open_path(project / "input")
    assert runs == [{"order": None, "options": None}]


def test_the_process_of_indexing_cuts_as_the_settings_say(project: Path, tmp_path: Path) -> None:
    (project / "input" / "one.txt").write_text("Alma Berg met Bruno Carr in Harbour Street. " * 50)
    settings = folder_settings(project / "input", tmp_path / "home")
    assert settings is not None
    made = [
        index_in_child(project / "input", tmp_path / name, None, options, sink=ignore, scope=CancelScope()).text_units
        for name, options in (("ours", None), ("theirs", settings.options))
    ]
    assert made == [1, 2]  # 452 tokens of o200k_base: 1,200 hold them, 300 with 30 of them twice do not


# Prompts


def test_prompts_are_offered_and_taken_over_by_choice(window: MainWindow, qtbot, project: Path) -> None:
    pane = asked(window, qtbot, project / "input")
    kept = project / "input" / ".graphrag-explorer" / "prompts"
    assert "3 prompts of its own: 2 could be sent here, none of them is used" in pane.settings.prompts.text()
    assert not kept.exists()
    window.registry.get("index.prompts").trigger()
    dialog = window.desk.dialog
    assert "None of these is used until you take it over" in dialog.findChildren(QLabel)[0].text()
    rows = {offer.path.name: row for row, offer in enumerate(dialog.model.rows)}
    dialog.table.selectRow(rows["find.txt"])
    assert "JSON" in dialog.words.text() and not dialog.take_button.isEnabled() and dialog.text.toPlainText() == ""
    dialog.table.selectRow(rows["join.txt"])
    assert "$title" in dialog.words.text() and "${title}" in dialog.text.toPlainText()
    dialog.take_button.click()
    qtbot.waitUntil(lambda: not window.engine.jobs)
    assert [path.name for path in kept.iterdir()] == ["describe.txt"]
    assert "1 of them is used" in pane.settings.prompts.text() and not dialog.take_button.isEnabled()
    dialog.back_button.click()
    qtbot.waitUntil(lambda: not window.engine.jobs)
    assert list(kept.iterdir()) == [] and "none of them is used" in pane.settings.prompts.text()
    dialog.close()


def test_prompts_of_an_open_index_are_offered_beside_its_own(window: MainWindow, qtbot, project: Path) -> None:
    opened(window, qtbot, project)
    place = window.place("connections")
    place.show_page(2)
    page = place.prompts
    assert "3 prompts of its own; 1 could be sent here" in page.offers.text()  # those of indexing: for the documents
    window.registry.get("prompts.offers").trigger()
    page.dialog.all_button.click()
    qtbot.waitUntil(lambda: not window.engine.jobs)
    assert [prompt.name for prompt in page.model.prompts if prompt.edited] == ["map_points"]
    page.dialog.close()
    window.session.close_index()
    assert page.offers.isHidden() and not window.registry.get("prompts.offers").isEnabled()


# Connections


def test_the_models_of_the_project_are_offered_to_a_connection(window: MainWindow, qtbot, project: Path) -> None:
    opened(window, qtbot, project)
    window.show_place("connections")
    page = window.place("connections").connections
    page.new()
    assert page.form.chat_model.currentText() == ""  # offered, not imposed
    assert page.form.project_models.text() == "settings.yaml names the models gpt-4.1 and text-embedding-3-large"
    window.registry.get("connections.take_models").trigger()
    connection = page.form.read()
    assert (connection.chat_model, connection.embedding_model) == ("gpt-4.1", "text-embedding-3-large")
    page.discard()
    qtbot.waitUntil(lambda: not window.engine.jobs)


def test_no_key_of_the_settings_is_shown_or_stored(window: MainWindow, qtbot, project: Path, tmp_path: Path) -> None:
    opened(window, qtbot, project)
    asked(window, qtbot, project / "input")
    window.registry.get("index.prompts").trigger()
    window.desk.dialog.all_button.click()
    qtbot.waitUntil(lambda: not window.engine.jobs)
    place = window.place("connections")
    place.show_page(0)
    place.connections.new()
    window.registry.get("connections.take_models").trigger()
    place.connections.form.name.setText("Theirs")
    place.connections.form.key.show_place("none")
    place.connections.save()
    qtbot.waitUntil(lambda: not window.engine.jobs)
    place.show_page(2)
    window.show_place("ask")
    window.place("ask").show_knobs()
    assert SECRET not in all_words(window) + all_words(window.desk.dialog) + all_words(window.place("ask").knobs)
    window.place("ask").knobs.hide()
    window.desk.dialog.close()
    held = [path for path in tmp_path.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]
    assert held == [project / "settings.yaml"]
