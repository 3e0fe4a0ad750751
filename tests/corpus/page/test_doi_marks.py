"""DOIs as written."""

import pytest

from citeproof.corpus.corpus_types import Pattern
from tests.corpus.page.cases import marks, raws, targets, whole

N = "10.1038/nature14539"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"See {N}.", [N]),
        (f"({N}), [{N}]; “{N}”", [N] * 3),
        (f"doi:{N} DOI: {N}; doi {N}, doi={N}", [N] * 4),
        (f"https://doi.org/{N}. http://dx.doi.org/{N}, doi.org/{N}", [N] * 3),
        (f"<https://doi.org/{N}>", [N]),
        (f"[the paper](https://doi.org/{N})", [N]),
        (f"[{N}](https://doi.org/{N}) [https://doi.org/{N}](https://doi.org/{N})", [N] * 2),
        (f"[10.1000/other](https://doi.org/{N})", [N, "10.1000/other"]),
        ("https://dl.acm.org/doi/10.1145/3133956.3134", ["10.1145/3133956.3134"]),
        ("[a](https://onlinelibrary.wiley.com/doi/10.1002/abc/full?x=1)", ["10.1002/abc"]),
        (
            "10.1016/S0140-6736(26)00603-3 (see 10.1016/S0140-6736(26)00603-3)",
            ["10.1016/s0140-6736(26)00603-3"] * 2,
        ),
        ("[x](https://doi.org/10.1016/S0140-6736(26)00603-3)", ["10.1016/s0140-6736(26)00603-3"]),
        ("10.1000/a,10.1000/b;10.1000/c", ["10.1000/a", "10.1000/b", "10.1000/c"]),
        ("10.1007/978-3-319\\_48", ["10.1007/978-3-319_48"]),
        (f"见{N}。然后", [N]),
        (f"See [REF-001].\n\n[REF-001]: https://doi.org/{N}\n", [N]),
        (f"**{N}** and *doi:{N}*", [N] * 2),
        # malformed, told of because they say that they are one
        ("doi:10.12/abc doi:10.1000 and DOI: 11.1000/x", ["10.12/abc", "10.1000", "11.1000/x"]),
        ("https://doi.org/10.1000", ["10.1000"]),
        ("[a](https://doi.org/10.12/abc)", ["10.12/abc"]),
        # none
        ("10.12/100 or 10.1000 or v10.2020/a or 110.1000/b or a/10.1000/b", []),
        ("DOI: pending, doi: see below, https://doi.org/ https://doi.org/10/abcd", []),
        (f"`{N}` <!-- {N} --> ![{N}](https://doi.org/{N})", []),
        (f"https://example.org/{N} [a](https://example.org/{N})", []),
        (f"```\n{N}\n```\n", []),
    ],
)
def test_dois(text, expected):
    assert sorted(targets(text, Pattern.DOI)) == sorted(expected)


@pytest.mark.parametrize(
    ("text", "raw", "expected"),
    [
        (f"so (doi:{N}).", N, f"(doi:{N})"),
        (f"so [a](https://doi.org/{N} 't').", N, f"[a](https://doi.org/{N} 't')"),
        (f"so <https://doi.org/{N}>.", N, f"<https://doi.org/{N}>"),
        (f"so (https://doi.org/{N}).", N, f"(https://doi.org/{N})"),
        (f"so [a][d].\n\n[d]: https://doi.org/{N}\n", "[a][d]", "[a][d]"),
        (f"so [d][].\n\n[d]: https://doi.org/{N}\n", "[d][]", "[d][]"),
        ("so 10.1000/ABC.", "10.1000/ABC", "10.1000/ABC"),
    ],
)
def test_what_is_written_and_what_goes_with_it(text, raw, expected):
    assert raws(text, Pattern.DOI) == [raw]
    assert whole(text, Pattern.DOI) == expected


def test_a_look_alike_never_becomes_the_real_one():
    (mark,) = marks("doi:10․1038/nature14539", Pattern.DOI)
    assert mark.target != N
