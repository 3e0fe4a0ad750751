"""What a difference between quoted and read words changes: a number, a negation, a name, or only a word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache, lru_cache

from citeproof.claims.quotes.quotation_types import DifferenceWeight
from citeproof.claims.quotes.word_tokens import is_number
from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_package_table

_KINDS = (  # the first that differs is told
    DifferenceWeight.NEGATION,
    DifferenceWeight.NUMBER,
    DifferenceWeight.COMPARATOR,
    DifferenceWeight.MODAL,
    DifferenceWeight.QUANTIFIER,
    DifferenceWeight.UNIT,
)
_CONTRACTED = re.compile(r"n't\Z|\An'")
_ORDER = {kind: index for index, kind in enumerate(_KINDS)}


def weigh_difference(quoted: Sequence[str], read: Sequence[str], after_number: bool) -> DifferenceWeight:
    """Return the weight of a difference, words in their comparable form.

    `after_number`: a number stands before them, so that `m` is a unit and not a letter.
    """
    if is_turned_round(quoted, read):
        return DifferenceWeight.NEGATION
    ours, theirs = (_count_kinds(words, after_number) for words in (quoted, read))
    changed = {kind for kind, _ in (ours - theirs) + (theirs - ours)}
    return min(changed, key=_ORDER.__getitem__, default=DifferenceWeight.WORD)


def has_same_polarity(quoted: Sequence[str], read: Sequence[str]) -> bool:
    """Return whether both have as many negations: `can not`, `cannot`."""
    return _count_negations(quoted) == _count_negations(read)


def has_negation(words: Sequence[str]) -> bool:
    return _count_negations(words) > 0


def is_particle(word: str) -> bool:
    """Return whether a word only negates: `not`, but not `fail`."""
    denials = load_package_table("citeproof.claims.quotes", "grave_words.toml")["denial"]
    return _count_negations([word]) > 0 and word not in denials.split()


def list_numbers(words: Sequence[str]) -> list[str]:
    """Return the numbers among words, in digits or spelled out."""
    return sorted(word for word in words if _find_kind(word) is DifferenceWeight.NUMBER)


def is_turned_round(quoted: Sequence[str], read: Sequence[str]) -> bool:
    """Return whether one is the other with a prefix that denies it: significant, insignificant."""
    one, other = "".join(quoted), "".join(read)
    short, long = sorted((one, other), key=len)
    return len(short) > 3 and long.endswith(short) and long[: -len(short)] in _list_prefixes()


def _count_negations(words: Sequence[str]) -> int:
    return sum(
        kind is DifferenceWeight.NEGATION for kind, _ in _count_kinds(words, after_number=False).elements()
    )


def _count_kinds(words: Sequence[str], after_number: bool) -> Counter[tuple[DifferenceWeight, str]]:
    """Return what of weight is among words; negations count whatever their words are."""
    found: Counter[tuple[DifferenceWeight, str]] = Counter()
    number = after_number
    for word in words:
        kind = _find_kind(word)
        if kind is DifferenceWeight.UNIT and len(word) < 4 and word.isalpha() and not number:
            kind = None
        if kind is not None:
            found[kind, "" if kind is DifferenceWeight.NEGATION else word] += 1
        number = kind is DifferenceWeight.NUMBER
    for kind, stretch in _find_unspaced("".join(word for word in words if word >= "\u2e80")):
        found[kind, "" if kind is DifferenceWeight.NEGATION else stretch] += 1
    return found


@lru_cache(maxsize=1 << 14)
def _find_kind(word: str) -> DifferenceWeight | None:
    if is_number(word):
        return DifferenceWeight.NUMBER
    if _CONTRACTED.search(word):
        return DifferenceWeight.NEGATION
    table = _read_table()
    return table.get(word) or table.get(word.partition("'")[0])


@cache
def _read_table() -> dict[str, DifferenceWeight]:
    words = load_package_table("citeproof.claims.quotes", "grave_words.toml")
    table = {word: kind for kind in reversed(_KINDS) for word in words[kind.value].split()}
    return {**table, **dict.fromkeys(words["denial"].split(), DifferenceWeight.NEGATION)}


@cache
def _list_prefixes() -> frozenset[str]:
    return frozenset(load_package_table("citeproof.claims.quotes", "grave_words.toml")["prefixes"].split())


def _find_unspaced(text: str) -> list[tuple[DifferenceWeight, str]]:
    return (
        [(kind, match[0]) for kind, pattern in _read_unspaced() for match in pattern.finditer(text)]
        if text
        else []
    )


@cache
def _read_unspaced() -> list[tuple[DifferenceWeight, re.Pattern[str]]]:
    words = load_package_table("citeproof.claims.quotes", "grave_words.toml")
    return [
        (kind, re.compile("|".join(sorted(words[f"unspaced_{kind.value}"].split(), key=len, reverse=True))))
        for kind in (DifferenceWeight.NEGATION, DifferenceWeight.NUMBER, DifferenceWeight.MODAL)
    ]
