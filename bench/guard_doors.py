"""Answers of language models through every door of the guard: is the text the same, and the verdicts?

    python bench/guard_doors.py FOLDER… --snapshot works.snapshot --list retractions.csv [--most 200]

FOLDER has `answers.jsonl`, as for `bench/guard_answers.py`. Each answer goes through Python, whole and token
by token, the command line as text and as events, REST as JSON and as events, the web page and MCP.
Printed are the answers and citations, and each door that says something else than Python does.
"""

from __future__ import annotations

import argparse
import asyncio
import html
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx2 as httpx
from mcp import Client
from mcp.client.stdio import StdioServerParameters

import citeproof
from citeproof.plumbing.clock import SystemClock, today
from citeproof.service.list_import import import_files
from citeproof.settings import load
from guard_answers import guard_chunks, read_rows, split_tokens

COMMAND = [sys.executable, "-m", "citeproof"]
PATIENCE = 60  # seconds that a server may take to begin
SHOWN = re.compile(r"<textarea[^>]* readonly>\n(.*?)</textarea>", re.DOTALL)

Said = tuple[str, tuple[tuple[int, int, str, bool], ...]]  # the text, and each citation


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--snapshot", type=Path, required=True)
    parser.add_argument("--list", type=Path, required=True, help="Retraction Watch's CSV")
    parser.add_argument("--most", type=int, default=200, help="answers")
    wanted = parser.parse_args()
    answers = [row["text"] for folder in wanted.folders for row in read_rows(folder, "answers")]
    answers = answers[: wanted.most]
    with tempfile.TemporaryDirectory() as home:
        set_up = dict.fromkeys(("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"), home)
        set_up |= {"CITEPROOF_OFFLINE": "1", "CITEPROOF_SNAPSHOT": str(wanted.snapshot.resolve())}
        os.environ |= set_up  # noqa: TID251 - of the commands below, too
        import_files(load(), SystemClock(), [wanted.list], day=today(SystemClock()))
        compare_doors(answers, Path(home))


def compare_doors(answers: Sequence[str], home: Path) -> None:
    with citeproof.Verifier() as verifier:
        whole = [ask_python(verifier, text) for text in answers]
        print(f"{len(answers)} answers, {sum(len(cited) for _, cited in whole)} citations:", end=" ")
        print(dict(Counter(status for _, cited in whole for _, _, status, _ in cited)))
        chunks = [split_tokens(text, str(number)) for number, text in enumerate(answers)]
        streamed = [asyncio.run(guard_chunks(verifier, pieces)).text for pieces in chunks]
    texts = [text for text, _ in whole]
    tell_differences("Python, tokens", streamed, texts)
    tell_differences("command line, text", [run_command(text, "text") for text in answers], texts)
    events = [read_events(map(json.loads, run_command(text, "jsonl").splitlines())) for text in answers]
    tell_differences("command line, events", events, whole)
    with RunningServer(home) as client:
        asked = [client.post("/v1/guard", json={"text": text}).json() for text in answers]
        tell_differences("REST", [sum_up(answer) for answer in asked], whole)
        headers = {"Accept": "text/event-stream"}
        posted = [client.post("/v1/guard", json={"text": text}, headers=headers).text for text in answers]
        tell_differences("REST, events", [read_events(read_sent(text)) for text in posted], whole)
        own = {"Sec-Fetch-Site": "same-origin"}  # as a browser says of a form of ours
        forms = [{"kind": "guard", "text": text} for text in answers]
        pages = [client.post("/runs", data=form, headers=own).text for form in forms]
        tell_differences("web page", [read_page(page) for page in pages], [fold(text) for text in texts])
    tell_differences("MCP", asyncio.run(ask_mcp(answers)), whole)


def tell_differences(door: str, said: Sequence[Any], wanted: Sequence[Any]) -> None:
    other = [number for number, pair in enumerate(zip(said, wanted, strict=True)) if pair[0] != pair[1]]
    print(
        f"{door:<22} {len(said) - len(other)} of {len(said)} the same"
        + (f"; other: {other[:20]}" if other else "")
    )


def ask_python(verifier: citeproof.Verifier, text: str) -> Said:
    guarded = verifier.guard(text)
    cited = ((one.start, one.end, one.status.value, one.shown) for one in guarded.citations)
    return guarded.text, tuple(cited)


def sum_up(answer: dict[str, Any]) -> Said:
    cited = ((one["start"], one["end"], one["status"], one["shown"]) for one in answer["details"])
    return answer["text"], tuple(cited)


def read_events(events: Iterator[dict[str, Any]]) -> Said:
    """Return what a reader sees who follows the protocol."""
    parts: dict[tuple[int, int], str] = {}
    cited: dict[int, list[dict[str, Any]]] = {}
    for event in events:
        parts[event["start"], event.get("id", 0)] = event["text"]
        if "id" in event:
            cited[event["id"]] = event.get("citations", [])
    details = [each for number in sorted(cited) for each in cited[number]]
    return sum_up({"text": "".join(parts[place] for place in sorted(parts)), "details": details})


def read_sent(text: str) -> Iterator[dict[str, Any]]:
    lines = (line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data: "))
    return map(json.loads, lines)


def run_command(text: str, form: str) -> str:
    command = [*COMMAND, "guard", "-", "--format", form]
    return subprocess.run(command, input=text.encode(), capture_output=True, check=False).stdout.decode()


def read_page(page: str) -> str:
    shown = SHOWN.search(page)
    return fold(html.unescape(shown[1])) if shown else page[:200]


def fold(text: str) -> str:
    return "\n".join(text.splitlines()).strip()


class RunningServer:
    """A server of its own, and a client that asks it."""

    def __init__(self, home: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        words = ["serve", "--port", str(port), "--store", str(home / "server"), "--rate", "1000"]
        self._server = subprocess.Popen(
            [*COMMAND, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self._client = httpx.Client(
            base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE, follow_redirects=True
        )

    def __enter__(self) -> httpx.Client:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                self._client.get("/health")
            except httpx.TransportError:
                time.sleep(0.2)
            else:
                return self._client
        raise TimeoutError("the server does not answer")

    def __exit__(self, *_: object) -> None:
        self._client.close()
        self._server.terminate()
        self._server.wait()


async def ask_mcp(answers: Sequence[str]) -> list[Said]:
    server = StdioServerParameters(command=COMMAND[0], args=[*COMMAND[1:], "mcp"], env=dict(os.environ))  # noqa: TID251 - same
    async with Client(server) as client:
        asked = [await client.call_tool("guardText", {"text": text}) for text in answers]
    return [sum_up(answer.structured_content or {}) for answer in asked]


if __name__ == "__main__":
    main()
