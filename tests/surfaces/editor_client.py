"""An editor with its server: a client of the language server that keeps what it is told."""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import asynccontextmanager

import pytest
from lsprotocol import types
from pygls.lsp.client import LanguageClient
from pygls.protocol import default_converter

SECONDS = 120  # a loaded machine is slow; nothing waits so long that works


def _make_converter():
    """Return lsprotocol's converter, which takes every action with a command for a bare command, mended."""
    converter = default_converter()
    converter.register_structure_hook(
        types.Command | types.CodeAction,
        lambda value, _: converter.structure(
            value, types.Command if isinstance(value.get("command"), str) else types.CodeAction
        ),
    )
    return converter


class Editor(LanguageClient):
    """A client that keeps what the server tells."""

    def __init__(self) -> None:
        super().__init__("editor", "1", converter_factory=_make_converter)
        self.told: dict[str, list[list[types.Diagnostic]]] = {}
        self.messages: list[str] = []
        self.news = asyncio.Condition()

        @self.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        async def _publish(params: types.PublishDiagnosticsParams) -> None:
            async with self.news:
                self.told.setdefault(params.uri, []).append(list(params.diagnostics))
                self.news.notify_all()

        @self.feature(types.WINDOW_SHOW_MESSAGE)
        async def _show(params: types.ShowMessageParams) -> None:
            async with self.news:
                self.messages.append(params.message)
                self.news.notify_all()

    async def wait(self, until):
        async with self.news:
            await asyncio.wait_for(self.news.wait_for(until), SECONDS)

    async def open(self, path, times=1):
        """Open a file, and return its problems once it is checked."""
        uri, before = path.as_uri(), len(self.told.get(path.as_uri(), ()))
        self.show_document(path)
        await self.wait(lambda: len(self.told.get(uri, ())) >= before + times)
        return self.told[uri][-1]

    def show_document(self, path):
        """Open a file, and wait for nothing."""
        text = path.read_text(encoding="utf-8")
        self.text_document_did_open(
            types.DidOpenTextDocumentParams(types.TextDocumentItem(path.as_uri(), "any", 1, text))
        )

    async def hover(self, path, line, character):
        where = (types.TextDocumentIdentifier(path.as_uri()), types.Position(line, character))
        return await self.text_document_hover_async(types.HoverParams(*where))

    async def actions(self, path, problem):
        return await self.text_document_code_action_async(
            types.CodeActionParams(
                types.TextDocumentIdentifier(path.as_uri()), problem.range, types.CodeActionContext([problem])
            )
        )


@pytest.fixture
def editor(snapshot, tmp_path):
    """Return what starts an editor with its server; both end with the block."""

    @asynccontextmanager
    async def start(*flags, formats=("markdown", "plaintext")):
        client = Editor()
        home = str(tmp_path / "home")
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("CITEPROOF_")},
            **dict.fromkeys(("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "HOME"), home),
        }
        given = ("lsp", "--stdio", "--offline", "--snapshot", str(snapshot), *map(str, flags))
        await client.start_io(sys.executable, "-m", "citeproof", *given, env=environment, cwd=tmp_path)
        hover = types.HoverClientCapabilities(content_format=[types.MarkupKind(one) for one in formats])
        made = types.ClientCapabilities(text_document=types.TextDocumentClientCapabilities(hover=hover))
        try:
            root = tmp_path.as_uri()
            asked = types.InitializeParams(capabilities=made, root_uri=root)
            await asyncio.wait_for(client.initialize_async(asked), SECONDS)
            client.initialized(types.InitializedParams())
            yield client
        finally:
            await asyncio.wait_for(client.shutdown_async(None), SECONDS)
            client.exit(None)
            await asyncio.wait_for(client.stop(), SECONDS)

    return start
