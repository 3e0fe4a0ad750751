"""A project and its documents: results out, in order.

1 read the corpus · 2 examine documents, in parallel and from the cache · 3 ask whether DOIs exist, many at a
time · 4 with --strict, raise warnings. `check_corpus` gives it all with typed, frozen results.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path

from citeproof import corpus
from citeproof import settings as all_settings
from citeproof.answers import serializers
from citeproof.answers.fix.fixed_file import FixedFile
from citeproof.answers.reporters.report_model import CorpusReportHead
from citeproof.answers.serializers import get_version
from citeproof.claims import quotes
from citeproof.corpus import document_run, document_selection
from citeproof.corpus.corpus_context import CorpusContext
from citeproof.corpus.corpus_types import CorpusLayout, Counts, DocumentResult, Mode
from citeproof.corpus.document_fixes import WritableDocuments, fix_document, select_writable
from citeproof.corpus.document_run import UnreadableDocumentError, read_document
from citeproof.corpus.document_selection import find_root
from citeproof.corpus.doi_existence import DoiChecker, settle_pending_dois
from citeproof.corpus.examine import examine_document, promote_warnings
from citeproof.corpus.project_root import ProjectRoot
from citeproof.corpus.result_cache import ResultCache
from citeproof.errors import InputError, UsageError, format_count
from citeproof.plumbing.clock import Clock, SystemClock, format_timestamp, today
from citeproof.service.exit_codes import Exit
from citeproof.settings import Settings, load
from citeproof.text import markdown_reader
from citeproof.verifier import ReferenceVerifier
from citeproof.vocabulary import Observer

_TOGETHER = 200  # documents whose DOIs are asked about in one go


@dataclass(frozen=True, slots=True)
class ProjectOptions:
    recursive: bool = False
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    jobs: int = 0  # 0: as many as there are processors
    strict: bool = False
    cached: bool = True


def load_project_settings(
    paths: Sequence[str], flags: Mapping[str, object] | None = None
) -> tuple[Path, Settings]:
    """Return the root of the project that `paths` belong to, and the settings as its own file has them."""
    flags = flags or {}
    root = find_root(paths, load({"corpus_root": flags.get("corpus_root")}).corpus_root)
    return root, load({**flags, "corpus_root": root}, folder=root)


class Project:
    """One root with its corpus, its cache and its sources; close it when done."""

    def __init__(
        self,
        settings: Settings,
        root: Path,
        mode: Mode | None = None,
        choice: ProjectOptions | None = None,
        *,
        clock: Clock | None = None,
        observer: Observer | None = None,
    ) -> None:
        self.settings, self.mode, self.choice = settings, mode or Mode(), choice or ProjectOptions()
        self.layout = CorpusLayout.from_settings(settings)
        self.clock = clock or SystemClock()
        key = f"{serializers.get_version()} {_hash_program()} {self.layout.digest()} {self.mode}"
        self.keeping = ResultCache(settings.cache_dir, root, key) if self.choice.cached else None
        self.root = root
        self.ground = CorpusContext(self._open_root(), self.layout, today(self.clock).isoformat())

        def make_engine() -> ReferenceVerifier:
            from citeproof.service.assemble import assemble  # noqa: PLC0415 - a run without DOIs need not load the engine

            return assemble(settings, clock=self.clock, observer=observer, stage="corpus")

        self.dois = DoiChecker(settings, self.clock, make_engine, self.keeping)

    def documents(self, paths: Sequence[str]) -> list[Path]:
        wanted = {name: getattr(self.choice, name) for name in ("recursive", "include", "exclude")}
        return document_selection.select_documents(paths, self.root, **wanted, skip=self.layout.skip)

    def troubles(self) -> tuple[str, ...]:
        """Return what is wrong with the corpus itself, one line each."""
        if self.mode.code_only:
            return ()
        problems = (f"{problem.path}: {problem.message}" for problem in self.ground.library.problems)
        return (*self._overrides(), *self._set_by_project(), *self._find_missing_folders(), *problems)

    def _set_by_project(self) -> Iterator[str]:
        """Yield a line for each setting of the project's own file that takes something out of the check."""
        for name in ("corpus_skip", "corpus_ref", "offline"):
            if name in self.settings.set_by_project:
                value = getattr(self.settings, name)
                shown = ", ".join(value) if isinstance(value, tuple) else value
                yield f"{self.settings.origin(name)} sets {name} = {shown}"

    def _overrides(self) -> Iterator[str]:
        """Yield a line for each address that DOIs are asked about at and that is not the shipped one."""
        if self.settings.corpus_dois == "check" and (self.settings.urls or self.settings.proxy):
            from citeproof.service.assemble import list_overrides  # noqa: PLC0415 - a run without any need not load it

            for override in list_overrides(self.settings):
                yield f"not the shipped {override.setting}: {override.value} (set by {override.origin})"

    def _find_missing_folders(self) -> Iterator[str]:
        """Yield a line for each folder that somebody configured and that is not there."""
        for name in ("sources", "findings", "assessments"):
            place = self.settings.origins.get(f"corpus_{name}")
            usual = getattr(CorpusLayout(), name)
            for folder in getattr(self.layout, name) if place else ():
                if folder not in usual and not (self.root / folder).is_dir():
                    yield f"{place}: corpus_{name}: no folder {folder} below {self.root}"

    def results(self, documents: Sequence[Path], *, citations: bool = True) -> Iterator[DocumentResult]:
        """Yield what each document gave, in order; DOIs settled, levels as --strict wants them."""
        if not self.mode.code_only:
            _ = self.ground.library  # read once, before processes are made that share it
        raw = document_run.examine_documents(
            documents,
            shorten_path,
            self._examiner,
            self.keeping,
            self.ground.digest,
            self.choice.jobs,
            citations=citations,
            max_bytes=self.settings.max_document_bytes,
        )
        with closing(raw):
            for some in _group_results(raw):
                self.dois.learn(pending.doi for result in some for pending in result.pending)
                for result in some:
                    settled = settle_pending_dois(result, self.dois.known)
                    yield promote_warnings(settled) if self.choice.strict else settled

    def examine_one(self, data: bytes, file: str) -> DocumentResult:
        """Return what one document gave, examined here and now."""
        result = examine_document(data, file, self.ground, self.mode)
        self.dois.learn(pending.doi for pending in result.pending)
        return settle_pending_dois(result, self.dois.known)

    def close(self) -> None:
        """Let go of files, children and connections."""
        with ExitStack() as last:  # each is closed, whatever another one meets
            if self.keeping is not None:
                last.callback(self.keeping.close)
            last.callback(self.dois.close)

    def _open_root(self) -> ProjectRoot:
        return ProjectRoot(self.root, self.layout.max_bytes)

    def _examiner(self) -> Callable[[bytes, str], DocumentResult]:
        """Return the context with which a worker examines documents: its own, over the same corpus."""
        ground = self.ground.alike(self._open_root())
        return lambda data, file: examine_document(data, file, ground, self.mode)


