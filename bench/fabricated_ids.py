"""Fabricated identifiers in twelve forms of citation and eight schemes, live against the loopback world.

    python -m bench.fabricated_ids SNAPSHOT [--each 3] [--real 500] [--misses]

Fabricated: for each form and scheme, EACH citations with an identifier that its registry does not have, half
of them under an invented title and half under a real one. Counted as right: MINOR or MAJOR, and the
explanation says "VALUE does not exist (REGISTRY)".
Real: works of SNAPSHOT, and works with identifiers that it lacks, cited truly in the same forms. Counted as
wrong: MINOR or MAJOR.
Down: the fabricated ones again while every registry answers 503. Counted as wrong: any label.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

from bench.citation_forms import FILES, Work

from citeproof import settings
from citeproof.evidence.index.snapshot import Snapshot
from citeproof.laboratory.testing import Faults, Shelf, SnapshotHoldings, World
from citeproof.service.assemble import assemble
from citeproof.service.citation_input import build_citation
from citeproof.text import ids
from citeproof.verifier import ReferenceVerifier
from citeproof.vocabulary import Checked, Document, Ids, Kind, Label, RawReference, Record, Version

SEED = 16
AT_ONCE = 32
FORMS = (*FILES, "verify")
SCHEMES = ("doi", "pmid", "pmcid", "arxiv", "ads", "isbn", "issn", "who_iris")
_ADJECTIVES = ("Spectral", "Adaptive", "Layered", "Stochastic", "Chiral", "Recursive", "Latent", "Granular")
_NOUNS = ("Resonance", "Manifolds", "Plasticity", "Diffusion", "Lattices", "Attention", "Cohorts", "Vortices")
_PLACES = ("Estuarine Sediments", "Feline Cortex", "Urban Bus Networks", "Graphene Foams", "Rural Clinics")
_PEOPLE = ("Quentin Farnsworth", "Oda Mellway", "Ilse Brandvold", "Tomas Renderman", "Yuki Halvert")


def read(verifier: ReferenceVerifier, form: str, work: Work) -> RawReference | None:
    """Return the one reference of a citation in a form; None where not exactly one was read."""
    if form == "verify":
        return build_citation(
            work.title, author=work.people[0][1], year=work.year, **{work.scheme: work.value}
        )
    name, write = FILES[form]
    found = verifier.extract(Document(name, write(work).encode())).references
    return found[0] if len(found) == 1 else None


# --- works ---------------------------------------------------------------------------------------------


class Both:
    """The works of a snapshot, and a few beside it."""

    def __init__(self, shelf: Shelf, snapshot: Snapshot) -> None:
        self._parts = (shelf, SnapshotHoldings(snapshot))

    def by_id(self, scheme: str, value: str) -> Sequence[Record]:
        return next((found for part in self._parts if (found := part.by_id(scheme, value))), ())

    def search(self, words: str, limit: int = 20) -> Sequence[Record]:
        return [record for part in self._parts for record in part.search(words, limit)][:limit]

    def find_words(self, words: Collection[str]) -> Sequence[Record]:
        return [record for part in self._parts for record in part.find_words(words)]


def invent(rng: random.Random, scheme: str) -> Work:
    """Return a work that does not exist, with an identifier that does not."""
    title = (
        f"{rng.choice(_ADJECTIVES)} {rng.choice(_NOUNS)} and {rng.choice(_ADJECTIVES)} {rng.choice(_NOUNS)}"
    )
    people = [tuple(name.split(" ", 1)) for name in rng.sample(_PEOPLE, 2)]
    venue = {"isbn": "Meridian Academic Press", "who_iris": "World Health Organization"}
    return Work(
        f"{title} in {rng.choice(_PLACES)}", tuple((a, b) for a, b in people), rng.randrange(2008, 2024),
        venue.get(scheme, "Journal of Applied Inquiry"), scheme, fabricate(rng, scheme),
    )  # fmt: skip


def fabricate(rng: random.Random, scheme: str) -> str:
    """Return a well-formed identifier that nobody gave out."""
    digits = "".join(rng.choice("0123456789") for _ in range(12))
    match scheme:
        case "doi":
            return f"{rng.choice(('10.1234', '10.1038', '10.1016', '10.1109'))}/j.fake.{digits[:8]}"
        case "pmid":
            return f"9{digits[:7]}"
        case "pmcid":
            return f"PMC9{digits[:7]}"
        case "arxiv":
            return f"{rng.randrange(15, 24)}{rng.randrange(1, 13):02}.{8 + int(digits[0]) % 2}{digits[1:5]}"
        case "ads":
            return f"{rng.randrange(1990, 2024)}ApJ...{digits[:3]}..{digits[3:6]}Q"
        case "isbn":
            return next(v for n in range(10) if (v := f"978{digits[:9]}{n}") and ids.normalise_id("isbn", v))
        case "issn":
            last = next(
                c for c in "0123456789X" if ids.normalise_id("issn", f"{digits[:4]}-{digits[4:7]}{c}")
            )
            return f"{digits[:4]}-{digits[4:7]}{last}"
        case _:
            return f"https://iris.who.int/handle/10665/9{digits[:6]}"


def pick(snapshot: Snapshot, rng: random.Random, scheme: str = "") -> Record:
    """Return a record with all that a citation needs, and an identifier of `scheme` if one is wanted.

    An ISBN is a book's: papers have that of their volume.
    """
    while True:
        record = snapshot.record_at(rng.randrange(snapshot.manifest.records))
        first = record.versions[0] if record.versions else Version()
        plain = not set("{}\\$%&#_<>[]|") & set(record.title) and record.title.isascii()
        people = [a for a in record.authors if a.given and a.family.isascii() and a.given.isascii()]
        whole = (
            len(people) == len(record.authors) > 0 and first.year and first.venue and first.venue.isascii()
        )
        plain = plain and not any("submission" in (version.venue or "") for version in record.versions)
        if whole and plain and len(record.title) > 25 and _has(record, scheme):
            return record


def _has(record: Record, scheme: str) -> bool:
    if scheme == "isbn":
        return record.kind is Kind.BOOK and record.ids.first("isbn") is not None
    return record.kind is not Kind.BOOK and (not scheme or record.ids.first(scheme) is not None)


def cite(record: Record, scheme: str, value: str) -> Work:
    """Return a record as it is truly cited, under the given identifier."""
    version = record.versions[0]
    people = tuple((a.given, a.family) for a in record.authors)
    return Work(record.title, people, version.year or 0, version.venue or "", scheme, value)


def real_works(snapshot: Snapshot, rng: random.Random, count: int) -> tuple[list[Work], Shelf]:
    """Return true citations, and the records that the snapshot lacks for them."""
    works: list[Work] = []
    shelf: list[Record] = []
    for number in range(count):
        scheme = SCHEMES[number % len(SCHEMES)]
        held = scheme in ("doi", "pmid", "arxiv", "isbn")
        record = pick(snapshot, rng, scheme if held else "")
        if not held:
            value = fabricate(rng, scheme)
            kind = Kind.REPORT if scheme == "who_iris" else record.kind
            record = replace(
                record, id=f"x{number}", ids=Ids((*record.ids.pairs, (scheme, value))), kind=kind
            )
            shelf.append(record)
        works.append(cite(record, scheme, record.ids.all(scheme)[-1]))
    return works, Shelf(*shelf)


# --- runs ----------------------------------------------------------------------------------------------


async def check_all(
    world: World, cited: Sequence[tuple[str, Work]], folder: Path
) -> list[tuple[str, Work, Checked | None]]:
    """Return each citation with what was found out about it; None where it was not read."""
    environment = {
        **world.environment(),
        "CITEPROOF_PACE": "2000",
        "CITEPROOF_CONTACT": "bench@example.org",
        "CITEPROOF_CACHE_DIR": str(folder / "cache"),
        "CITEPROOF_LIMITS_DIR": str(folder / "limits"),
        "CITEPROOF_ADS_KEY": "bench-key",
    }
    verifier = assemble(settings.load(environment=environment, folder=folder), stage=None)
    gate = asyncio.Semaphore(AT_ONCE)

    async def check(form: str, work: Work) -> tuple[str, Work, Checked | None]:
        raw = read(verifier, form, work)
        async with gate:
            return form, work, await verifier.verify_one(raw) if raw else None

    try:
        return list(await asyncio.gather(*(check(form, work) for form, work in cited)))
    finally:
        await verifier.close()


def flagged(checked: Checked | None) -> bool:
    return checked is not None and checked.judgement.label in (Label.MINOR, Label.MAJOR)


def told(work: Work, checked: Checked | None) -> bool:
    """Return whether the explanation says that the identifier does not exist."""
    return checked is not None and f"{work.value} does not exist (" in checked.judgement.explanation


def show(form: str, work: Work, checked: Checked | None) -> None:
    label = checked.judgement.label if checked else "not read"
    said = checked.judgement.explanation if checked else ""
    print(f"  {form}, {work.scheme}, {work.value}: {label}; {work.title[:60]}\n      {said[:400]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("snapshot", type=Path)
    parser.add_argument("--each", type=int, default=3)
    parser.add_argument("--real", type=int, default=500)
    parser.add_argument("--misses", action="store_true", help="print every citation that went wrong")
    options = parser.parse_args()
    rng = random.Random(SEED)
    with Snapshot.open(options.snapshot) as snapshot, tempfile.TemporaryDirectory() as folder:
        fake: list[tuple[str, Work]] = []
        for form in FORMS:
            for scheme in SCHEMES:
                for number in range(options.each):
                    work = invent(rng, scheme)
                    if number % 2:
                        base = pick(snapshot, rng, "isbn" if scheme == "isbn" else "")
                        work = cite(base, scheme, work.value)
                    fake.append((form, work))
        works, shelf = real_works(snapshot, rng, options.real)
        real = [(FORMS[number % len(FORMS)], work) for number, work in enumerate(works)]
        with World(Both(shelf, snapshot)) as world:
            report_fabricated(
                asyncio.run(check_all(world, fake, Path(folder) / "fake")), misses=options.misses
            )
            report_real(asyncio.run(check_all(world, real, Path(folder) / "real")), misses=options.misses)
            for api in world.urls:
                world.set(api, faults=Faults.status(503))
            down = asyncio.run(check_all(world, fake, Path(folder) / "down"))
            wrong = [one for one in down if flagged(one[2])]
            print(f"all registries down: {len(wrong)} of {len(down)} flagged")
            for one in wrong if options.misses else ():
                show(*one)


def report_fabricated(found: Sequence[tuple[str, Work, Checked | None]], *, misses: bool) -> None:
    right = [flagged(checked) and told(work, checked) for _, work, checked in found]
    marked = sum(flagged(checked) for *_, checked in found)
    print(f"fabricated: {sum(right)} of {len(found)} flagged and told ({sum(right) / len(found):.1%});"
          f" {marked} flagged")  # fmt: skip
    for part, names in (("form", FORMS), ("scheme", SCHEMES)):
        shares = Counter[str]()
        totals = Counter[str]()
        for good, (form, work, _) in zip(right, found, strict=True):
            name = form if part == "form" else work.scheme
            totals[name] += 1
            shares[name] += good
        print(f"  by {part}: " + ", ".join(f"{name} {shares[name]}/{totals[name]}" for name in names))
    for good, one in zip(right, found, strict=True):
        if misses and not good:
            show(*one)


def report_real(found: Sequence[tuple[str, Work, Checked | None]], *, misses: bool) -> None:
    wrong = [one for one in found if flagged(one[2])]
    denied = [one for one in found if told(one[1], one[2])]
    checked = sum(one[2] is not None and one[2].judgement.label is not None for one in found)
    print(f"real: {len(denied)} of {len(found)} told not to exist, {len(wrong)} flagged for anything,"
          f" {checked} decided")  # fmt: skip
    for one in wrong if misses else ():
        show(*one)


if __name__ == "__main__":
    main()
