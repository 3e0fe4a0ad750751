"""A server of its own for each test of the web page: real jobs, a real store, a real socket."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.surfaces.web.web_server import WebServer, open_web_server


@pytest.fixture
def web(tmp_path, snapshot) -> Iterator[WebServer]:
    with open_web_server(tmp_path / "jobs", snapshot) as server:
        yield server
