"""Text that others wrote through the guard: what is shown that must not be, what is held back that may be.

    python bench/guard_answers.py FOLDER --snapshot works.snapshot --list retractions.csv [--show]

FOLDER has four files of JSON lines: `answers.jsonl` (answers with real and fabricated references),
`plain.jsonl` (text without any citation), `citing.jsonl` (paragraphs with the places of their citations) and
`evasions.jsonl` (fabricated references in odd spellings). A file that is not there is left out. Each text
goes through the guard whole and token by token. Intervals are Wilson's at 95 %.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import statistics
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import citeproof
from citeproof.claims.text_guard import GuardEvent
from citeproof.plumbing.clock import SystemClock, today
from citeproof.service.list_import import import_files
from citeproof.settings import load

FILES = ("answers", "plain", "evasions", "citing")
WINDOW = 5  # words of a title in a row that give it away
PACE = 0.02  # seconds between two tokens of a model

Row = dict[str, Any]


@dataclass
class Tally:
    """Counts of one line of the table, by kind, with the cases that failed."""

    failed: Counter[str] = field(default_factory=Counter)
    seen: Counter[str] = field(default_factory=Counter)
    cases: list[str] = field(default_factory=list)

    def add(self, kind: str, *, failed: int, seen: int = 1, case: str = "") -> None:
        self.failed[kind] += failed
        self.seen[kind] += seen
        if failed:
            self.cases.append(case)


@dataclass(frozen=True)
class GuardedRun:
    """What came out of the guard for one text."""

    text: str
    spans: tuple[tuple[int, int], ...]  # of the citations that it found, in the text that went in
    fed: int  # tokens that went in before the first word came out
    seconds: float  # of the guard's own work until then


def calculate_interval(failed: int, seen: int) -> tuple[float, float]:
    """Return Wilson's interval at 95 %."""
    if not seen:
        return 0.0, 1.0
    z, share = 1.96, failed / seen
    middle = share + z * z / (2 * seen)
    spread = z * (share * (1 - share) / seen + z * z / (4 * seen * seen)) ** 0.5
    below, above = (middle - spread) / (1 + z * z / seen), (middle + spread) / (1 + z * z / seen)
    return max(0.0, below), min(1.0, above)


def fold(text: str) -> str:
    """Return a text for searching: case and white space do not count."""
    return " ".join(text.casefold().split())


def list_traces(string: str) -> list[str]:
    """Return what gives a fabricated string away: all of it, or of a title any five words in a row."""
    words = fold(string.removeprefix("https://")).split()
    if len(words) <= WINDOW:
        return [" ".join(words)]
    return [" ".join(words[at : at + WINDOW]) for at in range(len(words) - WINDOW + 1)]


def split_tokens(text: str, seed: str) -> list[str]:
    """Return the text as a model sends it: pieces of one to six characters."""
    rng, pieces, at = random.Random(seed), [], 0
    while at < len(text):
        size = rng.randrange(1, 7)
        pieces.append(text[at : at + size])
        at += size
    return pieces


async def guard_chunks(verifier: citeproof.Verifier, chunks: Sequence[str]) -> GuardedRun:
    """Return what a reader sees of a text that comes in chunks, after every patch."""
    fed = 0

    def feed() -> Iterator[str]:
        nonlocal fed
        for chunk in chunks:
            fed += 1
            yield chunk

    parts: dict[tuple[int, int], GuardEvent] = {}  # what a reader sees, by its place and number
    first, began, seconds = 0, time.perf_counter(), 0.0
    async for event in verifier.guard_stream(feed()):
        if not first and event.state != "pending" and any(map(str.isalpha, event.text)):
            first, seconds = fed, time.perf_counter() - began
        parts[event.start, event.id or 0] = event  # a patch takes the place of what it patches
    spans = tuple((one.start, one.end) for event in parts.values() for one in event.citations)
    text = "".join(parts[place].text for place in sorted(parts))
    return GuardedRun(text, spans, first or fed, seconds or time.perf_counter() - began)


def judge_answer(row: Row, out: str, way: str, tallies: dict[str, Tally]) -> None:
    """Count what an answer shows of its fabricated references and holds back of the rest."""
    shown, kind, name = fold(out), row["kind"], row["id"]
    real = [one for one in row["references"] if one["status"] == "real"]
    allowed = fold("\n".join([*(s for one in real for s in one["must_show"]), *row["plain_lines"]]))
    fabricated = [one for one in row["references"] if one["status"] == "fabricated"]
    leaks = [
        trace
        for one in fabricated
        for string in one["must_not_show"]
        for trace in list_traces(string)
        if trace in shown and trace not in allowed
    ]
    if fabricated:
        case = f"{name} {kind}: shows {leaks[:2]}"
        tallies[f"answers with a fabricated reference shown, {way}"].add(kind, failed=bool(leaks), case=case)
    for one in real:
        lost = [string for string in one["must_show"] if fold(string) not in shown]
        case = f"{name} {kind}: lost {lost}"
        tallies[f"real references held back, {way}"].add(kind, failed=bool(lost), case=case)
    gone = [line for line in row["plain_lines"] if fold(line) not in shown]
    tallies[f"lines of answers without a citation held back, {way}"].add(
        kind, failed=len(gone), seen=len(row["plain_lines"]), case=f"{name} {kind}: lost {gone[:2]}"
    )


