"""The run that turns a folder into an index: stages, progress, pause and resume."""
