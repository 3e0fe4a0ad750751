"""One page of a PDF as a picture with its size in points; read in a child with limits."""

from __future__ import annotations

import msgspec

from citeproof.plumbing import sandbox
from citeproof.plumbing.sandbox import Limits, StoppedError
from citeproof.reading.extractors.exhibits.image_cutting import draw_part

_ENTRY = "citeproof.reading.extractors.exhibits.page_pictures:draw_in_child"
_LIMITS = Limits(memory=1 << 30, seconds=20.0, answer=1 << 24)  # a reader waits


class PagePicture(msgspec.Struct, frozen=True):
    """A page, drawn. `png` is empty if it cannot be."""

    pages: int  # of the whole document; 0 if it cannot be read
    width: float = 0.0
    height: float = 0.0
    png: bytes = b""


class _PictureRequest(msgspec.Struct, frozen=True):
    data: bytes
    number: int


_wanted = msgspec.msgpack.Decoder(_PictureRequest)
_drawn = msgspec.msgpack.Decoder(PagePicture)
_NOTHING = PagePicture(0)


def draw_page(data: bytes, number: int) -> PagePicture:
    """Return page `number`, from 1, of a PDF; a picture without pages if the PDF cannot be read."""
    asked = msgspec.msgpack.encode(_PictureRequest(data, number))
    try:
        return _drawn.decode(sandbox.run(_ENTRY, asked, _LIMITS))
    except (StoppedError, msgspec.MsgspecError):
        return _NOTHING


def draw_in_child(asked: bytes) -> bytes:
    """Return the packed picture of a packed request; runs in the child."""
    from pypdfium2 import PdfDocument, PdfiumError  # noqa: PLC0415 - loaded where a PDF is drawn

    wanted = _wanted.decode(asked)
    try:
        pdf = PdfDocument(wanted.data)
    except PdfiumError:
        return msgspec.msgpack.encode(_NOTHING)
    try:
        pages = len(pdf)
        if not 1 <= wanted.number <= pages:
            return msgspec.msgpack.encode(PagePicture(pages))
        width, height = pdf[wanted.number - 1].get_size()
        return msgspec.msgpack.encode(
            PagePicture(pages, width, height, draw_part(pdf, (wanted.number, None)))
        )
    finally:
        pdf.close()
