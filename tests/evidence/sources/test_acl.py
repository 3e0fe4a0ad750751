"""The ACL Anthology, asked through its loopback API."""

from __future__ import annotations

import pytest

from citeproof.evidence.sources.acl import Acl
from citeproof.laboratory.testing.apis import acl as api
from citeproof.laboratory.testing.base import Reply
from citeproof.plumbing.net.message import Failure
from citeproof.vocabulary import Absent, Cause, Found, Ids, Kind, Name, Reach, Record, Unchecked, Version
from tests.evidence.sources.inmemory import InMemory, Shelf, ask, wired

BERT = Record(
    "x",
    "1",
    ("BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding",),
    (
        Name("Devlin", "Jacob"),
        Name("Chang", "Ming-Wei"),
        Name("Lee", "Kenton"),
        Name("Toutanova", "Kristina"),
    ),
    versions=(Version(2019, "Proceedings of NAACL-HLT 2019, Volume 1", Kind.ARTICLE, pages="4171-4186"),),
    kind=Kind.ARTICLE,
    publisher="Association for Computational Linguistics",
    ids=Ids((("acl", "N19-1423"), ("doi", "10.18653/v1/n19-1423"))),
)
VOLUME = Record(
    "x",
    "2",
    ("Proceedings of the 58th Annual Meeting of the Association for Computational Linguistics",),
    (Name("Jurafsky", "Dan"), Name("ACL Program Committee", collective=True)),
    versions=(Version(2020, None, Kind.BOOK),),
    kind=Kind.BOOK,
    publisher="Association for Computational Linguistics",
    ids=Ids((("acl", "2020.acl-main"),)),
)


def source(api_=api.answer):
    net = InMemory({"acl": api_}, Shelf(BERT, VOLUME))
    return wired(Acl, net), net


@pytest.mark.parametrize(
    ("value", "path", "expected"),
    [
        ("N19-1423", "/N19-1423.xml", BERT),
        ("2020.acl-main", "/volumes/2020.acl-main.xml", VOLUME),
        ("2020.acl-main.9999", "/2020.acl-main.9999.xml", None),
        ("P19-1", "/volumes/P19-1.xml", None),
    ],
)
def test_found_and_absent(value, path, expected):
    asked, net = source()
    found = ask(asked, "acl", value)
    assert [r.url for r in net.requests] == [f"http://acl{path}"]
    assert found.reach is Reach.COMPLETE
    if expected is None:
        assert isinstance(found, Absent)
        return
    assert isinstance(found, Found)
    (record,) = found.records
    assert record.id == value
    assert record.titles == expected.titles
    assert record.authors == expected.authors
    assert record.versions == expected.versions
    assert record.kind is expected.kind
    assert record.publisher == expected.publisher
    assert record.ids == expected.ids


OPEN = b'<modsCollection xmlns="http://www.loc.gov/mods/v3">'


@pytest.mark.parametrize(
    ("reply", "cause"),
    [
        (Reply(200, b"<html/>", "application/xml"), Cause.MALFORMED),
        (Reply(200, OPEN + b"</modsCollection>", "application/xml"), Cause.MALFORMED),
        (Reply(200, OPEN + b"<mods/></modsCollection>", "application/xml"), Cause.MALFORMED),
        (Reply(200, OPEN + b"<mods>", "text/xml"), Cause.MALFORMED),
        (Reply(200, b"", "text/xml"), Cause.MALFORMED),
        (Reply(200, b"<html>wait</html>", "text/html"), Cause.BOT_WALL),
        (Reply(503, b"", "text/html"), Cause.TIMEOUT),
        (Failure(Cause.OFFLINE, "offline"), Cause.OFFLINE),
    ],
)
def test_what_is_no_answer_is_unchecked(reply, cause):
    found = ask(source(reply)[0], "acl", "N19-1423")
    assert isinstance(found, Unchecked)
    assert found.cause is cause
    assert found.reach is Reach.COMPLETE


def test_it_is_never_searched():
    assert Acl.answers == {"acl"}
    assert Acl.profile.search_order == 0
