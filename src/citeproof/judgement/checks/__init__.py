"""Integrity checks: is the cited work still sound, and are the citations as a set?

One check, one file; its docstring is its documentation, and this folder is the registry. A check of a work
sees a reference, what was judged of it, the records of the work and what lists say. A check of the set sees
the references of one document together. It reads no file and no clock: the same evidence gives the same
findings, in a replay too.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from citeproof.judgement.checks import base
from citeproof.judgement.checks.evidence.set_evidence import SetEvidence
from citeproof.judgement.checks.evidence.work_notices import WorkEvidence, collect_notices
from citeproof.vocabulary import Finding, SetFinding

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")

NOTICE_CHECKS = base.list_in_order(base.NOTICE_CHECKS)
WORK_CHECKS = base.list_in_order(base.WORK_CHECKS)
SET_CHECKS = base.list_in_order(base.SET_CHECKS)


def examine_work(evidence: WorkEvidence) -> tuple[Finding, ...]:
    """Return what the checks say about the cited work, in their order."""
    notices = collect_notices(evidence)
    findings = (*(check(notices) for check in NOTICE_CHECKS), *(check(evidence) for check in WORK_CHECKS))
    return tuple(finding for finding in findings if finding is not None)


def examine_set(evidence: SetEvidence) -> tuple[SetFinding, ...]:
    """Return what the checks say about the references of one document together, in their order."""
    return tuple(finding for check in SET_CHECKS for finding in check(evidence))


def list_check_modules() -> list[str]:
    """Return the module of each check, in the order of the documentation."""
    return [check.__module__ for check in (*NOTICE_CHECKS, *WORK_CHECKS, *SET_CHECKS)]
