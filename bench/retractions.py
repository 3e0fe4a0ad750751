"""Measures the retraction checks on real data: recall, false findings, the right word, cost of a look-up.

    python bench/retractions.py [../shared/data]

Retracted DOIs come in noisy forms (upper case, resolver URL, percent-encoded) through the same parser as
citations; DOIs of works that are not on the list must yield nothing. Times are those of the processor.
"""

from __future__ import annotations

import asyncio
import csv
import io
import json
import random
import sys
import tempfile
import time
from collections import Counter
from datetime import date
from pathlib import Path
from urllib.parse import quote

import zstandard

from citeproof.evidence.index.lists.list_store import InstalledList, get_store
from citeproof.judgement.checks import examine_work
from citeproof.judgement.checks.evidence.work_notices import WorkEvidence, make_list_question
from citeproof.laboratory.testing import Shelf, World
from citeproof.plumbing.clock import SystemClock
from citeproof.reading.parse import parse_all
from citeproof.service.assemble import assemble
from citeproof.service.list_import import import_files
from citeproof.settings import Settings
from citeproof.text import doi as dois
from citeproof.text import names
from citeproof.vocabulary import (
    Document,
    Finding,
    FindingState,
    Ids,
    Judgement,
    Kind,
    ListQuestion,
    Record,
    Reference,
    Verdict,
    Version,
)

HOW_MANY = 1000
FRESH, STALE = date(2026, 8, 18), date(2026, 9, 1)  # of a list of 17 August
UNJUDGED = Judgement(Verdict.UNCHECKED, None, None, None, None, (), "")
SAMPLE = "integrity/retraction_watch_sample_with_reasons.csv.zst"
NATURES = {
    "Expression of concern": "expression_of_concern",
    "Correction": "corrected",
    "Reinstatement": "reinstated",
}


def main(data: Path) -> None:
    """Print every figure."""
    chance = random.Random(19)
    known = json.loads(read(data / "integrity/retraction_watch_dois_2026-08.json.zst"))
    sample = list(csv.DictReader(io.StringIO(read(data / SAMPLE))))
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(cache_dir=Path(folder))
        whole, part = Path(folder, "whole_2026-08-17.csv"), Path(folder, "sample_2026-08-17.csv")
        write_whole(whole, known)
        part.write_text(read(data / SAMPLE), "utf-8")
        measure_recall(settings, whole, known, data, chance)
        measure_words(settings, part, sample)
        asyncio.run(measure_withdrawn(Path(folder, "live"), data))


def measure_recall(settings: Settings, path: Path, known: dict, data: Path, chance: random.Random) -> None:
    """Print how many retracted DOIs are found, how many others are accused, and what it costs."""
    started = time.process_time()
    (status,) = import_files(settings, SystemClock(), [path])
    print(f"import of {status.head.entries:,} rows: {time.process_time() - started:.1f} s")
    opened = open_list(settings)
    started = time.process_time()
    opened.look_up(ListQuestion(("10.1234/x",)), FRESH)
    size = next(settings.cache_dir.glob("lists/*.list")).stat().st_size
    print(f"opened and verified in {(time.process_time() - started) * 1000:.1f} ms ({size / 1e6:.1f} MB)")
    sampled = chance.sample(sorted(known["retractions"]), HOW_MANY)
    bad = make_references([distort(doi, at) for at, doi in enumerate(sampled)])
    listed = {dois.normalise(doi) for kind in ("retractions", "concerns") for doi in known[kind]}
    unlisted = [one for one in list_works(data) if one not in listed]
    good = make_references([distort(doi, at) for at, doi in enumerate(chance.sample(unlisted, HOW_MANY))])
    found = sum(any(f.blocks for f in examine(opened, one)) for one in bad)
    false = sum(any(f.state is FindingState.FINDING for f in examine(opened, one)) for one in good)
    clear = sum(any(f.state is FindingState.CLEAR for f in examine(opened, one)) for one in good)
    stale = Counter(f.state.value for one in good for f in examine(opened, one, STALE))
    late = sum(any(f.blocks for f in examine(opened, one, STALE)) for one in bad)
    print(f"retracted DOIs in noisy forms: {found}/{HOW_MANY} found")
    print(f"DOIs that are not on the list: {false}/{HOW_MANY} accused, {clear} clear")
    print(f"15 days later: {late}/{HOW_MANY} found; others: {dict(stale)}")
    asked = [make_list_question(one, UNJUDGED) for one in (*bad, *good)]
    for name, questions in (("listed", asked[:HOW_MANY]), ("not listed", asked[HOW_MANY:])):
        started = time.process_time()
        for question in questions:
            opened.look_up(question, FRESH)
        print(f"look-up, {name}: {(time.process_time() - started) / HOW_MANY * 1e6:.1f} µs a reference")


