"""DBLP's SPARQL service (QLever), for the two questions that are put to it: keys, or words of a title.

It reads `<https://dblp.org/rec/…>` or `ql:contains-word "…"` out of a query, and its `LIMIT`; anything else
is answered as a query that the service does not understand. Every word must be a word of the title. There
is one row for each author, in no order that means anything.
"""

from __future__ import annotations

from collections.abc import Iterator

from citeproof.laboratory.testing.apis import dblp
from citeproof.laboratory.testing.base import Call, Holdings, Reply, make_json_reply, make_text_reply
from citeproof.text import lazy_patterns as re
from citeproof.text import title
from citeproof.text.package_tables import load_package_table
from citeproof.vocabulary import Record

_KEY = re.compile(r"<https://dblp\.org/rec/([^<>\s]+)>")
_WORDS = re.compile(r'ql:contains-word\s+"([^"]*)"')
_LENGTH = re.compile(r"STRLEN\(STR\(\?t\)\) - (\d+)")
_LIMIT = re.compile(r"LIMIT (\d+)")
_SELECT = re.compile(r"SELECT\s+((?:\?\w+\s+)+)WHERE")
_MEDIA = "application/sparql-results+json"
_CLASSES: dict[str, str] = load_package_table(__package__, "names.toml")["dblp_sparql"]["classes"]
_SCHEMA = "https://dblp.org/rdf/schema#"


def answer(call: Call, holdings: Holdings) -> Reply:
    if call.parts not in ((), ("sparql",)):
        return make_text_reply("404 Not Found", 404, "text/html")
    query = call.query.get("query", "")
    wanted, asked, words = _SELECT.search(query), _KEY.findall(query), _WORDS.search(query)
    if not wanted or not (asked or words):
        return make_json_reply({"exception": "Invalid SPARQL query", "query": query, "status": "ERROR"}, 400)
    if asked:
        records = [record for key in asked for record in holdings.by_id("dblp", key)[:1]]
    else:
        records = _search_titles(words[1] if words else "", query, holdings)
    names = [name.removeprefix("?") for name in wanted[1].split()]
    rows = [{n: row[n] for n in names if n in row} for record in records for row in _list_bindings(record)]
    return make_json_reply({"head": {"vars": names}, "results": {"bindings": rows}}, media=_MEDIA)


def _search_titles(words: str, query: str, holdings: Holdings) -> list[Record]:
    asked = set(title.split_words(words))
    length, limit = _LENGTH.search(query), _LIMIT.search(query)
    named = holdings.find_words(asked)
    records = [r for r in named if r.authors and dblp.is_held_by_dblp(r)]
    if length:
        records.sort(key=lambda record: abs(len(record.title) + 1 - int(length[1])))
    return records[: int(limit[1]) if limit else None]


def _list_bindings(record: Record) -> Iterator[dict[str, dict[str, str]]]:
    """Yield one row for each author, the last one first; one row if there are none."""
    info = dblp.build_hit_info(record)
    tag = dblp.choose_dblp_tag(record)
    fields = {
        "title": f"{record.title}.",
        "venue": info.get("venue"),
        "volume": info.get("volume"),
        "number": info.get("number"),
        "pages": info.get("pages"),
    }
    row = {name: {"type": "literal", "value": text} for name, text in fields.items() if text}
    if "year" in info:
        gyear = "http://www.w3.org/2001/XMLSchema#gYear"
        row["year"] = {"type": "literal", "value": info["year"], "datatype": gyear}
    row["pub"] = _make_iri(f"https://dblp.org/rec/{info['key']}")
    row["type"] = _make_iri(f"http://purl.org/net/nknouf/ns/bibtex#{tag.capitalize()}")
    if "doi" in info:
        row["doi"] = _make_iri(f"https://doi.org/{info['doi']}")
    if "ee" in info:
        row["page"] = _make_iri(info["ee"])
    classes = ["Informal" if dblp.is_corr(record) else _CLASSES[tag]]
    classes += ["Withdrawn"] if "withdrawn" in record.marks else []
    for class_name in classes:
        typed = {**row, "class": _make_iri(f"{_SCHEMA}{class_name}")}
        if not record.authors:
            yield typed
        for at, author in reversed(list(enumerate(record.authors, 1))):
            number = {"type": "literal", "value": str(at), "datatype": "http://www.w3.org/2001/XMLSchema#int"}
            yield {
                **typed,
                "ord": number,
                "name": {"type": "literal", "value": dblp.format_dblp_name(author)},
            }


def _make_iri(value: str) -> dict[str, str]:
    return {"type": "uri", "value": value}
