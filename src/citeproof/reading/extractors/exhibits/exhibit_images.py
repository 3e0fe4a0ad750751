"""The images of figures and tables: cut from the PDF, or taken from the files next to the work."""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator
from dataclasses import replace
from posixpath import basename, splitext
from urllib.parse import unquote

from citeproof.reading.extractors.exhibits.image_cutting import cut_images
from citeproof.vocabulary import Document
from citeproof.vocabulary.source_texts import Exhibit, ExhibitKind, SourceText

MAX_BYTES = 5_000_000  # of an image next to the work
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
