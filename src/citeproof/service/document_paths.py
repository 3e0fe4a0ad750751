"""Paths in a report: as the user would write them from the working folder, or from the repository's root."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from citeproof.extractors.records.adjacent_files import FolderFiles
from citeproof.vocabulary import Checked, Document, Extraction, Place, SetFinding


def locate_place(place: Place, document: Document) -> Place:
    """Return a place with its file as seen from the working folder.

    Extractors name the files beside a document, such as its bibliography, from the document's folder.
    """
    own = not place.file or place.file == document.name or place.file.startswith(f"{document.name}!/")
    if own or not isinstance(document.beside, FolderFiles):
        return place
    return replace(place, file=document.beside.show_path(place.file))


def locate_reference(checked: Checked, document: Document) -> Checked:
    """Return a checked reference with its place as seen from the working folder."""
    place = locate_place(checked.reference.place, document)
    if place is checked.reference.place:
        return checked
    return replace(checked, reference=replace(checked.reference, place=place))


def locate_set_finding(found: SetFinding, document: Document) -> SetFinding:
    """Return what was found about a document's references, with its place as seen from the working folder."""
    return replace(found, place=locate_place(found.place, document))


def locate_problems(extractions: Iterable[Extraction], documents: Sequence[Document]) -> list[Extraction]:
    """Return what was read, with the places of the problems as seen from the working folder."""
    return [
        replace(one, problems=tuple(replace(p, place=locate_place(p.place, document)) for p in one.problems))
        for one, document in zip(extractions, documents, strict=True)
    ]


class RepositoryPaths:
    """Makes paths of a report into paths from the root of the repository, as code scanning wants them."""

    def __init__(self, folder: Path | None = None) -> None:
        """Find the root above `folder`, the working folder; without a repository it is the folder itself."""
        self._folder = folder or Path.cwd()
        above = (self._folder, *self._folder.parents)
        self._root = next((one for one in above if os.path.lexists(one / ".git")), self._folder)

    def locate_file(self, file: str) -> str:
        """Return the path from the root; one outside of it, or no path such as `<stdin>`, stays as it is."""
        if not file or file.startswith("<") or "\0" in file:
            return file
        whole = Path(os.path.normpath(self._folder / file))
        return whole.relative_to(self._root).as_posix() if whole.is_relative_to(self._root) else file
