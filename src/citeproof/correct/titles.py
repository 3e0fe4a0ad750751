"""A title to another, word by word: what agrees keeps its letters, braces and line breaks."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from citeproof.correct.edits import Edit
from citeproof.text import title as titles

Write = Callable[[str, int], str]  # new words, and the place where they go

_CHUNK = re.compile(r"(?:\{\\[^{}]{0,20}\}|\\~|[^\s~])+")  # {\ss } is one letter, \~n no space
_NEW = re.compile(r"\S+")
_AND = re.compile(r"\\?&(?:amp;)?")
_OPENING = "([<“‘\"'`„«"
_CLOSING = ")]>”’\"'.,;:!?»"
_LONGEST = 600  # words; a longer title is none


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a text, and the form in which it is compared."""

    start: int
    end: int
    key: str


def reworded(text: str, spans: Sequence[tuple[int, int]], new: str, write: Write) -> list[Edit] | None:
    """Return the edits that make `new` of the words in `spans`; None where braces forbid it.

    `write` turns words of the new title into the letters of the file.
    """
    old = [word for start, end in spans for word in words(text, start, end)]
    wanted = [(m[0], key) for m in _NEW.finditer(new) if (key := _key(m[0]))]
    if not old or not wanted or len(old) > _LONGEST or len(wanted) > _LONGEST:
        return None
    matcher = SequenceMatcher(None, [w.key for w in old], [key for _, key in wanted], autojunk=False)
    ops = [part for op in matcher.get_opcodes() for part in _apart(op, old, spans)]
    case = _case(text, old, [word for word, _ in wanted], ops)
    edits: list[Edit] = []
    for op, i1, i2, j1, j2 in ops:
        if op == "equal":
            continue
        told = [case(word) if j1 + at else word for at, (word, _) in enumerate(wanted[j1:j2])]
        edit = _edit(text, old, i1, i2, told, write, spans)
        if edit is None:
            return None
        edits.append(edit)
    return edits


def swapped(text: str, span: tuple[int, int], old: str, new: str, write: Write) -> list[Edit] | None:
    """Return the edits that exchange the words in which two plain titles differ, each found in `span` once.

    For titles whose words cannot be told apart in the file because a command glues them.
    """
    standing = words(text, *span)
    keys = [word.key for word in standing]
    mine = [(m[0], key) for m in _NEW.finditer(old) if (key := _key(m[0]))]
    wanted = [(m[0], key) for m in _NEW.finditer(new) if (key := _key(m[0]))]
    matcher = SequenceMatcher(None, [key for _, key in mine], [key for _, key in wanted], autojunk=False)
    edits: list[Edit] = []
    for op, i1, i2, j1, j2 in matcher.get_opcodes():
        if op == "equal":
            continue
        run = [key for _, key in mine[i1:i2]]
        at = [n for n in range(len(keys) - len(run) + 1) if run and keys[n : n + len(run)] == run]
        core = (
            _core(text, standing[at[0]].start, standing[at[0] + len(run) - 1].end) if len(at) == 1 else None
        )
        if op != "replace" or core is None:
            return None
        edits.append(
            Edit(*core, write(" ".join(word for word, _ in wanted[j1:j2]).rstrip(_CLOSING), core[0]))
        )
    return edits


def told_apart(text: str, spans: Sequence[tuple[int, int]], plain: str) -> bool:
    """Return whether the words of a file are those of its title read as plain text."""
    standing = [word.key for start, end in spans for word in words(text, start, end)]
    return standing == [key for m in _NEW.finditer(plain) if (key := _key(m[0]))]


def words(text: str, start: int, end: int) -> list[Word]:
    """Return the words of `text` between two places; marks that stand alone are none."""
    found = (Word(m.start(), m.end(), _key(m[0])) for m in _CHUNK.finditer(text, start, end))
    return [word for word in found if word.key]


def same(one: str, other: str) -> bool:
    """Return whether two titles have the same letters."""
    return titles.key(_AND.sub(" and ", one)) == titles.key(_AND.sub(" and ", other))


