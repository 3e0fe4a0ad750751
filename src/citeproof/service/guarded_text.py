"""A document's text as a reader may see it: what was not verified is bracketed or taken out."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from citeproof.claims.text_guard import ReleasedText
from citeproof.errors import InputError
from citeproof.extractors.base import detect_extractor
from citeproof.extractors.decoded_text import decode
from citeproof.service import claim_session
from citeproof.service.claim_session import ClaimEngine, make_text_guard
from citeproof.service.exit_codes import Exit
from citeproof.vocabulary import SHOWN_STATUSES, ClaimStatus, Document, GroundedClaim, GroundedHypothesis

FORMATS = ("markdown", "plain_text", "rst")
_HINT = "give Markdown or plain text; `citeproof claims FILE` checks other documents and changes none"


@dataclass(frozen=True, slots=True)
class GuardedText:
    """A text that may be shown, and what became of its citations."""

    text: str
    citations: int
    left_out: int  # of them not verified
    unchecked: int  # of these, could not be checked


def read_guardable_text(document: Document) -> str:
    """Return the text of a document that can be written again; InputError for a PDF and the like."""
    name = "hypothesis" if (document.data.lstrip()[:1] == b"{") else detect_extractor(document).name
    if name not in FORMATS:
        message = f"a document of format {name} cannot be written as text"
        raise InputError(message, place=document.name, hint=_HINT)
    return decode(document).text


async def guard_text(
    engine: ClaimEngine, document: Document, text: str, claims: Sequence[GroundedClaim], removal: str
) -> GuardedText:
    """Return the text with only verified citations; `claims` are those of the document, decided."""
    guard = make_text_guard(engine, removal)
    ids = {one.claim.id for one in claims}
    for one in claims:
        if one.claim.place.file != document.name:  # an entry of the bibliography that the document names
            guard.add_entry(_find_key(one.claim.id, ids), one)
    released = [part for line in text.splitlines(keepends=True) for part in await guard.feed(line)]
    return _count_citations([*released, *await guard.finish()])


def _find_key(name: str, ids: Collection[str]) -> str:
    """Return the key of a claim's reference: if two sentences cite it, the ids are `key:1` and `key:2`."""
    key, _, number = name.rpartition(":")
    return key if key and f"{key}:{2 if number == '1' else 1}" in ids else name


def choose_exit_code(grounded: GroundedHypothesis, guarded: GuardedText | None = None) -> Exit:
    """Return what a run ends with: every claim must be verified, and every citation of the text."""
    code = claim_session.choose_exit_code(grounded)
    if guarded is None or not guarded.left_out or code is Exit.PROBLEMS:
        return code
    return Exit.PROBLEMS if guarded.left_out > guarded.unchecked else Exit.UNCHECKED


def _count_citations(released: Sequence[ReleasedText]) -> GuardedText:
    statuses = [citation.status for one in released for citation in one.citations]
    left_out = [status for status in statuses if status not in SHOWN_STATUSES]
    unchecked = left_out.count(ClaimStatus.UNCHECKED)
    return GuardedText("".join(one.text for one in released), len(statuses), len(left_out), unchecked)
