"""MODS descriptions as the ACL Anthology exports them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from citeproof.evidence.sources import acl
from citeproof.vocabulary import Kind, Name, Record, Version


def read(inner: str) -> Record | None:
    return acl.make_record(etree.fromstring(f'<mods xmlns="http://www.loc.gov/mods/v3">{inner}</mods>'))


def person(given: str, family: str, role: str = "author") -> str:
    given_part = f'<namePart type="given">{given}</namePart>' if given else ""
    return (
        f'<name type="personal">{given_part}<namePart type="family">{family}</namePart>'
        f'<role><roleTerm authority="marcrelator" type="text">{role}</roleTerm></role></name>'
    )


JOURNAL = (
    "<titleInfo><title>Speech and the <i>Brown</i> Corpus</title><subTitle>A Study</subTitle></titleInfo>"
    + person("Jane", "van Doe")
    + person("", "Plato")
    + person("Ed", "Itor", "editor")
    + "<relatedItem type='host'><titleInfo><title>Computational Linguistics</title></titleInfo>"
    "<originInfo><dateIssued>1992</dateIssued><issuance>continuing</issuance></originInfo></relatedItem>"
    "<identifier type='doi'>10.1162/COLI_a_1</identifier><identifier type='citekey'>k</identifier>"
    "<location><url>https://aclanthology.org/J92-1001/</url></location>"
    "<part><date>1992</date><detail type='volume'><number>18</number></detail><detail type='issue'>"
    "<number>1</number></detail><extent unit='page'><start>1</start><end>18</end></extent></part>"
)


def test_an_article_of_a_journal():
    record = read(JOURNAL)
    assert record is not None
    assert record.titles == ("Speech and the Brown Corpus: A Study", "Speech and the Brown Corpus")
    assert record.authors == (Name("van Doe", "Jane"), Name("Plato"))
    assert record.versions == (Version(1992, "Computational Linguistics", Kind.ARTICLE, "18", "1", "1-18"),)
    assert record.ids.pairs == (("acl", "J92-1001"), ("doi", "10.1162/coli_a_1"))
    assert (record.id, record.kind) == ("J92-1001", Kind.ARTICLE)


@pytest.mark.parametrize(
    ("inner", "title", "marks"),
    [
        ("", None, ()),
        ("<titleInfo/>", None, ()),
        ("<titleInfo><title> — </title></titleInfo>", None, ()),
        ("<titleInfo><title>RETRACTED: Gone</title></titleInfo>", "Gone", ("retracted",)),
        ("<titleInfo><title>Ünïcode 中文 &lt;b&gt;x&lt;/b&gt;</title></titleInfo>", "Ünïcode 中文 x", ()),
        ("<titleInfo><title>Bare</title></titleInfo><name/><part/><relatedItem type='host'/>", "Bare", ()),
    ],
)
def test_descriptions_with_little_in_them(inner, title, marks):
    record = read(inner)
    assert (record.title if record else None) == title
    assert (record.marks if record else ()) == marks


TAGS = ["name", "namePart", "role", "roleTerm", "part", "extent", "start", "date", "relatedItem", "titleInfo"]


@given(st.recursive(
    st.sampled_from([*TAGS, "identifier", "location", "url", "originInfo"]).map(lambda t: f"<{t}>7</{t}>"),
    lambda inner: st.tuples(st.sampled_from(TAGS), st.lists(inner, max_size=3)).map(
        lambda pair: f"<{pair[0]} type='host'>{''.join(pair[1])}</{pair[0]}>"
    ),
    max_leaves=12,
))  # fmt: skip
def test_any_tree_is_read(inner):
    record = read(f"<titleInfo><title>A title</title></titleInfo>{inner}")
    assert record is not None
    assert record.title == "A title"
