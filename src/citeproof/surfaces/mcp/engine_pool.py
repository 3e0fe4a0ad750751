"""The engine behind the tools: opened once, used by all calls, in a loop of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any, TypeVar

from citeproof.assemble import assemble
from citeproof.assemble.text_choice import make_assessor, open_text_library
from citeproof.background import BackgroundLoop
from citeproof.claims.grounding import AssessClaim
from citeproof.settings import Settings
from citeproof.verifier import ReferenceVerifier

_T = TypeVar("_T")


class EnginePool:
    """Lends the engine to one call at a time or to many at once.

    With an audit log each call is a run of its own, sealed before its answer is given. A language model is
    only in the engine of a call that may use it.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._loop = BackgroundLoop("mcp")
        self._lock = threading.Lock()
        self._shared: ReferenceVerifier | None = None
        self._library = open_text_library(settings)

    async def run(
        self,
        stage: str,
        work: Callable[[ReferenceVerifier], Coroutine[Any, Any, _T]],
        *,
        screen: bool = False,
    ) -> _T:
        """Return what `work` makes of an engine; the caller's loop continues meanwhile."""
        engine = await asyncio.to_thread(self._take_engine, stage)
        lent = engine if screen else replace(engine, reviewer=None)
        try:
            return await self._loop.arun(work(lent))
        finally:
            if engine is not self._shared:
                await self._loop.arun(engine.close())

    def make_assessor(self, engine: ReferenceVerifier) -> AssessClaim | None:
        """Return what looks at the texts of cited works, if the settings name any."""
        return make_assessor(self._library, engine.text_finders)

    def close(self) -> None:
        """Close snapshots and connections; a second call does nothing."""
        with self._lock:
            engine, self._shared = self._shared, None
        try:
            if engine is not None:
                self._loop.run(engine.close())
        finally:
            self._loop.close()

    def _take_engine(self, stage: str) -> ReferenceVerifier:
        chosen = self.settings
        if chosen.audit_dir is not None or chosen.audit_run or chosen.audit_anchors:
            return assemble(chosen, stage=stage)
        with self._lock:
            if self._shared is None:
                self._shared = assemble(chosen, stage=stage)
            return self._shared
