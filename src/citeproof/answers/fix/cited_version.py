"""Which appearance of which work a citation means, where there is no doubt about it.

A book has editions, a paper a preprint, a journal an "Editorial" in every issue. What one of them has is
no correction of a citation that means another.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from citeproof.judgement.compare.title import compare_title
from citeproof.judgement.judge.identity import is_distinctive
from citeproof.text import lazy_patterns as re
from citeproof.text import pages
from citeproof.text.doi import is_preprint
from citeproof.text.title import fold_title
from citeproof.vocabulary import (
    WORK_IDS,
    Claimed,
    Compared,
    Judgement,
    Kind,
    Outcome,
    Record,
    Verdict,
    Version,
)

LOCATORS = ("volume", "issue", "pages")

# "78-90 (or 78--89??)" corrects nothing, nor does a sentence in the field for volumes
_LOCATOR = re.compile(r"[\w.:+ ]{1,20}(?:[-–/][\w.:+ ]{1,20})?")
_WHEN = ("year", *LOCATORS)
_WHO = ("title", "authors")
_AS_NEAR = 0.05  # of likeness between titles that decides nothing


def get_full_match(judgement: Judgement) -> Compared | None:
    """Return the candidate that passed the full match; None where there is none."""
    matched = judgement.matched
    if matched is None or matched.weak or judgement.verdict not in (Verdict.MATCHED, Verdict.AMBIGUOUS):
        return None
    return matched


def collect_kin(judgement: Judgement) -> tuple[Record, ...]:
    """Return the other records of the matched work that were found: its preprint, its reprint."""
    own = judgement.matched.record if judgement.matched else None
    if own is None or not own.work:
        return ()
    records = [c.record for c in judgement.candidates if c.record.work == own.work and c.record != own]
    return tuple(record for record in records if not _is_numbered_sibling(own, record))


def _is_numbered_sibling(a: Record, b: Record) -> bool:
    """Return whether titles part two works, however alike they are: "report 2" and "report 3", a reply."""
    rows = [compare_title(title, b.titles) for title in a.titles]
    return bool(rows) and all(row.outcome is Outcome.DIFFERS and row.reason.is_veto for row in rows)


def find_meant_versions(
    claimed: Claimed, judgement: Judgement, wrong: Mapping[str, AbstractSet[str]]
) -> tuple[Version, ...] | None:
    """Return the appearances of the matched work that the citation may mean; None in doubt about the work."""
    matched = get_full_match(judgement)
    if matched is None:
        return None
    records = (matched.record, *collect_kin(judgement))
    if any(
        comparison.field in WORK_IDS and comparison.outcome is Outcome.SAME
        for comparison in matched.comparisons
    ):
        return (_merge_versions(_pick_best_versions(claimed, _collect_versions(claimed, matched, records))),)
    if _is_other_work(claimed, matched, wrong) or ("title" in wrong and _has_near_title(matched, judgement)):
        return None
    rivals = tuple(_list_rivals(matched, judgement))
    group = _collect_versions(claimed, matched, (*records, *rivals))
    best = _pick_best_versions(claimed, group)
    own = set(best) & set(matched.record.versions)
    if rivals and (_is_doubtful(claimed, group) or (matched.record.versions and not own)):
        return None
    return best


def is_vouched(claimed: Claimed, judgement: Judgement, name: str) -> bool:
    """Return whether another record of that title by these people has what is cited in a field.

    Registries contradict each other; what one of them has is no mistake of the citation.
    """
    mine = str(getattr(claimed, name, None) or "") if name in (*_WHEN, "venue") else ""
    listed = _list_similar(judgement) if mine else ()
    known = (
        get_version_field(version, name) for candidate in listed for version in candidate.record.versions
    )
    return any(
        value is not None and (value == mine or fold_title(value) == fold_title(mine)) for value in known
    )


def find_nearest_title(judgement: Judgement, matched: Compared) -> str:
    """Return the title most like the cited one: two records of one work may write it differently."""
    kin = collect_kin(judgement)
    listed = [matched, *(candidate for candidate in judgement.candidates if candidate.record in kin)]
    return max(
        listed, key=lambda candidate: title.similarity if (title := candidate.of("title")) else 0.0
    ).record.title


def _list_similar(judgement: Judgement) -> Iterator[Compared]:
    """Yield the matched record and those that are as like the citation in title and people."""
    matched = judgement.matched
    if matched is None:
        return
    yield matched
    mine = matched.of("title")
    for other in judgement.candidates:
        title, authors = other.of("title"), other.of("authors")
        near = mine is None or title is None or title.similarity >= mine.similarity - _AS_NEAR
        people = authors is None or authors.outcome is not Outcome.DIFFERS
        if near and people and not _is_numbered_sibling(matched.record, other.record):
            yield other


def _is_possible_match(compared: Compared) -> bool:
    """Return whether title and people are not those of another work."""
    rows = (compared.of(name) for name in _WHO)
    return all(row is None or row.outcome is not Outcome.DIFFERS for row in rows)


def _merge_versions(versions: Sequence[Version]) -> Version:
    """Return the first version, with what other records of the same appearance know beyond it."""
    first, *others = versions
    for other in others:
        years = {first.year, other.year} - {None}
        if other.venue in (first.venue, None) and len(years) < 2:
            gaps = [name for name in _WHEN if getattr(first, name) is None]
            first = replace(first, **{name: getattr(other, name) for name in gaps})
    return first


def _is_other_work(claimed: Claimed, matched: Compared, wrong: Mapping[str, AbstractSet[str]]) -> bool:
    """Return whether a work of a common title differs in so much that another one of that title is meant."""
    if is_distinctive(claimed.title or "") or is_distinctive(matched.record.title):
        return False
    count = len(wrong.keys() & set(_WHEN))
    return count >= 3 or (count > 0 and "authors" in wrong)


def _list_rivals(matched: Compared, judgement: Judgement) -> Iterator[Record]:
    """Yield the other records of that title by these people: editions of a book, one column after another."""
    own = (matched.record, *collect_kin(judgement))
    named = {pair for record in own for pair in record.ids.pairs if pair[0] in WORK_IDS}
    for other in judgement.candidates:
        if other.record not in own and _is_possible_match(other) and named.isdisjoint(other.record.ids.pairs):
            yield other.record


def _is_doubtful(claimed: Claimed, group: Sequence[Version]) -> bool:
    """Return whether too little that is cited agrees to tell one of several like works from the others.

    A journal has an "Editorial" in every issue, and a classic an edition every year.
    """
    cited = sum(bool(getattr(claimed, name)) for name in _WHEN)
    several = any(
        len({v for version in group if (v := get_version_field(version, name))}) > 1 for name in _WHEN
    )
    enough = max(min(2, cited), cited - 1)  # one thing may be wrong
    return several and max(_count_agreement(claimed, version) for version in group) < enough


def _has_near_title(matched: Compared, judgement: Judgement) -> bool:
    """Return whether the title of another work is about as like the cited one as that of the matched work."""
    mine = matched.of("title")
    for other in judgement.candidates:
        title, authors = other.of("title"), other.of("authors")
        if mine is None or title is None or other.record in (matched.record, *collect_kin(judgement)):
            continue
        fits = authors is None or authors.outcome is not Outcome.DIFFERS
        if fits and title.similarity >= mine.similarity - _AS_NEAR and title.resolved != mine.resolved:
            return True
    return False


def _collect_versions(claimed: Claimed, matched: Compared, records: tuple[Record, ...]) -> list[Version]:
    """Return the dated appearances of a work that the citation may mean.

    Those at its venue; else, with the DOI of a publication or for want of anything better, the published
    ones.
    """
    place = matched.of("venue")
    versions = [version for record in records for version in record.versions]
    same_place = [v for v in versions if place and place.outcome.agrees and v.venue == place.resolved]
    same_year = [v for v in versions if claimed.year and v.year == claimed.year]
    published = [v for v in versions if v.kind is not Kind.PREPRINT]
    doi = claimed.ids.first("doi") or ""
    by_doi = published if doi and not is_preprint(doi) else []
    return same_place or by_doi or same_year or published or versions or [Version()]


def _pick_best_versions(claimed: Claimed, group: Sequence[Version]) -> tuple[Version, ...]:
    """Return the appearances that agree with most of what is cited; there may be several."""
    agreeing = [_count_agreement(claimed, version) for version in group]
    best = max(agreeing)
    return tuple(dict.fromkeys(v for v, count in zip(group, agreeing, strict=True) if count == best))


def _count_agreement(claimed: Claimed, version: Version) -> int:
    pairs = ((getattr(claimed, name), get_version_field(version, name)) for name in _WHEN)
    return sum(bool(mine) and str(mine) == known for mine, known in pairs)


def get_version_field(version: Version, name: str) -> str | None:
    """Return a field as the record has it, in the form that citations are compared in."""
    value = getattr(version, name)
    if value is None:
        return None
    written = pages.normalise(value) if name == "pages" else str(value)
    return written if written and (name not in LOCATORS or _LOCATOR.fullmatch(written)) else None
