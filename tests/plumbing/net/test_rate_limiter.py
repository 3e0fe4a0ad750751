"""One small state a server, shared by all processes: moments, slots, blocks, probes, budgets."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
import time
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import psycopg
import pytest

from citeproof.plumbing.clock import SystemClock
from citeproof.plumbing.net.cross_machine_limiter import SCHEMA, CrossMachineLimiter, PostgresLimits
from citeproof.plumbing.net.message import Rate
from citeproof.plumbing.net.rate_limiter import FAILURES, LONGEST, SLACK, ServerLimiter
from citeproof.plumbing.store_address import StoreAddress, is_postgres_url
from tests.plumbing.stores.postgres_server import restart_postgres, start_postgres, stop_postgres

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)


class Hand:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.at = NOON

    def now(self) -> datetime:
        return self.at

    def elapsed(self) -> float:
        return (self.at - NOON).total_seconds()

    def wait(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)


@pytest.fixture
def clock():
    return Hand()


@pytest.fixture(params=["files", "postgres"])
def place(request, tmp_path):
    """Where limits are shared: a folder, or a database of a real server."""
    if request.param == "files":
        return str(tmp_path / "limits")
    return request.getfixturevalue("database")


@contextmanager
def open_limiter(place, rate, clock):
    """Yield a limiter whose state is at `place`."""
    if not is_postgres_url(place):
        yield ServerLimiter(Path(place), "x", rate, clock)
        return
    limits = PostgresLimits(StoreAddress(place), clock)
    try:
        yield CrossMachineLimiter(Path("/nowhere"), "x", rate, clock, limits)
        assert limits.trouble == ""
    finally:
        limits.close()


@pytest.fixture
def server(place, clock):
    with open_limiter(place, Rate(10, 1.0, at_once=2), clock) as made:
        yield made


@pytest.fixture
def shared(place):
    with open_limiter(place, Rate(100, at_once=2), SystemClock()) as made:
        yield made


def started(place, code: str, *arguments: object) -> subprocess.Popen[str]:
    """Return a process of its own that runs `code` with `server` at hand."""
    head = """
        import sys, time
        from citeproof.plumbing.clock import SystemClock
        from citeproof.plumbing.net.message import Rate
        from tests.plumbing.net.test_rate_limiter import open_limiter
        opened = open_limiter(sys.argv[1], Rate(100, 1.0, at_once=2), SystemClock())
        server = opened.__enter__()
    """
    whole = textwrap.dedent(head) + textwrap.dedent(code)
    command = [sys.executable, "-c", whole, place, *map(str, arguments)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


# --- moments -------------------------------------------------------------------------------------


def test_moments_lie_apart_and_waiting_does_not_add_up(server, clock):
    waits = [server.reserve() for _ in range(5)]
    assert waits == pytest.approx([n * 0.1 * SLACK for n in range(5)])
    assert server.waiting() == pytest.approx(5 * 0.1 * SLACK)
    clock.wait(60)
    assert server.waiting() == 0
    assert [server.reserve(), server.reserve()] == pytest.approx([0, 0.1 * SLACK])  # no burst is saved up


def test_requests_that_wait_are_counted_until_their_turn_should_be_over(server, clock):
    for _ in range(5):
        server.announce()
    assert server.waiting() == pytest.approx(5 * 0.1 * SLACK)
    assert server.reserve() == 0  # nobody has to wait for what only was announced
    clock.wait(0.3)
    assert server.waiting() == pytest.approx(5 * 0.1 * SLACK - 0.3, abs=1e-5)
    server.went_well(8.0)
    clock.wait(1.0)
    server.announce()  # two at a time take 8 seconds each
    assert server.waiting() == pytest.approx(4.0, abs=1e-5)


@pytest.mark.parametrize("back", [2, 7200])
def test_a_clock_that_goes_back_blocks_nobody_for_long(server, clock, back):
    server.reserve()
    clock.wait(-back)
    assert server.reserve() <= back + 1
    clock.wait(back + 1)
    assert server.reserve() < 3600


def test_a_slower_pace_that_the_server_asks_for_is_kept(server):
    server.note_rate(0.5)
    server.reserve()
    assert server.reserve() == pytest.approx(0.5)
    server.note_rate(0.01)  # a faster one is not taken up, but the slower one is over
    assert server.look().rate == 0.0
    server.note_rate(1e9)
    assert server.look().rate == 60.0


def test_two_processes_share_the_moments(place):
    code = """
        seen, tell = [], server.now

        def remember():
            seen.append(tell())
            return seen[-1]

        server.now = remember
        for _ in range(40):
            wait = server.reserve()
            print(seen[-1] + wait, flush=True)
    """
    both = [started(place, code) for _ in range(2)]
    moments = sorted(float(line) for process in both for line in process.communicate(timeout=120)[0].split())
    assert [process.returncode for process in both] == [0, 0]
    assert len(moments) == 80
    gaps = [later - earlier for earlier, later in pairwise(moments)]
    assert min(gaps) >= 0.01
    assert moments[-1] - moments[0] >= 79 * 0.01


# --- blocks and probes ---------------------------------------------------------------------------


def test_a_refusal_blocks_longer_each_time(server, clock):
    for pause in (1, 2, 4, 8):
        server.went_badly("answered 429", refused=True)
        assert server.get_block() == (pytest.approx(pause), "answered 429")
        clock.wait(pause + 0.01)
        assert server.get_block() == (0.0, "")
    server.went_well(0.2)
    assert server.look().refused == 0


@pytest.mark.parametrize(("asked", "left"), [(0.0, 0.0), (30.0, 30.0), (1e12, LONGEST)])
def test_retry_after_is_obeyed_within_reason(server, asked, left):
    server.went_badly("answered 429", refused=True, retry_after=asked)
    assert server.get_block()[0] == pytest.approx(left)


def test_failures_in_a_row_open_the_circuit(server, clock):
    for _ in range(FAILURES - 1):
        server.went_badly("no answer", refused=False)
    assert server.get_block()[0] == 0
    server.went_badly("no answer", refused=False)
    assert server.get_block() == (pytest.approx(5.0), "no answer")
    clock.wait(6)
    server.went_badly("no answer", refused=False)
    assert server.get_block()[0] == pytest.approx(10.0)
    server.went_well(0.1)
    assert server.get_block()[0] == 0
    server.went_badly("no answer", refused=False)
    assert server.get_block()[0] == 0  # one failure after a success is no circuit


@pytest.mark.parametrize("refused", [True, False])
def test_a_server_that_failed_for_days_is_still_asked(server, refused):
    with server.change() as state:
        state.failed = state.refused = 5000
    server.went_badly("no answer", refused=refused)
    assert 30 < server.get_block()[0] < 200


def test_after_a_block_one_goes_first(server, clock):
    server.went_badly("answered 429", refused=True)
    clock.wait(2)
    assert [server.may_probe() for _ in range(3)] == [True, False, False]
    clock.wait(11)  # whoever went first never came back
    assert [server.may_probe(), server.may_probe()] == [True, False]
    server.went_well(0.1)
    assert [server.may_probe(), server.may_probe()] == [True, True]


def test_another_process_sees_the_block(place, shared):
    shared.went_badly("answered 429", refused=True, retry_after=300, status=429)
    other = started(place, "print(*server.get_block())")
    seconds, _, why = other.communicate(timeout=120)[0].partition(" ")
    assert 250 < float(seconds) <= 300
    assert why.strip() == "answered 429"


def test_a_reader_never_sees_half_a_state(place, shared):
    """A server that is blocked must not look free while another process writes."""
    server, looks = shared, 500 if is_postgres_url(place) else 10_000
    server.went_badly("answered 429", refused=True, retry_after=300)
    writer = started(place, "while True:\n    server.note_budget(1.0, 2.0, time.time() + 60)")
    try:
        while server.look().budget is None and writer.poll() is None:
            pass
        free = sum(server.get_block()[0] == 0 for _ in range(looks))
    finally:
        writer.kill()
        writer.communicate()
    assert free == 0


# --- budgets -------------------------------------------------------------------------------------


def test_a_tenth_of_a_budget_is_left(server, clock):
    server.note_budget(0.5, 1.0, server.now() + 100)
    assert [server.spend(0.15) for _ in range(4)] == [True, True, False, False]
    assert server.spend(0.0)  # what costs nothing is never refused
    clock.wait(101)
    assert server.spend(0.15)  # the budget is a new one


def test_two_processes_share_the_budget(place, shared):
    shared.note_budget(100.0, 100.0, shared.now() + 600)
    both = [started(place, "print(sum(server.spend(1.0) for _ in range(80)))") for _ in range(2)]
    spent = [int(process.communicate(timeout=120)[0]) for process in both]
    assert sum(spent) == 90


# --- slots ---------------------------------------------------------------------------------------


def test_slots_are_freed_when_closed(server):
    first, second = server.take_slot(), server.take_slot()
    assert server.take_slot() is None
    server.free_slot(first)
    third = server.take_slot()
    assert third is not None
    server.free_slot(second)
    server.free_slot(third)


def test_slots_of_a_killed_process_are_free(place, server):
    code = "print(held := [server.take_slot(), server.take_slot()], flush=True)\ninput()"
    holder = started(place, code)
    assert "None" not in holder.stdout.readline()
    assert server.take_slot() is None
    holder.send_signal(signal.SIGKILL)
    holder.communicate()
    until = time.monotonic() + 120
    while (handle := server.take_slot()) is None:  # a database hears of it a moment later
        assert time.monotonic() < until
    server.free_slot(handle)


# --- damage --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "damage",
    [b"", b"{", b"null", b"[]", b"\xff\xfe", b'{"next": "soon"}', b'{"failed": -1}', b"{}" * 50_000,
     b'{"next": 1e300, "until": 1e300, "rate": 0}', b'{"unknown": 1}'],
)  # fmt: skip
def test_a_damaged_state_blocks_nobody(place, server, damage):
    server.reserve()
    if is_postgres_url(place):
        with psycopg.connect(place, autocommit=True) as connection:
            connection.execute(f"UPDATE {SCHEMA}.limits SET state = %s".encode(), (damage,))
    else:
        server._path.write_bytes(damage)
    assert server.get_block()[0] == 0
    assert server.may_probe()
    assert 0 <= server.reserve() < 1
    server.went_badly("answered 500", refused=False)
    server.went_well(0.1)
    assert server.look().failed == 0


# --- a database that is away ---------------------------------------------------------------------


def test_without_the_database_the_limits_are_those_of_this_machine(database, tmp_path, clock):
    limits = PostgresLimits(StoreAddress(database), clock)
    one, two = (CrossMachineLimiter(tmp_path, "x", Rate(10, at_once=1), clock, limits) for _ in range(2))
    slot = one.take_slot()
    one.went_badly("answered 429", refused=True, retry_after=300)
    stop_postgres(database, "fast")
    try:
        assert two.reserve() == 0
        assert two.reserve() == pytest.approx(0.1 * SLACK)
        own = two.take_slot()
        assert own is not None
        assert one.take_slot() is None
        two.free_slot(own)
        assert "limits hold on this machine alone" in limits.trouble
    finally:
        start_postgres(database)
    clock.wait(60)
    assert two.get_block()[0] > 0  # what the others know counts again
    one.free_slot(slot)  # was lost with the connection
    assert two.take_slot() is not None
    limits.close()


def test_a_change_that_is_interrupted_changes_nothing_and_holds_nobody_up(database, tmp_path, clock):
    limits = [PostgresLimits(StoreAddress(database), clock) for _ in range(2)]
    one, two = (CrossMachineLimiter(tmp_path, "x", Rate(10), clock, each) for each in limits)
    with suppress(KeyError), one.change() as state:
        state.failed = 7
        raise KeyError
    assert two.look().failed == 0
    with one.change() as state:
        state.failed = 7
        restart_postgres(database)
    assert two.look().failed == 0
    assert limits[0].trouble
    two.went_badly("no answer", refused=False)
    assert two.look().failed == 1
    for each in limits:
        each.close()
