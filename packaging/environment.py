"""The Python environment of a checkout: made once, from the locked requirements. Standard library only."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import shutil
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import machine

ROOT = Path(__file__).resolve().parents[1]
_PAUSE = 10.0  # seconds, longer each time: the package index may be slow or away for a while
_LOCKS = {"run": [ROOT / "requirements.lock"], "check": [ROOT / "requirements.lock", ROOT / "packaging" / "check.lock"]}


def say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


def prepare(purpose: str) -> Path:
    """Make the environment for `purpose` ("run" or "check") where it is not there yet; the path of its Python.

    Exits with 2 and one sentence where something is missing that only the user can bring.
    """
    if sys.version_info < (3, 11):
        raise SystemExit(
            _fail(f"Python 3.11 or later is needed; this is {sys.version.split()[0]}. Start it with a newer one.")
        )
    _system_packages(tests=purpose == "check")
    home = _home()
    python = home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    stamp = home / f"explorer-{purpose}.json"
    wanted = _fingerprint(purpose)
    if python.exists() and stamp.exists() and stamp.read_text("utf-8") == wanted:
        return python
    say(f"Setting up the environment in {home} (once; it takes about a minute) …")
    stamp.unlink(missing_ok=True)  # whatever becomes of it, it is not what an older lock wanted any more
    there = _works(python)
    if not there:
        _create(home, python)
    if not _install(python, purpose):
        if not (there and _index_answers(python)):
            raise SystemExit(_fail(_NOT_SET_UP))
        say("What is there, perhaps half made, cannot be brought up to date; making it anew …")
        _create(home, python)
        if not _install(python, purpose):
            raise SystemExit(_fail(_NOT_SET_UP))
    # Compiled once here: where the variable PYTHONDONTWRITEBYTECODE is set, every start would compile anew.
    subprocess.run([str(python), "-m", "compileall", "-q", str(ROOT / "explorer")], stdout=sys.stderr, check=False)
    stamp.write_text(wanted, "utf-8")
    return python


def _pip(python: Path) -> list[str]:
    return [str(python), "-m", "pip", "--disable-pip-version-check"]


def _install(python: Path, purpose: str) -> bool:
    """Install what is locked, and the checkout itself; once more, after a while, where it fails.

    Where tests are to run nobody sits there and waits, so there is more patience with the package index.
    """
    tries, patience = (4, ["--retries", "8", "--timeout", "60"]) if purpose == "check" else (2, [])
    pip = _pip(python)
    files = [part for lock in _LOCKS[purpose] for part in ("-r", str(lock))]
    locked = [*pip, "install", "--quiet", *patience, "--require-hashes", *files]
    own = [*pip, "install", "--quiet", "--no-deps", "--no-build-isolation", "--editable", str(ROOT)]
    for attempt in range(1, tries + 1):
        if _run(locked) and _run(own):
            return True
        if attempt < tries:
            _pause(attempt)
    return False


def _index_answers(python: Path) -> bool:
    """Whether the package index can be reached at all: without it nothing that is there is thrown away."""
    with tempfile.TemporaryDirectory() as folder:
        return _run([*_pip(python), "download", "--quiet", "--no-deps", "--dest", folder, "editables"])


def _system_packages(*, tests: bool) -> None:
    missing = machine.missing_packages(tests=tests)
    if not missing:
        return
    if machine.is_root():
        say(f"Installing {len(missing)} system packages: {' '.join(missing)}")
        if machine.install(missing, tries=4 if tests else 2):
            return
        raise SystemExit(_fail(f"The system packages could not be installed; run: {machine.install_command(missing)}"))
    fonts_only = all("cjk" in name for name in missing)
    if fonts_only or (not tests and not machine.has_screen()):
        say(f"For {'all letters' if fonts_only else 'a window'}, run once: {machine.install_command(missing)}")
        return
    raise SystemExit(
        _fail(f"Some system packages are missing; run this once, then start again: {machine.install_command(missing)}")
    )


def _home() -> Path:
    """`.venv` in the checkout; where that cannot be written, a folder of the user's cache."""
    if os.access(ROOT, os.W_OK):
        return ROOT / ".venv"
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or str(Path.home() / ".cache")
    return Path(base) / "graphrag-explorer" / f"env-{hashlib.sha256(str(ROOT).encode()).hexdigest()[:12]}"


