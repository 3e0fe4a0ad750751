"""GitHub: public source-code repositories.

**Covers** every public repository on github.com. It is the authority for those addresses: **silence** on
`github.com/owner/repo` means that there is no such public repository now (it may have been deleted, made
private or renamed without a trace). Silence on a title means nothing: software is hosted in many places.

**Asked by** address (`https://github.com/owner/repo`, deeper paths included) and, for software only, by
title: the name before the colon, as a repository name.

**What comes back** names the repository (`repo`, `owner/repo`, `repo: description`), its owner as the
author (incomplete: contributors are not listed), the years of creation and of the last push.

**Costs** nothing. Without a token 60 requests an hour, with one 5,000; searches 10 and 30 a minute. Any
personal token without scopes will do: set `CITEPROOF_GITHUB_KEY`; it is sent as a Bearer header.

**Known quirks**

- Over the limit it answers 403, not 429, with `x-ratelimit-remaining: 0`.
- Renamed and moved repositories redirect; the record then has the new name and the asked address.
- A search may say `incomplete_results`: then finding nothing is no answer.
- Private repositories are 404, like those that never were.

**Licence:** GitHub terms of service; metadata of public repositories may be read and cited.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from citeproof.evidence.sources.base import (
    CannotAnswerError,
    KeyNeed,
    LiveSource,
    SourceProfile,
    SourceSession,
    read_record,
)
from citeproof.evidence.upstream_records import json_fields
from citeproof.plumbing.net.message import Rate, Request, UnreadableError, build_url, quote_segment
from citeproof.text import dates
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import Cause, Ids, Kind, Name, Question, Reach, Record, Version

_ROWS = 5
_REPOSITORY = re.compile(
    r"https?://(?:www\.)?github\.com/([A-Za-z0-9][A-Za-z0-9-]{0,38})/([A-Za-z0-9._-]{1,100}?)(?:\.git)?(?:[/?#].*)?",
    re.IGNORECASE | re.DOTALL,
)
_NOT_OWNERS = frozenset((
    "about", "apps", "collections", "explore", "features", "marketplace", "orgs", "search", "settings",
    "site", "sponsors", "topics", "trending",
))  # fmt: skip
_HEADERS = (("Accept", "application/vnd.github+json"), ("X-GitHub-Api-Version", "2022-11-28"))
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,99}")


class GitHub(LiveSource):
    answers: ClassVar[frozenset[str]] = frozenset(("url", "title"))
    profile: ClassVar[SourceProfile] = SourceProfile(
        title="GitHub",
        url="https://api.github.com",
        rate=Rate(60, 3600, at_once=1, burst=10),
        probe=("url", "https://github.com/numpy/numpy"),
        probe_kind=Kind.SOFTWARE,
        turns={"url": 1},
        keyed_rate=Rate(5000, 3600, burst=10),
        lanes={"search": Rate(10, 60, at_once=1)},
        keyed_lanes={"search": Rate(30, 60, at_once=1)},
        key=KeyNeed.OPTIONAL,
        truncates_authors=True,
        search_order=3,
        licence="GitHub terms of service",
    )

    def suits(self, question: Question) -> bool:
        if question.by == "url":
            return _parse_repository(question.value) is not None
        return question.reference.kind is Kind.SOFTWARE and _parse_software_name(question.value) is not None

    def reach(self, question: Question) -> Reach:
        """Of its own addresses it knows all; of titles it claims nothing."""
        own = question.by == "url" and _parse_repository(question.value) is not None
        return Reach.COMPLETE if own else Reach.PARTIAL

    def is_required(self, question: Question) -> bool:
        return self.reach(question) is Reach.COMPLETE

    async def ask(self, question: Question, visit: SourceSession) -> Sequence[Record]:
        if question.by == "url":
            return await self._repository(question.value, visit)
        name = _parse_software_name(question.value)
        return await self._search(name, visit) if name else ()

    async def _repository(self, url: str, visit: SourceSession) -> Sequence[Record]:
        named = _parse_repository(url)
        if named is None:
            raise CannotAnswerError(Cause.NOT_COVERED, "not the address of a repository on github.com")
        owner, name = named
        answer = await visit.get(self._request(f"/repos/{quote_segment(owner)}/{quote_segment(name)}"))
        if answer is None:
            return ()
        return read_record(answer.json(), lambda item: _make_record(item, url), "no repository in the answer")

    async def _search(self, name: str, visit: SourceSession) -> Sequence[Record]:
        answer = await visit.get(self._request("/search/repositories", q=f"{name} in:name", per_page=_ROWS))
        body = json_fields.read_table(answer.json() if answer else None)
        if not isinstance(body.get("items"), list) or not isinstance(body.get("total_count"), int):
            raise UnreadableError("no list of repositories in the answer")
        records = [record for item in json_fields.read_rows(body["items"]) if (record := _make_record(item))]
        if not records and body.get("incomplete_results") is True:
            raise CannotAnswerError(Cause.TIMEOUT, "the search was broken off before its end")
        if not records and body["total_count"]:
            raise UnreadableError("hits without any repository in the answer")
        return records

    def _request(self, path: str, **params: str | int) -> Request:
        return Request(
            self.name,
            build_url(self.wiring.url, path, **params),
            headers=_HEADERS,
            secret_headers=self.make_bearer(),
            absent=frozenset() if params else frozenset((404, 410, 451)),
            lane="search" if params else "",
        )


def _parse_repository(url: str) -> tuple[str, str] | None:
    match = _REPOSITORY.fullmatch(url[:2048])
    return (match[1], match[2]) if match and match[1].lower() not in _NOT_OWNERS else None


def _parse_software_name(title: str) -> str | None:
    """Return the name before the colon of a software title, if it can be a repository's."""
    first = title[:300].partition(":")[0].strip()
    return first if _NAME.fullmatch(first) else None


def _make_record(item: dict[str, object], asked: str = "") -> Record | None:
    name = json_fields.read_text(item.get("name"), 100)
    whole = json_fields.read_text(item.get("full_name"), 200)
    if not name or not whole:
        return None
    owner = json_fields.read_table(item.get("owner"))
    login = json_fields.read_text(owner.get("login"), 100)
    described = json_fields.read_text(item.get("description"), 400)
    years = [dates.find_year(json_fields.read_text(item.get(key))) for key in ("created_at", "pushed_at")]
    return Record(
        source=GitHub.name,
        id=whole,
        titles=tuple(
            dict.fromkeys((name, whole, *([f"{name}: {described}", described] if described else [])))
        ),
        authors=(Name(login, collective=owner.get("type") == "Organization"),) if login else (),
        authors_complete=False,
        versions=tuple(Version(year, "GitHub", Kind.SOFTWARE) for year in dict.fromkeys(years) if year),
        kind=Kind.SOFTWARE,
        publisher="GitHub",
        ids=Ids(json_fields.make_id_pairs("url", [item.get("html_url"), asked])),
    )
