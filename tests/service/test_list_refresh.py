"""`lists update --every`: conditional, bounded, faults survived, a clean end; a kill leaves the old list."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from tests.service.list_server import MODIFIED, NAME, make_csv, serve_list

from citeproof.errors import UsageError
from citeproof.evidence.index.lists.homes import LISTS
from citeproof.plumbing.clock import FixedClock
from citeproof.service import list_update
from citeproof.service.list_import import import_files, list_status
from citeproof.service.list_update import (
    choose_refreshed,
    choose_wait,
    keep_refreshing,
    read_duration,
    refresh_lists,
)
from citeproof.settings import Settings

CLOCK = FixedClock(datetime(2026, 8, 18, tzinfo=UTC))
LATER = FixedClock(datetime(2026, 9, 18, tzinfo=UTC))


@pytest.fixture
def home():
    with serve_list(make_csv(50)) as served:
        yield served


@pytest.fixture
def settings(tmp_path, home, monkeypatch):
    monkeypatch.setattr(list_update, "STEP", 500)
    return Settings(cache_dir=tmp_path / "cache", urls={NAME: home.url})


def test_a_list_that_did_not_change_is_asked_for_once(settings, home):
    assert [one.state for one in refresh_lists(settings, CLOCK)] == ["updated"]
    home.seen.clear()
    (outcome,) = refresh_lists(settings, LATER)
    assert (outcome.state, len(home.seen), home.seen[0]["if-none-match"]) == ("unchanged", 1, home.tag)
    assert (
        outcome.describe() == "2026-09-18T00:00:00.000Z retraction_watch: unchanged, 2026-09-18, 50 entries"
    )


def test_a_home_with_dates_only_is_asked_by_date(settings, home):
    home.tag, home.modified = "", MODIFIED
    refresh_lists(settings, CLOCK)
    home.seen.clear()
    assert [one.state for one in refresh_lists(settings, LATER)] == ["unchanged"]
    assert [one["if-modified-since"] for one in home.seen] == [MODIFIED]


def test_a_download_is_resumed_by_date_too(settings, home):
    home.tag, home.modified, home.breaks = "", MODIFIED, 99
    assert [one.state for one in refresh_lists(settings, CLOCK)] == ["failed"]
    home.breaks, home.seen[:] = 0, []
    assert [one.state for one in refresh_lists(settings, CLOCK)] == ["updated"]
    assert (home.seen[0]["if-range"], home.seen[0]["range"][:10]) == (MODIFIED, "bytes=500-")


def test_an_edition_keeps_its_date(settings, home, tmp_path):
    home.body = b"url,name,abbr\nhttp://ijx.org/,International Journal of X,\n"
    urls = replace(settings, urls={"predatory_journals": home.url})
    for _ in range(2):
        (outcome,) = refresh_lists(urls, CLOCK, [LISTS["predatory_journals"]])
        assert outcome.status.head.day == "2018-01-01"


def test_faults_are_outcomes(settings, home):
    refresh_lists(settings, CLOCK)
    home.status, home.retry = 503, "120"
    (outcome,) = refresh_lists(settings, LATER)
    assert (outcome.state, outcome.retry_after) == ("failed", 120.0)
    assert "what is installed was kept" in outcome.describe()
    assert "status 503" in outcome.json()["error"]
    unreachable = replace(settings, urls={NAME: "http://127.0.0.1:9/list.csv"})
    assert [one.state for one in refresh_lists(unreachable, LATER)] == ["failed"]
    assert list_status(settings, CLOCK)[0].head.entries == 50


def test_the_loop_survives_faults_and_ends(settings, home, monkeypatch):
    monkeypatch.setattr(list_update, "choose_wait", lambda *_: 0.01)
    told, stop = [], threading.Event()

    def hear(outcome):
        told.append(outcome.state)
        home.status = 500 if len(told) == 1 else 0
        if len(told) == 4:
            stop.set()

    keep_refreshing(settings, CLOCK, 60.0, hear, stop)
    assert told == ["updated", "failed", "unchanged", "unchanged"]


def test_a_loop_that_settings_forbid_does_not_begin(settings, home):
    told = []
    with pytest.raises(UsageError, match="offline"):
        keep_refreshing(replace(settings, offline=True), CLOCK, 60.0, told.append, threading.Event())
    assert (told, home.seen) == ([], [])


@pytest.mark.parametrize(
    ("failed", "asked", "least", "most"),
    [
        (0, 0, 3240, 3960),
        (1, 0, 6480, 7920),
        (20, 0, 77_760, 95_040),  # a day
        (0, 7200, 6480, 7920),  # as its home asks
        (0, 10**9, 77_760, 95_040),
    ],
)
def test_waits_are_bounded_and_differ(failed, asked, least, most):
    random.seed(19)
    waits = [choose_wait(3600, failed, asked) for _ in range(50)]
    assert all(least <= wait <= most for wait in waits)
    assert len(set(waits)) > 10


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("1h", 3600), ("30m", 1800), ("90s", 90), ("120", 120), ("1d", 86400), ("2 H", 7200)],
)
def test_intervals(text, seconds):
    assert read_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "5s", "0", "-1h", "1w", "h", "1h30m", "9999999d", "x" * 10_000])
def test_what_is_no_interval(text):
    with pytest.raises(UsageError, match="is not an interval"):
        read_duration(text)


def test_which_lists_are_refreshed(settings, tmp_path):
    assert [one.name for one in choose_refreshed(settings)] == [NAME]
    (tmp_path / "journals.csv").write_text("url,name,abbr\nhttp://ijx.org/,Int. Journal of X,\n")
    import_files(settings, CLOCK, [tmp_path / "journals.csv"])
    assert [one.name for one in choose_refreshed(settings)] == [NAME, "predatory_journals"]
    assert [one.name for one in choose_refreshed(settings, ["doaj"])] == ["doaj"]
    assert [one.name for one in choose_refreshed(settings, every=True)][:3] == [NAME, "ltwa", "doaj"]
    assert len(choose_refreshed(settings, every=True)) == len(LISTS)
    with pytest.raises(UsageError, match="no list has this name"):
        choose_refreshed(settings, ["nobody"])


SMALL_STEPS = "import sys; from citeproof.service import list_update; list_update.STEP = 500; "
RUN = SMALL_STEPS + "from citeproof.surfaces.cli.main import main; sys.exit(main())"


def start_update(settings, *flags):
    env = {name: value for name, value in os.environ.items() if not name.startswith("CITEPROOF_")}
    env |= {"CITEPROOF_CACHE_DIR": str(settings.cache_dir), "PYTHONUNBUFFERED": "1"}
    env |= {"CITEPROOF_RETRACTION_WATCH_URL": settings.urls[NAME]}
    words = [sys.executable, "-c", RUN, "lists", "update", *flags]
    return subprocess.Popen(words, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_until(happened):
    deadline = time.monotonic() + 60
    while not happened():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)


def test_a_kill_leaves_the_old_list_and_what_was_fetched(settings, home):
    refresh_lists(settings, CLOCK)
    old = list_status(settings, CLOCK)[0]
    home.body, home.tag, home.slow, home.seen[:] = make_csv(60), '"two"', 0.5, []
    running = start_update(settings)
    try:
        wait_until(lambda: len(home.seen) >= 3)
        running.send_signal(signal.SIGKILL)
    finally:
        running.kill()
        running.communicate()
    assert list_status(settings, CLOCK)[0] == old
    home.slow, home.seen[:] = 0.0, []
    (outcome,) = refresh_lists(settings, CLOCK)
    assert (outcome.state, outcome.status.head.entries) == ("updated", 60)
    assert int(home.seen[0]["range"].removeprefix("bytes=").split("-")[0]) >= 500


def end_by_signal(running, number):
    """Send the signal until the process ends: Python drops one that comes while an object is removed."""
    for _ in range(12):
        running.send_signal(number)
        try:
            return running.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            continue
    raise AssertionError("it did not end")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("form", ["text", "json"])
def test_the_loop_ends_cleanly(settings, home, number, form):
    running = start_update(settings, "--every", "1h", "--format", form)
    try:
        line = running.stdout.readline()
        out, err = end_by_signal(running, number)
    finally:
        running.kill()
        running.wait()
    assert (running.returncode, out, err.strip()) == (0, "", "stopped")
    if form == "json":
        told = json.loads(line)
        assert (told["name"], told["state"], told["entries"]) == (NAME, "updated", 50)
    else:
        assert line.rstrip().endswith("50 entries")
