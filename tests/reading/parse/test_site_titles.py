"""Titles as search engines and sites print them: what is the title, whether it is cut, its arXiv number."""

from __future__ import annotations

import pytest

from citeproof.reading.parse import parse
from citeproof.reading.parse.site_titles import undecorate_title
from citeproof.vocabulary import Place, RawReference

PAGE = "https://example.org/page"
TITLES = [
    ("[2409.18194] Waves Seen by JWST", "Waves Seen by JWST", "2409.18194"),
    ("Black holes from primordial origins - arXiv", "Black holes from primordial origins", None),
    (f"[[2101.12660] Cosmology of dark sirens - arXiv]({PAGE})", "Cosmology of dark sirens", "2101.12660"),
    (f"[[quantum-grav/0912345] Strings in f(Q) Theories]({PAGE})", "Strings in f(Q) Theories", None),
    (f"[Into the fold - PMC - NIH]({PAGE})", "Into the fold", None),
    (f"[Orientation microscopy - NIH - PubMed]({PAGE})", "Orientation microscopy", None),
    (f"[Landscapes for native folding and ... - PubMed]({PAGE})", "Landscapes for native folding and…", None),
    (f"[Search for stable pressure ... - Nature]({PAGE})", "Search for stable pressure…", None),
    (f"[(PDF) Attention Is All You Need - ResearchGate]({PAGE})", "Attention Is All You Need", None),
    (f"[Deep learning | Request PDF]({PAGE})", "Deep learning", None),
    (f"[f(R) Theories | Living Reviews in Relativity | Springer Nature Link]({PAGE})", "f(R) Theories", None),
    (f"[Phases of hot hydrogen | Scientific Reports]({PAGE})", "Phases of hot hydrogen", None),
    (f"[Kinetic trapping in folding - Chen Laboratory]({PAGE})", "Kinetic trapping in folding", None),
    (f"[Introduction to the ADM Formalism arXiv:2210.10104v2 [gr-qc] 22]({PAGE})",
     "Introduction to the ADM Formalism", "2210.10104"),
    (f"[Resonance energy transfer in]({PAGE})", "Resonance energy transfer in…", None),
    (f"[Freezing of clusters in LK-99-family]({PAGE})", "Freezing of clusters in LK-99-family", None),
    (f"[Word2vec - a way to see words]({PAGE})", "Word2vec - a way to see words", None),
    (f"[...]({PAGE})", None, None),
    ("[https://doi.org/10.1038/nature14539](https://doi.org/10.1038/nature14539)", None, None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "title", "arxiv"), TITLES)
def test_a_title_without_what_the_site_adds(text, title, arxiv):
    claimed = parse(RawReference("k", text, Place())).claimed
    assert (claimed.title, claimed.ids.first("arxiv")) == (title, arxiv)
    assert (claimed.authors, claimed.venue) == ((), None)


def test_a_journal_behind_the_title_is_the_venue():
    text = f"[Kinetic trapping in folding - Journal of Biophysics - NIH]({PAGE})"
    claimed = parse(RawReference("k", text, Place())).claimed
    assert (claimed.title, claimed.venue) == ("Kinetic trapping in folding", "Journal of Biophysics")


CITATIONS = [
    ("[Virey, 2009, A test of the parameterization](https://arxiv.org/abs/0804.0389)", ["Virey"], 2009),
    (
        "[J. Smith, A. Jones, A study of things, Nature, 2015](https://example.org)",
        ["J. Smith", "A. Jones"],
        2015,
    ),
]


@pytest.mark.parametrize(("text", "authors", "year"), CITATIONS)
def test_a_link_that_cites_is_no_bare_title(text, authors, year):
    claimed = parse(RawReference("k", text, Place())).claimed
    assert ([name.display for name in claimed.authors], claimed.year) == (authors, year)


@pytest.mark.parametrize(
    ("title", "bare"),
    [
        ("[1506.07365] Embed to Control: A Locally Linear Model", "Embed to Control: A Locally Linear Model"),
        ("Reference and Modification in Universal Dependencies - ACL Anthology",
         "Reference and Modification in Universal Dependencies"),
        ("Gaussian processes | a tutorial", "Gaussian processes | a tutorial"),
        ("Learning - a view", "Learning - a view"),
        ("[2409.18194] ", "[2409.18194] "),
    ],
)  # fmt: skip
def test_a_field_of_a_bibliography_that_was_copied_from_a_page(title, bare):
    assert undecorate_title(title) == bare


PRINTED = [
    ("Faster Swift Protocols | Proceedings of the ACM on Programming Languages", "Faster Swift Protocols"),
    ("Locks and Queues Revisited | ACM Transactions on Computer Systems", "Locks and Queues Revisited"),
    ("Where programs fail and why | Communications of the ACM", "Where programs fail and why"),
    ("A survey of many parsers | ACM Computing Surveys", "A survey of many parsers"),
    ("Deep | Journal of Wells", "Deep | Journal of Wells"),  # too short: it may be all one title
    (
        "Risk | Return: a journal for investors",
        "Risk | Return: a journal for investors",
    ),
    ("Reading letters - Proceedings of a writer", "Reading letters - Proceedings of a writer"),
]


@pytest.mark.parametrize(("printed", "title"), PRINTED)
def test_a_venue_that_a_publisher_prints_behind_a_title(printed, title):
    assert undecorate_title(printed) == title
