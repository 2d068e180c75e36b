"""The command `screenshots`: a picture of every place, in the size and the scheme that were asked for."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

PLACES = ("start", "documents", "communities", "ask", "fan-out", "health", "connections")


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "explorer", "screenshots", *arguments], capture_output=True, text=True, timeout=840
    )


@pytest.mark.slow
@pytest.mark.parametrize(("scheme", "scale", "size"), [("light", "1", (1280, 800)), ("dark", "1.5", (1920, 1200))])
def test_every_place_has_its_picture(shared: Path, tmp_path: Path, scheme: str, scale: str, size) -> None:
    index = shared / "indexes" / "microsoft" / "verbs-v3.1.2"
    result = _run(str(index), "--out", str(tmp_path), "--scheme", scheme, "--scale", scale, "--json")
    assert result.returncode == 0, result.stderr
    assert "Traceback" not in result.stderr
    written = [Path(name) for name in json.loads(result.stdout)["written"]]
    assert [path.name for path in written] == [f"{name}-{scheme}.png" for name in PLACES]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(path.name for path in written)
    for path in written:
        image = QImage(str(path))
        assert (image.width(), image.height()) == size
        corner = image.pixelColor(size[0] - 3, size[1] // 2).lightness()
        assert corner > 200 if scheme == "light" else corner < 60
        colours = {image.pixel(x, y) for x in range(0, size[0], 9) for y in range(0, size[1], 9)}
        assert len(colours) > 5, f"{path.name} is empty"


def test_what_has_no_index_is_said_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "one.txt").write_text("Dear Alma")
    result = _run(str(tmp_path / "letters"), "--out", str(tmp_path / "out"))
    assert result.returncode == 2
    assert "has no index yet" in result.stderr
    assert not list((tmp_path / "out").glob("*.png")) if (tmp_path / "out").exists() else True


def test_a_size_that_is_none_is_refused(tmp_path: Path) -> None:
    result = _run("x", "--out", str(tmp_path), "--size", "large")
    assert result.returncode == 2
    assert "not a size like 1280x800" in result.stderr
