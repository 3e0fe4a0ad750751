"""The Python interface: `Verifier`, `check`, `verify` and their async twins, with typed, frozen results.

Everything runs in a background loop, so that it works in a script, in a notebook, inside a running
event loop and from several threads.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncGenerator, AsyncIterable, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Self, TypedDict, TypeVar, Unpack, cast

from citeproof import settings as all_settings
from citeproof.answers import serializers
from citeproof.claims.grounding import AssessClaim
from citeproof.claims.proposed_answer import read_answer
from citeproof.claims.rendered_text import (
    AnswerRenderer,
    CitationWriter,
    FindWork,
    RenderedPart,
    RenderedText,
)
from citeproof.claims.text_guard import GuardEvent, ReleasedText, TextGuard
from citeproof.errors import UsageError
from citeproof.plumbing.background import BackgroundLoop
from citeproof.service.answer_session import make_work_finder, render_answer
from citeproof.service.assemble import assemble
from citeproof.service.assemble.source_choice import make_assessor, open_text_library
from citeproof.service.check_session import (
    CheckSession,
    Report,
    begin_check,
    begin_list_check,
    collect_report,
    show_notebook_bar,
)
from citeproof.service.citation_input import CitationDetails, build_citation
from citeproof.service.claim_session import find_sealed_log, ground_document, make_text_guard
from citeproof.service.fetched_documents import DocumentFetcher
from citeproof.service.guarded_text import GuardedText, guard_text, stream_guarded
from citeproof.service.input_documents import Subject, make_document, read_documents
from citeproof.service.listed_references import ITEMS, Several
from citeproof.settings import Settings
from citeproof.verifier import ReferenceVerifier
from citeproof.vocabulary import Checked, Document, GroundedHypothesis

Checkable = Subject | Mapping[str, object] | Several  # one document, one reference, or a list of both
Chunks = AsyncIterable[str] | Iterable[str]
Claims = Subject | Mapping[str, object]
GROUNDING = "grounding"  # as the audit log names the stage
_Own = TypeVar("_Own")


class SettingOptions(TypedDict, total=False):
    """Settings by keyword, over those of the environment and the config files."""

    offline: bool
    snapshots: Sequence[Path | str]
    sources: Sequence[str]
    texts: Sequence[Path | str]
    fetch_texts: bool
    contact: str
    llm: str
    llm_figures: bool
    llm_search: bool
    llm_max_dollars: float
    max_false_accusations: float
    cache_dir: Path | str
    lists_pin: str
    audit_dir: Path | str
    audit_run: str
    timeout: float
    deadline: float


class RenderOptions(TypedDict, total=False):
    """How an answer is rendered."""

    bibliography: Subject  # works that markers may name by their keys
    style: str  # "apa", "ieee", "vancouver" …
    csl: Path | str  # a CSL file, in place of a style
    identifiers: bool  # whether a marker may name a work by its DOI or arXiv number; they may by default


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
        self._engine: ReferenceVerifier | None = None
        self._library = open_text_library(self.settings)
        self._assess: AssessClaim | None = None  # over the texts that the shared engine finds
        self._lock = threading.Lock()
        self._closed = False

    def check(self, subject: Checkable) -> Report:
        """Return the report on one document: a `Path`, its bytes, or a string as on the command line.

        A string is a file name, an identifier, a web address, a Zotero collection, a reference or a text.
        A list, or a column of a data frame, has references as texts or as dictionaries, and documents. The
        line of a reference is its number in the list.
        """
        with self._lend_engine("check") as engine:
            checking = self._begin_check(engine, subject)
            with show_notebook_bar(checking.total) as tell:
                return self._loop.run(collect_report(checking, tell))

    async def acheck(self, subject: Checkable) -> Report:
        """Return the report on one document or list; the caller's loop continues meanwhile."""
        async with self._alend_engine("check") as engine:
            checking = await asyncio.to_thread(self._begin_check, engine, subject)
            with show_notebook_bar(checking.total) as tell:
                return await self._loop.arun(collect_report(checking, tell))

    def verify(self, title: str = "", **fields: Unpack[CitationDetails]) -> Checked:
        """Return one citation, checked: `verify("Deep learning", doi="10.1038/nature14539", year=2015)`."""
        raw = build_citation(title, **fields)
        with self._lend_engine("verify") as engine:
            return self._loop.run(engine.verify_one(raw))

    async def averify(self, title: str = "", **fields: Unpack[CitationDetails]) -> Checked:
        """Return one citation, checked; the caller's loop continues meanwhile."""
        raw = build_citation(title, **fields)
        async with self._alend_engine("verify") as engine:
            return await self._loop.arun(engine.verify_one(raw))

    def ground(self, subject: Claims) -> GroundedHypothesis:
        """Return the claims of a hypothesis or document, each with a verified citation or none.

        A mapping is a hypothesis as in docs/spec/hypothesis.schema.json; else as for `check`.
        """
        with self._lend_engine(GROUNDING) as engine:
            document, assess = self._read_claims(subject), self._choose_assessor(engine)
            grounded = self._loop.run(ground_document(engine, document, assess))
        return replace(grounded, log=find_sealed_log(engine.keeper))

    async def aground(self, subject: Claims) -> GroundedHypothesis:
        """Return the decided claims; the caller's loop continues meanwhile."""
        async with self._alend_engine(GROUNDING) as engine:
            document = await asyncio.to_thread(self._read_claims, subject)
            grounded = await self._loop.arun(ground_document(engine, document, self._choose_assessor(engine)))
        return replace(grounded, log=find_sealed_log(engine.keeper))

    def guard(self, text: str, *, removal: str = "bracket") -> GuardedText:
        """Return a generated text with only verified citations, and what became of each.

        What is not verified is replaced by a mark (`removal="bracket"`), taken out (`"remove"`), or left in
        and reported in `citations` (`"keep"`). See docs/language-models.md.
        """
        with self._lend_engine(GROUNDING) as engine:
            guard = make_text_guard(engine, removal, self._choose_assessor(engine))
            return self._loop.run(guard_text(guard, text))

    async def guard_stream(self, chunks: Chunks, *, removal: str = "bracket") -> AsyncGenerator[GuardEvent]:
        """Yield the events of generated text: text at once, placeholders for citations, and their patches."""
        async with (
            self._open_guard(removal) as guard,
            aclosing(stream_guarded(guard, _iterate_chunks(chunks), self._loop.arun)) as events,
        ):
            async for event in events:
                yield event

    async def ground_stream(
        self, chunks: Chunks, *, removal: str = "bracket"
    ) -> AsyncGenerator[ReleasedText]:
        """Yield what may be shown of generated text, in order: what follows an open citation waits for it.

        For readers that cannot patch what they have shown; `guard_stream` does not wait.
        """
        async with self._open_guard(removal) as guard:
            async for chunk in _iterate_chunks(chunks):
                for released in await self._loop.arun(guard.feed(chunk)):
                    yield released
            for released in await self._loop.arun(guard.finish()):
                yield released

    def render(self, answer: object, **options: Unpack[RenderOptions]) -> RenderedText:
        """Return a model's answer as a reader may see it: its `[[cite:KEY]]` written from verified records.

        `answer` is text, a structured answer (docs/spec/answer.schema.json), or a tool call or reply with
        one. See docs/language-models.md.
        """
        with self._lend_engine(GROUNDING) as engine:
            prepared = self._prepare_answer(engine, answer, options)
            return self._loop.run(render_answer(engine, *prepared))

    async def arender(self, answer: object, **options: Unpack[RenderOptions]) -> RenderedText:
        """Return a model's answer as a reader may see it; the caller's loop continues meanwhile."""
        async with self._alend_engine(GROUNDING) as engine:
            prepared = await asyncio.to_thread(self._prepare_answer, engine, answer, options)
            return await self._loop.arun(render_answer(engine, *prepared))

    async def render_stream(
        self, chunks: Chunks, **options: Unpack[RenderOptions]
    ) -> AsyncGenerator[RenderedPart]:
        """Yield what may be shown of an answer as it comes, markers replaced; at the end the list."""
        async with self._alend_engine(GROUNDING) as engine:
            _, finder, writer = await asyncio.to_thread(self._prepare_answer, engine, "", options)
            renderer = AnswerRenderer(engine, finder, writer)
            try:
                async for chunk in _iterate_chunks(chunks):
                    for part in await self._loop.arun(renderer.feed(chunk)):
                        yield part
                for part in await self._loop.arun(renderer.finish()):
                    yield part
            finally:
                await self._loop.arun(renderer.close())

    def close(self) -> None:
        """Close snapshots and connections; a second call does nothing."""
        with self._lock:
            engine, self._engine, self._closed = self._engine, None, True
        try:
            if engine is not None:
                self._loop.run(engine.close())
        finally:
            self._loop.close()
            if self._library is not None:
                self._library.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.to_thread(self.close)

    def __repr__(self) -> str:
        return f"<Verifier {'offline' if self.settings.offline else 'online'}>"

    def _read_claims(self, subject: Claims) -> Document:
        if isinstance(subject, Mapping):
            return Document("hypothesis", serializers.dumps(dict(subject)))
        return self._make_document(subject)

    def _prepare_answer(
        self, engine: ReferenceVerifier, answer: object, options: RenderOptions
    ) -> tuple[str, FindWork, CitationWriter]:
        from citeproof.laboratory.measure.rendering.cited_text import make_citation_writer  # noqa: PLC0415 - takes its time

        proposed, csl, given = read_answer(answer), options.get("csl"), options.get("bibliography")
        writer = make_citation_writer(options.get("style"), Path(csl) if csl is not None else None)
        library = engine.extract(self._make_document(given)) if given is not None else None
        finder = make_work_finder(proposed, library, identifiers=options.get("identifiers", True))
        return proposed.text, finder, writer

    def _begin_check(self, engine: ReferenceVerifier, subject: Checkable) -> CheckSession:
        if isinstance(subject, Path | str) and os.path.isdir(subject):  # noqa: PTH112 - a text may be any length
            return begin_check(engine, read_documents([str(subject)], self.settings.max_document_bytes))
        if isinstance(subject, Document | Path | str | bytes):
            return begin_check(engine, [self._make_document(subject)])
        if hasattr(subject, "columns") and hasattr(subject, "to_dict"):  # a data frame: one work a row
            subject = cast("Several", subject.to_dict("records"))
        if not isinstance(subject, Iterable):
            raise UsageError(f"{type(subject).__name__} is nothing to check", place="check", hint=ITEMS)
        items = [subject] if isinstance(subject, Mapping) else subject
        return begin_list_check(engine, items, self._make_document)

    def _make_document(self, subject: Subject) -> Document:
        fetcher = DocumentFetcher(self.settings)
        document = make_document(subject, self.settings.max_document_bytes, fetcher)
        return replace(document, encoding=document.encoding or self.settings.encoding)

    def _take_engine(self, stage: str) -> ReferenceVerifier:
        """Return the engine that all calls share; with an audit log, one for this call, which is a run."""
        with self._lock:
            if self._closed:
                hint = "make a new one, or move the call into the with block"
                raise UsageError("this verifier is closed", place="Verifier", hint=hint)
            if self.settings.audit_dir is not None or self.settings.audit_run or self.settings.audit_anchors:
                return assemble(self.settings, stage=stage)
            if self._engine is None:
                self._engine = assemble(self.settings)
                self._assess = make_assessor(self._library, self._engine.text_finders, self._engine.reviewer)
            return self._engine

    def _choose_assessor(self, engine: ReferenceVerifier) -> AssessClaim | None:
        """Return what looks at texts; texts found over an engine's connections need that engine."""
        if engine is self._engine:
            return self._assess
        return make_assessor(self._library, engine.text_finders, engine.reviewer)

    @contextmanager
    def _lend_engine(self, stage: str) -> Iterator[ReferenceVerifier]:
        """Yield an engine for one call; one of its own ends with it, and then its log is sealed."""
        engine = self._take_engine(stage)
        try:
            yield engine
        finally:
            if engine is not self._engine:
                self._loop.run(engine.close())

    @asynccontextmanager
    async def _alend_engine(self, stage: str) -> AsyncGenerator[ReferenceVerifier]:
        engine = await asyncio.to_thread(self._take_engine, stage)
        try:
            yield engine
        finally:
            if engine is not self._engine:
                await self._loop.arun(engine.close())

    @asynccontextmanager
    async def _open_guard(self, removal: str) -> AsyncGenerator[TextGuard]:
        async with self._alend_engine(GROUNDING) as engine:
            guard = make_text_guard(engine, removal, self._choose_assessor(engine))
            try:
                yield guard
            finally:
                await self._loop.arun(guard.close())


