"""The door on standard input and output, for a client that starts `citeproof mcp` itself."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from mcp.server.stdio import stdio_server

from citeproof.service.engine_pool import EnginePool
from citeproof.settings import Settings
from citeproof.surfaces.mcp.allowed_files import AllowedFiles
from citeproof.surfaces.mcp.tool_call import ToolDesk
from citeproof.surfaces.mcp.tool_server import make_server

SECONDS: Final = 1800.0  # that one call may take; the client may give up sooner


def serve_stdio(settings: Settings, roots: Sequence[Path], *, strict: bool, allow_llm: bool) -> None:
    """Serve one client until it closes its end."""
    files = AllowedFiles(roots, settings.max_document_bytes)
    desk = ToolDesk(EnginePool(settings), files, strict=strict, seconds=SECONDS)
    try:
        asyncio.run(_serve_client(desk, allow_llm=allow_llm))
    finally:
        desk.pool.close()


async def _serve_client(desk: ToolDesk, *, allow_llm: bool) -> None:
    server = make_server(desk, lambda _: allow_llm)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())
