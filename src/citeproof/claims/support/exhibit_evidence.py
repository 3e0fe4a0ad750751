"""The figures and tables that a claim cites, as the source has them: caption, sentences, image."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from citeproof.claims.support.cited_exhibits import find_cited_exhibits
from citeproof.claims.support.passage_index import PassageIndex, index_passages
from citeproof.text.exhibit_labels import ExhibitMention, find_exhibit_mentions
from citeproof.vocabulary.claim_support import (
    AlarmKind,
    EvidencePassage,
    ExhibitEvidence,
    ImageState,
    SupportAlarm,
)
from citeproof.vocabulary.source_texts import Exhibit, SourceText, TextExtent

SHOWN_SENTENCES = 5  # that discuss one figure
_SHOWN_CAPTION = 2_000  # characters


def check_exhibits(
    claim: str, source: SourceText | PassageIndex, *, cited_at: int | None = None, own_document: bool = True
) -> tuple[ExhibitEvidence, ...]:
    """Return what the source has of each figure and table of it that a claim names.

    `cited_at`, `own_document`: see `find_cited_exhibits`.
    """
    named = find_cited_exhibits(claim, cited_at=cited_at, own_document=own_document)
    if not named:
        return ()
    index = source if isinstance(source, PassageIndex) else index_passages(source)
    if index.source.extent is TextExtent.NO_TEXT:
        return ()
    discussed = find_exhibit_mentions(index.source.text)
    return tuple(_check_exhibit(one, index, discussed) for one in named)


def find_exhibit_alarms(evidence: Sequence[ExhibitEvidence]) -> tuple[SupportAlarm, ...]:
    """Return an alarm for each figure or table that the work surely does not have."""
    return tuple(
        SupportAlarm(
            AlarmKind.EXHIBIT,
            f"{one.kind.value} {one.number}",
            "",
            f"the work has no {one.kind.value} {one.number}: its last one is {one.last}",
        )
        for one in evidence
        if not one.exists and one.last
    )


def _check_exhibit(
    named: ExhibitMention, index: PassageIndex, discussed: Sequence[ExhibitMention]
) -> ExhibitEvidence:
    source = index.source
    found = next(
        (one for one in source.exhibits if (one.kind, one.number) == (named.kind, named.number)), None
    )
    if found is None:
        sentences = _find_sentences(named, index, discussed, range(0))
        last = "" if sentences else _find_last_number(named, source, discussed)
        return ExhibitEvidence(named.kind, named.number, exists=False, sentences=sentences, last=last)
    caption = _make_caption(found, index)
    return ExhibitEvidence(
        found.kind,
        found.number,
        exists=True,
        label=found.label,
        caption=caption,
        sentences=_find_sentences(named, index, discussed, range(caption.start, caption.end)),
        image_state=ImageState.SHOWN if found.image else ImageState.NO_IMAGE,
        image=found.image,
        media_type=found.media_type,
        content=found.content,
    )


def _make_caption(found: Exhibit, index: PassageIndex) -> EvidencePassage:
    """Return the caption as the text has it; one that is not in the text has no place there."""
    caption = f"{found.label} {found.caption}".strip()[:_SHOWN_CAPTION]
    if found.start < 0:
        return EvidencePassage(-1, -1, caption, page=found.page)
    end = min(found.start + len(caption), len(index.source.text))
    section = index.find_section(found.start)
    return EvidencePassage(found.start, end, caption, section, found.page or index.find_page(found.start))


def _find_sentences(
    named: ExhibitMention, index: PassageIndex, discussed: Sequence[ExhibitMention], caption: range
) -> tuple[EvidencePassage, ...]:
    """Return the sentences of the source that name a figure; those that name the claimed panel first."""
    starts = [start for start, _ in index.spans]
    found: dict[int, bool] = {}  # number of the sentence: does it name the panel
    for one in discussed:
        number = bisect_right(starts, one.start) - 1
        same = (one.kind, one.number) == (named.kind, named.number) and one.start not in caption
        if same and number >= 0 and one.start < index.spans[number][1]:
            panel = bool(named.panels) and named.panels[:1].lower() in one.panels.lower()
            found[number] = found.get(number, False) or panel
    order = sorted(found, key=lambda number: (not found[number], number))
    return tuple(index.make_passage(*index.spans[number]) for number in order[:SHOWN_SENTENCES])


def _find_last_number(named: ExhibitMention, source: SourceText, discussed: Sequence[ExhibitMention]) -> str:
    """Return the last number of that kind if the work surely has no more; empty: it may have.

    Sure is: the whole text was read, its numbers go from 1 to the last without a gap, the claimed one is
    beyond, and the text names none beyond either.
    """
    if source.extent is not TextExtent.FULL_TEXT or not named.number.isdecimal():
        return ""
    numbers = {
        int(one.number) for one in source.exhibits if (one.kind is named.kind and one.number.isdecimal())
    }
    last = max(numbers, default=0)
    if not numbers or numbers != set(range(1, last + 1)) or int(named.number) <= last:
        return ""
    beyond = any(
        one.kind is named.kind and one.number.isdecimal() and int(one.number) > last for one in discussed
    )
    return "" if beyond else str(last)
