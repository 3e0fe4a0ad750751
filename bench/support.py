"""What the text of a cited work says about a claim: is the passage found, is absence seen, are alarms right?

    python bench/support.py ../shared/data/claims [--split train] [--seed 20] [--rerank] [--show 10]

The data are citing sentences with passages of the cited work (Citation-Integrity). In the files the right
passage is always the first, so the passages are shuffled with the printed seed. `train` is known; `dev` is
held back. Sentences that cite the same work share its passages (`dev` has 15 groups of works), so intervals
of 95 % are bootstrapped over groups, not over sentences. Printed are:

- the right passage among the first 3, against the plain sum of IDF over common words in the same run, once
  with the IDF of the work's own passages and once with that of all passages of the corpus;
- how well the coverage of the best passage tells "there" from "not there" (AUC);
- alarms by kind, and how many of them are on sentences that the annotators found inaccurate.

`bench/support_damage.py` has made damage, and the time on a whole paper.
"""

from __future__ import annotations

import argparse
import io
import json
import math
import random
import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import zstandard

from citeproof.claims.support import PassageIndex, assess_support, index_passages
from citeproof.claims.support.passage_ranking import Reranker, rank_passages
from citeproof.vocabulary.claim_support import ClaimSupport
from citeproof.vocabulary.source_texts import SourceText, TextExtent

SHOWN = 3
DRAWS = 2000
_MARK = re.compile(r"<\|(?P<own>cit|multi_cit)\|>|<\|other_cit\|>")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Case:
    """A citing sentence, the passages of the cited work in a shuffled order, and which one is right."""

    claim: str
    cited_at: int | None
    passages: tuple[str, ...]
    right: int | None  # None: it is not there
    label: str

    def make_index(self) -> PassageIndex:
        """Return the index of the passages as they are given."""
        spans, text = [], ""
        for passage in self.passages:
            spans.append((len(text), len(text) + len(passage)))
            text += passage + "\n\n"
        return index_passages(SourceText(TextExtent.FULL_TEXT, "passages", text), spans)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--split", choices=("train", "dev"), default="train")
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--rerank", action="store_true", help="with the embeddings of the extra [memory]")
    parser.add_argument("--show", type=int, default=0, help="alarms that are shown")
    given = parser.parse_args()
    cases = list(read_cases(given.folder, given.split, random.Random(given.seed)))
    rerank = load_reranker() if given.rerank else None
    kinds = Counter(case.label for case in cases)
    print(f"{given.split}: {len(cases)} sentences, seed {given.seed}, {dict(kinds)}, rerank {bool(rerank)}")
    spent = time.process_time()
    indexes = [case.make_index() for case in cases]
    ranks = [
        rank_passages(case.claim, index, case.cited_at, rerank)
        for case, index in zip(cases, indexes, strict=True)
    ]
    report_retrieval(cases, [[one.number for one in ranked] for ranked in ranks], given.folder)
    best = [max((one.score for one in ranked), default=0.0) for ranked in ranks]
    report_presence(cases, best)
    results = [
        assess_support(case.claim, index, rerank, cited_at=case.cited_at)
        for case, index in zip(cases, indexes, strict=True)
    ]
    report_alarms(cases, results, given.show)
    print(f"{1000 * (time.process_time() - spent) / len(cases):.1f} ms of CPU a sentence")


def read_cases(folder: Path, split: str, chance: random.Random) -> Iterator[Case]:
    """Yield the cases of one file, their passages shuffled."""
    corpus = {row["doc_id"]: row["abstract"] for row in read_rows(folder, "corpus")}
    for row in read_rows(folder, split):
        passages = corpus[row["cited_doc_ids"][0]]
        order = list(range(len(passages)))
        chance.shuffle(order)
        labels = [one["label"] for evidence in row["evidence"].values() for one in evidence]
        claim, cited_at = read_claim(row["claim"])
        right = order.index(0) if labels else None
        yield Case(
            claim, cited_at, tuple(passages[at] for at in order), right, labels[0] if labels else "NEI"
        )


