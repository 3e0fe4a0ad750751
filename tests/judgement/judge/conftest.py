"""Small evidence, made by hand: references, records, lookups."""

from datetime import date

import pytest

from citeproof.judgement.compare import compare
from citeproof.judgement.judge import judge
from citeproof.text import names
from citeproof.vocabulary import Claimed, Found, Ids, Kind, Reach, Record, Reference, Retrieval, Version

TODAY = date(2026, 11, 15)


def a_reference(title="Deep Residual Learning for Image Recognition", authors="Kaiming He and Xiangyu Zhang",
                year=2016, venue="CVPR", ids=(), **more):  # fmt: skip
    people, et_al = names.split_names(authors) if authors else ((), False)
    claimed = Claimed(
        title=title, authors=people, et_al=et_al, year=year, venue=venue, ids=Ids(tuple(ids)), **more
    )
    return Reference("key", "", Kind.ARTICLE, claimed)


def a_record(title="Deep Residual Learning for Image Recognition", authors="Kaiming He and Xiangyu Zhang",
             year=2016, venue="CVPR", ids=(), name="r1", source="snapshot:test", work=""):  # fmt: skip
    people, _ = names.split_names(authors) if authors else ((), False)
    return Record(
        source, name, (title,), people, versions=(Version(year, venue),), ids=Ids(tuple(ids)), work=work
    )


def found(*records, by="title", reach=Reach.PARTIAL):
    return Found("snapshot:test", by, tuple(records), reach)


def judged(reference, *lookups, facts=None):
    retrieved = Retrieval(tuple(lookups), (), facts)
    return judge(reference, retrieved, compare(reference, retrieved, TODAY))


@pytest.fixture
def evidence():
    return a_reference, a_record, found, judged
