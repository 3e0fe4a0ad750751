"""`duplicate_reference`: one work is in the list twice, under two keys.

**What it does:** compares references that were matched with one record, that have an identifier in common
(DOI, arXiv, PubMed), or that have the same title, first author and year. Both titles must agree; a number
that differs, as in "part I" and "part II", makes two works.

**Why it matters:** the list counts one piece of evidence twice, and a correction reaches only one of the two.

**Kinds:** `same_work`: the same version of the work, a warning. `preprint_and_published`: one citation is of
the preprint, the other of the publication. `two_versions`: two publications of one work, as in proceedings
and a journal. The last two are notes: a document may mean both.

**Not reported:** volumes, editions and parts; an erratum and its paper; chapters under the DOI or ISBN of
their book; a book and the proceedings entry that its papers name as `crossref`; regular pieces with a title
such as "Editorial", and columns under one title in several issues. Two entries under one key are reported
when the file is read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from citeproof.judgement.checks.base import SET_CHECKS, add_check
from citeproof.judgement.checks.evidence.set_evidence import SetEvidence, SetMember, is_preprint_doi
from citeproof.judgement.compare.title import compare_title, is_known_title, measure_similarity
from citeproof.text import lazy_patterns as re
from citeproof.text import names
from citeproof.text import title as titles
from citeproof.text.venue_name import parse_venue
from citeproof.vocabulary import WORK_IDS, Finding, FindingLevel, FindingState, Kind, SetFinding

NAME = "duplicate_reference"
SAME, PREPRINT, VERSIONS = "same_work", "preprint_and_published", "two_versions"
_WORDS = {
    SAME: "{again} is the same work as {first}",
    PREPRINT: "{first} and {again} are the preprint and the publication of one work",
    VERSIONS: "{first} and {again} are two publications of one work, or one of them is wrong",
}
_LONG = 16  # letters of a title that names a work together with an author and a year
_ALIKE = 0.85  # similarity of two titles under one identifier
_PAGE = re.compile(r"\d{1,9}")
_PAGES_APART = 3  # of two citations of one article, of which one is careless
_APART = 5  # years between two publications of one work
_COMPARED = 8  # references that share something and are compared pair by pair
_SHOWN = 80  # characters of a title
_WHOLE = frozenset((Kind.BOOK, Kind.THESIS, Kind.REPORT, Kind.DATASET, Kind.SOFTWARE, Kind.WEB_PAGE))
_Token = tuple[str, ...]


@add_check(SET_CHECKS, 2)
def find_duplicates(evidence: SetEvidence) -> Iterator[SetFinding]:
    """Yield each reference that repeats an earlier one, once."""
    members = evidence.members
    seen: dict[_Token, list[int]] = defaultdict(list)
    reported: set[tuple[str, str]] = set()
    for number, member in enumerate(members):
        tokens = list(_list_tokens(member))
        earlier = sorted({n for token in tokens for n in seen.get(token, ())[:_COMPARED]})
        repeated = next(
            ((members[n], kind) for n in earlier if (kind := compare_members(members[n], member))), None
        )
        if repeated is not None and (pair := (repeated[0].key, member.key)) not in reported:
            reported.add(pair)  # a key may be there twice
            yield _make_finding(*repeated, member)
        for token in tokens:
            seen[token].append(number)


def compare_members(first: SetMember, other: SetMember) -> str:
    """Return in which way two references are of one work; empty: they are not, or it is not known."""
    if first.key == other.key or _are_two_parts(first, other) or not _is_one_title(first, other):
        return ""
    same_record = bool(first.work) and first.work == other.work
    later = first if other.preprint else other
    if first.preprint != other.preprint and (later.venue or later.volume or later.cited_ids.all("doi")):
        return PREPRINT
    mine, theirs = set(first.cited_ids.all("doi")), set(other.cited_ids.all("doi"))
    if mine & theirs:
        return SAME
    if mine and theirs and not all(map(is_preprint_doi, mine | theirs)):
        return VERSIONS if same_record else ""
    if first.year and other.year and first.year != other.year:
        return VERSIONS if same_record and abs(first.year - other.year) <= _APART else ""
    if _are_two_issues(first, other):
        return VERSIONS if same_record else ""
    return VERSIONS if _are_two_series(first, other) else SAME


def _are_two_issues(first: SetMember, other: SetMember) -> bool:
    """Return whether two pieces of one title are in two issues, as a column or a report of each year is."""
    if _are_different(first.issue, other.issue):
        return True
    if _are_different(first.volume, other.volume) and _are_different(first.pages, other.pages):
        return True
    mine, theirs = (_PAGE.search(each.pages[:40]) for each in (first, other))
    return mine is not None and theirs is not None and abs(int(mine[0]) - int(theirs[0])) > _PAGES_APART


def _are_two_series(first: SetMember, other: SetMember) -> bool:
    """Return whether two venues are known and not the same, and the pages are not, either."""
    mine, theirs = parse_venue(first.venue).series, parse_venue(other.venue).series
    paged = bool(first.pages) and not _are_different(first.pages, other.pages) and bool(other.pages)
    return bool(mine and theirs) and mine.isdisjoint(theirs) and not paged


def _list_tokens(member: SetMember) -> Iterator[_Token]:
    """Yield what another citation of the work has, too."""
    if member.work:
        yield "work", member.work
    for scheme, value in member.cited_ids.pairs:
        if scheme == "doi" and value.startswith("10.48550/arxiv."):
            yield "arxiv", value.removeprefix("10.48550/arxiv.").partition("v")[0]
        elif scheme in WORK_IDS:
            yield scheme, value
    key = titles.make_title_key(member.title)
    if len(key) >= _LONG and member.authors and " " in member.title.strip():
        yield "title", key, names.make_family_key(member.authors[0])


def _is_one_title(first: SetMember, other: SetMember) -> bool:
    """Return whether two titles may be of one work."""
    if not first.title or not other.title:
        return False
    if titles.make_title_key(first.title) == titles.make_title_key(other.title):
        return True
    if compare_title(first.title, (other.title,)).reason.is_veto:
        return False
    return (
        is_known_title(first.title, (other.title,)) or measure_similarity(first.title, other.title) >= _ALIKE
    )


def _are_two_parts(first: SetMember, other: SetMember) -> bool:
    """Return whether two references are of two editions, two volumes, or a part and its whole."""
    if _are_different(first.edition, other.edition) or bool(first.edition) != bool(other.edition):
        return True
    if {first.kind, other.kind} & _WHOLE and first.kind is not other.kind:
        return True
    return first.kind is other.kind is Kind.BOOK and _are_different(first.volume, other.volume)


def _are_different(first: str, other: str) -> bool:
    return bool(first and other) and titles.make_title_key(first) != titles.make_title_key(other)


def _make_finding(first: SetMember, kind: str, again: SetMember) -> SetFinding:
    level = FindingLevel.WARNING if kind == SAME else FindingLevel.NOTE
    detail = _WORDS[kind].format(first=first.key, again=again.key)
    shown = tuple(_show_member(member) for member in (first, again))
    finding = Finding(NAME, FindingState.FINDING, detail, "document", kind, level, shown)
    return SetFinding(finding, again.place, (first.key, again.key))


def _show_member(member: SetMember) -> str:
    """Return one of the two as it is cited, in a line."""
    title = member.title if len(member.title) <= _SHOWN else f"{member.title[: _SHOWN - 1]}…"
    doi, arxiv = member.cited_ids.first("doi"), member.cited_ids.first("arxiv")
    said = (
        f"“{title}”",
        str(member.year or ""),
        member.venue[:_SHOWN],
        doi or (f"arXiv:{arxiv}" if arxiv else ""),
    )
    return f"{member.key}: " + ", ".join(part for part in said if part)
