"""`patterned_identifiers`: identifiers look typed in order instead of copied.

**What it does:** looks for placeholders (`10.1234/…`, `10.xxxx/…`, "123456" in a DOI, arXiv numbers such as
`2301.12345` or `2304.11111`), at least 3 in one list; and for DOIs of one publisher that are counted up one
by one, at least 4 in a row, while the citations name at least 3 different venues.

**Why it matters:** one such number may be real, since somebody has it. Several in one list are how a program
fills in an identifier that it does not know. It is a warning.

**Not reported:** consecutive DOIs in one venue: articles of one issue have them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from citeproof.judgement.checks.base import SET_CHECKS, add_check
from citeproof.judgement.checks.evidence.set_evidence import SetEvidence, SetMember
from citeproof.text import lazy_patterns as re
from citeproof.text.title import make_title_key
from citeproof.vocabulary import Finding, FindingState, Place, SetFinding

NAME = "patterned_identifiers"
_MIN_PLACEHOLDERS = 3
_MIN_ROW = 4  # consecutive numbers
_MIN_VENUES = 3
_SHOWN = 8  # identifiers that are named
_DOI = re.compile(r"10\.(?:1234|12345|0000|x{3,5})/|(?<!\d)123456|x{4}|987654|abcdef")
_ARXIV = re.compile(r"\d{4}\.(?:01234|12345|23456|34567|45678|56789|67890|98765|54321|(\d)\1{4})")
_NUMBER = re.compile(r"(.*?)(\d{1,9})(\D{0,3})")


@add_check(SET_CHECKS, 7)
def find_patterned_identifiers(evidence: SetEvidence) -> Iterator[SetFinding]:
    """Yield one finding for placeholders and one for rows, if the list has enough of them."""
    placeholders = [
        (member, value)
        for member in evidence.members
        for scheme, pattern in (("doi", _DOI), ("arxiv", _ARXIV))
        for value in member.cited_ids.all(scheme)[:1]
        if (pattern.search(value) if scheme == "doi" else pattern.fullmatch(value))
    ]
    if len({value for _, value in placeholders}) >= _MIN_PLACEHOLDERS:
        yield _make_finding(evidence, f"{len(placeholders)} identifiers look like placeholders", placeholders)
    for row in _find_rows(evidence.members):
        detail = f"{len(row)} DOIs are counted up one by one, in citations of different venues"
        yield _make_finding(evidence, detail, row)


def _find_rows(members: Sequence[SetMember]) -> Iterator[list[tuple[SetMember, str]]]:
    """Yield the references whose DOIs have consecutive numbers while their venues differ."""
    stems: dict[tuple[str, str], dict[int, tuple[SetMember, str]]] = defaultdict(dict)
    for member in members:
        doi = member.cited_ids.first("doi") or ""
        if member.venue and (match := _NUMBER.fullmatch(doi[:200])):
            stems[match[1], match[3]].setdefault(int(match[2]), (member, doi))
    for _, numbered in sorted(stems.items()):
        row: list[tuple[SetMember, str]] = []
        for number in sorted(numbered):
            if number - 1 not in numbered:
                yield from _keep_row(row)
                row = []
            row.append(numbered[number])
        yield from _keep_row(row)


def _keep_row(row: list[tuple[SetMember, str]]) -> Iterator[list[tuple[SetMember, str]]]:
    venues = {make_title_key(member.venue) for member, _ in row}
    if len(row) >= _MIN_ROW and len(venues) >= _MIN_VENUES:
        yield row


def _make_finding(evidence: SetEvidence, detail: str, cited: Sequence[tuple[SetMember, str]]) -> SetFinding:
    lines = tuple(f"{member.key}: {value}" for member, value in cited[:_SHOWN])
    finding = Finding(NAME, FindingState.FINDING, detail, "document", evidence=lines)
    return SetFinding(finding, Place(file=evidence.document), tuple(member.key for member, _ in cited))
