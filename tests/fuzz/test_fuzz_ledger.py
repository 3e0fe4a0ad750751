"""The ledger adds up over runs; a finding or a new version begins again."""

from __future__ import annotations

from tests.fuzz.fuzz_ledger import FuzzLedger, LedgerRow
from tests.fuzz.fuzz_loop import run_target
from tests.fuzz.fuzz_targets import TARGETS, FuzzTarget


def test_runs_add_up_over_processes(tmp_path):
    path = tmp_path / "ledger.json"
    for _ in range(2):
        ledger = FuzzLedger("1", path)
        ledger.write_row("a", ledger.find_row("a").add_run(300.4, 10, 50, 70, 0))
    assert FuzzLedger("1", path).find_row("a") == LedgerRow("1", 600, 2, 20, 50, 70, 0)
    assert "a " in FuzzLedger("1", path).format_table(["a"])


def test_time_before_a_finding_does_not_count(tmp_path):
    row = LedgerRow("1", 600, 2, 20, 50, 70, 0).add_run(100, 5, 60, 90, 2)
    assert (row.seconds, row.documents, row.findings) == (0, 0, 2)


def test_time_of_another_version_does_not_count(tmp_path):
    path = tmp_path / "ledger.json"
    FuzzLedger("1", path).write_row("a", LedgerRow("1", 600))
    assert FuzzLedger("2", path).find_row("a").seconds == 0


def test_the_kept_ledger_names_only_targets():
    ledger = FuzzLedger("none")
    assert ledger.list_targets() <= set(TARGETS)


def test_a_run_goes_on_from_what_was_kept_and_can_be_stopped(tmp_path):
    seen: list[bytes] = []
    target = FuzzTarget("planted", seen.append, lambda: [b"seed"])
    done = run_target(target, 100, 1, tmp_path / "current", kept=[b"earlier"], stopped=lambda: len(seen) >= 2)
    assert set(seen) == {b"seed", b"earlier"}
    assert done.tried == 2
    assert done.pool
