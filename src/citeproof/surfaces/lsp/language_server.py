"""The language server: it checks what is opened and saved, in the background, and answers from what is known.

A check waits a moment for the next save, is cancelled by a newer one, and runs in a thread of its own. The
editor's requests are answered from the last result; where the text has changed since, only what is still
there word for word.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path
from pygls.workspace import TextDocument

from citeproof.answers.serializers import get_version
from citeproof.errors import CiteproofError, InputError
from citeproof.plumbing.clock import SystemClock, today
from citeproof.service.accepted_problems import EditorIgnores
from citeproof.service.editor_check import (
    EditorCheck,
    EditorMark,
    GateChoice,
    check_in_editor,
    list_marks_at,
    make_editor_document,
    move_marks,
)
from citeproof.service.engine_pool import EnginePool
from citeproof.service.exit_codes import choose_policy
from citeproof.settings import Settings
from citeproof.surfaces.lsp.editor_answers import (
    CHECK,
    IGNORE,
    SOURCE,
    TextPositions,
    generate_ignore_actions,
    make_diagnostics,
    make_fix_action,
    make_hover,
)
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary.quick_dataclass import dataclass

SUFFIXES = (
    ".bib", ".bibtex", ".tex", ".ltx", ".latex", ".bbl", ".md", ".markdown", ".qmd", ".rmd", ".rst", ".rest",
    ".typ", ".txt", ".text", ".ris", ".nbib", ".json",
)  # fmt: skip
_WORKS = ('"issued"', '"DOI"')  # one of them is in each list of works that is JSON
WAIT = 0.3  # seconds to the next save, before a check begins
_FINGERPRINT = re.compile(r"[0-9a-f]{32}")
_LONGEST_URI = 300  # characters that are shown


@dataclass(frozen=True, slots=True)
class FileView:
    """What an editor shows of a check."""

    done: EditorCheck
    marks: list[EditorMark]
    diagnostics: list[types.Diagnostic]
    trouble: str = ""  # what is wrong with the ignore list


@dataclass(slots=True)
class OpenFile:
    """What is known about one open file."""

    task: asyncio.Task[None] | None = None  # the check that waits or runs
    view: FileView | None = None


class CitationServer(LanguageServer):
    """One editor's server. Everything here runs in the editor's loop; checks run in that of the pool."""

    def __init__(self, settings: Settings, pool: EnginePool) -> None:
        super().__init__(SOURCE, get_version())
        self._settings, self._pool = settings, pool
        self._policy = choose_policy(settings)
        self._ignores = EditorIgnores(settings.ignore_file)
        self._files: dict[str, OpenFile] = {}
        self._told: set[str] = set()

    def begin_check(self, uri: str) -> None:
        """Check an open file soon; a check of it that waits or runs is cancelled."""
        if not uri.lower().endswith(SUFFIXES):
            return
        file = self._files.setdefault(uri, OpenFile())
        if file.task is not None:
            file.task.cancel()
        file.task = asyncio.create_task(self._check(uri, file))

    def close_file(self, uri: str) -> None:
        """Forget a file that was closed, and take its problems from the editor's list."""
        file = self._files.pop(uri, None)
        if file is not None and file.task is not None:
            file.task.cancel()
        self._publish(uri, [])

    def answer_hover(self, uri: str, position: types.Position) -> types.Hover | None:
        """Return what is known about the reference at a position."""
        text, marks = self._find_marks(uri)
        at = list_marks_at(marks, TextPositions(text).find_offset(position))
        if not at:
            return None
        return make_hover(text, at[0], markdown=self._shows_markdown())

    async def list_actions(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        """Return the fixes and the acceptances for a range."""
        uri, wanted = params.text_document.uri, params.range
        text, marks = self._find_marks(uri)
        file, positions = self._files.get(uri), TextPositions(text)
        start, end = positions.find_offset(wanted.start), positions.find_offset(wanted.end)
        here = [mark for mark in marks if mark.start <= end and start <= mark.end]
        mine = [diagnostic for diagnostic in params.context.diagnostics if diagnostic.source == SOURCE]
        made: list[types.CodeAction] = []
        done = file.view.done if file is not None and file.view is not None else None
        if done is not None and done.text == text and here:
            narrow = min(here, key=lambda mark: mark.end - mark.start)
            for fix in await asyncio.to_thread(done.list_fixes, narrow.checked):
                target = uri if fix.path == done.document.name else from_fs_path(fix.path)
                if target and self._has_text(target, fix.text):
                    made.append(make_fix_action(fix, target, narrow.checked.key, mine))
        return [*made, *generate_ignore_actions(uri, mine)]

    async def accept_problem(self, fingerprint: str) -> None:
        """Accept one problem, and show the others again."""
        if not _FINGERPRINT.fullmatch(fingerprint):
            self._show_message("citeproof: there is no such problem to accept", types.MessageType.Error)
            return
        try:
            message = self._ignores.accept(fingerprint, today(SystemClock()))
        except (CiteproofError, OSError) as error:
            self._show_message(f"citeproof: {error}", types.MessageType.Error)
            return
        self._show_message(f"citeproof: the problem is accepted {message}", types.MessageType.Info)
        for uri, file in list(self._files.items()):
            if file.view is not None:
                self._show_view(uri, file, await asyncio.to_thread(self._make_view, file.view.done))

    async def _check(self, uri: str, file: OpenFile) -> None:
        await asyncio.sleep(WAIT)
        try:
            await self._check_text(uri, file)
        except CiteproofError as error:
            self._show_message(f"citeproof: {error}", types.MessageType.Error)
        except Exception as error:
            logging.getLogger(__name__).exception("a check failed")
            self._show_message(f"citeproof: {type(error).__name__}; see the log", types.MessageType.Error)

    async def _check_text(self, uri: str, file: OpenFile) -> None:
        document = self._find_document(uri)
        if document is None:
            self._files.pop(uri, None)
            self._show_message(f"citeproof: {uri[:_LONGEST_URI]} is not open", types.MessageType.Warning)
            return
        source, path = document.source, _find_path(uri)
        root = Path(self.workspace.root_path) if self.workspace.root_path else None
        named = make_editor_document(path, uri, source, root)
        if uri.lower().endswith(".json") and not any(sign in source for sign in _WORKS):
            return  # settings, or other data
        if warning := self._ignores.warn_of_list(root or Path()):
            self._show_message(f"citeproof: {warning}", types.MessageType.Warning)
        loop = asyncio.get_running_loop()

        def tell(part: EditorCheck) -> None:
            loop.call_soon_threadsafe(self._show_view, uri, file, self._make_view(part))

        if len(named.data) > self._settings.max_document_bytes:
            self._show_message(f"citeproof: {uri} is too large to be checked", types.MessageType.Warning)
            return
        done = await self._pool.loop.arun(check_in_editor(self._pool, named, source, tell))
        self._show_view(uri, file, await asyncio.to_thread(self._make_view, done))

    def _make_view(self, done: EditorCheck) -> FileView:
        """Return what is shown of a check; takes time where there are many references, so in a thread."""
        trouble = ""
        try:
            ignored = self._ignores.list_entries()
        except CiteproofError as error:
            ignored, trouble = (), str(error)
        gate = GateChoice(self._policy, frozenset(self._settings.fail_on), ignored, today(SystemClock()))
        marks = done.list_marks(gate)
        notes = done.list_notes(gate) if done.whole else []
        return FileView(done, marks, make_diagnostics(done.text, marks, notes), trouble)

    def _show_view(self, uri: str, file: OpenFile, view: FileView) -> None:
        if self._files.get(uri) is not file:  # closed meanwhile
            return
        if view.trouble:
            self._show_message(f"citeproof: {view.trouble}", types.MessageType.Error)
        file.view = view
        self._publish(uri, view.diagnostics)

    def _publish(self, uri: str, diagnostics: list[types.Diagnostic]) -> None:
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, diagnostics))

    def _find_document(self, uri: str) -> TextDocument | None:
        """Return an open file; another one is not read: it may be a pipe, or have no end."""
        document: TextDocument | None = self.workspace.text_documents.get(unquote(uri))
        return document

    def _find_marks(self, uri: str) -> tuple[str, list[EditorMark]]:
        """Return the text that an open file has now, and its marks in it."""
        document, file = self._find_document(uri), self._files.get(uri)
        text = document.source if document is not None else ""
        if document is None or file is None or file.view is None:
            return text, []
        if file.view.done.text == text:
            return text, file.view.marks
        return text, move_marks(file.view.marks, file.view.done.text, text)

    def _has_text(self, uri: str, text: str) -> bool:
        """Return whether a file has the text that edits were made for; one that is open may have another."""
        with suppress(OSError, UnicodeDecodeError, KeyError):
            return self.workspace.get_text_document(uri).source == text
        return False

    def _shows_markdown(self) -> bool:
        hover = self.client_capabilities.text_document and self.client_capabilities.text_document.hover
        formats = hover.content_format if hover else None
        return not formats or types.MarkupKind.Markdown in formats

    def _show_message(self, text: str, kind: types.MessageType) -> None:
        if text not in self._told or kind is types.MessageType.Info:  # each problem once
            self._told.add(text)
            self.window_show_message(types.ShowMessageParams(kind, text))


