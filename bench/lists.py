"""What the lists cost: time to open them all, and to look a reference up in all of them; and what they find.

    python bench/lists.py [DATA [BIB…]]

DATA is the folder with the real lists and works (default ../shared/data), BIB are bibliographies or folders
of them (default: DATA/wild/bib). DOAJ's lists are not in DATA: lists of their size are made up of journal
titles and numbers that nobody has, so that opening and looking up cost what they would. Times are of the
processor.
"""

from __future__ import annotations

import csv
import json
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import zstandard

from citeproof.evidence.index.lists.list_store import InstalledList
from citeproof.judgement.checks.evidence.work_notices import make_list_question
from citeproof.plumbing.clock import SystemClock
from citeproof.reading.parse import parse_all
from citeproof.service.assemble import assemble, choose_lists
from citeproof.service.list_import import import_files
from citeproof.settings import Settings
from citeproof.text import doi as dois
from citeproof.text.title import make_title_key
from citeproof.vocabulary import Document, ListQuestion, Reference
from retractions import UNJUDGED, read, write_whole

DAY = date(2026, 8, 18)
ROUNDS = 5
PART = 500
WORKS = 5000
JOURNALS = 22_000


def main(data: Path, bibliographies: list[Path]) -> None:
    """Print every figure."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(cache_dir=Path(folder), offline=True)
        install_lists(settings, data, Path(folder))
        measure_opening(settings)
        cited = list(read_references(bibliographies))
        measure_look_up(settings, f"{len(cited):,} references of bibliographies", list(map(ask, cited)))
        measure_look_up(settings, f"{WORKS:,} works", list(make_work_questions(data)))
        known = json.loads(read(data / "integrity/retraction_watch_dois_2026-08.json.zst"))["retractions"]
        retracted = [ListQuestion((dois.normalise(one) or "",)) for one in sorted(known)[:WORKS]]
        measure_look_up(settings, f"{WORKS:,} retracted DOIs", retracted)
        started = time.process_time()
        for one in cited:
            ask(one)
        print(f"making the question: {(time.process_time() - started) / len(cited) * 1e6:.1f} µs a reference")
        count_listings(settings, cited)


def install_lists(settings: Settings, data: Path, folder: Path) -> None:
    """Install every real list, and one of the size of DOAJ's."""
    whole = folder / "retraction_watch_2026-08-17.csv"
    write_whole(whole, json.loads(read(data / "integrity/retraction_watch_dois_2026-08.json.zst")))
    made = [folder / "doaj_2026-08-01.csv", folder / "withdrawn_2026-08-01.csv"]
    write_journals(*made, data)
    lists = data / "integrity"
    files = [whole, *made, lists / "abbreviations", lists / "predatory"]
    started = time.process_time()
    for row in import_files(settings, SystemClock(), [*files, *lists.glob("LTWA*")]):
        print(f"  {row.home.name}: {row.head.entries if row.head else 0:,} entries")
    print(f"import of all: {time.process_time() - started:.1f} s")


def measure_opening(settings: Settings) -> None:
    """Print what the first question to all lists costs: reading, verifying, looking up."""
    spent = []
    for _ in range(ROUNDS):
        lists = choose_lists(settings)
        started = time.process_time()
        for one in lists:
            one.look_up(ListQuestion(("10.1234/x",), venues=("Nature",)), DAY)
        spent.append((time.process_time() - started) * 1000)
    size = sum(file.stat().st_size for file in settings.cache_dir.glob("lists/*.list"))
    print(
        f"{len(choose_lists(settings))} lists opened and verified in {statistics.median(spent):.1f} ms",
        end=" ",
    )
    print(f"(of {ROUNDS} rounds: {min(spent):.1f} to {max(spent):.1f}; {size / 1e6:.1f} MB on disk)")


def measure_look_up(settings: Settings, what: str, questions: list[ListQuestion]) -> None:
    """Print the cost of a reference in all lists together, for venues never seen before and seen before.

    The key of a title is made before lists are asked, for the search: it is not counted.
    """
    lists = choose_lists(settings)
    for one in lists:
        one.look_up(ListQuestion(), DAY)
    spent = [sum(time_part(lists, part) for part in split(questions)) for _ in range(ROUNDS)]
    spent = [seconds / len(questions) * 1e6 for seconds in spent]
    rest = f"then {statistics.median(spent[1:]):.1f} µs"
    print(f"look-up in all lists, {what}: {spent[0]:.1f} µs a reference, {rest}")


