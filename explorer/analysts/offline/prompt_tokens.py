"""What a language model would have been charged for the reports of indexing, counted row by row.

A row ends with a line feed and is counted once, however many communities it stands in: the tokens of a prompt are the
sum of its rows', and counting the same rows at every level would cost more than writing the reports.
"""

from __future__ import annotations

import json

from explorer.analysts.judgements import ReportContext, WrittenReport
from explorer.analysts.prompts import count_prompt
from explorer.base.tokens import EncodingName, count_tokens

_ENTITIES = "-----Entities-----\nhuman_readable_id,title,description,degree\n"
_RELATIONSHIPS = "-----Relationships-----\nhuman_readable_id,source,target,description,combined_degree\n"
_REPORTS = "-----Reports-----\ncommunity,title,summary\n"


class ReportTokens:
    """Counts prompts and replies of report calls with one tokenizer."""

    def __init__(self, tokenizer: EncodingName = "cl100k_base") -> None:
        self._tokenizer = tokenizer
        self._rows: dict[str, int] = {}
        self._frame = count_prompt("community_report", "", None, tokenizer, max_report_length=2000)

    def prompt(self, context: ReportContext) -> int:
        """Tokens of the prompt that a model would be sent for one community."""
        tokens = self._frame
        if context.children and context.from_children:
            tokens += self._row(_REPORTS)
            tokens += sum(self._row(f"{c.community},{c.title},{c.summary}\n") for c in context.children)
            return tokens
        tokens += self._row(_ENTITIES) + self._row(_RELATIONSHIPS)
        for member in context.entities:
            tokens += self._row(f"{member.number},{member.title},{member.description},{member.degree}\n")
        for link in context.relationships:
            row = f"{link.number},{link.source},{link.target},{link.description},{link.combined_degree}\n"
            tokens += self._row(row)
        return tokens

    def reply(self, report: WrittenReport) -> int:
        """Tokens of a report as the JSON that a model would have replied with."""
        fields = {
            "title": report.title,
            "summary": report.summary,
            "findings": [{"summary": f.summary, "explanation": f.explanation} for f in report.findings],
            "rating": report.rating,
            "rating_explanation": report.rating_explanation,
        }
        return count_tokens(json.dumps(fields, ensure_ascii=False), self._tokenizer)

    def _row(self, row: str) -> int:
        if row not in self._rows:
            self._rows[row] = count_tokens(row, self._tokenizer)
        return self._rows[row]
