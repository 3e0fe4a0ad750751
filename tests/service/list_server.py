"""The home of a list on loopback, with the faults that homes have."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HEAD = "Title,Author,RetractionDate,RetractionDOI,OriginalPaperDOI,RetractionNature,Reason,\n"
NAME = "retraction_watch"
MODIFIED = "Mon, 17 Aug 2026 10:00:00 GMT"


def make_csv(count: int) -> bytes:
    """Return a list of that many notices."""
    rows = (f"T,A,1/2/2020 0:00,10.1000/n{n},10.1000/x{n},Retraction,+Fake Data;,\n" for n in range(count))
    return (HEAD + "".join(rows)).encode()


@dataclass
class ListServer:
    """What the home of the list does."""

    body: bytes
    tag: str = '"one"'
    modified: str = ""
    ranges: bool = True
    status: int = 0  # instead of any answer
    retry: str = ""  # Retry-After
    breaks: int = 0  # answers that break off in the middle
    slow: float = 0.0  # seconds before each answer but the first
    seen: list[dict[str, str]] = field(default_factory=list)
    url: str = ""

    def list_validators(self) -> dict[str, str]:
        """Return what names the file now."""
        told = {"ETag": self.tag, "Last-Modified": self.modified}
        return {name: value for name, value in told.items() if value}

    def is_known(self, given: dict[str, str]) -> bool:
        """Return whether the client has the file as it is now."""
        if "if-none-match" in given:
            return given["if-none-match"] == self.tag
        return bool(self.modified) and given.get("if-modified-since") == self.modified


@contextmanager
def serve_list(body: bytes) -> Iterator[ListServer]:
    """Yield a home that serves `body`."""
    served = ListServer(body)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            served.seen.append({name.lower(): value for name, value in self.headers.items()})
            given = served.seen[-1]
            body, span = served.body, given.get("range", "")
            if served.slow and len(served.seen) > 1:
                time.sleep(served.slow)
            if served.status:
                return self._send(served.status, b"", {"Retry-After": served.retry} if served.retry else {})
            if served.is_known(given):
                return self._send(304, b"", served.list_validators())
            same = given.get("if-range", served.tag or served.modified) in (served.tag, served.modified)
            if served.ranges and span and same:
                start, end = map(int, span.removeprefix("bytes=").split("-"))
                end = min(end, len(body) - 1)
                told = {**served.list_validators(), "Content-Range": f"bytes {start}-{end}/{len(body)}"}
                return self._send(206, body[start : end + 1], told)
            return self._send(200, body, served.list_validators())

        def _send(self, status, body, headers):
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if served.breaks and len(served.seen) > 1:
                served.breaks -= 1
                self.wfile.write(body[: len(body) // 2])
                self.close_connection = True
                return
            self.wfile.write(body)

        def log_message(self, *_):
            pass

        def handle_one_request(self):
            try:
                super().handle_one_request()
            except (BrokenPipeError, ConnectionResetError):  # the client was killed
                self.close_connection = True

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    served.url = f"http://127.0.0.1:{server.server_port}/list.csv"
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
