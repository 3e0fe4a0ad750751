"""One citation from loose fields."""

from __future__ import annotations

import pytest

from citeproof.errors import UsageError
from citeproof.service.citation_input import EXAMPLES, build_citation
from citeproof.vocabulary import ID_ORDER, Name


@pytest.mark.parametrize(
    ("scheme", "value", "normal"),
    [
        ("doi", "https://doi.org/10.1038/NATURE14539", "10.1038/nature14539"),
        ("doi", "doi:10.1038/nature14539.", "10.1038/nature14539"),
        ("pmid", "PMID: 26017442", "26017442"),
        ("pmcid", "PMCID:1234567", "PMC1234567"),
        ("arxiv", "arXiv:1706.03762v5", "1706.03762"),
        ("arxiv", "https://arxiv.org/abs/hep-ph/0501023", "hep-ph/0501023"),
        ("isbn", "0-262-03561-8", "9780262035613"),
        ("issn", "00280836", "0028-0836"),
    ],
)
def test_prefixes_addresses_and_hyphens_are_tolerated(scheme, value, normal):
    assert build_citation("T", **{scheme: value}).claimed.ids.first(scheme) == normal


@pytest.mark.parametrize("scheme", sorted(EXAMPLES))
def test_examples_of_error_messages_are_well_formed(scheme):
    assert build_citation("T", **{scheme: EXAMPLES[scheme]}).claimed.ids.first(scheme)


def test_every_scheme_with_a_flag_has_an_example():
    assert set(EXAMPLES) == set(ID_ORDER) - {"url"}


@pytest.mark.parametrize(
    ("scheme", "value"),
    [
        ("doi", "not-a-doi"),
        ("pmid", "abc"),
        ("isbn", "978-0-262-03561-4"),
        ("issn", "0028-0837"),
        ("arxiv", "x"),
    ],
)
def test_malformed_identifier_is_named(scheme, value):
    with pytest.raises(UsageError) as caught:
        build_citation("T", **{scheme: value})
    assert caught.value.place == scheme
    assert value in caught.value.message
    assert EXAMPLES[scheme] in caught.value.hint


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"title": "  "}, "title"),
        ({"title": "x" * 2001}, "title"),
        ({"title": "T", "author": "x" * 201}, "author"),
        ({"title": "T", "container": "x" * 501}, "container"),
        ({"title": "T", "year": 10_000}, "year"),
        ({"title": "T", "year": -1}, "year"),
    ],
)
def test_fields_are_bounded(fields, place):
    with pytest.raises(UsageError) as caught:
        build_citation(**fields)
    assert caught.value.place == place


@pytest.mark.parametrize(
    ("author", "names"),
    [
        ("Topaz", (Name("Topaz"),)),
        ("van der Berg", (Name("van der Berg"),)),
        ("Topaz, Maxim", (Name("Topaz", "Maxim"),)),
        (" ", ()),
        (None, ()),
    ],
)
def test_author_is_the_first_of_more(author, names):
    claimed = build_citation("T", author=author).claimed
    assert claimed.authors == names
    assert claimed.et_al


def test_raw_text_reads_as_a_citation():
    raw = build_citation(
        "Deep learning", doi="10.1038/nature14539", author="LeCun", year=2015, container="Nature"
    )
    assert raw.text == "LeCun. (2015). Deep learning. Nature. doi:10.1038/nature14539"
    assert [o.field for o in raw.claimed.origins] == ["title", "authors", "year", "venue", "doi"]
