"""Connections to language models and the store of every call."""
