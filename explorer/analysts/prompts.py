"""The prompts of the program, filled in: what a language model is sent, and what a rehearsal counts.

Each prompt ends with its data on lines of their own. A tokenizer of the GPT family never joins a line feed with the
letter that follows it, so that the tokens of a prompt are those of its head and those of its data. The end is also the
fence of the data: a prompt says that they run to the end of the message, and no text can close what has no end mark.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from string import Template

from explorer.analysts.message import Message
from explorer.base.errors import InputError
from explorer.base.paths import resource
from explorer.base.tokens import EncodingName, count_tokens

INDEX_PROMPTS = ("claim_extraction", "community_report", "describe", "entity_extraction", "entity_gleaning")
LONGEST = 100_000  # characters of an edited prompt; more is a file that was put there by mistake
ANY_TYPE = "the kind of thing it is, in one or two words"
CLAIMS = (
    "what someone or something did, is said to have done or is accused of; what was agreed, paid, measured, decided "
    "or disputed; what would change a reader's view of it."
)

PROMPTS_NAME = "prompts"  # the folder of a project's own prompts, in the home of its index


class Prompts:
    """The prompts of one project: those that ship, and in their place those that stand edited in a folder.

    Parameters
    ----------
    folder: where edited prompts lie as NAME.txt, or None for those that ship. It need not exist.

    Raises InputError, with one sentence, for an edited prompt that cannot be read or lacks a field.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder
        self._texts = {name: shipped_text(name) for name in prompt_names()}
        self.edited: tuple[str, ...] = ()  # names of the prompts that are not the shipped ones
        if folder is None or not folder.is_dir():
            return
        edited = []
        for name, shipped in self._texts.items():
            path = folder / f"{name}.txt"
            if path.is_file():
                text = _read_edited(path)
                check_prompt(name, text)
                self._texts[name] = text
                if text != shipped:
                    edited.append(name)
        self.edited = tuple(edited)

    def text(self, name: str) -> str:
        """A prompt as it stands, with its fields unfilled. Raises FileNotFoundError for a name that is no prompt."""
        if name not in self._texts:
            raise FileNotFoundError(f"prompts/{name}.txt")
        return self._texts[name]

    def render(self, name: str, **fields: object) -> str:
        """The prompt `name` with its fields filled in.

        Values are put in once: a `$` inside them is ordinary text. Raises KeyError for a field that is missing and
        FileNotFoundError for a name that is no prompt.
        """
        return Template(self.text(name)).substitute({field: str(value) for field, value in fields.items()})

    def fingerprint(self, *names: str) -> str:
        """A SHA-256 in hex of the texts of some prompts, by default all: equal texts give equal fingerprints."""
        digest = hashlib.sha256()
        for name in sorted(names or self._texts):
            digest.update(f"{name}\0{self.text(name)}\0".encode())
        return digest.hexdigest()

    def map_messages(self, question: str, batch_text: str, max_length: int = 1000) -> tuple[Message, ...]:
        """What a model is sent for one map batch: the prompt with the batch's text, then the question."""
        system = self.render("map_points", context_data=batch_text, max_length=max_length)
        return Message("system", system), Message("user", question)

    def reduce_messages(
        self, question: str, data: str, response_type: str = "Multiple Paragraphs", max_length: int = 2000
    ) -> tuple[Message, ...]:
        """What a model is sent to write the answer: the prompt with the packed points, then the question."""
        system = self.render("reduce", report_data=data, response_type=response_type, max_length=max_length)
        return Message("system", system), Message("user", question)

    def rating_messages(self, question: str, report: str) -> tuple[Message, ...]:
        """What a model is sent to rate one report for a question."""
        system = self.render("community_rating", description=report, question=question)
        return Message("system", system), Message("user", question)

    def answer_messages(
        self, question: str, context: str, response_type: str = "Multiple Paragraphs"
    ) -> tuple[Message, ...]:
        """What a model is sent to answer from rows of an index."""
        system = self.render("answer", context_data=context, response_type=response_type)
        return Message("system", system), Message("user", question)

    def extract_messages(self, unit_text: str, entity_types: Sequence[str] | None = None) -> tuple[Message, ...]:
        """What a model is sent to find the entities and relationships of one text unit; None is: of any type."""
        types = ANY_TYPE if entity_types is None else f"one of: {', '.join(entity_types)}"
        return (Message("user", self.render("entity_extraction", entity_types=types, input_text=unit_text.strip())),)

    def glean_messages(self, before: Sequence[Message], reply: str) -> tuple[Message, ...]:
        """The conversation so far, the model's last reply, and the request for what is missing from it."""
        return (*before, Message("assistant", reply), Message("user", self.render("entity_gleaning")))

    def claim_messages(self, unit_text: str, claim_description: str = CLAIMS) -> tuple[Message, ...]:
        """What a model is sent to find the claims of one text unit."""
        text = self.render("claim_extraction", claim_description=claim_description, input_text=unit_text.strip())
        return (Message("user", text),)

    def describe_messages(self, title: str, descriptions: str, max_length: int = 500) -> tuple[Message, ...]:
        """What a model is sent to join several descriptions of one thing."""
        text = self.render("describe", title=title, descriptions=descriptions, max_length=max_length)
        return (Message("user", text),)

    def report_messages(self, input_text: str, max_report_length: int = 2000) -> tuple[Message, ...]:
        """What a model is sent to write the report of one community."""
        text = self.render("community_report", input_text=input_text, max_report_length=max_report_length)
        return (Message("user", text),)


