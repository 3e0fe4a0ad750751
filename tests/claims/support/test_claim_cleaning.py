"""Citation marks of a claim become blanks; all else stays in its place."""

from __future__ import annotations

import pytest

from citeproof.claims.support.claim_cleaning import blank_citation_marks


@pytest.mark.parametrize(
    ("claim", "left"),
    [
        ("Risk rose [3, 5–7].", "Risk rose ."),
        ("Risk rose (12, 14–16).", "Risk rose ."),
        ("Risk rose (see Smith et al., 2004, p. 3).", "Risk rose ."),
        ("Risk rose [@smith2004; @doe].", "Risk rose ."),
        (r"Risk rose \citep{smith2004}.", "Risk rose ."),
        ("Smith et al. (2004) saw risk.", " saw risk."),
        ("Risk rose.3,4", "Risk rose."),
        ("Risk rose³⁴ again.", "Risk rose again."),
        ("Risk rose by 12 (n = 40).", "Risk rose by 12 (n = 40)."),
        ("Risk rose by 3.4 in 10 m³.", "Risk rose by 3.4 in 10 m³."),
    ],
)
def test_citation_marks_are_blanked(claim: str, left: str) -> None:
    blanked = blank_citation_marks(claim)
    assert len(blanked) == len(claim)
    assert blanked.replace(" ", "") == left.replace(" ", "")
