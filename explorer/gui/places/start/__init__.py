"""Start: what can be opened, and with which connection."""
