"""Abstracts of every upstream as plain text."""

from __future__ import annotations

import json

import pytest
import zstandard
from lxml import etree

from citeproof.evidence.upstream_records import abstracts
from tests.recordings import FOLDER

LONG = "Residual networks are easier to optimise and gain accuracy."

CLEANED = {
    "<jats:title>Abstract</jats:title><jats:p>" + LONG + "</jats:p>": LONG,
    "<jats:sec><jats:title>Aims</jats:title><jats:p>" + LONG + "</jats:p></jats:sec>": f"Aims\n{LONG}",
    "<p>At 10<sup>-5</sup> M and 10<sup>6</sup> cells, H<sub>2</sub>O, x<sup>a</sup>.</p>": (
        "At 10^-5 M and 10^6 cells, H2O, xa."
    ),
    f"&lt;p&gt;{LONG}&lt;/p&gt;": LONG,
    f"{LONG} (p &lt; 0.05; 5 &gt; 3 &amp; 1)": f"{LONG} (p < 0.05; 5 > 3 & 1)",
    "<h4>Background</h4>" + LONG + "<h4>Results</h4>None.": f"Background\n{LONG}\nResults\nNone.",
    f"{LONG} <mml:math><mml:mi>x</mml:mi></mml:math> here": f"{LONG} x here",
    "n/a": "",
    "": "",
}


@pytest.mark.parametrize("marked", CLEANED)
def test_markup_goes_and_numbers_stay(marked):
    if len(CLEANED[marked]) < 40 and CLEANED[marked]:
        assert abstracts.clean_abstract(marked + LONG) == CLEANED[marked] + "\n" + LONG
    else:
        assert abstracts.clean_abstract(marked) == CLEANED[marked]


@pytest.mark.parametrize("value", [None, 3, [], {}, {"x": 1}])
def test_what_is_no_text_is_no_abstract(value):
    assert abstracts.clean_abstract(value) == ""
    for source in ("crossref", "openalex", "datacite", "europe_pmc", "semantic_scholar"):
        read = getattr(abstracts, f"read_{source}_abstract")
        assert read(value) == ""
        assert read({"abstract": value, "abstractText": value, "attributes": {"descriptions": value}}) == ""
        assert read({"abstract_inverted_index": {"word": value, "other": [value]}}) == ""


def test_an_endless_abstract_is_cut():
    assert len(abstracts.clean_abstract("word " * 10**6)) <= abstracts.MAX_ABSTRACT
    index = {"word": list(range(10**6))}
    assert len(abstracts.read_openalex_abstract({"abstract_inverted_index": index})) <= abstracts.MAX_ABSTRACT


def test_tex_becomes_text_and_powers_stay():
    found = abstracts.clean_arxiv_abstract(
        "  We use $10^{6}$ samples,\n  5.3\\% less than Poincar\\'e's $10^{-5}$ bound."
    )
    assert found == "We use 10^6 samples, 5.3% less than Poincaré's 10^-5 bound."


def test_every_recorded_abstract_of_pubmed_is_read():
    told = [
        (bool(article.findall(".//AbstractText")), bool(abstracts.read_medline_abstract(article)))
        for body in list_recorded("pubmed")
        if "<PubmedArticle>" in body
        for article in _parse_articles(body)
    ]
    assert len(told) > 50
    assert all(stated == read for stated, read in told)


def _parse_articles(body: str) -> list[etree._Element]:
    try:
        return list(etree.fromstring(body.encode()).iterfind("PubmedArticle"))
    except etree.XMLSyntaxError:  # one recording breaks off
        return []


def test_every_recorded_abstract_of_europe_pmc_is_read():
    bodies = [json.loads(body) for body in list_recorded("europe_pmc") if body.startswith("{")]
    rows = [row for body in bodies for row in body.get("resultList", {}).get("result", [])]
    told = [("abstractText" in row, bool(abstracts.read_europe_pmc_abstract(row))) for row in rows]
    assert sum(stated for stated, _ in told) > 10
    assert all(stated == read for stated, read in told)


def list_recorded(upstream: str) -> list[str]:
    path = FOLDER / "upstreams.jsonl.zst"
    if not path.exists():
        pytest.skip("the development data with recorded answers is not here")
    with zstandard.open(path, "rt", encoding="utf-8") as lines:
        rows = map(json.loads, lines)
        return [row["body"] or "" for row in rows if row["upstream"] == upstream]


def test_a_summary_of_arxiv():
    entry = etree.fromstring(f'<entry xmlns="http://www.w3.org/2005/Atom"><summary>{LONG}</summary></entry>')
    assert abstracts.read_arxiv_summary(entry) == LONG
