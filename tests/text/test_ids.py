"""Identifiers: one normal form per scheme, found in running text, linear on hostile input."""

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.growth import grows_linearly
from tests.soak import choose_cases, choose_pairs

from citeproof.text import arxiv, doi, ids, url

CASES = Path(__file__).parents[1] / "cases" / "ids.csv"
ROWS = list(csv.DictReader(CASES.read_text("utf-8").splitlines(), delimiter="|", quoting=csv.QUOTE_NONE))


@pytest.mark.parametrize("row", ROWS, ids=lambda r: f"{r['scheme']} {r['value']}"[:60])
def test_the_table_of_identifiers(row):
    assert ids.normalise_id(row["scheme"], row["value"]) == (row["normal"] or None)


def test_every_scheme_is_in_the_table():
    assert {row["scheme"] for row in ROWS} == ids.SCHEMES


PIECES = st.lists(
    st.one_of(
        st.sampled_from([row["value"] for row in ROWS]),
        st.sampled_from(
            ["%2F", "%25", "%", "&amp;", "&lt;", "lt;", "\\_", "{", "}", "(", ")", ".", "/", " ", "v1", "#"]
        ),
        st.text(max_size=5),
    ),
    max_size=5,
)


@given(st.sampled_from(sorted(ids.SCHEMES)), PIECES)
def test_normal_is_idempotent(scheme, pieces):
    once = ids.normalise_id(scheme, "".join(pieces))
    assert once is None or ids.normalise_id(scheme, once) == once


@given(st.text(max_size=300))
def test_found_spans_lie_in_the_text_and_hold_the_value(text):
    text = f"{text} doi:10.1038/nature14539, {text}"
    for scheme, value, start, end in ids.find_ids(text):
        assert 0 <= start < end <= len(text)
        assert ids.normalise_id(scheme, value) == value


@pytest.mark.parametrize(
    "odd",
    ["10․1038/nature14539", "10.1038\u200b/nature14539", "10.1038/nаture14539", "１０.1038/nature14539"],
)
def test_a_look_alike_is_never_the_real_doi(odd):
    kept = doi.normalise(odd)
    assert kept is not None
    assert kept != "10.1038/nature14539"
    assert doi.normalise(doi.make_skeleton(odd)) == "10.1038/nature14539"


FOUND = [
    ("see arXiv:1706.03762v5.", [("arxiv", "1706.03762")]),
    ("https://doi.org/10.5555/3295222.3295349.", [("doi", "10.5555/3295222.3295349")]),
    ("(doi:10.1038/nature14539)", [("doi", "10.1038/nature14539")]),
    (
        "https://doi.org/10.48550/arXiv.1706.03762",
        [("doi", "10.48550/arxiv.1706.03762"), ("arxiv", "1706.03762")],
    ),
    ("10.18653/v1/P19-1001", [("doi", "10.18653/v1/p19-1001"), ("acl", "P19-1001")]),
    ("PMID: 26017442; PMCID: PMC1234567", [("pmid", "26017442"), ("pmcid", "PMC1234567")]),
    ("ISBN 978-0-262-03561-3.", [("isbn", "9780262035613")]),
    ("ISSN 0031-9007", [("issn", "0031-9007")]),
    ("Phys. Rev. 1998PhRvL..80.3843A", [("ads", "1998PhRvL..80.3843A")]),
    ("[hep-th/9711200]", [("arxiv", "hep-th/9711200")]),
    ("CoRR abs/1606.06565, 2016", [("arxiv", "1606.06565")]),
    ("https://researchgate.net/pdf/0804.0389.pdf", [("url", "https://researchgate.net/pdf/0804.0389.pdf")]),
    (
        "https://arxiv.org/pdf/astro-ph/1602.8745.pdf",
        [("url", "https://arxiv.org/pdf/astro-ph/1602.8745.pdf")],
    ),
    (
        "https://link.springer.com/article/10.1007/s10994-021-05946-3",
        [
            ("doi", "10.1007/s10994-021-05946-3"),
            ("url", "https://link.springer.com/article/10.1007/s10994-021-05946-3"),
        ],
    ),
    (
        "https://academic.oup.com/dsh/article-pdf/doi/10.1093/llc/fqaf035/62995095/fqaf035.pdf",
        [
            ("doi", "10.1093/llc/fqaf035"),
            ("url", "https://academic.oup.com/dsh/article-pdf/doi/10.1093/llc/fqaf035/62995095/fqaf035.pdf"),
        ],
    ),
    ("https://openreview.net/forum?id=QpNz8r_Ri2Y", [("openreview", "QpNz8r_Ri2Y")]),
    ("doi.org/10.1038/nature14539", [("doi", "10.1038/nature14539")]),
    ("*DOI*: `10.1038/nature14539`", [("doi", "10.1038/nature14539")]),
    ("https://doi.org/10.1038/nature14539.", [("doi", "10.1038/nature14539")]),
    ("https://doi.org/10.1145/ 3292500.3330701.", [("doi", "10.1145/3292500.3330701")]),
    ("doi:10. 1038/ nature14539", [("doi", "10.1038/nature14539")]),
    ("arXiv: 1706. 03762", [("arxiv", "1706.03762")]),
    ("arXiv:1706 . 03762v2", [("arxiv", "1706.03762")]),
    ("pages 10. 2019/2020 season", []),
    ("see 10.1038/ Accessed", []),
    ("volume 10.1038 and pages 12-15, 2001", []),
    ("version 1234.5678 of nothing", []),
    ("no identifier at all", []),
]


