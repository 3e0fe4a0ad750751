"""What a page's metadata says it cites: `citation_reference` tags, JSON-LD, COinS, as CSL-JSON items."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs

from citeproof.reading.extractors.office.field_codes import map_csl_fields
from citeproof.text import lazy_patterns as re

MAX_CITED = 20_000  # works that the metadata of one page may name
_MAX_OBJECTS = 100_000

_PAIR = re.compile(r";\s{0,9}(?=citation_\w{2,40}=)")
_INFO = re.compile(r"info:(doi|pmid|arxiv|pmc)/(.{1,500})", re.IGNORECASE)
_GENRES = {
    "article": "article-journal", "proceeding": "paper-conference", "conference": "paper-conference",
    "book": "book", "bookitem": "chapter", "report": "report", "preprint": "preprint", "dissertation":
    "thesis",
}  # fmt: skip
_LD_TYPES = {
    "ScholarlyArticle": "article-journal", "Article": "article-journal", "Book": "book", "Chapter": "chapter",
    "Thesis": "thesis", "Report": "report", "Dataset": "dataset", "SoftwareSourceCode": "software",
    "WebPage": "webpage",
}  # fmt: skip

Item = dict[str, Any]


def parse_highwire_tag(content: str) -> Item | None:
    """Return the work of a `citation_reference` tag, None if it is running text."""
    fields: dict[str, list[str]] = {}
    for pair in _PAIR.split(content[:20_000]):
        name, equals, value = pair.strip().partition("=")
        if equals and name.startswith("citation_"):
            fields.setdefault(name.removeprefix("citation_"), []).append(value.strip(" ;"))
    if not fields:
        return None

    def first(*names: str) -> str:
        return next((value for name in names for value in fields.get(name, ()) if value), "")

    authors = fields.get("author") or fields.get("authors", [])
    item = map_csl_fields("highwire", first)
    return item | {
        "type": _find_highwire_type(fields),
        "author": authors[0] if len(authors) == 1 else authors,
        "page": item["page"] or "-".join(filter(None, (first("firstpage"), first("lastpage")))),
    }


def _find_highwire_type(fields: dict[str, list[str]]) -> str:
    for name, kind in (
        ("journal_title", "article-journal"), ("conference_title", "paper-conference"), ("inbook_title",
        "chapter"), ("dissertation_institution", "thesis"), ("technical_report_institution", "report"),
        ("isbn", "book"),
    ):  # fmt: skip
        if name in fields:
            return kind
    return ""


def parse_coins(title: str) -> Item | None:
    """Return the work of a COinS span, None if it names none."""
    try:
        values = parse_qs(title[:20_000], max_num_fields=500)
    except ValueError:
        return None

    def first(*names: str) -> str:
        return next((value for name in names for value in values.get(f"rft.{name}", ()) if value.strip()), "")

    known: dict[str, str] = {}
    for value in values.get("rft_id", ()):
        if info := _INFO.fullmatch(value):
            known.setdefault(
                {"pmc": "PMCID", "arxiv": "arxiv"}.get(info[1].lower(), info[1].upper()), info[2]
            )
        elif value.startswith("http"):
            known.setdefault("URL", value)
    article = first("atitle")
    book = first("btitle") or first("title")
    item = map_csl_fields("coins", first)
    item |= {
        "type": _GENRES.get(first("genre").lower(), "book" if first("btitle") and not article else ""),
        "title": article or book or first("jtitle"),
        "author": _list_coins_people(values, first("aulast"), first("aufirst") or first("auinit")),
        "container-title": first("jtitle", "stitle", "btitle", "title") if article else "",
        "page": item["page"] or "-".join(filter(None, (first("spage"), first("epage")))),
        **known,
    }
    return item if item["title"] else None


def _list_coins_people(values: dict[str, list[str]], family: str, given: str) -> list[Any]:
    people: list[Any] = [{"family": family, "given": given}] if family else []
    listed = [*values.get("rft.au", ()), *values.get("rft.aucorp", ())]
    # the first author is often given twice
    people += [
        entry for entry in listed if not (family and (entry.startswith(family) or entry.endswith(family)))
    ]
    return people[:500]


def parse_json_ld(source: str) -> Iterator[Item | str]:
    """Yield what the `citation` of each object in a JSON-LD script names, as a work or as text."""
    try:
        whole = json.loads(source)
    except (ValueError, RecursionError):
        return
    waiting = [whole]
    for _ in range(_MAX_OBJECTS):
        if not waiting:
            return
        node = waiting.pop(0)
        if isinstance(node, list):
            waiting[:0] = node[:MAX_CITED]
        elif isinstance(node, dict):
            cited = node.get("citation")
            for work in cited[:MAX_CITED] if isinstance(cited, list) else [cited]:
                if isinstance(work, str) and work.strip():
                    yield work.strip()[:5000]
                elif isinstance(work, dict) and (item := _build_ld_item(work)):
                    yield item
            waiting += [value for name, value in node.items() if name in ("@graph", "mainEntity", "hasPart")]


def _build_ld_item(work: dict[str, Any]) -> Item | None:
    def named(value: object) -> str:
        if isinstance(value, list):
            value = value[0] if value else ""
        if isinstance(value, dict):
            value = value.get("name") or value.get("headline") or value.get("value") or ""
        return str(value)[:4000] if isinstance(value, str | int) else ""

    title = named(work.get("headline") or work.get("name"))
    authors = work.get("author") or work.get("creator")
    listed = authors if isinstance(authors, list) else [authors] if authors else []
    addresses = [named(work.get(name)) for name in ("@id", "url", "sameAs", "identifier")]
    kind = named(work.get("@type"))
    return {
        "type": _LD_TYPES.get(kind, ""),
        "title": title,
        "author": [named(entry) for entry in listed[:500] if named(entry)],
        "issued": named(work.get("datePublished") or work.get("dateCreated")),
        "container-title": named(work.get("isPartOf") or work.get("publication")),
        "page": named(work.get("pagination")),
        "publisher": named(work.get("publisher")),
        "note": " ".join(address for address in addresses if address),
    } if title else None  # fmt: skip
