"""What is found of a quotation in its source: status, places, differences and how much they weigh."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class QuotationStatus(StrEnum):
    """Whether a source has the quoted words."""

    VERBATIM = "verbatim"  # word for word, whatever typesetting, scanning and marked omissions made of them
    ALTERED = "altered"  # the passage is there, but its words differ, or passages were joined
    ABSENT = "absent"


class DifferenceWeight(StrEnum):
    """What a difference changes."""

    NUMBER = "number"
    UNIT = "unit"
    COMPARATOR = "comparator"  # also directions: rose, fell
    NEGATION = "negation"
    MODAL = "modal"
    QUANTIFIER = "quantifier"
    ENTITY = "entity"  # a name
    WORD = "word"
    JOINED = "joined"  # passages from two places, and nothing says so
    REORDERED = "reordered"  # the same, and the later place comes first
    EDITORIAL = "editorial"  # [brackets]
    CITATION = "citation"  # a citation that was left out: [12]
    TYPOGRAPHY = "typography"  # hyphenation, blanks
    SPELLING = "spelling"  # colour, color
    SCAN = "scan"  # rn for m


GRAVE = frozenset(
    {
        DifferenceWeight.NUMBER,
        DifferenceWeight.UNIT,
        DifferenceWeight.COMPARATOR,
        DifferenceWeight.NEGATION,
        DifferenceWeight.MODAL,
        DifferenceWeight.QUANTIFIER,
        DifferenceWeight.ENTITY,
    }
)
HARMLESS = frozenset(
    {
        DifferenceWeight.EDITORIAL,
        DifferenceWeight.CITATION,
        DifferenceWeight.TYPOGRAPHY,
        DifferenceWeight.SPELLING,
        DifferenceWeight.SCAN,
    }
)


@dataclass(frozen=True, slots=True)
class WordDifference:
    """Words of the quotation and what the source has in their place."""

    op: str  # "replace", "insert" (not in the source), "delete" (left out), "join"
    quoted: str
    source: str
    weight: DifferenceWeight
    at: int  # where it is in the source

    @property
    def grave(self) -> bool:
        """Whether it changes what the source says, however short it is."""
        return self.weight in GRAVE

    @property
    def harmless(self) -> bool:
        return self.weight in HARMLESS


@dataclass(frozen=True, slots=True)
class PassageSpan:
    """A stretch of a source: characters, and its pages counted from 1; None if the source has no pages."""

    start: int
    end: int
    first_page: int | None = None
    last_page: int | None = None
    section: str = ""


@dataclass(frozen=True, slots=True)
class QuotationMatch:
    """What a source has of a quotation."""

    status: QuotationStatus
    spans: tuple[
        PassageSpan, ...
    ] = ()  # in the order of the quotation; of an absent one, the nearest passage
    ratio: float = 0.0  # share of the quoted words that are in these spans
    differences: tuple[WordDifference, ...] = ()
    others: tuple[PassageSpan, ...] = ()  # where else the same words are, some of those places

    @property
    def grave(self) -> bool:
        """Whether a number, unit, comparison, negation, modal, quantifier or name was changed."""
        return any(difference.grave for difference in self.differences)

    @property
    def span(self) -> PassageSpan | None:
        return self.spans[0] if self.spans else None
