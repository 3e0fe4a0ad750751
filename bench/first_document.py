"""The first source document live: its worked example, ORCID iDs, and what was published about a work.

    python -m bench.first_document [PART...]

A loopback world holds the works. Each PART prints what a person would see:

- claims: three claims; one work as cited, a DOI that nobody has, and another title at the first of two DOIs
- identity: a work with another person's ORCID iD, then with the right one
- debate: a work that has a comment by its publisher's word, and a failed replication by its title
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from citeproof.laboratory.testing import Shelf, World
from citeproof.vocabulary import Ids, Kind, Name, Record, Version

TITLE = "How bees find their way home under a clouded sky in the forests of the north"
LIGHT, WASPS = "Polarised light and the dances of bees", "Nest building in solitary wasps of the coast"
OWN, ANOTHER = "0000-0002-1825-0097", "0000-0001-5109-3700"
BEES, LIGHT_DOI, WASPS_DOI = "10.1007/bees.1", "10.1007/light.2", "10.1007/wasps.3"
ENTRY = (
    f"@article{{bees, title = {{{TITLE}}}, author = {{Wang, Wei}}, "
    "journal = {Journal of Insect Behavior}, year = {2019}%s}"
)
Command = Callable[..., None]


def make_record(title: str, person: Name, year: int, doi: str, *marks: str) -> Record:
    version = Version(year, "Journal of Insect Behavior", Kind.ARTICLE)
    return Record(
        source="shelf", id=doi, titles=(title,), authors=(person,), versions=(version,), kind=Kind.ARTICLE,
        ids=Ids((("doi", doi),)), marks=marks,
    )  # fmt: skip


WORKS = Shelf(
    make_record(
        TITLE, Name("Wang", "Wei"), 2019, BEES, f"orcid:{OWN} Wei Wang", "related:comment doi 10.1007/note.4"
    ),
    make_record(f"A failure to replicate “{TITLE}”", Name("Quince", "Ada"), 2021, "10.1007/again.5"),
    make_record(LIGHT, Name("Ostrowska", "Maria"), 2017, LIGHT_DOI),
    make_record(WASPS, Name("Dvorsky", "Pavel"), 2015, WASPS_DOI),
)


def make_reference(title: str, person: str, year: int, doi: str) -> dict[str, object]:
    return {"title": title, "authors": [person], "year": year, "doi": doi}


def ground_claims(folder: Path, command: Command) -> None:
    claims = [
        {
            "text": "Bees see the sun through clouds.",
            "references": [make_reference(TITLE, "Wei Wang", 2019, BEES)],
        },
        {
            "text": "Bees count flowers.",
            "references": [make_reference("Counting in bees", "Ann Park", 2024, "10.1007/fake.ref.2024")],
        },
        {
            "text": "Bees see polarised light.",
            "references": [
                make_reference(LIGHT, "Maria Ostrowska", 2017, doi) for doi in (WASPS_DOI, LIGHT_DOI)
            ],
        },
    ]
    (folder / "hypothesis.json").write_text(json.dumps({"id": "h_abc123", "claims": claims}), "utf-8")
    command("claims", "hypothesis.json", "-v", "--audit", "log")
    print((folder / "log/h_abc123.jsonl").read_text("utf-8"))


def check_identity(folder: Path, command: Command) -> None:
    for orcid in (ANOTHER, OWN):
        check_entry(folder, command, f", doi = {{{BEES}}}, orcid = {{{orcid}}}")


def check_debate(folder: Path, command: Command) -> None:
    check_entry(folder, command, "")  # no identifier: the search for its title brings the replication, too


def check_entry(folder: Path, command: Command, more: str) -> None:
    (folder / "bees.bib").write_text(ENTRY % more, "utf-8")
    print(ENTRY % more)
    command("check", "bees.bib", "--sources", "crossref", "-v")


PARTS = {"claims": ground_claims, "identity": check_identity, "debate": check_debate}


def main() -> None:
    parts = sys.argv[1:] or list(PARTS)
    if unknown := set(parts) - set(PARTS):
        raise SystemExit(f"unknown: {', '.join(unknown)}; the parts are {', '.join(PARTS)}")
    with World(WORKS) as world, tempfile.TemporaryDirectory() as name:
        environment = {"PATH": "/usr/bin:/bin", "HOME": name, "LC_ALL": "C.UTF-8", **world.environment()}

        def command(*words: str) -> None:
            print("$ citeproof", *words, flush=True)
            subprocess.run(
                [sys.executable, "-m", "citeproof", *words], cwd=name, env=environment, check=False
            )

        for part in parts:
            PARTS[part](Path(name), command)


if __name__ == "__main__":
    main()
