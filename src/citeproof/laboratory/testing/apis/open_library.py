"""Open Library's API: `/api/books.json` (`jscmd=data`), `/search.json`, `/isbn/<isbn>.json`.

It holds books. Quirks: an unknown ISBN is `{}` with status 200; names are single strings; a search
hit is a work with the years of all editions; a single ISBN redirects to its edition.
"""

from __future__ import annotations

import re
from hashlib import sha256

from citeproof.laboratory.testing.base import (
    Call,
    Holdings,
    Reply,
    make_json_reply,
    make_text_reply,
    read_count,
)
from citeproof.text import ids
from citeproof.vocabulary import Kind, Record

_ROWS = 100


def answer(call: Call, holdings: Holdings) -> Reply:
    match call.parts:
        case ("api", "books.json"):
            return _answer_books(call, holdings)
        case ("search.json",):
            return _answer_search(call, holdings)
        case ("isbn", name) if name.endswith(".json"):
            return _answer_isbn(call, name.removesuffix(".json"), holdings)
        case ("books", name) if name.endswith(".json"):
            return _answer_edition(name.removesuffix(".json"), holdings)
    return make_text_reply("<!DOCTYPE html><title>Page not found</title>", 404, "text/html")


def _answer_books(call: Call, holdings: Holdings) -> Reply:
    books = {}
    for key in call.query.get("bibkeys", "").split(","):
        scheme, _, value = key.partition(":")
        known = _find_book(holdings, value) if scheme.upper() == "ISBN" else None
        if known:
            books[key] = (
                _build_book_data(known, call)
                if call.query.get("jscmd") == "data"
                else _build_book_links(known, key, call)
            )
    return make_json_reply(books)


def _find_book(holdings: Holdings, value: str) -> Record | None:
    isbn = ids.normalise_id("isbn", value)
    return next((r for r in holdings.by_id("isbn", isbn) if r.kind is Kind.BOOK), None) if isbn else None


def _build_book_links(record: Record, key: str, call: Call) -> dict[str, object]:
    """Return what `jscmd` other than `data` gives: links only."""
    url = f"{call.base}/books/{_make_edition_key(record)}"
    return {"bib_key": key, "info_url": url, "preview": "noview", "preview_url": url}


def _build_book_data(record: Record, call: Call) -> dict[str, object]:
    title, _, subtitle = record.title.partition(": ")
    isbns = record.ids.all("isbn")
    year = next((v.year for v in record.versions if v.year), None)
    item: dict[str, object] = {
        "url": f"{call.base}/books/{_make_edition_key(record)}/{re.sub('[^A-Za-z0-9]+', '_', title)[:60]}",
        "key": f"/books/{_make_edition_key(record)}",
        "title": title,
        "authors": [
            {"url": f"{call.base}/authors/OL{n}A", "name": name.display}
            for n, name in enumerate(record.authors, 1)
        ],
        "identifiers": {"isbn_13": list(isbns), "openlibrary": [_make_edition_key(record)]},
        "publishers": [{"name": record.publisher}] if record.publisher else [],
    }
    if subtitle:
        item["subtitle"] = subtitle
    if year:
        item["publish_date"] = f"November 18, {year}"
    return item


def _answer_search(call: Call, holdings: Holdings) -> Reply:
    words = call.query.get("title") or call.query.get("q") or ""
    limit = min(read_count(call, "limit", 100), _ROWS)
    books = [r for r in holdings.search(words, _ROWS) if r.kind is Kind.BOOK]
    wanted = set(filter(None, call.query.get("fields", "").split(",")))
    docs = [
        {k: v for k, v in _build_search_doc(r).items() if not wanted or k in wanted} for r in books[:limit]
    ]
    head = {"numFound": len(books), "start": 0, "numFoundExact": True, "num_found": len(books)}
    link = f"{call.base}/dev/docs/api/search"
    return make_json_reply({**head, "documentation_url": link, "q": words, "offset": None, "docs": docs})


def _build_search_doc(record: Record) -> dict[str, object]:
    title, _, subtitle = record.title.partition(": ")
    years = sorted({v.year for v in record.versions if v.year})
    doc: dict[str, object] = {
        "author_key": [f"OL{n}A" for n, _ in enumerate(record.authors, 1)],
        "author_name": [name.display for name in record.authors],
        "edition_count": max(1, len(years)),
        "isbn": list(record.ids.all("isbn")),
        "key": f"/works/{_make_edition_key(record)[:-1]}W",
        "publisher": [record.publisher] if record.publisher else [],
        "title": title,
    }
    if subtitle:
        doc["subtitle"] = subtitle
    if years:
        doc |= {"first_publish_year": years[0], "publish_year": years}
    return doc


def _answer_isbn(call: Call, value: str, holdings: Holdings) -> Reply:
    known = _find_book(holdings, value)
    if not known:
        return _make_missing_reply(f"/isbn/{value}")
    return Reply(302, b"", "text/html", {"location": f"{call.base}/books/{_make_edition_key(known)}.json"})


def _answer_edition(olid: str, holdings: Holdings) -> Reply:
    """Return an edition as it is stored: authors are keys, not names."""
    known = _find_book(holdings, olid.removeprefix("OL").removesuffix("M"))
    if not known:
        return _make_missing_reply(f"/books/{olid}")
    return make_json_reply(
        {
            "publishers": [known.publisher] if known.publisher else [],
            "title": known.title,
            "authors": [{"key": f"/authors/OL{n}A"} for n, _ in enumerate(known.authors, 1)],
            "isbn_13": list(known.ids.all("isbn")),
            "key": f"/books/{olid}",
            "type": {"key": "/type/edition"},
        }
    )


def _make_missing_reply(key: str) -> Reply:
    return make_json_reply({"error": "notfound", "key": key}, 404)


def _make_edition_key(record: Record) -> str:
    """Return an edition key that leads back to the record, by its ISBN."""
    number = record.ids.first("isbn") or str(int(sha256(record.id.encode()).hexdigest()[:7], 16))
    return f"OL{number}M"
