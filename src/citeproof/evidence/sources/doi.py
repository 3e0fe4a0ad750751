"""doi.org: whether a DOI exists, at any registration agency, and at which.

**Covers** every DOI of all agencies: Crossref, DataCite, mEDRA, JaLC, KISTI, ISTIC, CNKI, OP, EIDR and the
rest. It resolves names and describes no works, so it gives no records: a DOI that exists is found with a
note such as "registered with Crossref", and what it names must be learnt from other sources.

**Silence.** The handle system is the authority: a DOI that it does not know does not exist. That is said
by a 404 whose JSON has `responseCode` 100 and repeats the very name that was asked for. A 404 without
them (a web page, a proxy) says nothing and is `unchecked`.

**Cost and limits.** Free, no key. No limit is published; five requests a second are sent at most. A DOI
that exists takes two: the handle, then the agency. If the agency cannot be learnt the note is just
"registered".

**Response codes**: 1 the handle exists; 200 it exists but has no values; 100 there is none; 2 and all others
are errors of the resolver. The agency list answers 200 with `RA`, or with a `status` ("DOI does not exist",
"Invalid DOI", "Unknown") in its place.

**Quirks.** The slash of a DOI stands as it is in the address: encoded, some proxies take the whole name for
another one. A DOI may have two slashes in a row, which are two different works with and without.

**Licence.** Facts of registration; nothing to reuse.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import ClassVar

from citeproof.evidence.sources.base import CannotAnswerError, LiveSource, SourceProfile, SourceSession
from citeproof.plumbing.net.message import Answer, Rate, Request, UnreadableError, build_url, quote_path
from citeproof.vocabulary import Absent, Found, Lookup, Question, Record

_EXISTS = frozenset((1, 200))  # 200: the handle is there, without values
_NONE = 100
_LONGEST = 40  # characters of an agency's name


class Doi(LiveSource):
    answers: ClassVar[frozenset[str]] = frozenset(("doi",))
    profile: ClassVar[SourceProfile] = SourceProfile(
        title="doi.org",
        url="https://doi.org",
        rate=Rate(5, at_once=4),
        probe=("doi", "10.1038/nature14539"),
        turns={"doi": 2},
        describes=False,
        authority=frozenset(("doi",)),
        licence="facts of registration",
    )

    async def ask(self, question: Question, visit: SourceSession) -> Sequence[Record]:
        """Return the registration as a record without a title, its agency as the publisher."""
        answer = await visit.get(self._request("api/handles", question.value))
        if not _check_existence(answer or visit.last, question.value):
            return ()
        body = None
        with suppress(CannotAnswerError, UnreadableError):  # it exists all the same
            answer = await visit.get(self._request("ra", question.value))
            body = answer.json() if answer else None
        row = body[0] if isinstance(body, list) and body else None
        agency = row.get("RA") if isinstance(row, dict) else None
        usable = agency if isinstance(agency, str) and agency.isprintable() else ""
        return (Record(self.name, question.value, (), publisher=usable[:_LONGEST] or None),)

    def make_lookup(self, question: Question, records: Sequence[Record], answer: Answer | None) -> Lookup:  # noqa: ARG002 - nothing to stamp
        """Return that the DOI exists, and in the note with whom; or that it does not."""
        if not records:
            return Absent(self.name, question.by, self.reach(question), question.value)
        agency = records[0].publisher
        note = f"registered with {agency}" if agency else "registered"
        return Found(self.name, question.by, (), self.reach(question), note)

    def _request(self, path: str, value: str) -> Request:
        return Request(self.name, build_url(self.wiring.url, f"{path}/{quote_path(value)}"))


def _check_existence(answer: Answer | None, value: str) -> bool:
    """Return whether the handle exists; raise unless the resolver itself says so, about this very name."""
    body = answer.json() if answer else None
    if answer is None or not isinstance(body, dict) or not isinstance(body.get("handle"), str):
        raise UnreadableError("not an answer of the handle system")
    if body["handle"].casefold() != value.casefold():
        raise UnreadableError("the answer is about another name")
    code = body.get("responseCode")
    known = isinstance(code, int) and (code in _EXISTS or code == _NONE)
    if not known or (code == _NONE) != (answer.status == 404):
        raise UnreadableError(f"the resolver answered {answer.status} with the code {str(code)[:20]}")
    return code != _NONE
