"""The works that documents cite, for a bibliography."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import PurePosixPath

from citeproof.corpus.corpus_types import DocumentResult
from citeproof.corpus.entries import CorpusEntry
from citeproof.reporters.report_model import CitedWork
from citeproof.text import bibtex_kind
from citeproof.vocabulary import Claimed, Ids, Kind


def generate_works(
    results: Iterable[DocumentResult], entry_at: Callable[[str], CorpusEntry | None]
) -> Iterator[CitedWork]:
    """Yield the entries of the corpus that were cited and found, each once, when all documents were seen."""
    paths = {one.source for result in results for one in result.citations if one.source}
    for path in sorted(paths):
        if (entry := entry_at(path)) and entry.title:
            yield CitedWork(_make_work_key(entry), _guess_work_kind(entry), _make_claim(entry))


def _make_work_key(entry: CorpusEntry) -> str:
    return entry.ref or PurePosixPath(entry.path).stem


def _guess_work_kind(entry: CorpusEntry) -> Kind:
    words = entry.type.casefold()
    named = {
        "journal": "article",
        "conference": "inproceedings",
        "thesis": "phdthesis",
        "report": "techreport",
    }
    form = next(
        (form for word, form in named.items() if word in words), "book" if "book" in words else "misc"
    )
    return bibtex_kind.find_kind(form, {})


def _make_claim(entry: CorpusEntry) -> Claimed:
    pages = f"{entry.pages[0]}-{entry.pages[1]}" if entry.pages else None
    ids = Ids((("doi", entry.doi),)) if entry.doi else Ids()
    return Claimed(title=entry.title, authors=entry.authors, year=entry.year, pages=pages, ids=ids)
