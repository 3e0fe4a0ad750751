"""100 claims on works with full texts, half of them altered: what is an alarm, and is it right?

    python bench/altered_claims.py FOLDER... [--claims 100] [--seed 36] [--show 5]

A folder holds texts of works (PDF, JATS, LaTeX, Markdown, plain text; also in .tar.zst). Each claim is a
sentence of a work in other words: "the authors" for "we", no brackets, a beginning of its own. Half of them
cite their work as they are. The other half have a number, a direction or a negation changed, or cite another
work. The first three should be an alarm; the last should be an alarm or not located. The alterations are
those of `support_damage.py`, which share no code with what they test. Intervals of 95 % are Wilson's.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from math import sqrt
from pathlib import Path

from citeproof.claims.support import PassageIndex, assess_support, index_passages
from citeproof.errors import InputError
from citeproof.reading.extractors.source_reader import read_source_text
from citeproof.vocabulary import Document, SupportOutcome
from support_damage import DAMAGES, list_sentences, read_papers

SUFFIXES = (".tex", ".md", ".txt", ".nxml", ".xml", ".html")
LEAST = 8_000  # characters of a text that is a whole work
OTHER = "other work"
BEGINNINGS = (
    "Earlier work reports that",
    "It is known that",
    "The authors state that",
    "One study found that",
)
_OWN = {"we": "the authors", "our": "their", "this paper": "the paper", "us": "them"}
_OWN_WORD = re.compile(rf"\b(?:{'|'.join(_OWN)})\b", re.IGNORECASE)
_BRACKETS = re.compile(r"\s?\([^()]{0,120}\)|\s?\[[^\[\]]{0,60}\]")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--claims", type=int, default=100)
    parser.add_argument("--seed", type=int, default=36)
    parser.add_argument("--show", type=int, default=0, help="false alarms and misses that are shown")
    given = parser.parse_args()
    indexes = [index for folder in given.folders for index in read_works(folder)]
    print(f"{len(indexes)} works, {sum(len(one.spans) for one in indexes):,} sentences, seed {given.seed}")
    claims = list(make_claims(indexes, given.claims, random.Random(given.seed)))
    report(claims, given.show)


def read_works(folder: Path) -> Iterator[PassageIndex]:
    """Yield the works of a folder that have a full text."""
    yield from (one for one in read_papers(folder) if len(one.source.text) >= LEAST)
    for path in sorted(folder.rglob("*")):
        if path.suffix in SUFFIXES and path.is_file():
            try:
                text = read_source_text(Document(path.name, path.read_bytes()))
            except InputError:
                continue
            if len(text.text) >= LEAST:
                yield index_passages(text)


def reword(sentence: str, chance: random.Random) -> str:
    """Return a sentence as another author might take it over."""
    said = _OWN_WORD.sub(lambda match: _OWN[match[0].lower()], _BRACKETS.sub("", sentence))
    return f"{chance.choice(BEGINNINGS)} {said[:1].lower()}{said[1:-1]} [1]."


def make_claims(
    indexes: list[PassageIndex], count: int, chance: random.Random
) -> Iterator[tuple[str, str, PassageIndex]]:
    """Yield what was altered (nothing: empty), the claim, and the text of the work that it cites."""
    pool = [(index, sentence) for index in indexes for sentence in list_sentences(index)]
    chance.shuffle(pool)
    for index, sentence in pool[: count // 2]:
        yield "", reword(sentence, chance), index
    rest, each = pool[count // 2 :], count // 8
    for kind, (pattern, damage) in DAMAGES.items():
        fitting = [row for row in rest if pattern.search(_BRACKETS.sub("", row[1]))]
        for index, sentence in fitting[:each]:
            yield kind, reword(damage(_BRACKETS.sub("", sentence), chance), chance), index
    for index, sentence in rest[-(count - count // 2 - 3 * each) :]:
        yield OTHER, reword(sentence, chance), chance.choice([one for one in indexes if one is not index])


def report(claims: list[tuple[str, str, PassageIndex]], show: int) -> None:
    """Print what became of the claims by kind, and precision and recall of the alarms."""
    outcomes: dict[str, Counter[SupportOutcome]] = defaultdict(Counter)
    for kind, claim, index in claims:
        support = assess_support(claim, index, own_document=False)
        outcomes[kind][support.outcome] += 1
        if show and (support.outcome is SupportOutcome.ALARM) == (not kind):
            show -= 1
            detail = support.alarms[0].detail if support.alarms else support.outcome.value
            print(f"  {kind or 'unchanged'}: {claim}\n    {detail}")
    for kind, counts in outcomes.items():
        told = ", ".join(f"{name.value} {count}" for name, count in counts.most_common())
        print(f"{kind or 'unchanged'}: {counts.total()} claims: {told}")
    altered = [counts for kind, counts in outcomes.items() if kind and kind != OTHER]
    right = sum(counts[SupportOutcome.ALARM] for kind, counts in outcomes.items() if kind)
    false = outcomes[""][SupportOutcome.ALARM]
    caught = sum(counts[SupportOutcome.ALARM] for counts in altered)
    print(f"precision of alarms: {format_share(right, right + false)}")
    print(f"recall, number, direction or negation: {format_share(caught, sum(map(Counter.total, altered)))}")
    other = outcomes[OTHER]
    apart = other[SupportOutcome.ALARM] + other[SupportOutcome.NOT_LOCATED]
    print(f"another work, alarm or not located: {format_share(apart, other.total())}")
    lost = outcomes[""][SupportOutcome.NOT_LOCATED]
    print(f"unchanged, not located: {format_share(lost, outcomes[''].total())}")


def format_share(part: int, whole: int) -> str:
    """Return a share with its interval."""
    if not whole:
        return "none"
    z, share = 1.96, part / whole
    middle = (share + z * z / (2 * whole)) / (1 + z * z / whole)
    half = z * sqrt(share * (1 - share) / whole + z * z / (4 * whole * whole)) / (1 + z * z / whole)
    return f"{part} of {whole} ({share:.2f} [{max(0.0, middle - half):.2f}, {min(1.0, middle + half):.2f}])"


if __name__ == "__main__":
    main()
