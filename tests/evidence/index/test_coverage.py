"""What a snapshot claims: parsed, written back, and held against references."""

from __future__ import annotations

import pytest

from citeproof.errors import UsageError
from citeproof.evidence.index.coverage import (
    CoverageClaim,
    find_reach,
    is_at_edge,
    is_id_covered,
    is_same_folded,
    parse_claim,
)
from citeproof.vocabulary import Claimed, Ids, Kind, Reach, Reference


@pytest.mark.parametrize(
    ("text", "claim", "written"),
    [
        ("article", CoverageClaim("kind", "article"), "article"),
        ("article=1990-2020", CoverageClaim("kind", "article", 1990, 2020), "article=1990-2020"),
        ("preprint=2001-", CoverageClaim("kind", "preprint", 2001, None), "preprint=2001-"),
        ("book=-1999", CoverageClaim("kind", "book", None, 1999), "book=-1999"),
        ("article=2017", CoverageClaim("kind", "article", 2017, 2017), "article=2017-2017"),
        ("venue:NeurIPS=2001-2019", CoverageClaim("venue", "NeurIPS", 2001, 2019), "venue:NeurIPS=2001-2019"),
        ("venue:Phys. Rev. Lett.", CoverageClaim("venue", "Phys. Rev. Lett."), "venue:Phys. Rev. Lett."),
        ("prefix:10.1103", CoverageClaim("prefix", "10.1103"), "prefix:10.1103"),
        ("all", CoverageClaim("all"), "all"),
    ],
)
def test_parse_and_write(text, claim, written):
    assert parse_claim(text) == claim
    assert str(claim) == written
    assert parse_claim(written) == claim


@pytest.mark.parametrize(
    "text",
    ["", "unknown", "articles", "venue:", "venue: !", "prefix:", "prefix:11.5", "article=", "article=x",
     "article=2020-1990", "article=19902020", "article=-", "all:x", "x" * 1000],
)  # fmt: skip
def test_not_a_claim(text):
    with pytest.raises(UsageError, match="hint: write KIND"):
        parse_claim(text)


def reference(kind=Kind.ARTICLE, **claimed) -> Reference:
    return Reference("k", "raw", kind, Claimed(**claimed))


DOI = Ids((("doi", "10.1103/physrev.47.777"),))


@pytest.mark.parametrize(
    ("claim", "cited", "expected"),
    [
        ("article", reference(), True),
        ("article", reference(Kind.BOOK), False),
        ("article=1990-2000", reference(year=1995), True),
        ("article=1990-2000", reference(year=1990), False),  # the year before it is not claimed
        ("article=1990-2000", reference(year=2001), False),
        ("article=1990-2000", reference(), False),  # no year: not claimed
        ("article=1990-", reference(year=2020), True),
        ("venue:NeurIPS", reference(venue="NEURIPS"), False),  # nor any other venue
        ("venue:NeurIPS", reference(venue="NIPS"), False),
        ("venue:NeurIPS", reference(), False),
        ("venue:NeurIPS=2017-2017", reference(venue="NeurIPS", year=2018), False),
        ("prefix:10.1103", reference(ids=DOI), True),
        ("prefix:10.11031", reference(ids=DOI), False),
        ("prefix:10.1103", reference(), False),
        ("all", reference(Kind.LEGAL), True),
    ],
)
def test_claims(claim, cited, expected):
    assert find_reach(cited, [parse_claim(claim)]) is (Reach.COMPLETE if expected else Reach.PARTIAL)


def test_nothing_stated_is_nothing_claimed():
    assert find_reach(reference(), []) is Reach.PARTIAL
    assert not is_id_covered("doi", "10.1103/x", [])


def _is_neurips(cited, claimed):
    return "Neural" in cited and claimed == "NeurIPS"


def test_venue_equality_can_be_plugged_in():
    cited = reference(venue="Advances in Neural Information Processing Systems")
    stated = [parse_claim(f"venue:{name}") for name in ("NeurIPS", "ICML", "ICLR", "AAAI", "CVPR")]
    assert find_reach(cited, stated, _is_neurips) is Reach.COVERS  # a workshop's papers are not in it
    assert find_reach(cited, [*stated, parse_claim("article")], _is_neurips) is Reach.COMPLETE
    assert find_reach(cited, stated[:2], _is_neurips) is Reach.PARTIAL  # no slack


def test_the_proceedings_themselves_are_not_in_their_list_of_papers():
    stated = [parse_claim(f"venue:{name}") for name in ("NeurIPS", "ICML", "ICLR", "AAAI", "CVPR")]
    assert find_reach(reference(venue="CVPR"), stated) is Reach.COVERS
    assert find_reach(reference(Kind.BOOK, venue="CVPR"), stated) is Reach.PARTIAL


@pytest.mark.parametrize(("year", "edge"), [(2012, False), (2013, True), (2019, False), (2020, True)])
def test_a_year_at_the_edge_of_a_claim_is_told_from_one_outside(year, edge):
    stated = [parse_claim("venue:CVPR=2013-2020")]
    assert is_at_edge(reference(venue="CVPR", year=year), stated, is_same_folded) is edge


@pytest.mark.parametrize(
    ("claim", "scheme", "value", "expected"),
    [
        ("prefix:10.1103", "doi", "10.1103/x", True),
        ("prefix:10.1103", "doi", "10.11035/x", False),
        ("prefix:10.1103", "arxiv", "10.1103/x", False),
        ("all", "pmid", "1", True),
        ("all=1990-2000", "pmid", "1", False),  # an identifier has no year
        ("article", "doi", "10.1103/x", False),
    ],
)
def test_claims_of_identifiers(claim, scheme, value, expected):
    assert is_id_covered(scheme, value, [parse_claim(claim)]) is expected