def _hash_program() -> str:
    """Return what names the code that examines, by sources and tables: compiled files come and go."""
    folders = [Path(path) for room in (corpus, quotes) for path in room.__path__]
    files = sorted(path for folder in folders for kind in ("*.py", "*.toml") for path in folder.rglob(kind))
    files.append(Path(markdown_reader.__file__))
    stats = [(path.name, (stat := path.stat()).st_size, stat.st_mtime_ns) for path in files]
    return sha256(serializers.dumps(stats)).hexdigest()[:16]


def shorten_path(path: Path) -> str:
    """Return the name of a document as a person at this folder would write it."""
    here = f"{os.getcwd()}{os.sep}"  # noqa: PTH109 - asked for every document
    return str(path).removeprefix(here)


def _group_results(results: Iterable[DocumentResult]) -> Iterator[list[DocumentResult]]:
    """Yield results in lots, so that many DOIs are asked about together; others do not wait."""
    waiting: list[DocumentResult] = []
    for result in results:
        waiting.append(result)
        if not any(held.pending for held in waiting) or len(waiting) >= _TOGETHER:
            yield waiting
            waiting = []
    if waiting:
        yield waiting


@dataclass(slots=True)
class CorpusFixes:
    """What fixing would do to documents; nothing is written yet."""

    chosen: WritableDocuments
    files: list[FixedFile] = field(default_factory=list)
    failed: list[tuple[str, InputError | UnreadableDocumentError]] = field(default_factory=list)


def find_corpus_fixes(
    project: Project, documents: Sequence[Path], results: Sequence[DocumentResult]
) -> CorpusFixes:
    """Return the fixes of documents, of which `results` say whether they have any."""
    wanting = [
        path
        for path, result in zip(documents, results, strict=True)
        if any(issue.remedy for issue in result.issues)
    ]
    fixes = CorpusFixes(select_writable(project.root, project.layout, wanting))
    for path in fixes.chosen.own:  # examined again, so that every place is that of these very bytes
        name = shorten_path(path)
        try:
            data = read_document(path, project.settings.max_document_bytes)
            file = fix_document(path, name, data, partial(project.examine_one, file=name))
        except (InputError, UnreadableDocumentError) as error:
            fixes.failed.append((name, error))
        else:
            fixes.files += [file] if file is not None else []
    return fixes


@dataclass(frozen=True, slots=True, repr=False)
class CorpusReport:
    """What `check_corpus` found out: every document's result, in order, and the sum of their figures."""

    results: tuple[DocumentResult, ...]
    counts: Counts
    exit_code: Exit  # what the command line would have ended with
    troubles: tuple[str, ...] = ()  # what is wrong with the corpus itself or not as shipped, one line each

    @property
    def passed(self) -> bool:
        return self.counts.errors == 0

    def __repr__(self) -> str:
        shown = "passed" if self.passed else format_count(self.counts.errors, "error")
        return f"<CorpusReport of {format_count(len(self.results), 'file')}: {shown}>"


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
