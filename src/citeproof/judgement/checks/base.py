"""The registry of checks: a file of this folder adds its function to one of three tables.

The number after the table is the place of its finding among the findings of its table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from citeproof.judgement.checks.evidence.set_evidence import SetEvidence
from citeproof.judgement.checks.evidence.work_notices import WorkEvidence, WorkNotices
from citeproof.vocabulary import Finding, SetFinding

_Check = TypeVar("_Check", bound=Callable[..., object])

NOTICE_CHECKS: dict[Callable[[WorkNotices], Finding | None], int] = {}  # of notices such as retractions
WORK_CHECKS: dict[Callable[[WorkEvidence], Finding | None], int] = {}  # of one work
SET_CHECKS: dict[Callable[[SetEvidence], Iterable[SetFinding]], int] = {}  # of all references of a document


def add_check(table: dict[_Check, int], place: int) -> Callable[[_Check], _Check]:
    """Return a decorator that adds a check to a table."""

    def add(check: _Check) -> _Check:
        table[check] = place
        return check

    return add


def list_in_order(table: dict[_Check, int]) -> tuple[_Check, ...]:
    """Return the checks of a table in the order of their places."""
    return tuple(sorted(table, key=lambda check: (table[check], check.__module__)))
