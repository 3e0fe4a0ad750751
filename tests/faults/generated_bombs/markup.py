"""HTML and XML that expands, nests or repeats."""

from __future__ import annotations

from tests.faults.generated_bombs.sizes import COUNTS, DEPTHS, DOUBLINGS, LENGTHS, RECORDS, one_file


def _page(body: str) -> str:
    return f"<!DOCTYPE html><html><body><h2>References</h2>\n{body}</body></html>"


def _doubled_entities(size: int) -> str:
    lines = [f'<!ENTITY a{n} "&a{n - 1};&a{n - 1};">' for n in range(1, size)]
    head = f'<?xml version="1.0"?><!DOCTYPE article [<!ENTITY a0 "words">{"".join(lines)}]>'
    item = f"<ref id='a'><mixed-citation>&a{size - 1};</mixed-citation></ref>"
    return f"{head}<article><back><ref-list>{item}</ref-list></back></article>"


def _jats(body: str) -> str:
    return f'<?xml version="1.0"?><article><back><ref-list>{body}</ref-list></back></article>'


def _tei(body: str) -> str:
    return (
        '<?xml version="1.0"?><TEI xmlns="http://www.tei-c.org/ns/1.0"><text><back>'
        f"<listBibl>{body}</listBibl></back></text></TEI>"
    )


def _endnote(body: str) -> str:
    return f'<?xml version="1.0"?><xml><records>{body}</records></xml>'


_REF = "<ref id='a'><mixed-citation>Doe J. A title of words. Nature. 2001.</mixed-citation></ref>"
_BIBL = "<biblStruct><analytic><title>A title of words</title></analytic></biblStruct>"
_RECORD = "<record><titles><title>A title of words</title></titles></record>"

BOMBS = {
    "html nesting": one_file(
        "bomb.html", lambda n: _page("<div>" * n + "Doe J. A title. 2001." + "</div>" * n), DEPTHS
    ),
    "html open tags": one_file("bomb.html", lambda n: _page("<b><i><a href='#a'>" * n), DEPTHS),
    "html lists": one_file("bomb.html", lambda n: _page("<ul><li>Doe J. A title. 2001." * n), COUNTS),
    "html tables": one_file("bomb.html", lambda n: _page("<table><tr><td>Doe J. A title." * n), COUNTS),
    "html links": one_file("bomb.html", lambda n: _page("<p>" + "<a href='#r1'>[1]</a> words. " * n), COUNTS),
    "html long line": one_file("bomb.html", lambda n: _page("<p>" + "words " * (n // 6)), LENGTHS),
    "jats entities": one_file("bomb.xml", _doubled_entities, DOUBLINGS),
    "jats nesting": one_file("bomb.xml", lambda n: _jats("<sec>" * n + _REF + "</sec>" * n), DEPTHS),
    "jats references": one_file("bomb.xml", lambda n: _jats(_REF * n), RECORDS),
    "jats names": one_file(
        "bomb.xml",
        lambda n: _jats(
            "<ref id='a'><element-citation>"
            + "<name><surname>Doe</surname></name>" * n
            + "<article-title>A title</article-title></element-citation></ref>"
        ),
        COUNTS,
    ),
    "tei nesting": one_file("bomb.xml", lambda n: _tei("<div>" * n + _BIBL + "</div>" * n), DEPTHS),
    "tei references": one_file("bomb.xml", lambda n: _tei(_BIBL * n), RECORDS),
    "endnote xml records": one_file("bomb.xml", lambda n: _endnote(_RECORD * n), RECORDS),
    "endnote xml nesting": one_file("bomb.xml", lambda n: _endnote("<record>" * n + "</record>" * n), DEPTHS),
}
