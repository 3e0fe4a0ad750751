"""What every live source keeps to: what it states about itself, what it finds, what it sends and to whom."""

from __future__ import annotations

import asyncio
import inspect
import re
import sys
from collections.abc import Mapping

import pytest

from citeproof.evidence.sources.base import SEARCHES, KeyNeed, LiveSource, find_source, list_sources
from citeproof.plumbing.clock import SystemClock
from citeproof.plumbing.stores.answer_cache import AnswerCache
from citeproof.service.assemble import OnlineSources
from citeproof.text import ids
from citeproof.vocabulary import ID_ORDER, Absent, Cause, Found, Lookup, Question, Unchecked
from tests.contract import library
from tests.contract.conftest import CONTACT, Desk, canary

SCHEMES = {*ID_ORDER, "acl", "openreview", "dblp"}
# What a page must speak of: what silence means, how often it may be asked, whose the data are.
PAGE = (
    r"silen|finds none shows nothing",
    r"limit|\ba (?:second|minute|hour|day)\b",
    r"licen[cs]e",
    "key|token",
)


def lookups(desk: Desk, name: str, *questions: Question, **settings: str) -> list[Lookup]:
    """Return what one source says to some questions, all asked at once."""

    async def go(online: OnlineSources) -> list[Lookup]:
        [source] = online.sources
        return list(await asyncio.gather(*(source.lookup(question) for question in questions)))

    found: list[Lookup] = desk.run(go, name, **settings)
    return found


def requests(desk: Desk) -> int:
    return len(desk.world.log)


# --- what it states ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", list_sources())
def test_its_page(name):
    page = inspect.getdoc(sys.modules[find_source(name).__module__]) or ""
    lines = page.splitlines()
    assert len(lines) >= 10
    assert len(page) >= 700
    for told in PAGE:
        assert re.search(told, " ".join(page.split()), re.IGNORECASE), told
    assert max(map(len, lines)) <= 120
    assert "TODO" not in page


@pytest.mark.parametrize("name", list_sources())
def test_its_profile(name):
    source = find_source(name)
    profile = source.profile
    assert source.name == name
    assert issubclass(source, LiveSource)
    assert source.answers
    assert source.answers <= SCHEMES | SEARCHES
    assert profile.title
    assert profile.url.startswith("https://") or (not profile.url and "url" in source.answers)
    assert profile.authority <= source.answers & SCHEMES
    assert set(profile.turns) | profile.confirms <= source.answers & SCHEMES
    assert all(turn >= 1 for turn in profile.turns.values())
    assert profile.probe[0] in source.answers
    assert set(source.batches) <= source.answers & {*SCHEMES, "title"}
    assert all(size > 1 for size in source.batches.values())
    assert (profile.search_order > 0) == bool(source.answers & {"title", "raw"})
    assert profile.search_order in (0, 1, 2, 3, 9)
    assert not profile.covers or profile.search_order
    assert 0 < profile.typical < 60
    assert profile.budget in ("", "USD", "requests")


@pytest.mark.parametrize("name", list_sources())
def test_its_rates(name):
    profile = find_source(name).profile
    lanes = [*profile.lanes.values(), *profile.keyed_lanes.values(), *profile.anonymous_lanes.values()]
    for rate in (profile.rate, profile.keyed_rate, profile.anonymous, *lanes):
        assert rate is None or (rate.requests > 0 and rate.seconds > 0 and rate.at_once >= 1)
    assert profile.keyed_rate is None or profile.keyed_rate.every <= profile.rate.every
    assert profile.anonymous is None or profile.anonymous.every >= profile.rate.every
    assert set(profile.keyed_lanes) | set(profile.anonymous_lanes) <= set(profile.lanes)
    assert profile.key is not KeyNeed.NONE or not (profile.keyed_rate or profile.keyed_lanes)
    assert profile.contact or not (profile.anonymous or profile.anonymous_lanes)


# --- what it finds -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", list_sources())
def test_it_answers_every_kind_of_question_it_says_it_does(asked, name):
    assert {question.by for question in asked[name]} == find_source(name).answers


@pytest.mark.parametrize("name", list_sources())
def test_what_is_found_is_stamped_and_its_evidence_is_kept(desk, asked, name):
    found = lookups(desk, name, *asked[name])
    assert {type(lookup) for lookup in found} == {Found}
    records = [record for lookup in found for record in lookup.records]
    assert records or all(lookup.note for lookup in found)
    store = AnswerCache(desk.folder / "cache" / "answers", SystemClock())
    for record in records:
        assert record.source == name
        assert record.title
        assert record.read_at
        assert store.body(record.content_hash)
        assert all(ids.normalise_id(scheme, value) == value for scheme, value in record.ids.pairs), record.ids
    store.close()


