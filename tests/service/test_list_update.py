"""`lists update` against a home on loopback: ranges, breaks, changes, what leaves the old list in place."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from tests.service.list_server import HEAD, NAME, make_csv, serve_list

from citeproof.errors import UsageError
from citeproof.plumbing.clock import FixedClock
from citeproof.service import list_update
from citeproof.service.list_import import import_files, list_status
from citeproof.service.list_update import ListDownloadError, update_list
from citeproof.settings import Settings


@pytest.fixture
def home():
    with serve_list(make_csv(50)) as served:
        yield served


@pytest.fixture
def clock():
    return FixedClock(datetime(2026, 8, 18, tzinfo=UTC))


@pytest.fixture
def settings(tmp_path, home, monkeypatch):
    monkeypatch.setattr(list_update, "STEP", 500)
    return Settings(cache_dir=tmp_path / "cache", urls={NAME: home.url})


def get_status(settings, clock):
    return list_status(settings, clock)[0]


def test_a_list_is_fetched_in_ranges(settings, clock, home):
    status = update_list(settings, clock)
    assert (status.head.entries, status.head.day, status.trouble) == (50, "2026-08-18", "")
    assert len(home.seen) > 3
    assert all(one["accept-encoding"] == "identity" for one in home.seen)
    assert not list((settings.cache_dir / "lists").glob("*.part*"))


def test_a_home_without_ranges_sends_the_whole(settings, clock, home):
    home.ranges = False
    assert update_list(settings, clock).head.entries == 50
    assert len(home.seen) == 1


def test_a_short_break_is_tried_again(settings, clock, home):
    home.breaks = 1
    assert update_list(settings, clock).head.entries == 50


def test_an_interrupted_download_goes_on_and_leaves_the_old_list(settings, clock, home):
    old = update_list(settings, clock)
    home.body, home.tag, home.seen[:], home.breaks = make_csv(60), '"two"', [], 99
    with pytest.raises(ListDownloadError, match="broke off"):
        update_list(settings, clock)
    assert get_status(settings, clock).digest == old.digest
    home.breaks, home.seen[:] = 0, []
    assert update_list(settings, clock).head.entries == 60
    assert home.seen[0]["range"].startswith("bytes=500-")
    assert home.seen[0]["if-range"] == '"two"'


def test_a_file_that_changed_since_is_fetched_from_the_beginning(settings, clock, home):
    home.breaks = 99
    with pytest.raises(ListDownloadError):
        update_list(settings, clock)
    home.body, home.tag, home.breaks = make_csv(70), '"three"', 0
    assert update_list(settings, clock).head.entries == 70


def test_a_list_that_did_not_change_is_as_new_as_today(settings, clock, home):
    update_list(settings, clock)
    home.seen.clear()
    later = FixedClock(datetime(2026, 9, 30, tzinfo=UTC))
    assert get_status(settings, later).trouble.startswith("is 43 days old")
    status = update_list(settings, later)
    assert (status.head.day, status.head.entries, status.trouble) == ("2026-09-30", 50, "")
    assert len(home.seen) == 1


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"body": make_csv(5)}, "5 entries, the current list 50"),
        ({"body": make_csv(50)[:-30]}, "ends in the middle"),
        ({"body": b"<html>Sign in</html>"}, "not a Retraction Watch list"),
        ({"body": HEAD.encode()}, "has no notices"),
        ({"status": 404}, "status 404"),
        ({"status": 500}, "status 500"),
    ],
)
def test_what_is_no_list_leaves_the_old_one(settings, clock, home, change, told):
    old = update_list(settings, clock)
    home.tag = '"two"'
    for name, value in change.items():
        setattr(home, name, value)
    with pytest.raises((UsageError, ListDownloadError), match=told):
        update_list(settings, clock)
    assert get_status(settings, clock).digest == old.digest


def test_a_list_above_the_bound_is_refused(settings, clock, home):
    from dataclasses import replace

    from citeproof.evidence.index.lists.homes import RETRACTION_WATCH

    small = replace(RETRACTION_WATCH, most_bytes=1000)
    with pytest.raises(ListDownloadError, match="larger than"):
        update_list(settings, clock, small)


def test_a_project_cannot_name_a_home(settings, clock, home):
    from dataclasses import replace

    with pytest.raises(UsageError, match="may not say where lists come from"):
        update_list(replace(settings, project_urls=frozenset({NAME})), clock)
    with pytest.raises(UsageError, match="offline"):
        update_list(replace(settings, offline=True), clock)
    assert not home.seen


@pytest.mark.parametrize(
    ("name", "day", "expected"),
    [
        ("rw.csv", None, "2020-01-02"),
        ("rw_2026-08-17.csv", None, "2026-08-17"),
        ("rw_20260817.csv", None, "2026-08-17"),
        ("rw_2026-08-17.csv", datetime(2026, 8, 1, tzinfo=UTC).date(), "2026-08-01"),
    ],
)
def test_the_date_of_an_imported_list(settings, clock, tmp_path, name, day, expected):
    (tmp_path / name).write_bytes(make_csv(3))
    assert import_files(settings, clock, [tmp_path / name], day=day)[0].head.day == expected


def test_a_date_in_the_future_is_refused(settings, clock, tmp_path):
    (tmp_path / "rw_2026-12-31.csv").write_bytes(make_csv(3))
    with pytest.raises(UsageError, match="in the future"):
        import_files(settings, clock, [tmp_path / "rw_2026-12-31.csv"])
