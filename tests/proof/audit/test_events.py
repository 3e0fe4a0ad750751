"""Judgements as events: the contract's names, claimed fields in clear, the user's own text not."""

from dataclasses import replace

import pytest

from citeproof.answers.serializers.judgements import find_missing_dois
from citeproof.errors import AuditError
from citeproof.proof.audit.canonical_json import encode_canonical, is_canonical
from citeproof.proof.audit.events import LONG, list_source_errors, make_events
from citeproof.proof.audit.log_journal import encode_entry
from citeproof.vocabulary import (
    Absent,
    Cause,
    Checked,
    Claimed,
    Found,
    Ids,
    Mismatch,
    Name,
    Reach,
    Retrieval,
    Unchecked,
    Verdict,
)
from tests.conftest import BERT

CASE = "ab" * 32
TS = "2026-11-15T12:00:00.000Z"
GONE = "10.1234/fake.ref.2024"


def events(checked, **more):
    return make_events(checked, 3, "check", CASE, **more)


def with_lookups(checked, *lookups):
    return replace(checked, retrieved=Retrieval(lookups))


@pytest.mark.parametrize(
    ("made", "names"),
    [
        ("exact", ["verified"]),
        ("minor", ["verified", "retracted"]),
        ("mismatch", ["title_mismatch"]),
        ("not_found", ["not_found"]),
        ("unchecked", ["unchecked"]),
        ("hostile", ["unchecked"]),
    ],
)
def test_the_names(made, names, made_checked):
    assert [event["ev"] for event in events(made_checked[made])] == names


@pytest.mark.parametrize("title", ["plain", "Ünïcode", "\U0001d49e and \ue000", "half a pair \ud800"])
@pytest.mark.parametrize("year", [None, 2019, -5, 2**53, 2**53 + 1, 10**30])
def test_a_verdict_is_written_canonically_without_being_looked_through(made_checked, title, year):
    for checked in made_checked.values():
        cited = replace(checked.reference.claimed, title=title, year=year)
        odd = replace(checked, reference=replace(checked.reference, claimed=cited))
        for event in events(odd, clear=True):
            if year is not None and year > 2**53 and "claimed" in event:
                with pytest.raises(AuditError, match="beyond"):
                    encode_entry("run", event, TS, 7)
            else:
                made = encode_entry("run", event, TS, 7)
                assert made == encode_canonical({**event, "run": "run", "seq": 7, "ts": TS, "v": 1})
                assert is_canonical(made)


def test_a_verdict_has_the_fields_of_the_contract(made_checked):
    (event,) = events(made_checked["mismatch"])
    assert event["attributed"] == "A Title Nobody Wrote"
    assert event["actual"].startswith("BERT")
    assert (event["doi"], event["stage"], event["ref"]) == ("10.18653/v1/n19-1423", "check", 3)
    assert (event["conf"], event["label"], event["case"]) == (0.7, "MAJOR", CASE)


def test_authors_that_are_all_others_are_a_mismatch_of_authors(made_checked):
    checked = made_checked["minor"]
    judgement = replace(checked.judgement, verdict=Verdict.MISMATCH)
    event = events(replace(checked, judgement=judgement))[0]
    assert (event["ev"], event["attributed"]) == ("author_mismatch", "Jakob Devlin; Google AI")


def test_a_doi_that_does_not_exist_is_a_miss(made_checked):
    absent = Absent("doi", "doi", Reach.COMPLETE, GONE)
    (event,) = events(with_lookups(made_checked["not_found"], absent))
    assert (event["ev"], event["doi"], event["attempt"]) == ("crossref_miss", GONE, 1)


def test_a_real_work_with_a_doi_that_does_not_exist_is_both(made_checked):
    absent = Absent("doi", "doi", Reach.COMPLETE, GONE)
    first, second = events(with_lookups(made_checked["exact"], absent))
    assert (first["ev"], first["doi"], second["ev"]) == ("crossref_miss", GONE, "verified")


