"""MEDLINE/PubMed XML (`.xml`, `.xml.gz`, or the `.xml.gz` members of a wheel): one record an article.

Streams article by article. A DOCTYPE is normal here; it is never loaded, entities are never resolved,
and a file that declares its own entities is refused. `DeleteCitation` lists are ignored: a snapshot
is made from the files it is given. A record's id is `pmid:<number>`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, ClassVar

from lxml import etree

from citeproof.index.bookmark import Bookmark
from citeproof.index.readers._dump_files import open_members
from citeproof.index.readers._xml_stream import free_element, has_entities
from citeproof.index.readers.base import BadRecord
from citeproof.upstream_records import medline
from citeproof.vocabulary import Place, Record


class MedlineReader:
    name: ClassVar[str] = "medline"
    covers_note: ClassVar[str] = (
        "PubMed articles in the files given; the yearly baseline with all its updates is the whole of PubMed"
    )

    def read(self, paths: Sequence[Path], at: Bookmark | None = None) -> Iterator[Record | BadRecord]:
        """Yield one record an article, in the order of the files."""
        at = at or Bookmark()
        for path in paths:
            with open_members(path, ".xml.gz") as found:
                for name, stream in found:
                    if at.opens():
                        yield from at.list_rest(_read_articles(name, stream))


def _read_articles(name: str, stream: IO[bytes]) -> Iterator[Record | BadRecord]:
    walk = etree.iterparse(
        stream,
        events=("end",),
        tag="PubmedArticle",
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        recover=False,
    )
    line, any_article = None, False
    try:
        for _, article in walk:
            line = article.sourceline
            if not any_article and has_entities(article):
                yield BadRecord(Place(file=name, line=1), "the file declares its own XML entities: refused")
                return
            any_article = True
            yield _read_article(article, Place(file=name, line=line))
            free_element(article)
    except etree.XMLSyntaxError as error:
        where = Place(file=name, line=error.lineno or line)
        yield BadRecord(where, f"the XML breaks off here: {error.msg}")
        return
    if not any_article:
        yield BadRecord(Place(file=name), "the file holds no PubmedArticle")


def _read_article(article: etree._Element, place: Place) -> Record | BadRecord:
    pmid = medline.read_pmid(article)
    what = "title" if pmid else "usable PMID"
    return medline.make_record(article) or BadRecord(place, f"article {pmid or '?'} has no {what}")


READER = MedlineReader()
