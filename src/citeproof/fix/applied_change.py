"""Whether a change is there when the corrected file is read again."""

from __future__ import annotations

from citeproof.compare.person import Likeness, make_person, measure_likeness
from citeproof.fix import title_rewording
from citeproof.fix.formats.base import WantedChange
from citeproof.text import pages
from citeproof.text.title import fold_title
from citeproof.vocabulary import Claimed, Name, RawReference


def is_change_applied(wanted: WantedChange, after: RawReference) -> bool:
    """Return whether the reference says after the change what it should."""
    if after.claimed is None:
        return True
    name, claimed = wanted.change.field, after.claimed
    match name:
        case "type":
            return True
        case "title":
            return title_rewording.is_same_title(claimed.title or "", wanted.value())
        case "authors":
            return _has_same_people(claimed, wanted.fixed.authors)
        case "venue":
            return fold_title(claimed.venue or "") == fold_title(wanted.value())
        case "pages":
            return (claimed.pages or "") == (pages.normalise(wanted.value()) or "")
        case "year" | "volume" | "issue":
            return str(getattr(claimed, name) or "") == wanted.value()
        case _:
            now = claimed.ids.all(name)
            return not set(now) & set(wanted.list_wrong_ids()) and set(wanted.list_new_ids()) <= set(now)


def _has_same_people(claimed: Claimed, wanted: tuple[Name, ...]) -> bool:
    """Return whether the people are those wanted, in order; a list that says it is cut may have fewer."""
    names = claimed.authors
    if len(names) > len(wanted) or (len(names) < len(wanted) and not claimed.et_al):
        return False
    return all(
        measure_likeness(make_person(a), make_person(b)) >= Likeness.VARIANT
        for a, b in zip(names, wanted, strict=False)
    )
