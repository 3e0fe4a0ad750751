"""One request on the wire: nothing of the machine around it goes with it."""

from __future__ import annotations

import asyncio
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from citeproof.plumbing.net.http_transport import HttpTransport
from citeproof.plumbing.net.message import Request

NETRC = "machine 127.0.0.1 login somebody password canary-9f3b\ndefault login anybody password canary-9f3b\n"


@pytest.fixture
def server():
    class Noting(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append({name.lower(): value for name, value in self.headers.items()})
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    seen: list[dict[str, str]] = []
    made = ThreadingHTTPServer(("127.0.0.1", 0), Noting)
    Thread(target=made.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{made.server_port}/", seen
    made.shutdown()
    made.server_close()


async def _send(url):
    transport = HttpTransport("citeproof", 60.0)
    try:
        return await transport.send(Request("x", url, ("*/*",)))
    finally:
        await transport.close()


def test_no_netrc_and_no_proxy_variable_is_read(server, tmp_path, monkeypatch):
    url, seen = server
    for folder in (tmp_path / "home", tmp_path / "repository"):
        folder.mkdir()
        for name in (".netrc", "_netrc"):
            (folder / name).write_text(NETRC)
            (folder / name).chmod(0o600)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("NETRC", str(tmp_path / "repository" / ".netrc"))
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://somebody:canary-9f3b@127.0.0.1:9")
        monkeypatch.setenv(name.upper(), "http://somebody:canary-9f3b@127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "")
    monkeypatch.chdir(tmp_path / "repository")
    assert asyncio.run(_send(url)).status == 200
    assert len(seen) == 1
    assert not {"authorization", "proxy-authorization", "cookie"} & set(seen[0])
    assert "canary" not in str(seen)


def test_a_session_that_opens_while_the_transport_closes_is_closed_as_well():
    closed = []

    class LateSession:
        def __init__(self, name, then=lambda: None):
            self.name, self.then = name, then

        async def close(self):
            closed.append(self.name)
            self.then()

    transport = HttpTransport("citeproof", 60.0)
    late = LateSession("late")
    transport._sessions = {False: LateSession("first", lambda: transport._sessions.update({True: late}))}
    asyncio.run(transport.close())
    assert closed == ["first", "late"]
    assert not transport._sessions