@cache
def prompt_names() -> tuple[str, ...]:
    """The names of all prompts that ship, sorted."""
    return tuple(sorted(path.stem for path in resource("prompts").glob("*.txt")))


@cache
def shipped_text(name: str) -> str:
    """A prompt as it ships, with its fields unfilled. Raises FileNotFoundError for a name that is no prompt."""
    # A file ends with a line feed, the prompt with its data: they must end the message for the counts to add up.
    return resource("prompts", f"{name}.txt").read_text("utf-8").rstrip("\n")


def prompt_fields(name: str) -> tuple[str, ...]:
    """The fields that a prompt is filled with, sorted: an edited one must keep each of them."""
    return tuple(sorted(Template(shipped_text(name)).get_identifiers()))


def check_prompt(name: str, text: str) -> None:
    """Raises InputError, one sentence for the person who edited it, for a text that cannot be the prompt `name`."""
    template = Template(text)
    if not text.strip():
        raise InputError(f"The edited prompt {name} is empty: write it anew, or remove it to use the one that ships.")
    if not template.is_valid():
        raise InputError(
            f"The edited prompt {name} has a $ that belongs to no field: write $$ for a dollar sign in the text."
        )
    fields, known = set(template.get_identifiers()), set(prompt_fields(name))
    if known - fields:
        lost = ", ".join(f"${field}" for field in sorted(known - fields))
        raise InputError(
            f"The edited prompt {name} has lost {lost}: put it back where the data belong, or remove the edited prompt "
            "to use the one that ships."
        )
    if fields - known:
        unknown = ", ".join(f"${field}" for field in sorted(fields - known))
        raise InputError(
            f"The edited prompt {name} has {unknown}, which nothing fills: take it out, or write $$ for a dollar sign."
        )


def render(name: str, **fields: object) -> str:
    """A prompt that ships with its fields filled in; see `Prompts.render`."""
    return shipped().render(name, **fields)


def map_messages(question: str, batch_text: str, max_length: int = 1000) -> tuple[Message, ...]:
    """`Prompts.map_messages` with the prompt that ships."""
    return shipped().map_messages(question, batch_text, max_length)


def reduce_messages(
    question: str, data: str, response_type: str = "Multiple Paragraphs", max_length: int = 2000
) -> tuple[Message, ...]:
    """`Prompts.reduce_messages` with the prompt that ships."""
    return shipped().reduce_messages(question, data, response_type, max_length)


def rating_messages(question: str, report: str) -> tuple[Message, ...]:
    """`Prompts.rating_messages` with the prompt that ships."""
    return shipped().rating_messages(question, report)


def answer_messages(question: str, context: str, response_type: str = "Multiple Paragraphs") -> tuple[Message, ...]:
    """`Prompts.answer_messages` with the prompt that ships."""
    return shipped().answer_messages(question, context, response_type)


def report_messages(input_text: str, max_report_length: int = 2000) -> tuple[Message, ...]:
    """`Prompts.report_messages` with the prompt that ships."""
    return shipped().report_messages(input_text, max_report_length)


def describe_messages(title: str, descriptions: str, max_length: int = 500) -> tuple[Message, ...]:
    """`Prompts.describe_messages` with the prompt that ships."""
    return shipped().describe_messages(title, descriptions, max_length)


def count_messages(messages: Sequence[Message], tokenizer: EncodingName = "cl100k_base") -> int:
    """Tokens of the contents of some messages; what a server adds for each message's frame is not counted."""
    return sum(count_tokens(message.content, tokenizer) for message in messages)


@cache
def shipped() -> Prompts:
    """The prompts that ship; they never change while the program runs."""
    return Prompts()


def _read_edited(path: Path) -> str:
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"The edited prompt {path} cannot be read ({type(error).__name__}): save it as UTF-8 text, or remove it to "
            "use the one that ships."
        ) from None
    if len(text) > LONGEST:
        raise InputError(
            f"The edited prompt {path} has more than {LONGEST:,} characters: shorten it, or remove it to use the one "
            "that ships."
        )
    return text.rstrip("\n")
