"""The images of figures and tables: cut from the PDF, or taken from the files next to the work.

Pages of PDFs are drawn in a child with limits.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from posixpath import basename, splitext
from typing import TYPE_CHECKING
from urllib.parse import unquote

import msgspec

from citeproof.plumbing import sandbox
from citeproof.plumbing.sandbox import Limits, StoppedError
from citeproof.vocabulary import Document
from citeproof.vocabulary.source_texts import Exhibit, ExhibitKind, SourceText

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pypdfium2 import PdfDocument

MAX_BYTES = 5_000_000  # of an image next to the work
_MAX_SIDE = 20_000  # pixels; what claims more is a bomb
_ENDINGS = ("", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf")
_SIGNS = ((b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"GIF8", "image/gif"))
_PNG = "image/png"
ExhibitKey = tuple[ExhibitKind, str]  # kind and number
MAX_IMAGES = 100  # of one call
MAX_CUT_BYTES = 1_500_000  # of one image
_LONGEST_SIDE = 1400  # pixels
_SHARPEST = 2.0  # pixels for a point: 144 dpi
_MARGIN = 4.0  # points around the part
_ENTRY = "citeproof.reading.extractors.exhibits.exhibit_images:cut_in_child"
_LIMITS = Limits(memory=1 << 30, seconds=60.0, answer=1 << 27)
Part = tuple[int, tuple[float, float, float, float] | None]  # page from 1; box, or None for the whole page
_PICTURE_LIMITS = Limits(memory=1 << 30, seconds=20.0, answer=1 << 24)  # a reader waits


def add_exhibit_images(
    source: SourceText, document: Document, wanted: Collection[ExhibitKey] | None = None
) -> SourceText:
    """Return a text with the images of those figures and tables that are wanted; None: of all.

    `document` is the file that the text was read from. An image that cannot be had stays empty.
    """
    chosen = [
        exhibit
        for exhibit in source.exhibits
        if not exhibit.image and (wanted is None or (exhibit.kind, exhibit.number) in wanted)
    ]
    cut = [exhibit for exhibit in chosen if exhibit.box is not None and exhibit.page is not None]
    images = cut_images(document.data, [(exhibit.page or 1, exhibit.box) for exhibit in cut]) if cut else []
    pictures = {id(exhibit): (image, _PNG) for exhibit, image in zip(cut, images, strict=True) if image}
    for exhibit in chosen:
        if exhibit.graphic and id(exhibit) not in pictures and (picture := _read_graphic(exhibit, document)):
            pictures[id(exhibit)] = picture
    if not pictures:
        return source
    shown = tuple(
        replace(exhibit, image=pictures[id(exhibit)][0], media_type=pictures[id(exhibit)][1])
        if id(exhibit) in pictures
        else exhibit
        for exhibit in source.exhibits
    )
    return replace(source, exhibits=shown)


def _read_graphic(exhibit: Exhibit, document: Document) -> tuple[bytes, str] | None:
    """Return the image next to the document and what it is; None: there is none that can be shown."""
    if document.beside is None:
        return None
    for path in _list_paths(exhibit.graphic, document):
        data = document.beside.read(path)
        if data is None:
            continue
        if data.startswith(b"%PDF"):
            (image,) = cut_images(data, [(1, None)])
            return (image, _PNG) if image else None
        media_type = detect_media_type(data)
        if media_type and len(data) <= MAX_BYTES:
            return data, media_type
    return None


def _list_paths(graphic: str, document: Document) -> Iterator[str]:
    """Yield where an image may be: as it is named, with an ending, or anywhere below under its name."""
    path = unquote(graphic).split("?", 1)[0].split("#", 1)[0]
    if ":" in path or not path:
        return  # an address: nothing is fetched
    path = path.removeprefix("./")
    yield from (path + ending for ending in _ENDINGS)
    wanted = basename(path)
    for name in document.beside.names() if document.beside is not None else ():
        if basename(name) == wanted or splitext(basename(name))[0] == wanted:
            yield name


def detect_media_type(data: bytes) -> str:
    """Return what kind of image a browser would show; empty: none, or one of absurd size."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    media_type = next((name for sign, name in _SIGNS if data.startswith(sign)), "")
    if media_type == _PNG and len(data) >= 24 and max(struct.unpack(">II", data[16:24])) > _MAX_SIDE:
        return ""
    return media_type


class _CutRequest(msgspec.Struct, frozen=True):
    data: bytes
    parts: list[Part]


class _DrawnParts(msgspec.Struct, frozen=True):
    """A PNG for each part, empty where it cannot be drawn; and of the document what a single page needs."""

    images: list[bytes]
    pages: int = 0
    width: float = 0.0  # of the page of the first part
    height: float = 0.0


class PagePicture(msgspec.Struct, frozen=True):
    """A page, drawn. `png` is empty if it cannot be."""

    pages: int  # of the whole document; 0 if it cannot be read
    width: float = 0.0
    height: float = 0.0
    png: bytes = b""


