"""OpenAlex works: the snapshot's JSON lines (`.gz`). A record's id is OpenAlex's own (`W2741809807`)."""

from __future__ import annotations

from functools import partial
from typing import Any, TypedDict

import msgspec

from citeproof.evidence.index.readers._json_works import add_abstract, make_decoder, read_works
from citeproof.evidence.index.readers.base import DumpReader
from citeproof.evidence.upstream_records.abstracts import read_openalex_abstract
from citeproof.evidence.upstream_records.openalex import make_record


class _OpenAlexName(TypedDict, total=False):
    display_name: str | None


class _OpenAlexAuthorship(TypedDict, total=False):
    author: _OpenAlexName
    raw_author_name: str | None


class _OpenAlexPlace(TypedDict, total=False):
    id: Any
    landing_page_url: Any
    source: Any
    version: Any
    raw_type: Any
    raw_source_name: Any


class _OpenAlexWork(TypedDict, total=False):
    """What the shape reads; references and, unless they are asked for, abstracts are skipped."""

    id: Any
    doi: Any
    title: Any
    display_name: Any
    publication_year: Any
    type: Any
    authorships: list[_OpenAlexAuthorship]
    primary_location: _OpenAlexPlace | None
    locations: list[_OpenAlexPlace]
    biblio: Any
    ids: Any
    is_retracted: Any
    is_authors_truncated: Any


class _AbstractedOpenAlexWork(_OpenAlexWork, total=False):
    abstract_inverted_index: Any


_decode = make_decoder(msgspec.json.Decoder(_OpenAlexWork), make_record)
_decode_abstracted = make_decoder(
    msgspec.json.Decoder(_AbstractedOpenAlexWork), add_abstract(make_record, read_openalex_abstract)
)
READER = DumpReader(
    "openalex",
    "nearly all works with a DOI or PubMed number and many without, up to the snapshot's date; "
    "weak on machine-learning papers that appeared on arXiv first",
    partial(read_works, decode=_decode),
    partial(read_works, decode=_decode_abstracted),
)
