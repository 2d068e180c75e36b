"""What the scripted model server can be told to do: one object, given as JSON at the start, changed while it runs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

FAULTS = (
    "rate_limit",  # 429, with Retry-After where `retry_after` is given, with retry-after-ms where `retry_after_ms` is
    "quota",  # 429 that does not pass: insufficient_quota
    "500",
    "502",
    "503",
    "400",
    "401",
    "drop",  # the connection is closed before any byte of the reply
    "drop_body",  # … in the middle of the body
    "hang",  # no byte ever comes
    "empty_body",  # 200 with an empty body
    "bad_body",  # 200 with a body that is no JSON
    "truncated_body",  # 200 with a body of JSON that ends too early
    "empty_content",  # a choice whose content is ""
    "null_content",
    "no_choices",
    "truncated",  # the content is JSON that ends too early
    "prose",  # the content is JSON with prose around it
    "fenced",  # the content is JSON in a Markdown fence
    "wrong_types",  # the content is JSON with strings where lists belong, and so on
    "nonsense",  # the content is prose without any JSON
    "refusal",  # the message has a refusal and no content
    "filtered",  # finish_reason content_filter, with no content
    "length",  # finish_reason length, with half of the content
    "slow",  # the reply comes `seconds` later
)


@dataclass(frozen=True)
class FaultRule:
    """A fault and when it happens. All conditions given must hold; the first rule that holds is taken.

    `probability` is decided by `seed`, the request's messages and how often they were sent: the order in which
    requests come changes nothing. `attempts` is how often the same request meets this rule (None: always), `times` how
    often the rule is taken at all, `after` how many requests of its path it lets pass first.
    """

    fault: str
    probability: float = 1.0
    seed: int = 0
    match: str = ""  # a regular expression that is searched for in the prompt
    task: str = ""  # entity_extraction, community_report, … or text
    path: str = ""  # chat or embeddings
    model: str = ""
    attempts: int | None = None
    times: int | None = None
    after: int = 0
    retry_after: float | None = None
    retry_after_ms: float | None = None
    seconds: float = 0.0

    def __post_init__(self) -> None:
        if self.fault not in FAULTS:
            raise ValueError(f"no fault is named {self.fault!r}; there are {', '.join(FAULTS)}")
        re.compile(self.match)


@dataclass(frozen=True)
class ServerSettings:
    """How the server behaves. Every field may be changed while it runs.

    `keys` None: any key is good, and none is too. `models` None: any name is known. `script` is taken first: the fault
    of each request in the order of arrival ("ok" for none), then `faults`. `latency` is in seconds, or a range from
    which each request's messages choose. `tokens` is "o200k_base", "cl100k_base" or "approximate" (characters / 4);
    `message_tokens` is what each message costs beside its content.
    """

    keys: tuple[str, ...] | None = None
    models: tuple[str, ...] | None = None
    modes: tuple[str, ...] = ("json_schema", "json_object", "text")
    unknown_mode: str = "refuse"  # or "ignore": answer as if it had not been asked
    refused_parameters: tuple[str, ...] = ()
    embeddings: bool = True
    chat: bool = True
    dimension: int = 384
    embedder: str = "words"  # or "offline": the vectors of the program's own offline model, whatever the dimension
    context_window: int | None = None
    over_window: str = "refuse"  # or "cut": drop the beginning in silence, and say so in the usage only
    latency: float | tuple[float, float] = 0.0
    hold: int | None = None  # requests beyond so many (since the reset) come in and are not answered, until None again
    chunk_delay: float = 0.0  # between two pieces of a stream
    tokens: str = "o200k_base"
    message_tokens: int = 0
    usage: bool = True
    faults: tuple[FaultRule, ...] = ()
    script: tuple[str, ...] = ()
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    window: float = 60.0  # seconds of those two
    echo_key: bool = False  # an error about a key says the key, as some proxies do
    keep_bodies: bool = False  # the log holds what was asked and what was answered

    def changed(self, values: Mapping[str, Any]) -> ServerSettings:
        """These settings with some values of a JSON object in place. Raises ValueError for what is no setting."""
        known = {item.name for item in fields(self)}
        unknown = sorted(set(values) - known)
        if unknown:
            raise ValueError(f"no setting is named {unknown[0]!r}; there are {', '.join(sorted(known))}")
        return replace(self, **{name: _value(name, value) for name, value in values.items()})


def _value(name: str, value: Any) -> Any:
    if name == "faults":
        return tuple(rule if isinstance(rule, FaultRule) else FaultRule(**_rule(rule)) for rule in value)
    return tuple(value) if isinstance(value, list) else value


def _rule(rule: str | Mapping[str, Any]) -> Mapping[str, Any]:
    return {"fault": rule} if isinstance(rule, str) else rule


@dataclass
class Chooser:
    """Chooses the fault of a request; counts how often each request and each rule was met."""

    rules: Sequence[FaultRule] = ()
    script: Sequence[str] = ()
    seen: int = 0
    seen_paths: dict[str, int] = field(default_factory=dict)
    attempts: dict[str, int] = field(default_factory=dict)
    met: dict[tuple[int, str], int] = field(default_factory=dict)
    taken: dict[int, int] = field(default_factory=dict)

    def choose(self, *, path: str, task: str, model: str, identity: str, prompt: str) -> FaultRule | None:
        """The rule that this request meets, or None. `identity` is the hash of what was asked."""
        number = self.seen
        self.seen += 1
        before = self.seen_paths.get(path, 0)
        self.seen_paths[path] = before + 1
        attempt = self.attempts.get(identity, 0)
        self.attempts[identity] = attempt + 1
        if number < len(self.script):
            name = self.script[number]
            return None if name == "ok" else FaultRule(name)
        for index, rule in enumerate(self.rules):
            if self._holds(index, rule, path, task, model, identity, prompt, before, attempt):
                self.met[index, identity] = self.met.get((index, identity), 0) + 1
                self.taken[index] = self.taken.get(index, 0) + 1
                return rule
        return None

    def _holds(
        self,
        index: int,
        rule: FaultRule,
        path: str,
        task: str,
        model: str,
        identity: str,
        prompt: str,
        before: int,
        attempt: int,
    ) -> bool:
        if (rule.path and rule.path != path) or (rule.task and rule.task != task):
            return False
        if (rule.model and rule.model != model) or before < rule.after:
            return False
        if rule.times is not None and self.taken.get(index, 0) >= rule.times:
            return False
        if rule.attempts is not None and self.met.get((index, identity), 0) >= rule.attempts:
            return False
        if rule.match and not re.search(rule.match, prompt):
            return False
        return rule.probability >= 1.0 or share(rule.seed, index, identity, attempt) < rule.probability


def share(*parts: object) -> float:
    """A number from 0 to 1 that depends on the parts and on nothing else."""
    import hashlib

    digest = hashlib.blake2b("\0".join(map(str, parts)).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**64
