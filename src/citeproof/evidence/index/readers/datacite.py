"""DataCite DOIs: the data file, one `{"id", "type", "attributes": {…}}` a line, or a `.tar` of such files.

Plain, `.gz` and `.zst` are read alike. A record's id is its DOI.
"""

from __future__ import annotations

from functools import partial
from typing import Any, TypedDict

import msgspec

from citeproof.evidence.index.readers._json_works import add_abstract, make_decoder, read_works
from citeproof.evidence.index.readers.base import DumpReader
from citeproof.evidence.upstream_records.abstracts import read_datacite_abstract
from citeproof.evidence.upstream_records.datacite import make_record


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
READER = DumpReader(
    "datacite",
    "DOIs registered with DataCite up to the file's date: data sets, software, theses, arXiv papers; "
    "not journals and books of publishers",
    partial(read_works, decode=_decode),
    partial(read_works, decode=_decode_abstracted),
)
