"""PyPI: the Python Package Index.

**Covers** the Python packages published there. It is the authority for its own addresses:
**silence** on the address of a project means that there is no such package. Silence on a title means
nothing.

**Asked by** address and, for software only, by title: the name before the colon must be the exact name of
a package. There is no search.

**What comes back** names the package (`name`, `name: summary`), the people in its metadata, and one
version for each year in which a release was uploaded.

**Costs** nothing, needs no key; no limit is published, answers are cached by the index itself.

**Known quirks**

- Names are equal without case, and with `-`, `_` and `.` exchanged: the record has the spelling of the
  package's author.
- Authors are free text, often one person for a team, sometimes only in the e-mail field
  ("Name <address>"): such lists can confirm, not convict. Addresses of people are never stored.
- A name proves little: anyone can register a free one. Two packages never share a name.
- Answers for packages with thousands of releases are megabytes long.

**Licence:** metadata are published for reuse; each package has its own licence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from citeproof.evidence.sources._json_answers import read_record
from citeproof.evidence.sources.base import (
    CannotAnswerError,
    LiveSource,
    ProbeQuestion,
    SourceProfile,
    SourceSession,
)
from citeproof.evidence.upstream_records import json_fields
from citeproof.plumbing.net.message import Rate, Request, build_url, quote_segment
from citeproof.text import dates, names
from citeproof.vocabulary import Cause, Ids, Kind, Name, Question, Reach, Record, Version

_PROJECT = re.compile(
    r"https?://(?:www\.)?pypi\.(?:org/(?:project|pypi|simple)|python\.org/pypi)/([A-Za-z0-9._-]{1,200})(?:[/?#].*)?",
    re.IGNORECASE | re.DOTALL,
)
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,198}[A-Za-z0-9])?")
_MAILBOX = re.compile(r'(?:"([^"<>]{2,100})"|([^<>",;\s][^<>",;]{1,100}?))\s{0,3}<[^<>\s]{3,200}>')
_MOST_RELEASES = 5000


class PyPI(LiveSource):
    answers: ClassVar[frozenset[str]] = frozenset(("url", "title"))
    profile: ClassVar[SourceProfile] = SourceProfile(
        title="PyPI",
        url="https://pypi.org",
        rate=Rate(2, at_once=2),
        probe=ProbeQuestion("url", "https://pypi.org/project/numpy", Kind.SOFTWARE),
        turns={"url": 1},
        truncates_authors=True,
        search_order=3,
        licence="metadata free to reuse",
    )

    def suits(self, question: Question) -> bool:
        software = question.by == "url" or question.reference.kind is Kind.SOFTWARE
        return software and _find_package_name(question) is not None

    def reach(self, question: Question) -> Reach:
        """Of its own addresses it knows all; of titles it claims nothing."""
        own = question.by == "url" and _find_package_name(question) is not None
        return Reach.COMPLETE if own else Reach.PARTIAL

    def is_required(self, question: Question) -> bool:
        return self.reach(question) is Reach.COMPLETE

    async def ask(self, question: Question, visit: SourceSession) -> Sequence[Record]:
        package = _find_package_name(question)
        if package is None:
            raise CannotAnswerError(Cause.NOT_COVERED, "neither an address nor a name of a package")
        url = build_url(self.wiring.url, f"/pypi/{quote_segment(package)}/json")
        answer = await visit.get(Request(self.name, url))
        return read_record(answer.json(), _make_record, "no package in the answer") if answer else ()


def _find_package_name(question: Question) -> str | None:
    """Return the package name in an address, or before the colon of a title."""
    if question.by == "url":
        match = _PROJECT.fullmatch(question.value[:2048])
        name = match[1] if match else ""
    else:
        name = question.value[:300].partition(":")[0].strip()
    return name if _NAME.fullmatch(name) else None


def _make_record(body: dict[str, object]) -> Record | None:
    info = json_fields.read_table(body.get("info"))
    name = json_fields.read_text(info.get("name"), 200)
    if not name:
        return None
    summary = json_fields.read_text(info.get("summary"), 600)
    links = [info.get("package_url"), *list(json_fields.read_table(info.get("project_urls")).values())[:10]]
    return Record(
        source=PyPI.name,
        id=name,
        titles=json_fields.list_titles(name, summary) if summary else (name,),
        authors=_read_authors(info),
        authors_complete=False,
        versions=tuple(Version(year, "PyPI", Kind.SOFTWARE) for year in _list_years(body)),
        kind=Kind.SOFTWARE,
        publisher="PyPI",
        ids=Ids(json_fields.make_id_pairs("url", links)),
        marks=("withdrawn",) if info.get("yanked") is True else (),
    )


def _read_authors(info: dict[str, object]) -> tuple[Name, ...]:
    """Return the authors, else the maintainers; names may stand only before their e-mail addresses."""
    for role in ("author", "maintainer"):
        stated = info.get(role)
        if isinstance(stated, str) and (people := names.split_names(stated[: json_fields.MAX_TEXT])[0]):
            return people
        mail = info.get(f"{role}_email")
        boxes = _MAILBOX.findall(mail[: json_fields.MAX_TEXT]) if isinstance(mail, str) else []
        if people := json_fields.parse_people(quoted or plain for quoted, plain in boxes):
            return people
    return ()


def _list_years(body: dict[str, object]) -> list[int]:
    releases = list(json_fields.read_table(body.get("releases")).values())[:_MOST_RELEASES]
    files = [rows[0] for each in (*releases, body.get("urls")) if (rows := json_fields.read_rows(each))]
    years = {dates.find_year(json_fields.read_text(file.get("upload_time"), 40)) for file in files}
    return sorted((year for year in years if year), reverse=True)
