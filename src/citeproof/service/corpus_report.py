"""The Python door of corpus documents: `check_corpus`, with typed, frozen results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from citeproof import settings as all_settings
from citeproof.corpus.corpus_types import Counts, DocumentResult, Mode
from citeproof.corpus.root_search import find_root
from citeproof.errors import UsageError
from citeproof.service.corpus_project import Project, ProjectOptions, choose_exit
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
        """Whether there is no error."""
        return self.counts.errors == 0


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
        raise UsageError(
            "corpus_only and rlm cannot be used together", place="check_corpus", hint="give one of them"
        )
    named = [str(path) for path in ([paths] if isinstance(paths, str | Path) else paths)]
    found = find_root(named, root or (settings or all_settings.load()).corpus_root)
    mode = Mode(corpus_only=corpus_only, code_only=rlm)
    chosen = settings or all_settings.load(folder=found)
    project = Project(chosen, found, mode, ProjectOptions(strict=strict, jobs=1))
    try:
        results = tuple(project.results(project.documents(named)))
        troubles = project.troubles()
    finally:
        project.close()
    counts = sum((result.counts for result in results), Counts())
    unread = sum(bool(result.trouble) for result in results)
    return CorpusReport(results, counts, choose_exit(counts, unread) if results else Exit.NOTHING, troubles)
