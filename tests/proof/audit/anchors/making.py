"""Trees, checkpoints and loopback servers for the tests of anchors."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from citeproof.plumbing import signed_note
from citeproof.plumbing.clock import FixedClock
from citeproof.plumbing.signed_note import ED25519, SignerKey
from citeproof.proof.audit import merkle
from citeproof.proof.audit.anchors.base import AnchorContext
from citeproof.proof.audit.log_state import LogCheckpoint

ORIGIN = "example.org/log"
NOW = datetime(2026, 7, 1, 12, 30, tzinfo=UTC)
HOUR = "2026-07-01T12"


def keyed(name: str, kind: int = ED25519, *, other: bool = False) -> SignerKey:
    """Return the key of that name, the same in every process; the `other` is an impostor's."""
    return SignerKey(name, kind, hashlib.sha256(f"{name} {kind} {other}".encode()).digest())


class Tree:
    """A log in memory that can also be forked: the same origin and key, another history."""

    def __init__(self, size: int, key: SignerKey | None = None, *, fork: int | None = None) -> None:
        self.key = key or keyed(ORIGIN)
        cut = size if fork is None else fork
        entries = [b"%d" % n if n < cut else b"forked %d" % n for n in range(size)]
        self.leaves = [merkle.hash_leaf(entry) for entry in entries]

    @property
    def size(self) -> int:
        return len(self.leaves)

    def hashes(self, level: int, index: int) -> bytes:
        return merkle.compute_root(self.leaves[index << level : (index + 1) << level])

    def proof(self, old: int, new: int) -> list[bytes]:
        return merkle.prove_consistency(old, new, self.hashes)

    def root(self, size: int) -> bytes:
        return merkle.compute_root(self.leaves[:size])

    def text(self, size: int | None = None) -> str:
        size = self.size if size is None else size
        return LogCheckpoint(self.key.name, size, self.root(size)).body()

    def checkpoint(self, size: int | None = None) -> bytes:
        return signed_note.sign_note(self.text(size), self.key)


def around(folder: Path, tree: Tree | None = None, **more) -> AnchorContext:
    """Return a log's surroundings, with the time standing still."""
    return AnchorContext(folder, FixedClock(NOW), tree.proof if tree else None, **more)


Answering = Callable[[str, dict[str, str], bytes], tuple[int, str, bytes]]


@contextmanager
def serving(answer: Answering) -> Iterator[str]:
    """Yield the address of a server; `answer`: path, headers, body -> status, media type, body."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            status, media, out = answer(self.path, dict(self.headers), body)
            self.send_response(status)
            self.send_header("Content-Type", media)
            if 300 <= status < 400:
                self.send_header("Location", out.decode())
            self.send_header("Content-Length", str(len(out)))
            self.end_headers()
            try:
                self.wfile.write(out)
            except OSError:
                self.close_connection = True

        def do_GET(self) -> None:
            self.do_POST()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
