"""Run CITECHECK items in the closed world of their originals; macro-F1, link titles apart.

    python bench/citecheck.py ITEMS.jsonl [--list]

Each `original` becomes one record of a snapshot that claims to hold everything; each `citation` is then
checked against it. `valid` is EXACT, `hallucinated_minor` MINOR, `hallucinated_major` MAJOR; NOTED counts as
MINOR, and what could not be checked as wrong.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from citeproof.evidence.index.build import BuildInput, build
from citeproof.evidence.index.coverage import CoverageClaim
from citeproof.laboratory.measure.adapters.questions import read_benchmark
from citeproof.laboratory.measure.engine_run import answer_questions
from citeproof.service.assemble import assemble
from citeproof.settings import Settings

LABELS = {"valid": "EXACT", "hallucinated_minor": "MINOR", "hallucinated_major": "MAJOR"}
_LINK = re.compile(r"\[(?P<text>.*)\]\((?P<url>\S+)\)\s*$", re.DOTALL)
_CITED = re.compile(r"(?P<people>.{1,120}?),\s*(?P<year>(?:19|20)\d\d),\s*(?P<title>.+)", re.DOTALL)
_SITE = re.compile(r"\s+[-|]\s+(?:arXiv|PMC|NIH|PubMed|ADS|[A-Z][\w. ]{2,40})\s*$")


def make_entry(original: str, key: str) -> str:
    """Return one original as a BibTeX entry."""
    link = _LINK.match(original.strip())
    text, url = (link["text"], link["url"]) if link else (original, "")
    cited = _CITED.match(text)
    fields = {"title": cited["title"] if cited else _link_title(text), "url": url}
    if cited:
        people = re.sub(r"\s+et al\.?", " and others", cited["people"])
        fields |= {"author": re.sub(r"\s+&\s+", " and ", people), "year": cited["year"]}
    rows = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items() if value)
    return f"@misc{{{key},\n{rows}}}\n"


def _link_title(text: str) -> str:
    bare = re.sub(r"^\[[^\]]*\]\s*", "", text)
    while (shorter := _SITE.sub("", bare)) != bare:
        bare = shorter
    return bare.replace("...", "").strip() or text


def is_link_title(row: dict[str, Any]) -> bool:
    link = _LINK.match(row["original"].strip())
    return _CITED.match(link["text"] if link else row["original"]) is None


def check_items(path: Path, rows: Sequence[dict[str, Any]], folder: Path) -> list[str]:
    """Return the label of every item, "unchecked" where there is none."""
    works = folder / "originals.bib"
    works.write_text("\n".join(make_entry(row["original"], f"o{n}") for n, row in enumerate(rows)), "utf-8")
    build([BuildInput("bibtex", (works,))], folder / "closed", covers=(CoverageClaim("all"),))
    settings = Settings(snapshots=(folder / "closed",), offline=True)
    questions = [case.question for case in read_benchmark(path).cases]
    found = asyncio.run(answer_questions(assemble(settings), questions))
    labels = [one.checked.judgement.label for one in found]
    return [label.of_three.value if label else "unchecked" for label in labels]


def macro_f1(pairs: Sequence[tuple[str, str]]) -> float:
    scores = []
    for label in LABELS.values():
        right = sum(truth == said == label for truth, said in pairs)
        wrong = sum((truth == label) != (said == label) for truth, said in pairs)
        if any(truth == label for truth, _ in pairs):
            scores.append(2 * right / max(1, 2 * right + wrong))
    return sum(scores) / max(1, len(scores))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("items", type=Path)
    parser.add_argument("--list", action="store_true", help="print every item that was judged wrongly")
    wanted = parser.parse_args()
    rows = [json.loads(line) for line in wanted.items.open(encoding="utf-8")]
    with tempfile.TemporaryDirectory() as folder:
        said = check_items(wanted.items, rows, Path(folder))
    truth = [LABELS[row["label"]] for row in rows]
    links = [is_link_title(row) for row in rows]
    for name, part in (("all", None), ("cited", False), ("link titles", True)):
        pairs = [(t, s) for t, s, link in zip(truth, said, links, strict=True) if part in (None, link)]
        wrong = Counter(f"{t}>{s}" for t, s in pairs if t != s)
        print(
            f"{name:<12} {len(pairs):>4} items  macro-F1 {macro_f1(pairs):.3f}  {dict(wrong.most_common())}"
        )
    if wanted.list:
        for row, t, s in zip(rows, truth, said, strict=True):
            if t != s:
                print(f"{t}>{s}  {row['original']}\n            {row['citation']}")


if __name__ == "__main__":
    main()
