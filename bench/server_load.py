"""A server under load: half of what it can do for a minute, then ten times as much; its cost.

    python bench/server_load.py SNAPSHOT [--seconds 60] [--clients 200] [--only-hostile]

1. Unloaded: one request of /v1/verify after the other; their median.
2. Capacity: two clients that never pause.
3. Half the capacity, open loop (requests come at random times, whatever the server does), over 200
   connections: errors, p50 and p99, memory at the start and the end.
4. Ten times the capacity: how many are refused with 429 and `Retry-After`, p95 of those that are answered.
5. Processor time of /v1/check with 100 references, of the server and of the library.
6. One honest client, alone and while 200 clients of another process are slow, send too much or nonsense, or
   go away (`bench/hostile_clients.py`): its errors, median and p95. All have the same address and no token.

Times are from sending to the last byte; `sent_late` says by how much the load itself was late, which is a
sign of a machine that has other work.

Targets: no errors and p99 ≤ 20 × the unloaded median; p95 ≤ 3 ×; processor time ≤ 1.5 ×; of the honest client
no errors and p95 ≤ 3 × its median alone. The load is made on the same machine, which takes time from the
server.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

TITLES = (
    ("Deep Residual Learning for Image Recognition", "He", 2016),
    ("Attention Is All You Need", "Vaswani", 2017),
    ("Mask R-CNN", "He", 2017),
    ("You Only Look Once: Unified, Real-Time Object Detection", "Redmon", 2016),
    ("Densely Connected Convolutional Networks", "Huang", 2017),
    ("A work that nobody has written about citations", "Nobody", 2019),
)
REFERENCES, CHECKS = 100, 20


@dataclass
class LoadResult:
    """What came back."""

    seconds: list[float] = field(default_factory=list)  # of answers with 200
    statuses: Counter[int] = field(default_factory=Counter)
    told: int = 0  # refusals that say when to come again
    late: list[float] = field(default_factory=list)  # seconds by which requests were sent too late

    def find_percentile(self, share: float) -> float:
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("nan")


class Connection:
    """One connection that is kept: as little as HTTP needs, so that the load costs little."""

    def __init__(self, host: str, port: int) -> None:
        self._host, self._port = host, port
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def post(self, path: str, body: bytes, kind: str = "application/json") -> tuple[int, bytes, bytes]:
        """Return status, head and body."""
        if self._reader is None or self._writer is None:
            self._reader, self._writer = await asyncio.open_connection(self._host, self._port)
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\n"
        self._writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        answer = await self._reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", answer, re.IGNORECASE)
        assert length
        told = await self._reader.readexactly(int(length[1]))
        return int(answer[9:12]), answer, told


def make_body(number: int) -> bytes:
    title, author, year = TITLES[number % len(TITLES)]
    return json.dumps({"title": title, "author": author, "year": year}).encode()


async def send(connection: Connection, number: int, into: LoadResult, since: float) -> None:
    try:
        status, head, _ = await connection.post("/v1/verify", make_body(number))
    except (OSError, asyncio.IncompleteReadError):
        into.statuses[0] += 1
        return
    into.statuses[status] += 1
    into.told += status == 429 and b"retry-after" in head.lower()
    if status == 200:
        into.seconds.append(time.perf_counter() - since)


async def send_in_turn(host: str, port: int, clients: int, seconds: float) -> LoadResult:
    """Return what clients get that wait for each answer."""
    result = LoadResult()
    until = time.perf_counter() + seconds

    async def go_on() -> None:
        connection, number = Connection(host, port), 0
        while (now := time.perf_counter()) < until:
            await send(connection, number, result, now)
            number += 1

    await asyncio.gather(*(go_on() for _ in range(clients)))
    return result


async def send_open(host: str, port: int, clients: int, rate: float, seconds: float) -> LoadResult:
    """Return what comes back if requests come at random times at a rate, whatever the server does."""
    result, free = LoadResult(), asyncio.Queue[Connection]()
    for _ in range(clients):
        free.put_nowait(Connection(host, port))
    tasks: set[asyncio.Task[None]] = set()
    draw = random.Random(1)
    due = start = time.perf_counter()
    number = 0

    async def send_one(connection: Connection, number: int, since: float) -> None:
        await send(connection, number, result, since)
        free.put_nowait(connection)

    while due < start + seconds:
        wait = due - time.perf_counter()
        if wait > 0:
            await asyncio.sleep(wait)
        connection = await free.get()
        now = time.perf_counter()
        result.late.append(now - due)
        task = asyncio.create_task(send_one(connection, number, now))
        tasks.add(task)
        task.add_done_callback(tasks.discard)
        number += 1
        due += draw.expovariate(rate)
    await asyncio.gather(*tasks)
    return result


def read_process(pid: int) -> tuple[float, float]:
    """Return processor seconds and megabytes of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    ticks = os.sysconf("SC_CLK_TCK")
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return (int(fields[11]) + int(fields[12])) / ticks, pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def make_document() -> bytes:
    entries = []
    for number in range(REFERENCES):
        title, author, year = TITLES[number % len(TITLES)]
        extra = f" part {number}" if number >= len(TITLES) * 8 else ""
        entries.append(
            f"@article{{k{number}, title={{{title}{extra}}}, author={{{author}}}, year={{{year}}}}}"
        )
    return "\n".join(entries).encode()