def _fingerprint(purpose: str) -> str:
    digest = hashlib.sha256()
    for path in [*_LOCKS[purpose], ROOT / "pyproject.toml"]:
        digest.update(path.read_bytes())
    return json.dumps({"locks": digest.hexdigest(), "python": sys.version, "root": str(ROOT)})


def _works(python: Path) -> bool:
    if not python.exists():
        return False
    probe = subprocess.run([str(python), "-c", "import pip"], capture_output=True, check=False)
    return probe.returncode == 0


def _create(home: Path, python: Path) -> None:
    if home.exists():
        shutil.rmtree(home)
    if importlib.util.find_spec("ensurepip") is not None and _venv(home, with_pip=True):
        return
    # No ensurepip (Debian without python3-venv): a bare environment, and pip from the package index. The system's
    # own package comes second, since it would also replace the machine's certificates.
    try:
        if not _venv(home, with_pip=False):
            raise ValueError("this Python has no venv module")
        with tempfile.TemporaryDirectory() as folder:
            wheel = _fetch_pip_patiently(Path(folder))
            if not _run([str(python), f"{wheel}/pip", "install", "--quiet", "--no-index", str(wheel)]):
                raise ValueError("pip could not be installed")
    except (OSError, ValueError) as error:
        shutil.rmtree(home, ignore_errors=True)
        if machine.is_root() and machine.install(["python3-venv"], tries=2) and _venv(home, with_pip=True):
            return
        command = machine.install_command(["python3-venv"])
        raise SystemExit(
            _fail(f"An environment could not be made ({error}); run this once, then start again: {command}")
        ) from error


def _venv(home: Path, *, with_pip: bool) -> bool:
    options = [] if with_pip else ["--without-pip"]
    done = subprocess.run([sys.executable, "-m", "venv", *options, str(home)], capture_output=True, check=False)
    return done.returncode == 0


def _fetch_pip_patiently(folder: Path) -> Path:
    for attempt in (1, 2):
        try:
            return _fetch_pip(folder)
        except (OSError, ValueError):
            _pause(attempt)
    return _fetch_pip(folder)


def _fetch_pip(folder: Path) -> Path:
    """Download pip's newest wheel from the package index and check it against the hash that the index names."""
    index = os.environ.get("PIP_INDEX_URL", "https://pypi.org/simple").rstrip("/")
    context = ssl.create_default_context(cafile=os.environ.get("PIP_CERT") or None)
    request = urllib.request.Request(f"{index}/pip/", headers={"Accept": "application/vnd.pypi.simple.v1+json"})
    with urllib.request.urlopen(request, timeout=60, context=context) as answer:
        files = json.load(answer)["files"]
    wheels = [file for file in files if re.fullmatch(r"pip-[0-9.]+-py3-none-any\.whl", file["filename"])]
    if not wheels:
        raise ValueError("the index names no pip wheel")
    newest = max(wheels, key=lambda file: tuple(int(part) for part in file["filename"].split("-")[1].split(".")))
    with urllib.request.urlopen(newest["url"], timeout=60, context=context) as answer:
        data = answer.read()
    if hashlib.sha256(data).hexdigest() != newest["hashes"]["sha256"]:
        raise ValueError("pip's wheel does not match its hash")
    target = folder / newest["filename"]
    target.write_bytes(data)
    return target


_NOT_SET_UP = "The environment could not be set up (see above); check the network and start again."


def _run(command: list[str]) -> bool:
    return subprocess.run(command, stdout=sys.stderr, check=False).returncode == 0


def _pause(attempt: int) -> None:
    say(f"That did not work; once more in {_PAUSE * attempt:.0f} seconds.")
    time.sleep(_PAUSE * attempt)


def _fail(sentence: str) -> int:
    say(sentence)
    return 2
