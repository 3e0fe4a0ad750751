"""Whole runs against a loopback world: sixty real references, as BibTeX, through the doors."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from citeproof.evidence.sources.base import list_sources
from citeproof.laboratory.testing import Fault, World
from citeproof.service.check_session import Report
from citeproof.settings import load
from citeproof.surfaces.python import check
from citeproof.vocabulary import Ids, Kind, Name, Record, Version

FIELDS = {"doi": "doi", "pmid": "pmid", "arxiv": "eprint"}


def cited() -> tuple[Record, ...]:
    """Return the works of `cited.csv`: with a DOI, a PMID, an arXiv number, or none of them."""
    with (Path(__file__).parent / "cited.csv").open(encoding="utf-8", newline="") as file:
        return tuple(_record(row) for row in csv.DictReader(file))


def _record(row: Mapping[str, str]) -> Record:
    people = (person.partition(", ") for person in row["authors"].split("; "))
    pairs = (pair.partition(" ") for pair in row["ids"].split("; ") if pair)
    return Record(
        "cited", row["title"], (row["title"],), tuple(Name(family, given) for family, _, given in people),
        versions=(Version(int(row["year"]), row["venue"], Kind.ARTICLE),), kind=Kind.ARTICLE,
        ids=Ids(tuple((scheme, value) for scheme, _, value in pairs)),
    )  # fmt: skip


def bibtex(works: Iterable[Record]) -> str:
    """Return the works as a bibliography cites them."""
    return "\n".join(_entry(number, work) for number, work in enumerate(works, 1))


def _entry(number: int, work: Record) -> str:
    version = work.versions[0]
    article = work.ids.first("pmid") is not None
    fields = {
        "title": work.title,
        "author": " and ".join(f"{name.family}, {name.given}" for name in work.authors),
        "year": str(version.year),
        "journal" if article else "booktitle": version.venue or "",
        **{field: work.ids.first(scheme) or "" for scheme, field in FIELDS.items()},
    }
    lines = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items() if value)
    return f"@{'article' if article else 'inproceedings'}{{ref{number},\n{lines}\n}}\n"


def environment(world: World, folder: Path, **other: str) -> dict[str, str]:
    """Return the variables of a run of one's own against the world, with a key for every source."""
    keys = {f"CITEPROOF_{name.upper()}_KEY": f"canary-{name}-9f3b" for name in list_sources()}
    return {
        **world.environment(),
        **keys,
        "CITEPROOF_PACE": "1000",
        "CITEPROOF_CACHE_DIR": str(folder / "cache"),
        "CITEPROOF_LIMITS_DIR": str(folder / "limits"),
        "CITEPROOF_TIMEOUT": "10",
        "CITEPROOF_CONTACT": "tests@example.org",
        "CITEPROOF_OFFLINE": "0",
        **other,
    }


def checked(world: World, folder: Path, works: Iterable[Record], **other: str) -> Report:
    """Return the report on a bibliography of `works`, checked in this process."""
    folder.mkdir(exist_ok=True)
    settings = load(environment=environment(world, folder, **other), folder=folder)
    return check(bibtex(works).encode(), settings=settings)


def begun(
    world: World, folder: Path, works: Iterable[Record], *arguments: str, **other: str
) -> subprocess.Popen[str]:
    """Return `citeproof check` of a bibliography of `works`, begun in a process of its own."""
    folder.mkdir(exist_ok=True)
    (folder / "refs.bib").write_text(bibtex(works), "utf-8")
    command = [sys.executable, "-m", "citeproof", "check", "refs.bib", *arguments]
    unset = {name: "" for name in os.environ if name.startswith("CITEPROOF_")}
    variables = {**os.environ, **unset, **environment(world, folder, **other)}
    return subprocess.Popen(
        command, cwd=folder, env=variables, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def fail(world: World, faults: Fault | Sequence[Fault]) -> None:
    """Let every server of the world fail in one way; () ends it."""
    for api in world.urls:
        world.set(api, faults=faults)