@pytest.mark.parametrize(("text", "pairs"), FOUND, ids=[text[:50] for text, _ in FOUND])
def test_identifiers_in_running_text(text, pairs):
    assert [(scheme, value) for scheme, value, _, _ in ids.find_ids(text)] == pairs


def test_the_span_covers_the_label_and_leaves_the_full_stop():
    text = "Title. doi:10.1038/nature14539."
    [(_, _, start, end)] = ids.find_ids(text)
    assert text[start:end] == "doi:10.1038/nature14539"


PLAUSIBLE = [
    ("1706.03762", True, (2017, 6)),
    ("0704.0001", True, (2007, 4)),
    ("1412.6980", True, (2014, 12)),
    ("1602.8745", False, (2016, 2)),
    ("1412.69801", False, (2014, 12)),
    ("0703.0001", False, (2007, 3)),
    ("1713.00001", False, None),
    ("1700.00001", False, None),
    ("hep-th/9711200", True, (1997, 11)),
    ("math/0309136", True, (2003, 9)),
    ("hep-th/9713200", False, None),
    ("hep-th/0804001", False, (2008, 4)),
]


@pytest.mark.parametrize(("number", "possible", "month"), PLAUSIBLE)
def test_arxiv_numbers_fit_their_time(number, possible, month):
    assert arxiv.is_plausible(number) is possible
    assert arxiv.read_year_month(number) == month


def test_small_readers():
    assert doi.get_prefix("10.1038/nature14539") == "10.1038"
    assert url.get_host("https://www.example.org:8080/a") == "example.org"
    assert ids.normalise_isbn("0-262-03561-8")
    assert ids.normalise_isbn("0-262-03561-7") is None
    assert ids.normalise_issn("0031-9007")
    assert ids.normalise_orcid("0000-0002-1825-0098") is None
    assert ids.normalise_id("unknown-scheme", "x") is None


HOSTILE = [
    "10.1038/" + "a.",
    "https://doi.org/10.",
    "%2F",
    "arXiv:",
    "1234.",
    "ISBN 978-",
    "PMID ",
    "a.b-",
    "((((",
    "))))",
    "http://a.",
    "https://",
    "\\_",
    "&lt;",
    "[hep-th/",
    "corr abs/",
    "0 ",
    "- ",
    " ",
]


@pytest.mark.growth
@pytest.mark.parametrize("unit", choose_cases(HOSTILE))
def test_finding_is_linear(unit):
    assert grows_linearly(lambda size: ids.find_ids((unit * size)[:size]))


@pytest.mark.growth
@pytest.mark.parametrize(("scheme", "unit"), choose_pairs(sorted(ids.SCHEMES), HOSTILE))
def test_normalising_is_linear(scheme, unit):
    assert grows_linearly(lambda size: ids.normalise_id(scheme, (unit * size)[:size]))
