"""What the tagger sees of one token by itself: the ordered list of word features."""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from importlib.resources import files

from citeproof.text.dates import YEAR
from citeproof.text.names import load_given_names
from citeproof.text.unicode import strip_marks

_YEAR = re.compile(YEAR)
_ROMAN = re.compile(r"[IVXLC]{1,6}|[ivxl]{2,6}")
_AFFIXED = 3  # letters a word must have more of to be examined by its ends
_LONG = 9
_LENGTHS = [f"n={length}" for length in range(_LONG + 1)]
_YEAR_DIGITS = 4


def _load_word_classes() -> dict[str, tuple[str, ...]]:
    table = tomllib.loads(files("citeproof.reading.parse").joinpath("wordclasses.toml").read_text("utf-8"))
    classes: dict[str, tuple[str, ...]] = {}
    for name, words in table.items():
        for word in words.split():
            classes[word] = (*classes.get(word, ()), name)
    return classes


CLASSES = _load_word_classes()
# One letter for each coarse kind of token; patterns of three in a row are features.
_COARSE = {
    "month": "m", "ed": "e", "edition": "n", "volume": "v", "issue": "i", "page": "p", "in": "o",
    "journal": "j", "conference": "k", "abbrev": "b", "publisher": "u", "place": "l", "access": "h",
    "english": "f", "german": "f", "romance": "f", "particle": "f", "join": "f",
}  # fmt: skip
# The letter of each clue word: that of its first class which has one.
_LETTERS = {
    word: next(_COARSE[name] for name in classes if name in _COARSE)
    for word, classes in CLASSES.items()
    if not _COARSE.keys().isdisjoint(classes)
}


def list_word_features(key: str) -> list[str]:
    """Return the features of a token; `key` is led by a space if one comes before the token."""
    word, glued = (key[1:], "s=") if key[0] == " " else (key, "s=_")
    if not word[0].isalnum():
        return ["w=" + word, glued + word]
    shape = find_word_shape(word)
    if word[0].isdigit():
        return [glued + shape, "w=" + (shape if len(word) > _AFFIXED else word), "digit"]
    low = fold_word(word)
    features = ["w=" + low, glued + shape, "c=" + classify_token(word)]
    if low in CLASSES:
        features += ["k=" + name for name in CLASSES[low]]
    if len(low) > _AFFIXED:
        features += ("p=" + low[:3], "e=" + low[-3:], "E=" + low[-2:], _LENGTHS[min(len(low), _LONG)])
    if low in load_given_names():
        features.append("given")
    return features


_SEEN = ("", "wsckgd", "wck")  # which features a neighbour one and two tokens away sees, by first letter


def is_feature_seen(feature: str, offset: int) -> bool:
    """Return whether a token `offset` away sees the feature; affixes are for the token itself."""
    return not offset or feature[0] in _SEEN[abs(offset)]


def list_kind_features(key: str) -> list[str]:
    """Return the features of the coarse kinds of three tokens in a row."""
    return ["T" + key, "P" + key[:2]]


def find_word_shape(word: str) -> str:
    """Return the shape of a word: case pattern or script, or what sort of number it is."""
    if word.isdigit():
        return "YEAR" if _YEAR.fullmatch(word) else f"9{min(len(word), 6)}"
    if not word[0].isascii() and ord(word[0]) > 0x24F:
        code = ord(word[0])
        if 0x400 <= code < 0x530:
            return "CYR" + ("X" if word[0].isupper() else "x")
        if 0x3040 <= code <= 0x9FFF or 0xAC00 <= code <= 0xD7AF:
            return f"CJK{min(len(word), 5)}"
        return "other" + ("X" if word[0].isupper() else "x")
    if len(word) == 1:
        return "X" if word.isupper() else "x"
    if word.isupper():
        return "XX" if len(word) <= 3 else "XXXX"
    if word.islower():
        return "xx" if len(word) <= 3 else "xxxx"
    return ("Xx" if len(word) <= 3 else "Xxxx") if word[0].isupper() and word[1:].islower() else "xX"


@lru_cache(maxsize=50_000)
def classify_token(word: str) -> str:
    """Return one letter for the kind of token: a clue word's class, a case pattern, a mark itself."""
    first = word[0]
    if not first.isalnum():
        return first
    if first.isdigit():
        return "Y" if len(word) == _YEAR_DIGITS and _YEAR.fullmatch(word) else str(min(len(word), 5))
    upper = first.isupper()
    if upper and len(word) == 1:
        return "I"
    if letter := _LETTERS.get(fold_word(word)):
        return letter.upper() if upper and letter in "ofbul" else letter
    if first in "IVXLCivxl" and _ROMAN.fullmatch(word):
        return "R"
    if word.isupper():
        return "A" if len(word) <= _AFFIXED else "G"
    return "c" if word.islower() else "C" if upper else "z"


def fold_word(word: str) -> str:
    """Return a word in small letters without marks."""
    return word.lower() if word.isascii() else strip_marks(word).casefold()
