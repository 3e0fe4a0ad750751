"""What the text of a cited work says about a claim: passages, quotations, numbers, figures.

A verdict is only there where a language model gave one, with a quotation that the text has.
"""

from __future__ import annotations

from enum import StrEnum

from citeproof.vocabulary.model_stages import ModelExchange
from citeproof.vocabulary.quick_dataclass import dataclass
from citeproof.vocabulary.source_texts import ExhibitKind, TextExtent


class SupportOutcome(StrEnum):
    """What was found of a claim in the text of the work that it cites."""

    QUOTE_VERIFIED = "quote_verified"  # every quotation of the claim is in the text, word for word
    NUMBERS_AGREE = "numbers_agree"  # a passage is about the claim, and has its numbers
    EVIDENCE_LOCATED = (
        "evidence_located"  # a passage is about the claim; whether it supports it, a reader says
    )
    ALARM = "alarm"  # a number, direction, negation, quotation or figure differs: look at it
    NOT_LOCATED = "not_located"  # no passage is about the claim
    NO_TEXT = "no_text"  # there was no text to look at
    NOT_COMPARED = "not_compared"  # as the content of a claim: there was no text, or it was not looked at
    SUPPORTED = "supported"  # these three: a language model says so, and the text has what it quotes
    CONTRADICTED = "contradicted"
    NOT_STATED = "not_stated"


LOCATED_CONTENTS = (  # the text of the work is about the claim, and nothing differs
    SupportOutcome.QUOTE_VERIFIED,
    SupportOutcome.NUMBERS_AGREE,
    SupportOutcome.EVIDENCE_LOCATED,
    SupportOutcome.SUPPORTED,
)


class SupportLimit(StrEnum):
    """Why what a language model says about a claim does not count."""

    NO_QUOTE = "no_quote"  # it quotes fewer than four words, or a page
    QUOTE_NOT_LOCATED = "quote_not_located"  # not word for word in the passages that it was shown
    QUOTE_GIVES_ORDERS = "quote_gives_orders"  # to a language model
    QUOTE_OFF_CLAIM = "quote_off_claim"  # its words have too little in common with the claim
    QUOTE_CUT = "quote_cut"  # its sentence has a negation that it leaves out: it cannot support the claim
    QUOTE_DIFFERS = "quote_differs"  # in a number, direction or negation: it cannot support the claim
    ALARM_STANDS = "alarm_stands"  # a difference that was found without a model
    OUTCOME_DECIDED = "outcome_decided"  # by the claim's own quotations
    ANSWERS_DISAGREE = "answers_disagree"  # two answers about one claim


class AlarmKind(StrEnum):
    """What differs between a claim and the text."""

    NUMBER = "number"
    UNIT = "unit"
    COMPARATOR = "comparator"
    DIRECTION = "direction"
    NEGATION = "negation"
    QUOTATION = "quotation"
    PAGE = "page"
    EXHIBIT = "exhibit"  # a figure or table that the work does not have


class ImageState(StrEnum):
    """What became of the image of a figure that a claim cites."""

    NO_IMAGE = "no_image"  # it could not be cut out
    SHOWN = "shown"  # it was cut out, for a reader to look at; it was not compared
    COMPARED = "compared"  # a language model looked at it; what it reads is a note


@dataclass(frozen=True, slots=True)
class EvidencePassage:
    """A passage of the text: its offsets, and where a reader finds it."""

    start: int
    end: int
    text: str
    section: str = ""
    page: int | None = None
    score: float = 0.0  # how much of the claim it is about, 0..1


@dataclass(frozen=True, slots=True)
class SupportAlarm:
    """One difference between a claim and the text, with both sides."""

    kind: AlarmKind
    claimed: str
    found: str  # what the text has in its place; empty: nothing
    detail: str  # in words
    passage: EvidencePassage | None = None


@dataclass(frozen=True, slots=True)
class LocatedQuotation:
    """A quotation of a claim: `status` is verbatim, altered or absent."""

    quoted: str
    status: str
    ratio: float
    differences: tuple[str, ...] = ()  # in words: "not" left out
    grave: bool = False
    passage: EvidencePassage | None = None


@dataclass(frozen=True, slots=True)
class ExhibitEvidence:
    """A figure or table that a claim cites, with the caption and the sentences that discuss it."""

    kind: ExhibitKind
    number: str
    exists: bool  # False without a `last`: it was not seen, which is no accusation
    label: str = ""
    caption: EvidencePassage | None = None
    sentences: tuple[EvidencePassage, ...] = ()
    image_state: ImageState = ImageState.NO_IMAGE
    image: bytes = b""
    media_type: str = ""
    content: str = ""  # the rows of a table, a line each
    last: str = ""  # where it does not exist: the last number that the work has
    image_file: str = ""  # that the image was written to, as a report names it


@dataclass(frozen=True, slots=True)
class ModelVerdict:
    """What a language model says about a claim, and whether that counts."""

    verdict: str  # supported, contradicted or not_stated
    quote: str  # as the text has it; empty: it has none such
    confidence: str  # its own word for it, which is not calibrated
    passage: EvidencePassage | None = None  # the sentence that has the quotation
    used: bool = False
    limit: str = ""  # a `SupportLimit`, if it does not count
    reading: str = ""  # of a figure: what it sees there; a note and nothing else


@dataclass(frozen=True, slots=True)
class SupportQuestion:
    """One question to a language model about a claim: what it was shown, and what came back."""

    exchange: ModelExchange
    sent: tuple[EvidencePassage, ...] = ()
    about: str = ""  # such as "figure 3"; empty: the claim
    located: bool = True  # the whole text has the quotation too
    verdict: ModelVerdict | None = None  # None: no answer


@dataclass(frozen=True, slots=True)
class ModelSupport:
    """All that a language model had to do with one claim."""

    model: str  # "provider:model", as the user chose it
    first: SupportOutcome  # what was found without it
    asked: tuple[SupportQuestion, ...] = ()

    @property
    def used(self) -> ModelVerdict | None:
        """The verdict that counts, if one does."""
        return next(
            (question.verdict for question in self.asked if question.verdict and question.verdict.used), None
        )


@dataclass(frozen=True, slots=True)
class ClaimSupport:
    """What the text of the attached work says about a claim."""

    outcome: SupportOutcome
    extent: TextExtent
    origin: str = ""  # of the text
    passages: tuple[EvidencePassage, ...] = ()  # the best first, three at most
    alarms: tuple[SupportAlarm, ...] = ()
    quotations: tuple[LocatedQuotation, ...] = ()
    exhibits: tuple[ExhibitEvidence, ...] = ()
    numbers: tuple[str, ...] = ()  # of the claim, that the text has too
    sha256: str = ""  # of the file that the text was read from
    reasons: tuple[str, ...] = ()  # why no more of the text could be had
    absent_numbers: tuple[str, ...] = ()  # of the claim, that the text has nowhere
    llm: ModelSupport | None = None  # None: no language model was asked


NO_SUPPORT_TEXT = ClaimSupport(SupportOutcome.NO_TEXT, TextExtent.NO_TEXT)
