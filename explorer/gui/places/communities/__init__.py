"""The Communities place: the hierarchy, the graph and the report, which move together over one shared selection."""
