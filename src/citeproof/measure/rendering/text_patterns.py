"""Text with fields in it: `{A}< ({Y})>. {T}.< {C}<, {V}<({I})>>.>`

`{X}` is a field; `<…>` a part that is left out when a field in it is empty, and when all it holds are parts
that were left out. Parts nest. A pattern does not fit where a field outside all parts is empty.
Punctuation that meets its like is printed once: a title that ends in "?" needs no full stop.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TypeAlias

# A pattern is a sequence of literal text, ("X",) for a field, and lists for parts.
Piece: TypeAlias = "str | tuple[str] | list[Piece]"
Filled: TypeAlias = tuple[str, bool]  # text, and whether it is a field's

_TOKEN = re.compile(r"\{(\w+)\}|([<>])|([^{}<>]+)")
_ENDED = re.compile(r"[.?!…][”’\"')\]]?\Z")
_PAUSED = re.compile(r"(?:[,;:?!]|[,.;:?!][”’\"'])\Z")
_COMMA = re.compile(r"[,;:](?=[\s”’\"])")


def fill_pattern(pattern: str, fields: Mapping[str, str]) -> str | None:
    """Return the pattern with its fields; None if a field that it cannot do without is empty."""
    flat = _fill_pieces(parse_pattern(pattern), fields)
    return None if flat is None else _join_pieces(flat).strip(" ,;:")


@lru_cache(maxsize=1024)
def parse_pattern(pattern: str) -> list[Piece]:
    """Return the pieces of a pattern."""
    parts: list[list[Piece]] = [[]]
    for found in _TOKEN.finditer(pattern):
        name, bracket, literal = found.groups()
        if bracket == "<":
            parts.append([])
        elif bracket == ">":
            part = parts.pop()
            parts[-1].append(part)
        else:
            parts[-1].append((name,) if name else literal)
    (whole,) = parts
    return whole


def _fill_pieces(pieces: list[Piece], fields: Mapping[str, str]) -> list[Filled] | None:
    out: list[Filled] = []
    for piece in pieces:
        if isinstance(piece, str):
            out.append((piece, False))
        elif isinstance(piece, tuple):
            if not fields[piece[0]]:
                return None
            out.append((fields[piece[0]], True))
        elif part := _fill_pieces(piece, fields):
            out += part
    return out if any(is_field for _, is_field in out) else None


def _join_pieces(flat: Iterable[Filled]) -> str:
    text, ours = "", True
    for piece, is_field in flat:
        text += piece if is_field else _trim_literal(text, piece, ours=ours)
        ours = not is_field
        if text.endswith((",.", ";.", ":.")):
            text = text[:-2] + "."
    return text


def _trim_literal(before: str, after: str, *, ours: bool) -> str:
    """Return the literal `after` without what `before` already says; `ours`: its end is not a field's.

    A field that ends in a full stop ends a sentence with it, but as an abbreviation ("Lett.") still takes
    a comma; the pattern's own full stop does not.
    """
    if after[:1] == "." and _ENDED.search(before):
        after = after[1:]
    elif _COMMA.match(after) and before.endswith("("):
        after = after[1:].lstrip()
    elif _COMMA.match(after) and (_PAUSED.search(before) or (ours and before.endswith("."))):
        after = after[1:]
    return after[1:] if before[-1:] in {" ", "("} and after[:1] == " " else after
