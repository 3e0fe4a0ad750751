"""Fit the weights by which a span of prose is judged to be a citation or not.

    python bench/fit_span_weights.py WORKS.jsonl.zst --plain TEXTS.json … [--answers FOLDER …] [--most 6000]

Spans that cite are made of works: their fields in any order, each in any of its forms, with any signs
between them, in a sentence or as an item. Spans that do not are what the generator finds in plain text: a
JSON list of objects with a `text`, such as paragraphs of Debian's /usr/share/doc, and `plain.jsonl` of each
FOLDER; its `citing.jsonl` and `answers.jsonl` count as well. Printed are the weights of `span_weights.toml`.
"""

from __future__ import annotations

import argparse
import io
import json
import math
import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import zstandard

from citeproof.claims.text_citations import find_text_citations
from citeproof.reading.extractors.prose.cited_spans import find_chains
from citeproof.reading.extractors.prose.prose_mask import mask_prose

# of a citation; what has none of it is plain, whatever the readers say
_FORM = re.compile(r"doi|arXiv|\bet al|[A-Z]\.,? .*(?:19|20)\d\d|Press|Journal|Proc|Wesley|O'Reilly|ISBN")
SHARE = 0.02  # of the works that are read
PLAIN_WEIGHT = 12.0  # what a false alarm costs, against a miss
RIDGE = 1.0
LEADS = (
    "", "", "The point was made by ", "See ", "For background, ", "As ", "It rests on ", "Compare ", "- ",
    "* ",
    "A good start is ", "1. ", "3) ", "Everyone quotes ", "My source is ", "Best known is ", "(cf. ", "> ",
    "You might read ", "Quelle: ", "Voir ", "• ", "I'd begin with ", "**Source:** ", "which was shown in ",
    "The numbers come from ",
)  # fmt: skip
ENDS = (
    "", ".", ".", " shows this.", " is where it starts.", ", which is short.", "; read it.", " says so.", ")",
    " (worth it)", " – a classic", "\n",
)  # fmt: skip
BETWEEN = (", ", ". ", " ", ", ", ": ", " - ", " – ", " (", "; ", " in ", " | ", " / ", ", in ")
JOINTS = (" and ", " & ", ", ", " and ", " und ", " y ", " et ")
SORTS = ("paper", "study", "article", "book", "chapter", "report", "work", "preprint", "thesis")

