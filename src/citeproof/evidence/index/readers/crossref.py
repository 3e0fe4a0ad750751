"""Crossref works: the public data file (`.tar` of `.json.gz`), its members, or works one per line.

A member is `{"items": […]}`; plain, `.gz` and `.zst` are read alike. A record's id is its DOI. Works
without a title (components, issues of journals) are counted as bad records: they describe no work.
"""

from __future__ import annotations

from functools import partial
from typing import Any, TypedDict

import msgspec

from citeproof.evidence.index.readers._json_works import add_abstract, make_decoder, read_works
from citeproof.evidence.index.readers.base import DumpReader
from citeproof.evidence.upstream_records.abstracts import read_crossref_abstract
from citeproof.evidence.upstream_records.crossref import make_record


class _CrossrefAuthor(TypedDict, total=False):
    family: str
    given: str
    suffix: str
    name: str


# Only what the shape reads is decoded; lists of references are most of a dump's bytes.
_Work = TypedDict(
    "_Work",
    {
        "DOI": Any, "type": Any, "title": Any, "subtitle": Any, "original-title": Any, "container-title": Any,
        "publisher": Any, "published": Any, "issued": Any, "published-print": Any, "published-online": Any,
        "published-other": Any, "posted": Any, "created": Any, "volume": Any, "issue": Any, "page": Any,
        "article-number": Any, "ISBN": Any, "group-title": Any, "institution": Any, "journal-issue": Any,
        "updated-by": Any, "author": list[_CrossrefAuthor], "editor": list[_CrossrefAuthor],
    },
    total=False,
)  # fmt: skip


class _AbstractedWork(_Work, total=False):
    abstract: Any


_decode = make_decoder(msgspec.json.Decoder(_Work), make_record)
_decode_abstracted = make_decoder(
    msgspec.json.Decoder(_AbstractedWork), add_abstract(make_record, read_crossref_abstract)
)
READER = DumpReader(
    "crossref",
    "works with a Crossref DOI up to the file's date: most journals, books, chapters, IEEE, ACM, ACL; "
    "not arXiv, data sets, NeurIPS, ICML, ICLR, JMLR",
    partial(read_works, decode=_decode),
    partial(read_works, decode=_decode_abstracted),
)
