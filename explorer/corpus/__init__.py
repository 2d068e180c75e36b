"""A folder becomes documents, documents become text units."""
