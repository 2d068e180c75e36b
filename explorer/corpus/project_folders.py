"""Which folders of a GraphRAG project hold no documents: its prompts, its output, its cache and its logs."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from explorer.tables.settings import SETTINGS_NAMES

REASON = "a folder of a GraphRAG project, which holds no documents"
SETTINGS_REASON = "the settings of a GraphRAG project"
_SETTINGS = frozenset(SETTINGS_NAMES)
_FOLDERS = frozenset({"prompts", "output", "update_output", "cache", "logs"})
# As `graphrag init` has named them since 0.1; one of them makes a folder of prompts GraphRAG's.
_PROMPTS = frozenset(
    {
        "entity_extraction.txt", "extract_graph.txt", "community_report.txt", "community_report_graph.txt",
        "community_report_text.txt", "claim_extraction.txt", "extract_claims.txt", "summarize_descriptions.txt",
        "global_search_map_system_prompt.txt", "local_search_system_prompt.txt",
    }
)  # fmt: skip


def project_parts(root: Path, names: Collection[str]) -> dict[str, str]:
    """The entries of a folder that belong to GraphRAG and hold no documents, with the reason; empty where the folder
    is no project: it has no settings, or no prompts that bear GraphRAG's names.

    `names` are the entries of `root`. Folders of these names in any other folder are folders of documents.
    """
    here = set(names)
    prompts = root / "prompts"
    if not here & _SETTINGS or "prompts" not in here or prompts.is_symlink():
        return {}
    try:
        if not any(entry.name in _PROMPTS for entry in prompts.iterdir()):
            return {}
    except OSError:
        return {}
    return {name: SETTINGS_REASON if name in _SETTINGS else REASON for name in here & (_SETTINGS | _FOLDERS)}
