"""The text of an attached work, and what it says about the claim: the one seam to wherever texts are had."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import replace

from citeproof.claims.grounding import AssessClaim
from citeproof.claims.support import PassageIndex, assess_support, index_passages
from citeproof.claims.support.cited_exhibits import find_cited_exhibits
from citeproof.claims.support.title_page import blank_front_matter, blank_quoted_titles
from citeproof.claims.text_library import TextLibrary
from citeproof.reading.extractors.exhibits.exhibit_images import ExhibitKey
from citeproof.vocabulary import (
    NO_SUPPORT_TEXT,
    ClaimSupport,
    FindText,
    FoundText,
    GroundedClaim,
    Ids,
    Record,
    SourceText,
    TextExtent,
)

ReviewSupport = Callable[[str, ClaimSupport, PassageIndex], Awaitable[ClaimSupport]]
AddImages = Callable[[SourceText, Collection[ExhibitKey]], SourceText]
_INDEXED = 16  # texts that are kept ready for further claims


def make_library_finder(library: TextLibrary) -> FindText:
    """Return what finds texts in the user's folders."""

    async def find_text(record: Record) -> FoundText:
        return await asyncio.to_thread(library.look_up, record)

    return find_text


def combine_text_finders(finders: Sequence[FindText]) -> FindText:
    """Return what asks each in order until one has the full text; else the first abstract counts."""

    async def find_text(record: Record) -> FoundText:
        kept: SourceText | None = None
        reasons: list[str] = []
        for finder in finders:
            found = await finder(record)
            reasons += found.reasons
            if found.text is not None and found.text.extent is TextExtent.FULL_TEXT:
                return FoundText(found.text, tuple(reasons))
            kept = kept or found.text
        return FoundText(kept, tuple(reasons))

    return find_text


def make_claim_assessor(
    find_text: FindText, add_images: AddImages | None = None, review_support: ReviewSupport | None = None
) -> AssessClaim:
    """Return what looks at the text of the work that is attached to a claim.

    `add_images` cuts the images of the figures and tables that a claim cites from the work's file.
    `review_support` asks a language model, where the user chose one.
    """
    indexed: OrderedDict[tuple[str, str, int], PassageIndex] = OrderedDict()

    async def assess(grounded: GroundedClaim) -> ClaimSupport:
        record = get_attached_record(grounded)
        found = await find_text(record) if record is not None else FoundText(None)
        text = found.text
        if record is None or text is None:
            return replace(NO_SUPPORT_TEXT, reasons=found.reasons)
        key = text.origin, text.sha256, len(text.text)
        if key not in indexed:
            indexed[key] = await asyncio.to_thread(lambda: index_passages(blank_front_matter(text, record)))
        index = indexed[key]
        while len(indexed) > _INDEXED:
            indexed.popitem(last=False)
        claim = grounded.claim
        cited = find_cited_exhibits(claim.text, own_document=claim.own_document)
        if cited and add_images is not None:
            wanted = {(one.kind, one.number) for one in cited}
            index = replace(index, source=await asyncio.to_thread(add_images, index.source, wanted))
        said = blank_quoted_titles(claim.text, record.titles)
        support = await asyncio.to_thread(assess_support, said, index, own_document=claim.own_document)
        if review_support is not None:
            support = await review_support(claim.text, support, index)
        return replace(support, reasons=found.reasons)

    return assess


def get_attached_record(grounded: GroundedClaim) -> Record | None:
    """Return the record of the attached work, with the identifiers of its other versions."""
    attached = grounded.attached
    if attached is None or attached.checked.judgement.matched is None:
        return None
    record = attached.checked.judgement.matched.record
    others = [
        one.record for one in attached.checked.compared if record.work and one.record.work == record.work
    ]
    pairs = dict.fromkeys(pair for each in (record, *others) for pair in each.ids.pairs)
    return replace(record, ids=Ids(tuple(pairs)))
