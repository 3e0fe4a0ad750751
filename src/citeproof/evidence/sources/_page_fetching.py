"""Pages that strangers' addresses lead to: which may be asked for, and whether what came is a page at all."""

from __future__ import annotations

import re
from dataclasses import replace
from urllib.parse import urlsplit

from citeproof.evidence.sources._page_metadata import read_page_record
from citeproof.evidence.sources._source_session import CannotAnswerError
from citeproof.plumbing.net.message import HTML, Answer, Request, UnreadableError
from citeproof.vocabulary import Cause, Kind, Record

MAX_ERROR_TITLE = 80  # characters; a longer title is a page's own

_DENIED = re.compile(
    r"(?:.+\.)?(?:scholar\.google(?:\.[a-z]{2,4}){1,2}|scholar\.googleusercontent\.com|pubpeer\.com)"
)
_WALL = re.compile(
    r"just a moment|attention required|access (?:to this page has been )?denied|robot check|captcha|"
    r"making sure you.{0,3}re not a bot|(?:are you|you are|not) a (?:ro)?bot|security (?:check|verification)|"
    r"verif(?:y|ying) (?:that )?you are|human verification|pardon our interruption|request rejected|"
    r"checking your browser|client challenge|validate user|bot (?:detection|protection)|"
    r"please enable (?:js|javascript|cookies)|(?:sign|log)[ -]?in(?: required)?(?:$| to | \W)|403 forbidden",
    re.IGNORECASE,
)
_GONE = re.compile(
    r"(?:error |http |\()?404(?:\W{0,3}$| ?[-|:–—)]| (?:error|not found|page))|410 gone|"
    r"(?:the |this |requested ){0,3}(?:page|document|file|article|resource|item|content|url|site)?\s?"
    r"(?:was |is |could |can)?not (?:be )?found\b|(?:page|site) (?:does not|doesn.t) exist|"
    r"page (?:has been removed|unavailable)|(?:th(?:e|is) )?(?:page )?(?:is )?(?:no longer|not) available$",
    re.IGNORECASE,
)


def is_denied(address: str) -> bool:
    """Return whether a page may not be read by a program: Google Scholar and PubPeer do not want it."""
    return _DENIED.fullmatch(_get_host(address)) is not None


def _get_host(address: str) -> str:
    return (urlsplit(address).hostname or "").rstrip(".")


def build_page_request(source: str, address: str) -> Request:
    """Return the request for a page whose address came from a document or a search."""
    if is_denied(address):  # net refuses them as well, and also where a redirect leads there
        raise CannotAnswerError(Cause.NOT_COVERED, f"{_get_host(address)} does not allow programs to read it")
    return Request(source, address, accept=HTML, free=True)


def read_page(answer: Answer) -> Record:
    """Return the record of a fetched page; raise when it is a wall or says nothing about itself.

    A page that only says that there is no such page raises `PageGoneError`.
    """
    media = answer.headers.get("content-type", answer.media)
    record = read_page_record(answer.body, answer.url, media)
    if record is None:
        raise UnreadableError("the page has no title")
    if record.kind is Kind.WEB_PAGE and len(record.title) <= MAX_ERROR_TITLE:
        if _WALL.match(record.title):
            raise CannotAnswerError(Cause.BOT_WALL, f"answered with {record.title[:60]!r}")
        if _GONE.match(record.title):
            raise PageGoneError
    return replace(record, read_at=answer.at, content_hash=answer.sha256)


class PageGoneError(Exception):
    """A page that came with status 200 and says "not found"."""
