"""Who makes the edits: by rule here; a language model can take the same seat."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from citeproof.measure.makers.cited import Cited
from citeproof.measure.makers.edits import Edited, Rule, Truth, dates, identifiers, people, places, title
from citeproof.measure.makers.fabricate import fabricated
from citeproof.measure.makers.items import Edit
from citeproof.measure.makers.pool import Pool
from citeproof.measure.makers.words import Lexicon

# How often each field is spoiled in a minor corruption: metadata first, titles now and then.
_METADATA: tuple[tuple[float, tuple[Rule, ...]], ...] = (
    (3.0, (people.family_swapped, people.initial_changed, people.middle_changed, people.order_swapped)),
    (3.0, dates.RULES),
    (2.5, (identifiers.digit_changed,)),
    (1.0, (identifiers.host_swapped,)),
    (1.5, places.RULES),
)
TITLE_SHARE = 0.3  # minor corruptions that touch the title as well
_TRIES = 30

Printed = Callable[[Cited], str]


@dataclass(frozen=True, slots=True)
class Corrupted:
    cited: Cited
    edits: tuple[Edit, ...]


class Editor(Protocol):
    """Makes a true citation wrong: slightly, or altogether."""

    def minor(self, truth: Truth, pool: Pool, printed: Printed, rng: random.Random) -> Corrupted | None: ...

    def major(self, truth: Truth, fields: Sequence[Lexicon], pool: Pool, rng: random.Random) -> Corrupted: ...


class RuleEditor:
    """Edits by rule; deterministic for a given random state."""

    def minor(self, truth: Truth, pool: Pool, printed: Printed, rng: random.Random) -> Corrupted | None:
        """Return one to three metadata edits, now and then a title word; each one shows in print."""
        wanted = rng.choice((1, 1, 2, 2, 3))
        made = Corrupted(truth.cited, ())
        for _ in range(_TRIES):
            if len(made.edits) == wanted:
                break
            _, rules = rng.choices(_METADATA, [weight for weight, _ in _METADATA])[0]
            made = applied(made, rng.choice(rules), truth, pool, printed, rng)
        if made.edits and rng.random() < TITLE_SHARE:
            made = applied(made, rng.choice(title.RULES), truth, pool, printed, rng)
        return made if made.edits else None

    def major(self, truth: Truth, fields: Sequence[Lexicon], pool: Pool, rng: random.Random) -> Corrupted:
        """Return a whole fabrication, coordinated over all fields."""
        return Corrupted(*fabricated(truth, fields, pool, rng))


def applied(
    so_far: Corrupted, rule: Rule, truth: Truth, pool: Pool, printed: Printed, rng: random.Random
) -> Corrupted:
    """Return the citation with one more edit, if the rule applies and its edit can be seen in print."""
    made = rule(so_far.cited, truth, pool, rng)
    if made is None or not _shown(made, so_far.cited, printed):
        return so_far
    before = {edit.field for edit in so_far.edits}
    if made.edit.field in before or _one_address({made.edit.field, *before}):
        return so_far
    return Corrupted(made.cited, (*so_far.edits, made.edit))


def _shown(made: Edited, before: Cited, printed: Printed) -> bool:
    """Return whether an edit shows in print; new people must be named there, not hide in an "et al."."""
    text = printed(made.cited)
    if not text or text == printed(before):
        return False
    old = {name.family for name in before.people}
    new = [name.family for name in made.cited.people if name.family not in old]
    return not new or any(re.search(rf"\b{re.escape(family)}\b", text, re.IGNORECASE) for family in new)


def _one_address(fields: set[str]) -> bool:
    """Return whether two edits would meet in one address and undo each other."""
    return "url" in fields and bool(fields & {"doi", "arxiv", "pmid"})
