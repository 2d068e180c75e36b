"""The Ask place: a question, its plan, its answer, and the fate of everything that was read for it."""
