"""How figures and tables are named: `Fig. 3`, `Tables II and III`, `Supplementary Figs. S1–S3`, `Abb. 2`."""

from __future__ import annotations

from collections.abc import Iterator

from citeproof.text import lazy_patterns as re
from citeproof.vocabulary.quick_dataclass import dataclass
from citeproof.vocabulary.source_texts import ExhibitKind

_FIGURE = r"fig(?:ure|ura)?s?|abb(?:ildung(?:en)?)?"
_TABLE = r"tab(?:le(?:s|au|aux)?|elles?|ellen|las?|elas?|ella)?s?"
_PART = r"(?:(?P<part>supp(?:l(?:ement(?:ary|al)?)?)?\.?|extended data|online|web|appendix)\s{1,2})?"
_WORD = rf"(?P<word>(?P<figure>{_FIGURE})|{_TABLE})(?:\.|(?=[\sS\d]))"
_NUMBER = r"(?:[A-Z]{1,2}[.-]?)?\d{1,3}(?:[.-]\d{1,3}){0,2}|[IVX]{1,6}(?![A-Za-z\d])"
_LABEL = re.compile(
    rf"(?i:{_PART}{_WORD})\s{{0,2}}(?P<number>{_NUMBER})"
    r"(?P<mark>\s{0,2}(?:[.:|]|[—–-](?=\s)|\)))?(?=[\s\"“(]|$|(?<=[.:|])\w)"
)
_MENTION = re.compile(rf"(?<![\w.])(?i:{_PART}{_WORD})\s{{0,2}}(?=[A-Z]{{0,2}}[.-]?\d|[IVX])")
_LETTERS = r"[A-Ka-k](?:\s?[–—,&-]\s?[A-Ka-k]){0,8}(?![A-Za-z\d])"
_PANELS = rf"(?:{_LETTERS}|\s?\({_LETTERS}\))"
_ITEM = re.compile(
    r"(?P<number>[A-Z]{0,2}[.-]?\d{1,3}(?:\.\d{1,3}){0,2}(?![\d%])|[IVX]{1,6}(?![A-Za-z\d]))"
    rf"(?P<panels>(?:(?<=\d){_PANELS})?)"
)
_LINK = re.compile(r"\s{0,2}(?:(?P<range>[–—‐-]|\bto\b|\bbis\b)|,?\s{0,2}(?:and|und|et|y|&)|[,;/])\s{0,2}")
_ALONE = re.compile(r"[a-k](?:\s?[–-]\s?[a-k])?(?![A-Za-z\d])")
_ROMAN = {"I": 1, "V": 5, "X": 10}
_MOST = 30  # figures that one mention may name
_LONGEST = 12  # links of one mention


@dataclass(frozen=True, slots=True)
class CaptionLabel:
    """What a caption begins with: `Figure 3:`."""

    kind: ExhibitKind
    number: str
    text: str  # as it is printed
    mark: str  # what ends it: ":", ".", "|", "–"; empty: nothing


@dataclass(frozen=True, slots=True)
class ExhibitMention:
    """A figure or table that a text names, with its panels if it names some."""

    kind: ExhibitKind
    number: str
    panels: str
    start: int
    end: int


def read_caption_label(text: str) -> CaptionLabel | None:
    """Return the label that a text begins with; None: it begins with none."""
    match = _LABEL.match(text)
    if match is None or (match["mark"] or "").strip() == ")":
        return None
    number = normalise_number(match["number"], match["part"] or "")
    return CaptionLabel(_read_kind(match), number, match[0].strip(), (match["mark"] or "").strip())


def find_exhibit_mentions(text: str) -> list[ExhibitMention]:
    """Return every figure and table that a text names, in order; ranges and lists written out."""
    mentions: list[ExhibitMention] = []
    for match in _MENTION.finditer(text):
        kind = _read_kind(match)
        several = match["word"].lower().endswith(("s", "x", "en"))
        for number, panels, end in _read_numbers(text, match.end(), several=several):
            key = normalise_number(number, match["part"] or "")
            mentions.append(ExhibitMention(kind, key, panels, match.start(), end))
    return mentions


def normalise_number(number: str, part: str = "") -> str:
    """Return a number as one spells it: `IV` is 4, `A.1` is A1, `Supplementary Fig. 2` is S2."""
    number = number.strip().upper().replace("-", ".")
    if not number[:1].isdigit() and all(letter in _ROMAN for letter in number):
        number = str(_read_roman(number))
    number = re.sub(r"^([A-Z]{1,2})\.(?=\d)", r"\1", number)
    part = part.lower()
    if part.startswith(("supp", "online", "web")) and number[:1].isdigit():
        return f"S{number}"
    return f"ED{number}" if part.startswith("extended") and number[:1].isdigit() else number


def _read_kind(match: re.Match[str]) -> ExhibitKind:
    return ExhibitKind.FIGURE if match["figure"] else ExhibitKind.TABLE


def _read_roman(number: str) -> int:
    values = [_ROMAN[letter] for letter in number]
    pairs = zip(values, [*values[1:], 0], strict=True)
    return sum(-value if value < after else value for value, after in pairs)


def _read_numbers(text: str, at: int, *, several: bool) -> Iterator[tuple[str, str, int]]:
    """Yield number, panels and end of each one that a list such as `2a, 3 and S1–S3` names.

    Behind a singular, `Fig. 3, 12 people`, only a range or a number with panels goes on.
    """
    last, ranged, count = "", False, 0
    for _ in range(_LONGEST):
        item = _ITEM.match(text, at)
        if item and (several or not last or ranged or item["panels"]):
            number, at = item["number"], item.end()
            for between in _fill_range(last, number) if ranged else ():
                yield between, "", at
            yield number, item["panels"].strip(" ()"), at
            last, count = number, count + 1
        elif last and (alone := _ALONE.match(text, at)):
            at = alone.end()
            yield last, alone[0], at
        else:
            return
        link = _LINK.match(text, at)
        if link is None or count >= _MOST:
            return
        ranged = bool(link["range"])
        at = link.end()


def _fill_range(first: str, last: str) -> list[str]:
    """Return the numbers between two: `S1–S4` has S2 and S3."""
    low, high = (re.fullmatch(r"([A-Z]{0,2}[.-]?)(\d{1,3})", number) for number in (first, last))
    if low is None or high is None or high[1] not in ("", low[1]):
        return []
    numbers = range(int(low[2]) + 1, int(high[2]))
    return [f"{low[1]}{number}" for number in numbers] if len(numbers) < _MOST else []
