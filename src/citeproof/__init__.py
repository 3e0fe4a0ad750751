"""Verify citations with evidence.

    import citeproof
    report = citeproof.check("refs.bib")
    for checked in report.problems:
        print(checked.key, checked.verdict, checked.explanation)

The functions load the engine when they are first used; the words of the product are there at once.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from citeproof.errors import CiteproofError, InputError, SnapshotError, UsageError
from citeproof.vocabulary import (
    Absent,
    Band,
    Cause,
    Checked,
    Claimed,
    ClaimStatus,
    Compared,
    Comparison,
    Document,
    Finding,
    Found,
    GroundedClaim,
    GroundedHypothesis,
    Ids,
    Judgement,
    Kind,
    Label,
    Lookup,
    Mismatch,
    Name,
    Override,
    Place,
    Problem,
    Provenance,
    Record,
    Reference,
    Run,
    Unchecked,
    Verdict,
)

if TYPE_CHECKING:
    from citeproof.service.check_report import Report
    from citeproof.service.corpus_report import CorpusReport, check_corpus
    from citeproof.settings import Settings
    from citeproof.surfaces.python import Verifier, acheck, aground, averify, check, ground, verify

    __version__: str

__all__ = [
    "Absent",
    "Band",
    "Cause",
    "Checked",
    "CiteproofError",
    "ClaimStatus",
    "Claimed",
    "Compared",
    "Comparison",
    "CorpusReport",
    "Document",
    "Finding",
    "Found",
    "GroundedClaim",
    "GroundedHypothesis",
    "Ids",
    "InputError",
    "Judgement",
    "Kind",
    "Label",
    "Lookup",
    "Mismatch",
    "Name",
    "Override",
    "Place",
    "Problem",
    "Provenance",
    "Record",
    "Reference",
    "Report",
    "Run",
    "Settings",
    "SnapshotError",
    "Unchecked",
    "UsageError",
    "Verdict",
    "Verifier",
    "__version__",
    "acheck",
    "aground",
    "averify",
    "check",
    "check_corpus",
    "ground",
    "verify",
]

_DOOR = "citeproof.surfaces.python"
_LATER = dict.fromkeys(("Verifier", "acheck", "aground", "averify", "check", "ground", "verify"), _DOOR) | {
    "Report": "citeproof.service.check_report",
    "Settings": "citeproof.settings",
    **dict.fromkeys(("CorpusReport", "check_corpus"), "citeproof.service.corpus_report"),
}


def __getattr__(name: str) -> object:
    if name == "__version__":
        return import_module("citeproof.serializers").get_version()
    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
