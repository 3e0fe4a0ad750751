"""DataCite DOIs: the data file, one `{"id", "type", "attributes": {…}}` a line, or a `.tar` of such files.

Plain, `.gz` and `.zst` are read alike. A record's id is its DOI.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar, TypedDict

import msgspec

from citeproof.index.readers._json_works import add_abstract, make_decoder, read_works
from citeproof.index.readers.base import AbstractedRecord, BadRecord, Bookmark
from citeproof.upstream_records.abstracts import read_datacite_abstract
from citeproof.upstream_records.datacite import make_record
from citeproof.vocabulary import Record


class _DataCiteCreator(TypedDict, total=False):
    name: str | None
    nameType: str | None
    givenName: str | None
    familyName: str | None


class _DataCiteAttributes(TypedDict, total=False):
    """What the shape reads; descriptions, subjects and the original XML are skipped."""

    doi: Any
    titles: Any
    creators: list[_DataCiteCreator]
    publisher: Any
    publicationYear: Any
    dates: Any
    types: Any
    container: Any
    identifiers: Any
    alternateIdentifiers: Any
    relatedIdentifiers: Any


class _AbstractedAttributes(_DataCiteAttributes, total=False):
    descriptions: Any


class _DataCiteDoi(TypedDict, total=False):
    id: Any
    attributes: _DataCiteAttributes


class _AbstractedDoi(TypedDict, total=False):
    id: Any
    attributes: _AbstractedAttributes


_decode = make_decoder(msgspec.json.Decoder(_DataCiteDoi), make_record)
_decode_abstracted = make_decoder(
    msgspec.json.Decoder(_AbstractedDoi), add_abstract(make_record, read_datacite_abstract)
)


class DataCiteReader:
    name: ClassVar[str] = "datacite"
    covers_note: ClassVar[str] = (
        "DOIs registered with DataCite up to the file's date: data sets, software, theses, arXiv papers; "
        "not journals and books of publishers"
    )

    def read(self, paths: Sequence[Path], at: Bookmark | None = None) -> Iterator[Record | BadRecord]:
        """Yield one record a DOI, in the order of the files."""
        return read_works(paths, _decode, at)

    def read_abstracts(
        self, paths: Sequence[Path], at: Bookmark | None = None
    ) -> Iterator[AbstractedRecord | BadRecord]:
        """Yield what `read` yields, with the abstracts."""
        return read_works(paths, _decode_abstracted, at)


READER = DataCiteReader()
