"""Words as they are compared between a claim and a text: stems, numbers, parts of names."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache

from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_package_table
from citeproof.text.unicode import strip_marks

_WORD = re.compile(r"\d{1,30}(?:[.,]\d{1,30}){0,5}|[^\W\d_][^\W_]{0,60}(?:[’'][^\W\d_]{1,3}(?!\w))?")
_LEAST_ALIKE = 4  # letters of stems that can be alike without being the same
_GREEK = str.maketrans(
    {
        "α": "alpha",
        "β": "beta",
        "γ": "gamma",
        "δ": "delta",
        "κ": "kappa",
        "λ": "lambda",
        "μ": "mu",
        "ω": "omega",
    }
)


@cache
def load_word_table(table: str) -> frozenset[str]:
    """Return the words of one table of `support_words.toml`."""
    return frozenset(load_package_table(__package__, "support_words.toml")[table].split())


def split_passage_words(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and form of each word and number."""
    for match in _WORD.finditer(text):
        yield match.start(), match.end(), match[0]


def split_content_words(text: str) -> Iterator[str]:
    """Yield the words and numbers of a text but those that every sentence has."""
    stop = load_word_table("stop")
    return (match[0] for match in _WORD.finditer(text) if match[0].lower() not in stop)


@lru_cache(1 << 14)
def _list_grams(word: str) -> frozenset[str]:
    padded = f" {word} "
    return frozenset(padded[at : at + 3] for at in range(max(1, len(padded) - 2)))


@lru_cache(1 << 16)
def measure_stem_likeness(one: str, other: str) -> float:
    """Return how alike two stems are, 0 to 1: the letters in common, as names and compounds have them."""
    if one == other:
        return 1.0
    if min(len(one), len(other)) < _LEAST_ALIKE or one[0].isdigit() or other[0].isdigit():
        return 0.0
    grams, others = _list_grams(one), _list_grams(other)
    return 2 * len(grams & others) / (len(grams) + len(others))


@cache
def _list_endings() -> tuple[tuple[str, int], ...]:
    """Return the endings of words, the longest first, each with the letters that must remain."""
    kept = ((ending, least) for least in (3, 4) for ending in load_word_table(f"endings_{least}"))
    return tuple(sorted(kept, key=lambda one: (-len(one[0]), one[0])))


@lru_cache(1 << 16)
def stem_word(word: str) -> str:
    """Return the part of a word that its forms share; a number as it is."""
    low = strip_marks(word.lower().translate(_GREEK))
    if low[0].isdigit() or any(letter.isdigit() for letter in low):
        return low.replace(",", "")
    low = low.partition("’")[0].partition("'")[0]
    if len(low) > 3 and low.endswith("s") and not low.endswith(("ss", "us", "is")) and word[:-1].isupper():
        return low[:-1]  # lncRNAs, miRNAs
    for ending, least in _list_endings():
        if low.endswith(ending) and len(low) - len(ending) >= least and not low.endswith("ss"):
            low = low[: -len(ending)]
            break
    return low[:-1] if len(low) > 3 and low[-1] == low[-2] and low[-1] in "bdgmnprt" else low
