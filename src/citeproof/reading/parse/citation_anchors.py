"""What can be found in a citation string by rule, before any guess: identifiers, a leading number, the year.

They are masked in the text, so that the rule for names sees only words and punctuation. The mask is
one private character per masked character: offsets stay true.
"""

from __future__ import annotations

from citeproof.text import ids
from citeproof.text import lazy_patterns as re
from citeproof.text.dates import EARLY_YEAR
from citeproof.vocabulary import Ids
from citeproof.vocabulary.quick_dataclass import dataclass

MASK = "\ue000"

_NUMBERED = re.compile(
    r"\s{0,9}(?:\[\s?[\w+.-]{1,12}\s?\][.:]?|\(\d{1,4}\)|\d{1,4}[.)](?=\s)|[•·*-](?=\s)|\d{1,3}(?=\s[A-Z]))\s{0,9}"
)
# Before the day on which somebody looked at a page.
LOOKED_AT = (
    "accessed|retrieved|visited|viewed|abgerufen|aufgerufen|zugriff|besucht|consult(?:ed|é|ado)|accesso|acesso"
    "|visitado|дата обращения"
)
_ACCESS = re.compile(
    rf"[\[(]?\b(?:(?:last )?(?:{LOOKED_AT})|available(?: online)?|online)\b"
    r"(?:\s(?:on|from|at|am|le|online))?:?[^.;\[\]()]{0,60}[\])]?",
    re.IGNORECASE,
)
_CLUES = (
    "10.", "://", "arxiv", "abs/", "-ph/", "-mat/", "-qc/", "-ex/", "-lat/", "-th/", "pmc", "pmid", "isbn",
    "issn",
)  # fmt: skip
_BIBCODE = re.compile(r"[12]\d{3}[A-Za-z&]")
# What is before the year is examined behind it: a pattern that begins with digits is found quickly.
_DATED = re.compile(rf"{EARLY_YEAR}(?<!\d{{5}})[a-z]?(?!\w)[\])]?")
_YEAR = re.compile(rf"(?<![\d.])({EARLY_YEAR})(?=[a-z]?(?!\w))(?!\.\d{{4,5}}(?!\d))")
_JOINED = re.compile(r"(?:[-–/]|\d\s?—)\s?$")
_ONWARD = re.compile(r"[a-z]?\s?[-–—/]\s?\d")
_PAUSES = frozenset((".", ",", ";", ":", ""))
_LABELLED = re.compile(r"\b(?:vol|no|pp?|pages|volume|s)\.?\s?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class CitationAnchors:
    """What was found by rule, and the text with it masked."""

    masked: str
    ids: Ids
    spans: tuple[tuple[str, int, int], ...] = ()  # scheme, start and end of each identifier


def find_anchors(text: str) -> CitationAnchors:
    """Return the identifiers of one citation string; they, a leading number and years are masked."""
    hits = ids.find_ids(text) if _may_hold_identifier(text) else ()
    masked = text
    if number := _NUMBERED.match(masked):
        masked = _mask_span(masked, 0, number.end())
    for _, _, start, end in hits:
        masked = _mask_span(masked, start, end)
    for date in _DATED.finditer(masked):
        start = date.start()
        masked = _mask_span(masked, start - (masked[start - 1 : start] in ("[", "(")), date.end())
    if not hits:
        return CitationAnchors(masked, Ids())
    pairs = tuple(dict.fromkeys((scheme, value) for scheme, value, _, _ in hits))
    spans = tuple((scheme, start, end) for scheme, _, start, end in hits)
    return CitationAnchors(masked, Ids(pairs), spans)


def find_year_span(text: str, spans: tuple[tuple[str, int, int], ...]) -> tuple[int, int] | None:
    """Return where the year of publication stands: in brackets rather than between marks rather than last."""
    for _, start, end in spans:
        text = _mask_span(text, start, end)
    for access in _ACCESS.finditer(text):
        text = _mask_span(text, access.start(), access.end())
    rated = [
        (_rate_year(text, *match.span()), -match.start(), match.span()) for match in _YEAR.finditer(text)
    ]
    return max(rated)[2] if rated and max(rated)[0] >= 0 else None


def _rate_year(text: str, start: int, end: int) -> int:
    """Return how much the number there looks like the year of publication."""
    before, after = text[max(0, start - 9) : start], text[end : end + 4]
    if _JOINED.search(before) or _ONWARD.match(after) or _LABELLED.search(before):
        return -1
    if before[-1:] in ("(", "[") or after[:1] in (")", "]"):
        return 3
    apart = before.rstrip()[-1:] in _PAUSES and after[:1] in _PAUSES
    return 2 if apart or not after.strip(" .)") else 1


def _may_hold_identifier(text: str) -> bool:
    """Return whether `text` can hold an identifier: a look that spares most strings the search."""
    low = text.lower()
    return (
        text[:1] == "[" or bool([clue for clue in _CLUES if clue in low]) or _BIBCODE.search(text) is not None
    )


def _mask_span(text: str, start: int, end: int) -> str:
    return text[:start] + MASK * (end - start) + text[end:]
