"""Quotations of a claim, located in the text of the cited work, with the pages cited beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from citeproof.claims.quotes import (
    DifferenceWeight,
    PageAgreement,
    QuotationMatch,
    QuotationStatus,
    WordDifference,
    check_pages,
    locate_quotation,
)
from citeproof.claims.support.passage_index import PassageIndex
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary.claim_support import AlarmKind, EvidencePassage, LocatedQuotation, SupportAlarm
from citeproof.vocabulary.source_texts import TextExtent

_MARKS = re.compile(
    r"\"(?<!\w.)(?=\S)([^\"]{8,4000})(?<=\S)\"(?!\w)|“([^“”]{8,4000})”|„([^„“”]{8,4000})[“”]"
    r"|«\s?([^«»]{8,4000})\s?»|‹\s?([^‹›]{8,4000})\s?›|‘(?<!\w.)((?:[^‘’]|’(?=\w)){8,4000})’(?!\w)"
    r"|``([^`']{8,4000})''|「([^「」]{4,4000})」"
)
_WORD = re.compile(r"[^\W_]+")
_LEAST = 4  # words of a quotation: fewer are a term, or a word that is held at arm's length
_PAGES = re.compile(
    r"(?<!\w)(?:pp?\.|pages?|S\.|Seiten?|Bl\.)\s{0,3}(\d{1,5})(?:\s{0,2}(?:[-–—‒]|to|bis|à)\s{0,2}(\d{1,5}))?(?![\w%])",
    re.IGNORECASE,
)
_BESIDE = 80  # characters behind a quotation in which a page belongs to it
_MOST = 20  # quotations of one claim
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class ClaimQuotation:
    """A quotation of a claim: its place, its words, and the pages cited behind it."""

    start: int
    end: int
    text: str
    pages: tuple[int, int] | None = None


def find_claim_quotations(claim: str) -> list[ClaimQuotation]:
    """Return the quotations of four words or more, in order."""
    found: list[ClaimQuotation] = []
    for match in _MARKS.finditer(claim):
        text = match[match.lastindex or 0].strip()
        if len(_WORD.findall(text)) >= _LEAST or match[8]:
            found.append(ClaimQuotation(*match.span(), text, _read_pages(claim, match.end())))
    return found[:_MOST]


def _read_pages(claim: str, at: int) -> tuple[int, int] | None:
    match = _PAGES.search(claim, at, at + _BESIDE)
    if match is None or "“" in claim[at : match.start()] or '"' in claim[at : match.start()]:
        return None
    first, last = match[1], match[2] or match[1]
    if len(last) < len(first):
        last = first[: len(first) - len(last)] + last  # 112-15
    return int(first), max(int(first), int(last))


def locate_claim_quotations(
    quotations: Sequence[ClaimQuotation], index: PassageIndex
) -> tuple[tuple[LocatedQuotation, ...], tuple[SupportAlarm, ...]]:
    """Return where the quotations are in the text, and what is wrong with them."""
    located: list[LocatedQuotation] = []
    alarms: list[SupportAlarm] = []
    for quotation in quotations:
        match = locate_quotation(quotation.text, index.quotation_index)
        passage = _make_passage(match, index)
        differences = tuple(_describe_difference(one) for one in match.differences if not one.harmless)
        located.append(
            LocatedQuotation(
                quotation.text, match.status.value, match.ratio, differences[:_SHOWN], match.grave, passage
            )
        )
        alarms += _find_quotation_alarms(quotation, match, passage, differences, index)
    return tuple(located), tuple(alarms)


def _make_passage(match: QuotationMatch, index: PassageIndex) -> EvidencePassage | None:
    if match.span is None:
        return None
    return index.make_passage(match.span.start, match.span.end, match.ratio)


def _find_quotation_alarms(
    quotation: ClaimQuotation,
    match: QuotationMatch,
    passage: EvidencePassage | None,
    differences: Sequence[str],
    index: PassageIndex,
) -> Iterator[SupportAlarm]:
    if match.status is QuotationStatus.ABSENT:
        if index.source.extent is TextExtent.FULL_TEXT:
            detail = "The quotation is not in the text."
            yield SupportAlarm(AlarmKind.QUOTATION, quotation.text, "", detail, passage)
        return
    if match.status is QuotationStatus.ALTERED:
        detail = f"The quotation differs from the text: {'; '.join(differences[:_SHOWN])}."
        found = passage.text if passage else ""
        yield SupportAlarm(AlarmKind.QUOTATION, quotation.text, found, detail, passage)
    if quotation.pages is None or index.source.extent is not TextExtent.FULL_TEXT:
        return
    check = check_pages(match, index.quotation_index, *quotation.pages)
    if check.agreement is PageAgreement.DIFFERS:
        cited = "–".join(str(page) for page in dict.fromkeys(quotation.pages))
        printed = f" (printed {check.printed})" if check.printed else ""
        detail = f"The quotation is on page {check.page} of the file{printed}, not on page {cited}."
        yield SupportAlarm(AlarmKind.PAGE, cited, str(check.printed or check.page), detail, passage)


def _describe_difference(difference: WordDifference) -> str:
    """Return one difference in words."""
    if difference.weight is DifferenceWeight.REORDERED:
        return "passages in another order"
    if difference.op == "join":
        return "passages joined without a mark"
    if difference.op == "delete":
        return f"“{difference.source}” left out"
    if difference.op == "insert":
        return f"“{difference.quoted}” added"
    return f"“{difference.quoted}” for “{difference.source}”"
