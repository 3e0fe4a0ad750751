"""The XML parts of an office document: the one it cannot be read without, and those it can."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from citeproof.errors import InputError
from citeproof.reading.extractors.office.zip_members import ZipMembers
from citeproof.reading.extractors.xml.xml_tree import parse_xml
from citeproof.vocabulary import Document, Place, Problem

if TYPE_CHECKING:
    from lxml import etree

_PIECE = re.compile(r"(ZOTERO_BREF_\w{1,60})_(\d{1,4})")


class OfficeParts:
    """The parts of one document, and what was wrong with those that were left out."""

    def __init__(self, document: Document) -> None:
        self._file = document.name
        self._zipped = ZipMembers(document)
        self.names = self._zipped.names()
        self.problems: list[Problem] = []

    def main(self, name: str) -> etree._Element:
        """Return the part that holds the text; InputError if it is missing or broken."""
        root = self._read(name)
        if root is None:
            raise InputError(
                f"a zip archive without {name}", place=self._file, hint="save the document again"
            )
        return root

    def side(self, name: str) -> etree._Element | None:
        """Return a part the text can be read without, None if missing; a broken one is a problem."""
        try:
            return self._read(name)
        except InputError as error:
            message = f"{name} inside it is skipped: {error.message}"
            self.problems.append(Problem(Place(self._file, line=1), message, error.hint))
            return None

    def _read(self, name: str) -> etree._Element | None:
        data = self._zipped.read(name)
        return None if data is None else parse_xml(Document(f"{self._file}: {name}", data))


def join_zotero_pieces(properties: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the codes that Zotero keeps in a document's properties, each in numbered pieces, by bookmark."""
    pieces: dict[str, dict[int, str]] = {}
    for name, text in properties:
        if match := _PIECE.fullmatch(name):
            pieces.setdefault(match[1], {})[int(match[2])] = text
    return {name: "".join(text for _, text in sorted(parts.items())) for name, parts in pieces.items()}
