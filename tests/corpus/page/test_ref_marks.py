"""References by number."""

import pytest

from citeproof.corpus.corpus_types import Pattern
from tests.corpus.page.cases import targets, whole


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("As REF-001 shows", ["REF-001"]),
        ("(REF-001, REF-002-a; REF-003-bis)", ["REF-001", "REF-002-a", "REF-003-bis"]),
        ("[REF-001] [REF-002][REF-003]", ["REF-001", "REF-002", "REF-003"]),
        ("REF-001/REF-002", ["REF-001", "REF-002"]),
        ("malformed REF-12, REF-0001, REF-001a", ["REF-12", "REF-0001", "REF-001a"]),
        ("the REF-001-based method", ["REF-001"]),
        ("REF-001-attention-is-all.md", ["REF-001"]),
        ("REF-001's claim, **REF-002**, _REF-003_", ["REF-001", "REF-002", "REF-003"]),
        ("[see REF-001](a.md)", ["REF-001"]),
        ("| REF-001 |\n|---|\n| REF-002 |\n", ["REF-001", "REF-002"]),
        ("# About REF-001\n", ["REF-001"]),
        ("See [REF-001].\n\n[REF-001]: https://doi.org/10.1000/x\n", ["REF-001"]),
        ("Wiki [^REF-012] and [[REF-013]]", ["REF-012", "REF-013"]),
        ("---\nnever closed: REF-001\n", ["REF-001"]),
        ("REF-001 <!-- REF-002\nREF-003 --> REF-004", ["REF-001", "REF-004"]),
        ("costs $5-$6 REF-001 to $7", ["REF-001"]),
        ("REF-XXX, REF-, XREF-001, ref-001, REF-001_a, -REF-001, REF001", []),
        ("docs/references/REF-001.md", []),
        ("`REF-001` <!-- REF-001 --> ![REF-001](a.png) [a](REF-001.md)", []),
        ("# T {#REF-001}\n", []),
        ("https://example.org/REF-001", []),
    ],
)
def test_refs(text, expected):
    assert targets(text, Pattern.REF) == expected


def test_the_word_is_a_setting():
    assert targets("SRC-001 and REF-001", Pattern.REF, ref="SRC") == ["SRC-001"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("so (REF-001).", "(REF-001)"),
        ("so [REF-001].", "[REF-001]"),
        ("so ([REF-001]).", "([REF-001])"),
        ("so [REF-001](a.md).", "[REF-001](a.md)"),
        ("so [the REF-001](a.md).", "REF-001"),
        ("so \\[REF-001\\].", "REF-001"),
    ],
)
def test_what_goes_with_it(text, expected):
    assert whole(text, Pattern.REF) == expected
