"""CITECHECK's own items, checked live against a loopback world that holds the originals.

    python bench/citecheck_live.py FILE.jsonl [--misses]

Each line of FILE has `original`, `citation` and `label` (CITECHECK's shape). The originals, read as
`[authors, year, title](url)` or as a search engine's link title, are the works that exist; every registry of
`citeproof.laboratory.testing` serves them as far as the real one would.
Each citation is checked alone, with an empty
cache and no snapshot. Printed: the confusion table and macro-F1 with `unchecked` counted as wrong, for all
items, for link titles and for the rest, and requests a reference.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from citeproof import settings
from citeproof.laboratory.measure.adapters.questions import read_benchmark
from citeproof.laboratory.measure.benchmark_rows import BenchmarkCase, OutcomeRow, join_answers
from citeproof.laboratory.measure.engine_run import EngineAnswer, answer_questions, make_system_answer
from citeproof.laboratory.measure.metrics import (
    CLASSES,
    ScoredColumns,
    compute_class_figures,
    count_confusion,
)
from citeproof.laboratory.testing import Shelf, World
from citeproof.service.assemble import assemble
from citeproof.text import ids
from citeproof.vocabulary import Ids, Kind, Name, Record, Version

_LINK = re.compile(r"\[(?P<text>.+)\]\((?P<url>\S+)\)")
_CITED = re.compile(r"(?P<people>[^\]]{2,80}?), (?P<year>(?:19|20)\d\d), (?P<title>.+)")
_NUMBERED = re.compile(r"\[(?:[a-z-]+/)?[\d.]+(?:v\d+)?\] ")
_SITE = re.compile(
    r"(?: (?:-|\|) (?:arXiv|PMC|NIH|PubMed|ADS|NASA ADS|OSTI|Nature|Frontiers|ORNL|Springer Nature"
    r"(?: Link)?|Living Reviews in Relativity|Scientific Reports))+$"
)
_CUT = re.compile(r" (?:\.\.\.|…)$")


def is_link_title(original: str) -> bool:
    """Return whether an original is a link's title, without people and year."""
    found = _LINK.fullmatch(original)
    return found is None or _CITED.fullmatch(found["text"]) is None


def make_record(number: int, original: str) -> Record | None:
    """Return the work that an original describes; None where it has no address."""
    link = _LINK.fullmatch(original)
    if link is None:
        return None
    cited = _CITED.fullmatch(link["text"])
    title = cited["title"] if cited else _CUT.sub("", _SITE.sub("", _NUMBERED.sub("", link["text"])))
    people, complete = _split_people(cited["people"]) if cited else ((), False)
    pairs = ids.identify_url(link["url"])
    schemes = dict(pairs)
    preprint = "arxiv" in schemes
    kind = Kind.PREPRINT if preprint else Kind.WEB_PAGE if set(schemes) == {"url"} else Kind.ARTICLE
    version = Version(int(cited["year"]) if cited else None, "arXiv" if preprint else None, kind)
    return Record("citecheck", str(number), (title,), people, complete, (version,), kind=kind, ids=Ids(pairs))


def _split_people(text: str) -> tuple[tuple[Name, ...], bool]:
    whole = not text.endswith("et al.")
    families = text.removesuffix("et al.").strip(" ,").split(" & ")
    return tuple(Name(family.strip()) for family in families if family.strip()), whole


async def check_all(world: World, cases: Sequence[BenchmarkCase], folder: Path) -> list[EngineAnswer]:
    """Return what each citation, alone, was found to be."""
    environment = {
        **world.environment(),
        "CITEPROOF_PACE": "2000",
        "CITEPROOF_CONTACT": "bench@example.org",
        "CITEPROOF_CACHE_DIR": str(folder / "cache"),
        "CITEPROOF_LIMITS_DIR": str(folder / "limits"),
    }
    verifier = assemble(settings.load(environment=environment, folder=folder), stage=None)
    try:
        return await answer_questions(verifier, [case.question for case in cases])
    finally:
        await verifier.close()


def figures(rows: Sequence[OutcomeRow]) -> str:
    """Return macro-F1 and the confusion table, `unchecked` counted as wrong."""
    table = count_confusion(ScoredColumns.from_rows(rows))
    found = compute_class_figures(table)
    lines = [f"{len(rows)} items: macro-F1 {found['macro_f1']:.3f}, accuracy {found['accuracy']:.3f}"]
    lines += [f"  {label.value:6} {list(map(int, table[at]))}" for at, label in enumerate(CLASSES)]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--misses", action="store_true", help="print every item that was judged wrongly")
    options = parser.parse_args()
    cases = read_benchmark(options.file).cases
    originals = [json.loads(line)["original"] for line in options.file.read_text().splitlines() if line]
    records = [make_record(number, original) for number, original in enumerate(originals)]
    with tempfile.TemporaryDirectory() as folder, World(Shelf(*filter(None, records))) as world:
        found = asyncio.run(check_all(world, cases, Path(folder)))
        requests = len(world.log)
    rows = join_answers(cases, {one.key: make_system_answer(one) for one in found})
    for case, row, one in zip(cases, rows, found, strict=True) if options.misses else ():
        if row.found is not row.label:
            label = row.found.value if row.found else "unchecked"
            print(
                f"{row.label} -> {label}: {case.question.text}\n    {one.checked.judgement.explanation[:500]}"
            )
    links = [is_link_title(original) for original in originals]
    print(figures(rows))
    print("link titles: " + figures([row for row, link in zip(rows, links, strict=True) if link]))
    print("the rest: " + figures([row for row, link in zip(rows, links, strict=True) if not link]))
    print(f"{requests / len(rows):.2f} requests a reference")


if __name__ == "__main__":
    main()
