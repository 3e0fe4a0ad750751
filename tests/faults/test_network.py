"""Whole runs while servers fail: nothing is "not found" because of it, nothing leaks, nobody is pressed."""

from __future__ import annotations

import json
import signal
import subprocess
from collections import Counter
from pathlib import Path
from time import sleep

import pytest

from citeproof.laboratory.testing import ALL_FAULTS, Faults, Shelf, World
from citeproof.laboratory.testing.world import list_api_names as apis
from citeproof.plumbing.net import client as clients
from citeproof.service.check_session import Report
from citeproof.service.exit_codes import Exit
from citeproof.vocabulary import Cause, Verdict
from tests.contract.running import begun, checked, cited, fail
from tests.soak import choose_cases

pytestmark = pytest.mark.slow

WORKS = cited()
UNHARMED = {"odd_unicode", "huge_headers"}  # the body is whole: what is found in it may be used
TYPICAL = ("bot_wall", "null", "reset", "status_429", "truncated")
EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def world():
    with World(Shelf(*WORKS)) as running:
        yield running


@pytest.fixture
def quick(monkeypatch):
    """Let nobody be waited for; a second try is made where it may help."""
    monkeypatch.setattr(clients, "RETRIES", 1)
    monkeypatch.setattr(clients, "PATIENCE", 0.1)
    monkeypatch.setattr(clients.random, "uniform", lambda low, high: low)


@pytest.fixture(autouse=True)
def calm(world):
    """Let every test begin and end with a world in which nothing fails."""
    fail(world, ())
    yield
    fail(world, ())


def verdicts(report: Report) -> Counter[Verdict]:
    return Counter(one.judgement.verdict for one in report.references)


# --- all of them fail ----------------------------------------------------------------------------


@pytest.mark.parametrize("fault", TYPICAL)
def test_when_all_servers_fail_nothing_is_not_found(world, quick, tmp_path, fault):
    _nothing_is_not_found(world, tmp_path, fault, WORKS[::3] + WORKS[1::3])


@pytest.mark.soak
@pytest.mark.parametrize("fault", choose_cases(sorted(ALL_FAULTS), 8))
def test_whatever_fails_everywhere_nothing_is_not_found(world, quick, tmp_path, fault, soak_share):
    _nothing_is_not_found(world, tmp_path, fault, WORKS if soak_share == 1 else WORKS[::5])


def _nothing_is_not_found(world: World, folder: Path, fault: str, works) -> None:
    fail(world, ALL_FAULTS[fault])
    report = checked(world, folder, works, CITEPROOF_TIMEOUT="0.2")
    counted = verdicts(report)
    assert counted[Verdict.NOT_FOUND] == 0
    assert sum(counted.values()) == len(works)
    if fault in UNHARMED:
        return
    assert counted == {Verdict.UNCHECKED: len(works)}
    assert report.exit_code is Exit.UNCHECKED
    for one in report.json()["references"]:
        causes = {told["cause"] for told in one["provenance"]["unchecked"]}
        assert causes
        assert "bug" not in causes


