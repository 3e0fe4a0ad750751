"""Integrity checks: is the cited work still sound, and are the citations as a set?

One check, one file; its docstring is its documentation. A check of a work sees a reference, what was judged
of it, the records of the work and what lists say. A check of the set sees the references of one document
together. It reads no file and no clock: the same evidence gives the same findings, in a replay too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from citeproof.checks import (
    ai_generated_suspect,
    all_recent,
    all_unresolved,
    author_identity,
    cites_retracted,
    cohort_concentrated,
    contested,
    corrected,
    dead_identifiers,
    dead_link,
    duplicate_reference,
    expression_of_concern,
    future_date,
    hijacked_journal,
    nonexistent_venue,
    patterned_identifiers,
    placeholder_author,
    predatory_source,
    preprint_published,
    prompt_injection,
    reinstated,
    retracted,
    uncited_entry,
    undefined_key,
    venue_unconfirmed,
)
from citeproof.checks.set_evidence import SetEvidence
from citeproof.checks.work_notices import WorkEvidence, WorkNotices, collect_notices
from citeproof.vocabulary import Finding, SetFinding

NOTICE_CHECKS: tuple[Callable[[WorkNotices], Finding | None], ...] = (
    retracted.find_retraction,
    expression_of_concern.find_concern,
    corrected.find_correction,
    reinstated.find_reinstatement,
)
WORK_CHECKS: tuple[Callable[[WorkEvidence], Finding | None], ...] = (
    predatory_source.find_predatory_source,
    hijacked_journal.find_hijacked_journal,
    nonexistent_venue.find_nonexistent_venue,
    venue_unconfirmed.find_unconfirmed_venue,
    cites_retracted.find_retracted_citations,
    preprint_published.find_publication,
    prompt_injection.find_injection,
    placeholder_author.find_placeholder,
    future_date.find_future_date,
    dead_link.find_dead_link,
    contested.find_contest,
    author_identity.find_identity,
    ai_generated_suspect.find_generated,
)
SET_CHECKS: tuple[Callable[[SetEvidence], Iterable[SetFinding]], ...] = (
    cohort_concentrated.find_concentration,
    duplicate_reference.find_duplicates,
    undefined_key.find_undefined_keys,
    uncited_entry.find_uncited_entries,
    all_unresolved.find_unresolved_list,
    dead_identifiers.find_dead_identifiers,
    patterned_identifiers.find_patterned_identifiers,
    all_recent.find_recent_list,
)


def examine_work(evidence: WorkEvidence) -> tuple[Finding, ...]:
    """Return what the checks say about the cited work, in their order."""
    notices = collect_notices(evidence)
    found = [*(check(notices) for check in NOTICE_CHECKS), *(check(evidence) for check in WORK_CHECKS)]
    return tuple(one for one in found if one is not None)


def examine_set(evidence: SetEvidence) -> tuple[SetFinding, ...]:
    """Return what the checks say about the references of one document together, in their order."""
    return tuple(found for check in SET_CHECKS for found in check(evidence))


def list_check_modules() -> Sequence[str]:
    """Return the module of each check, in the order of the documentation."""
    checks = (*NOTICE_CHECKS, *WORK_CHECKS, *SET_CHECKS)
    return list(dict.fromkeys(check.__module__ for check in checks))
