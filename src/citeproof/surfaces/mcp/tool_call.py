"""One call of a tool, what serves it, and its answer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from citeproof.answers.serializers import Json
from citeproof.answers.serializers.model_traces import FORBIDDEN_CODE
from citeproof.errors import UsageError
from citeproof.service.engine_pool import EnginePool
from citeproof.surfaces.mcp.allowed_files import AllowedFiles
from citeproof.verifier import ReferenceVerifier

_T = TypeVar("_T")
ReportProgress = Callable[[float, float | None], Awaitable[None]]


class ToolRefusedError(UsageError):
    """A call that is not allowed; `code` is for programs."""

    def __init__(self, code: str, message: str, *, hint: str = "") -> None:
        super().__init__(message, place=code, hint=hint)
        self.code = code


async def _report_nothing(done: float, total: float | None) -> None:
    """Do nothing."""


@dataclass(frozen=True, slots=True)
class ToolDesk:
    """What all calls of one server share."""

    pool: EnginePool
    files: AllowedFiles
    strict: bool = False  # only the keys and verdicts that the compatible answer knows
    seconds: float | None = None  # that one call may take


@dataclass(frozen=True, slots=True)
class ToolCall:
    """The arguments of one call, and what its caller may do."""

    desk: ToolDesk
    arguments: Mapping[str, Any]
    may_screen: bool = False
    report_progress: ReportProgress = field(default=_report_nothing)

    @property
    def screen(self) -> bool:
        """Whether a language model is to be asked; `ToolRefusedError` where that is not allowed."""
        wanted = bool(self.arguments.get("screenWithLlm"))
        if wanted and not self.may_screen:
            hint = "leave screenWithLlm out, or start the server with --llm and --allow-llm"
            raise ToolRefusedError(FORBIDDEN_CODE, "screenWithLlm is not allowed here", hint=hint)
        return wanted

    async def run(
        self,
        stage: str,
        work: Callable[[ReferenceVerifier], Coroutine[Any, Any, _T]],
        *,
        screen: bool = False,
    ) -> _T:
        """Return what `work` makes of the engine."""
        pool = self.desk.pool
        engine = await pool.take_quickly(stage, llm=screen)

        async def run() -> _T:
            try:
                return await work(engine)
            finally:
                await pool.give_back(engine)

        return await pool.loop.arun(run())

    def make_progress_reporter(self) -> Callable[[int, int], None]:
        """Return what reports the progress to the client; it may be called in another thread."""
        loop = asyncio.get_running_loop()

        def tell(done: int, total: int) -> None:
            asyncio.run_coroutine_threadsafe(_report_done(self.report_progress, done, total), loop)

        return tell


async def _report_done(report: ReportProgress, done: int, total: int) -> None:
    await report(float(done), float(total))


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a tool returns: a JSON object, and a text in its place where a file is asked for."""

    payload: Json
    text: str | None = None
