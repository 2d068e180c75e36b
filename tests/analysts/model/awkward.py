"""What a server may send in place of what it was asked for, as strategies of hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st

_KEYS = st.sampled_from(
    ["entities", "relationships", "claims", "title", "summary", "findings", "rating", "source", "target", "strength",
     "description", "type", "subject", "status", "explanation", "x"]
)  # fmt: skip
_LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=20),
    st.sampled_from(["[Data: Entities (0, 1); Reports (2)]", "7/10", "\ud800", "&amp;amp;", "\x00\u202e", "TRUE"]),
)
json_values = st.recursive(
    _LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(_KEYS, inner, max_size=5)),
    max_leaves=25,
)


@st.composite
def spoilt(draw: st.DrawFn, text: str) -> str:
    """A text with a piece taken out, put in twice or replaced."""
    start = draw(st.integers(0, len(text)))
    end = draw(st.integers(start, len(text)))
    return text[:start] + draw(st.one_of(st.just(""), st.text(max_size=5), st.just(text[start:end] * 2))) + text[end:]
