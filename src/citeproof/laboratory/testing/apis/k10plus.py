"""K10plus' SRU interface: `searchRetrieve` with `pica.isb=`, `pica.tit=`, `pica.per=`, `and`, `or`.

It holds books, chapters, theses and reports as MARC 21 XML. Quirks: errors are diagnostics with
status 200; all words of a query must occur; an ISBN finds a record by any of its ISBNs.
"""

from __future__ import annotations

from hashlib import sha256

from lxml import etree

from citeproof.laboratory.testing.base import INVALID_XML, Call, Holdings, Reply, read_count
from citeproof.text import ids, title
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import Kind, Record

_SRW = "http://www.loc.gov/zing/srw/"
_SLIM = "http://www.loc.gov/MARC21/slim"
_DIAGNOSTIC = "http://www.loc.gov/zing/srw/diagnostic/"
_HELD = frozenset((Kind.BOOK, Kind.CHAPTER, Kind.THESIS, Kind.REPORT))
_CLAUSE = re.compile(r'\s*pica\.(isb|tit|per|ppn|all)\s*=\s*(?:"([^"]*)"|([^\s"()]+))\s*')


def answer(call: Call, holdings: Holdings) -> Reply:
    query = call.query
    if query.get("operation") != "searchRetrieve":
        return _make_xml_reply(_make_diagnostic(4, "Unsupported operation", query.get("operation", "")))
    if query.get("recordSchema", "marcxml") != "marcxml":
        return _make_xml_reply(_make_diagnostic(66, "Unknown schema for retrieval", query["recordSchema"]))
    matched = _find_records(query.get("query", ""), holdings)
    if matched is None:
        return _make_xml_reply(_make_diagnostic(10, "Query syntax error", query.get("query", "")))
    root = _make_response_root(len(matched))
    records = etree.SubElement(root, f"{{{_SRW}}}records") if matched else None
    for place, record in enumerate(matched[: read_count(call, "maximumRecords", 10)], 1):
        assert records is not None
        box = etree.SubElement(records, f"{{{_SRW}}}record")
        etree.SubElement(box, f"{{{_SRW}}}recordSchema").text = "marcxml"
        etree.SubElement(box, f"{{{_SRW}}}recordPacking").text = "xml"
        data = etree.SubElement(box, f"{{{_SRW}}}recordData")
        data.append(_build_marc(record))
        etree.SubElement(box, f"{{{_SRW}}}recordPosition").text = str(place)
    return _make_xml_reply(root)


def _find_records(query: str, holdings: Holdings) -> list[Record] | None:
    """Return the records that a query finds; None if it is no query."""
    either: dict[str, Record] = {}
    for choice in re.split(r"\s+or\s+", query):
        clauses = [_CLAUSE.fullmatch(part) for part in re.split(r"\s+and\s+", choice)]
        terms = [(c[1], (c[2] if c[2] is not None else c[3])) for c in clauses if c]
        if len(terms) != len(clauses):
            return None
        either.update({r.id: r for r in _find_by_terms(terms, holdings) if r.kind in _HELD})
    return list(either.values())


def _find_by_terms(terms: list[tuple[str, str]], holdings: Holdings) -> list[Record]:
    words = " ".join(value for index, value in terms if index in ("tit", "all"))
    numbers = [ids.normalise_id("isbn", value) for index, value in terms if index == "isb"]
    pool = (
        [r for n in numbers if n for r in holdings.by_id("isbn", n)]
        if numbers
        else holdings.search(words, 50)
    )
    return [r for r in pool if all(_has_term(r, index, value) for index, value in terms)]


def _has_term(record: Record, index: str, value: str) -> bool:
    if index == "isb":
        return ids.normalise_id("isbn", value) in record.ids.all("isbn")
    people = " ".join(name.display for name in record.authors)
    place = {"tit": " ".join(record.titles), "per": people}.get(index, f"{' '.join(record.titles)} {people}")
    return set(title.split_words(value)) <= set(title.split_words(place))


def _make_response_root(count: int) -> etree._Element:
    root = etree.Element(f"{{{_SRW}}}searchRetrieveResponse", nsmap={"zs": _SRW})
    etree.SubElement(root, f"{{{_SRW}}}version").text = "1.1"
    etree.SubElement(root, f"{{{_SRW}}}numberOfRecords").text = str(count)
    return root


def _make_diagnostic(code: int, message: str, details: str) -> etree._Element:
    root = _make_response_root(0)
    box = etree.SubElement(root, f"{{{_SRW}}}diagnostics")
    diagnostic = etree.SubElement(box, f"{{{_DIAGNOSTIC}}}diagnostic", nsmap={None: _DIAGNOSTIC})
    for name, text in (("uri", f"info:srw/diagnostic/1/{code}"), ("details", details), ("message", message)):
        etree.SubElement(diagnostic, f"{{{_DIAGNOSTIC}}}{name}").text = INVALID_XML.sub("", text)
    return root


def _make_xml_reply(root: etree._Element) -> Reply:
    return Reply(200, etree.tostring(root, xml_declaration=True, encoding="UTF-8"), "text/xml")


def _build_marc(record: Record) -> etree._Element:
    root = etree.Element(f"{{{_SLIM}}}record", nsmap={None: _SLIM})
    part = record.kind is Kind.CHAPTER
    version = record.versions[0] if record.versions else None
    year = str(version.year) if version and version.year else "    "
    etree.SubElement(root, f"{{{_SLIM}}}leader").text = f"     ca{'a' if part else 'm'} a22      c 4500"
    ppn = str(int(sha256(record.id.encode()).hexdigest()[:8], 16))
    for tag, value in (
        ("001", ppn),
        ("003", "DE-627"),
        ("008", f"170704s{year}    gw |||||      00| ||eng c"),
    ):
        etree.SubElement(root, f"{{{_SLIM}}}controlfield", tag=tag).text = value
    for isbn in record.ids.all("isbn"):
        _add_marc_field(root, "020", a=isbn)
    for doi in record.ids.all("doi"):
        _add_marc_field(root, "024", "7", a=doi, _2="doi")
    for place, name in enumerate(record.authors):
        tag = f"{'7' if place else '1'}{'10' if name.collective else '00'}"
        whole = name.family if name.collective or not name.given else f"{name.family}, {name.given}"
        _add_marc_field(root, tag, "1", a=whole, e="VerfasserIn", _4="aut")
    main, _, sub = record.title.partition(": ")
    _add_marc_field(root, "245", "1", a=main, b=sub, c=", ".join(name.display for name in record.authors))
    for other in record.titles[1:]:
        _add_marc_field(root, "246", "3", a=other)
    _add_marc_field(root, "264", " ", "1", b=record.publisher or "", c=year.strip())
    if record.kind is Kind.THESIS:
        _add_marc_field(root, "502", b="Dissertation", d=year.strip())
    if part and version:
        _add_marc_field(
            root, "773", "0", "8", i="Enthalten in", t=version.venue or "", g=f"Seite {version.pages or ''}"
        )
    return root


def _add_marc_field(
    root: etree._Element, tag: str, first: str = " ", second: str = " ", **parts: str
) -> None:
    filled = {code.lstrip("_"): text for code, text in parts.items() if text}
    if not filled:
        return
    field = etree.SubElement(root, f"{{{_SLIM}}}datafield", tag=tag, ind1=first, ind2=second)
    for code, text in filled.items():
        etree.SubElement(field, f"{{{_SLIM}}}subfield", code=code).text = INVALID_XML.sub("", text)
