"""Whether the whole prompt of a connection's test was read, and whether there is room for what real runs send."""

from __future__ import annotations

from explorer.base.words import counted
from explorer.models.check_prompt import FIRST, LAST, MIDDLE, CheckPrompt, found_names
from explorer.models.check_report import CheckLine

EXTRACTION = 3500  # tokens: prompt, reply and the second look at one text unit
REPORTS = 10_000  # tokens: GraphRAG's budget for the context of a report, and the report
_CUT = 0.8  # a server that counts fewer tokens than this share of ours has not read the whole prompt


def window_lines(prompt: CheckPrompt, reply: str, read: int, window: int | None, entities: int) -> list[CheckLine]:
    """What a reply shows of the context window.

    Parameters
    ----------
    reply: the text that came back; entities: how many it lists.
    read: the prompt's tokens as the server counted them, 0 where it does not say.
    window: the context window in tokens where it is known.

    A prompt was cut where the name at its very beginning did not come back and either the server counted too few
    tokens, or it counts none and the name at the end did come back.
    """
    first, middle, last = found_names(reply)
    too_few = 0 < read < _CUT * prompt.tokens
    if not first and (too_few or (not read and last)):
        server = f"counted {read:,}" if read else "counts none"
        return [
            CheckLine(
                "window", "wrong",
                f"The context window is shorter than the prompt: about {prompt.tokens:,} tokens were sent, the server "
                f"{server}, and the name at the beginning ({FIRST}) did not come back. This is the commonest cause of "
                "empty results with local models. Give the model more context: OLLAMA_CONTEXT_LENGTH (or num_ctx) for "
                f"Ollama, the context length in LM Studio, -c for llama.cpp; at least {EXTRACTION:,} tokens.",
            )
        ]  # fmt: skip
    lines = [_room(prompt, read, window)]
    missing = [name for name, there in ((FIRST, first), (MIDDLE, middle), (LAST, last)) if not there]
    if missing:
        listed = counted(entities, "entity", "entities")
        lines.append(
            CheckLine(
                "chat", "note",
                f"The test text names three people; the reply has {listed} and leaves out {', '.join(missing)}. "
                "Expect this model to overlook things.",
            )
        )  # fmt: skip
    return lines


def _room(prompt: CheckPrompt, read: int, window: int | None) -> CheckLine:
    if window is not None and window < EXTRACTION:
        return CheckLine(
            "window", "wrong",
            f"The context window of {window:,} tokens holds this prompt ({prompt.tokens:,} tokens) but not the reply "
            f"and a second look at the text: give the model at least {EXTRACTION:,} tokens of context.",
        )  # fmt: skip
    if window is not None and window < REPORTS:
        return CheckLine(
            "window", "note",
            f"The context window of {window:,} tokens is enough for extraction; reports and answers may send up to "
            f"about {REPORTS:,}: lower their budgets to fit, or give the model more context.",
        )  # fmt: skip
    size = f" The context window is {window:,} tokens." if window is not None else ""
    server = f"; the server counted {read:,}" if read else ""
    return CheckLine("window", "right", f"A prompt of {prompt.tokens:,} tokens was read whole{server}.{size}")
