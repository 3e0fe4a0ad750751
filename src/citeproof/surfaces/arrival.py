"""Whether a change is there when the corrected file is read again."""

from __future__ import annotations

from citeproof.compare.person import Likeness, likeness, person
from citeproof.correct import titles
from citeproof.correct.edits import Wanted
from citeproof.text import pages
from citeproof.text.title import fold
from citeproof.vocabulary import Claimed, Name, RawReference

_RUNNING = frozenset(("markdown", "plain_text"))  # their fields are guessed anew at each reading


def arrived(wanted: Wanted, after: RawReference, form: str) -> bool:
    """Return whether the reference says after the change what it should."""
    if form in _RUNNING or after.claimed is None:
        return True
    name, claimed = wanted.change.field, after.claimed
    match name:
        case "type":
            return True
        case "title":
            return titles.same(claimed.title or "", wanted.value())
        case "authors":
            return _people(claimed, wanted.fixed.authors)
        case "venue":
            return fold(claimed.venue or "") == fold(wanted.value())
        case "pages":
            return (claimed.pages or "") == (pages.normal(wanted.value()) or "")
        case "year" | "volume" | "issue":
            return str(getattr(claimed, name) or "") == wanted.value()
        case _:
            now = claimed.ids.all(name)
            return not set(now) & set(wanted.goes()) and set(wanted.comes()) <= set(now)


def _people(claimed: Claimed, wanted: tuple[Name, ...]) -> bool:
    """Return whether the people are those wanted, in order; a list that says it is cut may have fewer."""
    names = claimed.authors
    if len(names) > len(wanted) or (len(names) < len(wanted) and not claimed.et_al):
        return False
    return all(
        likeness(person(a), person(b)) >= Likeness.VARIANT for a, b in zip(names, wanted, strict=False)
    )