@pytest.mark.parametrize("name", list_sources())
def test_an_identifier_finds_its_own_work(desk, asked, name):
    for question in asked[name]:
        [lookup] = lookups(desk, name, question)
        if question.by in {"issn", *SEARCHES} or lookup.note:
            continue
        own = {value.rstrip("/") for value in lookup.records[0].ids.all(question.by)}
        assert question.value.rstrip("/") in own


@pytest.mark.parametrize("name", list_sources())
def test_a_second_time_nothing_is_asked(desk, asked, name):
    first = lookups(desk, name, *asked[name])
    before = requests(desk)

    async def recalled(online: OnlineSources) -> list[Lookup | None]:
        return [await online.sources[0].recall(question) for question in asked[name]]

    assert desk.run(recalled, name) == first
    assert lookups(desk, name, *asked[name]) == first
    assert requests(desk) == before


@pytest.mark.parametrize("name", list_sources())
def test_what_nobody_wrote_is_not_found(desk, name):
    async def go(online: OnlineSources) -> dict[str, tuple[Lookup, Lookup | None]]:
        [source] = online.sources
        said = {}
        for by in sorted(source.answers):
            question = next(library.unanswerable(source, by, desk.world.origin))
            said[by] = (await source.lookup(question), await source.recall(question))
        return said

    said: Mapping[str, tuple[Lookup, Lookup | None]] = desk.run(go, name)
    for by, (lookup, again) in said.items():
        assert isinstance(lookup, Absent | Unchecked), (by, lookup)
        assert again == lookup or not isinstance(lookup, Absent), by  # an absence is kept, too


@pytest.mark.parametrize("name", [name for name in list_sources() if find_source(name).batches])
def test_a_batch_is_one_request_and_each_of_its_answers_is_kept(desk, asked, name):
    for by in {*find_source(name).batches} - {"title"}:  # the silence of a list of searches proves nothing
        [known] = [question for question in asked[name] if question.by == by]
        [other] = _nobodys(desk, name, by)
        before = requests(desk)
        both = lookups(desk, name, known, other)
        assert [type(lookup) for lookup in both] == [Found, Absent]
        assert requests(desk) == before + 1
        assert lookups(desk, name, other) + lookups(desk, name, known) == both[::-1]
        assert requests(desk) == before + 1
        desk.forget()


def _nobodys(desk: Desk, name: str, by: str) -> list[Question]:
    async def go(online: OnlineSources) -> Question:
        return next(library.unanswerable(online.sources[0], by, desk.world.origin))

    return [desk.run(go, name)]


# --- what it sends, and to whom ------------------------------------------------------------------


@pytest.mark.parametrize("name", list_sources())
def test_a_key_goes_to_its_own_server_in_a_header_or_a_form(desk, asked, name):
    before = requests(desk)
    lookups(desk, name, *asked[name])
    seen = desk.world.log[before:]
    assert seen
    sent = [one for one in seen if canary(name) in repr(one.headers) + repr(one.body)]
    servers = {name, *find_source(name).profile.further}
    assert bool(sent) == (find_source(name).profile.key is not KeyNeed.NONE and "searxng" not in servers)
    assert {one.api for one in sent} <= servers
    assert not any("canary" in one.path for one in seen)
    assert "canary" not in repr(desk.sent)
    assert not desk.leaks()


@pytest.mark.parametrize("name", list_sources())
def test_no_contact_address_is_made_up(desk, asked, name):
    before = requests(desk)
    lookups(desk, name, *asked[name], CITEPROOF_CONTACT="")
    told = [
        seen for seen in desk.world.log[before:] if re.search(r"@|%40|mailto", f"{seen.path}{seen.headers}")
    ]
    assert not told


@pytest.mark.parametrize("name", [name for name in list_sources() if find_source(name).profile.contact])
def test_a_contact_address_is_told_where_it_helps(desk, asked, name):
    before = requests(desk)
    lookups(desk, name, asked[name][0])
    assert any(CONTACT in seen.headers["user-agent"] for seen in desk.world.log[before:])


@pytest.mark.parametrize("name", list_sources())
def test_without_a_key(desk, asked, name):
    """A source that cannot do without is not asked; any other one finds the same."""
    before = requests(desk)
    found = lookups(desk, name, *asked[name], **{f"CITEPROOF_{name.upper()}_KEY": ""})
    if find_source(name).profile.key is KeyNeed.REQUIRED:
        assert {lookup.cause for lookup in found if isinstance(lookup, Unchecked)} == {Cause.NEEDS_KEY}
        assert all(f"CITEPROOF_{name.upper()}_KEY" in lookup.detail for lookup in found)
        assert requests(desk) == before
    else:
        assert {type(lookup) for lookup in found} == {Found}
