"""The analyst that asks a language model: prompts out, replies read with care, what was lost counted by name."""
