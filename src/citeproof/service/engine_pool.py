"""Engines that stay open between requests: snapshots and connections are opened once for all interfaces.

With an audit log each run has an engine of its own, since a run is sealed when its engine is closed.
Everything asynchronous of an engine runs in `loop`, a thread of its own: `await pool.loop.arun(…)`.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import TypeVar

from citeproof.claims.grounding import AssessClaim
from citeproof.errors import UsageError
from citeproof.evidence.index.lists.list_store import InstalledList
from citeproof.plumbing.background import BackgroundLoop
from citeproof.plumbing.clock import SystemClock
from citeproof.service.assemble import assemble, make_reader
from citeproof.service.assemble.source_choice import make_assessor, open_text_library
from citeproof.settings import Settings
from citeproof.verifier import ReferenceVerifier

_Result = TypeVar("_Result")


class EnginePool:
    """The engines of one process. Safe between threads."""

    def __init__(self, settings: Settings) -> None:
        self.settings = replace(settings, audit_run="")
        self.loop = BackgroundLoop("citeproof")
        self.read_document = make_reader(self.settings)  # logs nothing
        self._library = open_text_library(self.settings)
        self._shared: dict[str, ReferenceVerifier] = {}  # by stage if a model may be asked, else by ""
        self._lock = threading.Lock()
        self._closed = False

    @property
    def logs(self) -> bool:
        return self.settings.audit_dir is not None

    def take(
        self, stage: str, run: str = "", *, llm: bool = False, resumed: Mapping[str, int] | None = None
    ) -> ReferenceVerifier:
        """Return an engine, to be given back; opens files, so call it in a thread. Names as in `assemble`."""
        settings = self.settings if llm else replace(self.settings, llm="")
        if self.logs:
            return assemble(replace(settings, audit_run=run), stage=stage, resumed=resumed)
        with self._lock:
            if self._closed:
                raise UsageError("the server is closing", place="server", hint="try again in a while")
            key = stage if settings.llm else ""
            if key not in self._shared:
                self._shared[key] = assemble(settings, stage=stage)
            return _renew_lists(self._shared[key])

    def prepare(self) -> None:
        """Open what every request needs; CiteproofError if something is missing or cannot be written."""
        folder = self.settings.audit_dir
        if folder is None:
            self.take("check")
            return
        self.loop.run(assemble(replace(self.settings, llm=""), stage=None).close())
        from citeproof.proof.audit.log_setup import open_log  # noqa: PLC0415 - a server without a log need not load it

        with open_log(self.settings, folder, SystemClock()) as log:
            log.is_committed()  # so that the key is read

    def find_refusal(self) -> UsageError | None:
        """Return why claims and answers of models are refused here; None if they are not."""
        if self.logs or not self.settings.offline:
            return None
        try:
            self.take("check").require_retractions()
        except UsageError as error:
            return error
        return None

    async def take_quickly(self, stage: str, *, llm: bool = False) -> ReferenceVerifier:
        """Return an engine in an event loop: at once if it is open, else a thread opens it."""
        shared = None if self.logs else self._shared.get(stage if llm and self.settings.llm else "")
        if shared is not None:
            return _renew_lists(shared)
        return await asyncio.to_thread(self.take, stage, llm=llm)

    def make_assessor(self, engine: ReferenceVerifier) -> AssessClaim | None:
        """Return what looks at the texts of cited works; None if there are none to look at."""
        return make_assessor(self._library, engine.text_finders, engine.reviewer)

    async def run(
        self, stage: str, work: Callable[[ReferenceVerifier], Awaitable[_Result]], *, llm: bool = False
    ) -> _Result:
        """Return what `work` makes of an engine; nothing of it runs in the caller's loop."""
        engine = await self.take_quickly(stage, llm=llm)

        async def run() -> _Result:
            try:
                return await work(engine)
            finally:
                await self.give_back(engine)

        return await self.loop.arun(run())

    async def give_back(self, engine: ReferenceVerifier) -> None:
        """Take an engine back; one of its own run is closed, which seals its log. In the pool's loop."""
        if all(engine is not shared for shared in self._shared.values()):
            await engine.close()

    def close(self) -> None:
        with self._lock:
            engines, self._shared, self._closed = list(self._shared.values()), {}, True
        try:
            for engine in engines:
                self.loop.run(engine.close())
        finally:
            self.loop.close()


def _renew_lists(engine: ReferenceVerifier) -> ReferenceVerifier:
    """Return a shared engine that asks the lists that are installed now."""
    for one in engine.lists:
        if isinstance(one, InstalledList):
            one.renew()
    return engine
