"""DataCite DOIs: the data file, one `{"id", "type", "attributes": {…}}` a line, or a `.tar` of such files.

Plain, `.gz` and `.zst` are read alike. A record's id is its DOI.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar, TypedDict

import msgspec

from citeproof.index.bookmark import Bookmark
from citeproof.index.readers._json import read, typed
from citeproof.index.readers.base import BadRecord
from citeproof.shapes.datacite import record
from citeproof.vocabulary import Record


class _Creator(TypedDict, total=False):
    name: str | None
    nameType: str | None
    givenName: str | None
    familyName: str | None


class _Attributes(TypedDict, total=False):
    """What the shape reads; descriptions, subjects and the original XML are passed over."""

    doi: Any
    titles: Any
    creators: list[_Creator]
    publisher: Any
    publicationYear: Any
    dates: Any
    types: Any
    container: Any
    identifiers: Any
    alternateIdentifiers: Any
    relatedIdentifiers: Any


class _Doi(TypedDict, total=False):
    id: Any
    attributes: _Attributes


_decode = typed(msgspec.json.Decoder(_Doi), record)


class DataCite:
    name: ClassVar[str] = "datacite"
    covers_note: ClassVar[str] = (
        "DOIs registered with DataCite up to the file's date: data sets, software, theses, arXiv papers; "
        "not journals and books of publishers"
    )

    def read(self, paths: Sequence[Path], at: Bookmark | None = None) -> Iterator[Record | BadRecord]:
        """Yield one record a DOI, in the order of the files."""
        return read(paths, _decode, at)


READER = DataCite()
