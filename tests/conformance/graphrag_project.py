"""A folder that graphrag's command line takes for a project of its own, and its `query` run as a process in it."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

READER = Path(__file__).with_name("read_with_graphrag.py")
SETTINGS = """\
completion_models:
  default_completion_model:
    model_provider: openai
    model: gpt-4.1
    api_base: {url}
    api_key: dummy
embedding_models:
  default_embedding_model:
    model_provider: openai
    model: text-embedding-3-small
    api_base: {url}
    api_key: dummy
vector_store:
  type: lancedb
  db_uri: output/lancedb
  vector_size: 384
"""


@dataclass(frozen=True)
class Project:
    """`python` is the interpreter that has graphrag; `root` holds settings.yaml and output/."""

    python: str
    root: Path

    def ask(self, method: str, question: str, timeout: float) -> subprocess.CompletedProcess[str]:
        """`graphrag query` with its defaults."""
        return self._run(["-m", "graphrag", "query", "-r", str(self.root), "--method", method, question], timeout)

    def read(self, timeout: float) -> dict[str, Any]:
        """What graphrag's loaders make of the tables (see read_with_graphrag.py). Raises RuntimeError with what they
        said where they fail."""
        done = self._run([str(READER), str(self.root)], timeout)
        if done.returncode:
            raise RuntimeError(f"graphrag's loaders failed:\n{done.stderr[-3000:]}")
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    def digest(self) -> dict[str, str]:
        """The hash of every file of output/, the vectors' too."""
        files = sorted(path for path in (self.root / "output").rglob("*") if path.is_file())
        return {str(path.relative_to(self.root)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}

    def _run(self, arguments: list[str], timeout: float) -> subprocess.CompletedProcess[str]:
        environment = {
            name: value
            for name, value in os.environ.items()
            if not name.upper().startswith(("GRAPHRAG_", "PYTHON", "VIRTUAL_ENV")) and "PROXY" not in name.upper()
        }
        environment |= {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "PYTHONUTF8": "1"}
        return subprocess.run(
            [self.python, *arguments], cwd=self.root, env=environment, timeout=timeout,
            capture_output=True, text=True, encoding="utf-8", check=False,
        )  # fmt: skip


def make_project(home: Path, root: Path, url: str, python: str) -> Project:
    """A copy of the folder that holds `output/`, with a settings.yaml beside it and nothing converted."""
    shutil.copytree(home, root)
    (root / "settings.yaml").write_text(SETTINGS.format(url=url), encoding="utf-8")
    return Project(python, root)