@pytest.mark.soak
def test_a_long_run_over_every_fault_in_turn(world, quick, tmp_path, soak_share):
    """References that exist, some cited wrongly; each server fails in its own way, now and then."""
    faults = [fault for name, fault in sorted(ALL_FAULTS.items()) if name not in ("silence", "slow_drip")]
    wanted, seen = int(1000 * soak_share), 0
    while seen < wanted:
        for at, api in enumerate(world.urls):
            world.set(api, faults=faults[(at + seen // len(WORKS)) % len(faults)].every(2 + at % 3))
        report = checked(world, tmp_path / str(seen), WORKS)
        assert verdicts(report)[Verdict.NOT_FOUND] == 0
        seen += len(report.references)


# --- one of them fails ---------------------------------------------------------------------------


def test_with_any_one_server_down_nearly_all_is_decided(world, quick, tmp_path):
    before = len(world.log)
    assert verdicts(checked(world, tmp_path / "all", WORKS)) == {Verdict.MATCHED: len(WORKS)}
    needed = sorted({seen.api for seen in world.log[before:]})
    assert len(needed) >= 4
    decided = {}
    for api in needed:
        world.set(api, faults=Faults.status(503))
        counted = verdicts(checked(world, tmp_path / api, WORKS))
        world.set(api, faults=())
        assert counted[Verdict.NOT_FOUND] == 0
        decided[api] = counted[Verdict.MATCHED] / len(WORKS)
    assert min(decided.values()) >= 0.95, decided


@pytest.mark.parametrize(
    "storm",
    [Faults.status(429), Faults.status(429, retry_after=1), Faults.status(429).every(2),
     Faults.status(429, retry_after=0).every(2), Faults.status(503).every(2)],
    ids=["for_ever", "retry_after", "every_other", "at_once", "down_every_other"],
)  # fmt: skip
@pytest.mark.parametrize("api", ["crossref", "semantic_scholar"])
def test_a_storm_is_not_answered_with_a_storm(world, monkeypatch, tmp_path, api, storm):
    monkeypatch.setattr(clients, "PATIENCE", 0.5)
    calm = _asked(world, tmp_path / "calm", api)
    world.set(api, faults=storm)
    assert _asked(world, tmp_path / "storm", api) <= 1.3 * calm + 1


def _asked(world: World, folder: Path, api: str) -> int:
    before = world.count(api)
    checked(world, folder, [w for w in WORKS if not w.ids.pairs], CITEPROOF_SOURCES=api)
    return world.count(api) - before


# --- folders that cannot be used -----------------------------------------------------------------


def test_without_a_cache_the_run_goes_on(world, quick, tmp_path):
    (tmp_path / "cache").write_bytes(b"")
    assert verdicts(checked(world, tmp_path, WORKS[:6])) == {Verdict.MATCHED: 6}
    run = begun(world, tmp_path, WORKS[:6])
    _, err = run.communicate(timeout=60)
    assert run.returncode == Exit.CLEAN
    assert "answers are not cached" in err


def test_without_a_folder_for_limits_no_lookup_is_a_bug(world, quick, tmp_path):
    (tmp_path / "limits").write_bytes(b"")
    report = checked(world, tmp_path, WORKS[:6])
    told = [cause for one in report.references for cause in one.judgement.provenance.unchecked]
    assert Cause.BUG not in {one.cause for one in told}


# --- offline -------------------------------------------------------------------------------------

GUARD = """
import os, sys
def guard(event, arguments):
    inet = event == "socket.__new__" and arguments[1] in (2, 10)
    if inet or event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"):
        if event == "socket.connect" and isinstance(arguments[1], (str, bytes)):
            return  # a socket of this machine's own
        with open(os.environ["GUARD_LOG"], "a") as log:
            log.write(event + chr(10))
        raise OSError("no network in this test")
sys.addaudithook(guard)
"""


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory):
    from citeproof.evidence.index.build import BuildInput, build

    out = tmp_path_factory.mktemp("offline") / "snapshot"
    build([BuildInput("bibtex", (EXAMPLES / "records.bib",))], out, name="examples")
    return out


@pytest.mark.parametrize(
    ("offline", "attempts"), [(("--offline",), False), (("CITEPROOF_OFFLINE",), False), ((), True)]
)
def test_offline_opens_no_connection(world, tmp_path, snapshot, offline, attempts):
    (tmp_path / "guard").mkdir()
    (tmp_path / "guard" / "sitecustomize.py").write_text(GUARD)
    flags = [flag for flag in offline if flag.startswith("--")]
    variables = {
        "PYTHONPATH": str(tmp_path / "guard"),
        "GUARD_LOG": str(tmp_path / "log"),
        "CITEPROOF_SNAPSHOT": str(snapshot),
        "CITEPROOF_SOURCES": "snapshot,crossref",
        "CITEPROOF_OFFLINE": "1" if "CITEPROOF_OFFLINE" in offline else "0",
    }
    run = begun(world, tmp_path, WORKS[:3], *flags, "--format", "json", **variables)
    out, err = run.communicate(timeout=60)
    assert run.returncode == Exit.UNCHECKED, err
    assert json.loads(out)["run"]["offline"] is not attempts
    assert (tmp_path / "log").exists() is attempts  # without the flag the guard sees that something is tried


# --- several processes ---------------------------------------------------------------------------


def test_two_processes_keep_to_one_rate(tmp_path):
    """Each has its own cache; the limits are those of the machine."""
    titles = [work for work in WORKS if not work.ids.pairs]
    numbered = [work for work in WORKS if work.ids.first("arxiv")]
    shared = {
        "CITEPROOF_PACE": "1",
        "CITEPROOF_LIMITS_DIR": str(tmp_path / "limits"),
        "CITEPROOF_SOURCES": "crossref,arxiv",
        "CITEPROOF_TIMEOUT": "8",
    }
    with World(Shelf(*WORKS), latency={"crossref": 1.2, "arxiv": 0.1}) as fresh:
        both = [
            begun(fresh, tmp_path / str(turn), (*titles[turn::2][:4], numbered[turn]), **shared)
            for turn in (0, 1)
        ]
        for run in both:
            _, err = run.communicate(timeout=120)
            assert run.returncode in (Exit.CLEAN, Exit.UNCHECKED), err
        assert fresh.count("crossref") >= 8
        assert fresh.count("arxiv") >= 2
        listed = fresh.requests_within("crossref", 1.0)
        assert listed.requests <= 4  # three, and one at the very edge of the window
        assert listed.at_once <= 3
        assert fresh.requests_within("arxiv", 2.5) == (1, 1)  # of three seconds: a loaded machine is late


@pytest.mark.soak
@pytest.mark.parametrize("sources", choose_cases(["semantic_scholar", ""], 1))
def test_a_killed_run_is_taken_up_where_it_ended(tmp_path, sources):
    """What was answered is not asked again, and the report is that of a run which nobody disturbed."""
    works = [work for work in WORKS if not work.ids.pairs] if sources else WORKS
    calm = {
        "CITEPROOF_SOURCES": sources,
        "CITEPROOF_TIMEOUT": "8",
        "CITEPROOF_PACE": "20",
        "CITEPROOF_LIMITS_DIR": str(tmp_path / "limits"),  # all know alike who answers soonest
    }
    with World(Shelf(*WORKS), latency=dict.fromkeys(apis(), 0.05)) as fresh:
        if not sources:
            _ended(begun(fresh, tmp_path / "learn", works, **calm))
        before = len(fresh.log)
        whole, err = _ended(begun(fresh, tmp_path / "whole", works, "--format", "json", **calm))
        needed = len(fresh.log) - before
        assert needed >= 7, err
        answered, broken_off = _killed_halfway(fresh, tmp_path / "killed", works, needed, calm)
        assert 0 < answered < needed
        again, err = _ended(begun(fresh, tmp_path / "killed", works, "--format", "json", **calm))
        both = len(fresh.log) - before - needed
        # a lookup of two requests is kept when both are answered: at most one such a server was lost
        assert both <= needed + broken_off + len({seen.api for seen in fresh.log}), err
    assert _judged(again) == _judged(whole)
    assert not sources or _timeless(json.loads(again)) == _timeless(json.loads(whole))


def _judged(report: str) -> list[tuple[object, ...]]:
    said = ("key", "verdict", "label", "score", "confidence", "reasons", "mismatches")
    return [tuple(one[name] for name in said) for one in json.loads(report)["references"]]


def _ended(run: subprocess.Popen[str]) -> tuple[str, str]:
    return run.communicate(timeout=120)


def _killed_halfway(world: World, folder: Path, works, needed: int, calm) -> tuple[int, int]:
    """Kill a run after half of the requests; return how many were answered, and how many were not."""
    before = len(world.log)
    run = begun(world, folder, works, "--format", "json", **calm)
    while len(world.log) - before < needed // 2 and run.poll() is None:
        sleep(0.005)
    run.send_signal(signal.SIGKILL)
    run.communicate()
    seen = world.log[before:]
    answered = sum(one.status == 200 for one in seen)
    return answered, len(seen) - answered


def _timeless(value: object) -> object:
    """Return a report without the moments in it."""
    if isinstance(value, dict):
        return {name: _timeless(part) for name, part in value.items() if name not in ("started", "read_at")}
    return [_timeless(part) for part in value] if isinstance(value, list) else value
