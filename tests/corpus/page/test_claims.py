"""Statistics, appeals to studies, and whether a source stands nearby."""

import pytest

from citeproof.corpus.corpus_types import Assertion
from tests.corpus.page.cases import page


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("It is 40% and 40 % and 12.5 percent.", Assertion.PERCENT, ["40%", "40 %", "12.5 percent"]),
        (
            "By 40–50%, ~3%, (5%), **7%**, −8%, 1,000%",
            Assertion.PERCENT,
            ["40–50%", "3%", "5%", "7%", "8%", "1,000%"],
        ),
        (
            "5 per cent, 5 percentage points, 5 Prozent",
            Assertion.PERCENT,
            ["5 per cent", "5 percentage points", "5 Prozent"],
        ),
        ("100% sure", Assertion.PERCENT, ["100%"]),
        (
            "a%20b, 5%d, 10 % 3, https://x.org/50%25, `40%`, 95% CI, 95% confidence, # 4%5",
            Assertion.PERCENT,
            [],
        ),
        (
            "It has 5 million users, 2.3 billion people and $40 thousand of costs, 3–4 million rows.",
            Assertion.AMOUNT,
            ["5 million users", "2.3 billion people", "40 thousand of costs", "3–4 million rows"],
        ),
        ("A million reasons, v2.5 million-fold, 5 million.", Assertion.AMOUNT, []),
        (
            "10x faster, 3 times slower, 2.5× more, 10-fold increase",
            Assertion.TIMES,
            ["10x faster", "3 times slower", "2.5× more", "10-fold increase"],
        ),
        (
            "three times higher, a 2x speedup, 3 times as many",
            Assertion.TIMES,
            ["three times higher", "2x speedup", "3 times as"],
        ),
        ("3x3, 0x10, 3 times a day, 10x, sometimes faster", Assertion.TIMES, []),
        (
            "Studies show it. Recent research has clearly shown it.",
            Assertion.STUDIES,
            ["Studies show", "research has clearly shown"],
        ),
        (
            "Evidence suggests. Experts agree. A study found. The literature indicates.",
            Assertion.STUDIES,
            ["Evidence suggests", "Experts agree", "A study found", "literature indicates"],
        ),
        (
            "It has been shown to be. According to\r\nresearch, it is.",
            Assertion.STUDIES,
            ["It has been shown", "According to\r\nresearch"],
        ),
        (
            "Research proves; research\nshows; meta-analyses confirm",
            Assertion.STUDIES,
            ["Research proves", "research\nshows", "meta-analyses confirm"],
        ),
        (
            "We study it. Our research shows it. The research-shows. `studies show`. In research, shows are.",
            Assertion.STUDIES,
            [],
        ),
        ("# 40% of studies show 10x faster\n", Assertion.PERCENT, []),
        ("# Studies show\n", Assertion.STUDIES, []),
    ],
)
def test_claims(text, kind, expected):
    assert [claim.raw for claim in page(text).claims if claim.kind is kind] == expected


@pytest.mark.parametrize(
    ("text", "sourced"),
    [
        ("It is 40%.", False),
        ("It is 40% (Smith et al., 2020).", True),
        ("It is 40% (REF-001).", True),
        ("It is 40% [src/bench.py, L3].", True),
        ("It is 40% [Node.js].", False),
        ("It is 40% @research/sources/x.md.", True),
        ("It is 40% (10.1038/nature14539).", True),
        ("It is 40% ([a](https://example.org/a)).", True),
        ("It is 40% (https://example.org/a).", True),
        ("It is 40% ([a](a.md)).", False),
        ("It is 40% [3].", False),  # of what?
        ("It is 40% [3].\n\n[3] Smith, J.: A work.\n", True),
        ("It is 40% [3].\n\n- [3] Smith, J.: A work.\n", True),
        ("It is 40% [3].\n\n> 1. [3] Smith, J.: A work.\n", True),
        ("It is 40% [3].\n\n[3]: https://example.org\n", True),
        ("It is 40% [3].\n\n[4] Smith, J.: A work.\n", False),
        ("It is 40% [12, 13].\n\n[13] Smith, J.: A work.\n", True),
        ("It is 40% [3].\n\n# References\n\n3. Smith, J.: A work.\n", True),
        ("It is 40% [3].\n\n## **Works Cited**\n\n3) Smith, J.: A work.\n", True),
        ("It is 40% [3].\n\n# Steps\n\n3. Smith, J.: A work.\n", False),
        ("[3] says 40%.", False),  # this is not its own list
        ("It is 40% [me@example.org].", False),
        ("It is 40% [@smith2020, p. 3].", True),
        ("It is 40%.[^1]\n\n[^1]: See REF-001.\n", True),
        ("It is 40%.[^1]\n\n[^1]: See https://example.org.\n", True),
        ("It is 40%.[^1]\n\n[^1]: Trust me.\n", False),
        ("It is 40%.[^1]\n", False),
        ("REF-001 says so. It is 40%.", True),
        ("It is 40%. REF-001 says so.", True),
        ("REF-001 says so. It goes on. It is 40%.", False),
        ("REF-001 says so.\n\nIt is 40%.", False),
        ("It is 40%.\n\nREF-001 says so.", False),
        ("| a | b |\n|---|---|\n| 40% | REF-001 |\n", True),
        ("| a | b |\n|---|---|\n| 40% | x |\n| y | REF-001 |\n", False),
        ("From REF-001.\n\n| a | b |\n|---|---|\n| 40% | x |\n", True),
        ("| a | b |\n|---|---|\n| 40% | x |\n\nSource: REF-001.\n", True),
        ("From REF-001. So.\n\n| a | b |\n|---|---|\n| 40% | x |\n", False),
        ("From REF-001:\n\n- 40%\n", True),
        ("From REF-001:\n- x\n- 40%\n", True),
        ("**From REF-001:**\n- x\n- 40%\n", True),
        ("From REF-001.\n\n- 40%\n", False),
        ("From REF-001:\n\n- x\n\nText.\n\n1. 40%\n", False),
        ("- x REF-001\n- 40%\n", False),
        ("`REF-001` is 40%.", False),
    ],
)
def test_sources_nearby(text, sourced):
    assert [claim.sourced for claim in page(text).claims] == [sourced]
