"""Numbers of a text with their units and comparators: values, ranges, shares, number words.

Left out are digits of names (IL-6, type 2, Figure 3), years and the numbers of citation marks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from citeproof.claims.support.passage_words import load_word_table
from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_package_table

_NUMBER = r"\d{1,3}(?:[, \u2009\u202f]\d{3}){1,4}(?!\d)(?:[.·]\d{1,9})?|\d{1,12}(?:[.·]\d{1,9})?"
_WORDS = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
}  # fmt: skip
_SHARES = {
    "half": 50.0, "a third": 100 / 3, "one third": 100 / 3, "one-third": 100 / 3, "two thirds": 200 / 3,
    "two-thirds": 200 / 3, "a quarter": 25.0, "one quarter": 25.0,
    "three quarters": 75.0, "three-quarters": 75.0,
}  # fmt: skip
_FOLDS = {
    "doubled": 2.0,
    "doubling": 2.0,
    "twice": 2.0,
    "twofold": 2.0,
    "tripled": 3.0,
    "threefold": 3.0,
    "tenfold": 10.0,
}
_SPAN = r"\s?(?:-|–|—|−|to|bis|à)\s?"
_FOUND = re.compile(
    rf"(?<![\w.,/^·#-])(?P<sign>[-−](?=\d))?(?P<low>{_NUMBER})(?P<low_unit>\s?%)?"
    rf"(?:{_SPAN}(?P<high>{_NUMBER})(?![\w-]*[^\W\d_]))?(?P<end>)"
    rf"|\b(?P<share>{'|'.join(_SHARES)})\b|\b(?P<times>{'|'.join(_FOLDS)})\b"
    rf"|\b(?P<word>{'|'.join(_WORDS)})(?P<fold>[- ]?fold)?\b",
    re.IGNORECASE,
)  # fmt: skip
_BEHIND = re.compile(
    r"(?:\s?(?:±|\+/-|\(SD\)?)\s?[\d.]{1,12})?[\s-]?"
    r"(?P<unit>% points?|%|‰|°\s?C|[^\W\d_]{1,12}(?:/[^\W\d_]{1,4})?(?:\s(?:cent|points?))?)"
)
_BEFORE = re.compile(r"(?:^|[^\w])(?P<word>[^\W\d_]{1,20})[\s-]{0,2}$")
_CHANCE = re.compile(r"\bp(?:[- ]?values?)?\s?(?:of\s)?[<>=≤≥]\s?$", re.IGNORECASE)
_INTERVAL = re.compile(
    r"^\s?(?:%\s?)?(?:CI|confidence|credible|CrI)\b|^\s?%\s?(?:CI|confidence|credible)", re.IGNORECASE
)
_INTERVAL_BEFORE = re.compile(r"\b(?:CI|CrI|confidence interval|interval)\b[\s:,=(\[]{0,4}$")
_COMPOUND = re.compile(r"-[^\W\d_]")
_LISTED = re.compile(r",?\s?(?:and|or|vs\.?|versus|,|/)\s?\d[\d.]{0,9}\s?(?:%|[^\W\d_]{1,5}\b)")
_COMPARED = re.compile(
    r"(?:(?P<below><|≤|\bless than|\bfewer than|\bbelow|\bunder|\bup to|\bat most|\bno more than"
    r"|\bmaximum of)"
    r"|(?P<above>>|≥|\bmore than|\bgreater than|\bover|\babove|\bat least|\bexceed(?:s|ed|ing)?"
    r"|\bhigher than|\bminimum of)"
    r"|(?P<about>~|≈|\babout|\bapproximately|\bapprox\.|\baround|\broughly|\bnearly|\balmost|\bcirca|\bsome))\s{0,2}(?:the\s|a\s)?$",
    re.IGNORECASE,
)


class Comparator(StrEnum):
    """How a number is meant."""

    EXACT = "="
    BELOW = "<"
    ABOVE = ">"
    ABOUT = "~"


@dataclass(frozen=True, slots=True)
class TextQuantity:
    """A number or range as a text has it: place, words, values in the base unit of its dimension."""

    start: int
    end: int
    text: str
    low: float
    high: float
    step: float  # of the last digit that is given
    dimension: str = ""  # empty: a count, or a unit that is not known
    unit: str = ""
    comparator: Comparator = Comparator.EXACT
    chance: bool = False  # a p value, or the share of a confidence interval


@cache
def _load_units() -> dict[str, tuple[str, float]]:
    return {
        unit: (dimension, factor)
        for dimension, rows in load_package_table(__package__, "quantity_units.toml").items()
        for factor, *units in rows
        for unit in units
    }


def list_unit_factors(dimension: str) -> set[float]:
    """Return what the units of a dimension are in its base unit; 1 of a count."""
    return {factor for one, factor in _load_units().values() if one == dimension} or {1.0}


def find_number_words(text: str) -> set[float]:
    """Return the values of the number words of a text: twelve, half, twofold."""
    every = {**_WORDS, **_SHARES, **_FOLDS}
    low = text.lower()
    return {float(value) for word, value in every.items() if re.search(rf"\b{word}\b", low)}


def find_quantities(text: str) -> Iterator[TextQuantity]:
    """Yield the numbers of a text that say how much or how many."""
    for match in _FOUND.finditer(text):
        if match["low"] is None:
            yield _read_words(text, match)
        elif (found := _read_digits(text, match)) is not None:
            yield found


def _read_words(text: str, match: re.Match[str]) -> TextQuantity:
    """Return the quantity of a number word: half, two-fold, three."""
    low = match[0].lower()
    comparator = _read_comparator(text, match.start())
    if match["share"]:
        value, dimension, unit = _SHARES[low], "share", "%"
        comparator = Comparator.ABOUT if comparator is Comparator.EXACT else comparator
        return TextQuantity(*match.span(), match[0], value, value, 1.0, dimension, unit, comparator)
    if match["times"] or match["fold"]:
        value = _FOLDS[low] if match["times"] else float(_WORDS[match["word"].lower()])
        return TextQuantity(*match.span(), match[0], value, value, 1.0, "fold", "fold", comparator)
    value = float(_WORDS[low])
    dimension, unit, factor, end = _read_unit(text, match.end())
    return TextQuantity(
        match.start(), end, text[match.start() : end], value * factor, value * factor, factor,
        dimension, unit, comparator,
    )  # fmt: skip


def _read_digits(text: str, match: re.Match[str]) -> TextQuantity | None:
    """Return the quantity of digits; None if part of a name, a year or a list with its unit later."""
    low, high = _read_value(match["low"]), _read_value(match["high"] or match["low"])
    start, end = match.start(), match.end()
    if high <= low:
        high, end = low, match.end("low")
    before = text[max(0, start - 40) : start]
    word = _BEFORE.search(before)
    if word and word["word"].lower() in load_word_table("labels"):
        return None
    dimension, unit, factor, last = _read_unit(text, end)
    if not dimension and (_is_name_or_year(low, high, match, text[end : end + 30])):
        return None
    sign = -1 if match["sign"] else 1
    decimals = re.split("[.·]", match["high"] or match["low"])[1:]
    step = 10.0 ** -len(decimals[0]) if decimals else 1.0
    near = text[end : end + 30]
    chance = bool(_CHANCE.search(before) or _INTERVAL.match(near) or _INTERVAL_BEFORE.search(before))
    return TextQuantity(
        start, last, text[start:last], sign * low * factor, sign * high * factor, step * factor,
        dimension, unit, _read_comparator(text, start), chance,
    )  # fmt: skip


def _is_name_or_year(low: float, high: float, match: re.Match[str], behind: str) -> bool:
    """Return whether a number without a unit is no count: 5XFAD, 3rd, 2004, "10 and 20 %"."""
    if behind[:1].isalpha() or _COMPOUND.match(behind) or _LISTED.match(behind):
        return True
    year = all(1500 <= value <= 2100 for value in (low, high)) and match["low"].isdigit()
    return year and not _counts_things(behind)


def _counts_things(behind: str) -> bool:
    """Return whether the words behind a number say that it counts something: 2000 patients."""
    word = re.match(r"\s(?:[a-z]{2,20}\s){0,2}?(?P<noun>[a-z]{3,20}s)\b", behind)
    return word is not None


def _read_value(digits: str) -> float:
    return float(re.sub(r"[, \u2009\u202f]", "", digits).replace("·", "."))


def _read_unit(text: str, at: int) -> tuple[str, str, float, int]:
    """Return dimension, unit, factor and where the unit ends; a noun is no unit."""
    match = _BEHIND.match(text, at, at + 40)
    if match is None:
        return "", "", 1.0, at
    words = match["unit"].replace("μ", "µ")
    if words == "s" and text[at - 1 : at] == "0":
        return "", "", 1.0, at  # "in their early 70 s"
    for unit in (words, words.partition(" ")[0], words.partition("/")[0]):
        known = _load_units().get(unit.lower() if len(unit) > 2 or unit in ("mL", "dL", "L") else unit)
        if known is None and unit.lower().replace(" ", "") in ("°c", "%"):
            known = _load_units()[unit.lower().replace(" ", "")]
        if known is not None:
            return *known[:1], unit.lower(), known[1], match.start("unit") + len(unit)
    return "", "", 1.0, at


def _read_comparator(text: str, start: int) -> Comparator:
    match = _COMPARED.search(text[max(0, start - 24) : start])
    if match is None:
        return Comparator.EXACT
    return Comparator.BELOW if match["below"] else Comparator.ABOVE if match["above"] else Comparator.ABOUT
