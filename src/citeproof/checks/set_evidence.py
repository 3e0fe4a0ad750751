"""What a check of the set may know: the references of one document, each in a few words."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from citeproof.vocabulary import Checked, Ids, Kind, Label, Name, Place, Verdict


@dataclass(frozen=True, slots=True)
class SetMember:
    """One reference of the document: what is cited, and what its record says if it is that work."""

    key: str
    place: Place
    kind: Kind
    title: str
    authors: tuple[Name, ...]  # of the record where one was found, else as cited
    year: int | None
    ids: Ids  # as cited, then those of the record
    verdict: Verdict
    label: Label | None
    work: str  # the record that was matched; empty: none

    @classmethod
    def of(cls, checked: Checked) -> SetMember:
        """Return what the set needs of a checked reference."""
        claimed, judgement = checked.reference.claimed, checked.judgement
        matched = judgement.matched if judgement.verdict is Verdict.MATCHED else None
        record = matched.record if matched else None
        return cls(
            key=checked.reference.key,
            place=checked.reference.place,
            kind=checked.reference.kind,
            title=claimed.title or "",
            authors=(record.authors if record and record.authors else claimed.authors)[:50],
            year=claimed.year,
            ids=Ids((*claimed.ids.pairs, *(record.ids.pairs if record else ()))),
            verdict=judgement.verdict,
            label=judgement.label,
            work=f"{record.source}:{record.work or record.id}" if record else "",
        )


@dataclass(frozen=True, slots=True)
class SetEvidence:
    """The references of one document together."""

    document: str
    members: tuple[SetMember, ...]
    day: date | None = None  # on which it is judged
    format: str = ""  # of the document
