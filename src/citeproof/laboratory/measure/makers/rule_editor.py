"""Who makes the edits: by rule here; a language model can take the same seat."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from citeproof.laboratory.measure.makers.benchmark_items import BenchmarkEdit, CitationFields
from citeproof.laboratory.measure.makers.edits import (
    EditDraw,
    EditedCitation,
    Rule,
    author_edits,
    metadata_edits,
    title_edits,
)
from citeproof.laboratory.measure.makers.fabrication import fabricate_citation
from citeproof.laboratory.measure.makers.title_words import TitleLexicon

# How often each field is spoiled in a minor corruption: metadata first, titles now and then.
_METADATA: tuple[tuple[float, tuple[Rule, ...]], ...] = (
    (3.0, author_edits.NAME_RULES),
    (3.0, (metadata_edits.shift_year,)),
    (2.5, (metadata_edits.change_digit,)),
    (1.0, (metadata_edits.swap_host,)),
    (1.5, (metadata_edits.swap_venue,)),
)
TITLE_SHARE = 0.3  # minor corruptions that touch the title as well
_TRIES = 30
_MOST_EDITS = 3  # of a minor corruption

Printed = Callable[[CitationFields], str]


@dataclass(frozen=True, slots=True)
class CorruptedCitation:
    cited: CitationFields
    edits: tuple[BenchmarkEdit, ...]


class CitationEditor(Protocol):
    """Makes a true citation wrong: slightly, or altogether."""

    def minor(self, draw: EditDraw, printed: Printed) -> CorruptedCitation | None: ...

    def major(self, draw: EditDraw, fields: Sequence[TitleLexicon]) -> CorruptedCitation | None: ...


class RuleEditor:
    """Edits by rule; deterministic for a given random state."""

    def minor(self, draw: EditDraw, printed: Printed) -> CorruptedCitation | None:
        """Return one to three edits: metadata, now and then a title word; each one shows in print."""
        rng = draw.rng
        wanted = rng.choice((1, 1, 2, 2, 3))
        made = CorruptedCitation(draw.truth.cited, ())
        for _ in range(_TRIES):
            if len(made.edits) == wanted:
                break
            _, rules = rng.choices(_METADATA, [weight for weight, _ in _METADATA])[0]
            made = apply_rule(made, rng.choice(rules), draw, printed)
        if made.edits and rng.random() < TITLE_SHARE and len(made.edits) < _MOST_EDITS:
            made = apply_rule(made, rng.choice(title_edits.RULES), draw, printed)
        return made if made.edits else None

    def major(self, draw: EditDraw, fields: Sequence[TitleLexicon]) -> CorruptedCitation:
        """Return a whole fabrication, coordinated over all fields."""
        return CorruptedCitation(*fabricate_citation(draw, fields))


def apply_rule(so_far: CorruptedCitation, rule: Rule, draw: EditDraw, printed: Printed) -> CorruptedCitation:
    """Return the citation with one more edit, if the rule applies and its edit can be seen in print."""
    made = rule(so_far.cited, draw)
    if made is None or not _is_visible_edit(made, so_far.cited, printed):
        return so_far
    before = {edit.field for edit in so_far.edits}
    fields = {made.edit.field, *before}
    if made.edit.field in before or ("url" in fields and fields & {"doi", "arxiv", "pmid"}):
        return so_far  # two edits of one field, or in one address, would undo each other
    return CorruptedCitation(made.cited, (*so_far.edits, made.edit))


def _is_visible_edit(made: EditedCitation, before: CitationFields, printed: Printed) -> bool:
    """Return whether an edit shows in print; new people must be named there, not hide in an "et al."."""
    text = printed(made.cited)
    if not text or text == printed(before):
        return False
    old = {name.family for name in before.people}
    new = [name.family for name in made.cited.people if name.family not in old]
    return not new or any(re.search(rf"\b{re.escape(family)}\b", text, re.IGNORECASE) for family in new)
