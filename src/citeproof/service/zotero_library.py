"""Works of a Zotero library, by the local API of Zotero 7 and later.

It has no limit on a list by default; a server that cuts it into pages links to the next one. 403 says that
the user has not allowed other programs to read it; an unknown collection is 404.
https://www.zotero.org/support/dev/web_api/v3/basics
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from difflib import get_close_matches

import msgspec

from citeproof.errors import InputError
from citeproof.plumbing.net.address_safety import split_origin
from citeproof.plumbing.net.http_transport import HttpTransport, RawResponse, TransportError
from citeproof.plumbing.net.message import Request, build_url, quote_segment
from citeproof.text import lazy_patterns as re
from citeproof.text.typed_decoding import decode_json
from citeproof.vocabulary import Cause

SECONDS = 60.0  # Zotero exports thousands of works at once
_PAGES = 1_000
_SHOWN = 5  # collections that an error names
_KEY = re.compile(r"[23456789ABCDEFGHIJKLMNPQRSTUVWXYZ]{8}")
_NEXT = re.compile(r"<([^<>\s]{1,4000})>\s{0,3};\s{0,3}rel=\"?next\b")
_ALLOW = (
    "in Zotero, open Settings > Advanced and allow other applications on this computer to communicate with it"
)
_START = "start Zotero 7 or later, or set CITEPROOF_ZOTERO_URL to where it listens"


class ZoteroCollection(msgspec.Struct):
    name: str
    key: str = ""


class _Listed(msgspec.Struct):
    """A collection in a list, as the API wraps it."""

    key: str
    data: ZoteroCollection


class ZoteroLibrary:
    """The library of the user who runs Zotero, read only."""

    def __init__(self, url: str, agent: str, limit: int) -> None:
        self._base = f"{url.rstrip('/')}/api/users/0"
        self._url = url
        self._limit = limit
        self._wire = HttpTransport(agent, SECONDS)

    async def fetch(self, name: str) -> bytes:
        """Return the works of the collection with this key or name, or of the whole library, as BibLaTeX."""
        try:
            folder = f"collections/{quote_segment(await self._find_key(name))}/" if name else ""
            url = build_url(self._base, f"{folder}items/top", format="biblatex", sort="title")
            parts = [page async for page in self._read_pages(url)]
        finally:
            await self._wire.close()
        data = b"\n".join(parts)
        if not data.strip():
            hint = "check the collection in Zotero"
            raise InputError("has no works in it", place=_format_input(name), hint=hint)
        return data

    async def _find_key(self, name: str) -> str:
        """Return the key of the collection that is meant; InputError if there is none, or more than one."""
        if _KEY.fullmatch(name) and (await self._send(f"{self._base}/collections/{name}")).status == 200:
            return name
        listed: list[_Listed] = []
        async for page in self._read_pages(f"{self._base}/collections"):
            try:
                listed += decode_json(page, type=list[_Listed])
            except (msgspec.DecodeError, UnicodeDecodeError):
                raise self._make_stranger_error() from None
        alike = [row.key for row in listed if row.data.name.casefold() == name.casefold()]
        exact = [row.key for row in listed if row.data.name == name]
        if len(exact or alike) == 1:
            return (exact or alike)[0]
        if alike:
            hint = f"name it by its key: {', '.join(f'zotero:{key}' for key in alike[:_SHOWN])}"
            raise InputError(f"{len(alike)} collections have this name", place=_format_input(name), hint=hint)
        names = [row.data.name for row in listed]
        near = get_close_matches(name, names, n=3) or sorted(names)[:_SHOWN]
        hint = f"collections: {', '.join(near)}" if near else "this library has no collections; use zotero:"
        raise InputError("no such collection in Zotero", place=_format_input(name), hint=hint)

    async def _read_pages(self, url: str) -> AsyncIterator[bytes]:
        """Yield a list page by page, as far as its server links to the next on itself."""
        size = 0
        for _ in range(_PAGES):
            answer = await self._send(url)
            if answer.status != 200:
                message = answer.body[:200].decode("utf-8", "replace")
                raise InputError(f"Zotero answered {answer.status}: {message}", place=url, hint=_START)
            size += len(answer.body)
            if size > self._limit:
                hint = "name a collection, or raise the setting max_document_bytes"
                raise InputError(f"is larger than {self._limit:,} bytes", place="Zotero", hint=hint)
            yield answer.body
            following = _NEXT.search(answer.headers.get("link", ""))
            if following is None or following[1] == url or split_origin(following[1]) != split_origin(url):
                return
            url = following[1]
        raise InputError(f"has more than {_PAGES:,} pages", place="Zotero", hint="name a collection")

    async def _send(self, url: str) -> RawResponse:
        headers = (("Zotero-API-Version", "3"),)
        request = Request("zotero", url, accept=("*/*",), headers=headers, max_body=self._limit)
        try:
            answer = await self._wire.send(request)
        except TransportError as error:
            if error.cause is Cause.TOO_LARGE:
                hint = "name a collection, or raise the setting max_document_bytes"
                raise InputError(error.detail, place="Zotero", hint=hint) from None
            message = f"Zotero does not answer at {self._url} ({error.detail})"
            raise InputError(message, place="Zotero", hint=_START) from None
        if answer.status == 403:
            raise InputError("Zotero does not allow other programs to read it", place="Zotero", hint=_ALLOW)
        if "zotero-api-version" not in answer.headers:
            raise self._make_stranger_error()
        return answer

    def _make_stranger_error(self) -> InputError:
        return InputError(f"what answers at {self._url} is not Zotero", place="Zotero", hint=_START)


def _format_input(name: str) -> str:
    return f"zotero:{name}" if name else "Zotero library"