def _find_path(uri: str) -> Path | None:
    """Return where a file is; None if it has no place on this machine."""
    with suppress(ValueError):
        path = to_fs_path(uri) if uri.startswith("file:") else None
        return Path(path) if path and "\0" not in path else None
    return None


def make_language_server(settings: Settings, pool: EnginePool) -> CitationServer:
    """Return the server with everything that it answers."""
    server = CitationServer(settings, pool)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def _open(params: types.DidOpenTextDocumentParams) -> None:
        server.begin_check(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def _save(params: types.DidSaveTextDocumentParams) -> None:
        server.begin_check(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    async def _close(params: types.DidCloseTextDocumentParams) -> None:
        server.close_file(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def _hover(params: types.HoverParams) -> types.Hover | None:
        return server.answer_hover(params.text_document.uri, params.position)

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix]),
    )
    async def _actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        return await server.list_actions(params)

    @server.command(IGNORE)
    async def _ignore(uri: str, fingerprint: str) -> None:
        del uri  # a problem is the same in every file
        await server.accept_problem(fingerprint)

    @server.command(CHECK)
    async def _check(uri: str) -> None:
        server.begin_check(uri)

    return server


def serve_editor(settings: Settings) -> None:
    """Serve one editor on standard input and output until it closes its end."""
    pool = EnginePool(settings)
    try:
        make_language_server(settings, pool).start_io()
    except (OverflowError, MemoryError, ValueError) as error:  # a length that no message has
        hint = "see what the editor, or what is between, writes to standard input"
        raise InputError("is not a message of an editor", place="standard input", hint=hint) from error
    finally:
        pool.close()
