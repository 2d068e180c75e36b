"""Connections: language models, whether they work, where their keys are, what they cost, and what they are asked."""