@pytest.mark.parametrize(
    ("cited", "known", "mismatches", "told"),
    [
        ((("doi", GONE),), (("doi", "10.1/own"),), (("doi", GONE),), {"doi": "10.1/own"}),
        ((("doi", GONE),), (), (("doi", GONE),), {}),
        ((), (("doi", "10.1/own"),), (), {"doi": "10.1/own"}),
        ((("doi", "10.1/b"),), (("doi", "10.1/a"), ("doi", "10.1/b")), (), {"doi": "10.1/b"}),
        ((("pmid", "12"), ("url", "https://example.org/")), (), (), {"pmid": "12"}),
    ],
)
def test_a_verified_work_has_its_own_identifiers(cited, known, mismatches, told, made_checked):
    checked = made_checked["exact"]
    matched = replace(
        checked.judgement.matched, record=replace(checked.judgement.matched.record, ids=Ids(known))
    )
    wrong = tuple(Mismatch(field, value, "", 0.0, "not_registered") for field, value in mismatches)
    judgement = replace(checked.judgement, matched=matched, mismatches=wrong)
    claimed = replace(checked.reference.claimed, ids=Ids(cited))
    reference = replace(checked.reference, claimed=claimed)
    (event,) = events(replace(checked, judgement=judgement, reference=reference))
    assert {name: event[name] for name in ("doi", "pmid", "url") if name in event} == told


@pytest.mark.parametrize(
    ("lookups", "missed"),
    [
        ([Absent("doi", "doi", Reach.COMPLETE, GONE)], [GONE]),
        ([Absent("crossref", "doi", Reach.PARTIAL, GONE)], []),  # it may be registered elsewhere
        ([Absent("doi", "doi", Reach.COMPLETE, GONE), Found("x", "doi", (), value=GONE)], []),
        ([Absent("doi", "title", Reach.COMPLETE, GONE)], []),
        ([Unchecked("doi", "doi", Cause.TIMEOUT, value=GONE)], []),
    ],
)
def test_missing_dois(lookups, missed):
    assert find_missing_dois(lookups) == missed


def test_the_raw_text_and_key_are_not_told_unless_asked_for(made_checked):
    checked = made_checked["exact"]
    assert checked.reference.key.encode() not in encode_canonical(events(checked)[0])
    clear = events(checked, clear=True)[0]
    assert (clear["key"], clear["raw"]) == (checked.reference.key, checked.reference.raw)


def test_the_longest_reference_fits_an_entry(made_checked):
    checked = made_checked["exact"]
    claimed = Claimed(
        title="ü" * 100_000,
        authors=tuple(Name("F" * 500, "G" * 500) for _ in range(5000)),
        venue="v" * 10_000,
        ids=Ids(tuple(("doi", "10.1/" + "x" * 9000) for _ in range(50))),
    )
    lookups = [Unchecked(f"source{n}", "title", Cause.BUG, "d" * 9000) for n in range(500)]
    big = replace(with_lookups(checked, *lookups), reference=replace(checked.reference, claimed=claimed))
    for event in events(big, clear=True):
        assert len(encode_canonical(event)) < 60_000
    assert len(events(checked)[0]["claimed"]["title"]) < LONG


@pytest.mark.parametrize("letter", ["x", "\x01", "😀", "\ud800"])
@pytest.mark.parametrize("clear", [True, False])
def test_no_letter_makes_an_event_too_long(letter, clear, made_checked):
    checked = made_checked["mismatch"]
    claimed = Claimed(title=letter * 5000, authors=(Name(letter * 500),) * 100, venue=letter * 5000)
    reference = replace(checked.reference, raw=letter * 5000, key=letter * 5000, claimed=claimed)
    mismatch = replace(checked.judgement.mismatches[0], claimed=letter * 5000, resolved=letter * 5000)
    judgement = replace(checked.judgement, mismatches=(mismatch,))
    records = tuple(replace(BERT, content_hash=f"{n:064x}") for n in range(1000))
    lookups = Retrieval((Found("snapshot:x", "title", records),))
    for event in events(Checked(reference, lookups, (), judgement), clear=clear):
        assert len(encode_canonical(event)) <= 60_000


def test_what_a_source_could_not_for_its_own_reason():
    lookups = [
        Unchecked("a", "doi", Cause.RATE_LIMITED, "429"),
        Unchecked("b", "doi", Cause.NOT_COVERED),
        Unchecked("c", "doi", Cause.OFFLINE),
    ]
    assert list(list_source_errors(lookups)) == [("a", "rate_limited", "429")]
