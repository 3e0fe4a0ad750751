"""A judged reference to the fields it should have: only from a record that passed the full match.

What the record and the citation both say and mean alike stays as the author wrote it. Differences
are fixed, gaps filled. `safe` changes leave no doubt which work is meant (a missing DOI, a wrong
page); the others (title, authors, year, venue) a person should look at, and all of an entry that differs
in title, authors or year: what is added to it would lend it evidence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from citeproof.answers.fix.cited_version import (
    LOCATORS,
    collect_kin,
    find_meant_versions,
    find_nearest_title,
    get_full_match,
    get_version_field,
    is_vouched,
)
from citeproof.answers.serializers.bibliography import is_proceedings
from citeproof.judgement.compare.venue import cites_preprint
from citeproof.text import venue_match
from citeproof.text.doi import is_preprint
from citeproof.vocabulary import (
    COPY,
    WORK_IDS,
    Change,
    Claimed,
    Compared,
    Correction,
    Ids,
    Judgement,
    Kind,
    Label,
    Name,
    Outcome,
    Reason,
    Record,
    Reference,
    Verdict,
    Version,
)
from citeproof.vocabulary.quick_dataclass import dataclass, replace

_DESCRIBES = ("title", "authors", "year")  # which work is meant
_NO_DOI = "10.5555/"  # given out by a publisher for works without a DOI; it does not resolve


def correct(reference: Reference, judgement: Judgement) -> Correction | None:
    """Return the corrected fields; None where nothing was matched or nothing is to be changed."""
    matched = get_full_match(judgement)
    if matched is None or (judgement.label is Label.EXACT and _is_complete(reference.claimed, judgement)):
        return None
    wrong: dict[str, set[str]] = {}
    noted = judgement.notes  # each is offered, and none is sure
    for mismatch in (*judgement.mismatches, *noted):
        known = mismatch.reason is not Reason.UNCONFIRMED  # what a record has in its place
        if known and not is_vouched(reference.claimed, judgement, mismatch.field):
            wrong.setdefault(mismatch.field, set()).update(mismatch.claimed.split(", "))
    versions = find_meant_versions(reference.claimed, judgement, wrong)
    if versions is None:
        return None
    title = find_nearest_title(judgement, matched) if "title" in wrong else ""
    work = _MatchedWork(reference.claimed, matched, versions, title, wrong)
    records = (matched.record, *collect_kin(judgement))
    changed = safe = reference.claimed
    sure = judgement.verdict is Verdict.MATCHED and wrong.keys().isdisjoint(_DESCRIBES)
    changes: list[Change] = []
    held_by: list[tuple[str, Record]] = []
    for proposed, values in work.changes():
        holder = next((record for record in records if _has_value(record, proposed)), None)
        if holder is None:
            continue  # no record has it
        questioned = not sure or any(note.field == proposed.field for note in noted)
        change = replace(proposed, safe=False) if questioned else proposed
        slip = change.field in LOCATORS and change.field in wrong and "venue" not in wrong
        if judgement.label is Label.EXACT and not change.safe and not slip and change.field != "url":
            continue  # what was accepted as it stands is not rewritten
        changes.append(change)
        held_by.append((change.field, holder))
        changed = replace(changed, **values)  # type: ignore[arg-type]
        safe = replace(safe, **values) if change.safe else safe  # type: ignore[arg-type]
    return Correction(changed, tuple(changes), matched.record, safe, tuple(held_by)) if changes else None


def _has_value(record: Record, change: Change) -> bool:
    """Return whether a record has the new value of a field; any has the lack of one."""
    if change.field == "title":
        known: Iterable[str | None] = record.titles
    elif change.field == "authors":
        known = [_join_names(record.authors)]
    elif change.field == "url":
        known = [_find_copy(record)]
    elif change.field in WORK_IDS:
        known = record.ids.all(change.field)
    else:
        known = (get_version_field(version, change.field) for version in record.versions)
    return not change.resolved or change.resolved in known


def _find_copy(record: Record) -> str:
    """Return the address of the archived copy of a page that is gone; empty for any other record."""
    marks = record.marks if "dead_link" in record.marks else ()
    return next((mark.removeprefix(COPY) for mark in marks if mark.startswith(COPY)), "")


def _is_complete(claimed: Claimed, judgement: Judgement) -> bool:
    """Return whether nothing differs or is gone, and no record has a DOI or locator that is not cited."""
    if judgement.mismatches or (judgement.matched and _find_copy(judgement.matched.record)):
        return False
    doi = claimed.ids.first("doi")
    lacking = [name for name in LOCATORS if not getattr(claimed, name)]
    for candidate in judgement.candidates:
        record = candidate.record
        if not doi and record.ids.first("doi"):
            return False
        if any(getattr(version, name) for version in record.versions for name in lacking):
            return False
    return True


@dataclass(frozen=True, slots=True)
class _MatchedWork:
    """What is claimed, the record it was matched with, and the versions of the work that may be meant."""

    claimed: Claimed
    matched: Compared
    versions: tuple[Version, ...]
    title: str
    wrong: Mapping[str, AbstractSet[str]]  # the fields that differ, with the values that are wrong

    @property
    def record(self) -> Record:
        return self.matched.record

    def get_known(self, name: str) -> str | None:
        """Return a field of the version that is meant; None where those that may be meant differ."""
        values = {value for version in self.versions if (value := get_version_field(version, name))}
        return values.pop() if len(values) == 1 else None

    def changes(self) -> Iterator[tuple[Change, dict[str, object]]]:
        """Yield each change with the fields it sets."""
        claimed, record = self.claimed, self.record
        if "title" in self.wrong and self.title:
            yield Change("title", claimed.title or "", self.title, safe=False), {"title": self.title}
        if "authors" in self.wrong and record.authors and record.authors_complete:
            new = {"authors": record.authors, "et_al": False}
            yield (
                Change("authors", _join_names(claimed.authors), _join_names(record.authors), safe=False),
                new,
            )
        yield from self._correct_publication()
        yield from self._identifiers()

    def _correct_publication(self) -> Iterator[tuple[Change, dict[str, object]]]:
        """Correct year, venue and locators.

        Another venue brings its own year and locators, and the cited ones go with the old one.
        """
        venue = self.versions[0].venue
        if self._another_version():
            return
        if "venue" not in self.wrong or not venue:
            if "year" in self.wrong and (year := self.get_known("year")):
                yield Change("year", str(self.claimed.year), year, safe=False), {"year": int(year)}
            yield from self._locators()
            return
        there = replace(self, versions=tuple(version for version in self.versions if version.venue == venue))
        if (year := there.get_known("year")) and self.claimed.year and year != str(self.claimed.year):
            yield Change("year", str(self.claimed.year), year, safe=False), {"year": int(year)}
        yield Change("venue", self.claimed.venue or "", venue, safe=False), {"venue": venue}
        for name in LOCATORS:
            mine, known = getattr(self.claimed, name), there.get_known(name)
            if known is None and any(getattr(version, name) for version in there.versions):
                continue  # the record says something, but nothing clear
            if mine != known and (mine or known):
                yield Change(name, mine or "", known or "", safe=False), {name: known}

    def _locators(self) -> Iterator[tuple[Change, dict[str, object]]]:
        """Correct wrong locators; fill missing ones only where the cited venue is the record's.

        A preprint agrees with the venue of its publication, and has no volume or pages of it.
        """
        place = self.matched.of("venue")
        there = place is not None and place.outcome.agrees
        there = there and not cites_preprint(self.claimed, self.versions[0].kind)
        for name in LOCATORS:
            mine, known = getattr(self.claimed, name), self.get_known(name)
            if known and known != mine and (name in self.wrong or (not mine and there)):
                yield Change(name, mine or "", known, safe=there or not mine), {name: known}

    def _identifiers(self) -> Iterator[tuple[Change, dict[str, object]]]:
        """Replace wrong identifiers, and pages that are gone by archived copies; add a DOI if there is none.

        Only the addition of a DOI to a citation that agrees in year and venue is safe: a citation of a
        preprint may mean the preprint, and a wrong identifier may be the true part.
        """
        pairs = list(self.claimed.ids.pairs)
        for scheme in dict.fromkeys((*(s for s, _ in pairs), "doi")):
            known, mine = self._list_own_ids(scheme), self.claimed.ids.all(scheme)
            named = self.wrong.get(scheme, frozenset()) if scheme in WORK_IDS else frozenset()
            bad = [value for value in mine if value in named and value not in self.record.ids.all(scheme)]
            other = self._preprint() or self._other_year() or self._is_other_venue()
            missing = scheme == "doi" and not mine and not other
            add = known[:1] if not set(mine) - set(bad) and (bad or missing) else ()
            if not bad and not add:
                continue
            pairs = [pair for pair in pairs if pair[0] != scheme or pair[1] not in bad]
            pairs += [(scheme, value) for value in add]
            safe = not bad and self._surely_there()
            yield Change(scheme, ", ".join(bad), ", ".join(add), safe=safe), {"ids": Ids(tuple(pairs))}
        page, copy = ("url", self.record.id), _find_copy(self.record)
        if copy and page in pairs:
            pairs[pairs.index(page)] = ("url", copy)
            yield Change("url", page[1], copy, safe=False), {"ids": Ids(tuple(pairs))}

    def _list_own_ids(self, scheme: str) -> tuple[str, ...]:
        """Return the record's identifiers; of a published work not the DOI that its preprint has."""
        known = self.record.ids.all(scheme)
        if scheme != "doi" or self._preprint():
            return known
        return tuple(value for value in known if not is_preprint(value) and not value.startswith(_NO_DOI))

    def _surely_there(self) -> bool:
        """Return whether year and venue agree: else the DOI may be another edition's, or a review's."""
        rows = (self.matched.of("year"), self.matched.of("venue"))
        return all(row is not None and row.outcome.agrees for row in rows)

    def _another_version(self) -> bool:
        """Return whether year, venue and DOI are all others: a version that the record does not know."""
        doi = self.claimed.ids.first("doi")
        return (
            {"year", "venue"} <= self.wrong.keys()
            and doi is not None
            and doi not in self.record.ids.all("doi")
        )

    def _other_year(self) -> bool:
        """Return whether the year is not the record's and will not be: it may be another edition."""
        year = self.matched.of("year")
        differs = year is not None and year.outcome is Outcome.DIFFERS
        return differs and ("year" not in self.wrong or self.get_known("year") is None)

    def _is_other_venue(self) -> bool:
        """Return whether the venue is not the record's and stays so: the DOI is another version's."""
        venue = self.matched.of("venue")
        return venue is not None and venue.outcome is Outcome.DIFFERS and "venue" not in self.wrong

    def _preprint(self) -> bool:
        """Return whether the citation means a preprint, whose DOI is not that of the published work."""
        return self.versions[0].kind is Kind.PREPRINT or bool(self.claimed.ids.first("arxiv"))


