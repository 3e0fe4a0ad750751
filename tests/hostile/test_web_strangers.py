"""The web page where somebody's document, link or network does harm."""

from __future__ import annotations

import re
import threading
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from citeproof.reading.extractors.exhibits.exhibit_images import PagePicture
from citeproof.surfaces.web import document_view
from tests.surfaces.web.web_server import OWN, PATIENCE, open_web_server

pytestmark = pytest.mark.slow

PDF = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n"
WAITING = 40  # requests: more than the threads that a loop has


@pytest.fixture
def guarded(tmp_path, doi_snapshot):
    with open_web_server(tmp_path / "jobs", doi_snapshot, people=("ann",)) as web:
        yield web


@pytest.mark.parametrize("asked", ["pages/{}.png", "document?page={}"])
def test_documents_that_are_slow_to_draw_keep_no_other_page_waiting(guarded, monkeypatch, asked):
    """Medium: a few slow pages of a PDF took all threads, and with them the whole server."""
    run, begun, go_on = guarded.check(("slow.pdf", PDF)), threading.Event(), threading.Event()

    def draw_slowly(_data, number):
        begun.set()
        assert go_on.wait(PATIENCE)
        return PagePicture(number, 10.0, 10.0, b"picture")

    monkeypatch.setattr(document_view, "draw_page", draw_slowly)
    limits = httpx.Limits(max_connections=None)
    token = {"Authorization": "Bearer ann"}
    with (
        httpx.Client(base_url=guarded.address, timeout=PATIENCE, limits=limits, headers=token) as client,
        ThreadPoolExecutor(WAITING) as people,
    ):
        try:
            slow = [people.submit(client.get, f"{run}/{asked.format(n)}") for n in range(1, WAITING + 1)]
            assert begun.wait(PATIENCE)
            assert guarded.client.get("/", timeout=30.0).status_code == 200
            assert guarded.client.get(run, timeout=30.0).status_code == 200
        finally:
            go_on.set()
        assert {one.result().status_code for one in slow} == {200}


@pytest.mark.parametrize(
    ("origin", "secure"),
    [("https://{}", True), ("HTTPS://{}", True), ("http://{}", False)],
)
def test_a_token_that_was_given_over_tls_is_never_sent_without_it(guarded, origin, secure):
    """Medium: behind a proxy with TLS the cookie was also sent to http addresses of the same name."""
    host = guarded.address.removeprefix("http://")
    sent = {**OWN, "Origin": origin.format(host)}
    for path in ("/login", "/logout"):
        answer = guarded.client.post(path, data={"token": "ann"}, headers=sent)
        assert answer.status_code == 303
        assert bool(re.search(r"; Secure\b", answer.headers["set-cookie"])) is secure
