"""# The cited address itself

A reference to a web page is checked by reading the page that it links to.

**Covers** nothing in the sense of a registry. It is asked only for references that are web pages or of
unknown kind, by the address in the reference, and never where the address is for an identifier of a
registry (a DOI, an arXiv number, a PubMed page …): that registry is asked instead.

**What its silence means:** nothing. A page that is gone today may well have been there when it was cited.
`Absent` says only: the address answers 404 or 410 (or shows a page that says "not found", offers the domain
for sale, or is the first page of a site under another title), and the Internet Archive's Wayback Machine has
no copy.

**What is read:** title, people, date and site out of `citation_*` tags, JSON-LD, Dublin Core, Open Graph and
the page's own heading, in this order; never the running text. The record bears the mark `web`. Names from a
byline are not a complete list of authors and cannot convict.

**Dead links:** where the page is gone, or cannot be reached or read, the
[Wayback Machine](https://web.archive.org) is asked for the copy nearest to the cited year, by the address of
a copy (`/web/2019id_/ADDRESS`): the availability API misses copies that exist.
A record from a copy bears the marks `archived` and `copy:` with the address of the copy, and `dead_link` if
the address itself says that it is gone.
Many pages were never archived: the archive's silence is not a proof.
`CITEPROOF_WAYBACK_URL` sets another address for it.

**Limits:** one request a second to any one host, one a second to the archive. No key. Only public addresses
are fetched, ports 80 and 443, whatever redirects say. Google Scholar and PubPeer are never fetched. Walls
for robots ("Just a moment…", log-in pages) are noticed and reported as such; none is ever solved. PDF files
are not read.

**Licence:** what a page says about itself are facts; nothing else of it is stored but the hash of what was
read, and the answer in the local cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar
from urllib.parse import urlsplit

from citeproof.evidence.sources import _page_metadata
from citeproof.evidence.sources.base import CannotAnswerError, LiveSource, SourceProfile, SourceSession
from citeproof.judgement.compare.title import is_known_title
from citeproof.plumbing.net.message import Rate, UnreadableError
from citeproof.text import ids
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import COPY, Cause, Ids, Kind, Question, Record

ARCHIVE = "https://web.archive.org"
_LATEST = 2  # in the place of a date
_LONGEST = 2000  # characters of an address
_COPY = re.compile(r"/web/(\d{14})(?:id_)?/")
_HOME = re.compile(r"/*(?:(?:index|home|default)\.[a-z]{3,5})?", re.IGNORECASE)
_ELSEWHERE = (Cause.TIMEOUT, Cause.BOT_WALL, Cause.MALFORMED, Cause.TOO_LARGE)  # a copy may serve as well


class PlainUrl(LiveSource):
    """The page that a reference links to."""

    answers: ClassVar[frozenset[str]] = frozenset(("url",))
    profile: ClassVar[SourceProfile] = SourceProfile(
        title="the cited web page",
        url="",
        rate=Rate(5, 1.0, at_once=5),
        probe=("url", "https://example.com/"),
        probe_kind=Kind.WEB_PAGE,
        turns={"url": 1},
        lanes={"archive": Rate(1, 1.0, at_once=1)},
        further={"wayback": ARCHIVE},
        typical=2.0,
    )

    def suits(self, question: Question) -> bool:
        """Return whether the address is a page to read, not a registry's name for a work."""
        web = question.reference.kind in (Kind.WEB_PAGE, Kind.UNKNOWN)
        schemes = {scheme for scheme, _ in ids.identify_url(question.value)}
        return web and schemes == {"url"} and not _page_metadata.is_denied(question.value)

    async def ask(self, question: Question, visit: SourceSession) -> Sequence[Record]:
        """Return what the page, or else its archived copy, says about itself."""
        try:
            answer = await visit.get(_page_metadata.build_page_request(self.name, question.value))
            if answer is not None:
                page = _set_asked_url(_page_metadata.read_page(answer), question.value)
                title = question.reference.claimed.title
                # a redirect from a page to the first page of a site
                path, at = (urlsplit(url).path for url in (question.value, answer.url))
                home = path.strip("/") != "" and _HOME.fullmatch(at) is not None
                if not (title and home) or is_known_title(title, page.titles):
                    return [page]
        except _page_metadata.PageGoneError:
            pass
        except (CannotAnswerError, UnreadableError) as error:
            return await self._read_archived_instead(question, visit, error)
        archived = await self._read_archived(question, visit)
        return [replace(archived, marks=(*archived.marks, "archived", "dead_link"))] if archived else []

    async def _read_archived_instead(
        self, question: Question, visit: SourceSession, error: CannotAnswerError | UnreadableError
    ) -> Sequence[Record]:
        """Return the archived copy of a page that could not be read; raise its own error without one."""
        if isinstance(error, CannotAnswerError) and error.cause not in _ELSEWHERE:
            raise error
        try:
            archived = await self._read_archived(question, visit)
        except (CannotAnswerError, UnreadableError):
            archived = None
        if archived is None:
            raise error
        return [replace(archived, marks=(*archived.marks, "archived"))]

    async def _read_archived(self, question: Question, visit: SourceSession) -> Record | None:
        """Return what the copy nearest to the cited year says, None when the archive has none."""
        base = self.wiring.urls.get("wayback") or ARCHIVE
        near = question.reference.claimed.year or _LATEST
        asked = _page_metadata.build_page_request(self.name, f"{base}/web/{near}id_/{question.value}")
        page = await visit.get(replace(asked, lane="archive"))
        if page is None:
            return None
        stamp = _COPY.match(page.url.removeprefix(base))
        if stamp is None or not page.url.startswith(base):
            raise UnreadableError("the Wayback Machine's answer is no copy")
        copy = f"{base}/web/{stamp[1]}/{question.value}"
        try:
            record = _set_asked_url(_page_metadata.read_page(page), question.value)
        except _page_metadata.PageGoneError:
            return None
        return replace(record, marks=(*record.marks, f"{COPY}{copy[:_LONGEST]}"))


def _set_asked_url(record: Record, value: str) -> Record:
    """Return the record under the address that was asked for, wherever it was read."""
    others = (pair for pair in record.ids.pairs if pair[0] != "url")
    return replace(record, id=value, ids=Ids((*others, ("url", value))))
