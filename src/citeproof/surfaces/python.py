"""The Python door: `Verifier`, `check`, `verify` and their async twins, with typed, frozen results.

Everything runs in a background loop, so that it works in a script, in a notebook, inside a running
event loop and from several threads.
"""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self, TypedDict, Unpack, cast, overload

from citeproof import serializers
from citeproof import settings as all_settings
from citeproof.assemble import assemble
from citeproof.background import BackgroundLoop
from citeproof.errors import InputError, UsageError
from citeproof.settings import Settings
from citeproof.surfaces.check_session import CheckEngine, CheckSession, begin_check
from citeproof.surfaces.citation_input import build_citation
from citeproof.surfaces.exit_codes import Exit, RunOutcome
from citeproof.surfaces.input_documents import read_document
from citeproof.vocabulary import Checked, Document, Label, RawReference, Run

TEXT = "<text>"


@dataclass(frozen=True, slots=True, repr=False)
class Report:
    """What `check` found out: the run, and every checked reference in document order.

    A sequence: `len(report)`, `report[0]`, `for checked in report`.
    """

    run: Run
    references: tuple[Checked, ...]
    exit_code: Exit  # what the command line would have ended with

    def __len__(self) -> int:
        return len(self.references)

    def __iter__(self) -> Iterator[Checked]:
        return iter(self.references)

    @overload
    def __getitem__(self, at: int) -> Checked: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Checked, ...]: ...
    def __getitem__(self, at: int | slice) -> Checked | tuple[Checked, ...]:
        return self.references[at]

    def __bool__(self) -> bool:
        return True  # a report without references is still a report

    @property
    def problems(self) -> tuple[Checked, ...]:
        """The references that are MINOR or MAJOR."""
        return tuple(one for one in self.references if one.label in (Label.MINOR, Label.MAJOR))

    @property
    def unchecked(self) -> tuple[Checked, ...]:
        """The references that could not be checked."""
        return tuple(one for one in self.references if one.label is None)

    def to_dicts(self) -> list[dict[str, serializers.Cell]]:
        """Return one flat dictionary a reference: `pandas.DataFrame(report.to_dicts())`."""
        return [serializers.build_flat_row(one) for one in self.references]

    def json(self) -> serializers.Json:
        """Return the report as `citeproof check --format json` prints it."""
        return serializers.build_report_json(self.run, self.references)

    def __repr__(self) -> str:
        labels = Counter(one.label for one in self.references)
        counts = ", ".join(f"{labels[label]} {label.value}" for label in Label)
        return f"<Report of {len(self)} references: {counts}, {labels[None]} not checked>"


class SettingOptions(TypedDict, total=False):
    """Settings by keyword, over those of the environment and the config files."""

    offline: bool
    snapshots: Sequence[Path | str]
    sources: Sequence[str]
    contact: str
    max_false_accusations: float
    cache_dir: Path | str
    audit_dir: Path | str
    audit_run: str
    timeout: float
    deadline: float


class CitationDetails(TypedDict, total=False):
    """What may be known of a citation besides its title; `author` is the first author's family name."""

    doi: str | None
    pmid: str | None
    pmcid: str | None
    arxiv: str | None
    ads: str | None
    isbn: str | None
    issn: str | None
    who_iris_url: str | None
    author: str | None
    year: int | None
    container: str | None


Subject = Document | Path | str | bytes


