"""A published snapshot on loopback, behind a mirror with the faults that mirrors have."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from citeproof.evidence.index.build import BuildInput, build

WORDS = ("graph", "neural", "stable", "quantum", "robust", "kernel", "sparse", "causal", "ocean", "logic")


def make_works(count: int, changed: frozenset[int] = frozenset()) -> list[dict[str, object]]:
    """Return made-up works; those of `changed` have another title, year and DOI."""
    works = []
    for n in range(count):
        salt = n * 7919 + (104_729 if n in changed else 0)
        words = [WORDS[(salt // 10**k + k * n) % len(WORDS)] for k in range(5)]
        title = f"{' '.join(words)} of type {salt}".capitalize()
        people = [f"Ann Author{n % 97}", f"Bo Writer{n % 89}"]
        works.append({"t": title, "a": people, "p": [[1990 + salt % 30, "Journal"]], "d": f"10.1000/{salt}"})
    return works


def build_snapshot(folder: Path, works: list[dict[str, object]], like: Path | None = None) -> Path:
    """Return the folder of a snapshot of `works`."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    dump = folder.with_suffix(".jsonl")
    dump.write_text("".join(json.dumps(work) + "\n" for work in works), encoding="utf-8")
    build([BuildInput("works", (dump,))], folder, name="works", **({"like": like} if like else {}))
    return folder


@dataclass
class Mirror:
    """What a mirror serves and how it fails: `answer` gets a path and its bytes, and returns what is sent.

    None is a 404, a number a status, "cut" half of the body, "drop" no answer at all.
    """

    folder: Path
    url: str = ""
    seen: Counter[str] = field(default_factory=Counter)
    answer: Callable[[str, bytes], bytes | int | str | None] = lambda _, data: data
    slow: float = 0.0  # seconds before each answer

    @property
    def host(self) -> str:
        return self.url.removeprefix("http://")


@contextmanager
def serve_folder(folder: Path) -> Iterator[Mirror]:
    """Yield a mirror of `folder`."""
    mirror = Mirror(folder)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            path = self.path.lstrip("/")
            mirror.seen[path] += 1
            time.sleep(mirror.slow)
            file = mirror.folder / path
            found = mirror.answer(path, file.read_bytes()) if file.is_file() else None
            if found == "drop":
                self.close_connection = True
                return
            cut = found == "cut"
            body = file.read_bytes() if cut else found if isinstance(found, bytes) else b""
            with suppress(ConnectionError):  # whoever asked has had enough, or was killed
                self.send_response(200 if body else found if isinstance(found, int) else 404)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body[: len(body) // 2] if cut else body)
                self.close_connection = cut

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    mirror.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield mirror
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
