"""Changes for the tests of the formats: a citation, what it should be, and the edits that come of it."""

from __future__ import annotations

from dataclasses import replace

from citeproof.answers.fix.formats.base import WantedChange
from citeproof.answers.fix.text_edits import apply_edits
from citeproof.vocabulary import Change, Claimed, Ids, Name, Record

RECORD = Record("made", "r1", ("Deep learning of nets",))


def wanted(field: str, claimed: Claimed, value: object, *, safe: bool = True) -> WantedChange:
    """Return the change of one field of `claimed` to `value`."""
    scheme = field not in ("title", "authors", "year", "venue", "volume", "issue", "pages", "type")
    if scheme:
        kept = tuple(pair for pair in claimed.ids.pairs if pair[0] != field)
        fixed = replace(claimed, ids=Ids((*kept, (field, str(value))) if value else kept))
        old = ", ".join(claimed.ids.all(field))
    else:
        fixed = claimed if field == "type" else replace(claimed, **{field: value})
        old = _shown(getattr(claimed, field, ""))
    return WantedChange(Change(field, old, _shown(value), safe), claimed, fixed, RECORD)


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return "; ".join(name.display for name in value if isinstance(name, Name))
    return str(value or "")


def result(text: str, made: list) -> str:
    """Return the text after all edits, or the reason why the first change was left."""
    if not any(one.edits for one in made):
        return made[0].note
    return apply_edits(text, [edit for one in made for edit in one.edits])
