"""Edits by rule: each spoils one field of a citation in one way and says what it did.

A rule gives None where it does not apply. Whatever it gives is wrong: never a form that a careful
person would accept, never the data of another version of the work, never another real work's title.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from citeproof.measure.makers.cited import Cited
from citeproof.measure.makers.items import Edit
from citeproof.measure.makers.pool import Pool
from citeproof.vocabulary import Record


@dataclass(frozen=True, slots=True)
class Truth:
    """A true citation and the record it was made from."""

    cited: Cited
    record: Record


@dataclass(frozen=True, slots=True)
class Edited:
    cited: Cited
    edit: Edit


Rule = Callable[[Cited, Truth, Pool, random.Random], Edited | None]
