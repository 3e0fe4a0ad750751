"""Letters that scanning takes for one another: two words that look alike may be one word, scanned badly."""

from __future__ import annotations

from functools import lru_cache

from citeproof.claims.quotes.source_index import SourceIndex

_LONGEST = 60  # characters of a word that is compared
_FEWEST, _SHARE = 2, 4  # confusions that one word may have: two, or one in four letters
# What is printed, and what scanners make of it or the other way round. Case is gone: I and l look alike.
_PAIRS = (
    "rn m", "nn m", "in m", "ni m", "iii m", "ri n", "vv w", "cl d", "ci d", "li h", "ii u", "il u", "li u",
    "tl d", "i l", "i 1", "l 1", "i !", "l !", "i |", "l |", "i j", "o 0", "s 5", "b 8", "b 6", "g 9", "g q",
    "q 9", "z 2", "h b", "e c", "u n", "f t", "o c", "y v", "t 7", "fi f", "fl f",
)  # fmt: skip
_SPLIT = [(one, other) for one, _, other in (pair.partition(" ") for pair in _PAIRS)]
_ALIKE = frozenset([*_SPLIT, *((other, one) for one, other in _SPLIT)])
_SIZES = sorted({(len(one), len(other)) for one, other in _ALIKE})


def is_scan_error(quoted: str, read: str, source: SourceIndex) -> bool:
    """Return whether two stretches are the same but for letters that scanners confuse.

    Real words are never taken for one another: one of the two must be no word, that is, the source has the
    quoted form nowhere, or its own form only here. A digit for a digit is another number.
    """
    if not quoted or not read or max(len(quoted), len(read)) > _LONGEST or not _looks_alike(quoted, read):
        return False
    if len(quoted) == 1 and len(read) == 1:
        return quoted.isdecimal() != read.isdecimal()
    return source.count(quoted) == 0 or (source.count(read) <= 1 and len(read) > 3)


@lru_cache(maxsize=1 << 12)
def _looks_alike(quoted: str, read: str) -> bool:
    """Return whether one can be read as the other with few confusions."""
    most = max(_FEWEST, min(len(quoted), len(read)) // _SHARE)
    reached = {(0, 0): 0}
    for i in range(len(quoted) + 1):
        for j in range(len(read) + 1):
            cost = reached.get((i, j))
            if cost is None or cost > most:
                continue
            if quoted[i : i + 1] == read[j : j + 1]:
                reached[i + 1, j + 1] = min(cost, reached.get((i + 1, j + 1), cost))
            for a, b in _SIZES:
                if (quoted[i : i + a], read[j : j + b]) in _ALIKE:
                    reached[i + a, j + b] = min(cost + 1, reached.get((i + a, j + b), cost + 1))
    return reached.get((len(quoted), len(read)), most + 1) <= most
