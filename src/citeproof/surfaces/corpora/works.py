"""The works that documents cite, as a bibliography: `corpus --format bibtex`, `csl` or `ris`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import PurePosixPath
from typing import ClassVar

from citeproof import serial
from citeproof.corpus.entries import Entry
from citeproof.corpus.nouns import Result
from citeproof.corpus.reports.base import CorpusReporter, Head
from citeproof.serial.bibtex import bibtex_entry
from citeproof.serial.csl import csl_item
from citeproof.serial.ris import ris_record
from citeproof.surfaces.corpora.project import Project
from citeproof.text import bibkind
from citeproof.vocabulary import Claimed, Ids, Kind

FORMATS = ("bibtex", "csl", "ris")


def reporter(project: Project, form: str) -> CorpusReporter | None:
    """Return the reporter of a bibliography format; None if `form` is another one."""
    return Works(form, project.ground.library.at) if form in FORMATS else None


class Works:
    """The entries of the corpus that were cited and found, each once."""

    name: ClassVar[str] = "works"
    citations: ClassVar[bool] = True

    def __init__(self, form: str, entry_at: Callable[[str], Entry | None]) -> None:
        self._form, self._at = form, entry_at

    def report(self, head: Head, results: Iterable[Result]) -> Iterator[str]:  # noqa: ARG002 - the Protocol's shape
        """Yield the bibliography once all documents were seen."""
        paths = dict.fromkeys(one.source for result in results for one in result.citations if one.source)
        entries = [entry for path in sorted(paths) if (entry := self._at(path)) and entry.title]
        keyed = [(_key(entry), _kind(entry), _claimed(entry)) for entry in entries]
        if self._form == "csl":
            yield serial.pretty([csl_item(*one) for one in keyed]) + "\n"
        else:
            write = bibtex_entry if self._form == "bibtex" else ris_record
            yield "\n".join(write(*one).rstrip("\n") + "\n" for one in keyed)


def _key(entry: Entry) -> str:
    return entry.ref or PurePosixPath(entry.path).stem


def _kind(entry: Entry) -> Kind:
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
    return bibkind.kind(form, {})


def _claimed(entry: Entry) -> Claimed:
    pages = f"{entry.pages[0]}-{entry.pages[1]}" if entry.pages else None
    ids = Ids((("doi", entry.doi),)) if entry.doi else Ids()
    return Claimed(title=entry.title, authors=entry.authors, year=entry.year, pages=pages, ids=ids)
