"""Web pages of the world's works, in the ways in which pages describe themselves.

    /page/<scheme>/<id>      the page of a work, e.g. /page/doi/10.1109%2Fcvpr.2016.90
    /page/title/<title>      the page of a work without an identifier
    /gone/<scheme>/<id>      a page that was taken down (410); the Wayback Machine of this world has it
    ?style=citation          how it describes itself: citation (default), jsonld, dublin, graph, plain, byline
    ?style=wall, missing     a wall for robots, and a page that says "not found" with status 200
    ?style=parked, home      a domain for sale, and the way to the first page of the site

Anything else is a 404 as web servers send it. citeproof takes an address with a DOI in it for the DOI: where
the page itself is to be asked, use the form with the title.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape
from urllib.parse import quote

import msgspec

from citeproof.laboratory.testing.base import Call, Holdings, Reply, make_text_reply
from citeproof.laboratory.testing.faults import BOT_WALL
from citeproof.vocabulary import Kind, Name, Record, Version

MEDIA = "text/html; charset=utf-8"
SITE = "Reading Room"
_TYPES = {
    Kind.ARTICLE: "ScholarlyArticle", Kind.BOOK: "Book", Kind.CHAPTER: "Chapter", Kind.THESIS: "Thesis",
    Kind.REPORT: "Report", Kind.DATASET: "Dataset", Kind.SOFTWARE: "SoftwareSourceCode",
}  # fmt: skip


def answer(call: Call, holdings: Holdings) -> Reply:
    match call.parts:
        case ():
            return make_text_reply(f"<title>{SITE}</title><h1>Welcome to the {SITE}</h1>", 200, MEDIA)
        case ("page", scheme, value) if record := find_page_record(holdings, scheme, value):
            return build_page(record, call.query.get("style", "citation"))
        case ("gone", scheme, value) if find_page_record(holdings, scheme, value):
            return make_text_reply("<html><head><title>410 Gone</title></head></html>", 410, MEDIA)
    return make_text_reply("<html><head><title>404 Not Found</title></head></html>", 404, MEDIA)


def find_page_record(holdings: Holdings, scheme: str, value: str) -> Record | None:
    """Return the work that a path of this server names."""
    records = holdings.search(value, 1) if scheme == "title" else holdings.by_id(scheme, value)
    return next(iter(records), None)


def build_page_path(record: Record) -> str:
    scheme, value = next((pair for pair in record.ids.pairs if pair[0] != "url"), ("title", record.title))
    return f"/page/{scheme}/{quote(value, safe='')}"


def build_page(record: Record, style: str = "citation") -> Reply:
    """Return the page of a work; of an unknown style, one that only has a title."""
    if style == "wall":
        return Reply(200, BOT_WALL, MEDIA)
    if style == "parked":
        return make_text_reply("<title>reading-room.example is for sale</title>", 200, MEDIA)
    if style == "home":
        return Reply(302, b"", MEDIA, {"Location": "/"})
    if style == "missing":
        return make_text_reply("<title>Page not found - Reading Room</title><h1>Sorry!</h1>", 200, MEDIA)
    head, body = _STYLES.get(style, _build_plain_page)(record)
    title = f"<title>{escape(record.title)} | {SITE}</title>"
    return make_text_reply(
        f"<!doctype html><html><head>{title}{head}</head><body>{body}</body></html>", media=MEDIA
    )


def _get_first_version(record: Record) -> Version:
    return record.versions[0] if record.versions else Version()


def _build_meta_tags(pairs: list[tuple[str, object]], attribute: str = "name") -> str:
    stated = ((name, str(value)) for name, value in pairs if value)
    return "".join(f'<meta {attribute}="{name}" content="{escape(value)}">' for name, value in stated)


def _format_listed_name(name: Name) -> str:
    return name.family if name.collective or not name.given else f"{name.family}, {name.given}"


def _build_citation_page(record: Record) -> tuple[str, str]:
    version = _get_first_version(record)
    first, _, last = (version.pages or "").partition("-")
    book = record.kind is Kind.BOOK
    venue = {Kind.THESIS: "citation_dissertation_institution", Kind.CHAPTER: "citation_inbook_title"}
    pairs: list[tuple[str, object]] = [
        ("citation_title", record.title),
        *(("citation_author", _format_listed_name(name)) for name in record.authors),
        ("citation_publication_date", version.year),
        (venue.get(record.kind, "citation_journal_title"), None if book else version.venue),
        ("citation_volume", version.volume),
        ("citation_issue", version.issue),
        ("citation_firstpage", first),
        ("citation_lastpage", last),
        ("citation_publisher", record.publisher),
        *((f"citation_{scheme}", v) for scheme, v in record.ids.pairs if scheme in ("doi", "pmid", "isbn")),
    ]
    return _build_meta_tags(pairs), f"<h1>{escape(record.title)}</h1>"


def _build_jsonld_page(record: Record) -> tuple[str, str]:
    version = _get_first_version(record)
    volume = {"@type": "PublicationVolume", "volumeNumber": version.volume}
    journal = {"@type": "Periodical", "name": version.venue}
    doi = record.ids.first("doi")
    work = {
        "@context": "https://schema.org",
        "@type": _TYPES.get(record.kind, "WebPage"),
        "headline": record.title,
        "author": [
            {"@type": "Organization" if name.collective else "Person", "name": name.display}
            for name in record.authors
        ],
        "datePublished": f"{version.year}-01-01" if version.year else None,
        "isPartOf": {**volume, "isPartOf": journal} if version.volume else journal,
        "pagination": version.pages,
        "sameAs": f"https://doi.org/{doi}" if doi else None,
    }
    script = msgspec.json.encode({"@graph": [{"@type": "WebSite", "name": SITE}, work]}).decode()
    inside = script.replace("</", "<\\/")  # a title must not end the script
    return f'<script type="application/ld+json">{inside}</script>', ""


def _build_dublin_page(record: Record) -> tuple[str, str]:
    doi = record.ids.first("doi")
    pairs: list[tuple[str, object]] = [
        ("DC.Title", record.title),
        *(("DC.Creator", _format_listed_name(name)) for name in record.authors),
        ("DC.Date.issued", _get_first_version(record).year),
        ("DC.Identifier", f"https://doi.org/{doi}" if doi else ""),
    ]
    return _build_meta_tags(pairs), ""


def _build_open_graph_page(record: Record) -> tuple[str, str]:
    year = _get_first_version(record).year
    dated = f"{year}-05-01T00:00:00Z" if year else ""
    pairs: list[tuple[str, object]] = [
        ("og:type", "article"),
        ("og:site_name", SITE),
        ("og:title", record.title),
        ("article:published_time", dated),
    ]
    author = _build_meta_tags([("author", record.authors[0].display if record.authors else "")])
    return _build_meta_tags(pairs, "property") + author, ""


def _build_plain_page(record: Record) -> tuple[str, str]:  # noqa: ARG001 - as the other styles
    return "", "<p>Nothing else is said here.</p>"


def _build_byline_page(record: Record) -> tuple[str, str]:
    people = " and ".join(name.display for name in record.authors)
    return "", f'<h1>{escape(record.title)}</h1><p class="byline">By {escape(people)}</p>'


_STYLES: Mapping[str, Callable[[Record], tuple[str, str]]] = {
    "citation": _build_citation_page,
    "jsonld": _build_jsonld_page,
    "dublin": _build_dublin_page,
    "graph": _build_open_graph_page,
    "plain": _build_plain_page,
    "byline": _build_byline_page,
}
