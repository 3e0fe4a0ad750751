"""Author–year mentions in real papers: are they found, and which works are they said to mean?

    python bench/mentions.py FOLDER --works works.jsonl.zst [--snapshot DIR] [--show 5]

The papers below FOLDER link their citations to their reference lists; these links are the gold. Printed are:
mentions found (of the links), the right work first from the paper's own list, the right work first from a
snapshot while the list is withheld, works by other people, and CPU time. The snapshot holds the cited works
of all papers among those of `--works`; it is built in a temporary folder, or in DIR once and used again.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rapidfuzz import fuzz

from citeproof.claims.mention_search import MentionAnswer, MentionCandidate, MentionSearch
from citeproof.evidence.index.build import BuildInput, build
from citeproof.evidence.index.snapshot import Snapshot
from citeproof.evidence.sources.snapshot import SnapshotSource
from citeproof.reading.extractors.prose.mention_finder import AuthorYearMention, find_mentions
from citeproof.text.names import make_family_key
from citeproof.text.title import make_title_key
from citeproof.vocabulary import Lookup, Name, Question, Reference
from mention_gold import Link, Paper, Paragraph, read_papers

ALIKE = 93.0  # likeness of titles that are the same but for slips of a list
SURE = 0.5  # confidence from which a wrong first candidate is a wrong guess


@dataclass(slots=True)
class Tally:
    """What one way of search came to."""

    asked: int = 0
    first: int = 0
    listed: int = 0  # right, but not first
    none: int = 0
    other_people: int = 0
    seconds: float = 0.0
    confidence: list[tuple[float, bool]] = field(default_factory=list)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--works", type=Path, help="works among which those cited must be found")
    parser.add_argument("--snapshot", type=Path, help="folder of the snapshot that is built, or used again")
    parser.add_argument("--show", type=int, default=0, help="misses of each kind that are shown")
    given = parser.parse_args()
    papers = list(read_papers(given.folder))
    print(f"{'paper':<42} {'links':>6} {'found':>7}")
    pairs = [pair for paper in papers for pair in find_gold(paper, given.show)]
    print(f"{sum(p.links for p in papers)} links, {len(pairs)} mentions found at a link")
    measure_finding(papers)
    with tempfile.TemporaryDirectory() as folder:
        home = given.snapshot or Path(folder) / "snapshot"
        if not home.exists():
            build_snapshot(papers, given.works, home)
        with Snapshot.open(home) as snapshot:
            asyncio.run(compare(pairs, snapshot, given.show))


@dataclass(frozen=True, slots=True)
class Pair:
    paper: Paper
    mention: AuthorYearMention
    sentence: str
    meant: tuple[Reference, ...]


def find_gold(paper: Paper, show: int) -> list[Pair]:
    """Return the mentions of a paper that stand at a link; print the recall."""
    pairs, found, missed, extra = [], 0, [], []
    for paragraph in paper.paragraphs:
        mentions = list(find_mentions(paragraph.text))
        for link in paragraph.links:
            here = [m for m in mentions if find_link(paragraph, m) is link]
            found += bool(here)
            if not here:
                missed.append(paragraph.text[max(0, link.start - 50) : link.end + 20])
            for mention in here:
                meant = tuple(paper.references[key] for key in link.keys)
                pairs.append(Pair(paper, mention, paragraph.sentence(mention.start), meant))
        extra += [m for m in mentions if m.sure and find_link(paragraph, m) is None]
    print(f"{paper.name[-42:]:<42} {paper.links:>6} {found / paper.links:>7.1%}   elsewhere: {len(extra)}")
    for text in missed[:show]:
        print(f"      missed: {text!r}")
    for mention in extra[:show]:
        print(f"      elsewhere: {mention.text!r}")
    return pairs


def find_link(paragraph: Paragraph, mention: AuthorYearMention) -> Link | None:
    """Return the last link that a mention overlaps: its year is there."""
    return next(
        (x for x in reversed(paragraph.links) if x.start < mention.end and mention.start < x.end), None
    )


def measure_finding(papers: Sequence[Paper]) -> None:
    text = "\n\n".join(paper.text for paper in papers)
    began = time.process_time()
    found = sum(1 for _ in find_mentions(text))
    spent = time.process_time() - began
    each, speed = spent / max(found, 1) * 1e6, len(text) / spent / 1e6
    print(f"finding: {each:.0f} µs CPU a mention, {speed:.1f} MB a second")


def build_snapshot(papers: Sequence[Paper], works: Path | None, home: Path) -> None:
    """Build the snapshot of the cited works among others."""
    with tempfile.TemporaryDirectory() as folder:
        cited = Path(folder) / "cited.jsonl"
        with cited.open("w") as file:
            for one in {r.raw: r for paper in papers for r in paper.references.values()}.values():
                claimed = one.claimed
                if claimed.title and claimed.authors and claimed.year:
                    people = [f"{name.family}, {name.given}".strip(", ") for name in claimed.authors]
                    line = {"t": claimed.title, "a": people, "p": [[claimed.year, claimed.venue]]}
                    if doi := claimed.ids.first("doi"):
                        line["d"] = doi
                    file.write(json.dumps(line) + "\n")
        inputs = [BuildInput("works", (cited,)), *([BuildInput("works", (works,))] if works else [])]
        build(inputs, home)


async def compare(pairs: Sequence[Pair], snapshot: Snapshot, show: int) -> None:
    source = SnapshotSource(snapshot)

    async def ask(question: Question) -> Sequence[Lookup]:
        return [await source.lookup(question)]

    own, withheld, lettered, lacking = Tally(), Tally(), Tally(), Tally()
    searches: dict[str, MentionSearch] = {}
    seen: Counter[str] = Counter()
    for pair in pairs:
        references = tuple(pair.paper.references.values())
        listed = await MentionSearch(references=references).search(pair.mention, pair.sentence)
        note_answer(own, pair, listed, seen, show, "list")
        if pair.paper.name not in searches:
            searches[pair.paper.name] = MentionSearch([ask], document=pair.paper.text)
        search = searches[pair.paper.name]
        began = time.process_time()
        answer = await search.search(pair.mention, pair.sentence)
        withheld.seconds += time.process_time() - began
        held = any(has_work(snapshot, one) for one in pair.meant)
        tally = lacking if not held else lettered if pair.mention.letter else withheld
        note_answer(tally, pair, answer, seen, show, "snapshot")
    print_tally("the paper's own list", own)
    print_tally("snapshot, list withheld", withheld)
    print_tally("same, with a letter (2004a)", lettered)
    print_tally("snapshot lacks the work", lacking)
    held, first = withheld.asked + lettered.asked, withheld.first + lettered.first
    print(f"right first of all {held} that the snapshot has: {first / max(held, 1):.1%}")
    print(f"search: {withheld.seconds / max(len(pairs), 1) * 1e3:.1f} ms CPU a mention")


def has_work(snapshot: Snapshot, reference: Reference) -> bool:
    """Return whether the snapshot has the work under its title, by its first author."""
    claimed = reference.claimed
    if not claimed.title or not claimed.authors:
        return False
    key = make_family_key(claimed.authors[0])
    return any(
        make_title_key(record.title) == make_title_key(claimed.title)
        and record.authors
        and make_family_key(record.authors[0]) == key
        for record in snapshot.by_title(claimed.title, authors=claimed.authors)
    )


def note_answer(
    tally: Tally, pair: Pair, answer: MentionAnswer, seen: Counter[str], show: int, way: str
) -> None:
    tally.asked += 1
    titles = {make_title_key(one.claimed.title or "") for one in pair.meant}
    right = [is_meant(one, pair, titles) for one in answer.candidates]
    tally.first += right[:1] == [True]
    tally.listed += any(right[1:]) and not right[0]
    tally.none += not right
    strangers = [one for one in answer.candidates if is_stranger(answer.mention, one)]
    tally.other_people += len(strangers)
    if right:
        top = answer.candidates[0]
        tally.confidence.append((top.confidence, right[0]))
    kind = f"{way} {'none' if not right else 'wrong' if not right[0] else 'stranger' if strangers else ''}"
    if not kind.endswith(" ") and seen[kind] < show:
        seen[kind] += 1
        print(f"   {kind}: {pair.mention.label!r} in {pair.sentence[:160]!r}")
        print(f"      meant: {[f'{one.claimed.title} {one.claimed.year}' for one in pair.meant]}")
        for one in answer.candidates[:3]:
            print(f"      {one.confidence:.2f} {one.claimed.title} {one.claimed.year} {one.words}")


def is_meant(candidate: MentionCandidate, pair: Pair, titles: set[str]) -> bool:
    if candidate.reference is not None:
        return candidate.reference in pair.meant
    keys = [make_title_key(title) for record in candidate.records for title in record.titles]
    return any(fuzz.ratio(key, title) >= ALIKE for key in keys for title in titles)


def is_stranger(mention: AuthorYearMention, candidate: MentionCandidate) -> bool:
    """Return whether a person named is not among the authors, judged by letters of family names alone."""
    authors = [spell(name) for name in (candidate.claimed.authors or candidate.claimed.editors)]
    named = [spell(name) for name in mention.names]
    return named[0] not in authors[0] or any(all(one not in author for author in authors) for one in named)


def spell(name: Name) -> str:
    """Return the letters of a family name without particles, marks and umlauts in either spelling."""
    key = make_family_key(name)
    return key.replace("ue", "u").replace("oe", "o").replace("ae", "a").replace("aa", "a")


def print_tally(name: str, tally: Tally) -> None:
    if not tally.asked:
        return
    sure = [right for value, right in tally.confidence if value >= SURE]
    print(
        f"{name:<28} {tally.asked:>5} asked, right first {tally.first / tally.asked:.1%}, "
        f"later {tally.listed}, "
        f"none {tally.none}, by other people {tally.other_people}; confidence ≥ {SURE}: {len(sure)}, "
        f"right of these {sum(sure) / max(len(sure), 1):.1%}"
    )


if __name__ == "__main__":
    main()