LIBRARY = """
import sys, time, citeproof
from citeproof.vocabulary import Document
data = open(sys.argv[2], "rb").read()
with citeproof.Verifier(offline=True, snapshots=[sys.argv[1]]) as verifier:
    verifier.check(Document("refs.bib", data)).json()
    since = time.process_time()
    for _ in range(int(sys.argv[3])):
        citeproof.answers.serializers.dumps(verifier.check(Document("refs.bib", data)).json())
    print(time.process_time() - since)
"""


async def measure_checks(host: str, port: int, pid: int) -> float:
    """Return processor seconds of the server for the checks."""
    connection, document = Connection(host, port), make_document()
    before = 0.0
    for number in range(CHECKS + 1):
        status, _, body = await connection.post("/v1/check", document, "text/plain")
        assert status == 202, body
        run = json.loads(body)["id"]
        while True:
            reader, writer = await asyncio.open_connection(host, port)
            writer.write(
                f"GET /v1/runs/{run}/events HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()
            )
            events = await reader.read()
            writer.close()
            if b"event: end" in events:
                break
        if number == 0:
            before = read_process(pid)[0]
    return read_process(pid)[0] - before


async def measure_hostile(pid: int, host: str, port: int, options: argparse.Namespace) -> dict[str, object]:
    """Return what one client gets while others do harm."""
    await send_in_turn(host, port, 1, 2)
    before = await send_in_turn(host, port, 1, 5)
    alone = statistics.median(before.seconds)
    command = [sys.executable, str(Path(__file__).with_name("hostile_clients.py")), str(port)]
    command += ["--clients", str(options.clients), "--seconds", str(options.hostile_seconds + 4)]
    others = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: ASYNC220 - begins at once
    await asyncio.sleep(2)
    spent = read_process(pid)[0]
    honest = await send_in_turn(host, port, 1, options.hostile_seconds)
    spent = read_process(pid)[0] - spent
    answers = await asyncio.to_thread(others.communicate)
    return {
        "hostile_clients": options.clients,
        "server_cpu_share": round(spent / options.hostile_seconds, 2),
        "their_answers": json.loads(answers[0]),
        "honest": {
            "statuses": dict(honest.statuses),
            "errors": honest.statuses.total() - honest.statuses[200],
            "alone_median_ms": round(alone * 1000, 2),
            "alone_p95_ms": round(before.find_percentile(0.95) * 1000, 2),
            "p50_ms": round(honest.find_percentile(0.5) * 1000, 2),
            "p95_ms": round(honest.find_percentile(0.95) * 1000, 2),
            "p95_to_alone_median": round(honest.find_percentile(0.95) / alone, 1),
        },
    }


async def measure(pid: int, host: str, port: int, options: argparse.Namespace) -> dict[str, object]:
    hostile = await measure_hostile(pid, host, port, options)
    if options.only_hostile:
        return hostile
    await send_in_turn(host, port, 1, 2)
    alone = statistics.median((await send_in_turn(host, port, 1, 5)).seconds)
    capacity = len((await send_in_turn(host, port, 2, 10)).seconds) / 10
    memory = read_process(pid)[1]
    half = await send_open(host, port, options.clients, capacity / 2, options.seconds)
    after = read_process(pid)[1]
    over = await send_open(host, port, options.clients, capacity * 10, options.overload_seconds)
    checks = await measure_checks(host, port, pid)
    return {
        "unloaded_median_ms": round(alone * 1000, 2),
        "capacity_per_s": round(capacity, 1),
        "half": {
            "statuses": dict(half.statuses),
            "p50_ms": round(half.find_percentile(0.5) * 1000, 2),
            "p99_ms": round(half.find_percentile(0.99) * 1000, 2),
            "p99_to_unloaded_median": round(half.find_percentile(0.99) / alone, 1),
            "sent_late_median_ms": round(statistics.median(half.late) * 1000, 2),
            "memory_mb": [round(memory), round(after)],
        },
        "ten_times": {
            "statuses": dict(over.statuses),
            "429_with_retry_after": over.told,
            "p95_ms": round(over.find_percentile(0.95) * 1000, 2),
            "p95_to_unloaded_median": round(over.find_percentile(0.95) / alone, 1),
            "sent_late_median_ms": round(statistics.median(over.late) * 1000, 2),
            "p95_to_half_p95": round(over.find_percentile(0.95) / half.find_percentile(0.95), 1),
        },
        "check_cpu_s": round(checks, 2),
        **hostile,
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("snapshot")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--overload-seconds", type=float, default=20)
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--hostile-seconds", type=float, default=20)
    parser.add_argument("--only-hostile", action="store_true", help="measure point 6 alone")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable, "-m", "citeproof", "serve", "-q", "--port", "0", "--offline", "--rate", "100000",
            "--snapshot", options.snapshot, "--store", f"{folder}/jobs",
        ]  # fmt: skip
        server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        try:
            assert server.stderr
            address = re.search(r"http://([\d.]+):(\d+)/", server.stderr.readline())
            assert address
            time.sleep(3)
            told = asyncio.run(measure(server.pid, address[1], int(address[2]), options))
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(60)
        told["load_average"] = os.getloadavg()[0]
        if options.only_hostile:
            print(json.dumps(told, indent=2))
            return
        document = Path(folder) / "refs.bib"
        document.write_bytes(make_document())
        library = subprocess.run(
            [sys.executable, "-c", LIBRARY, options.snapshot, str(document), str(CHECKS)],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        told["check_cpu_library_s"] = round(float(library.stdout), 2)
        told["check_cpu_ratio"] = round(float(told["check_cpu_s"]) / float(library.stdout), 2)  # type: ignore[arg-type]
    print(json.dumps(told, indent=2))


if __name__ == "__main__":
    main()
