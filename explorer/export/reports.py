"""Reports in the format that is asked for."""

from __future__ import annotations

from pathlib import Path

from explorer.base.errors import InputError
from explorer.base.events import EventSink, ignore
from explorer.tables.index import Index

FORMATS = ("md", "html", "pdf")


def export_reports(
    index: Index, out: Path, format: str, community: int | None = None, *, sink: EventSink = ignore
) -> list[Path]:
    """Write all reports, or those of a community and everything under it, as `md`, `html` or `pdf`.

    `out` is the file, or a folder that exists. What a PDF cannot show is said through `sink`. Gives the files that
    were written. Raises InputError for an unknown format or where there is nothing to write, StorageError where the
    disk refuses.
    """
    if format == "md":
        from explorer.export.reports_markdown import export_reports_markdown

        return [export_reports_markdown(index, out, community)]
    if format == "html":
        from explorer.export.reports_html import export_reports_html

        return [export_reports_html(index, out, community)]
    if format == "pdf":
        from explorer.export.reports_pdf import export_reports_pdf

        return [export_reports_pdf(index, out, community, sink=sink)]
    raise InputError(f"Reports are not written as {format!r}; the formats are {', '.join(FORMATS)}.")
