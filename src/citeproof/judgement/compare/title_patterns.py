"""In what way a cited title differs from a record's: the patterns that `credit.toml` knows."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

from rapidfuzz.distance import DamerauLevenshtein

from citeproof.judgement.compare.title import standardise_title
from citeproof.text import title as titles
from citeproof.vocabulary import Comparison, Reason

_GREEK = frozenset(unicodedata.name(chr(code)).split()[-1].casefold() for code in range(0x3B1, 0x3CA))
_CUT_WORDS = 2  # words by which a record's title was cut
_WORD_PART = 4  # letters of a word in a longer one
_LONG_WORD = 6  # letters of a word in which one that is wrong is a slip
_POLLUTED = 8  # words behind a title from which they are the beginning of an abstract
_SYMBOL = re.compile(
    r"[\u0370-\u03ff\u2190-\u22ff\u00d7^_+\d]"
)  # what records lose or spell in their own way
_LABEL = re.compile(r"\s*([\w ]{3,25}):\s+(.+)", re.DOTALL)  # "Last Words: …", "Squibs: …"


def find_title_pattern(difference: Comparison) -> str:
    """Return the name of the pattern, more exact than the comparison's reason."""
    mine, theirs = standardise_title(difference.claimed), standardise_title(difference.resolved)
    if difference.reason in (Reason.WORD_ADDED, Reason.WORD_CHANGED, Reason.VETO_NUMBER) and _changes_symbols(
        difference
    ):
        return "label_missing"
    match difference.reason:
        case Reason.TYPO if _strip_plurals(mine) == _strip_plurals(theirs):
            return "plural"
        case Reason.TYPO if _is_misspelt_record(difference):
            return "record_typo"
        case Reason.WORD_ADDED | Reason.OTHER_TITLE if titles.has_main_title(
            difference.claimed, difference.resolved
        ):
            return "subtitle_added"
        case Reason.WORD_ADDED if _lacks_label(difference.claimed, difference.resolved):
            return "label_added"
        case Reason.WORD_ADDED if mine[: len(theirs)] == theirs and len(mine) - len(theirs) <= _CUT_WORDS:
            return "words_behind"
        case Reason.WORD_MISSING if _lacks_label(difference.resolved, difference.claimed) or (
            theirs[: len(mine)] == mine and len(theirs) - len(mine) >= _POLLUTED
        ):
            return "label_missing"
        case _:
            return difference.reason


def _is_misspelt_record(difference: Comparison) -> bool:
    """Return whether the words that differ are words as cited and none in the record: "Stucture".

    A name that a work was given is no slip: it is spelled with capitals, or stands before a colon.
    """
    mine, theirs = (Counter(standardise_title(text)) for text in (difference.claimed, difference.resolved))
    gone, come = set(theirs - mine), set(mine - theirs)
    if not all(map(_is_word, come)) or any(map(_is_word, gone)):
        return False
    if not all(any(_is_slip(word, right) for right in come) for word in gone):
        return False
    named = difference.resolved.partition(":")[0] if ":" in difference.resolved else ""
    coined = {
        word.strip(",.:;").lower() for word in difference.resolved.split() if word[1:] != word[1:].lower()
    }
    return gone.isdisjoint(coined) and gone.isdisjoint(standardise_title(named))


def _is_word(text: str) -> bool:
    """Return whether it is a frequent English word, or two of them in one: "featherweight"."""
    from citeproof.plumbing.word_pieces import is_frequent_word  # noqa: PLC0415 - numpy, for few titles

    cuts = range(_WORD_PART, len(text) - _WORD_PART + 1)
    return is_frequent_word(text) or any(
        is_frequent_word(text[:at]) and is_frequent_word(text[at:]) for at in cuts
    )


def _is_slip(word: str, right: str) -> bool:
    """Return whether one letter inside a word is wrong; "reranking" and "ranking" are two words."""
    inside = word[0] == right[0] and word[-1] == right[-1] and len(right) >= _LONG_WORD
    return inside and DamerauLevenshtein.distance(word, right, score_cutoff=1) == 1


def _changes_symbols(difference: Comparison) -> bool:
    """Return whether all that a cited title has more is Greek letters, formulas or lone letters."""
    more = Counter(standardise_title(difference.claimed)) - Counter(standardise_title(difference.resolved))
    words = difference.claimed.split()
    symbols = {part for word in words if _SYMBOL.search(word) for part in standardise_title(word)}
    lone = difference.reason == Reason.WORD_ADDED  # "Q-CNN" for "R-CNN" is a change
    return all(word in _GREEK or word in symbols or (lone and len(word) == 1) for word in more)


def _lacks_label(labelled: str, title: str) -> bool:
    """Return whether a title lacks what the other one has before it: a section, the name of a method."""
    found = _LABEL.match(labelled)
    return found is not None and standardise_title(found[2]) == standardise_title(title)


def _strip_plurals(words: tuple[str, ...]) -> list[str]:
    return [word.removesuffix("s").removesuffix("e") for word in words]
