"""Lists that are refreshed: conditional, bounded, faults survived; a kill leaves the old list."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
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
    assert (outcome.status.head.day, outcome.status.head.entries) == ("2026-09-18", 50)


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
    assert outcome.state == "failed"
    assert "status 503" in outcome.error.message
    assert "the installed lists stay as they are" in outcome.error.hint
    unreachable = replace(settings, urls={NAME: "http://127.0.0.1:9/list.csv"})
    assert [one.state for one in refresh_lists(unreachable, LATER)] == ["failed"]
    assert list_status(settings, CLOCK)[0].head.entries == 50


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
