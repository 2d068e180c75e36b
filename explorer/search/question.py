"""Whether a question asks for anything."""

from __future__ import annotations


def question_fault(question: str) -> str:
    """Why a question cannot be asked, in one sentence; "" for one that can: it has a letter or a digit."""
    if not question.strip():
        return "The question is empty; nothing was asked."
    if not any(letter.isalnum() for letter in question):
        return "The question has no word in it, so there is nothing to look for; nothing was asked."
    return ""
