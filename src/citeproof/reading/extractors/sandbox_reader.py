"""A hostile document read in a child with limits; only typed values come back."""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from pkgutil import walk_packages
from typing import TypeVar, cast

import msgspec

import citeproof.reading.extractors
from citeproof.errors import InputError
from citeproof.plumbing import sandbox
from citeproof.plumbing.sandbox import Limits, StoppedError
from citeproof.reading.extractors import base
from citeproof.reading.extractors.decoded_text import decode
from citeproof.vocabulary import Document, Extraction, Place, RawReference
from citeproof.vocabulary.quick_dataclass import fields, is_dataclass, replace

_LIBRARIES = ("charset_normalizer", "lxml.etree", "numpy", "pypdfium2", "selectolax.lexbor")
_ENTRY = "citeproof.reading.extractors.sandbox_reader:read_in_child"
_Value = TypeVar("_Value")

_SAID = 2_000  # characters of one part of an error that come back


class ReadRefusal(msgspec.Struct, frozen=True, tag="refused"):
    """Why nothing was read."""

    message: str
    place: str
    hint: str


class _ReadResult(msgspec.Struct, frozen=True, tag="read"):
    extraction: Extraction


_answered = msgspec.msgpack.Decoder(_ReadResult | ReadRefusal)


def extract(document: Document, limits: Limits | None = None) -> Extraction:
    """Return the references of `document`, read in a child; InputError says what stopped the reading.

    The files next to the document stay here: a hostile one has no use for them.
    """
    limits = limits or Limits()
    try:
        answer: _ReadResult | ReadRefusal = _answered.decode(
            sandbox.run(_ENTRY, encode_request(document), limits, base.report_progress)
        )
    except StoppedError as stopped:
        raise make_stop_error(stopped, document) from stopped
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise make_stop_error(StoppedError("crash", "", limits), document) from error
    if isinstance(answer, ReadRefusal):
        raise InputError(answer.message, place=answer.place, hint=answer.hint)
    return answer.extraction


def read_in_child(asked: bytes) -> bytes:
    """Return what the child found in the document that it was asked about; runs in the child."""
    try:
        with base.forward_progress(sandbox.tell_progress):
            answer: _ReadResult | ReadRefusal = _ReadResult(base.extract_here(decode_request(asked)))
    except InputError as error:
        answer = make_refusal(error)
    try:
        return msgspec.msgpack.encode(answer)
    except UnicodeEncodeError:  # half of a surrogate pair, as JSON inside a document may hold
        assert isinstance(answer, _ReadResult)
        return msgspec.msgpack.encode(_ReadResult(_clean_texts(answer.extraction)))


def warm_up() -> None:
    """Load everything that reading may need; called once by the helper that forks the children."""
    base.load_extractors()
    inner = (
        module.name
        for module in walk_packages(citeproof.reading.extractors.__path__, "citeproof.reading.extractors.")
    )
    for name in (*_LIBRARIES, *inner):
        with suppress(ImportError):
            import_module(name)
    decode(Document("", b"\xe9t\xe9"))  # what guesses encodings reads its own files
    from citeproof.reading.parse import parse  # noqa: PLC0415 - the parent has no need of it here

    parse(RawReference("", "LeCun, Y. (2015). Deep learning. Nature, 521, 436-444.", Place()))


def _clean_texts(value: _Value) -> _Value:
    """Return the same value, with every text in it fit to be written as UTF-8."""
    if isinstance(value, str):
        return value if type(value) is not str else cast("_Value", replace_surrogates(value))
    if isinstance(value, tuple):
        return cast("_Value", tuple(_clean_texts(part) for part in value))
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{f.name: _clean_texts(getattr(value, f.name)) for f in fields(value)})
    return value


def make_stop_error(stopped: StoppedError, document: Document, what: str = "references") -> InputError:
    """Return the error that says what stopped the reading of a document for its references or text."""
    limits, why = stopped.limits, f" ({stopped.detail})" if stopped.detail else ""
    match stopped.kind:
        case "memory":
            message = f"needs more than {limits.memory / (1 << 20):,.0f} MB of memory to read"
            hint = "split it, or raise the setting extract_memory_bytes if you trust it"
        case "cpu" | "wall":
            message = f"took longer than {limits.seconds:g} s to read"
            hint = "split it, or raise the setting extract_seconds if you trust it"
        case "too_large":
            message = f"gives more than {limits.answer / (1 << 20):,.0f} MB of {what}"
            hint = "split it into smaller files"
        case _:
            message = f"the reader crashed on it{why}"
            hint = (
                "open it in the program that made it and save it again; "
                "report a bug if it is an ordinary file"
            )
    return InputError(message, place=document.name, hint=hint)


class ReadRequest(msgspec.Struct, frozen=True):
    """A document to read."""

    name: str
    data: bytes
    encoding: str = ""


_asked = msgspec.msgpack.Decoder(ReadRequest)


def encode_request(document: Document) -> bytes:
    """Return what a child is asked; the files next to the document stay here."""
    return msgspec.msgpack.encode(
        ReadRequest(replace_surrogates(document.name), document.data, document.encoding)
    )


def decode_request(asked: bytes) -> Document:
    """Return the document that the child was asked about."""
    wanted = _asked.decode(asked)
    return Document(wanted.name, wanted.data, encoding=wanted.encoding)


def make_refusal(error: InputError) -> ReadRefusal:
    """Return an error as it is sent back, cut and fit to be written as UTF-8."""
    parts = (replace_surrogates(part[:_SAID]) for part in (error.message, error.place, error.hint))
    return ReadRefusal(*parts)


def replace_surrogates(text: str) -> str:
    """Return the text without halves of surrogate pairs, which no UTF-8 can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")
