"""The images of figures and tables in a library's texts: each is cut once, and only if a claim cites it."""

from __future__ import annotations

import threading
from collections.abc import Collection
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from citeproof.plumbing.disk_files import read_plain_file
from citeproof.reading.extractors.exhibits.exhibit_images import ExhibitKey, add_exhibit_images
from citeproof.reading.extractors.records.adjacent_files import FolderFiles
from citeproof.reading.extractors.source_reader import MAX_BYTES
from citeproof.vocabulary import Document, SourceText

HELD = 200_000_000  # bytes of images of one run; what comes after has no image


class NamedFiles(FolderFiles):
    """The files of a folder that a document names by their path; none is searched for."""

    def names(self) -> tuple[str, ...]:
        return ()


class LibraryImages:
    """Images that were cut, and those that could not be; safe to use from threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._images: dict[tuple[str, ExhibitKey], tuple[bytes, str]] = {}
        self._held = 0

    def add_images(
        self, source: SourceText, wanted: Collection[ExhibitKey], path: Path, *, alone: bool
    ) -> SourceText:
        """Return a text with the images that are wanted, as far as the file that it was read from has them.

        `alone`: no other work's file is in the folder or below, so that an image may be searched for there.
        """
        chosen = {(one.kind, one.number) for one in source.exhibits}.intersection(wanted)
        with self._lock:
            fresh = {key for key in chosen if (source.sha256, key) not in self._images}
            if fresh:
                self._cut_images(source, fresh, path, alone=alone)
            known = {key: self._images[source.sha256, key] for key in chosen}
        return replace(
            source,
            exhibits=tuple(
                replace(one, image=known[key][0], media_type=known[key][1])
                if (key := (one.kind, one.number)) in known
                else one
                for one in source.exhibits
            ),
        )

    def _cut_images(
        self, source: SourceText, fresh: Collection[ExhibitKey], path: Path, *, alone: bool
    ) -> None:
        """Keep the images that are new here; of two figures with one number the first counts."""
        self._images.update({(source.sha256, key): (b"", "") for key in fresh})
        if self._held >= HELD:
            return
        try:
            data = read_plain_file(path, MAX_BYTES)
        except OSError:
            return
        if sha256(data).hexdigest() != source.sha256:  # it was changed since
            return
        beside = FolderFiles(path.parent) if alone else NamedFiles(path.parent)
        found = add_exhibit_images(source, Document(path.name, data, beside), fresh)
        for one in reversed(found.exhibits):
            key = one.kind, one.number
            if key in fresh:
                self._images[source.sha256, key] = one.image, one.media_type
        self._held += sum(len(self._images[source.sha256, key][0]) for key in fresh)
