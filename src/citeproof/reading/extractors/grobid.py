"""A PDF to TEI by a GROBID server of the user's own (0.7 or later), asked through `net`.

The server is asked for the raw strings, for sentences and for the boxes of references, and for no
consolidation: what it looked up elsewhere would be no word of the document. Nothing but the PDF and these
wishes is sent. A server whose engines are all in use answers 503: that is its way to say "wait", no failure,
so that `net` neither counts it against the server nor gives up after a second.
"""

from __future__ import annotations

import asyncio
import random
from hashlib import sha256
from typing import TYPE_CHECKING

from citeproof.errors import InputError
from citeproof.vocabulary import Cause, Document

if TYPE_CHECKING:
    from citeproof.plumbing.net.client import Client
    from citeproof.plumbing.net.message import Answer, Failure, Request

SOURCE = "grobid"  # whose limits apply, and the name under which its URL is set
URL = "http://localhost:8070"  # where GROBID listens by itself
PATIENCE = 120.0  # seconds for one PDF; a book takes a minute
PAUSE = 5.0  # seconds before a busy server is asked again, about; GROBID's own advice is five to ten
TRIES = 20
MAX_PDF = 100_000_000  # bytes that are sent
MAX_TEI = 50_000_000

_BUSY = 503
_WISHES = (
    ("consolidateHeader", "0"),
    ("consolidateCitations", "0"),
    ("includeRawCitations", "1"),
    ("segmentSentences", "1"),
    ("teiCoordinates", "biblStruct"),
)
_HINTS = {
    Cause.TIMEOUT: "check that the server is running (CITEPROOF_GROBID_URL, /api/isalive)",
    Cause.RATE_LIMITED: "the server is busy: try again later, or give it more threads",
    Cause.NEEDS_KEY: "a server in front of GROBID requires a key; use the address of GROBID itself",
    Cause.BOT_WALL: "check that CITEPROOF_GROBID_URL is the address of GROBID, not of a web page",
}
_OTHER = "check that CITEPROOF_GROBID_URL is the address of a GROBID server"


async def convert_pdf(document: Document, client: Client, url: str = URL) -> Document:
    """Return the TEI that the GROBID server at `url` makes of a PDF; InputError if it makes none."""
    from citeproof.plumbing.net.message import Failure  # noqa: PLC0415 - every module here is imported for detection

    if not is_pdf(document):
        raise InputError("GROBID reads only PDFs", place=document.name, hint="drop --pdf-engine grobid")
    if len(document.data) > MAX_PDF:
        raise InputError("the PDF is too large to send", place=document.name, hint="split it")
    request = _build_request(document, url)
    for _ in range(TRIES):
        answer = await client.fetch(request)
        if isinstance(answer, Failure):
            raise _make_failure_error(document, answer)
        if answer.status != _BUSY:
            return Document(document.name, _read_tei_answer(document, answer), document.beside)
        await asyncio.sleep(PAUSE * random.uniform(0.6, 1.4))  # noqa: S311 - jitter
    hint = "try again later, or give the server more threads"
    raise InputError(f"GROBID was busy {TRIES} times", place=document.name, hint=hint)


def is_pdf(document: Document) -> bool:
    """Return whether the document is a PDF, which is all that GROBID reads."""
    return b"%PDF-" in document.data[:1024]


def _build_request(document: Document, url: str) -> Request:
    from citeproof.plumbing.net.message import XML, Request, build_url  # noqa: PLC0415 - same

    content_type, body = _build_form(document.data)
    return Request(
        SOURCE,
        build_url(url, "api/processFulltextDocument"),
        accept=XML,
        method="POST",
        body=body,
        content_type=content_type,
        absent=frozenset((400, 500, _BUSY)),  # answers in its own words, to be read here
        max_body=MAX_TEI,
        timeout=PATIENCE,
    )


def _build_form(pdf: bytes) -> tuple[str, bytes]:
    """Return content type and body of the form: the wishes, then the PDF under a neutral name."""
    mark = f"citeproof-{sha256(pdf).hexdigest()[:32]}"
    fields = "".join(
        f'--{mark}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in _WISHES
    )
    head = (
        f'{fields}--{mark}\r\nContent-Disposition: form-data; name="input"; filename="document.pdf"\r\n'
        "Content-Type: application/pdf\r\n\r\n"
    )
    body = head.encode() + pdf + f"\r\n--{mark}--\r\n".encode()
    return f"multipart/form-data; boundary={mark}", body


def _read_tei_answer(document: Document, answer: Answer) -> bytes:
    if answer.absent:
        words = " ".join(answer.body[:300].decode("utf-8", "replace").split()) or "no message"
        detail = f"GROBID could not read it (answered {answer.status}): {words}"
        raise InputError(detail, place=document.name, hint="read it with citeproof's own PDF engine")
    if not answer.body.strip():
        detail = f"GROBID found no content in it (answered {answer.status})"
        raise InputError(detail, place=document.name, hint="if it is a scan, read it with OCR first")
    if b"<TEI" not in answer.body[:5000]:
        raise InputError("the answer of GROBID is not TEI", place=document.name, hint=_OTHER)
    return answer.body


def _make_failure_error(document: Document, failure: Failure) -> InputError:
    hint = _HINTS.get(failure.cause, _OTHER)
    return InputError(f"GROBID did not convert it: {failure.detail}", place=document.name, hint=hint)
