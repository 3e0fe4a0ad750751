"""The preprint that a citation names to the place where the work was published since."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from citeproof.answers.fix.cited_version import LOCATORS, collect_kin, get_full_match, get_version_field
from citeproof.answers.serializers.venue_kind import is_proceedings
from citeproof.text import venue_match
from citeproof.text.doi import is_preprint
from citeproof.vocabulary import Change, Claimed, Correction, Ids, Judgement, Kind, Record, Reference, Version


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
