"""The text of a work from the file that holds it: its body, read in a child with limits."""

from __future__ import annotations

from hashlib import sha256

import msgspec

from citeproof.errors import InputError
from citeproof.plumbing import sandbox
from citeproof.plumbing.sandbox import Limits, StoppedError
from citeproof.reading.extractors import sandbox_reader
from citeproof.reading.extractors.base import detect_extractor
from citeproof.reading.extractors.body.body_reader import NOTHING_SAID, BodyAnswer, WorkDescription, read_body
from citeproof.reading.extractors.body.body_writer import BodyText
from citeproof.reading.extractors.sandbox_reader import ReadRefusal, encode_request
from citeproof.vocabulary import Document, SourceText, TextExtent

MAX_BYTES = 100_000_000  # of one file
LIMITS = Limits(memory=1 << 30, seconds=60.0, answer=1 << 26)
_ENTRY = "citeproof.reading.extractors.body.body_reader:read_body_in_child"
_DESCRIBE = "citeproof.reading.extractors.body.body_reader:describe_in_child"
_described = msgspec.msgpack.Decoder(WorkDescription)
_answered = msgspec.msgpack.Decoder(BodyAnswer | ReadRefusal)


def read_source_text(document: Document, origin: str = "", limits: Limits = LIMITS) -> SourceText:
    """Return the text of a work: its body without its own reference list; `no_text` if it has none.

    InputError says why a file cannot be read. A document with files next to it, as LaTeX has, is read here
    if its format is plain text.
    """
    if len(document.data) > MAX_BYTES:
        size = f"larger than {MAX_BYTES // 1_000_000} MB"
        raise InputError(size, place=document.name, hint="pass the text of one work a file")
    here = document.beside is not None and not detect_extractor(document).hostile
    body = read_body(document) if here else _read_in_sandbox(document, limits)
    return make_source_text(body, origin or document.name, document.data)


def describe_source(document: Document, limits: Limits = LIMITS) -> WorkDescription:
    """Return what a file says of the work in it: identifiers, titles, people, opening words."""
    if len(document.data) > MAX_BYTES:
        return NOTHING_SAID
    try:
        return _described.decode(sandbox.run(_DESCRIBE, encode_request(document), limits))
    except (StoppedError, msgspec.MsgspecError, UnicodeDecodeError):
        return NOTHING_SAID


def make_source_text(body: BodyText, origin: str, data: bytes) -> SourceText:
    """Return a body that was read from `data` as the text of a work."""
    extent = TextExtent.ABSTRACT_ONLY if body.abstract_only else TextExtent.FULL_TEXT
    return SourceText(
        extent if body.text.strip() else TextExtent.NO_TEXT,
        origin,
        body.text,
        body.page_starts,
        body.sections,
        body.exhibits,
        sha256(data).hexdigest(),
    )


def _read_in_sandbox(document: Document, limits: Limits) -> BodyText:
    try:
        answer: BodyAnswer | ReadRefusal = _answered.decode(
            sandbox.run(_ENTRY, encode_request(document), limits)
        )
    except StoppedError as stopped:
        raise sandbox_reader.make_stop_error(stopped, document, "text") from stopped
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        crashed = StoppedError("crash", "", limits)
        raise sandbox_reader.make_stop_error(crashed, document, "text") from error
    if isinstance(answer, ReadRefusal):
        raise InputError(answer.message, place=document.name, hint=answer.hint)
    return answer.body
