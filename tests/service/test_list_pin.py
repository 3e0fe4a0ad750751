"""`lists pin`: a set of lists in one file, named by its content; a run on it takes their dates as today."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeproof.answers.reporters.wording import describe_overrides
from citeproof.errors import InputError, UsageError
from citeproof.evidence.index.lists.pinned_lists import open_pin
from citeproof.plumbing.clock import FixedClock
from citeproof.service.assemble import assemble
from citeproof.service.assemble.list_choice import choose_list_set, locate_pin
from citeproof.service.list_import import import_files, pin_lists
from citeproof.settings import Settings
from citeproof.settings.setting_values import read_pin
from citeproof.vocabulary import Document, FindingState, ListQuestion

RETRACTED = (
    "Title,Author,RetractionDate,RetractionDOI,OriginalPaperDOI,RetractionNature,Reason,\n"
    "T,A,1/2/2020 0:00,10.1000/n,10.1000/x,Retraction,+Fake Data;,\n"
)
JOURNALS = "url,name,abbr\nhttp://ijx.org/,International Journal of X,\n"
CLOCK = FixedClock(datetime(2026, 11, 1, tzinfo=UTC))
LATER = date(2030, 1, 1)


@pytest.fixture
def settings(tmp_path):
    files = (tmp_path / "retraction_watch_2026-08-17.csv", tmp_path / "journals.csv")
    files[0].write_text(RETRACTED)
    files[1].write_text(JOURNALS)
    chosen = Settings(cache_dir=tmp_path / "cache", offline=True)
    import_files(chosen, CLOCK, files)
    return chosen


def test_a_set_names_its_lists(settings, tmp_path):
    result = pin_lists(settings, CLOCK, str(tmp_path / "a.pin"))
    told = result.json()
    assert [(one["name"], one["date"], one["entries"]) for one in told["lists"]] == [
        ("retraction_watch", "2026-08-17", 1),
        ("predatory_journals", "2018-01-01", 1),
    ]
    assert all(one["licence"] and len(one["source_sha256"]) == 64 for one in told["lists"])
    assert told["date"] == "2026-08-17"
    assert result.notes == (
        "the list retraction_watch is 76 days old (limit: 7); runs on this set judge as of 2026-08-17",
    )


def test_the_same_lists_are_the_same_set(settings, tmp_path):
    first = pin_lists(settings, CLOCK, str(tmp_path / "a.pin"))
    assert pin_lists(settings, CLOCK, str(tmp_path / "b.pin")).pinned.digest == first.pinned.digest
    assert pin_lists(settings, CLOCK, str(tmp_path / "a.pin")).pinned.digest == first.pinned.digest
    other = pin_lists(settings, CLOCK, str(tmp_path / "c.pin"), ["predatory_journals"])
    assert other.pinned.digest != first.pinned.digest
    assert "no list of retractions" in other.notes[0]
    with pytest.raises(UsageError, match="is not this set"):
        pin_lists(settings, CLOCK, str(tmp_path / "c.pin"))


def test_a_pinned_list_takes_its_date_as_today(settings, tmp_path):
    pin_lists(settings, CLOCK, str(tmp_path / "a.pin"))
    pinned = choose_list_set(replace(settings, lists_pin=str(tmp_path / "a.pin")))
    works, venues = pinned.lists
    assert works.look_up(ListQuestion(("10.1000/x",)), LATER).notices
    silent = works.look_up(ListQuestion(("10.1000/y",)), LATER)
    assert (silent.trouble, silent.day) == ("", "2026-08-17")
    assert venues.look_up(ListQuestion(hosts=("ijx.org",)), LATER).listings
    installed = choose_list_set(settings).lists[0].look_up(ListQuestion(("10.1000/y",)), LATER)
    assert "days old" in installed.trouble


def test_later_updates_do_not_change_a_pinned_set(settings, tmp_path):
    digest = pin_lists(settings, CLOCK, "frozen").pinned.digest
    (tmp_path / "rw_2026-10-30.csv").write_text(RETRACTED.replace("10.1000/x", "10.1000/z"))
    import_files(settings, CLOCK, [tmp_path / "rw_2026-10-30.csv"])
    chosen = choose_list_set(replace(settings, lists_pin=f"frozen@sha256:{digest}"))
    assert chosen.pin == digest
    assert chosen.lists[0].look_up(ListQuestion(("10.1000/x",)), LATER).notices
    assert not chosen.lists[0].look_up(ListQuestion(("10.1000/z",)), LATER).notices


def test_a_set_without_retractions_clears_nothing(settings, tmp_path):
    pin_lists(settings, CLOCK, str(tmp_path / "a.pin"), ["predatory_journals"])
    works = choose_list_set(replace(settings, lists_pin=str(tmp_path / "a.pin"))).lists[0]
    assert works.look_up(ListQuestion(("10.1000/x",)), LATER).trouble == "is not in the pinned set"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda data: data[:-1], "cut off"),
        (lambda data: data + b"x", "cut off or have bytes added"),
        (lambda data: data[:-1] + bytes([data[-1] ^ 1]), "is damaged"),
        (lambda data: data[:100] + bytes([data[100] ^ 1]) + data[101:], "manifest"),
        (lambda data: b"", "not a pinned set"),
        (lambda data: data[:20], "manifest"),
        (lambda data: b"<html>" + data, "not a pinned set"),
    ],
)
def test_a_changed_file_is_refused(settings, tmp_path, change, told):
    path = pin_lists(settings, CLOCK, str(tmp_path / "a.pin")).pinned.path
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(InputError, match=told) as caught:
        assemble(replace(settings, lists_pin=str(path)), stage=None)
    assert caught.value.hint


def test_another_set_than_the_expected_is_refused(settings, tmp_path):
    path = pin_lists(settings, CLOCK, str(tmp_path / "a.pin")).pinned.path
    with pytest.raises(InputError, match="another pinned set"):
        choose_list_set(replace(settings, lists_pin=f"{path}@{'0' * 64}"))
    with pytest.raises(InputError, match="cannot be read"):
        choose_list_set(replace(settings, lists_pin="nobody"))
    with pytest.raises(UsageError, match="not a name"):
        locate_pin(settings, "a b")


@given(st.data())
def test_no_change_of_a_file_passes(tmp_path_factory, data):
    """Whatever bytes are changed or cut, the set is refused."""
    whole = _make_pin(tmp_path_factory)
    at = data.draw(st.integers(0, len(whole) - 1))
    cut = data.draw(st.booleans())
    byte = data.draw(st.integers(1, 255))
    changed = whole[:at] if cut else whole[:at] + bytes([whole[at] ^ byte]) + whole[at + 1 :]
    path = tmp_path_factory.getbasetemp() / "changed.pin"
    path.write_bytes(changed)
    with pytest.raises(InputError):
        open_pin(path)


_made: list[bytes] = []


def _make_pin(factory: pytest.TempPathFactory) -> bytes:
    if not _made:
        folder = factory.mktemp("pin")
        (folder / "journals.csv").write_text(JOURNALS)
        chosen = Settings(cache_dir=folder / "cache")
        import_files(chosen, CLOCK, [folder / "journals.csv"])
        _made.append(pin_lists(chosen, CLOCK, str(folder / "a.pin")).pinned.path.read_bytes())
    return _made[0]


def test_nothing_installed_cannot_be_pinned(tmp_path):
    with pytest.raises(UsageError, match="no list is installed"):
        pin_lists(Settings(cache_dir=tmp_path), CLOCK, str(tmp_path / "a.pin"))


def test_a_damaged_list_is_not_pinned(settings, tmp_path):
    for file in (settings.cache_dir / "lists").glob("*.list"):
        file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(UsageError, match="is damaged"):
        pin_lists(settings, CLOCK, str(tmp_path / "a.pin"))
    assert not (tmp_path / "a.pin").exists()


async def _check(settings: Settings) -> tuple[object, list[FindingState]]:
    text = "@article{k, title={A title of a work that nobody knows}, doi={10.1000/q}}"
    document = Document("a.bib", text.encode())
    verifier = assemble(settings, clock=CLOCK)
    extraction = verifier.extract(document)
    states = [
        f.state async for one in verifier.verify(extraction) for f in one.findings if f.name == "retracted"
    ]
    await verifier.close()
    return verifier.run([document], [extraction]), states


def test_reports_and_the_log_name_the_set(settings, tmp_path):
    result = pin_lists(settings, CLOCK, str(tmp_path / "a.pin"))
    logged = replace(settings, audit_dir=tmp_path / "log", audit_key=tmp_path / "keys", audit_run="r")
    run, states = asyncio.run(_check(replace(logged, lists_pin=str(tmp_path / "a.pin"))))
    (stated,) = describe_overrides(run)
    assert stated == f"Lists pinned: 2026-08-17 sha256:{result.pinned.digest} (set by default)"
    assert states == [FindingState.CLEAR]
    start = json.loads((tmp_path / "log" / "r.jsonl").read_text().splitlines()[0])
    assert (start["ev"], start["lists_pin"]) == ("run_start", result.pinned.digest)
    run, states = asyncio.run(_check(settings))
    assert (run.overrides, states) == ((), [FindingState.UNCHECKED])


@pytest.mark.parametrize(
    ("given_value", "expected"),
    [("frozen", "frozen"), ("a.pin", "{}/a.pin"), ("a.pin@sha256:00", "{}/a.pin@sha256:00"), ("./b", "{}/b")],
)
def test_a_file_is_found_from_where_it_is_named(tmp_path, given_value, expected):
    assert Path(read_pin(given_value, tmp_path)) == Path(expected.format(tmp_path))
