"""Parts of PDF pages as PNG images; `cut_in_child` runs in a child with limits."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from citeproof.plumbing import sandbox
from citeproof.plumbing.sandbox import Limits, StoppedError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pypdfium2 import PdfDocument

MAX_IMAGES = 100  # of one call
MAX_BYTES = 1_500_000  # of one image
_MAX_SIDE = 1400  # pixels
_SHARPEST = 2.0  # pixels for a point: 144 dpi
_MARGIN = 4.0  # points around the part
_ENTRY = "citeproof.reading.extractors.exhibits.image_cutting:cut_in_child"
_LIMITS = Limits(memory=1 << 30, seconds=60.0, answer=1 << 27)

Part = tuple[int, tuple[float, float, float, float] | None]  # page from 1; box, or None for the whole page


class _CutRequest(msgspec.Struct, frozen=True):
    data: bytes
    parts: list[Part]


_asked = msgspec.msgpack.Decoder(_CutRequest)
_answered = msgspec.msgpack.Decoder(list[bytes])


def cut_images(data: bytes, parts: Sequence[Part]) -> list[bytes]:
    """Return a PNG for each part of a PDF's pages, empty where it cannot be drawn; read in a child."""
    wanted = list(parts[:MAX_IMAGES])
    images = _cut_some(data, wanted) if wanted else []
    if images is None:  # one of them is too much: the others one by one
        images = [(_cut_some(data, [part]) or [b""])[0] for part in wanted] if len(wanted) > 1 else [b""]
    return images + [b""] * (len(parts) - len(images))


def _cut_some(data: bytes, parts: list[Part]) -> list[bytes] | None:
    try:
        images = _answered.decode(
            sandbox.run(_ENTRY, msgspec.msgpack.encode(_CutRequest(data, parts)), _LIMITS)
        )
    except (StoppedError, msgspec.MsgspecError):
        return None
    return images if len(images) == len(parts) else None


def cut_in_child(asked: bytes) -> bytes:
    """Return the packed images of a packed request; runs in the child."""
    from pypdfium2 import PdfDocument, PdfiumError  # noqa: PLC0415 - loaded where a PDF is drawn

    wanted = _asked.decode(asked)
    try:
        pdf = PdfDocument(wanted.data)
    except PdfiumError:
        return msgspec.msgpack.encode([b""] * len(wanted.parts))
    try:
        return msgspec.msgpack.encode([draw_part(pdf, part) for part in wanted.parts])
    finally:
        pdf.close()


def draw_part(pdf: PdfDocument, part: Part) -> bytes:
    """Return a part of a page as PNG, smaller where it would have too many bytes; empty: not possible."""
    from pypdfium2 import PdfiumError  # noqa: PLC0415 - see above

    number, box = part
    try:
        page = pdf[number - 1]
    except (PdfiumError, IndexError):
        return b""
    try:
        width, height = page.get_size()
        left, top, right, bottom = _frame_part(box, width, height)
        if right - left < 1 or bottom - top < 1:
            return b""
        crop = (left, height - bottom, width - right, top)
        scale = min(_SHARPEST, _MAX_SIDE / max(right - left, bottom - top))
        for _ in range(4):
            bitmap = page.render(scale=scale, crop=crop, rev_byteorder=True, fill_color=(255, 255, 255, 255))
            image = encode_png(bitmap.to_numpy())
            bitmap.close()
            if len(image) <= MAX_BYTES:
                break
            scale /= 1.6
        return image if len(image) <= MAX_BYTES else b""
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
        for kind, rows in (
            (0, plain),
            (1, plain - left),
        )  # as they are; as differences, better for photographs
    ]
    header = struct.pack(">IIBBBBB", width, height, 8, 2 if colours == 3 else 0, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", min(packed, key=len)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks
    )
