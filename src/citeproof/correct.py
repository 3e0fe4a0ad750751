"""A judged reference to the fields it should have: only from a record that passed the full match.

What the record and the citation both say and mean alike stays as the author wrote it. Differences
are mended, gaps filled. `safe` changes leave no doubt which work is meant (a missing DOI, a wrong
page); the others (title, authors, year, venue) a person should look at.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from citeproof.text import pages
from citeproof.vocabulary import (
    WORK_IDS,
    Change,
    Claimed,
    Compared,
    Correction,
    Ids,
    Judgement,
    Name,
    Outcome,
    Record,
    Reference,
    Verdict,
    Version,
)

_LOCATORS = ("volume", "issue", "pages")
_AGREE = (Outcome.SAME, Outcome.VARIANT)


def correct(reference: Reference, judgement: Judgement) -> Correction | None:
    """Return the corrected fields; None where nothing was matched or nothing is to be changed."""
    matched = judgement.matched
    if matched is None or matched.weak or judgement.verdict not in (Verdict.MATCHED, Verdict.AMBIGUOUS):
        return None
    wrong = {m.field for m in judgement.mismatches}
    work = _Work(reference.claimed, matched, _version(reference.claimed, matched), frozenset(wrong))
    changed = reference.claimed
    changes: list[Change] = []
    for change, values in work.changes():
        changes.append(change)
        changed = replace(changed, **values)  # type: ignore[arg-type]
    return Correction(changed, tuple(changes), matched.record) if changes else None


@dataclass(frozen=True, slots=True)
class _Work:
    """What is claimed, the record it was matched with, and the version of it that is meant."""

    claimed: Claimed
    matched: Compared
    version: Version
    wrong: frozenset[str]

    @property
    def record(self) -> Record:
        return self.matched.record

    def changes(self) -> Iterator[tuple[Change, dict[str, object]]]:
        """Yield each change with the fields it sets."""
        claimed, record, version = self.claimed, self.record, self.version
        if "title" in self.wrong and record.title:
            yield Change("title", claimed.title or "", record.title, safe=False), {"title": record.title}
        if "authors" in self.wrong and record.authors and record.authors_complete:
            new = {"authors": record.authors, "et_al": False}
            yield Change("authors", _people(claimed.authors), _people(record.authors), safe=False), new
        if "year" in self.wrong and version.year:
            yield Change("year", str(claimed.year), str(version.year), safe=False), {"year": version.year}
        if "venue" in self.wrong and version.venue:
            yield Change("venue", claimed.venue or "", version.venue, safe=False), {"venue": version.venue}
        yield from self._locators()
        yield from self._identifiers()

    def _locators(self) -> Iterator[tuple[Change, dict[str, object]]]:
        """Mend wrong locators; fill missing ones only where the cited venue is the record's."""
        place = self.matched.of("venue")
        there = place is not None and place.outcome in _AGREE
        for name in _LOCATORS:
            mine, known = getattr(self.claimed, name), getattr(self.version, name)
            known = pages.normal(known) if name == "pages" and known else known
            if known and known != mine and (name in self.wrong or (not mine and there)):
                yield Change(name, mine or "", known, safe=True), {name: known}

    def _identifiers(self) -> Iterator[tuple[Change, dict[str, object]]]:
        """Replace identifiers of other works or of none; add the DOI where there is none."""
        pairs = list(self.claimed.ids.pairs)
        for scheme in dict.fromkeys((*(s for s, _ in pairs), "doi")):
            known, mine = self.record.ids.all(scheme), self.claimed.ids.all(scheme)
            bad = [v for v in mine if v not in known] if scheme in self.wrong and scheme in WORK_IDS else []
            add = known[:1] if not set(mine) - set(bad) and (bad or (scheme == "doi" and not mine)) else ()
            if not bad and not add:
                continue
            pairs = [pair for pair in pairs if pair[0] != scheme or pair[1] not in bad]
            pairs += [(scheme, value) for value in add]
            yield Change(scheme, ", ".join(bad), ", ".join(add), safe=True), {"ids": Ids(tuple(pairs))}


def _version(claimed: Claimed, matched: Compared) -> Version:
    """Return the dated appearance that the citation means: that of its venue, else of its year."""
    place = matched.of("venue")
    versions = matched.record.versions
    same_place = [v for v in versions if place and place.outcome in _AGREE and v.venue == place.resolved]
    same_year = [v for v in versions if claimed.year and v.year == claimed.year]
    both = [v for v in same_place if v in same_year]
    return next(iter((*both, *same_place, *same_year, *versions)), Version())


def _people(names: tuple[Name, ...]) -> str:
    return "; ".join(name.display for name in names)
