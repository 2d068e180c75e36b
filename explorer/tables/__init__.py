"""The tables of an index: their columns, how they are found, read and written."""
