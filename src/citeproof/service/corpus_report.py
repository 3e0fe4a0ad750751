"""What a run over corpus documents found out: `check_corpus`, with typed, frozen results."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from citeproof import settings as all_settings
from citeproof.answers.reporters.report_model import CorpusReportHead
from citeproof.answers.serializers import get_version
from citeproof.corpus.corpus_types import Counts, DocumentResult, Mode
from citeproof.corpus.document_selection import find_root
from citeproof.errors import UsageError
from citeproof.plumbing.clock import format_timestamp
from citeproof.service.corpus_project import Project, ProjectOptions
from citeproof.service.exit_codes import Exit
from citeproof.settings import Settings


@dataclass(frozen=True, slots=True)
class CorpusReport:
    """What `check_corpus` found out: every document's result, in order, and the sum of their figures."""

    results: tuple[DocumentResult, ...]
    counts: Counts
    exit_code: Exit  # what the command line would have ended with
    troubles: tuple[str, ...] = ()  # what is wrong with the corpus itself or not as shipped, one line each

    @property
    def passed(self) -> bool:
        return self.counts.errors == 0


class CorpusOutcome:
    """How a run went; grows while its results pass by."""

    def __init__(self) -> None:
        self.counts, self._unread = Counts(), 0

    def watch(self, results: Iterable[DocumentResult]) -> Iterator[DocumentResult]:
        """Yield what comes, unchanged, and remember what decides."""
        for result in results:
            self.counts += result.counts
            self._unread += bool(result.trouble)
            yield result

    def code(self) -> Exit:
        if self.counts.errors:
            return Exit.PROBLEMS
        return Exit.UNCHECKED if self.counts.unchecked or self._unread else Exit.CLEAN


def make_report_head(
    project: Project, documents: Sequence[Path], fixed: tuple[tuple[str, int], ...] = ()
) -> CorpusReportHead:
    """Return what a report says about the run itself; `fixed`: what was changed before it."""
    mode = "rlm" if project.mode.code_only else "corpus-only" if project.mode.corpus_only else "all"
    return CorpusReportHead(
        date=format_timestamp(project.clock),
        root=str(project.root),
        files=len(documents),
        mode=mode,
        strict=project.choice.strict,
        version=get_version(),
        troubles=project.troubles(),
        fixed=fixed,
        prefix=f"{os.path.relpath(Path.cwd(), project.root)}/",
    )


def check_corpus(
    paths: Sequence[Path | str] | Path | str = (),
    *,
    root: Path | None = None,
    strict: bool = False,
    corpus_only: bool = False,
    rlm: bool = False,
    settings: Settings | None = None,
) -> CorpusReport:
    """Return the report on Markdown documents: files, folders, patterns; or those of this folder."""
    if corpus_only and rlm:
        message = "corpus_only and rlm cannot be used together"
        raise UsageError(message, place="check_corpus", hint="give one of them")
    named = [str(path) for path in ([paths] if isinstance(paths, str | Path) else paths)]
    folder = find_root(named, root or (settings or all_settings.load()).corpus_root)
    mode = Mode(corpus_only=corpus_only, code_only=rlm)
    chosen = settings or all_settings.load(folder=folder)
    project = Project(chosen, folder, mode, ProjectOptions(strict=strict, jobs=1))
    try:
        outcome = CorpusOutcome()
        results = tuple(outcome.watch(project.results(project.documents(named))))
        code = outcome.code() if results else Exit.NOTHING
        return CorpusReport(results, outcome.counts, code, project.troubles())
    finally:
        project.close()
