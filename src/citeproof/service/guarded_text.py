"""A text as a reader may see it, for every door: what was not verified is bracketed or taken out.

One set of settled citations makes the text, the counts, the JSON and what a report on claims says of them.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Collection, Coroutine
from contextlib import suppress
from typing import Any

from citeproof.answers.serializers import Json
from citeproof.claims.text_guard import GuardEvent, SettledCitation, TextGuard
from citeproof.claims.trace import name_final_work
from citeproof.errors import InputError
from citeproof.reading.extractors.base import detect_extractor
from citeproof.reading.extractors.decoded_text import DecodedText, decode
from citeproof.service import claim_session
from citeproof.service.claim_session import make_text_guard
from citeproof.service.engine_pool import EnginePool
from citeproof.service.exit_codes import Exit
from citeproof.verifier import ReferenceVerifier
from citeproof.vocabulary import Claim, ClaimStatus, Document, GroundedClaim, GroundedHypothesis
from citeproof.vocabulary.quick_dataclass import dataclass, replace

FORMATS = ("markdown", "plain_text", "rst")
SCHEMA = "citeproof/guarded/1"
NO_ENTRY = "no reference list of the text has it, and no single work is likely"
_HINT = "give Markdown or plain text; `citeproof claims FILE` checks other documents and changes none"

Run = Callable[[Coroutine[Any, Any, list[GuardEvent]]], Coroutine[Any, Any, list[GuardEvent]]]


@dataclass(frozen=True, slots=True)
class GuardedText:
    """A text that may be shown, and what became of its citations."""

    text: str
    citations: tuple[SettledCitation, ...]

    @property
    def left_out(self) -> tuple[SettledCitation, ...]:
        """The citations that may not be shown."""
        return tuple(one for one in self.citations if not one.shown)

    @property
    def changed(self) -> tuple[SettledCitation, ...]:
        """The citations that are shown as their records have them, because the text has false fields."""
        return tuple(one for one in self.citations if one.shown and one.written not in ("", one.text))

    @property
    def exit_code(self) -> Exit:
        """What a run over the text alone ends with."""
        if not self.citations:
            return Exit.NOTHING
        if all(one.status is ClaimStatus.UNCHECKED for one in self.left_out):
            return Exit.UNCHECKED if self.left_out else Exit.CLEAN
        return Exit.PROBLEMS


def read_guardable_text(document: Document) -> DecodedText:
    """Return the text of a document whose claims are reported, too; InputError for a PDF and the like."""
    name = "hypothesis" if (document.data.lstrip()[:1] == b"{") else detect_extractor(document).name
    if name not in FORMATS:
        message = f"a document of format {name} cannot be written as text"
        raise InputError(message, place=document.name, hint=_HINT)
    return decode(document)


async def guard_text(guard: TextGuard, text: str) -> GuardedText:
    """Return a whole text with only verified citations."""
    released = await guard.finish(text)
    citations, at = [], 0
    for one in released:
        citations += [replace(each, start=at + each.start, end=at + each.end) for each in one.citations]
        at += len(one.original)
    return GuardedText("".join(one.text for one in released), tuple(citations))


async def guard_in_pool(pool: EnginePool, text: str, removal: str) -> GuardedText:
    """Return a whole text, guarded by an engine of a server's pool."""

    async def guard_with(engine: ReferenceVerifier) -> GuardedText:
        guard = make_text_guard(engine, removal, pool.make_assessor(engine))
        try:
            return await guard_text(guard, text)
        finally:
            await guard.close()

    return await pool.run("grounding", guard_with)


async def stream_guarded(
    guard: TextGuard, chunks: AsyncIterator[str], run: Run
) -> AsyncGenerator[GuardEvent]:
    """Yield the events of a text that comes in chunks; `run` runs the guard's work where its engine is."""
    coming: asyncio.Task[str | None] | None = asyncio.ensure_future(_take_next(chunks))
    patching: asyncio.Task[list[GuardEvent]] | None = None
    try:
        while coming is not None:
            waited = {coming, patching} if patching else {coming}
            done, _ = await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
            if patching in done and patching is not None:
                for event in patching.result():
                    yield event
                patching = None
            if coming in done:
                chunk = coming.result()
                events = await run(guard.take_rest() if chunk is None else guard.take(chunk))
                coming = asyncio.ensure_future(_take_next(chunks)) if chunk is not None else None
                for event in events:
                    yield event
            if patching is None and guard.is_deciding:
                patching = asyncio.ensure_future(run(guard.wait_patches()))
        if patching is not None:
            for event in await patching:
                yield event
        for event in await run(guard.end()):
            yield event
    finally:
        for task in (coming, patching):
            if task is not None and not task.done():
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task


async def give_once(text: str) -> AsyncGenerator[str]:
    """Yield a text as one chunk."""
    yield text


