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
from datetime import UTC, datetime
from typing import Any, ClassVar

from citeproof.evidence.sources import _field_hints
from citeproof.evidence.sources.base import CannotAnswerError, LiveSource, SourceProfile, SourceSession
from citeproof.evidence.upstream_records import json_fields
from citeproof.plumbing.net.message import Answer, Rate, Request, UnreadableError, build_url
from citeproof.text import dates, names
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import Cause, Ids, Kind, Name, Question, Record, Version

_ROWS = 10
_LAST = 4_000_000_000_000  # milliseconds since 1970
_FIRST = "https://api.openreview.net"  # API 1
_TRACK = re.compile(
    r"\s{1,3}(?:conference\s{1,3})?(?:(?:desk )?rejected|withdrawn|blind|workshop)?\s{0,3}"
    r"(?:poster|oral|spotlight|talk|notable top \d{1,2}%|top-\d{1,2}%|submission|accept|reject)"
    r"(?:\s.{0,40})?\Z",
    re.IGNORECASE,
)
_STATE = re.compile(r"\A(?:submitted to|submission to|accepted (?:by|at|to))\s{1,3}", re.IGNORECASE)
_REFUSED = re.compile(r"\b(?:submitted|submission|rejected?|desk|withdrawn)\b", re.IGNORECASE)
_WITHDRAWN = re.compile(r"\bwithdrawn\b", re.IGNORECASE)
_PREPRINT = re.compile(r"\A(?:corr|arxiv)(?![a-z])", re.IGNORECASE)
_GLUED = re.compile(r"(?<=[A-Za-z])(?=\d{4}\Z)")  # "CoRR2018", as some imports have it


class OpenReview(LiveSource):
    answers: ClassVar[frozenset[str]] = frozenset(("openreview", "title"))
    profile: ClassVar[SourceProfile] = SourceProfile(
        title="OpenReview",
        url="https://api2.openreview.net",
        rate=Rate(1, at_once=1),
        probe=("openreview", "rJXMpikCZ"),
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
    papers = (make_record(note) for note in notes if is_work(note))
    return [record for record in papers if record]


def is_work(note: dict[str, object]) -> bool:
    """Return whether a note is a submission, not a review or comment in the forum of one."""
    forum = note.get("forum")
    return not note.get("replyto") and (not isinstance(forum, str) or forum == note.get("id"))


def make_record(note: dict[str, object]) -> Record | None:
    """Return the record of a note; None without an id and a title."""
    content = {
        name: value.get("value") if isinstance(value, dict) else value
        for name, value in json_fields.read_table(note.get("content")).items()
    }
    own = json_fields.make_id_pairs("openreview", [note.get("id")])
    titles, marks = json_fields.split_retraction_mark(json_fields.list_titles(content.get("title")))
    if not own or not titles:
        return None
    venue, venue_id = (json_fields.read_text(content.get(name)) for name in ("venue", "venueid"))
    refused = _REFUSED.search(venue) or _REFUSED.search(venue_id.replace("_", " "))
    kind = Kind.PREPRINT if not venue or refused or _PREPRINT.match(venue) else Kind.ARTICLE
    withdrawn = ("withdrawn",) if _WITHDRAWN.search(f"{venue} {venue_id.replace('_', ' ')}") else ()
    return Record(
        source="",
        id=own[0][1],
        titles=titles,
        authors=_read_authors(content.get("authors")),
        versions=_read_versions(note, venue, venue_id, kind),
        kind=kind,
        ids=Ids((*own, *json_fields.make_id_pairs("doi", [content.get("doi")]))),
        marks=tuple(dict.fromkeys((*marks, *withdrawn))),
    )


def _read_authors(listed: object) -> tuple[Name, ...]:
    """Return the authors; a list of objects has the name in `fullname`. "Anonymous" is no one."""
    authors = listed[: json_fields.MAX_ROWS] if isinstance(listed, list) else []
    spelt = [author.get("fullname") if isinstance(author, dict) else author for author in authors]
    people = json_fields.parse_people(name[: names.MAX_NAME] for name in spelt if isinstance(name, str))
    return tuple(name for name in people if not name.display.lower().startswith("anonymous"))


def _read_versions(note: dict[str, object], venue: str, venue_id: str, kind: Kind) -> tuple[Version, ...]:
    """Return the appearance at the venue, then the submission itself where its year is another."""
    name = _GLUED.sub(" ", _TRACK.sub("", _STATE.sub("", venue)).strip())
    year = dates.find_year(name) or dates.find_year(venue_id.replace("/", " "))
    dated = [stamp for stamp in map(note.get, ("pdate", "cdate", "tcdate")) if isinstance(stamp, int)]
    stamp = next((stamp for stamp in dated if 0 < stamp < _LAST), None)
    submitted = datetime.fromtimestamp(stamp / 1000, UTC).year if stamp else None
    first = Version(year or submitted, name or "OpenReview", kind)
    if submitted is None or submitted == first.year:
        return (first,)
    return (first, Version(submitted, "OpenReview", Kind.PREPRINT))
