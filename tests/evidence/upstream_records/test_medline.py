"""PubMed articles beyond what the reader's tests hold: notices, corrections, hostile and odd trees."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from citeproof.evidence.upstream_records import medline
from citeproof.vocabulary import Record

HEAD = "<PubmedArticle><MedlineCitation><PMID>7</PMID><Article>"
TAIL = "</MedlineCitation></PubmedArticle>"


def read(title: str, article: str = "", more: str = "") -> Record | None:
    text = f"{HEAD}<ArticleTitle>{title}</ArticleTitle>{article}</Article>{more}{TAIL}"
    element = etree.fromstring(text)
    found = medline.make_record(element)
    return medline.mark_corrections(element, found) if found else None


def link(kind: str) -> str:
    return f"<CommentsCorrectionsList><CommentsCorrections RefType='{kind}'/></CommentsCorrectionsList>"


@pytest.mark.parametrize(
    ("title", "article", "more", "expected", "marks"),
    [
        ("A finding.", "", "", "A finding", ()),
        ("RETRACTED: A finding.", "", "", "A finding", ("retracted",)),
        ("Retracted Article: A finding", "", link("RetractionIn"), "A finding", ("retracted",)),
        ("A finding", "", link("ErratumIn"), "A finding", ("corrected",)),
        ("A finding", "", link("ExpressionOfConcernIn"), "A finding", ("expression_of_concern",)),
        ("Retraction: A finding", "", link("RetractionOf"), "Retraction: A finding", ()),
        ("[Über <i>Zellen</i> &lt;b&gt;].", "", "", "Über Zellen", ()),
        ("[Not Available].", "<VernacularTitle>Zellen.</VernacularTitle>", "", "Zellen", ()),
        ("[Not Available].", "", "", None, ()),
        ("", "", "", None, ()),
    ],
)
def test_titles_and_notices(title, article, more, expected, marks):
    record = read(title, article, more)
    assert (record.title if record else None) == expected
    assert (record.marks if record else ()) == marks


def test_what_is_too_much_is_cut():
    person = f"<Author><LastName>{'x' * 5000}</LastName><ForeName>{'y' * 5000}</ForeName></Author>"
    record = read("word " * 5000, f"<AuthorList>{person * 3100}</AuthorList>")
    assert record is not None
    assert len(record.title) <= 2000
    assert (len(record.authors), record.authors_complete) == (3000, False)
    assert len(record.authors[0].display) < 500


TAGS = ["Journal", "JournalIssue", "PubDate", "AuthorList", "Author", "ELocationID", "Pagination", "Book"]
LEAVES = ["Year", "Volume", "LastName", "CollectiveName", "MedlinePgn", "Title", "PublicationType", "Isbn"]
TREES = st.recursive(
    st.sampled_from(LEAVES).map(lambda tag: f"<{tag}>7\u00e9</{tag}>"),
    lambda inner: st.tuples(st.sampled_from(TAGS), st.lists(inner, max_size=3)).map(
        lambda pair: f"<{pair[0]} EIdType='doi'><!-- c -->{''.join(pair[1])}</{pair[0]}>"
    ),
    max_leaves=12,
)


@given(TREES)
def test_any_tree_is_read(inner):
    record = read("A title", inner)
    assert record is not None
    assert record.title == "A title"
    text = f"<PubmedBookArticle><BookDocument><PMID>7</PMID>{inner}</BookDocument></PubmedBookArticle>"
    assert medline.make_book_record(etree.fromstring(text)) is None
