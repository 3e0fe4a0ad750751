"""Runs that are recorded: references of many kinds, checked against a loopback world of failing servers."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from citeproof.answers.reporters.jsonl import Jsonl
from citeproof.answers.reporters.reference_report import ReferenceReport
from citeproof.answers.serializers import build_checked_json, dumps
from citeproof.laboratory.testing import ALL_FAULTS, Faults, Shelf, World
from citeproof.plumbing.net import client as clients
from citeproof.plumbing.stores.evidence_store import EvidenceStore
from citeproof.proof.audit import log_reader
from citeproof.proof.replay import Replay, ReplayedReference, ReplayState
from citeproof.service.assemble import assemble
from citeproof.service.check_session import begin_check
from citeproof.settings import load
from citeproof.vocabulary import Document, Ids, Record, Version
from tests.contract import library, running

WORKS = running.cited()
HELD = (*WORKS, *library.WORKS)  # what the world knows
RUN = "h_replay"
EXAMPLES = Path(__file__).parents[3] / "examples"
WAYS = ("true", "no_id", "year", "authors", "other_id", "no_such_id", "invented", "cut")
# Some answers of some servers go wrong, each in its own way; the rest is as it should be.
TROUBLE = {
    "semantic_scholar": Faults.status(429).every(3),
    "openalex": ALL_FAULTS["bot_wall"].every(4),
    "datacite": ALL_FAULTS["truncated"].every(2),
    "europe_pmc": ALL_FAULTS["silence"].every(3),
    "arxiv": ALL_FAULTS["empty"].every(3),
    "doi": ALL_FAULTS["invalid_utf8"].every(5),
    "crossref": ALL_FAULTS["null"].every(9),
}


def bibliography(count: int) -> bytes:
    """Return `count` references to the works as BibTeX: true ones, and ones that are wrong in known ways."""
    return running.bibtex(_cited(number) for number in range(count)).encode()


def _cited(number: int) -> Record:
    """Return a work as it is cited; every work comes in every way before anything is repeated."""
    turn, at = divmod(number, len(WORKS))
    way = WAYS[(at + turn) % len(WAYS)]
    work, other = WORKS[at], WORKS[(at + 7) % len(WORKS)]
    again = f" Part {turn // len(WAYS) + 1}" if turn >= len(WAYS) else ""  # another title, so another search
    first = work.versions[0]
    match way:
        case "no_id":
            return replace(work, ids=Ids(), titles=(work.title + again,))
        case "year":
            return replace(work, versions=(replace(first, year=(first.year or 2000) - 4),))
        case "authors":
            return replace(work, authors=other.authors)
        case "other_id":
            return replace(work, ids=other.ids)
        case "no_such_id":
            return replace(work, ids=Ids((("doi", f"10.1103/nosuch.{number}"),)))
        case "invented":
            return replace(work, ids=Ids(), titles=(_mixed(work.title, other.title),), authors=other.authors)
        case "cut":
            return replace(work, ids=Ids(), titles=(work.title[: len(work.title) * 2 // 3],))
    return work


def _mixed(one: str, other: str) -> str:
    left, right = one.split(), other.split()
    return " ".join(left[: len(left) // 2 + 1] + right[len(right) // 2 :])


def running_text() -> bytes:
    """Return the works of the library as the reference list of a text, to be parsed."""
    cited = [library.reference(work).raw for work in library.WORKS]
    cited.append(
        f"Nobody, Anton; Noone, Berta (2011). {library.UNWRITTEN}. Journal of Unread Studies, 3, 1-9"
    )
    lines = [f"{number}. {one}\n" for number, one in enumerate(cited, 1)]
    return ("# References\n\n" + "".join(lines)).encode()


def library_bibtex() -> bytes:
    """Return the works of the library as BibTeX, each with an identifier of its own kind."""
    kinds = {
        "book": "book",
        "report": "techreport",
        "web_page": "online",
        "dataset": "dataset",
        "software": "software",
    }
    entries = []
    for number, work in enumerate(library.WORKS):
        people = " and ".join(
            f"{a.family}, {a.given}" if a.given else f"{{{a.family}}}" for a in work.authors
        )
        named = {
            scheme: value for scheme, value in work.ids.pairs if scheme in ("isbn", "url", "pmid", "doi")
        }
        version = work.versions[0] if work.versions else Version()
        fields = {
            "title": work.title,
            "author": people,
            "year": version.year,
            "journal": version.venue,
            **named,
        }
        body = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items() if value)
        entries.append(f"@{kinds.get(work.kind.value, 'article')}{{lib{number},\n{body}\n}}\n")
    return "\n".join(entries).encode()


def environment(world: World, folder: Path, **other: str) -> dict[str, str]:
    """Return the variables of a run that is recorded below `folder`."""
    recorded = {
        "CITEPROOF_AUDIT_DIR": str(folder / "audit"),
        "CITEPROOF_AUDIT_KEY": str(folder / "keys"),
        "CITEPROOF_AUDIT_RUN": RUN,
        "CITEPROOF_TIMEOUT": "2",
    }
    return running.environment(world, folder, **(recorded | other))


def checked(variables: dict[str, str], folder: Path, *documents: tuple[str, bytes]) -> str:
    """Return the report of a run as JSON lines, as a replay prints it: without overrides."""
    folder.mkdir(exist_ok=True)
    verifier = assemble(load(environment=variables, folder=folder))
    checking = begin_check(verifier, [Document(name, data) for name, data in documents])
    return "".join(Jsonl().report(ReferenceReport(replace(checking.run, overrides=()), checking)))


def offline_variables(snapshot: Path, folder: Path) -> dict[str, str]:
    """Return the variables of a run that asks a snapshot alone and is recorded below `folder`."""
    return {
        "CITEPROOF_OFFLINE": "1",
        "CITEPROOF_SNAPSHOT": str(snapshot),
        "CITEPROOF_AUDIT_DIR": str(folder / "audit"),
        "CITEPROOF_AUDIT_KEY": str(folder / "keys"),
        "CITEPROOF_AUDIT_RUN": RUN,
    }


@dataclass(frozen=True, slots=True)
class Made:
    """A recorded run: its folder, and the report that it printed."""

    folder: Path
    report: str

    def copy(self, to: Path) -> Made:
        shutil.copytree(self.folder / "audit", to / "audit")
        return Made(to, self.report)

    @property
    def rows(self) -> list[dict]:
        return [json.loads(line) for line in self.report.splitlines()]

    def events(self) -> list[dict]:
        """Return the verdicts, by the number of their reference."""
        found = (event for event in log_reader.read_entries(self.folder / "audit", RUN) if "case" in event)
        return sorted(found, key=lambda event: event["ref"])

    def resting_on(self, digest: str) -> set[int]:
        return {event["ref"] for event in self.events() if digest in event["evidence"]}


def recorded(folder: Path, count: int) -> Made:
    """Return a run of `count` references and the works of the library, while servers fail."""
    with pytest.MonkeyPatch.context() as patch, World(Shelf(*HELD), faults=TROUBLE) as world:
        patch.setattr(clients, "PATIENCE", 0.1)
        patch.setattr(clients, "RETRIES", 0)
        documents = (
            ("refs.bib", bibliography(count)),
            ("library.bib", library_bibtex()),
            ("refs.md", running_text()),
        )
        return Made(folder, checked(environment(world, folder), folder, *documents))


def replayed(folder: Path, run: str = RUN, ref: int | None = None) -> list[ReplayedReference]:
    """Return the run, judged again."""
    opened = Replay.open(folder / "audit", run)
    assert opened is not None
    with opened as replay:
        return list(replay.references(ref))


def report(found: Sequence[ReplayedReference]) -> str:
    """Return the references that could be judged as `check --format jsonl` prints them."""
    return "".join(dumps(build_checked_json(one.checked)).decode() + "\n" for one in found if one.checked)


def states(found: Sequence[ReplayedReference]) -> dict[int, ReplayState]:
    """Return the references that are not identical."""
    return {one.ref: one.state for one in found if one.state is not ReplayState.IDENTICAL}


def stored(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield every stored body with its hash."""
    with closing(EvidenceStore(folder / "audit", readonly=True)) as evidence:
        for digest in list(evidence.hashes()):
            body = evidence.get(digest)
            assert body is not None
            yield digest, body


def change(folder: Path, digest: str, body: bytes) -> None:
    """Write other bytes under a hash, as somebody would who can write the store."""
    sql(folder / "audit" / "evidence.sqlite",
        "UPDATE bodies SET packed = 0, length = ?, data = ? WHERE sha256 = ?",
        len(body), body, bytes.fromhex(digest))  # fmt: skip


def sql(path: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute(statement, values).rowcount > 0