Row = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("works", type=Path)
    parser.add_argument("--plain", type=Path, action="append", default=[])
    parser.add_argument("--answers", type=Path, action="append", default=[])
    parser.add_argument("--most", type=int, default=6000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    chance = random.Random(given.seed)
    rows: list[tuple[dict[str, float], bool, float]] = []
    missed = 0
    for text, start, end in make_citing(given.works, given.most, chance):
        found = [one for one in find_chains(mask_prose(text).prose) if one.start < end and start < one.end]
        rows += [(one.measure(), True, 1.0) for one in found]
        missed += not found
    print(f"# made: {given.most}, no span in {missed}")
    for text in list_plain(given.plain, given.answers):
        found = list(find_chains(mask_prose(text).prose))
        if found and not is_cited(text):
            rows += [(one.measure(), False, PLAIN_WEIGHT) for one in found]
    rows += [(one, True, 10.0) for one in list_known(given.answers)]
    print(f"# spans: {len(rows)}, of them plain {sum(not cites for _, cites, _ in rows)}")
    names = sorted({name for values, _, _ in rows for name in values})
    weights = fit(rows, names)
    right = sum((score(weights, values) > 0) == cites for values, cites, _ in rows)
    alarms = sum(score(weights, values) > 0 for values, cites, _ in rows if not cites)
    print(f"# right {right / len(rows):.3f}, false alarms {alarms}")
    print("[weights]")
    for name, weight in weights.items():
        print(f"{name} = {weight:.2f}")


def is_cited(text: str) -> bool:
    """Return whether the other readers find citations in what should be plain."""
    return bool(find_text_citations(text)) and _FORM.search(text) is not None


def fit(rows: Sequence[tuple[dict[str, float], bool, float]], names: Sequence[str]) -> dict[str, float]:
    """Return the weights of a logistic regression by Newton's method."""
    values = np.array([[1.0, *(one.get(name, 0.0) for name in names)] for one, _, _ in rows])
    wanted = np.array([float(cites) for _, cites, _ in rows])
    counts = np.array([count for _, _, count in rows])
    weights = np.zeros(values.shape[1])
    for _ in range(30):
        chances = 1 / (1 + np.exp(-np.clip(values @ weights, -30, 30)))
        slope = values.T @ (counts * (wanted - chances)) - RIDGE * weights
        bend = (values * (counts * chances * (1 - chances))[:, None]).T @ values + RIDGE * np.eye(
            len(weights)
        )
        weights = weights + np.linalg.solve(bend, slope)
    return dict(zip(["bias", *names], map(float, weights), strict=True))


def score(weights: dict[str, float], values: dict[str, float]) -> float:
    return weights["bias"] + math.fsum(weights.get(name, 0.0) * value for name, value in values.items())


def make_citing(path: Path, most: int, chance: random.Random) -> Iterator[tuple[str, int, int]]:
    """Yield texts that cite a work, and where."""
    packed = zstandard.ZstdDecompressor().stream_reader(path.open("rb"))
    made = 0
    for line in io.TextIOWrapper(packed, encoding="utf-8"):
        if chance.random() > SHARE:
            continue
        work = json.loads(line)
        version = next(iter(work.get("p") or ()), None)
        if not version or not version[0] or not work.get("a") or not 10 < len(work["t"]) < 200:
            continue
        cited = describe_work(work, version, chance)
        lead, end = chance.choice(LEADS), chance.choice(ENDS)
        yield lead + cited + end, len(lead), len(lead) + len(cited)
        made += 1
        if made == most:
            return


def describe_work(work: Row, version: Sequence[Any], chance: random.Random) -> str:
    """Return what somebody may write of a work: its fields, or some of them, in any order."""
    year, venue = str(version[0]), version[1] or ""
    people = write_people([str(name) for name in work["a"]], chance)
    title = work["t"].rstrip(".")
    title = chance.choice((title, title, title.capitalize(), title.title(), title.partition(":")[0]))
    sign = chance.choice(('""', "“”", "**", "__", "«»", "„“", "  ", "  ", "  ", '""', "‘’"))
    title = f"{sign[0]}{title}{sign[1]}".strip()
    year = chance.choice((year, f"({year})", f"({year})", f"[{year}]"))
    if chance.random() < 0.3:
        sort = chance.choice(SORTS)
        return chance.choice((
            f"{people}'s {year.strip('()[]')} {sort} {title}",
            f"a {year.strip('()[]')} {sort} by {people} called {title}",
            f"the {sort} {title} by {people} ({year.strip('()[]')})",
            f"{title} ({people}, {year.strip('()[]')})",
            f"{people}'s {title}",
            f"{people} wrote in {title} ({year.strip('()[]')})",
            f"in {title}, {people} show it ({venue or sort}, {year.strip('()[]')})",
        ))  # fmt: skip
    place = chance.choice(
        (
            "",
            f"{chance.randrange(1, 90)}({chance.randrange(1, 12)}), {chance.randrange(1, 400)}-{999}",
            f"vol. {chance.randrange(1, 60)}, pp. {chance.randrange(1, 300)}",
        )
    )
    fields = [people, title, venue if len(venue) < 90 else "", year]
    orders = (
        (0, 3, 1, 2),
        (0, 1, 2, 3),
        (1, 0, 2, 3),
        (1, 0, 3),
        (0, 3, 1),
        (1, 2, 3),
        (3, 0, 1),
        (2, 3, 0, 1),
        (0, 1, 3),
    )
    parts = [fields[at] for at in chance.choice(orders) if fields[at]]
    if place and chance.random() < 0.3:
        parts.append(place)
    text = parts[0]
    for part in parts[1:]:
        between = " " if part[0] in "([" else chance.choice(BETWEEN)
        text += between + part + (")" if between == " (" else "")
    return text


def write_people(names: Sequence[str], chance: random.Random) -> str:
    """Return the authors as they may be named."""
    way = chance.randrange(4)

    def write(name: str) -> str:
        family, _, given = (
            name.partition(", ")
            if "," in name
            else (name.rsplit(maxsplit=1)[-1], "", " ".join(name.split()[:-1]))
        )
        first = given[:1]
        return (
            family,
            f"{given} {family}".strip(),
            f"{family}, {first}." if first else family,
            f"{first}. {family}" if first else family,
        )[way]

    if len(names) > 3 or chance.random() < 0.2:
        return write(names[0]) + chance.choice((" et al.", " and colleagues", " and others"))
    written = [write(name) for name in names]
    return (", ".join(written[:-1]) + chance.choice(JOINTS) + written[-1]) if len(written) > 1 else written[0]


def list_plain(files: Sequence[Path], folders: Sequence[Path]) -> Iterator[str]:
    for path in files:
        yield from (row["text"] for row in json.loads(path.read_text("utf-8")))
    for folder in folders:
        yield from (row["text"] for row in read_rows(folder / "plain.jsonl"))


def list_known(folders: Sequence[Path]) -> Iterator[dict[str, float]]:
    """Yield the spans of citing paragraphs that cite."""
    for folder in folders:
        for row in read_rows(folder / "citing.jsonl"):
            for one in find_chains(mask_prose(row["text"]).prose):
                if any(one.start < end and start < one.end for start, end in row["citations"]):
                    yield one.measure()
        for row in read_rows(folder / "answers.jsonl"):
            strings = [
                string for one in row["references"] for string in one.get("must_show") or one["must_not_show"]
            ]
            places = [(at, at + len(string)) for string in strings if (at := row["text"].find(string)) >= 0]
            for one in find_chains(mask_prose(row["text"]).prose):
                if any(one.start < end and start < one.end for start, end in places):
                    yield one.measure()


def read_rows(path: Path) -> list[Row]:
    lines = path.read_text("utf-8").split("\n") if path.exists() else []
    return [json.loads(line) for line in lines if line]


if __name__ == "__main__":
    main()
