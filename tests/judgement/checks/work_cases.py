"""Citations and records for tests of the checks of a cited work."""

from __future__ import annotations

from datetime import date

from citeproof.judgement.checks.evidence.work_notices import WorkEvidence
from citeproof.vocabulary import (
    Claimed,
    Compared,
    Judgement,
    Kind,
    Label,
    Name,
    Provenance,
    Record,
    Reference,
    Verdict,
)

DAY = date(2026, 3, 10)


def make_names(text: str) -> tuple[Name, ...]:
    """Return "Jane Doe; ACME" as names: the last word is the family, one word alone a group."""
    people = [one.strip().rpartition(" ") for one in text.split(";") if one.strip()]
    return tuple(Name(family, given) for given, _, family in people)


def make_record(title: str = "A cited title", **fields) -> Record:
    return Record("crossref", "10.1000/x", (title,), **{"work": "w", **fields})


def make_evidence(
    raw: str = "",
    *,
    record: Record | None = None,
    others: tuple[Record, ...] = (),
    lookups: tuple = (),
    kind: Kind = Kind.ARTICLE,
    verdict: Verdict | None = None,
    day: date | None = DAY,
    **claimed,
) -> WorkEvidence:
    """Return what the checks see of one citation; without a record it is of a work that was not found."""
    cited = Claimed(**{"title": "A cited title", **claimed})
    compared = tuple(Compared(one, (), ("title",), (one.source,)) for one in (record, *others) if one)
    known = Provenance((), None, lookups, ())
    verdict = verdict or (Verdict.MATCHED if record else Verdict.NOT_FOUND)
    matched = compared[0] if record else None
    judgement = Judgement(verdict, Label.EXACT, 10.0, 1.0, None, (), "", matched, provenance=known)
    return WorkEvidence(Reference("k", raw or cited.title or "", kind, cited), judgement, compared, (), day)
