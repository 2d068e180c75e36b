"""Local search: the context that is built around the entities nearest to a question."""