async def _iterate_chunks(chunks: Chunks) -> AsyncGenerator[str]:
    if isinstance(chunks, AsyncIterable):
        async for chunk in chunks:
            yield chunk
    else:
        for chunk in chunks:
            yield chunk


def check(
    subject: Checkable, *, settings: Settings | None = None, **options: Unpack[SettingOptions]
) -> Report:
    """Return the report on a document or list, as `Verifier.check` does; for many, use one `Verifier`."""
    with Verifier(settings, **options) as verifier:
        return verifier.check(subject)


async def acheck(
    subject: Checkable, *, settings: Settings | None = None, **options: Unpack[SettingOptions]
) -> Report:
    """Return the report on one document; the caller's loop continues meanwhile."""
    async with Verifier(settings, **options) as verifier:
        return await verifier.acheck(subject)


def ground(
    subject: Claims, *, settings: Settings | None = None, **options: Unpack[SettingOptions]
) -> GroundedHypothesis:
    """Return the decided claims, as `Verifier.ground` does; for many, one `Verifier` is faster."""
    with Verifier(settings, **options) as verifier:
        return verifier.ground(subject)


async def aground(
    subject: Claims, *, settings: Settings | None = None, **options: Unpack[SettingOptions]
) -> GroundedHypothesis:
    """Return the decided claims; the caller's loop continues meanwhile."""
    async with Verifier(settings, **options) as verifier:
        return await verifier.aground(subject)


