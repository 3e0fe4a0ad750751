"""A GROBID 0.8 service: `isalive`, `version` and `processFulltextDocument`, for PDFs of plain text.

It reads the form as the real one does and answers with TEI whose references are the lines of the PDF
that begin with a number in brackets: `[3] Who. What. 2001`. Named quirks: 204 with an empty body for a PDF
in which it finds nothing, 400 without an `input`, 500 with its own words for a file that is no PDF. Full
(503) it is by a fault or a rate: its answer then says nothing.
"""

from __future__ import annotations

from email.parser import BytesParser
from email.policy import HTTP
from xml.sax.saxutils import escape

from citeproof.laboratory.testing.base import Call, Holdings, Reply, make_text_reply
from citeproof.text import lazy_patterns as re

_LISTED = re.compile(rb"\[(\d{1,3})\] ([^\r\n()\\]{10,500})")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_XML = "application/xml"
_BAD = "[BAD_INPUT_DATA] PDF to XML conversion failed with error code: 1"


def answer(call: Call, holdings: Holdings) -> Reply:  # noqa: ARG001 - as every API
    match call.parts:
        case ["api", "isalive"]:
            return make_text_reply("true")
        case ["api", "version"]:
            return Reply(200, b'{"version":"0.8.2","revision":"unknown"}')
        case ["api", "processFulltextDocument"] if call.method in ("POST", "PUT"):
            return _answer_full_text(call)
        case _:
            return make_text_reply("HTTP 404 Not Found", 404)


def answer_limited(call: Call, holdings: Holdings) -> Reply:  # noqa: ARG001 - as every API
    """Return what a service says whose engines are all in use."""
    return Reply(503, b"", "")


def _answer_full_text(call: Call) -> Reply:
    form = _parse_form(call)
    pdf = form.get("input")
    if pdf is None:
        return make_text_reply("", 400)
    if not pdf.startswith(b"%PDF"):
        return make_text_reply(_BAD, 500)
    listed = _LISTED.findall(pdf)
    if not listed:
        return Reply(204, b"", "")
    raw = form.get("includeRawCitations") == b"1"
    coords = form.get("teiCoordinates") == b"biblStruct"
    return Reply(200, _build_tei(listed, raw=raw, coords=coords).encode(), _XML)


def _parse_form(call: Call) -> dict[str, bytes]:
    """Return the parts of a multipart form by name, the last of each."""
    head = f"Content-Type: {call.headers.get('content-type', '')}\r\n\r\n".encode()
    message = BytesParser(policy=HTTP).parsebytes(head + call.body)
    payloads = {}
    for part in message.iter_parts() if message.is_multipart() else ():
        name = part.get_param("name", header="content-disposition")
        payload = part.get_payload(decode=True)
        if isinstance(name, str) and isinstance(payload, bytes):
            payloads[name] = payload
    return payloads


def _build_tei(listed: list[tuple[bytes, bytes]], *, raw: bool, coords: bool) -> str:
    structs = "".join(
        _build_bibl_struct(int(number) - 1, text.decode("utf-8", "replace"), raw=raw, coords=coords)
        for number, text in listed
    )
    marks = " ".join(
        f'<ref type="bibr" target="#b{int(number) - 1}">[{int(number)}]</ref>' for number, _ in listed
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<TEI xml:space="preserve" xmlns="http://www.tei-c.org/ns/1.0">\n'
        '<teiHeader><encodingDesc><appInfo><application version="0.8.2" ident="GROBID"/></appInfo>'
        "</encodingDesc></teiHeader>\n"
        f"<text><body><div><p><s>All of them say so {marks}.</s></p></div></body>\n"
        f'<back><div type="references"><listBibl>\n{structs}</listBibl></div></back></text></TEI>\n'
    )


def _build_bibl_struct(number: int, text: str, *, raw: bool, coords: bool) -> str:
    who, _, rest = text.partition(". ")
    title = rest.partition(". ")[0]
    given, _, family = who.rpartition(" ")
    year = _YEAR.search(rest)
    box = f' coords="1,56.7,{100 + 20 * number}.5,240.0,9.0"' if coords else ""
    note = f'<note type="raw_reference">{escape(text)}</note>' if raw else ""
    return (
        f'<biblStruct{box} xml:id="b{number}"><analytic><title level="a" type="main">{escape(title)}</title>'
        f"<author><persName><forename>{escape(given)}</forename><surname>{escape(family)}</surname></persName>"
        f"</author></analytic><monogr><imprint>"
        f'<date type="published" when="{year[0] if year else ""}"/></imprint></monogr>{note}</biblStruct>\n'
    )
