"""Whether a regular expression can take time that doubles with each character, told from its shape alone.

A loop (an unbounded repetition, or one of 25 rounds and more) is exponential when one text can be cut into
rounds in several ways, as in `(a+)+`, `(a|aa)*` or `(a|a)*`: a match that fails tries them all. It is told by
three rules, on the tree that Python's own parser makes:

1. a loop whose round is, or begins or ends with, another loop that may go on in the next round;
2. a loop one of whose short rounds is also a row of other rounds, or can be matched in two ways;
3. a loop over what may be empty.

Possessive repetitions and atomic groups never go back. The rules err on the strict side and do not tell what
is only quadratic; `tests/faults/patterns.py` measures every pattern on long inputs.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice
from re import _constants as signs  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

MANY = 25
LONGEST, MOST_LETTERS, MOST_WORDS = 4, 6, 4000  # of the words that rule 2 looks at
_LOOPS = (signs.MAX_REPEAT, signs.MIN_REPEAT)
_SAMPLE = [chr(code) for code in range(0x20, 0x7F)] + list("\t\n\x0béÄßñΩж中١  \u2009–—’“”…\u200b\u0301")
_ANYTHING = frozenset(_SAMPLE)
_CATEGORY = {
    signs.CATEGORY_SPACE: frozenset(c for c in _SAMPLE if c.isspace()),
    signs.CATEGORY_DIGIT: frozenset(c for c in _SAMPLE if c.isdecimal()),
    signs.CATEGORY_WORD: frozenset(c for c in _SAMPLE if c.isalnum() or c == "_"),
}
_CATEGORY |= {
    signs.CATEGORY_NOT_SPACE: _ANYTHING - _CATEGORY[signs.CATEGORY_SPACE],
    signs.CATEGORY_NOT_DIGIT: _ANYTHING - _CATEGORY[signs.CATEGORY_DIGIT],
    signs.CATEGORY_NOT_WORD: _ANYTHING - _CATEGORY[signs.CATEGORY_WORD],
}
Node = tuple[Any, Any]


def find_danger(pattern: str | bytes, flags: int = 0) -> str:
    """Return why a pattern may take exponential time; empty if its shape forbids it."""
    text = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
    kept = flags & ~(re.UNICODE | re.LOCALE) if isinstance(pattern, bytes) else flags
    return _walk(parser.parse(text, kept))


def _walk(nodes: Iterable[Node]) -> str:
    for operation, value in nodes:
        if operation in _LOOPS and _is_long(value) and (told := _examine_loop(list(value[2]))):
            return told
        for inner in _list_bodies(operation, value):
            if told := _walk(inner):
                return told
    return ""


def _is_long(value: tuple[Any, Any, Any]) -> bool:
    return value[1] is signs.MAXREPEAT or value[1] >= MANY


def _list_bodies(operation: Any, value: Any) -> list[Sequence[Node]]:
    if operation in _LOOPS or operation is signs.POSSESSIVE_REPEAT:
        return [value[2]]
    if operation is signs.SUBPATTERN:
        return [value[-1]]
    if operation is signs.BRANCH:
        return list(value[1])
    if operation is signs.ATOMIC_GROUP:
        return [value]
    if operation in (signs.ASSERT, signs.ASSERT_NOT):
        return [value[1]]
    if operation is signs.GROUPREF_EXISTS:
        return [part for part in value[1:] if part]
    return []


def _examine_loop(body: list[Node]) -> str:
    """Return what is wrong with a loop over `body`, by the three rules."""
    for path in _list_paths(body):
        if _is_empty(path):
            return "repeats what may be empty"
        for number, (operation, value) in enumerate(path):
            if operation not in _LOOPS or not _is_long(value):
                continue
            inner = _start(value[2])
            after, before = path[number + 1 :], path[:number]
            # where the inner loop stops, the next thing may take what it would have taken
            if _is_empty(after) and _is_empty(before) and inner:
                return "repeats a repetition and nothing else"
            if _is_empty(after) and inner & _start(path) and _is_within(before, inner):
                return "a repetition at the end of a round may go on in the next"
            if _is_empty(before) and _is_within(after, inner) and inner & _start(path):
                return "a repetition at the start of a round may belong to the one before"
    return _find_two_ways(body)


def _find_two_ways(body: Sequence[Node]) -> str:
    """Return a short round that is also several rounds, or that can be matched in two ways."""
    letters = _choose_letters(body)
    counted = Counter(word for word in islice(_spell(list(body), letters, LONGEST), MOST_WORDS) if word)
    for word, ways in counted.items():
        if ways > 1:
            return f"a round can be {word!r} in two ways"
        if _is_row(word, counted.keys() - {word}):
            return f"one round and several can be {word!r}"
    return ""


def _is_row(word: str, words: AbstractSet[str]) -> bool:
    """Return whether `word` is a row of `words`."""
    ends = {0}
    for end in range(1, len(word) + 1):
        if any(word[start:end] in words for start in ends):
            ends.add(end)
    return len(word) in ends


def _choose_letters(body: Sequence[Node]) -> list[str]:
    """Return one letter for each group of letters that the pattern does not tell apart, few of them."""
    sets = list(_list_sets(body))
    groups: dict[tuple[bool, ...], str] = {}
    for letter in [*(c for one in sets if len(one) <= 3 for c in sorted(one)), *_SAMPLE]:
        groups.setdefault(tuple(letter in one for one in sets), letter)
    return [letter for member, letter in groups.items() if any(member)][:MOST_LETTERS]


def _list_sets(nodes: Iterable[Node]) -> Iterator[frozenset[str]]:
    for operation, value in nodes:
        if operation in (signs.LITERAL, signs.NOT_LITERAL, signs.ANY, signs.IN):
            yield _start_one(operation, value)
        elif operation not in (signs.ASSERT, signs.ASSERT_NOT):
            for inner in _list_bodies(operation, value):
                yield from _list_sets(inner)


def _spell(nodes: Sequence[Node], letters: Sequence[str], room: int) -> Iterator[str]:
    """Yield the words up to `room` letters that `nodes` match, each as often as there are ways to do so."""
    if not nodes:
        yield ""
        return
    for head in _spell_one(*nodes[0], letters, room):
        for tail in _spell(nodes[1:], letters, room - len(head)):
            yield head + tail


def _spell_one(operation: Any, value: Any, letters: Sequence[str], room: int) -> Iterator[str]:
    if operation in (signs.LITERAL, signs.NOT_LITERAL, signs.ANY, signs.IN):
        if room:
            matched = _start_one(operation, value)
            yield from (letter for letter in letters if letter in matched)
    elif operation is signs.SUBPATTERN:
        yield from _spell(list(value[-1]), letters, room)
    elif operation is signs.BRANCH:
        for branch in value[1]:
            yield from _spell(list(branch), letters, room)
    elif operation in _LOOPS:
        for rounds in range(value[0], min(value[1], max(value[0], room)) + 1):
            if rounds <= room or not rounds:
                yield from _spell(list(value[2]) * rounds, letters, room)
    elif operation is signs.POSSESSIVE_REPEAT:
        yield from _shorten(_spell(list(value[2]) * min(max(value[0], 1), room + 1), letters, room))
    elif operation is signs.ATOMIC_GROUP:
        yield from _shorten(_spell(list(value), letters, room))
    else:
        yield ""


def _shorten(words: Iterator[str]) -> list[str]:
    """Return each word once, without those that go on where another one has ended."""
    every = set(islice(words, MOST_WORDS))
    return sorted(word for word in every if not any(word[:end] in every for end in range(1, len(word))))


def _list_paths(body: Sequence[Node]) -> list[list[Node]]:
    """Return the alternatives of a loop, groups opened."""
    nodes = list(body)
    while len(nodes) == 1 and nodes[0][0] is signs.SUBPATTERN:
        nodes = list(nodes[0][1][-1])
    if len(nodes) == 1 and nodes[0][0] is signs.BRANCH:
        return [path for branch in nodes[0][1][1] for path in _list_paths(branch)]
    opened: list[Node] = []
    for operation, value in nodes:
        if operation is signs.SUBPATTERN and not any(one[0] is signs.BRANCH for one in value[-1]):
            opened += list(value[-1])
        else:
            opened.append((operation, value))
    return [opened]


def _is_within(nodes: Sequence[Node], letters: frozenset[str]) -> bool:
    """Return whether a text of `letters` alone can be what `nodes` match."""
    return all(_is_empty([node]) or bool(_start([node]) & letters) for node in nodes)


def _is_empty(nodes: Sequence[Node]) -> bool:
    return all(_may_be_empty(operation, value) for operation, value in nodes)


def _may_be_empty(operation: Any, value: Any) -> bool:
    if operation in (*_LOOPS, signs.POSSESSIVE_REPEAT):
        return value[0] == 0 or _is_empty(value[2])
    if operation is signs.SUBPATTERN:
        return _is_empty(value[-1])
    if operation is signs.BRANCH:
        return any(_is_empty(branch) for branch in value[1])
    if operation is signs.ATOMIC_GROUP:
        return _is_empty(value)
    return operation in (signs.AT, signs.ASSERT, signs.ASSERT_NOT, signs.GROUPREF, signs.GROUPREF_EXISTS)


def _start(nodes: Iterable[Node]) -> frozenset[str]:
    """Return the characters of the sample that a match may begin with."""
    found: frozenset[str] = frozenset()
    for operation, value in nodes:
        found |= _start_one(operation, value)
        if not _may_be_empty(operation, value):
            break
    return found


def _start_one(operation: Any, value: Any) -> frozenset[str]:
    if operation is signs.LITERAL:
        return frozenset(chr(value))
    if operation is signs.NOT_LITERAL:
        return _ANYTHING - {chr(value)}
    if operation is signs.ANY:
        return _ANYTHING - {"\n"}
    if operation is signs.IN:
        return _read_set(value)
    if operation is signs.BRANCH:
        return frozenset().union(*(_start(branch) for branch in value[1]))
    if operation in (signs.SUBPATTERN, *_LOOPS, signs.POSSESSIVE_REPEAT):
        return _start(value[-1])
    if operation is signs.ATOMIC_GROUP:
        return _start(value)
    return frozenset()


def _read_set(parts: Sequence[Node]) -> frozenset[str]:
    found: set[str] = set()
    for operation, value in parts:
        if operation is signs.LITERAL:
            found.add(chr(value))
        elif operation is signs.RANGE:
            found |= {letter for letter in _SAMPLE if value[0] <= ord(letter) <= value[1]} or {chr(value[0])}
        elif operation is signs.CATEGORY:
            found |= _CATEGORY[value]
    return frozenset(_ANYTHING - found) if parts and parts[0][0] is signs.NEGATE else frozenset(found)


def list_dangers() -> list[str]:
    """Return the patterns of the package whose shape is dangerous, with their module and the reason."""
    from tests.faults.patterns import patterns

    found = []
    for (pattern, flags), where in sorted(patterns().items(), key=lambda item: (item[1], str(item[0]))):
        if told := find_danger(pattern, flags):
            found.append(f"{where}: {told}: {pattern!r}")
    return found


if __name__ == "__main__":
    sys.stdout.writelines(f"{row}\n" for row in list_dangers())
