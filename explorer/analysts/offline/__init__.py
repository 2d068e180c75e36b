"""The offline analyst: every judgement without a language model, deterministic, in two grades."""
