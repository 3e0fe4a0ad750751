"""Sentences of real papers as claims, as they are and damaged: how many damages are an alarm?

    python bench/support_damage.py ../shared/data/documents [--each 200] [--seed 20] [--show 5]

A sentence is cut from a paper and cites it. One thing is changed: a number, a direction (increased for
decreased) or a negation (taken out or put in). Every alarm on an unchanged sentence is false. The damage
shares no code with what it tests. The last line is the time for a claim on a paper of about 60 kB.
"""

from __future__ import annotations

import argparse
import io
import random
import re
import tarfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import zstandard

from citeproof.claims.support import PassageIndex, assess_support, index_passages
from citeproof.reading.extractors.source_reader import read_source_text
from citeproof.vocabulary import Document

_NUMBER = re.compile(
    r"(?<![\w.,/-])\d{2,4}(?:\.\d)?(?=\s?%|\s(?:mg|kg|ml|years?|days|weeks|patients|women|men)\b)"
)
_DIRECTIONS = {
    "increased": "decreased", "decreased": "increased", "higher": "lower", "lower": "higher",
    "increase": "decrease", "decrease": "increase", "reduced": "increased", "greater": "smaller",
}  # fmt: skip
_DIRECTION = re.compile(rf"\b(?:{'|'.join(_DIRECTIONS)})\b")
_NOT = re.compile(r"(?<=\b(?:was|are|did|can|has) )not |(?<=\bwere )not ")
_VERB = re.compile(r"\b(?:was|were|are|has|can)\b(?! not)")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--each", type=int, default=200, help="sentences that are damaged, and as many not")
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--show", type=int, default=0, help="false alarms and misses that are shown")
    given = parser.parse_args()
    chance = random.Random(given.seed)
    indexes = list(read_papers(given.folder))
    print(f"{len(indexes)} papers, {sum(len(one.spans) for one in indexes)} sentences, seed {given.seed}")
    pool = [(index, sentence) for index in indexes for sentence in list_sentences(index)]
    chance.shuffle(pool)
    clean = pool[: given.each]
    report_clean(clean, given.show)
    report_damaged(pool, given.each, chance, given.show)
    report_speed(indexes, pool)


def read_papers(folder: Path) -> Iterator[PassageIndex]:
    """Yield the papers of a folder: in JATS those of its archives, and its PDF files."""
    for path in sorted(folder.glob("*.pdf")):
        text = read_source_text(Document(path.name, path.read_bytes()))
        if text.text:
            yield index_passages(text)
    for path in sorted(folder.glob("*.tar.zst")):
        with path.open("rb") as file:
            data = zstandard.ZstdDecompressor().stream_reader(file).read()
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            for member in archive:
                if member.name.endswith(".nxml") and (inside := archive.extractfile(member)):
                    text = read_source_text(Document(member.name, inside.read()))
                    if text.text:
                        yield index_passages(text)


def list_sentences(index: PassageIndex) -> Iterator[str]:
    """Yield the sentences of a paper that could stand in another: 8 to 60 words, with a full stop."""
    for number in range(len(index.spans)):
        sentence = " ".join(index.read_passage(number).split())
        if 8 <= sentence.count(" ") < 60 and sentence[:1].isupper() and sentence.endswith("."):
            yield sentence


def damage_number(sentence: str, chance: random.Random) -> str:
    """Return the sentence with one number changed by a third or more."""
    match = chance.choice(list(_NUMBER.finditer(sentence)))
    value = float(match[0])
    other = value * chance.choice((0.4, 0.55, 0.65, 1.4, 1.7, 2.3))
    return (
        sentence[: match.start()]
        + (f"{other:.1f}" if "." in match[0] else f"{other:.0f}")
        + sentence[match.end() :]
    )


def damage_direction(sentence: str, chance: random.Random) -> str:
    match = chance.choice(list(_DIRECTION.finditer(sentence)))
    return sentence[: match.start()] + _DIRECTIONS[match[0]] + sentence[match.end() :]


def damage_negation(sentence: str, chance: random.Random) -> str:
    """Return the sentence with a negation taken out, or else put in behind a verb."""
    if _NOT.search(sentence):
        return _NOT.sub("", sentence, count=1)
    match = chance.choice(list(_VERB.finditer(sentence)))
    return sentence[: match.end()] + " not" + sentence[match.end() :]


Damage = Callable[[str, random.Random], str]
DAMAGES: dict[str, tuple[re.Pattern[str], Damage]] = {
    "number": (_NUMBER, damage_number),
    "direction": (_DIRECTION, damage_direction),
    "negation": (_VERB, damage_negation),
}


def report_clean(clean: list[tuple[PassageIndex, str]], show: int) -> None:
    """Print the alarms on sentences as they are."""
    kinds: Counter[str] = Counter()
    for index, sentence in clean:
        alarms = assess_support(f"{sentence[:-1]} [1].", index).alarms
        kinds.update({alarm.kind.value for alarm in alarms})
        if alarms and show:
            print(f"  FALSE {alarms[0].kind.value}: {alarms[0].detail}\n    {sentence}")
    print(f"unchanged: {len(clean)} sentences, false alarms {kinds.total()} {dict(kinds)}")


def report_damaged(pool: list[tuple[PassageIndex, str]], each: int, chance: random.Random, show: int) -> None:
    """Print how many damages of each kind are an alarm."""
    outcomes: dict[str, Counter[str]] = defaultdict(Counter)
    for kind, (pattern, damage) in DAMAGES.items():
        fit = [(index, sentence) for index, sentence in pool if pattern.search(sentence)][: each // 3 + 1]
        left = show
        for index, sentence in fit:
            changed = damage(sentence, chance)
            alarms = assess_support(f"{changed[:-1]} [1].", index).alarms
            outcomes[kind]["caught" if alarms else "missed"] += 1
            if not alarms and left:
                left -= 1
                print(f"  MISSED {kind}: {changed}")
    for kind, counts in outcomes.items():
        print(f"  {kind}: {counts['caught']} of {counts.total()} caught")
    caught = sum(counts["caught"] for counts in outcomes.values())
    print(f"damaged: {caught} of {sum(map(Counter.total, outcomes.values()))} caught")


def report_speed(indexes: list[PassageIndex], pool: list[tuple[PassageIndex, str]]) -> None:
    """Print the time for a claim on the paper that is nearest to 60 kB."""
    index = min(indexes, key=lambda one: abs(len(one.source.text) - 60_000))
    claims = [sentence for _, sentence in pool[:100]]
    spent = time.process_time()
    for claim in claims:
        assess_support(claim, index)
    each = 1000 * (time.process_time() - spent) / len(claims)
    print(f"{each:.1f} ms of CPU a claim on a paper of {len(index.source.text) / 1000:.0f} kB")


if __name__ == "__main__":
    main()
