"""OpenReview: papers under open review, with their decisions (ICLR, NeurIPS, TMLR, CoRL, COLM, workshops).

**Covers** what was submitted to its venues, accepted or not, once it is public, and imported lists of
publications. It is the authority on its forum ids: **silence** of both of its APIs on one means that there
is no such public forum. Silence on a title means nothing: a venue decides what becomes public.

**Asked by** forum id and by title, the latter only where the venue is one of its own or an id is claimed. An
id is asked at API 2 and, if unknown there, at API 1, which keeps the venues before 2023
(`CITEPROOF_OPENREVIEW_V1_URL` replaces its address).

**Costs** nothing, needs no key. Limits are tight and change: in August 2026 people who were signed in were
refused after some hundred requests in half an hour. 1 request a second is sent; a refusal says how long
to wait.

**Identifiers of its own:** forum ids (`forum?id=…`); case matters.

**Marks:** `withdrawn`. A submission that was rejected or withdrawn, or is still under review, is a preprint.

**Known quirks**

- API 2 wraps each field as `{"value": …}`, API 1 does not; a search may mix both.
- It may answer with a challenge for browsers (HTML, or a JSON error with status 403). That is "could not
  check"; the challenge is never solved.
- A forum that is not public is refused (403), which is not the same as unknown (404).
- Authors under review are "Anonymous"; they count as not given.
- The year of a paper is that of its venue; the submission is often a year older, and is given as a version.
- DBLP imports ("CoRR 2020") describe the same work again.

**Licence:** notes are the authors', mostly CC BY 4.0; the facts are free.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from citeproof.evidence.sources import _field_hints
from citeproof.evidence.sources.base import (
    CannotAnswerError,
    LiveSource,
    ProbeQuestion,
    SourceProfile,
    SourceSession,
)
from citeproof.evidence.upstream_records import json_fields, openreview
from citeproof.plumbing.net.message import Answer, Rate, Request, UnreadableError, build_url
from citeproof.vocabulary import Cause, Question, Record

_ROWS = 10
_FIRST = "https://api.openreview.net"  # API 1


class OpenReview(LiveSource):
    answers: ClassVar[frozenset[str]] = frozenset(("openreview", "title"))
    profile: ClassVar[SourceProfile] = SourceProfile(
        title="OpenReview",
        url="https://api2.openreview.net",
        rate=Rate(1, at_once=1),
        probe=ProbeQuestion("openreview", "rJXMpikCZ"),
        turns={"openreview": 1},
        authority=frozenset(("openreview",)),
        further={"openreview_v1": _FIRST},
        search_order=3,
        licence="notes CC BY 4.0 (most)",
    )

    def suits(self, question: Question) -> bool:
        return question.by == "openreview" or _field_hints.is_machine_learning(question.reference)

    async def ask(self, question: Question, visit: SourceSession) -> Sequence[Record]:
        if question.by == "title":
            return await self._search(question.value, visit)
        for base in (self.wiring.url, self.wiring.urls.get("openreview_v1", _FIRST)):
            answer = await visit.get(Request(self.name, build_url(base, "notes", id=question.value)))
            if answer and (notes := _read_notes(answer)):
                if not (records := _make_records(notes)):
                    raise UnreadableError("a note that is no paper, or has no title")
                return records
        return ()

    async def _search(self, title: str, visit: SourceSession) -> Sequence[Record]:
        term = json_fields.make_query_words(title)
        if not term:
            return ()
        url = build_url(
            self.wiring.url, "notes/search", term=term, type="terms", content="title", source="forum",
            limit=_ROWS,
        )  # fmt: skip
        answer = await visit.get(Request(self.name, url, absent=frozenset()))
        notes = _read_notes(answer) if answer else []
        return _make_records(notes[:_ROWS])


def _read_notes(answer: Answer) -> list[dict[str, Any]]:
    """Return the notes of an answer; raise if it is not one, and say so if it is a refusal."""
    whole = answer.json()
    notes = whole.get("notes") if isinstance(whole, dict) else None
    if isinstance(notes, list):
        return [note for note in notes if isinstance(note, dict)]
    error = str(whole.get("name", ""))[:40] if isinstance(whole, dict) else ""
    if "RateLimit" in error:
        raise CannotAnswerError(Cause.RATE_LIMITED, "said in its answer that its rate limit is exceeded")
    if "Challenge" in error:
        raise CannotAnswerError(Cause.BOT_WALL, "asked for a challenge to be solved")
    raise UnreadableError("no list of notes")


def _make_records(notes: list[dict[str, Any]]) -> list[Record]:
    papers = (openreview.make_record(note) for note in notes if openreview.is_work(note))
    return [record for record in papers if record]
