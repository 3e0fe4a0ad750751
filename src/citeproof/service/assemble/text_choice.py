"""Where the texts of cited works are had, as the settings ask for it: folder, open copy, abstract."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from hashlib import sha256
from typing import TYPE_CHECKING

from citeproof.errors import SnapshotError
from citeproof.evidence.index.snapshot import Snapshot
from citeproof.plumbing.clock import Clock
from citeproof.service.assemble.source_choice import OnlineSources, choose_text_sources
from citeproof.settings import Settings
from citeproof.vocabulary import FindText, FoundText, ModelReviewer, Record, SourceText, TextExtent

if TYPE_CHECKING:
    from citeproof.claims.grounding import AssessClaim
    from citeproof.claims.text_library import TextLibrary

OFFLINE = "no open text was looked for: the run is offline"


def open_text_library(settings: Settings) -> TextLibrary | None:
    """Return the texts in the user's folders; None if the settings name no folder."""
    if not settings.texts:
        return None
    from citeproof.claims.text_library import TextLibrary  # noqa: PLC0415 - only claims with texts need it

    return TextLibrary(settings.texts, settings.cache_dir)


def make_text_finders(
    settings: Settings, snapshots: Sequence[Snapshot], online: OnlineSources | None, clock: Clock
) -> tuple[FindText, ...]:
    """Return where texts are looked for besides folders: open copies, if asked for, then abstracts."""
    finders: list[FindText] = []
    if settings.fetch_texts and online is not None:
        from citeproof.evidence.retrieve.open_text_finder import OpenTextFinder  # noqa: PLC0415 - same
        from citeproof.reading.extractors.source_reader import read_source_text  # noqa: PLC0415 - takes its time

        names = choose_text_sources(settings)
        sources = [source for source in online.sources if source.name in names]
        finders.append(OpenTextFinder(sources, online.client, clock, read_source_text).find_open_text)
    elif settings.fetch_texts:

        async def find_nothing(_: Record) -> FoundText:
            return FoundText(None, (OFFLINE,))

        finders.append(find_nothing)
    abstracts = [snapshot for snapshot in snapshots if snapshot.manifest.abstracts is not None]
    return (*finders, *map(_make_abstract_finder, abstracts))


def make_assessor(
    library: TextLibrary | None, finders: Sequence[FindText], reviewer: ModelReviewer | None = None
) -> AssessClaim | None:
    """Return what looks at texts of works, with the model of `reviewer`; None if there are none."""
    if library is None and not finders:
        return None
    from citeproof.claims import claim_evidence  # noqa: PLC0415 - only claims with texts need it

    first = [claim_evidence.make_library_finder(library)] if library is not None else []
    find_text = claim_evidence.combine_text_finders([*first, *finders])
    add_images = library.add_images if library else None
    review = None  # asks the model of the run about claims; its ceiling is that of the run
    if reviewer is not None:
        from citeproof.claims.model_support import SupportReview  # noqa: PLC0415 - only with a model
        from citeproof.judgement.review import ModelReview  # noqa: PLC0415 - same

        if isinstance(reviewer, ModelReview):
            review = SupportReview(reviewer.language_model, figures=reviewer.figures).review_support
    return claim_evidence.make_claim_assessor(find_text, add_images, review)


def _make_abstract_finder(snapshot: Snapshot) -> FindText:

    async def find_text(record: Record) -> FoundText:
        try:
            abstract = await asyncio.to_thread(snapshot.find_abstract, record)
        except SnapshotError as error:
            return FoundText(None, (f"the abstract could not be looked up: {error.message}",))
        if not abstract:
            return FoundText(None)
        digest = sha256(abstract.encode("utf-8", "replace")).hexdigest()
        return FoundText(SourceText(TextExtent.ABSTRACT_ONLY, snapshot.source, abstract, sha256=digest))

    return find_text
