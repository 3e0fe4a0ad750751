"""What language models see of one reference: the citation, the records, and how they were matched.

Each text has a label of ours. Lists and texts are bounded; nothing of the document but the citation and the
sentences that cite it is among them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from citeproof.vocabulary import Compared, Judgement, Name, Record, Reference

EvidenceText = tuple[str, str]  # label, text

LONGEST = 3_000  # characters of one text
LONGEST_SENTENCE = 500
MOST_NAMES = 40
MOST_SENTENCES = 2
MOST_CANDIDATES = 3


def describe_citation(reference: Reference, *, raw: bool = True) -> list[EvidenceText]:
    """Return the citation: as it is written, then its fields."""
    claimed = reference.claimed
    year = "" if claimed.year is None else str(claimed.year)
    texts = [
        ("citation as written", reference.raw if raw else ""),
        ("cited title", claimed.title or ""),
        ("cited authors", _list_people(claimed.authors) + (", et al." if claimed.et_al else "")),
        ("cited year", year),
        ("cited venue", claimed.venue or ""),
        ("cited volume, issue, pages", _join_values(claimed.volume, claimed.issue, claimed.pages)),
        ("cited publisher", claimed.publisher or ""),
        ("cited identifiers", ", ".join(f"{scheme}:{value}" for scheme, value in claimed.ids.pairs)),
    ]
    return _keep_full(texts)


def describe_record(record: Record, name: str = "record") -> list[EvidenceText]:
    """Return a record, field by field."""
    versions = record.versions
    places = dict.fromkeys(_join_values(v.volume, v.issue, v.pages) for v in versions)
    texts = [
        (f"{name} title", "; ".join(record.titles[:4])),
        (f"{name} authors", _list_people(record.authors)),
        (f"{name} years", ", ".join(dict.fromkeys(str(v.year) for v in versions if v.year))),
        (f"{name} venues", "; ".join(dict.fromkeys(v.venue for v in versions if v.venue))),
        (f"{name} volume, issue, pages", "; ".join(place for place in places if place)),
        (f"{name} publisher", record.publisher or ""),
        (f"{name} identifiers", ", ".join(f"{s}:{value}" for s, value in record.ids.pairs[:12])),
    ]
    return _keep_full(texts)


def describe_match(matched: Compared) -> list[EvidenceText]:
    """Return how the record was found and what plain comparison says of each field: our own words."""
    title = matched.of("title")
    alike = f"{100 * title.similarity:.0f} of 100" if title is not None else ""
    fields = [f"{c.field}: {c.outcome.value} ({c.reason})" for c in matched.comparisons]
    return _keep_full(
        [
            ("record found by", ", ".join(matched.via)),
            ("record comes from", ", ".join(matched.registries)),
            ("title similarity", alike),
            ("fields compared by software", "; ".join(fields)),
        ]
    )


def describe_context(reference: Reference) -> list[EvidenceText]:
    """Return the sentences of the document that cite the work."""
    cited = reference.citing[:MOST_SENTENCES]
    return [("citing sentence", sentence[:LONGEST_SENTENCE]) for sentence in cited]


def describe_candidates(judgement: Judgement) -> Iterator[EvidenceText]:
    """Yield what a title search found besides the record."""
    own = judgement.matched.record if judgement.matched else None
    others = [c.record for c in judgement.candidates if c.record is not own][:MOST_CANDIDATES]
    for number, record in enumerate(others, 1):
        yield from describe_record(record, f"other record {number}")[:3]


def list_all_texts(
    reference: Reference, compared: Sequence[Compared], judgement: Judgement
) -> list[EvidenceText]:
    """Return every text of strangers that any task may send, with who wrote it as its label."""
    texts = [("document", text) for _, text in (*describe_citation(reference), *describe_context(reference))]
    known = [c for c in (judgement.matched, *judgement.candidates) if c is not None]
    if judgement.matched is not None and judgement.matched.record.work:
        work = judgement.matched.record.work
        known += [c for c in compared if c.record.work == work]
    for one in dict.fromkeys(c.record for c in known):
        texts += [(one.source, text) for _, text in describe_record(one)]
    return list(dict.fromkeys(texts))


def _list_people(people: Sequence[Name]) -> str:
    shown = "; ".join(name.display for name in people[:MOST_NAMES])
    more = len(people) - MOST_NAMES
    return f"{shown}; and {more} more" if more > 0 else shown


def _join_values(*values: str | None) -> str:
    return ", ".join(value for value in values if value)


def _keep_full(texts: Sequence[EvidenceText]) -> list[EvidenceText]:
    return [(label, text[:LONGEST]) for label, text in texts if text]
