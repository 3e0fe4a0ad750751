"""Chromium under Playwright, and a server with the pages."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.browser.chrome import CHROMIUM
from tests.surfaces.conftest import snapshot as snapshot  # noqa: PLC0414 - the same fixture
from tests.surfaces.web.web_server import PATIENCE, WebServer, open_web_server

_FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --hide-scrollbars"
)


@pytest.fixture
def web(tmp_path, snapshot) -> Iterator[WebServer]:
    with open_web_server(tmp_path / "jobs", snapshot) as server:
        yield server


@pytest.fixture(scope="module")
def chromium() -> Iterator[object]:
    """Yield a browser for the tests of a module; each opens windows of its own."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE * 1000)

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=_FLAGS.split())
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium) -> Iterator[object]:
    """Yield a function that opens a new window; errors of its scripts and outside requests fail the test."""
    troubles: list[str] = []
    opened = []

    def make(web: WebServer, **options: object):
        context = chromium.new_context(base_url=web.address, **options)
        opened.append(context)
        context.set_default_timeout(PATIENCE * 1000)
        page = context.new_page()
        page.on("pageerror", lambda error: troubles.append(f"script: {error}"))
        page.on("dialog", lambda dialog: (troubles.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda asked: _note_foreign(asked.url, web.address, troubles))
        page.on("console", lambda told: told.type == "error" and troubles.append(f"console: {told.text}"))
        return page

    yield make
    for context in opened:
        context.close()
    assert not [one for one in troubles if "net::ERR_" not in one]  # as when a server was killed


def _note_foreign(url: str, address: str, troubles: list[str]) -> None:
    if not url.startswith(f"{address}/"):
        troubles.append(f"request to {url}")
