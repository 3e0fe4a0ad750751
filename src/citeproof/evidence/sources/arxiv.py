"""arXiv: the preprint server of physics, mathematics, computing and their neighbours.

**Covers** preprints at arXiv, all of them, from 1991 on; asked by arXiv identifier, and by title when the
reference looks like an arXiv preprint (its kind, its venue "arXiv"/"CoRR"/"preprint", or a cited arXiv
number). A published paper without such a hint is not searched for here: the server is slow on purpose.

**Silence.** arXiv numbers its papers itself: an identifier it does not know does not exist. Silence in a
title search counts (`covers`) only for a preprint said to be at arXiv, and such a reference stays open
until arXiv has answered. Phrases are searched word for word, so a misspelt title is not found.

**Cost and limits.** Free, no key. arXiv asks for one request every three seconds over one connection,
all machines of a user together. Up to 100 identifiers go into one request.

**What it gives.** Complete author lists as single strings, the title of the latest version, the year of
the first and of the latest version, and the authors' own note of a later publication (`journal_ref`,
DOI), from which year and journal are read as well as free text allows. Papers whose comment says that
they were withdrawn carry the mark `withdrawn`. Its own identifier is `arxiv`.

**Quirks.** An unknown identifier of valid form is left out of a 200 answer. A malformed one used to be an
entry titled "Error" and is now a 400 that fails the whole batch, so identifiers are checked before. A
throttled answer may be a 200 with the text "Rate exceeded.". Now and then the feed says how many papers it
found and holds none of them: that is no answer. Titles are TeX and wrap over lines.

**Licence.** Metadata CC0. Thank you to arXiv for use of its open access interoperability.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from lxml import etree

from citeproof.evidence.sources.base import CannotAnswerError, LiveSource, SourceProfile, SourceSession
from citeproof.evidence.upstream_records import arxiv as shape
from citeproof.plumbing.net.message import XML, Answer, Rate, Request, UnreadableError, build_url
from citeproof.text import arxiv, title, venue_name
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import Absent, Cause, Kind, Lookup, Question, Reach, Record, Reference

_OPENSEARCH = "{http://a9.com/-/spec/opensearch/1.1/}"
_ROWS = 5
_WORDS = 12  # of a title; a longer phrase only adds places to differ
_QUERY = "/api/query"
_ERRORS = "/api/errors"
_DOIS = "10.48550/arxiv."
_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_PLAIN = re.compile(r"[A-Za-z0-9]+")


class Arxiv(LiveSource):
    answers: ClassVar[frozenset[str]] = frozenset(("arxiv", "title"))
    profile: ClassVar[SourceProfile] = SourceProfile(
        title="arXiv",
        url="https://export.arxiv.org",
        rate=Rate(1, 3.0, at_once=1),
        probe=("arxiv", "1706.03762"),
        turns={"arxiv": 1},
        covers=frozenset((Kind.PREPRINT,)),
        required=frozenset((Kind.PREPRINT,)),
        authority=frozenset(("arxiv",)),
        further={"arxiv_pdf": "https://arxiv.org/pdf"},
        search_order=1,
        typical=3.0,
        misses_appearances=True,
        licence="CC0 (metadata)",
    )
    batches: ClassVar[dict[str, int]] = {"arxiv": 100}

    async def lookup(self, question: Question) -> Lookup:
        """Return what arXiv says; a number with no such month or digits of another time it never gave."""
        if question.by == "arxiv" and not arxiv.is_plausible(question.value):
            return Absent(self.name, question.by, self.reach(question), question.value)
        return await super().lookup(question)

    async def ask(self, question: Question, visit: SourceSession) -> Sequence[Record]:
        """Return the papers with this identifier, or with this phrase in the title."""
        if question.by == "arxiv":
            answer = await visit.get(self.batch("arxiv", [question.value]))
            papers = () if answer is None else self.batch_records("arxiv", answer)
            return [r for r in papers if question.value in r.ids.all("arxiv")]
        phrase = _pick_phrase(question.value)
        if not phrase:
            raise CannotAnswerError(
                Cause.NOT_COVERED, "the title has no words that arXiv can be searched for"
            )
        answer = await visit.get(self._request(search_query=f'ti:"{phrase}"', max_results=_ROWS))
        return () if answer is None else self.batch_records("title", answer)

    def batch(self, by: str, values: Sequence[str]) -> Request:  # noqa: ARG002 - the only one is "arxiv"
        """Return the request for a list of identifiers."""
        return self._request(id_list=",".join(values), max_results=len(values))

    def batch_records(self, by: str, answer: Answer) -> Sequence[Record]:
        """Return the papers of a feed; a paper asked for by identifier may not be skipped."""
        entries = _read_entries(answer)
        records = [shape.make_record(entry) for entry in entries]
        papers = [record for record in records if record is not None]
        if (by == "arxiv" and len(papers) < len(entries)) or (entries and not papers):
            raise UnreadableError("an entry of the feed has no title or no identifier")
        return papers

    def suits(self, question: Question) -> bool:
        """Return whether the question is about a paper at arXiv."""
        return question.by == "arxiv" or _is_arxiv_like(question.reference)

    def reach(self, question: Question) -> Reach:
        """Return what silence means: all for a number, something for the title of an arXiv preprint."""
        if question.by == "arxiv":
            return Reach.COMPLETE
        return Reach.COVERS if self.is_required(question) else Reach.PARTIAL

    def is_required(self, question: Question) -> bool:
        """Return whether arXiv must have answered: for its numbers, and for preprints said to be there."""
        reference = question.reference
        return question.by == "arxiv" or (reference.kind is Kind.PREPRINT and _is_arxiv_like(reference))

    def _request(self, **params: str | int) -> Request:
        base = self.wiring.url.rstrip("/").removesuffix(_QUERY)  # a setting may name the host or the API
        url = build_url(base, _QUERY, start=0, **params)
        # text/plain: so does "Rate exceeded." come, and the cause is to be reported
        return Request(self.name, url, accept=(*XML, "text/plain"), absent=frozenset())


def _pick_phrase(text: str) -> str:
    """Return the longest run of plain words in a title, as a phrase to search for.

    Accents are TeX in one title and Unicode in the next, and an apostrophe is part of its word there:
    a phrase with either would miss.
    """
    runs: list[list[str]] = [[]]
    for token in _TOKEN.findall(title.clean(text)):
        if _PLAIN.fullmatch(token):
            runs[-1].append(token)
        else:
            runs.append([])
    return " ".join(max(runs, key=len)[:_WORDS])


def _is_arxiv_like(reference: Reference) -> bool:
    """Return whether a reference says that it is at arXiv, or is a preprint of no other server."""
    claimed = reference.claimed
    if claimed.ids.first("arxiv") or any(doi.startswith(_DOIS) for doi in claimed.ids.all("doi")):
        return True
    venue = venue_name.parse_venue(claimed.venue) if claimed.venue else None
    if venue is not None and venue.preprint:
        return not venue.series or "arxiv" in venue.series
    return reference.kind is Kind.PREPRINT and venue is None


def _read_entries(answer: Answer) -> list[etree._Element]:
    """Return the entries of a feed that is whole."""
    if answer.body.lstrip()[:40].lower().startswith(b"rate exceeded"):
        raise CannotAnswerError(Cause.RATE_LIMITED, "arXiv says: rate exceeded")
    feed = answer.xml()
    if feed.tag != f"{shape.ATOM}feed":
        raise UnreadableError("not an Atom feed")
    total = (feed.findtext(f"{_OPENSEARCH}totalResults") or "").strip()[:12]
    entries: list[etree._Element] = feed.findall(f"{shape.ATOM}entry")
    if any(_ERRORS in (entry.findtext(f"{shape.ATOM}id") or "") for entry in entries):
        raise UnreadableError("arXiv answered with an error entry")
    if not total.isdecimal() or (int(total) > 0) != bool(entries):
        raise UnreadableError(f"the feed counts {total or 'nothing'} and holds {len(entries)} entries")
    return entries
