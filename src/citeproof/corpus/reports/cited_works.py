"""The works that documents cite, for a bibliography."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import PurePosixPath

from citeproof.corpus.corpus_types import DocumentResult
from citeproof.corpus.entries import CorpusEntry
from citeproof.reporters.report_model import CitedWork
from citeproof.text import bibtex_kind
from citeproof.vocabulary import Claimed, Ids, Kind

_FORMS = {
    "journal": "article", "conference": "inproceedings", "thesis": "phdthesis", "report": "techreport",
    "book": "book",
}  # fmt: skip


def generate_works(
    results: Iterable[DocumentResult], entry_at: Callable[[str], CorpusEntry | None]
) -> Iterator[CitedWork]:
    """Yield the entries of the corpus that were cited and found, each once, when all documents were seen."""
    paths = {one.source for result in results for one in result.citations if one.source}
    for path in sorted(paths):
        if (entry := entry_at(path)) and entry.title:
            key = entry.ref or PurePosixPath(entry.path).stem
            yield CitedWork(key, _guess_work_kind(entry), _make_claim(entry))


def _guess_work_kind(entry: CorpusEntry) -> Kind:
    words = entry.type.casefold()
    return bibtex_kind.find_kind(next((form for word, form in _FORMS.items() if word in words), "misc"), {})


def _make_claim(entry: CorpusEntry) -> Claimed:
    pages = f"{entry.pages[0]}-{entry.pages[1]}" if entry.pages else None
    ids = Ids((("doi", entry.doi),)) if entry.doi else Ids()
    return Claimed(title=entry.title, authors=entry.authors, year=entry.year, pages=pages, ids=ids)
