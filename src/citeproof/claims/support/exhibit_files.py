"""What a report shows of cited figures and tables: words for the trace, and image files in a folder."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from citeproof.claims.support.cited_exhibits import find_cited_exhibits
from citeproof.disk_files import open_replacement
from citeproof.extractors.exhibits.exhibit_images import add_exhibit_images
from citeproof.vocabulary import Document
from citeproof.vocabulary.claim_support import ExhibitEvidence
from citeproof.vocabulary.source_texts import SourceText

_ENDINGS = {"image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp"}
_UNSAFE = re.compile(r"[^A-Za-z0-9.-]{1,200}")
_SHOWN = 200  # characters of a caption in the trace
_NAMED = 80  # characters of a work in the name of a file


def add_cited_images(
    source: SourceText,
    document: Document,
    claim: str,
    *,
    cited_at: int | None = None,
    own_document: bool = True,
) -> SourceText:
    """Return a text with the images of the figures and tables that a claim names, cut from its file."""
    named = find_cited_exhibits(claim, cited_at=cited_at, own_document=own_document)
    if not named:
        return source
    return add_exhibit_images(source, document, {(one.kind, one.number) for one in named})


def describe_exhibits(evidence: tuple[ExhibitEvidence, ...]) -> Iterator[str]:
    """Yield a line of the trace for each figure or table, and one for each sentence that discusses it."""
    for one in evidence:
        name = f"{one.kind.value} {one.number}"
        if one.caption is None:
            lasting = f"ALARM: the work has no {name}; its last one is {one.last}"
            yield lasting if one.last else f"{name}: not seen in the text that was read"
        else:
            page = f", page {one.caption.page}" if one.caption.page else ""
            yield f"{name}{page} ({one.image_state.value}): {_shorten_text(one.caption.text)}"
        for sentence in one.sentences:
            page = f", page {sentence.page}" if sentence.page else ""
            yield f"{name} is discussed at {sentence.start}{page}: {_shorten_text(sentence.text)}"


def name_image_file(work: str, one: ExhibitEvidence) -> str:
    """Return the name of an image's file: the work, and the figure; empty: there is no image to write."""
    ending = _ENDINGS.get(one.media_type, "")
    if not one.image or not ending:
        return ""
    stem = _UNSAFE.sub("_", work)[:_NAMED].strip("._-") or "work"
    return f"{stem}-{one.kind.value}-{_UNSAFE.sub('_', one.number)}.{ending}"


def write_exhibit_images(folder: Path, work: str, evidence: tuple[ExhibitEvidence, ...]) -> list[str]:
    """Write the images of cited figures and tables to a folder; return the names of their files."""
    names: list[str] = []
    for one in evidence:
        if not (name := name_image_file(work, one)):
            continue
        folder.mkdir(parents=True, exist_ok=True)
        with open_replacement(folder / name) as file:
            file.write(one.image)
        names.append(name)
    return names


def _shorten_text(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