def _join_names(names: tuple[Name, ...]) -> str:
    return "; ".join(name.display for name in names)


def upgrade(reference: Reference, judgement: Judgement) -> Correction | None:
    """Return the changes from a cited preprint to its published version; None if there is none available."""
    matched = get_full_match(judgement)
    if matched is None or not _cites_preprint(reference):
        return None
    for record in (matched.record, *collect_kin(judgement)):
        if version := _find_published(record):
            return _build_correction(reference.claimed, record, version)
    return None


def _cites_preprint(reference: Reference) -> bool:
    claimed = reference.claimed
    venue = venue_match.parse_venue(claimed.venue) if claimed.venue else None
    if venue is not None:
        return venue.preprint
    doi = claimed.ids.first("doi")
    return reference.kind is Kind.PREPRINT or bool(doi and is_preprint(doi))


def _find_published(record: Record) -> Version | None:
    """Return the version of a work that has a venue which is no preprint server."""
    for version in record.versions:
        if version.kind is not Kind.PREPRINT and version.venue:
            known = venue_match.parse_venue(version.venue)
            if not (known.preprint or known.submission or known.vague):
                return version
    return None


def _build_correction(claimed: Claimed, record: Record, version: Version) -> Correction:
    values: dict[str, Any] = {name: get_version_field(version, name) for name in LOCATORS}
    values["year"] = version.year
    changed = replace(claimed, venue=version.venue, **values)
    changes = [Change("venue", claimed.venue or "", version.venue or "", safe=False)]
    for name in ("year", *LOCATORS):
        old, new = getattr(claimed, name), values[name]
        if old != new and new:
            changes.append(Change(name, str(old or ""), str(new), safe=False))
        elif old and not new and name != "year":
            changes.append(Change(name, str(old), "", safe=False))
    doi = next((value for value in record.ids.all("doi") if not is_preprint(value)), None)
    if doi and doi not in claimed.ids.all("doi"):
        old_dois = [value for value in claimed.ids.all("doi") if is_preprint(value)]
        kept = tuple(pair for pair in claimed.ids.pairs if pair[0] != "doi" or pair[1] not in old_dois)
        changed = replace(changed, ids=Ids((*kept, ("doi", doi))))
        changes.append(Change("doi", ", ".join(old_dois), doi, safe=False))
    changes.append(Change("type", "", "inproceedings" if is_proceedings(changed) else "article", safe=False))
    return Correction(changed, tuple(changes), record)
