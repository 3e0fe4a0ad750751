"""A judged reference to the fields it should have: only from a record that passed the full match.

What the record and the citation both say and mean alike stays as the author wrote it. Differences
are mended, gaps filled. `safe` changes leave no doubt which work is meant (a missing DOI, a wrong
page); the others (title, authors, year, venue) a person should look at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
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
    Kind,
    Label,
    Name,
    Outcome,
    Record,
    Reference,
    Verdict,
    Version,
)

_LOCATORS = ("volume", "issue", "pages")
_AGREE = (Outcome.SAME, Outcome.VARIANT)
_PREPRINT = re.compile(r"10\.(?:48550|1101|21203|2139|31234|26434|20944)/")  # servers' prefixes


def correct(reference: Reference, judgement: Judgement) -> Correction | None:
    """Return the corrected fields; None where nothing was matched or nothing is to be changed."""
    matched = judgement.matched
    if matched is None or matched.weak or judgement.verdict not in (Verdict.MATCHED, Verdict.AMBIGUOUS):
        return None
    wrong: dict[str, set[str]] = {}
    for mismatch in judgement.mismatches:
        wrong.setdefault(mismatch.field, set()).update(mismatch.claimed.split(", "))
    work = _Work(reference.claimed, matched, _version(reference.claimed, matched), wrong)
    changed = reference.claimed
    changes: list[Change] = []
    for change, values in work.changes():
        if judgement.label is Label.EXACT and not change.safe:
            continue  # what was accepted as it stands is not rewritten
        changes.append(change)
        changed = replace(changed, **values)  # type: ignore[arg-type]
    return Correction(changed, tuple(changes), matched.record) if changes else None


@dataclass(frozen=True, slots=True)
class _Work:
    """What is claimed, the record it was matched with, and the version of it that is meant."""

    claimed: Claimed
    matched: Compared
    version: Version
    wrong: Mapping[str, AbstractSet[str]]  # the fields that differ, with the values that are wrong

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
        yield from self._place()
        yield from self._identifiers()

    def _place(self) -> Iterator[tuple[Change, dict[str, object]]]:
        """Mend the venue; another venue brings its own locators, and the cited ones go with the old one."""
        if "venue" not in self.wrong or not self.version.venue:
            yield from self._locators()
            return
        venue = self.version.venue
        yield Change("venue", self.claimed.venue or "", venue, safe=False), {"venue": venue}
        for name in _LOCATORS:
            mine, known = getattr(self.claimed, name), _known(self.version, name)
            if mine != known and (mine or known):
                yield Change(name, mine or "", known or "", safe=False), {name: known}

    def _locators(self) -> Iterator[tuple[Change, dict[str, object]]]:
        """Mend wrong locators; fill missing ones only where the cited venue is the record's."""
        place = self.matched.of("venue")
        there = place is not None and place.outcome in _AGREE
        for name in _LOCATORS:
            mine, known = getattr(self.claimed, name), _known(self.version, name)
            if known and known != mine and (name in self.wrong or (not mine and there)):
                yield Change(name, mine or "", known, safe=there or not mine), {name: known}

    def _identifiers(self) -> Iterator[tuple[Change, dict[str, object]]]:
        """Replace identifiers of other works or of none; add the DOI where there is none.

        Only the addition of a DOI to a citation that agrees in venue or has no other identifier is
        safe: whoever cites a preprint may mean the preprint, and a wrong identifier may be the true part.
        """
        pairs = list(self.claimed.ids.pairs)
        for scheme in dict.fromkeys((*(s for s, _ in pairs), "doi")):
            known, mine = self.record.ids.all(scheme), self.claimed.ids.all(scheme)
            named = self.wrong.get(scheme, frozenset()) if scheme in WORK_IDS else frozenset()
            bad = [value for value in mine if value in named and value not in known]
            missing = scheme == "doi" and not mine and not self._preprint()
            add = known[:1] if not set(mine) - set(bad) and (bad or missing) else ()
            if not bad and not add:
                continue
            pairs = [pair for pair in pairs if pair[0] != scheme or pair[1] not in bad]
            pairs += [(scheme, value) for value in add]
            yield Change(scheme, ", ".join(bad), ", ".join(add), safe=not bad), {"ids": Ids(tuple(pairs))}

    def _preprint(self) -> bool:
        """Return whether the citation means a preprint, whose DOI is not that of the published work."""
        return self.version.kind is Kind.PREPRINT or bool(self.claimed.ids.first("arxiv"))


def _known(version: Version, name: str) -> str | None:
    """Return a locator as the record has it, in the form that citations are compared in."""
    value: str | None = getattr(version, name)
    return pages.normal(value) if name == "pages" and value else value


def _version(claimed: Claimed, matched: Compared) -> Version:
    """Return the dated appearance that the citation means: that of its venue, of its DOI, of its year."""
    place = matched.of("venue")
    versions = matched.record.versions
    same_place = [v for v in versions if place and place.outcome in _AGREE and v.venue == place.resolved]
    same_year = [v for v in versions if claimed.year and v.year == claimed.year]
    both = [v for v in same_place if v in same_year]
    doi = claimed.ids.first("doi") or ""
    published = (
        [v for v in versions if v.kind is not Kind.PREPRINT] if doi and not _PREPRINT.match(doi) else []
    )
    dated = [v for v in published if v in same_year] or published
    return next(iter((*both, *same_place, *dated, *same_year, *versions)), Version())


def _people(names: tuple[Name, ...]) -> str:
    return "; ".join(name.display for name in names)
