"""How well `citeproof fix` mends errors planted into real .bib files.

    python bench/fix_quality.py FILE.bib… [--seed 1] [--share 0.3]

A snapshot of the files themselves is the truth. Into each file errors are planted by the rules that make
the benchmarks (year, DOI digit, authors, a title word, another venue; page and volume beside), one an
entry; the file is fixed in all that is found, checked again, and taken back. Printed are, file by file:
how many plants were restored to the very bytes or to an equal value, how many were left, which bytes
changed that nobody planted, and whether undo gives back the file. What the
untouched file would be changed in by itself (missing pages that another of its
entries has) is told apart.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import re
import tempfile
from collections import Counter
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import planting
from citeproof import settings
from citeproof.answers.fix import backups, corrected_files, title_rewording
from citeproof.answers.fix.bibtex_entry import BibtexField, LocatedEntry
from citeproof.answers.fix.formats.bibtex import VENUES, BibtexFile
from citeproof.answers.fix.text_edits import TextEdit, apply_edits
from citeproof.evidence.index.build import BuildInput, build
from citeproof.evidence.index.coverage import parse_claim
from citeproof.judgement.compare.person import Likeness, make_person, measure_likeness
from citeproof.laboratory.measure.makers.record_pool import RecordPool
from citeproof.reading.extractors.decoded_text import decode
from citeproof.reading.extractors.records.bibtex_fields import read_bibtex_fields
from citeproof.service.assemble import assemble, make_fixer
from citeproof.service.check_session import CheckSession, begin_check
from citeproof.text.bibtex_scanner import BibtexEntry
from citeproof.text.title import fold_title
from citeproof.verifier import ReferenceVerifier
from citeproof.vocabulary import Checked, Claimed, Document

KINDS = ("year", "pages", "volume", "doi", "authors", "title", "venue")
FIELDS = {"year": ("year", "date"), "authors": ("author",), "venue": VENUES}
FEWEST = 5  # entries of a file that is worth measuring


@dataclass(frozen=True)
class Plant:
    """One planted error: in which entry, in which field, and the value before and after."""

    entry: int  # number in the file
    kind: str
    old: str
    new: str


def planted(text: str, pool: RecordPool, rng: random.Random, share: float) -> tuple[str, list[Plant]]:
    """Return the text with errors planted into a share of its entries."""
    library = BibtexFile.read(text)
    located = [LocatedEntry(text, entry, library.macros) for entry in library.entries]
    plants, edits = [], []
    for number, one in enumerate(located):
        if not one.sound or rng.random() > share or not one.field("title"):
            continue
        for kind in rng.sample(KINDS, len(KINDS)):
            edit = _edit(one, kind, pool, rng)
            if edit is not None:
                plants.append(Plant(number, kind, text[edit.start : edit.end], edit.text))
                edits.append(edit)
                break
    return apply_edits(text, edits), plants


def _field(one: LocatedEntry, kind: str) -> BibtexField | None:
    for name in FIELDS.get(kind, (kind,)):
        field = one.field(name)
        if field is not None and one.read_value(field).strip():
            return field
    return None


def _edit(one: LocatedEntry, kind: str, pool: RecordPool, rng: random.Random) -> TextEdit | None:
    """Return the edit that makes one field of an entry wrong; None if it has none that fits."""
    field = _field(one, kind)
    if field is None or (field.bare and not one.read_value(field).isdecimal()):
        return None
    held, low = one.read_value(field), field.low
    if kind in ("pages", "volume"):
        match = re.search(r"\d+", held)
        return match and TextEdit(
            low + match.start(), low + match.end(), str(int(match[0]) + rng.randint(1, 9))
        )
    return planting.planted(one, field, kind, pool, rng)


def check(verifier: ReferenceVerifier, document: Document) -> tuple[CheckSession, list[Checked]]:
    """Return one file as it was read, and its references checked."""
    checking = begin_check(verifier, [document])

    async def run() -> list[Checked]:
        return [one async for one in checking.stream()]

    return checking, asyncio.run(run())


def fix(verifier: ReferenceVerifier, path: Path) -> corrected_files.CorrectedFile:
    """Return a file fixed in all that is found."""
    data = path.read_bytes()
    document = Document(str(path), data)
    checking, checked = check(verifier, document)
    options = corrected_files.FixOptions(unsafe=True)
    files = make_fixer().fix_files([document], checking.extractions, checked, options)
    return files[0] if files else corrected_files.CorrectedFile(str(path), path, data, data)


def entries(path: Path) -> tuple[BibtexEntry, ...]:
    """Return the entries of a file."""
    return BibtexFile.read(decode(Document(path.name, path.read_bytes())).text).entries


@dataclass(frozen=True)
class Trial:
    """One file before the errors, with them and after the fix, and what was found out about it."""

    texts: tuple[str, str, str]
    plants: list[Plant]
    done: set[tuple[str, str]]  # (key, field) of the changes made
    again: set[tuple[str, str]]  # those that the fixed file would get
    itself: set[tuple[str, str]]  # those that the file without errors would get
    labels: dict[str, str]  # of the file with errors, by key


def measure(
    verifier: ReferenceVerifier,
    source: Path,
    folder: Path,
    pool: RecordPool,
    rng: random.Random,
    share: float,
) -> Trial:
    """Return one file with errors planted and fixed; raises if undo does not give it back."""
    data = source.read_bytes()
    decoded = decode(Document(source.name, data))
    text, plants = planted(decoded.text, pool, rng, share)
    path = folder / source.name
    path.write_bytes(data)
    itself = _done(fix(verifier, path))
    before = data[: decoded.locate_span(0, 0).start] + text.encode(decoded.encoding, "replace")
    path.write_bytes(before)
    result = fix(verifier, path)
    again: set[tuple[str, str]] = set()
    if result.new != before:
        backups.exchange_file(path, before, result.new)
        again = _done(fix(verifier, path))
        backups.undo_change(path)
    assert sha256(path.read_bytes()).digest() == sha256(before).digest(), f"{source}: undo failed"
    _, checked = check(verifier, Document(source.name, before))
    labels = {one.reference.key: str(one.judgement.label) for one in checked}
    mended = decode(Document(source.name, result.new)).text
    return Trial((decoded.text, text, mended), plants, _done(result), again, itself, labels)


def _done(result: corrected_files.CorrectedFile) -> set[tuple[str, str]]:
    return {(step.checked.reference.key, step.change.field) for step in result.steps if step.done}


def counted(trial: Trial, *, verbose: bool) -> Counter[str]:
    """Return what became of each plant, and which fields changed that nobody planted."""
    libraries = [BibtexFile.read(text) for text in trial.texts]
    keys = [entry.key for entry in libraries[0].entries]
    counts: Counter[str] = Counter(files=1, entries=len(keys), plants=len(trial.plants))
    counts["fixable after the fix"] = len(trial.again)
    if verbose and trial.again:
        print(f"    again {sorted(trial.again)}")
    planted_in: dict[int, set[str]] = {}
    for plant in trial.plants:
        planted_in[plant.entry] = set(FIELDS.get(plant.kind, (plant.kind,)))
        outcome, words = _outcome(plant, libraries[0], libraries[2], trial.done)
        label = f" ({trial.labels.get(keys[plant.entry])})" if outcome == "left" else ""
        counts.update([outcome + label, f"{plant.kind}: {outcome}"])
        if verbose and outcome != "exact":
            print(f"    {outcome}{label} {plant.kind} {keys[plant.entry]}: {words}")
    for number, (old, new) in enumerate(zip(libraries[1].entries, libraries[2].entries, strict=True)):
        for name in (old.fields.keys() | new.fields.keys()) - planted_in.get(number, set()):
            if old.fields.get(name) != new.fields.get(name):
                field = {"number": "issue", "author": "authors", "journal": "venue"}.get(name, name)
                known = (keys[number], field) in trial.itself
                counts["without any plant" if known else "beside"] += 1
                if verbose and not known:
                    change = f"{old.fields.get(name)!r} now {new.fields.get(name)!r}"
                    print(f"    beside {name} {keys[number]} {planted_in.get(number)}: {change}")
    return counts


def _outcome(
    plant: Plant, before: BibtexFile, after: BibtexFile, done: set[tuple[str, str]]
) -> tuple[str, str]:
    """Return what became of one plant in a word, and the values for the curious."""
    entry = before.entries[plant.entry]
    name = next(n for n in FIELDS.get(plant.kind, (plant.kind,)) if entry.fields.get(n, "").strip())
    held = []
    for library in (before, after):
        one = LocatedEntry(library.text, library.entries[plant.entry], library.macros)
        field = one.field(name)
        held.append(one.read_value(field) if field else "")
    words = f"{held[0]!r} planted {plant.new!r} now {held[1]!r}"
    if held[0] == held[1]:
        return "exact", words
    if (entry.key, plant.kind) not in done:
        return "left", words
    same = _same(plant.kind, *(read_bibtex_fields(each.entries[plant.entry])[0] for each in (before, after)))
    return ("equal" if same else "wrong"), words


def _same(kind: str, one: Claimed, other: Claimed) -> bool:
    """Return whether two entries say the same in one field, however they write it."""
    match kind:
        case "title":
            return title_rewording.is_same_title(one.title or "", other.title or "")
        case "authors":
            pairs = zip(one.authors, other.authors, strict=False)
            alike = all(
                measure_likeness(make_person(a), make_person(b)) >= Likeness.VARIANT for a, b in pairs
            )
            return len(one.authors) == len(other.authors) and alike
        case "venue":
            return fold_title(one.venue or "") == fold_title(other.venue or "")
        case "doi":
            return one.ids.all("doi") == other.ids.all("doi")
        case _:
            return bool(getattr(one, kind) == getattr(other, kind))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--share", type=float, default=0.3, help="of the entries that get an error")
    parser.add_argument("-v", "--verbose", action="store_true")
    given = parser.parse_args()
    total: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = [f for f in given.files if len(entries(f)) >= FEWEST]
        build(
            [BuildInput("bibtex", tuple(files))],
            folder / "snapshot",
            covers=(parse_claim("all"),),
            name="truth",
        )
        pool = planting.pool_of([entry for file in files for entry in entries(file)])
        chosen = settings.load({"snapshots": (folder / "snapshot",), "offline": True})
        for source in files:
            rng = random.Random(f"{given.seed}{source.name}")
            counts = counted(
                measure(assemble(chosen), source, folder, pool, rng, given.share), verbose=given.verbose
            )
            print(source.name, dict(sorted(counts.items())), flush=True)
            total.update(counts)
    print("all", dict(sorted(total.items())))
    print("undo gave back the bytes of every file")


if __name__ == "__main__":
    main()
