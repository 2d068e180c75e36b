"""The kinds of defects and losses as a person reads them, for one and for many."""

from __future__ import annotations

from explorer.base.words import agree, counted

_KINDS: dict[str, tuple[str, str]] = {
    "ambiguous_citation": ("citation of a number of several rows", "citations of a number of several rows"),
    "bad_full_content_json": ("report whose JSON cannot be read", "reports whose JSON cannot be read"),
    "calls_damaged": ("damaged call store", "damaged call stores"),
    "child_of_another": ("child that names another parent", "children that name another parent"),
    "circular_hierarchy": ("community that is its own ancestor", "communities that are their own ancestors"),
    "claim_never_used": ("claim that no report was written from", "claims that no report was written from"),
    "community_unreachable": ("community that no method reaches", "communities that no method reaches"),
    "community_without_report": ("community without a report", "communities without a report"),
    "dangling_child": ("child that is not in the table", "children that are not in the table"),
    "dangling_claim_id": ("id of a claim that is not there", "ids of claims that are not there"),
    "dangling_document_id": ("id of a document that is not there", "ids of documents that are not there"),
    "dangling_entity_id": ("id of an entity that is not there", "ids of entities that are not there"),
    "dangling_parent": ("parent that is not in the table", "parents that are not in the table"),
    "dangling_relationship_end": (
        "end of a relationship that is no entity", "ends of relationships that are no entities",
    ),
    "dangling_relationship_id": ("id of a relationship that is not there", "ids of relationships that are not there"),
    "dangling_text_unit_id": ("id of a text unit that is not there", "ids of text units that are not there"),
    "duplicate_community": ("community that stands twice", "communities that stand twice"),
    "duplicate_document_id": ("id that several documents bear", "ids that several documents bear"),
    "duplicate_entity_id": ("id that several entities bear", "ids that several entities bear"),
    "duplicate_entity_title": ("title that several entities bear", "titles that several entities bear"),
    "duplicate_relationship_id": ("id that several relationships bear", "ids that several relationships bear"),
    "duplicate_report": ("second report of one community", "second reports of one community"),
    "duplicate_report_title": (
        "title that reports of several communities bear", "titles that reports of several communities bear",
    ),
    "duplicate_text_unit_id": ("id that several text units bear", "ids that several text units bear"),
    "entity_outside": ("entity in no community", "entities in no community"),
    "entity_without_community": ("related entity in no community", "related entities in no community"),
    "entity_without_relationship": ("entity without a relationship", "entities without a relationship"),
    "entity_without_title": ("entity without a title", "entities without a title"),
    "level_gap": ("level that is skipped", "levels that are skipped"),
    "level_not_below_parent": ("community not below its parent", "communities not below their parents"),
    "library_missing": ("library that is missing", "libraries that are missing"),
    "list_cut_off": ("list that is cut off", "lists that are cut off"),
    "no_citation_numbers": ("table without citation numbers", "tables without citation numbers"),
    "no_fonts": ("font is missing", "fonts are missing"),
    "no_level_zero": ("hierarchy without a level 0", "hierarchies without a level 0"),
    "not_finished": ("unfinished run", "unfinished runs"),
    "offline_vectors_missing": ("offline model of vectors is missing", "offline models of vectors are missing"),
    "python_too_old": ("Python that is too old", "Pythons that are too old"),
    "qt_not_loaded": ("Qt that does not load", "Qts that do not load"),
    "rating_out_of_range": ("rating that is not from 0 to 10", "ratings that are not from 0 to 10"),
    "relationship_not_in_report": ("relationship in no report's prompt", "relationships in no report's prompt"),
    "relationship_without_end": ("relationship without an end", "relationships without an end"),
    "repeated_relationship": ("relationship that stands several times", "relationships that stand several times"),
    "report_longer_than_batch": ("report longer than a batch", "reports longer than a batch"),
    "report_without_community": ("report without a community", "reports without a community"),
    "report_without_rating": ("report without a rating", "reports without a rating"),
    "report_without_text": ("report without text", "reports without text"),
    "report_without_title": ("report without a title", "reports without a title"),
    "row_without_id": ("row without an id", "rows without an id"),
    "row_without_number": ("row without a citation number", "rows without a citation number"),
    "rows_left_out": ("row that was left out", "rows that were left out"),
    "self_loop": ("relationship of an entity with itself", "relationships of an entity with itself"),
    "spacy_grade_missing": ("better grade of the offline analyst is missing", "better grades are missing"),
    "stale_report": ("stale report", "stale reports"),
    "table_empty": ("table without a row", "tables without a row"),
    "table_missing": ("missing table", "missing tables"),
    "table_unreadable": ("unreadable table", "unreadable tables"),
    "tables_of_two_runs": ("table that another naming shadows", "tables that another naming shadows"),
    "text_unit_dropped": ("text unit that the fast method dropped", "text units that the fast method dropped"),
    "text_unit_without_text": ("text unit without text", "text units without text"),
    "unresolved_citation": ("citation that leads nowhere", "citations that lead nowhere"),
    "value_filled_in": ("value that is missing and was filled in", "values that are missing and were filled in"),
    "vectors_stale": ("vector that does not fit its text", "vectors that do not fit their texts"),
    "vectors_unreadable": ("store of vectors that cannot be read", "stores of vectors that cannot be read"),
    "vocabulary_missing": ("vocabulary that is missing", "vocabularies that are missing"),
    "weight_not_positive": ("weight that is not above 0", "weights that are not above 0"),
    "weight_of_reversed_pair": ("pair with a relationship either way", "pairs with a relationship either way"),
}  # fmt: skip


def kind_words(kind: str, number: int) -> str:
    """A kind as its number asks for it: "entity without a relationship", "entities without a relationship"."""
    return agree(number, *_KINDS.get(kind, (kind.replace("_", " "), kind.replace("_", " "))))


def counted_kind(kind: str, number: int) -> str:
    """1 entity without a relationship, 31 entities without a relationship."""
    return counted(number, *_KINDS.get(kind, (kind.replace("_", " "), kind.replace("_", " "))))
