"""Every live source under every fault: what went wrong is never an absence, and is never kept."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

import pytest

from citeproof.evidence.sources.base import find_source, list_sources
from citeproof.laboratory.testing import ALL_FAULTS, Call, Faults, Reply
from citeproof.service.assemble import OnlineSources
from citeproof.text.title import make_title_key
from citeproof.vocabulary import Absent, Found, Lookup, Question, Reach, Unchecked

FAULTS = sorted(ALL_FAULTS)
UNHARMED = {"huge_headers"}  # the body is whole: what is found in it may be used
BROWSED = {"truncated", "invalid_utf8"}  # what a reader of web pages forgives, as browsers do
READERS = {"url", "web"}
IMPATIENT = {"CITEPROOF_TIMEOUT": "0.5"}  # some faults are silences
# `{}` is this server's own word for "none of these", the same as that of a broken proxy: its silence on
# the question must mean nothing then.
OWN_WORDS = {("open_library", "isbn"): "empty_object"}
LATER = ("status_503", "status_429", "empty", "empty_object", "truncated", "bot_wall", "reset")
Asked = Mapping[str, tuple[Question, ...]]


def rotated(asked: Asked, turn: int) -> dict[str, Question]:
    """Return one question for each source, another one each turn."""
    return {name: questions[turn % len(questions)] for name, questions in asked.items()}


def looked_up(desk, chosen: Mapping[str, Question], **settings: str) -> dict[str, Lookup | BaseException]:
    """Return what every source says to its question; an exception stands for itself."""

    async def go(online: OnlineSources) -> list[Lookup | BaseException]:
        asking = [source.lookup(chosen[source.name]) for source in online.sources]
        return await asyncio.gather(*asking, return_exceptions=True)

    return dict(zip(sorted(chosen), desk.run(go, *sorted(chosen), **settings), strict=True))


def rightly(lookup: object, question: Question) -> bool:
    """Return whether a record with the asked title was found, or what has none exists."""
    if not isinstance(lookup, Found):
        return False
    titles = [make_title_key(title) for record in lookup.records for title in record.titles]
    wanted = make_title_key(question.reference.claimed.title or "")
    return bool(lookup.note) or question.by == "issn" or any(t.startswith(wanted) for t in titles)


def misjudged(
    fault: str, said: Mapping[str, object], chosen: Mapping[str, Question], *, mild: Iterable[str] = ()
) -> dict[str, object]:
    """Return the outcomes that the fault does not justify, by source."""
    return {
        name: lookup
        for name, lookup in said.items()
        if not isinstance(lookup, Unchecked)
        and not (OWN_WORDS.get((name, chosen[name].by)) == fault and harmless(lookup))
        and not (_forgiven(fault, name, mild) and rightly(lookup, chosen[name]))
    }


def harmless(lookup: object) -> bool:
    """Return whether nobody will take the answer for the proof of an absence."""
    return not isinstance(lookup, Absent) or lookup.reach is Reach.PARTIAL


def owner(server: str) -> str:
    """Return the source that asks a server; some have more than one."""
    return next((name for name in list_sources() if server in find_source(name).profile.further), server)


def _forgiven(fault: str, name: str, mild: Iterable[str]) -> bool:
    return fault in UNHARMED or (fault in BROWSED and name in READERS) or name in mild


@pytest.mark.slow
@pytest.mark.parametrize("fault", [fault for fault in FAULTS if fault != "odd_unicode"])
def test_a_failure_is_no_absence_and_is_not_kept(desk, asked, fault):
    chosen = rotated(asked, FAULTS.index(fault))
    desk.fail(ALL_FAULTS[fault])
    said = looked_up(desk, chosen, **IMPATIENT)
    assert not misjudged(fault, said, chosen)
    assert "canary" not in repr(said) + repr(desk.sent)
    assert not desk.leaks()

    desk.fail(None)
    desk.forgive()
    desk.sent.clear()
    hit = {name: chosen[name] for name, lookup in said.items() if isinstance(lookup, Unchecked)}
    again = looked_up(desk, hit) if hit else {}
    assert {name: lookup for name, lookup in again.items() if not rightly(lookup, hit[name])} == {}
    assert {owner(sent.source) for sent in desk.sent} == set(hit)  # nothing that failed had been kept


@pytest.mark.soak
@pytest.mark.parametrize("fault", [fault for fault in FAULTS if fault != "odd_unicode"])
def test_every_kind_of_question_under_every_fault(desk, asked, fault, soak_share):
    turns = max(len(questions) for questions in asked.values())
    for turn in range(max(1, round(turns * soak_share))):
        chosen = rotated(asked, turn)
        desk.fail(ALL_FAULTS[fault])
        desk.forgive()
        desk.forget()
        assert not misjudged(fault, looked_up(desk, chosen, **IMPATIENT), chosen)


@pytest.mark.parametrize("fault", LATER)
@pytest.mark.parametrize("turn", [0, 1])
def test_a_failure_after_a_good_start_is_no_absence(desk, asked, fault, turn):
    """Sources that ask twice (a search, then details; one service, then another) know half an answer."""
    chosen = rotated(asked, turn)
    desk.fail(ALL_FAULTS[fault].every(2))
    said = looked_up(desk, chosen)
    assert not misjudged(fault, said, chosen, mild=list_sources())


def _renamed(call: Call, good: Reply) -> Reply:
    """Return the good reply in the shape of tomorrow: whatever holds a title has another name."""
    body = good.body.decode("utf-8", "replace")
    body = re.sub(
        r'"([A-Za-z_@#-]*title[A-Za-z_@#-]*|display_name|name)":', r'"renamed_\1":', body, flags=re.IGNORECASE
    )
    body = re.sub(r"(</?(?:\w+:)?)(\w*title)\b", r"\1renamed\2", body, flags=re.IGNORECASE)
    return replace(good, body=body.replace('tag="245"', 'tag="945"').encode())


SPOILT = {"odd_unicode": ALL_FAULTS["odd_unicode"], "renamed": Faults.reply("renamed", _renamed)}


@pytest.mark.parametrize("name", list_sources())
@pytest.mark.parametrize("fault", SPOILT)
def test_hits_that_cannot_be_read_prove_nothing(desk, asked, fault, name):
    """Odd characters in every text, or a field renamed overnight: what is there is not gone."""
    for question in asked[name]:
        desk.fail(SPOILT[fault])
        desk.forgive()
        desk.forget()
        [lookup] = looked_up(desk, {name: question}).values()
        assert isinstance(lookup, Found | Absent | Unchecked), lookup
        assert harmless(lookup), lookup


def test_every_source_and_every_fault_is_covered(asked):
    assert set(asked) == set(list_sources())
    assert {name for name, questions in asked.items() if not questions} == set()  # see `library`
