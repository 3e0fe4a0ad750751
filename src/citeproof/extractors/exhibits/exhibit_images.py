"""The images of figures and tables: cut from the PDF, or taken from the files beside the work."""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator
from dataclasses import replace
from posixpath import basename, splitext
from urllib.parse import unquote

from citeproof.extractors.exhibits.image_cutting import cut_images
from citeproof.vocabulary import Document
from citeproof.vocabulary.source_texts import Exhibit, ExhibitKind, SourceText

MAX_BYTES = 5_000_000  # of an image beside the work
_MAX_SIDE = 20_000  # pixels; what claims more is a bomb
_ENDINGS = ("", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf")
_SIGNS = ((b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"GIF8", "image/gif"))
_PNG = "image/png"

ExhibitKey = tuple[ExhibitKind, str]  # kind and number


def add_exhibit_images(
    source: SourceText, document: Document, wanted: Collection[ExhibitKey] | None = None
) -> SourceText:
    """Return a text with the images of those figures and tables that are wanted; None: of all.

    `document` is the file that the text was read from. An image that cannot be had stays empty.
    """
    chosen = [
        one
        for one in source.exhibits
        if not one.image and (wanted is None or (one.kind, one.number) in wanted)
    ]
    cut = [one for one in chosen if one.box is not None and one.page is not None]
    images = cut_images(document.data, [(one.page or 1, one.box) for one in cut]) if cut else []
    found = {id(one): (image, _PNG) for one, image in zip(cut, images, strict=True) if image}
    for one in chosen:
        if one.graphic and id(one) not in found and (beside := _read_graphic(one, document)):
            found[id(one)] = beside
    if not found:
        return source
    shown = tuple(
        replace(one, image=found[id(one)][0], media_type=found[id(one)][1]) if id(one) in found else one
        for one in source.exhibits
    )
    return replace(source, exhibits=shown)


def _read_graphic(one: Exhibit, document: Document) -> tuple[bytes, str] | None:
    """Return the image beside the document and what it is; None: there is none that can be shown."""
    if document.beside is None:
        return None
    for path in _list_paths(one.graphic, document):
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
    found = next((name for sign, name in _SIGNS if data.startswith(sign)), "")
    if found == _PNG and len(data) >= 24 and max(struct.unpack(">II", data[16:24])) > _MAX_SIDE:
        return ""
    return found