def split(questions: list[ListQuestion]) -> Iterator[list[ListQuestion]]:
    """Yield the questions of some hundred references at a time."""
    return (questions[at : at + PART] for at in range(0, len(questions), PART))


def time_part(lists: tuple[InstalledList, ...], questions: list[ListQuestion]) -> float:
    """Return the seconds that all lists take for these questions."""
    for question in questions:
        make_title_key(question.title)
    started = time.process_time()
    for question in questions:
        for one in lists:
            one.look_up(question, DAY)
    return time.process_time() - started


def count_listings(settings: Settings, cited: list[Reference]) -> None:
    """Print how many references each list has something to say about, and what is found by name or host."""
    lists, found = choose_lists(settings), Counter[str]()
    shown: dict[str, None] = {}
    for reference in cited:
        for one in lists:
            answer = one.look_up(ask(reference), DAY)
            if answer.notices or answer.listings:
                found[one.name] += 1
            if one.name.startswith(("predatory", "hijacked")):
                for each in answer.listings:
                    exact = "" if each.exact else ", inexact"
                    shown[f"  {one.name}: {each.title} (by {each.found_by}{exact})"] = None
    named = sum(bool(reference.claimed.venue) for reference in cited)
    print(f"of {len(cited):,} references, {named:,} with a venue: {dict(found)}")
    print("\n".join(list(shown)[:40]))


def ask(reference: Reference) -> ListQuestion:
    """Return what lists are asked about a reference of which only the citation is known."""
    return make_list_question(reference, UNJUDGED)


def make_work_questions(data: Path) -> Iterator[ListQuestion]:
    """Yield questions for real works, with their venue."""
    with zstandard.open(data / "records/works.jsonl.zst", "rt", encoding="utf-8") as lines:
        for _, line in zip(range(WORKS), lines, strict=False):
            work = json.loads(line)
            doi = work.get("d")
            first = doi[0] if isinstance(doi, list) else doi
            venues = tuple(dict.fromkeys(venue for _, venue in work.get("p", ()) if venue))
            people = tuple(str(name).split()[-1] for name in work.get("a", ())[:50] if str(name).split())
            found = dois.normalise(first) if first else None
            yield ListQuestion((found,) if found else (), (), work["t"], people, venues=venues)


def read_references(paths: list[Path]) -> Iterator[Reference]:
    """Yield the references of bibliographies; what cannot be read is passed over."""
    reader = assemble(Settings(offline=True), stage=None)
    files = [file for path in paths for file in (sorted(path.rglob("*.bib")) if path.is_dir() else [path])]
    for file in files:
        yield from parse_all(reader.extract(Document(file.name, file.read_bytes())).references)


def write_journals(journals: Path, withdrawn: Path, data: Path) -> None:
    """Write tables with DOAJ's columns: real titles of journals, numbers that nobody has."""
    titles = read(data / "integrity/abbreviations/journal_abbreviations_entrez.csv.zst").splitlines()
    with (
        journals.open("w", encoding="utf-8", newline="") as known,
        withdrawn.open("w", encoding="utf-8", newline="") as gone,
    ):
        rows, taken = csv.writer(known), csv.writer(gone)
        rows.writerow(
            ["Journal title", "Alternative title", "Journal ISSN (print version)",
             "Journal EISSN (online version)", "Last updated Date"]
        )  # fmt: skip
        taken.writerow(["Journal Title", "ISSN", "Date Removed (dd/mm/yyyy)", "Reason"])
        for at in range(JOURNALS):
            title = next(csv.reader([titles[at % len(titles)]]))[0]
            numbers = [complete_issn(f"{9_000_000 - 2 * at - odd:07d}") for odd in (0, 1)]
            rows.writerow([f"{title} {at}", "", *numbers, "2026-07-01"])
            if at % 2:
                taken.writerow([f"{title} {at}", numbers[0], "5-May-2025", "Ceased publishing"])


def complete_issn(digits: str) -> str:
    """Return seven digits with the check digit that they need."""
    rest = -sum((8 - at) * int(digit) for at, digit in enumerate(digits)) % 11
    return f"{digits[:4]}-{digits[4:]}{'X' if rest == 10 else rest}"


if __name__ == "__main__":
    given = [Path(one) for one in sys.argv[1:]]
    where = given[0] if given else Path("../shared/data")
    main(where, given[1:] or [where / "wild/bib"])
