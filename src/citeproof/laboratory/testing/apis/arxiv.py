"""arXiv's query API as in 2026: Atom feeds for `id_list` and `search_query=ti:"…"`.

Holds the works that have an arXiv number. An unknown number is left out of the feed; a malformed one
fails the whole request with 400 and a feed whose only entry is titled "Error". Dates are the first of
January of the years that are known. `build_dump_line` gives the same work as a line of the metadata dump.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from lxml import etree

from citeproof.laboratory.testing.article_texts import ABSTRACT, build_abstract
from citeproof.laboratory.testing.base import INVALID_XML, Call, Holdings, Reply, make_text_reply
from citeproof.text import arxiv
from citeproof.text import lazy_patterns as re
from citeproof.text.title import split_words
from citeproof.vocabulary import Kind, Record, Version

_ATOM = "http://www.w3.org/2005/Atom"
_SEARCH = "http://a9.com/-/spec/opensearch/1.1/"
_OWN = "http://arxiv.org/schemas/atom"
_NAMESPACES = {"opensearch": _SEARCH, "arxiv": _OWN, None: _ATOM}
_MEDIA = "application/atom+xml; charset=utf-8"
_NOW = "2026-11-15T00:00:00Z"
_NUMBER = re.compile(r"(?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?")
_CLAUSE = re.compile(r'(?:(ti|all):)?(?:"([^"]*)"|(\S+))')
_MISSING = "<html><head><title>404 Not Found</title></head><body><h1>Not Found</h1></body></html>"


def answer(call: Call, holdings: Holdings) -> Reply:
    if call.parts != ("api", "query"):
        return make_text_reply(_MISSING, 404, "text/html; charset=utf-8")
    start, rows = call.query.get("start", "0"), call.query.get("max_results", "10")
    if not start.isdecimal() or not rows.isdecimal():
        return _make_error_feed("max_results_must_be_an_integer", "max_results must be an integer")
    listed = [number for number in call.query.get("id_list", "").split(",") if number]
    wrong = next((number for number in listed if not _NUMBER.fullmatch(number)), None)
    if wrong is not None:
        return _make_error_feed(f"incorrect_id_format_for_{wrong}", f"incorrect id format for {wrong}")
    sought = call.query.get("search_query", "")
    if not listed and not sought:
        return _make_error_feed("no_query", "search_query or id_list is required")
    records = _find_by_numbers(listed, holdings) if listed else _search_titles(sought, holdings)
    page = records[int(start) : int(start) + int(rows)]
    title = f"arXiv Query: search_query={sought}&id_list={','.join(listed)}&start={start}&max_results={rows}"
    return _build_feed(
        title, len(records), int(start), int(rows), [_build_atom_entry(record) for record in page]
    )


def build_dump_line(record: Record) -> dict[str, Any]:
    """Return a work as a line of the metadata dump; it must have an arXiv number."""
    number = record.ids.first("arxiv") or ""
    journal = _format_journal_ref(record)
    dates = _list_version_years(record, number)
    return {
        "id": number,
        "submitter": record.authors[0].display if record.authors else None,
        "authors": ", ".join(name.display for name in record.authors),
        "title": record.title,
        "comments": _make_comment(record),
        "journal-ref": journal,
        "doi": _find_published_doi(record),
        "report-no": None,
        "categories": "cs.CL",
        "license": None,
        "abstract": "  An abstract.\n",
        "versions": [
            {"version": f"v{at}", "created": f"Sun, 1 Jan {year} 12:00:00 GMT"}
            for at, year in enumerate(dates, 1)
        ],
        "update_date": f"{dates[-1]}-01-01",
        "authors_parsed": [[name.family, name.given, name.suffix] for name in record.authors],
    }


def _find_by_numbers(listed: Sequence[str], holdings: Holdings) -> list[Record]:
    numbers = (arxiv.normalise(number) or number for number in listed)
    return [record for number in numbers for record in holdings.by_id("arxiv", number)[:1]]


def _search_titles(query: str, holdings: Holdings) -> list[Record]:
    """Return the works whose titles hold each clause as a phrase; OR between clauses is understood."""
    records: dict[str, Record] = {}
    for alternative in query.split(" OR "):
        clauses = [m[2] or m[3] or "" for m in _CLAUSE.finditer(alternative) if m[3] != "AND"]
        for record in holdings.search(" ".join(clauses)):
            phrases = (f" {' '.join(split_words(clause))} " for clause in clauses)
            spelt = f" {' '.join(split_words(record.title))} "
            if record.ids.first("arxiv") and all(phrase in spelt for phrase in phrases):
                records[record.id] = record
    return list(records.values())


def _build_feed(title: str, total: int, start: int, rows: int, entries: Iterable[etree._Element]) -> Reply:
    feed = etree.Element(f"{{{_ATOM}}}feed", nsmap=_NAMESPACES)
    _add_text_element(feed, "id", "https://arxiv.org/api/loopback")
    _add_text_element(feed, "title", title)
    _add_text_element(feed, "updated", _NOW)
    for name, value in (("itemsPerPage", rows), ("totalResults", total), ("startIndex", start)):
        _add_text_element(feed, name, str(value), _SEARCH)
    feed.extend(entries)
    return Reply(200, etree.tostring(feed, encoding="UTF-8", xml_declaration=True), _MEDIA)


def _make_error_feed(code: str, message: str) -> Reply:
    entry = etree.Element(f"{{{_ATOM}}}entry")
    _add_text_element(entry, "id", f"https://arxiv.org/api/errors#{code}")
    _add_text_element(entry, "title", "Error")
    _add_text_element(entry, "updated", _NOW)
    _add_text_element(entry, "summary", message)
    _add_text_element(etree.SubElement(entry, f"{{{_ATOM}}}author"), "name", "arXiv api core")
    return Reply(400, _build_feed("arXiv Search Results", 1, 0, 1, [entry]).body, _MEDIA)


def _build_atom_entry(record: Record) -> etree._Element:
    number = record.ids.first("arxiv") or ""
    dates = _list_version_years(record, number)
    address = f"arxiv.org/abs/{number}v{len(dates)}"
    entry = etree.Element(f"{{{_ATOM}}}entry", nsmap=_NAMESPACES)
    _add_text_element(entry, "id", f"http://{address}")
    _add_text_element(entry, "title", record.title)
    _add_text_element(entry, "updated", f"{dates[-1]}-01-01T00:00:00Z")
    etree.SubElement(entry, f"{{{_ATOM}}}link", href=f"https://{address}", rel="alternate", type="text/html")
    _add_text_element(
        entry, "summary", build_abstract(record) if ABSTRACT in record.marks else "An abstract."
    )
    etree.SubElement(entry, f"{{{_ATOM}}}category", term="cs.CL", scheme=_OWN)
    _add_text_element(entry, "published", f"{dates[0]}-01-01T00:00:00Z")
    _add_text_element(entry, "comment", _make_comment(record), _OWN)
    etree.SubElement(entry, f"{{{_OWN}}}primary_category", term="cs.CL")
    _add_text_element(entry, "journal_ref", _format_journal_ref(record), _OWN)
    for name in record.authors:
        _add_text_element(etree.SubElement(entry, f"{{{_ATOM}}}author"), "name", name.display)
    _add_text_element(entry, "doi", _find_published_doi(record), _OWN)
    return entry


def _add_text_element(parent: etree._Element, name: str, text: str | None, space: str = _ATOM) -> None:
    if text is not None:
        etree.SubElement(parent, f"{{{space}}}{name}").text = INVALID_XML.sub(" ", text)


def _is_arxiv_version(version: Version) -> bool:
    return version.kind is Kind.PREPRINT or (version.venue or "").casefold() in {"arxiv", "corr"}


def _list_version_years(record: Record, number: str) -> list[int]:
    """Return the years of the versions at arXiv: as known, else as the number says."""
    years = [version.year for version in record.versions if _is_arxiv_version(version) and version.year]
    stated = arxiv.read_year_month(number)
    return sorted(set(years)) or [stated[0] if stated else 2000]


def _make_comment(record: Record) -> str | None:
    return "This paper has been withdrawn by the author" if "withdrawn" in record.marks else None


def _format_journal_ref(record: Record) -> str | None:
    printed = next((v for v in record.versions if not _is_arxiv_version(v) and v.venue and v.year), None)
    if printed is None:
        return None
    parts = (printed.venue, printed.volume, f"({printed.year})", printed.pages)
    return " ".join(part for part in parts if part)


def _find_published_doi(record: Record) -> str | None:
    return next((doi for doi in record.ids.all("doi") if not doi.startswith("10.48550/")), None)
