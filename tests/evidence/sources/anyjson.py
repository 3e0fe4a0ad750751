"""JSON of any type in the place of any field: what a source must read without harm."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st


def values(*keys: str) -> st.SearchStrategy[Any]:
    """Any JSON value; the objects in it have some of `keys`."""
    plain = (
        st.none() | st.booleans() | st.integers(-9, 9**9) | st.floats(allow_nan=False, allow_infinity=False)
    )
    return st.recursive(
        plain | st.text(max_size=20),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*keys, "x"]), inner, max_size=3)
        ),
        max_leaves=8,
    )


def objects(fields: list[str], *keys: str) -> st.SearchStrategy[dict[str, Any]]:
    """An object with some of `fields`, each with any value."""
    return st.dictionaries(st.sampled_from(fields), values(*keys), max_size=6)