async def run_here(work: Coroutine[Any, Any, list[GuardEvent]]) -> list[GuardEvent]:
    """Return what a guard gives whose engine runs in this loop."""
    return await work


async def _take_next(chunks: AsyncIterator[str]) -> str | None:
    return await anext(chunks, None)


# --- a document whose claims are reported, too ---------------------------------------------------


async def guard_document(
    engine: ReferenceVerifier, document: Document, text: str, grounded: GroundedHypothesis, removal: str
) -> tuple[GuardedText, GroundedHypothesis]:
    """Return a document's text with only verified citations, and its claims, which say the same."""
    guard = make_text_guard(engine, removal)
    ids = {one.claim.id for one in grounded.claims}
    for one in grounded.claims:
        if one.claim.place.file != document.name:  # an entry of the bibliography that the document names
            guard.add_entry(_find_key(one.claim.id, ids), one)
    guarded = await guard_text(guard, text)
    decided = {_fold_text(citation.text): citation for citation in guarded.left_out}
    claims = tuple(_follow_text(one, decided) for one in grounded.claims)
    missing = [one for one in guarded.left_out if not any(_is_about(claim, one) for claim in claims)]
    located = decode(document).locate_span
    added = tuple(
        GroundedClaim(
            Claim(f"text:{one.start}", one.text, located(one.start, one.end)),
            one.status,
            tuple(tried for each in one.grounded for tried in each.tried),
            sum(each.candidates for each in one.grounded),
            reason=explain_citation(one),
        )
        for one in missing
    )
    return guarded, replace(grounded, claims=(*claims, *added))


def _find_key(name: str, ids: Collection[str]) -> str:
    """Return the key of a claim's reference: if two sentences cite it, the ids are `key:1` and `key:2`."""
    key, _, number = name.rpartition(":")
    return key if key and f"{key}:{2 if number == '1' else 1}" in ids else name


def _follow_text(one: GroundedClaim, left_out: dict[str, SettledCitation]) -> GroundedClaim:
    """Return a claim that is not verified if the text leaves its reference out."""
    texts = (_fold_text(candidate.text) for candidate in one.claim.references[:1])
    found = next((left_out[text] for text in texts if text in left_out), None)
    if found is None or one.status is not ClaimStatus.VERIFIED:
        return one
    return replace(one, status=found.status, attached=None, support=None, reason=explain_citation(found))


def _is_about(claim: GroundedClaim, citation: SettledCitation) -> bool:
    """Return whether a claim that is not verified is about a citation of the text."""
    if claim.status is ClaimStatus.VERIFIED:
        return False
    raws = {_fold_text(one.text) for one in claim.claim.references}
    own = {_fold_text(one.text) for each in citation.grounded for one in each.claim.references}
    return not raws.isdisjoint({_fold_text(citation.text), *own}) or citation.text in claim.claim.text


def _fold_text(text: str) -> str:
    return "".join(text.split()).strip(".").casefold()


def explain_citation(one: SettledCitation) -> str:
    """Return why a citation is not shown."""
    return next((each.reason for each in one.grounded if each.reason), NO_ENTRY)


def choose_exit_code(grounded: GroundedHypothesis, guarded: GuardedText | None = None) -> Exit:
    """Return what a run ends with: every claim must be verified, and every citation of the text."""
    code = claim_session.choose_exit_code(grounded)
    if guarded is None or not guarded.left_out or code is Exit.PROBLEMS:
        return code
    return guarded.exit_code


# --- JSON ----------------------------------------------------------------------------------------


def build_guarded_json(guarded: GuardedText) -> Json:
    """Return a guarded text for programs."""
    counts = {"citations": len(guarded.citations), "left_out": len(guarded.left_out)}
    citations = [_build_citation_json(one) for one in guarded.citations]
    return {"schema": SCHEMA, "text": guarded.text, **counts, "details": citations}


def build_event_json(event: GuardEvent) -> Json:
    """Return one event of a stream for programs."""
    told: Json = {"event": event.event, "start": event.start, "end": event.end, "text": event.text}
    if event.id is not None:
        told |= {"id": event.id, "state": event.state}
    if event.citations:
        told["citations"] = [_build_citation_json(one) for one in event.citations]
    return told


def _build_citation_json(one: SettledCitation) -> Json:
    works = [name_final_work(each) for each in one.grounded if each.attached]
    outcomes = [each.support.outcome.value for each in one.grounded if each.support]
    return {
        "text": one.text,
        "start": one.start,
        "end": one.end,
        "status": one.status.value,
        "shown": one.shown,
        **({"written": one.written} if one.shown and one.written else {}),
        "works": works,
        "content": outcomes,
        "reason": "" if one.shown else explain_citation(one),
    }
