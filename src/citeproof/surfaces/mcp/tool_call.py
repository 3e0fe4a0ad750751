"""One call of a tool, what serves it, the files that it may read, and its answer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from citeproof.answers.serializers import Json
from citeproof.answers.serializers.judgements import FORBIDDEN_CODE
from citeproof.errors import InputError, UsageError
from citeproof.service.engine_pool import EnginePool
from citeproof.service.input_documents import TEXT, read_document
from citeproof.vocabulary import Document
from citeproof.vocabulary.quick_dataclass import dataclass, field, replace

_MAX_PATH = 1000


class AllowedFiles:
    """Reads files below some folders, and no others; what lies outside is refused without a look at it."""

    def __init__(self, roots: Sequence[Path], max_bytes: int) -> None:
        """Take the folders; UsageError for one that is not there."""
        self._roots = tuple(_resolve_root(root) for root in roots)
        self._max_bytes = max_bytes

    def read_argument(
        self, arguments: Mapping[str, Any], read_text: Callable[[str, int], Document] | None = None
    ) -> Document:
        """Return the document that a call gives as `text` or names as `path`: one of them, not both."""
        text, path = arguments.get("text"), arguments.get("path")
        if (text is None) == (path is None):
            hint = "give the content as `text`, or the name of a file as `path`"
            raise UsageError("exactly one of them is needed", place="text, path", hint=hint)
        if path is not None:
            return self._read_file(path)
        content = str(text)
        if not content.strip():
            raise InputError("is empty", place="text", hint="give the content of the document")
        if read_text is not None:
            return read_text(content, self._max_bytes)
        return Document(TEXT, content.encode("utf-8", "replace"))

    def _read_file(self, path: str) -> Document:
        if not self._roots:
            hint = "give its content as `text`, or start the server with --root DIR"
            raise UsageError("this server may not read files", place="path", hint=hint)
        if "\0" in path or len(path) > _MAX_PATH or path.startswith("~"):
            raise self._make_refusal()
        for root in self._roots:
            try:
                file = (root / path).resolve()  # links are followed first: none leads out
            except (OSError, ValueError, RuntimeError):
                continue
            if file.is_relative_to(root) and (file.exists() or root is self._roots[-1]):
                name = file.relative_to(root).as_posix()  # its place on the disk is not shown
                try:
                    return replace(read_document(file, self._max_bytes, root), name=name)
                except InputError as error:
                    raise InputError(error.message, place=name, hint="check the name") from None
        raise self._make_refusal()

    def _make_refusal(self) -> UsageError:
        hint = "name a file below the folders of --root"
        return UsageError("is outside the folders that may be read", place="path", hint=hint)


def _resolve_root(root: Path) -> Path:
    real = root.expanduser().resolve()
    if not real.is_dir():
        raise UsageError("is not a folder", place=f"--root {root}", hint="name a folder that exists")
    return real


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