def judge_citing(row: Row, run: GuardedRun, tallies: dict[str, Tally]) -> None:
    """Count the citations of a paragraph that the guard did not see."""
    text = row["text"]
    missed = [
        text[start:end]
        for start, end in row["citations"]
        if not any(one < end and start < other for one, other in run.spans)
    ]
    case = f"{row['id']} {row['kind']}: not seen {missed[:3]}"
    tallies["citations not seen"].add(row["kind"], failed=len(missed), seen=row["count"], case=case)


def judge_text(file: str, row: Row, run: GuardedRun, way: str, tallies: dict[str, Tally]) -> None:
    """Count one text of one file."""
    kind, name = row["kind"], row["id"]
    if file == "answers":
        judge_answer(row, run.text, way, tallies)
    elif file == "plain":
        changed = run.text != row["text"]
        at = next(
            (n for n, pair in enumerate(zip(run.text, row["text"], strict=False)) if len({*pair}) > 1), 0
        )
        case = f"{name} {kind}: {row['text'][max(0, at - 30) : at + 50]!r} -> {run.text[at : at + 50]!r}"
        tallies[f"plain texts changed, {way}"].add(kind, failed=changed, case=case)
    elif file == "evasions":
        shown = fold(run.text)
        leaks = [s for s in row["must_not_show"] if any(one in shown for one in list_traces(s))]
        case = f"{name} {kind}: shows {leaks}"
        tallies[f"evasive spellings not seen, {way}"].add(kind, failed=bool(leaks), case=case)
    elif way == "whole":
        judge_citing(row, run, tallies)


def measure_first_word(verifier: citeproof.Verifier, rows: Sequence[Row]) -> list[tuple[float, float]]:
    """Return (seconds until the first word, seconds of the whole text) of answers that begin with `[n]`."""
    times = []
    for row in rows:
        number = re.search(r"(?<!\])\[\d{1,2}\](?!\()", row["text"])
        if number is None or "numbers" not in row["kind"]:
            continue
        gap = " " if row["text"][0].isalnum() else "\n\n"  # a list or a quotation begins on its own line
        chunks = split_tokens(f"{number[0]} is where this begins.{gap}{row['text']}", row["id"])
        run = asyncio.run(guard_chunks(verifier, chunks))
        times.append((run.fed * PACE + run.seconds, len(chunks) * PACE))
    return times


def read_rows(folder: Path, file: str) -> list[Row]:
    path = folder / f"{file}.jsonl"
    lines = path.read_text("utf-8").split("\n") if path.exists() else []  # a text may hold U+2028
    return [json.loads(line) for line in lines if line]


def print_table(tallies: dict[str, Tally], *, by_kind: bool, show: bool) -> None:
    for name, tally in sorted(tallies.items()):
        failed, seen = tally.failed.total(), tally.seen.total()
        below, above = calculate_interval(failed, seen)
        share = failed / seen if seen else 0.0
        print(f"{name:<66} {failed:>4} of {seen:<5} {share:>6.1%}  [{below:.1%}, {above:.1%}]")
        if by_kind:
            for kind in sorted(tally.seen, key=lambda one: (-tally.failed[one], one)):
                print(f"    {kind:<62} {tally.failed[kind]:>4} of {tally.seen[kind]}")
        if show:
            for case in tally.cases:
                print(f"    - {case}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--snapshot", type=Path, required=True)
    parser.add_argument("--list", type=Path, required=True, help="Retraction Watch's CSV")
    parser.add_argument("--only", choices=FILES, action="append", help="this file; may be repeated")
    parser.add_argument("--way", choices=("whole", "tokens"), action="append", help="default: both")
    parser.add_argument("--limit", type=int, help="texts of each file")
    parser.add_argument("--by-kind", action="store_true")
    parser.add_argument("--show", action="store_true", help="print what failed")
    wanted = parser.parse_args()
    tallies: dict[str, Tally] = defaultdict(Tally)
    times: list[tuple[float, float]] = []
    began = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        chosen = load({"offline": True, "snapshots": [wanted.snapshot], "cache_dir": folder})
        import_files(chosen, SystemClock(), [wanted.list], day=today(SystemClock()))
        with citeproof.Verifier(chosen) as verifier:
            for file in wanted.only or FILES:
                rows = read_rows(wanted.folder, file)[: wanted.limit]
                for way in wanted.way or ("whole", "tokens"):
                    if file == "citing" and way == "tokens":
                        continue
                    for row in rows:
                        chunks = [row["text"]] if way == "whole" else split_tokens(row["text"], row["id"])
                        run = asyncio.run(guard_chunks(verifier, chunks))
                        judge_text(file, row, run, way, tallies)
                if file == "answers":
                    times = measure_first_word(verifier, rows)
    print_table(tallies, by_kind=wanted.by_kind, show=wanted.show)
    if times:
        first, whole = (statistics.median(column) for column in zip(*times, strict=True))
        worst = max(one for one, _ in times)
        print(
            f"first word when [n] comes first and the list last ({1 / PACE:.0f} tokens/s, "
            f"{len(times)} answers): median {first:.1f} s, worst {worst:.1f} s, of {whole:.1f} s (median)"
        )
    print(f"{time.process_time() - began:.0f} s CPU")


if __name__ == "__main__":
    main()
