"""MEDLINE/PubMed XML (`.xml`, `.xml.gz`, or the `.xml.gz` members of a wheel): one record an article.

Streams article by article. A DOCTYPE is normal here; it is never loaded, entities are never resolved,
and a file that declares its own entities is refused. `DeleteCitation` lists are for updates: a build
ignores them. A record's id is `pmid:<number>`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import IO

from lxml import etree

from citeproof.evidence.index.readers._dump_files import read_elements, read_xml_files
from citeproof.evidence.index.readers.base import AbstractedRecord, BadRecord, DumpReader
from citeproof.evidence.upstream_records import medline
from citeproof.evidence.upstream_records.abstracts import read_medline_abstract
from citeproof.vocabulary import Place, Record

_TAG = "PubmedArticle"
_MISSING = f"the file holds no {_TAG}"


def _read_articles(name: str, stream: IO[bytes]) -> Iterator[Record | BadRecord]:
    return read_elements(name, stream, _TAG, _read_article, _MISSING)


def _read_abstracted(name: str, stream: IO[bytes]) -> Iterator[AbstractedRecord | BadRecord]:
    def read(article: etree._Element, place: Place) -> AbstractedRecord | BadRecord:
        record = _read_article(article, place)
        return (
            record
            if isinstance(record, BadRecord)
            else AbstractedRecord(record, read_medline_abstract(article))
        )

    return read_elements(name, stream, _TAG, read, _MISSING)


def _read_article(article: etree._Element, place: Place) -> Record | BadRecord:
    pmid = medline.read_pmid(article)
    missing = "title" if pmid else "usable PMID"
    return medline.make_record(article) or BadRecord(place, f"article {pmid or '?'} has no {missing}")


READER = DumpReader(
    "medline",
    "PubMed articles in the files given; the yearly baseline with all its updates is the whole of PubMed",
    partial(read_xml_files, read_file=_read_articles),
    partial(read_xml_files, read_file=_read_abstracted),
)
