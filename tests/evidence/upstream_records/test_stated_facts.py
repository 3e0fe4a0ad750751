"""What registries state beside a record => marks."""

from __future__ import annotations

from dataclasses import replace

import pytest
from lxml import etree

from citeproof.evidence.upstream_records import stated_facts
from citeproof.laboratory.testing.apis.crossref import build_crossref_item
from citeproof.vocabulary import Name, Record

RECORD = Record("crossref", "10.1000/x", ("A title",), marks=("corrected",))
A = "0000-0002-1825-0097"


@pytest.mark.parametrize(
    ("item", "marks"),
    [
        ({}, ()),
        ({"author": [{"family": "Wang", "given": "Wei", "ORCID": f"http://orcid.org/{A}"}]},
         (f"orcid:{A} Wei Wang",)),
        ({"author": [{"family": "Wang", "ORCID": "http://orcid.org/0000-0002-1825-0098"}]}, ()),
        ({"author": [{"family": "Wang", "ORCID": 7}, "x"], "relation": []}, ()),
        ({"relation": {"has-comment": [{"id-type": "doi", "id": "10.1000/C"}]}},
         ("related:comment doi 10.1000/c",)),
        ({"relation": {"is-reply-to": [{"id-type": "doi", "id": "10.1000/C"}], "has-review": [{}]}},
         ("related:reply_to doi 10.1000/c",)),
        ({"relation": {"has-comment": [{"id-type": "uri", "id": "javascript:x"}, {"id": None}]}}, ()),
    ],
)  # fmt: skip
def test_crossref(item, marks):
    found = stated_facts.mark_crossref(item, RECORD)
    assert found is not None
    assert found.marks == ("corrected", *marks)


def test_the_loopback_crossref_states_what_a_record_is_marked_with():
    told = (f"orcid:{A} Wei Wang", "related:comment doi 10.1000/c", "related:comment doi 10.1000/d",
            "related:reply_to doi 10.1000/e")  # fmt: skip
    held = replace(
        RECORD, authors=(Name("Li", "Min"), Name("Wang", "Wei")), marks=(*told, "related:update pmid 1")
    )
    item = build_crossref_item(held, "10.1000/x")
    assert stated_facts.mark_crossref(item, RECORD) == replace(RECORD, marks=("corrected", *told))


def test_no_record_stays_none():
    assert stated_facts.mark_crossref({}, None) is None


def test_datacite():
    name = {"nameIdentifier": f"https://orcid.org/{A}", "nameIdentifierScheme": "ORCID"}
    item = {
        "attributes": {"creators": [{"givenName": "Wei", "familyName": "Wang", "nameIdentifiers": [name]}]}
    }
    found = stated_facts.mark_datacite(item, RECORD)
    assert found is not None
    assert found.marks[1:] == (f"orcid:{A} Wei Wang",)


def test_europe_pmc():
    author = {"firstName": "Wei", "lastName": "Wang", "authorId": {"type": "ORCID", "value": A}}
    links = [{"type": "Comment in", "id": "123", "source": "MED"}, {"type": "Comment in", "source": "PPR"}]
    item = {"authorList": {"author": [author]}, "commentCorrectionList": {"commentCorrection": links}}
    found = stated_facts.mark_europe_pmc(item, RECORD)
    assert found is not None
    assert found.marks[1:] == (f"orcid:{A} Wei Wang", "related:comment pmid 123")


def date(status, year, month, day):
    parts = f"<Year>{year}</Year><Month>{month}</Month><Day>{day}</Day>"
    return f'<PubMedPubDate PubStatus="{status}">{parts}</PubMedPubDate>'


@pytest.mark.parametrize(
    ("dates", "marks"),
    [
        (date("received", 2020, 5, 1) + date("accepted", 2020, 6, 1), ()),
        (date("received", 2020, 5, 1) + date("accepted", 2020, 5, 1), ()),
        (date("received", 2020, 5, 1) + date("accepted", 2020, 4, 1),
         ("dates_clash:accepted 2020-04-01, received 2020-05-01",)),
        (date("received", 2020, "May", 1) + date("accepted", 2020, 4, 1), ()),
        (date("received", 2020, 13, 1) + date("accepted", 2020, 4, 1), ()),
    ],
)  # fmt: skip
def test_pubmed(dates, marks):
    article = etree.fromstring(
        "<PubmedArticle><MedlineCitation><Article><AuthorList><Author><LastName>Wang</LastName>"
        f'<ForeName>Wei</ForeName><Identifier Source="ORCID">{A}</Identifier></Author></AuthorList></Article>'
        '<CommentsCorrectionsList><CommentsCorrections RefType="CommentIn"><PMID>12</PMID>'
        "</CommentsCorrections>"
        '<CommentsCorrections RefType="Cites"><PMID>13</PMID></CommentsCorrections></CommentsCorrectionsList>'
        f"</MedlineCitation><PubmedData><History>{dates}</History></PubmedData></PubmedArticle>"
    )
    found = stated_facts.mark_pubmed(article, RECORD)
    assert found.marks[1:] == (f"orcid:{A} Wei Wang", "related:comment pmid 12", *marks)