class Verifier:
    """Checks documents and citations; snapshots and connections are opened once and used again.

    with citeproof.Verifier(offline=True, snapshots=["works.snapshot"]) as verifier:
        report = verifier.check("refs.bib")
        checked = verifier.verify(title="Deep learning", doi="10.1038/nature14539")

    Safe in threads and inside a running event loop, where `await verifier.acheck(…)` does not block.
    With an audit log each call is a run of its own, sealed before it returns.
    """

    def __init__(self, settings: Settings | None = None, **options: Unpack[SettingOptions]) -> None:
        if settings is not None and options:
            hint = "put them into the settings, or leave `settings` out"
            raise UsageError(f"both settings and {', '.join(options)} are given", place="Verifier", hint=hint)
        self.settings = settings or all_settings.load(dict(options))
        self._loop = BackgroundLoop("citeproof")
        self._engine: CheckEngine | None = None
        self._lock = threading.Lock()
        self._closed = False

    def check(self, subject: Subject) -> Report:
        """Return the report on one document: a `Path`, a file name, its text, or its bytes."""
        engine = self._take_engine("check")
        try:
            return self._loop.run(_collect_report(self._read(engine, subject)))
        finally:
            self._loop.run(self._give_back(engine))

    async def acheck(self, subject: Subject) -> Report:
        """Return the report on one document; the caller's loop continues meanwhile."""
        engine = await asyncio.to_thread(self._take_engine, "check")
        try:
            checking = await asyncio.to_thread(self._read, engine, subject)
            return await self._loop.arun(_collect_report(checking))
        finally:
            await self._loop.arun(self._give_back(engine))

    def verify(self, title: str, **fields: Unpack[CitationDetails]) -> Checked:
        """Return one citation, checked: `verify("Deep learning", doi="10.1038/nature14539", year=2015)`."""
        raw, engine = _cite_fields(title, fields), self._take_engine("verify")
        try:
            return self._loop.run(engine.verify_one(raw))
        finally:
            self._loop.run(self._give_back(engine))

    async def averify(self, title: str, **fields: Unpack[CitationDetails]) -> Checked:
        """Return one citation, checked; the caller's loop continues meanwhile."""
        raw, engine = _cite_fields(title, fields), await asyncio.to_thread(self._take_engine, "verify")
        try:
            return await self._loop.arun(engine.verify_one(raw))
        finally:
            await self._loop.arun(self._give_back(engine))

    def close(self) -> None:
        """Close snapshots and connections; a second call does nothing."""
        with self._lock:
            engine, self._engine, self._closed = self._engine, None, True
        try:
            if engine is not None:
                self._loop.run(engine.close())
        finally:
            self._loop.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self.close)

    def __repr__(self) -> str:
        return f"<Verifier {'offline' if self.settings.offline else 'online'}>"

    def _read(self, engine: CheckEngine, subject: Subject) -> CheckSession:
        return begin_check(engine, [_make_document(subject, self.settings.max_document_bytes)])

    def _take_engine(self, stage: str) -> CheckEngine:
        """Return the engine that all calls share; with an audit log, one for this call, which is a run."""
        with self._lock:
            if self._closed:
                hint = "make a new one, or move the call into the with block"
                raise UsageError("this verifier is closed", place="Verifier", hint=hint)
            if self.settings.audit_dir is not None or self.settings.audit_run or self.settings.audit_anchors:
                return assemble(self.settings, stage=stage)
            if self._engine is None:
                self._engine = assemble(self.settings)
            return self._engine

    async def _give_back(self, engine: CheckEngine) -> None:
        if engine is not self._engine:
            await engine.close()


def check(subject: Subject, *, settings: Settings | None = None, **options: Unpack[SettingOptions]) -> Report:
    """Return the report on one document: a `Path`, a file name, its text, or its bytes.

    Opens and closes everything: for many documents use a `Verifier`.
    """
    with Verifier(settings, **options) as verifier:
        return verifier.check(subject)


async def acheck(
    subject: Subject, *, settings: Settings | None = None, **options: Unpack[SettingOptions]
) -> Report:
    """Return the report on one document; the caller's loop continues meanwhile."""
    async with Verifier(settings, **options) as verifier:
        return await verifier.acheck(subject)


class CitationOptions(CitationDetails, SettingOptions, total=False):
    """The fields of a citation, and settings by keyword."""


def verify(title: str, *, settings: Settings | None = None, **given: Unpack[CitationOptions]) -> Checked:
    """Return one citation, checked: `verify("Deep learning", doi="10.1038/nature14539", year=2015)`.

    Opens and closes everything: for many citations use a `Verifier`.
    """
    fields, options = _split_options(given)
    with Verifier(settings, **options) as verifier:
        return verifier.verify(title, **fields)


async def averify(
    title: str, *, settings: Settings | None = None, **given: Unpack[CitationOptions]
) -> Checked:
    """Return one citation, checked; the caller's loop continues meanwhile."""
    fields, options = _split_options(given)
    async with Verifier(settings, **options) as verifier:
        return await verifier.averify(title, **fields)


def _split_options(given: CitationOptions) -> tuple[CitationDetails, SettingOptions]:
    fields = {name: value for name, value in given.items() if name in CitationDetails.__annotations__}
    options = {name: value for name, value in given.items() if name not in fields}
    return cast("CitationDetails", fields), cast("SettingOptions", options)


async def _collect_report(checking: CheckSession) -> Report:
    outcome = RunOutcome(lost=checking.lost)
    references = [checked async for checked in checking.verify_references()]
    return Report(checking.run, tuple(outcome.watch(references)), outcome.code())


def _cite_fields(title: str, fields: CitationDetails) -> RawReference:
    identifiers = {
        "doi": fields.get("doi"),
        "pmid": fields.get("pmid"),
        "pmcid": fields.get("pmcid"),
        "arxiv": fields.get("arxiv"),
        "ads": fields.get("ads"),
        "isbn": fields.get("isbn"),
        "issn": fields.get("issn"),
        "who_iris": fields.get("who_iris_url"),
    }
    author, year, container = fields.get("author"), fields.get("year"), fields.get("container")
    return build_citation(title, identifiers, author=author, year=year, container=container)


def _make_document(subject: Subject, limit: int) -> Document:
    """Return what was passed as a document. A name without spaces can only mean a file."""
    if isinstance(subject, Document):
        return subject
    if isinstance(subject, Path):
        return read_document(subject, limit)
    if isinstance(subject, bytes):
        return Document(TEXT, subject)
    if "\n" not in subject and (" " not in subject.strip() or Path(subject).is_file()):
        if not subject.strip():
            raise InputError("is empty", place=TEXT, hint="hand over a file or the text of references")
        return read_document(Path(subject), limit)
    return Document(TEXT, subject.encode("utf-8", "replace"))