_asked = msgspec.msgpack.Decoder(_CutRequest)
_answered = msgspec.msgpack.Decoder(_DrawnParts)


def draw_page(data: bytes, number: int) -> PagePicture:
    """Return page `number`, from 1, of a PDF; a picture without pages if the PDF cannot be read."""
    drawn = _draw_parts(data, [(number, None)], _PICTURE_LIMITS)
    return PagePicture(drawn.pages, drawn.width, drawn.height, drawn.images[0]) if drawn else PagePicture(0)


def cut_images(data: bytes, parts: Sequence[Part]) -> list[bytes]:
    """Return a PNG for each part of a PDF's pages, empty where it cannot be drawn; read in a child."""
    wanted = list(parts[:MAX_IMAGES])
    drawn = _draw_parts(data, wanted, _LIMITS) if wanted else _DrawnParts([])
    if drawn is not None:
        images = drawn.images
    elif len(wanted) > 1:  # one of them is too much: the others one by one
        alone = (_draw_parts(data, [part], _LIMITS) for part in wanted)
        images = [part.images[0] if part else b"" for part in alone]
    else:
        images = [b""]
    return images + [b""] * (len(parts) - len(images))


def _draw_parts(data: bytes, parts: list[Part], limits: Limits) -> _DrawnParts | None:
    try:
        request = msgspec.msgpack.encode(_CutRequest(data, parts))
        drawn = _answered.decode(sandbox.run(_ENTRY, request, limits))
    except (StoppedError, msgspec.MsgspecError):
        return None
    return drawn if len(drawn.images) == len(parts) else None


def cut_in_child(asked: bytes) -> bytes:
    """Return the packed images of a packed request; runs in the child."""
    from pypdfium2 import PdfDocument, PdfiumError  # noqa: PLC0415 - loaded where a PDF is drawn

    wanted = _asked.decode(asked)
    try:
        pdf = PdfDocument(wanted.data)
    except PdfiumError:
        return msgspec.msgpack.encode(_DrawnParts([b""] * len(wanted.parts)))
    try:
        images = [draw_part(pdf, part) for part in wanted.parts]
        size = (0.0, 0.0)
        with suppress(PdfiumError):
            size = pdf.get_page_size(wanted.parts[0][0] - 1)
        return msgspec.msgpack.encode(_DrawnParts(images, len(pdf), *size))
    finally:
        pdf.close()


def draw_part(pdf: PdfDocument, part: Part) -> bytes:
    """Return a part of a page as PNG, smaller where it would have too many bytes; empty: not possible."""
    from pypdfium2 import PdfiumError  # noqa: PLC0415 - see above

    number, box = part
    if not 1 <= number <= len(pdf):
        return b""
    try:
        page = pdf[number - 1]
    except PdfiumError:
        return b""
    try:
        width, height = page.get_size()
        left, top, right, bottom = _frame_part(box, width, height)
        if right - left < 1 or bottom - top < 1:
            return b""
        crop = (left, height - bottom, width - right, top)
        scale = min(_SHARPEST, _LONGEST_SIDE / max(right - left, bottom - top))
        for _ in range(4):
            bitmap = page.render(scale=scale, crop=crop, rev_byteorder=True, fill_color=(255, 255, 255, 255))
            image = encode_png(bitmap.to_numpy())
            bitmap.close()
            if len(image) <= MAX_CUT_BYTES:
                break
            scale /= 1.6
        return image if len(image) <= MAX_CUT_BYTES else b""
    except (PdfiumError, ValueError):
        return b""
    finally:
        page.close()


def _frame_part(
    box: tuple[float, float, float, float] | None, width: float, height: float
) -> tuple[float, float, float, float]:
    if box is None:
        return 0.0, 0.0, width, height
    left, top, right, bottom = box
    return (
        max(0.0, left - _MARGIN), max(0.0, top - _MARGIN),
        min(width, right + _MARGIN), min(height, bottom + _MARGIN),
    )  # fmt: skip


def encode_png(pixels: NDArray[np.uint8]) -> bytes:
    """Return rows of RGB, RGBX or grey pixels as PNG."""
    import numpy as np  # noqa: PLC0415 - loaded where an image is made

    if pixels.ndim == 2:
        pixels = pixels[:, :, None]
    pixels = pixels[:, :, : 3 if pixels.shape[2] >= 3 else 1]
    height, width, colours = pixels.shape
    plain = pixels.reshape(height, width * colours)
    left = np.zeros_like(plain)
    left[:, colours:] = plain[:, :-colours]
    packed = [
        zlib.compress(np.insert(rows, 0, kind, axis=1).tobytes(), 6)
        for kind, rows in ((0, plain), (1, plain - left))  # as they are; as differences: for photographs
    ]
    header = struct.pack(">IIBBBBB", width, height, 8, 2 if colours == 3 else 0, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", min(packed, key=len)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks
    )
