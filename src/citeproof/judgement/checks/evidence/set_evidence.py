"""What a check of the set may know: the references of one document, each in a few words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from citeproof.text import lazy_patterns as re
from citeproof.text import names
from citeproof.text.venue_name import parse_venue
from citeproof.vocabulary import (
    NO_FACTS,
    NO_IDS,
    ORCID,
    Checked,
    DocumentFacts,
    Ids,
    Judgement,
    Kind,
    Label,
    Name,
    Place,
    Reason,
    Record,
    Reference,
    Verdict,
)

_COLLABORATION = re.compile(r"\b(?:collaborations?|consortium)\b", re.IGNORECASE)
_AUTHORS = 50  # of one reference that are stored


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
    collaboration: bool = False  # it is signed by a group, such as "ATLAS Collaboration"
    orcids: tuple[tuple[int, str], ...] = ()  # (number of the author, ORCID iD), where the record has them
    cited_ids: Ids = NO_IDS
    unregistered: bool = False  # its identifier does not exist
    preprint: bool = False  # it is cited as a preprint
    venue: str = ""  # from here on as cited
    volume: str = ""
    pages: str = ""
    edition: str = ""
    issue: str = ""

    @classmethod
    def of(cls, checked: Checked) -> SetMember:
        """Return what the set needs of a checked reference."""
        judgement = checked.judgement
        matched = judgement.matched if judgement.verdict is Verdict.MATCHED else None
        return cls.describe(checked.reference, matched.record if matched else None, judgement)

    @classmethod
    def describe(
        cls, reference: Reference, record: Record | None = None, judgement: Judgement | None = None
    ) -> SetMember:
        """Return what the set needs of a reference, of its record if it has one, and of what was judged."""
        claimed = reference.claimed
        differences = judgement.differences if judgement else ()
        authors = record.authors if record and record.authors else claimed.authors
        signed = " ".join(name.family for name in claimed.authors[-3:] if name.collective)
        return cls(
            key=reference.key,
            place=reference.place,
            kind=reference.kind,
            title=claimed.title or "",
            authors=authors[:_AUTHORS],
            year=claimed.year,
            ids=Ids((*claimed.ids.pairs, *(record.ids.pairs if record else ()))),
            verdict=judgement.verdict if judgement else Verdict.UNCHECKED,
            label=judgement.label if judgement else None,
            unregistered=any(each.reason is Reason.NOT_REGISTERED for each in differences),
            work=f"{record.source}:{record.work or record.id}" if record else "",
            collaboration=bool(_COLLABORATION.search(signed) or _COLLABORATION.search(reference.raw)),
            orcids=tuple(_list_orcids(record)) if record else (),
            cited_ids=claimed.ids,
            preprint=is_cited_as_preprint(reference),
            venue=claimed.venue or "",
            volume=claimed.volume or "",
            pages=claimed.pages or "",
            edition=claimed.edition or "",
            issue=claimed.issue or "",
        )


def _list_orcids(record: Record) -> Iterator[tuple[int, str]]:
    """Yield the ORCID iDs that the record's source states, each with the number of its author."""
    stated = [mark.removeprefix(ORCID).partition(" ") for mark in record.marks if mark.startswith(ORCID)]
    for orcid, _, shown in stated:
        person = names.parse(shown)
        family, given = names.make_family_key(person), names.fold_given_words(person)[:1]
        fitting = [
            number
            for number, name in enumerate(record.authors[:_AUTHORS])
            if names.make_family_key(name) == family and names.fold_given_words(name)[:1] == given
        ]
        if len(fitting) == 1:
            yield fitting[0], orcid


@dataclass(frozen=True, slots=True)
class SetEvidence:
    """The references of one document together."""

    document: str
    members: tuple[SetMember, ...]
    day: date | None = None  # on which it is judged
    format: str = ""  # of the document
    about: DocumentFacts = NO_FACTS


# DOI prefixes under which only preprints are registered: arXiv, bioRxiv and medRxiv, SSRN, OSF,
# Research Square, ChemRxiv, Preprints.org, TechRxiv, Authorea
PREPRINT_DOIS = (
    "10.48550/arxiv.", "10.1101/", "10.64898/", "10.2139/ssrn.", "10.31234/", "10.31219/", "10.31235/",
    "10.21203/rs.", "10.26434/chemrxiv", "10.20944/preprints", "10.36227/techrxiv", "10.22541/",
)  # fmt: skip
# DOIs of deposits: anything may be there, also a preprint
_DEPOSIT_DOIS = (
    "10.5281/zenodo.",
    "10.6084/m9.figshare",
    "10.13140/rg.",
    "10.17605/osf.io",
    "10.7910/dvn",
    "10.5555/",
)
_PAPERS = frozenset((Kind.ARTICLE, Kind.PREPRINT, Kind.REPORT, Kind.WEB_PAGE, Kind.UNKNOWN))


def is_preprint_doi(doi: str) -> bool:
    """Return whether a DOI is of a preprint server: 10.1101 is that of Cold Spring Harbor's journals, too."""
    if doi.startswith("10.1101/"):
        return doi[
            8:12
        ].isdigit()  # "10.1101/2020.01.01.123456", "10.1101/123456"; "10.1101/gr.1239303" is a journal's
    return doi.startswith(PREPRINT_DOIS)


def is_publication_doi(doi: str) -> bool:
    """Return whether a DOI may be that of a publication: not of a preprint server, not of a deposit."""
    return not is_preprint_doi(doi) and not doi.startswith(_DEPOSIT_DOIS)


def is_cited_as_preprint(reference: Reference) -> bool:
    """Return whether a citation names a preprint and no publication."""
    claimed = reference.claimed
    dois = claimed.ids.all("doi")
    if any(not is_preprint_doi(doi) for doi in dois):
        return False
    if claimed.venue:
        return parse_venue(claimed.venue).preprint
    if claimed.volume or claimed.series:
        return False
    if reference.kind is Kind.PREPRINT:
        return True
    return reference.kind in _PAPERS and (bool(dois) or claimed.ids.first("arxiv") is not None)
