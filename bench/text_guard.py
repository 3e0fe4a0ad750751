"""Generated paragraphs with invented references through the guard: is any of them released?

    python bench/text_guard.py --works works.jsonl.zst --snapshot works.snapshot --list retractions.csv

Each paragraph cites real works and invented ones in one of six forms: authors and years with and without a
list, numbers with a list, DOIs, links, footnotes. An invented reference has a title of two halves, people of
several works as authors and a DOI that nobody registered. It is released if its title, its DOI or its authors
with the year are in the text that is shown. How many real
ones pass is printed too: a guard that holds back all is none.

The last lines say when the first word is shown of paragraphs that begin with `[1]` and end with the list, if
a model sends `--pace` tokens a second: as events, which show it at once, and in order, which wait for it.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import random
import re
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import zstandard

import citeproof
from citeproof.plumbing.clock import SystemClock, today
from citeproof.service.list_import import import_files
from citeproof.settings import load

OPENINGS = (
    "Earlier work showed a clear effect", "This was first observed", "Several groups report the same",
    "The method goes back to", "A later study disagrees", "Strong baselines are known",
)  # fmt: skip
_PLAIN = re.compile(r"[A-Z][a-z]+(?: [A-Z]\.)?(?: [A-Z][a-z]+)+")
FORMS = ("author_year", "author_year_list", "numbers", "dois", "links", "footnotes")


@dataclass(frozen=True, slots=True)
class CitedWork:
    """One reference of a paragraph; an invented one is nowhere."""

    title: str
    authors: tuple[str, ...]
    year: int
    venue: str
    doi: str
    invented: bool

    @property
    def families(self) -> list[str]:
        return [name.split()[-1] for name in self.authors]

    def name_authors(self) -> str:
        names = self.families
        return f"{names[0]} et al." if len(names) > 2 else " and ".join(names)

    def render_entry(self) -> str:
        people = ", ".join(f"{name.split()[-1]}, {name[0]}." for name in self.authors[:6])
        return f"{people} ({self.year}). {self.title}. {self.venue}. https://doi.org/{self.doi}"

    def list_traces(self) -> list[str]:
        """Return what must not be shown of an invented one."""
        years = [f"{self.name_authors()} ({self.year})", f"{self.name_authors()}, {self.year}"]
        return [self.title.casefold(), self.doi.casefold(), *(one.casefold() for one in years)]


def read_works(path: Path, seed: int, count: int) -> list[CitedWork]:
    """Return real works with a DOI, plain names and a venue, chosen by the seed."""
    rng, kept = random.Random(seed), []
    with path.open("rb") as file:
        lines = io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(file), "utf-8")
        for line in lines:
            if rng.random() > 0.05:
                continue
            row = json.loads(line)
            doi = row.get("d")
            doi = doi[0] if isinstance(doi, list) else doi
            year, venue = (row.get("p") or [[None, None]])[0]
            names = row.get("a", [])
            plain = names and all(map(_PLAIN.fullmatch, names))
            if doi and year and venue and plain and 4 <= len(row["t"].split()) <= 20 and len(names) <= 12:
                kept.append(CitedWork(row["t"], tuple(names), year, venue[:80], doi, False))
    rng.shuffle(kept)
    return kept[:count]


def invent_work(works: Sequence[CitedWork], rng: random.Random, number: int) -> CitedWork:
    """Return a reference to nothing: halves of two titles, authors of a third, a DOI of nobody."""
    one, other, third = rng.sample(works, 3)
    left, right = one.title.split(), other.title.split()
    title = " ".join(left[: len(left) // 2 + 1] + right[len(right) // 2 :])
    authors = [rng.choice(work.authors) for work in rng.sample(works, rng.randrange(1, 5))]
    doi = f"{third.doi.partition('/')[0]}/{rng.randrange(10**9):09d}.{number}"
    return CitedWork(title, tuple(authors), rng.randrange(2005, 2026), one.venue, doi, True)


def write_paragraph(cited: Sequence[CitedWork], form: str, rng: random.Random) -> str:
    """Return a paragraph that cites the works in one form, with a list where the form has one."""
    sentences = []
    for number, work in enumerate(cited, 1):
        said = rng.choice(OPENINGS)
        mark = {
            "author_year": f"({work.name_authors()}, {work.year})",
            "author_year_list": f"by {work.name_authors()} ({work.year})",
            "numbers": f"[{number}]",
            "dois": f"(doi:{work.doi})",
            "links": f"([{work.title}](https://doi.org/{work.doi}))",
            "footnotes": f"[^{number}]",
        }[form]
        sentences.append(f"{said} {mark}.")
    body = " ".join(sentences)
    if form in ("author_year_list", "numbers"):
        marks = (f"[{n}] " if form == "numbers" else "- " for n in range(1, len(cited) + 1))
        entries = (f"{mark}{work.render_entry()}" for mark, work in zip(marks, cited, strict=True))
        return f"{body}\n\n## References\n\n" + "\n".join(entries) + "\n"
    if form == "footnotes":
        return body + "\n\n" + "".join(f"[^{n}]: {one.render_entry()}\n" for n, one in enumerate(cited, 1))
    return body + "\n"


async def guard_paragraph(verifier: citeproof.Verifier, text: str, rng: random.Random) -> str:
    """Return what is shown of a paragraph that comes in chunks."""
    chunks, at = [], 0
    while at < len(text):
        size = rng.randrange(1, 40)
        chunks.append(text[at : at + size])
        at += size
    return "".join([one.text async for one in verifier.ground_stream(chunks)])


def make_paragraphs(
    works: Sequence[CitedWork], count: int, seed: int
) -> Iterator[tuple[str, list[CitedWork], str]]:
    """Yield (form, works, text); three references in ten are invented."""
    rng = random.Random(seed)
    for number in range(count):
        cited = [
            invent_work(works, rng, number * 10 + n) if rng.random() < 0.3 else rng.choice(works)
            for n in range(rng.randrange(2, 6))
        ]
        form = FORMS[number % len(FORMS)]
        yield form, cited, write_paragraph(cited, form, rng)


async def time_first_word(
    verifier: citeproof.Verifier, text: str, pace: float, *, events: bool
) -> tuple[float, float]:
    """Return the seconds until the first word and until all of a text is shown."""

    async def send() -> AsyncIterator[str]:
        for at in range(0, len(text), 4):
            await asyncio.sleep(1 / pace)
            yield text[at : at + 4]

    began, first = time.perf_counter(), 0.0
    async for one in verifier.guard_stream(send()) if events else verifier.ground_stream(send()):
        if not first and re.search(r"[a-z]{3}", one.text.replace("checking", "")):
            first = time.perf_counter() - began
    return first, time.perf_counter() - began


def print_latency(verifier: citeproof.Verifier, works: Sequence[CitedWork], seed: int, pace: float) -> None:
    """Print when the first word of paragraphs is shown whose list comes last."""
    paragraphs = [text for form, _, text in make_paragraphs(works, 60, seed) if form == "numbers"]
    for name, events in (("events", True), ("in order", False)):
        found = [
            asyncio.run(time_first_word(verifier, f"[1] says so. {text}", pace, events=events))
            for text in paragraphs
        ]
        first, whole = (statistics.median(column) for column in zip(*found, strict=True))
        worst = max(one for one, _ in found)
        print(
            f"first word, {name}: median {first:.2f} s, worst {worst:.2f} s, of {whole:.1f} s "
            f"({first / whole:.0%}; {len(found)} texts, {pace:.0f} tokens/s)"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--works", type=Path, required=True)
    parser.add_argument("--snapshot", type=Path, required=True)
    parser.add_argument("--list", type=Path, required=True, help="Retraction Watch's CSV")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pace", type=float, default=50, help="tokens a second")
    wanted = parser.parse_args()
    works = read_works(wanted.works, wanted.seed, 20_000)
    shown, seen = Counter[tuple[str, bool]](), Counter[tuple[str, bool]]()
    with tempfile.TemporaryDirectory() as folder:
        chosen = load({"offline": True, "snapshots": [wanted.snapshot], "cache_dir": folder})
        import_files(chosen, SystemClock(), [wanted.list], day=today(SystemClock()))
        began = time.process_time()
        with citeproof.Verifier(chosen) as verifier:
            rng = random.Random(wanted.seed)
            for form, cited, text in make_paragraphs(works, wanted.count, wanted.seed):
                out = asyncio.run(guard_paragraph(verifier, text, rng)).casefold()
                for work in cited:
                    seen[form, work.invented] += 1
                    shown[form, work.invented] += any(trace in out for trace in work.list_traces())
            print_latency(verifier, works, wanted.seed, wanted.pace)
    print(f"seed {wanted.seed}, {wanted.count} paragraphs, {time.process_time() - began:.0f} s CPU")
    print(f"{'form':<18} {'invented':>9} {'released':>9} {'real':>6} {'shown':>6}")
    for form in FORMS:
        row = seen[form, True], shown[form, True], seen[form, False], shown[form, False]
        print(f"{form:<18} {row[0]:>9} {row[1]:>9} {row[2]:>6} {row[3]:>6}")
    print(f"invented references released: {sum(n for (_, bad), n in shown.items() if bad)}")


if __name__ == "__main__":
    main()
