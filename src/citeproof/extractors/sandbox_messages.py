"""What a child is asked to read, and its refusal: the words between `sandbox` and the readers in it."""

from __future__ import annotations

import msgspec

from citeproof.errors import InputError
from citeproof.vocabulary import Document

_SAID = 2_000  # characters of one part of an error that come back


class ReadRequest(msgspec.Struct, frozen=True):
    """A document to read."""

    name: str
    data: bytes
    encoding: str = ""


class ReadRefusal(msgspec.Struct, frozen=True, tag="refused"):
    """Why nothing was read."""

    message: str
    place: str
    hint: str


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
    told = (replace_surrogates(part[:_SAID]) for part in (error.message, error.place, error.hint))
    return ReadRefusal(*told)


def replace_surrogates(text: str) -> str:
    """Return the text without halves of surrogate pairs, which no UTF-8 can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")