def measure_words(settings: Settings, path: Path, sample: list[dict[str, str]]) -> None:
    """Print for each nature of notices how many works have the right word."""
    import_files(settings, SystemClock(), [path])
    opened = open_list(settings)
    alone = Counter(dois.normalise(row["originalpaperdoi"]) for row in sample)
    total, right, wrong = Counter[str](), Counter[str](), []
    single = [row for row in sample if alone[dois.normalise(row["originalpaperdoi"])] == 1]
    cited = make_references([row["originalpaperdoi"] for row in single])
    for row, one in zip(single, cited, strict=True):
        nature = row["retractionnature"]
        names = {f.name for f in examine(opened, one) if f.state is FindingState.FINDING}
        total[nature] += 1
        right[nature] += names == {NATURES.get(nature, "retracted")}
        wrong += [] if names == {NATURES.get(nature, "retracted")} else [(one.claimed.ids, nature, names)]
    for nature, count in total.items():
        print(f"{nature}: {right[nature]}/{count} with the right word")
    print(f"wrong: {wrong[:5]}")


async def measure_withdrawn(folder: Path, data: Path) -> None:
    """Print how many withdrawn preprints are called so when Crossref, on loopback, has the notice."""
    lines = (data / "bench/biorxiv_withdrawn_incidents.jsonl").read_text("utf-8").splitlines()
    cited = [json.loads(line)["fields"] for line in lines]
    shelf = Shelf(*(make_withdrawn_record(one) for one in cited))
    entry = "@article{{k{}, title={{{title}}}, author={{{author}}}, year={{{year}}}, doi={{{doi}}}}}"
    text = "\n".join(entry.format(at, **one) for at, one in enumerate(cited))
    kinds = Counter[str]()
    with World(shelf, apis=["crossref"]) as world:
        settings = Settings(
            cache_dir=folder, limits_dir=folder / "limits", urls=world.urls, sources=("crossref",), pace=50.0
        )
        verifier = assemble(settings, stage=None)
        async for checked in verifier.verify(verifier.extract(Document("cited.bib", text.encode()))):
            kinds[next((f.kind for f in checked.findings if f.blocks), "none")] += 1
        await verifier.close()
    print(f"{len(cited)} withdrawn preprints: {dict(kinds)}")


def make_withdrawn_record(fields: dict[str, str]) -> Record:
    """Return a preprint as Crossref has it, with a notice of withdrawal."""
    people = tuple(names.parse(one) for one in fields["author"].split(" and "))
    return Record(
        source="crossref",
        id=fields["doi"],
        titles=(fields["title"],),
        authors=people,
        versions=(Version(int(fields["year"]), "bioRxiv", Kind.PREPRINT),),
        kind=Kind.PREPRINT,
        ids=Ids((("doi", fields["doi"].lower()),)),
        marks=("withdrawn",),
    )


def examine(opened: InstalledList, cited: Reference, day: date = FRESH) -> tuple[Finding, ...]:
    """Return the findings for a reference."""
    answer = opened.look_up(make_list_question(cited, UNJUDGED), day)
    return examine_work(WorkEvidence(cited, UNJUDGED, (), (answer,)))


def make_references(cited: list[str]) -> list[Reference]:
    """Return references that cite these DOIs, as the readers make them of a bibliography."""
    entry = "@article{{k{}, title={{A title that nobody has given to any work {}}}, doi={{{}}}}}"
    text = "\n".join(entry.format(at, at, doi) for at, doi in enumerate(cited))
    reader = assemble(Settings(offline=True), stage=None)
    found = list(parse_all(reader.extract(Document("cited.bib", text.encode())).references))
    assert len(found) == len(cited)
    return found


def open_list(settings: Settings) -> InstalledList:
    """Return the list that was imported, unopened."""
    return InstalledList(get_store(settings.cache_dir), "retraction_watch", settings.retraction_list_days)


def distort(doi: str, at: int) -> str:
    """Return a DOI in one of the forms in which people cite it."""
    forms = (
        doi.upper(), f"https://doi.org/{doi}", f"http://dx.doi.org/{quote(doi, safe='')}", f"doi: {doi}.",
        f"https://doi.org/{quote(doi.upper(), safe='/')}", f" DOI:{doi} ",
    )  # fmt: skip
    return forms[at % len(forms)]


def list_works(data: Path) -> list[str]:
    """Return DOIs of works of the public sample, normalised."""
    found = []
    with zstandard.open(data / "records/works.jsonl.zst", "rt", encoding="utf-8") as lines:
        for line in lines:
            work = json.loads(line)
            if doi := dois.normalise(str(work.get("d") or "")):
                found.append(doi)
            if len(found) >= 50 * HOW_MANY:
                break
    return found


def write_whole(path: Path, known: dict) -> None:
    """Write the DOIs as Retraction Watch's own CSV has them."""
    head = [
        "Title",
        "Author",
        "RetractionDate",
        "RetractionDOI",
        "OriginalPaperDOI",
        "RetractionNature",
        "Reason",
        "",
    ]
    natures = {"retractions": "Retraction", "concerns": "Expression of concern"}
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(head)
        for kind, nature in natures.items():
            rows.writerows(
                ["", "", "1/2/2020 0:00", notice, doi, nature, "", ""] for doi, notice in known[kind].items()
            )


def read(path: Path) -> str:
    """Return the text of a compressed file."""
    with zstandard.open(path, "rt", encoding="utf-8", newline="") as file:
        return file.read()


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "../shared/data"))
