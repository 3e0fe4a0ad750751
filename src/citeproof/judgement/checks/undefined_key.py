r"""`undefined_key`: the text cites a key that no bibliography of the document has.

**What it does:** compares the keys that the text cites (`\cite` and its relatives in LaTeX, `@key` in
Markdown, Quarto and Typst, `xref` in JATS) with the entries of the bibliographies it names.

**Why it matters:** the reader finds "[?]" instead of the evidence, and cannot check it. It is a warning.

**States:** nothing is said where a bibliography could not be read, which is a problem of its own, nor about a
bibliography alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from citeproof.judgement.checks.base import SET_CHECKS, add_check
from citeproof.judgement.checks.evidence.set_evidence import SetEvidence
from citeproof.vocabulary import Finding, FindingState, Place, SetFinding

NAME = "undefined_key"
_APART = 20  # keys, each with a finding of its own


@add_check(SET_CHECKS, 3)
def find_undefined_keys(evidence: SetEvidence) -> Iterator[SetFinding]:
    """Yield each key that is cited but not defined, where it is first cited; many of them as one."""
    undefined = evidence.about.undefined
    if len(undefined) > _APART:
        lines = tuple(f"{key.key}: {key.place.file}, line {key.place.line or '?'}" for key in undefined)
        detail = f"{len(undefined):,} keys are cited but not defined"
        finding = Finding(NAME, FindingState.FINDING, detail, "document", evidence=lines)
        yield SetFinding(finding, Place(file=evidence.document), tuple(key.key for key in undefined))
        return
    for cited in undefined:
        detail = f"the key {cited.key!r} is cited but not defined"
        yield SetFinding(Finding(NAME, FindingState.FINDING, detail, "document"), cited.place, (cited.key,))
