"""Verify citations with evidence.

    import citeproof
    report = citeproof.check("refs.bib")
    for checked in report.problems:
        print(checked.key, checked.verdict, checked.explanation)

Everything is loaded when it is first used, so that `citeproof --help` answers at once.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from citeproof.errors import CiteproofError, InputError, SnapshotError, UsageError

if TYPE_CHECKING:
    from citeproof.claims.rendered_text import RenderedPart, RenderedText
    from citeproof.service.check_session import Report
    from citeproof.service.corpus_project import CorpusReport, check_corpus
    from citeproof.settings import Settings
    from citeproof.surfaces.python import (
        Verifier,
        acheck,
        aground,
        arender,
        averify,
        check,
        ground,
        render,
        verify,
    )
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

    __version__: str

__all__ = [
    "Absent", "Band", "Cause", "Checked", "CiteproofError", "ClaimStatus", "Claimed", "Compared",
    "Comparison", "CorpusReport", "Document", "Finding", "Found", "GroundedClaim", "GroundedHypothesis",
    "Ids", "InputError", "Judgement", "Kind", "Label", "Lookup", "Mismatch", "Name", "Override", "Place",
    "Problem", "Provenance", "Record", "Reference", "RenderedPart", "RenderedText", "Report", "Run",
    "Settings", "SnapshotError", "Unchecked", "UsageError", "Verdict", "Verifier", "__version__", "acheck",
    "aground", "arender", "averify", "check", "check_corpus", "ground", "render", "verify",
]  # fmt: skip

_DOOR = "citeproof.surfaces.python"
_CALLS = ("Verifier", "acheck", "aground", "arender", "averify", "check", "ground", "render", "verify")
_LATER = dict.fromkeys(_CALLS, _DOOR) | {
    **dict.fromkeys(("RenderedPart", "RenderedText"), "citeproof.claims.rendered_text"),
    "Report": "citeproof.service.check_session",
    "Settings": "citeproof.settings",
    **dict.fromkeys(("CorpusReport", "check_corpus"), "citeproof.service.corpus_project"),
}
_WORDS = "citeproof.vocabulary"  # what is neither an error nor above


def __getattr__(name: str) -> object:
    if name == "__version__":
        return import_module("citeproof.answers.serializers").get_version()
    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    if name in __all__:
        globals()[name] = word = getattr(import_module(_WORDS), name)
        return word
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
