"""The page of a real index on an X server, by real wheel, clicks and drags.

With GRAPHRAG_EXPLORER_PICTURES naming a folder, three steps of zoom are saved there, and what was measured of panning.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from explorer.tables.index import open_index
from tests.gui.screens import on_screen, virtual_screen

DRIVER = Path(__file__).with_name("screen_driver.py")


@pytest.fixture(scope="module")
def index_folder(shared: Path) -> Path:
    return shared / "indexes" / "mit" / "kexuan-backup3"


@pytest.fixture(scope="module")
def runs(index_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What two starts of the window saw; each computed its own layout."""
    pictures = os.environ.get("GRAPHRAG_EXPLORER_PICTURES")
    seen = []
    with virtual_screen() as display:
        for start in range(2):
            folder = tmp_path_factory.mktemp(f"start{start}")
            more = []
            if pictures and start == 0:
                Path(pictures).mkdir(parents=True, exist_ok=True)
                more = [str(Path(pictures).resolve())]
            done = subprocess.run(
                [sys.executable, str(DRIVER), str(index_folder), str(folder), *more],
                env=on_screen(display, str(folder)), capture_output=True, text=True, timeout=600, check=False,
            )  # fmt: skip
            assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-6000:]
            seen.append(json.loads((folder / "seen.json").read_text(encoding="utf-8")))
            if more:
                (Path(more[0]) / "panning.json").write_text(json.dumps(seen[0]["pan"], indent=1), encoding="utf-8")
    return seen


pytestmark = [pytest.mark.screen, pytest.mark.alone, pytest.mark.slow, pytest.mark.timeout(1300)]


def test_far_out_one_disc_for_each_community_of_the_level(runs: list[dict[str, Any]], index_folder: Path) -> None:
    far = runs[0]["far"]
    expected = Counter(row.community for row in open_index(index_folder).communities if row.level == 0)
    assert Counter(disc[0] for disc in far["discs"]) == expected
    assert far["dots"] == [] and far["overlaps"] == 0
    width, height = far["size"]
    assert all(0 < x - r and x + r < width and 0 < y - r and y + r < height for _, _, x, y, r in far["discs"])


def test_areas_are_by_size(runs: list[dict[str, Any]], index_folder: Path) -> None:
    sizes = {row.community: row.size for row in open_index(index_folder).communities}
    ratios = [r * r / sizes[number] for number, _, _, _, r in runs[0]["far"]["discs"]]
    assert max(ratios) / min(ratios) == pytest.approx(1.0, abs=0.001)


def test_the_wheel_brings_the_members_all_inside(runs: list[dict[str, Any]], index_folder: Path) -> None:
    index = open_index(index_folder)
    for step in ("mid", "near"):
        frame = runs[0][step]
        discs = {disc[0]: disc for disc in frame["discs"]}
        homes = {id: row.community for row in index.communities if row.level == 0 for id in row.entity_ids}
        for id, x, y, r in frame["dots"]:
            _, _, cx, cy, cr = discs[homes[id]]
            assert ((x - cx) ** 2 + (y - cy) ** 2) ** 0.5 + r <= cr
        assert frame["labels"] > 5 and frame["overlaps"] == 0
    number, at_x, at_y = runs[0]["wheel_over"]
    mid = {disc[0]: disc for disc in runs[0]["mid"]["discs"]}
    assert abs(mid[number][2] - at_x) < 2 and abs(mid[number][3] - at_y) < 2
    members = set(index.community_by_number[number].entity_ids)
    assert members == {dot[0] for dot in runs[0]["mid"]["dots"]} & members


def test_a_click_each_way_shows_the_same_community(runs: list[dict[str, Any]]) -> None:
    chosen = runs[0]["chosen"]
    for way in ("disc", "tree", "icicle", "citation"):
        number, views = chosen[way]
        assert views == [number] * 5, way
    assert chosen["cited_entity"][0] == chosen["cited_entity"][1]


def test_another_level_moves_nothing_that_stays(runs: list[dict[str, Any]]) -> None:
    before = {disc[0]: disc[2:] for disc in runs[0]["level0"]["discs"]}
    after = {disc[0]: disc[2:] for disc in runs[0]["level1"]["discs"]}
    assert Counter(disc[1] for disc in runs[0]["level1"]["discs"])[1] == 211
    stayed = before.keys() & after.keys()
    assert len(stayed) == 12 and all(before[number] == after[number] for number in stayed)


def test_positions_are_equal_in_two_starts(runs: list[dict[str, Any]]) -> None:
    for step in ("far", "mid"):
        assert runs[0][step]["discs"] == runs[1][step]["discs"]
        assert runs[0][step]["dots"] == runs[1][step]["dots"]
    # After a drag the last digit depends on how many steps the X server made of it.
    assert [dot[0] for dot in runs[0]["near"]["dots"]] == [dot[0] for dot in runs[1]["near"]["dots"]]
    for one, other in zip(runs[0]["near"]["discs"], runs[1]["near"]["discs"], strict=True):
        assert one == pytest.approx(other)


def test_the_drag_moved_the_page_and_came_back(runs: list[dict[str, Any]]) -> None:
    """The figures of the drag are for the benchmark table; here it counts that every step was taken and undone."""
    pan = runs[0]["pan"]
    assert pan["frames"] > 10
    assert runs[0]["far"]["discs"] == runs[0]["fit_again"]["discs"]


def test_a_line_says_what_is_not_drawn(runs: list[dict[str, Any]]) -> None:
    words = runs[0]["far"]["footer"]
    assert words.startswith("44 communities · ") and "of 4,333 relationships drawn" in words
    assert "4,466 entities in no community" in words