def read_claim(text: str) -> tuple[str, int | None]:
    """Return a claim whose marks look as in print, and where it cites the work in question."""
    claim, at, cited_at = "", 0, None
    for match in _MARK.finditer(text):
        claim += text[at : match.start()]
        inside = claim.rstrip("0123456789,;– ")[-1:] in "[(" and claim.strip() != ""
        if match["own"] and cited_at is None:
            cited_at = len(claim)
        claim += "1" if inside else "[1]"
        at = match.end()
    return claim + text[at:], cited_at


def read_rows(folder: Path, name: str) -> Iterator[dict]:
    with (folder / f"citation_integrity_{name}.jsonl.zst").open("rb") as file:
        for line in io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(file), "utf-8"):
            yield json.loads(line)


def load_reranker() -> Reranker:
    """Return the cosine of the embeddings of the extra [memory]."""
    from citeproof.evidence.embedding import embed_texts  # type: ignore[import-not-found,import-untyped]  # noqa: PLC0415

    known: dict[str, object] = {}

    def rerank(claim: str, passages: Sequence[str]) -> list[float]:
        missing = [text for text in (claim, *passages) if text not in known]
        known.update(zip(missing, embed_texts(missing), strict=True))
        return [float(known[claim] @ known[passage]) for passage in passages]  # type: ignore[operator]

    return rerank


def report_retrieval(cases: Sequence[Case], orders: Sequence[Sequence[int]], folder: Path) -> None:
    """Print how often the right passage is among the first 3, against plain IDF overlap."""
    everywhere = [passage for row in read_rows(folder, "corpus") for passage in row["abstract"]]
    common = count_words(everywhere)
    kept = [at for at, case in enumerate(cases) if case.right is not None and len(case.passages) > SHOWN]
    groups = group_cases([cases[at] for at in kept])
    print(f"{len(kept)} sentences on works in {len(groups)} groups that share passages")
    own = [is_shown(cases[at], orders[at]) for at in kept]
    chance = sum(SHOWN / len(cases[at].passages) for at in kept) / len(kept)
    print(
        f"right passage among the first {SHOWN} of {len(kept)} (chance {chance:.3f}): {describe(own, groups)}"
    )
    first = [bool(orders[at]) and orders[at][0] == cases[at].right for at in kept]
    print(f"  first: {describe(first, groups)}")
    for name, counts, size in (("of the work", None, 0), ("of the corpus", common, len(everywhere))):
        plain = [is_shown(cases[at], order_by_idf(cases[at], counts, size)) for at in kept]
        gain = [float(one) - float(other) for one, other in zip(own, plain, strict=True)]
        print(
            f"  plain IDF overlap, IDF {name}: {describe(plain, groups)}; difference {describe(gain, groups)}"
        )


def group_cases(cases: Sequence[Case]) -> list[list[int]]:
    """Return the cases by number, those together whose works share a passage."""
    group_of: dict[str, list[int]] = {}
    for number, case in enumerate(cases):
        merged = [number]
        for group in {id(one): one for text in case.passages if (one := group_of.get(text))}.values():
            merged += group
        for at in merged:
            group_of.update(dict.fromkeys(cases[at].passages, merged))
    return list({id(group): sorted(group) for group in group_of.values()}.values())


def is_shown(case: Case, order: Sequence[int]) -> bool:
    return case.right in order[:SHOWN]


def order_by_idf(case: Case, counts: Counter[str] | None, size: int) -> list[int]:
    """Return the passages in the order of the summed IDF of the words they share with the claim."""
    size = size or len(case.passages)
    counts = counts or count_words(case.passages)
    words = set(_WORD.findall(case.claim.lower()))

    def score(passage: str) -> float:
        shared = words & set(_WORD.findall(passage.lower()))
        return sum(math.log((size + 1) / (counts[word] + 0.5)) for word in shared)

    return sorted(range(len(case.passages)), key=lambda at: -score(case.passages[at]))


