"""The works that documents cite, as a bibliography: `corpus --format bibtex`, `csl` or `ris`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import PurePosixPath
from typing import ClassVar

from citeproof import serial
from citeproof.corpus.entries import CorpusEntry
from citeproof.corpus.reports.corpus_report import CorpusRunReport
from citeproof.errors import UsageError
from citeproof.reporters.base import Reporter, list_formats
from citeproof.reporters.report_model import ReportModel
from citeproof.serial.bibtex import build_bibtex_entry
from citeproof.serial.csl import build_csl_item
from citeproof.serial.ris import build_ris_record
from citeproof.surfaces.corpora.project import Project
from citeproof.text import bibtex_kind
from citeproof.vocabulary import Claimed, Ids, Kind

FORMATS = ("bibtex", "csl", "ris")


def list_corpus_formats() -> tuple[str, ...]:
    """Return the words for reports on documents, then those for the works that they cite."""
    return (*(word for word in list_formats() if word not in FORMATS), *FORMATS)


def make_works_reporter(project: Project, form: str) -> Reporter | None:
    """Return the reporter of a bibliography format; None if `form` is another one."""
    return CitedWorks(form, project.ground.library.find_entry) if form in FORMATS else None


class CitedWorks(Reporter):
    """The entries of the corpus that were cited and found, each once."""

    name: ClassVar[str] = "works"
    lists_only: ClassVar[frozenset[str]] = frozenset({"corpus"})

    def __init__(self, form: str, entry_at: Callable[[str], CorpusEntry | None]) -> None:
        self._form, self._at = form, entry_at

    def report(self, report: ReportModel) -> Iterator[str]:
        """Yield the bibliography once all documents were seen."""
        if not isinstance(report, CorpusRunReport):
            raise UsageError("only a corpus has cited works", place="--format", mend="name another format")
        results = report.load(True)
        paths = dict.fromkeys(one.source for result in results for one in result.citations if one.source)
        entries = [entry for path in sorted(paths) if (entry := self._at(path)) and entry.title]
        keyed = [(_make_work_key(entry), _guess_work_kind(entry), _make_claim(entry)) for entry in entries]
        if self._form == "csl":
            yield serial.dump_pretty([build_csl_item(*one) for one in keyed]) + "\n"
        else:
            write = build_bibtex_entry if self._form == "bibtex" else build_ris_record
            yield "\n".join(write(*one).rstrip("\n") + "\n" for one in keyed)


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