def _key(chunk: str) -> str:
    return titles.key(chunk) or ("and" if _AND.fullmatch(chunk) else "")


def _edit(
    text: str,
    old: Sequence[Word],
    i1: int,
    i2: int,
    told: Sequence[str],
    write: Write,
    spans: Sequence[tuple[int, int]],
) -> Edit | None:
    """Return one edit: words replaced, put in or taken out."""
    if i1 == i2:
        return _inserted(old, i1, " ".join(told), write)
    start, end = old[i1].start, old[i2 - 1].end
    if not _one_span(start, end, spans):
        return None  # it would reach from the title into the subtitle
    if told:
        core = _core(text, start, end)
        plain = " ".join(told).lstrip(_OPENING).rstrip(_CLOSING)
        return Edit(*core, write(plain, core[0])) if core and plain else None
    if i1 > 0 and old[i1 - 1].end >= spans[0][0] and _one_span(old[i1 - 1].end, end, spans):
        start = old[i1 - 1].end
    elif i2 < len(old) and _one_span(start, old[i2].start, spans):
        end = old[i2].start
    return Edit(start, end, "") if _balanced(text[start:end]) else None


def _apart(
    op: tuple[str, int, int, int, int], old: Sequence[Word], spans: Sequence[tuple[int, int]]
) -> list[tuple[str, int, int, int, int]]:
    """Return words exchanged in two steps where they reach from one span into the next, word for word."""
    kind, i1, i2, j1, j2 = op
    border = next((i for i in range(i1 + 1, i2) if not _one_span(old[i1].start, old[i].end, spans)), None)
    if kind != "replace" or i2 - i1 != j2 - j1 or border is None:
        return [op]
    return [(kind, i1, border, j1, j1 + border - i1), (kind, border, i2, j1 + border - i1, j2)]


def _one_span(start: int, end: int, spans: Sequence[tuple[int, int]]) -> bool:
    return any(low <= start and end <= high for low, high in spans)


def _inserted(old: Sequence[Word], at: int, told: str, write: Write) -> Edit:
    if at == 0:
        return Edit(old[0].start, old[0].start, f"{write(told, old[0].start)} ")
    place = old[at - 1].end
    return Edit(place, place, f" {write(told.rstrip('.') if at == len(old) else told, place)}")


def _core(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return the words without the marks and open braces around them; None if braces cut through them."""
    while start < end:
        depth = _depth(text[start:end])
        if text[start] in _OPENING or (text[start] == "{" and depth > 0):
            start += 1
        elif text[end - 1] in _CLOSING or (text[end - 1] == "}" and depth < 0):
            end -= 1
        else:
            break
    return (start, end) if start < end and _balanced(text[start:end]) else None


def _depth(text: str) -> int:
    return text.count("{") - text.count("}")


def _balanced(text: str) -> bool:
    depth = 0
    for sign in text:
        depth += (sign == "{") - (sign == "}")
        if depth < 0:
            return False
    return depth == 0


def _case(
    text: str, old: Sequence[Word], new: Sequence[str], ops: Sequence[tuple[str, int, int, int, int]]
) -> Callable[[str], str]:
    """Return how capitals are to be written: as the user's other words have them, not as the record's."""
    lowered = raised = 0
    for op, i1, i2, j1, _ in ops:
        if op == "equal":
            for shift in range(max(0, 1 - i1), i2 - i1):  # the first word is a capital in any habit
                mine, theirs = (
                    titles.clean(text[old[i1 + shift].start : old[i1 + shift].end]),
                    new[j1 + shift],
                )
                lowered += mine.islower() and theirs[:1].isupper() and theirs[1:].islower()
                raised += mine[:1].isupper() and theirs.islower()
    if lowered > raised and lowered > 1:
        return lambda word: word.lower() if word[:1].isupper() and word[1:].islower() else word
    if raised > lowered and raised > 1:
        return lambda word: word[:1].upper() + word[1:] if word.islower() and len(word) > 3 else word
    return lambda word: word