def count_words(passages: Sequence[str]) -> Counter[str]:
    return Counter(word for passage in passages for word in set(_WORD.findall(passage.lower())))


def report_presence(cases: Sequence[Case], scores: Sequence[float]) -> None:
    """Print how well the score of the best passage tells cases with evidence from those without."""
    there = [score for case, score in zip(cases, scores, strict=True) if case.right is not None]
    absent = [score for case, score in zip(cases, scores, strict=True) if case.right is None]
    chance = random.Random(1)
    draws = sorted(
        measure_auc(chance.choices(there, k=len(there)), chance.choices(absent, k=len(absent)))
        for _ in range(300)
    )
    low, high = draws[7], draws[292]
    print(f"there ({len(there)}) against not there ({len(absent)}): ", end="")
    print(f"AUC {measure_auc(there, absent):.3f} [{low:.3f}, {high:.3f}]")
    for share in (0.2, 0.3, 0.35, 0.4, 0.5):
        rates = [sum(score >= share for score in group) / len(group) for group in (there, absent)]
        print(f"  at {share}: {rates[0]:.3f} of those there, {rates[1]:.3f} of those not there")


def measure_auc(there: Sequence[float], absent: Sequence[float]) -> float:
    """Return the share of pairs in which the one that is there has the higher score."""
    marked = sorted([(score, 1) for score in there] + [(score, 0) for score in absent])
    total, at = 0.0, 0
    while at < len(marked):
        end = at
        while end < len(marked) and marked[end][0] == marked[at][0]:
            end += 1
        total += sum(mark for _, mark in marked[at:end]) * (at + 1 + end) / 2
        at = end
    return (total - len(there) * (len(there) + 1) / 2) / (len(there) * len(absent))


def report_alarms(cases: Sequence[Case], results: Sequence[ClaimSupport], show: int) -> None:
    """Print outcomes, and how many alarms are on sentences that the annotators found inaccurate."""
    print("outcomes:", dict(Counter(result.outcome.value for result in results)))
    base = sum(case.label == "REFUTE" for case in cases) / sum(case.label != "NEI" for case in cases)
    print(f"alarms (of all sentences with evidence {base:.3f} are inaccurate):")
    kinds = sorted({alarm.kind.value for result in results for alarm in result.alarms})
    for kind in ["any", *kinds]:
        labels = Counter(
            case.label
            for case, result in zip(cases, results, strict=True)
            if any(kind in ("any", alarm.kind.value) for alarm in result.alarms)
        )
        judged = labels["REFUTE"] + labels["SUPPORT"]
        rate = f"{labels['REFUTE'] / judged:.3f} inaccurate" if judged else "-"
        print(f"  {kind}: {labels.total()} {dict(labels)} {rate}")
    agree = Counter(
        case.label
        for case, result in zip(cases, results, strict=True)
        if result.outcome.value == "numbers_agree"
    )
    print(f"  numbers_agree: {agree.total()} {dict(agree)}")
    shown = [(case, result) for case, result in zip(cases, results, strict=True) if result.alarms]
    for case, result in random.Random(3).sample(shown, min(show, len(shown))):
        print(f"\n{case.label}: {case.claim}")
        for alarm in result.alarms:
            print(f"  [{alarm.kind.value}] {alarm.detail}")
            print(f"    {alarm.passage.text[:500] if alarm.passage else ''}")


def describe(values: Sequence[float], groups: Sequence[Sequence[int]]) -> str:
    """Return the mean with its interval of 95 %, bootstrapped over groups."""
    sums = [(sum(values[at] for at in group), len(group)) for group in groups]
    chance = random.Random(1)
    draws = []
    for _ in range(DRAWS):
        drawn = chance.choices(sums, k=len(sums))
        draws.append(sum(one for one, _ in drawn) / sum(size for _, size in drawn))
    draws.sort()
    low, high = draws[DRAWS // 40], draws[-DRAWS // 40]
    return f"{sum(values) / len(values):.3f} [{low:.3f}, {high:.3f}]"


if __name__ == "__main__":
    main()
