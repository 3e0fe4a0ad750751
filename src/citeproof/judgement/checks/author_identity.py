"""`author_identity`: the ORCID iDs say whether an author of the same name is the same person.

**What it does:** compares ORCID iDs: those written in the citation with those that the publisher (Crossref,
DataCite), PubMed or Europe PMC states for the authors of the work, and those that two of these sources state
for one name.

**Why it matters:** thousands of researchers share a family name and an initial; only the iD tells two people
named W. Wang apart. A cited iD that contradicts the record is a warning; sources that contradict each other
are a note.

**Kinds:** `cited`: the iD in the citation is not that of the record; `sources`: two sources state different
iDs for one name.

**States:** `clear`: the iDs agree. `unchecked`: the citation has an iD, and no source states one for these
authors. Without any stated iD nothing is said. Given names that differ are reported by the comparison of the
authors. iDs that OpenAlex guesses are not used.

**References:** <https://info.orcid.org/what-is-orcid/>.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from citeproof.judgement.checks.base import WORK_CHECKS, add_check
from citeproof.judgement.checks.evidence.work_notices import WorkEvidence
from citeproof.judgement.checks.evidence.work_texts import DOCUMENT, ORCID_WORDS, WorkText, read_work
from citeproof.text import ids, names
from citeproof.text import lazy_patterns as re
from citeproof.text.unicode import show_one_line
from citeproof.vocabulary import ORCID, Finding, FindingLevel, FindingState, Name, Record

NAME = "author_identity"
_MOST = 40
_IN_TEXT = re.compile(r"(?<![\w-])\d{4}-\d{4}-\d{4}-\d{3}[\dXx](?![\w-])")


class StatedPerson(NamedTuple):
    """An author, the iD that a source states, and the source."""

    key: str  # family name and first initial
    shown: str
    id: str
    source: str


@add_check(WORK_CHECKS, 13)
def find_identity(evidence: WorkEvidence) -> Finding | None:
    """Return whether the iDs agree; None if there are none to compare."""
    _, records, texts = read_work(evidence)
    people = [person for record in records for person in _list_people(record)]
    if cited := _list_cited(texts[0]):
        return _judge_cited(cited, people, evidence.reference.claimed.authors, records)
    return _judge_sources(people) if people else None


def _list_cited(cited: WorkText) -> list[str]:
    """Return the ORCID iDs that the citation has and calls so, with a right check digit."""
    if ORCID_WORDS.isdisjoint(cited.words):
        return []
    written = (ids.normalise_id("orcid", number) for number in _IN_TEXT.findall(cited.text)[:_MOST])
    return list(dict.fromkeys(number for number in written if number))


def _list_people(record: Record) -> Iterator[StatedPerson]:
    for mark in record.marks:
        if mark.startswith(ORCID):
            known, _, shown = mark.removeprefix(ORCID).partition(" ")
            yield StatedPerson(_make_key(names.parse(shown)), show_one_line(shown), known, record.source)


def _make_key(name: Name) -> str:
    return f"{names.make_family_key(name)} {name.given[:1].lower()}"


def _judge_cited(
    cited: list[str], people: list[StatedPerson], authors: Sequence[Name], records: Sequence[Record]
) -> Finding | None:
    """Return what the record says to the iDs of the citation."""
    if not records:
        return None
    known = {person.id: person for person in people}
    strange = [number for number in cited if number not in known]
    sources = ", ".join(dict.fromkeys(person.source for person in people))
    if not strange:
        agreeing = [known[number] for number in cited[:3]]
        lines = tuple(f"{person.source}: {person.id} {person.shown}" for person in agreeing)
        return Finding(NAME, FindingState.CLEAR, "", sources, evidence=lines)
    rivals = _list_rivals(people, authors, records) if len(strange) == 1 else []
    if not rivals:
        detail = "the citation has an ORCID iD, and no source states one for these authors"
        return Finding(NAME, FindingState.UNCHECKED, detail, sources or DOCUMENT)
    shown = ", ".join(f"{rival.id} for {rival.shown}" for rival in rivals[:2])
    more = f" and {len(rivals) - 2} more" if len(rivals) > 2 else ""
    detail = f"the citation has ORCID {strange[0]}; {rivals[0].source} states {shown}{more}"
    lines = (f"cited: {strange[0]}", *(f"{rival.source}: {rival.id} {rival.shown}" for rival in rivals[:5]))
    return Finding(NAME, FindingState.FINDING, detail, f"{DOCUMENT}, {sources}", "cited", evidence=lines)


def _list_rivals(
    people: list[StatedPerson], authors: Sequence[Name], records: Sequence[Record]
) -> list[StatedPerson]:
    """Return those who leave no author for the cited iD: the one author cited, or all of them."""
    if len(authors) == 1:
        wanted = _make_key(authors[0])
        return [person for person in people if person.key == wanted]
    for record in records:
        stated = {person.key: person for person in people if person.source == record.source}
        keys = {_make_key(name) for name in record.authors}
        if keys and record.authors_complete and keys <= set(stated):
            return list(stated.values())
    return []


def _judge_sources(people: list[StatedPerson]) -> Finding | None:
    """Return whether two sources state the same iD for one name."""
    by_name: dict[str, dict[str, StatedPerson]] = {}
    for person in people:
        by_name.setdefault(person.key, {})[f"{person.source} {person.id}"] = person
    agreeing = []
    for stated in by_name.values():
        of_source: dict[str, list[StatedPerson]] = {}
        for person in stated.values():
            of_source.setdefault(person.source, []).append(person)
        if len(of_source) < 2 or any(len(same_name) > 1 for same_name in of_source.values()):
            continue  # one source alone, or two authors of one name and initial
        first, second = [same_name[0] for same_name in of_source.values()][:2]
        if first.id != second.id:
            detail = f"{first.source} and {second.source} state different ORCID iDs for {first.shown}"
            lines = tuple(f"{person.source}: {person.id} {person.shown}" for person in (first, second))
            sources = f"{first.source}, {second.source}"
            return Finding(NAME, FindingState.FINDING, detail, sources, "sources", FindingLevel.NOTE, lines)
        agreeing.append(first)
    if not agreeing:
        return None
    sources = ", ".join(dict.fromkeys(person.source for person in people))
    lines = tuple(f"{person.id} {person.shown}" for person in agreeing[:3])
    return Finding(NAME, FindingState.CLEAR, "", sources, evidence=lines)
