"""A made-up project of any size: source files, a research corpus with assessments, documents that cite both.

The same seed gives the same bytes. Half of a document's twenty citations are code citations (seven in ten
fresh), the others @-mentions, REF ids, author–year mentions and, in every fifth document, a DOI.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

CITED = 20  # citations of one document
SOURCES = 2_000  # files of code
ENTRIES = 500  # of the corpus
FOLDER = 100  # documents in one folder
TARGET = (4_200, 7_800)  # bytes of a document
_TYPES = ("peer-reviewed journal", "conference", "preprint", "technical report", "blog")
_GRADES = ("HIGH", "MODERATE", "LOW", "VERY LOW")
_VERBS = ("suggests", "indicates", "reports", "describes", "demonstrates", "shows", "considers")
_LETTERS = ("bdklmnrstv", "aeio")
_PROSE = """
the service a cache of this request keeps every token while one worker reads its queue and another writes the
log so that no message is lost when the network fails or the disk is slow because each step can be repeated
without harm which makes recovery simple for people who run it at night with little time to look
"""
_WORDS = tuple(_PROSE.split())


@dataclass(frozen=True, slots=True)
class Code:
    """A source file that is there."""

    path: str
    hash: str
    lines: int


@dataclass(frozen=True, slots=True)
class Entry:
    """A source of the corpus."""

    path: str
    ref: str
    family: str
    year: int
    doi: str


def build(folder: Path, files: int, seed: int = 20261115) -> list[Path]:
    """Return the documents of a project made in `folder`."""
    chance = random.Random(seed)
    few = min(1.0, files / 1000)  # a small project has little of everything
    code = [_code(folder, n, chance) for n in range(max(20, round(SOURCES * few)))]
    entries = [_entry(folder, n, chance) for n in range(max(20, round(ENTRIES * few)))]
    made = []
    for number in range(files):
        path = folder / "docs" / f"part-{number // FOLDER:03}" / f"note-{number:05}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_document(number, code, entries, chance), encoding="utf-8")
        made.append(path)
    return made


def _code(folder: Path, number: int, chance: random.Random) -> Code:
    lines = chance.randint(40, 140)
    rows = [
        f"def step_{n}(value: int) -> int:" if n % 3 == 0 else f"    value += {chance.randrange(999)}"
        for n in range(lines)
    ]
    data = ("\n".join(rows) + "\n").encode()
    path = folder / "src" / f"part{number % 40:02}" / f"module_{number:04}.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return Code(path.relative_to(folder).as_posix(), sha256(data).hexdigest()[:16], lines)


def _entry(folder: Path, number: int, chance: random.Random) -> Entry:
    ref, year = f"REF-{number + 1:03}", chance.randint(1995, 2025)
    family = "".join(chance.choice(letters) for letters in _LETTERS * 3).title()
    doi = f"10.5555/made.{number:04}"
    research = folder / ".aiwg" / "research"
    path = research / "sources" / f"{family.lower()}{year}-{number:03}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        f"---\nref: {ref}\ntitle: {_sentence(chance, 7)}\nauthors:\n  - {family}, A.\n  - Second, B.\n"
        f"  - Third, C.\nyear: {year}\ndoi: {doi}\nsource_type: {chance.choice(_TYPES)}\n"
        f"last_verified: 2026-10-01\n---\n\n# Notes\n\n{_paragraph(chance, 6)}\n"
    )
    grade = research / "quality-assessments" / f"{ref}.yaml"
    grade.parent.mkdir(parents=True, exist_ok=True)
    grade.write_text(f"ref: {ref}\ngrade: {chance.choice(_GRADES)}\n")
    return Entry(path.relative_to(folder).as_posix(), ref, family, year, doi)


def _document(number: int, code: Sequence[Code], entries: Sequence[Entry], chance: random.Random) -> str:
    """Return Markdown with twenty citations in paragraphs, lists, a table and a footer, and a code fence."""
    cites = [_code_citation(chance.choice(code), chance) for _ in range(CITED // 2)]
    cites += [_corpus_citation(n, number, chance.choice(entries)) for n in range(CITED - len(cites))]
    chance.shuffle(cites)
    parts = [f"# Note {number}: {_sentence(chance, 5)}", _paragraph(chance, 3)]
    for at in range(0, 12, 3):
        parts += [f"## {_sentence(chance, 4)}", _claims(cites[at : at + 3], chance)]
    parts.append("\n".join(f"- {_claim(cite, chance)}" for cite in cites[12:15]))
    rows = "\n".join(
        f"| {_sentence(chance, 3)} | {chance.randint(1, 99)} | {cite} |" for cite in cites[15:18]
    )
    parts.append(f"| What | n | Source |\n| --- | ---: | --- |\n{rows}")
    parts.append("```python\ncited = '[src/nowhere.py, L1] and REF-999 are code here'\nprint(cited)\n```")
    parts.append(_claims(cites[18:], chance))
    wanted = chance.randint(*TARGET)
    while len(text := "\n\n".join(parts)) < wanted:
        parts.insert(chance.randrange(1, len(parts)), _paragraph(chance, 4))
    return text + "\n"


def _code_citation(code: Code, chance: random.Random) -> str:
    first = chance.randint(1, code.lines - 10)
    lines = f", L{first}-{first + chance.randint(1, 9)}"
    kind = chance.random()
    if kind < 0.7:
        return f"[{code.path}@{code.hash}{lines}]"
    if kind < 0.8:
        return f"[{code.path}@{code.hash[::-1]}{lines}]"  # stale
    return f"[{code.path}{lines}]" if kind < 0.97 else f"[{code.path}x{lines}]"  # un-versioned, missing


def _corpus_citation(at: int, number: int, entry: Entry) -> str:
    if at < 4:
        return f"@{entry.path}"
    if at < 7:
        return entry.ref
    if at == 7 and number % 5 == 0:
        return f"doi:{entry.doi}"
    return f"({entry.family} et al., {entry.year})"


def _claims(cites: Sequence[str], chance: random.Random) -> str:
    return " ".join(_claim(cite, chance) + " " + _sentence(chance, 9) for cite in cites)


def _claim(cite: str, chance: random.Random) -> str:
    claimed = _sentence(chance, 8)[:-1].lower()
    return f"{_sentence(chance, 6)[:-1]} {chance.choice(_VERBS)} that {claimed} {cite}."


def _paragraph(chance: random.Random, sentences: int) -> str:
    return " ".join(_sentence(chance, chance.randint(7, 16)) for _ in range(sentences))


def _sentence(chance: random.Random, words: int) -> str:
    text = " ".join(chance.choice(_WORDS) for _ in range(words))
    return f"{text[0].upper()}{text[1:]}."
