"""`placeholder_author`: an author of the citation is a placeholder, not a person.

**What it does:** compares the cited authors with names that stand for nobody ("Firstname Lastname", "First
Author", "A. Author", "Lorem Ipsum", "TBD", in several languages), with names for somebody ("John Doe", "Max
Mustermann") and with "Anonymous" or "Unknown" where the record of the work names people.

**Why it matters:** generated references and unfinished templates have such authors; readers cannot find the
people. It is a warning; a work that is cited as anonymous and whose record names people is a note
(`unnamed`).

**What is not reported:** a name that the record of the work has: some people are called Jane Doe. Common
names such as John Smith or Juan Pérez are reported only if no record has them and two of them stand together
or one stands next to a Doe. A work that is anonymous in its record may be cited so. Silence is not reported
as `clear`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

from citeproof.judgement.checks.base import WORK_CHECKS, add_check
from citeproof.judgement.checks.evidence.work_notices import WorkEvidence, list_work_records
from citeproof.judgement.checks.evidence.work_texts import DOCUMENT
from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_package_table
from citeproof.text.unicode import show_one_line, strip_marks
from citeproof.vocabulary import Finding, FindingLevel, FindingState, Name, Record

NAME = "placeholder_author"
_READ = 50  # authors of one citation
_SHOWN = 3
_LISTS = ("nobody", "somebody", "common", "unnamed")
_PUNCTUATION = re.compile(r"[^\w\s-]+|_")


class _PlaceholderNames(NamedTuple):
    """The names of the table, and the last words of all of them."""

    nobody: frozenset[str]
    somebody: frozenset[str]
    common: frozenset[str]
    unnamed: frozenset[str]
    families: frozenset[str]


@cache
def _load_names() -> _PlaceholderNames:
    table = load_package_table("citeproof.judgement.checks", "placeholder_names.toml")
    nobody, somebody, common, unnamed = (frozenset(table[name]) for name in _LISTS)
    every = nobody | somebody | common | unnamed
    last_words = frozenset(name.rpartition(" ")[2] for name in every)
    return _PlaceholderNames(nobody, somebody, common, unnamed, last_words)


@add_check(WORK_CHECKS, 8)
def find_placeholder(evidence: WorkEvidence) -> Finding | None:
    """Return the cited authors that are no people; None if there are none."""
    authors, known = evidence.reference.claimed.authors[:_READ], _load_names()
    families = known.families
    suspects = [name for name in authors if _make_last_word(name.family) in families]
    if not suspects:
        return None
    keys = {name: _make_key(name) for name in suspects}
    records = list_work_records(evidence.judgement, evidence.compared)
    recorded = {_make_key(name) for record in records for name in record.authors}
    people = _find_people(records)
    if people and all(keys.get(name) in known.unnamed for name in authors):
        cited = _show_name(authors[0])
        detail = f"cited as {cited}; the record names its authors: {people}"
        lines = (f"cited: {cited}", f"record: {people}")
        return Finding(NAME, FindingState.FINDING, detail, DOCUMENT, "unnamed", FindingLevel.NOTE, lines)
    odd = [name for name in keys if keys[name] in known.somebody and keys[name] not in recorded]
    plain = [name for name in keys if keys[name] in known.common and keys[name] not in recorded]
    placeholders = [name for name, key in keys.items() if key in known.nobody and key not in recorded]
    placeholders += odd + plain if odd or (len(plain) > 1 and not people) else []
    return _report_placeholders(placeholders, people) if placeholders else None


def _report_placeholders(placeholders: Sequence[Name], people: str) -> Finding:
    shown = [_show_name(name) for name in placeholders[:_SHOWN]]
    single = len(placeholders) == 1
    word = "a placeholder, not the name of a person" if single else "placeholders, not names of people"
    detail = f"{', '.join(shown)}: {word}" + (f"; the record has {people}" if people else "")
    lines = (*(f"cited: {name}" for name in shown), *([f"record: {people}"] if people else []))
    return Finding(NAME, FindingState.FINDING, detail, DOCUMENT, evidence=lines)


def _find_people(records: Iterable[Record]) -> str:
    """Return the people whom the records name, the first of them; empty if they name no one."""
    known = _load_names()
    for record in records:
        people = [n for n in record.authors if not n.collective and not known.unnamed & {_make_key(n)}]
        if people:
            more = f" and {len(people) - _SHOWN} more" if len(people) > _SHOWN else ""
            return f"{', '.join(map(_show_name, people[:_SHOWN]))}{more} ({record.source})"
    return ""


def _show_name(name: Name) -> str:
    return show_one_line(name.display[:80])


def _make_last_word(family: str) -> str:
    lowered = family.lower()
    return lowered if lowered.isalpha() else lowered.rpartition(" ")[2].strip(".,()[]?!*")


def _make_key(name: Name) -> str:
    """Return "given family" in lower case, without accents and punctuation."""
    plain = strip_marks(f"{name.given[:80]} {name.family[:80]}").lower()
    return " ".join(_PUNCTUATION.sub(" ", plain).split())
