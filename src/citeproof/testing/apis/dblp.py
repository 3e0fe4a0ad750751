"""DBLP's search `/search/publ/api` (JSON) and record pages `/rec/{key}.xml`, as without the bot wall.

Holds the works with a DBLP key, and those that DBLP would have: in a known venue of computing, or preprints
with an arXiv number. These get a key made up from their titles. The words of a query must all begin words
of the title, the authors or the venue. One author is an object, several are a list; a fourth of them have
a homonym's number. `dump` gives works as the file `dblp.xml`, in ASCII with named entities.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import sha1
from html import escape
from html.entities import codepoint2name
from typing import Any

from citeproof.sources.dblp import is_computing
from citeproof.testing.base import Call, Holdings, Reply, json_reply, text_reply
from citeproof.text import title, venue_name
from citeproof.vocabulary import Kind, Name, Record, Version

_MISSING = "<!DOCTYPE html><html><head><title>dblp: error 404</title></head><body>Error 404</body></html>"
_SORTS = {
    "article": "Journal Articles",
    "inproceedings": "Conference and Workshop Papers",
    "incollection": "Parts in Books or Collections",
    "book": "Books and Theses",
    "phdthesis": "Books and Theses",
    "data": "Data and Artifacts",
}
_INVALID = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def answer(call: Call, holdings: Holdings) -> Reply:
    """Return what dblp.org would answer."""
    if call.parts == ("search", "publ", "api"):
        return _search(call, holdings)
    name = "/".join(call.parts[1:])
    if call.parts[:1] == ("rec",) and name.endswith(".xml"):
        found = holdings.by_id("dblp", name.removesuffix(".xml"))
        if found:
            body = f'<?xml version="1.0" encoding="US-ASCII"?>\n<dblp>\n{element(found[0])}\n</dblp>\n'
            return Reply(200, body.encode("ascii", "xmlcharrefreplace"), "text/xml; charset=utf-8")
    return text_reply(_MISSING, 404, "text/html; charset=utf-8")


def _search(call: Call, holdings: Holdings) -> Reply:
    query = call.query.get("q", "")
    first, most = (call.query.get(name, default) for name, default in (("f", "0"), ("h", "30")))
    if not first.isdecimal() or not most.isdecimal():
        return text_reply("parameter is not a number", 400)
    found = [record for record in holdings.search(query) if holds(record) and _begins(query, record)]
    page = found[int(first) : int(first) + min(int(most), 1000)]
    hits: dict[str, Any] = {
        "@total": str(len(found)),
        "@computed": str(len(found)),
        "@sent": str(len(page)),
        "@first": first,
    }
    if page:  # without hits there is no such field
        hits["hit"] = [_hit(at, record) for at, record in enumerate(page)]
    status = {"@code": "200", "text": "OK"}
    time = {"@unit": "msecs", "text": "3.40"}
    completions = {"@total": "0", "@computed": "0", "@sent": "0"}
    told = {"query": query, "status": status, "time": time, "completions": completions, "hits": hits}
    return json_reply({"result": told})


def _begins(query: str, record: Record) -> bool:
    people = " ".join(name.display for name in record.authors)
    known = title.words(f"{record.title} {people} {_where(record).venue or ''}")
    return all(any(word.startswith(asked) for word in known) for asked in title.words(query))


def _hit(at: int, record: Record) -> dict[str, Any]:
    own = key(record)
    return {"@score": str(10 - at), "@id": str(at), "info": info(record), "url": f"URL#{own}"}


def info(record: Record) -> dict[str, Any]:
    """Return a work as the `info` of a search hit."""
    where, own, doi = _where(record), key(record), record.ids.first("doi")
    people = [{"@pid": f"00/{at}", "text": written(name)} for at, name in enumerate(record.authors)]
    given = {
        "authors": {"author": people if len(people) > 1 else people[0]} if people else None,
        "title": f"{escape(record.title, quote=False)}.",
        "venue": "CoRR" if is_corr(record) else where.venue,
        "volume": f"abs/{record.ids.first('arxiv')}" if is_corr(record) else where.volume,
        "number": where.issue,
        "pages": where.pages,
        "year": str(where.year) if where.year else None,
        "type": _sort(record),
        "access": "open",
        "key": own,
        "doi": doi.upper() if doi else None,
        "ee": link(record),
        "url": f"https://dblp.org/rec/{own}",
    }
    return {name: value for name, value in given.items() if value is not None}


def _sort(record: Record) -> str:
    if "withdrawn" in record.marks:
        return "Withdrawn Items"
    return "Informal and Other Publications" if is_corr(record) else _SORTS[tag(record)]


def holds(record: Record) -> bool:
    """Return whether DBLP would have a work."""
    return bool(record.ids.first("dblp")) or is_corr(record) or is_computing(_where(record).venue)


def is_corr(record: Record) -> bool:
    """Return whether DBLP has a work only as a preprint of arXiv, which it calls CoRR."""
    own = record.ids.first("dblp")
    if own:
        return own.startswith("journals/corr/")
    return record.kind is Kind.PREPRINT and bool(record.ids.first("arxiv"))


def key(record: Record) -> str:
    """Return the DBLP key of a work; one made up from its names where it has none."""
    if own := record.ids.first("dblp"):
        return own
    digest = sha1(record.title.encode(), usedforsecurity=False).hexdigest()[:8]
    if is_corr(record):
        return f"journals/corr/{digest}"
    known = venue_name.known_series(_where(record).venue or "") or "misc"
    return f"conf/{known}/{digest}{_where(record).year or ''}"


def tag(record: Record) -> str:
    """Return the element that a work is in `dblp.xml`."""
    if record.kind is Kind.CHAPTER:
        return "incollection"
    if record.kind is Kind.DATASET:
        return "data"
    room = key(record).partition("/")[0]
    return {"journals": "article", "conf": "inproceedings", "phd": "phdthesis"}.get(room, "book")


def _where(record: Record) -> Version:
    corr = is_corr(record)
    fitting = [version for version in record.versions if (version.kind is Kind.PREPRINT) == corr]
    return (fitting or list(record.versions) or [Version()])[0]


def written(name: Name) -> str:
    """Return a name as DBLP writes it: some people share theirs with others, and have a number."""
    shared = sha1(name.display.encode(), usedforsecurity=False).digest()[0] % 4 == 0
    return f"{name.display} 0001" if shared and not name.collective else name.display


def link(record: Record) -> str | None:
    """Return the electronic edition of a work."""
    if doi := record.ids.first("doi"):
        return f"https://doi.org/{doi}"
    number = record.ids.first("arxiv")
    return f"https://arxiv.org/abs/{number}" if number else None


def element(record: Record) -> str:
    """Return a work as an element of `dblp.xml`, not yet in ASCII."""
    where, name, corr = _where(record), tag(record), is_corr(record)
    marks = [mark for mark, so in (("informal", corr), ("withdrawn", "withdrawn" in record.marks)) if so]
    publtype = f' publtype="{" ".join(marks)}"' if marks else ""
    venue = {"article": "journal", "phdthesis": "school", "book": ""}.get(name, "booktitle")
    fields = [
        *(("author", written(author)) for author in record.authors),
        ("title", f"{record.title}."),
        ("pages", where.pages),
        ("year", str(where.year) if where.year else None),
        ("volume", f"abs/{record.ids.first('arxiv')}" if corr else where.volume),
        (venue, "CoRR" if corr else where.venue),
        ("number", where.issue),
        ("ee", link(record)),
        ("publisher", record.publisher),
        *(("isbn", isbn) for isbn in record.ids.all("isbn")),
    ]
    inner = "\n".join(f"<{field}>{_escaped(text)}</{field}>" for field, text in fields if field and text)
    return f'<{name} mdate="2026-01-01" key="{key(record)}"{publtype}>\n{inner}\n</{name}>'


def _escaped(text: str) -> str:
    return escape(_INVALID.sub(" ", text), quote=False)


def dump(records: Iterable[Record]) -> bytes:
    """Return works as the file `dblp.xml`."""
    inner = "\n".join(element(record) for record in records)
    named = re.sub("[\u00c0-\u00ff]", _entity, inner)
    head = '<?xml version="1.0" encoding="ISO-8859-1"?>\n<!DOCTYPE dblp SYSTEM "dblp.dtd">\n'
    return f"{head}<dblp>\n{named}\n</dblp>\n".encode("ascii", "xmlcharrefreplace")


def _entity(match: re.Match[str]) -> str:
    return f"&{codepoint2name[ord(match[0])]};"