class RenderSettings(RenderOptions, SettingOptions, total=False):
    """How an answer is rendered, and settings by keyword."""


def render(
    answer: object, *, settings: Settings | None = None, **given: Unpack[RenderSettings]
) -> RenderedText:
    """Return an answer with its citations, as `Verifier.render` does; for many, one `Verifier` is faster."""
    how, options = _split_options(given, RenderOptions)
    with Verifier(settings, **options) as verifier:
        return verifier.render(answer, **how)


async def arender(
    answer: object, *, settings: Settings | None = None, **given: Unpack[RenderSettings]
) -> RenderedText:
    """Return a model's answer as a reader may see it; the caller's loop continues meanwhile."""
    how, options = _split_options(given, RenderOptions)
    async with Verifier(settings, **options) as verifier:
        return await verifier.arender(answer, **how)


class CitationOptions(CitationDetails, SettingOptions, total=False):
    """The fields of a citation, and settings by keyword."""


def verify(title: str = "", *, settings: Settings | None = None, **given: Unpack[CitationOptions]) -> Checked:
    """Return one citation, checked, as `Verifier.verify` does; for many, one `Verifier` is faster."""
    fields, options = _split_options(given, CitationDetails)
    with Verifier(settings, **options) as verifier:
        return verifier.verify(title, **fields)


async def averify(
    title: str = "", *, settings: Settings | None = None, **given: Unpack[CitationOptions]
) -> Checked:
    """Return one citation, checked; the caller's loop continues meanwhile."""
    fields, options = _split_options(given, CitationDetails)
    async with Verifier(settings, **options) as verifier:
        return await verifier.averify(title, **fields)


def _split_options(given: Mapping[str, Any], own: type[_Own]) -> tuple[_Own, SettingOptions]:
    """Return the keywords of a call, apart from the settings among them."""
    fields = {name: value for name, value in given.items() if name in own.__annotations__}
    options = {name: value for name, value in given.items() if name not in fields}
    return cast("_Own", fields), cast("SettingOptions", options)
