"""The driver of a batch with executors that answer as a test wants: order, deaths, back-pressure, retries."""

from __future__ import annotations

import pickle
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from random import Random

import msgspec
import pytest

from citeproof import settings
from citeproof.errors import AuditError, InputError
from citeproof.plumbing.clock import FixedClock
from citeproof.service.batch.batch_items import BatchItem
from citeproof.service.batch.batch_run import FILE, BatchLedger, BatchProgress, BatchRun
from citeproof.service.batch.document_checker import CheckPlan, DocumentOutcome, DocumentTask, make_failure
from citeproof.service.batch.executors import DocumentAnswer
from citeproof.surfaces.cli.batch import describe_progress
from citeproof.vocabulary import Document


@dataclass
class Source:
    name: str
    data: bytes | None

    def read(self, limit):
        if self.data is None:
            raise InputError("is gone", place=self.name)
        return Document(self.name, self.data)


class Executor:
    """Has room for three; answers in any order; dies with documents that say so, as often as they say."""

    def __init__(self, seed=0):
        self.random, self.waiting, self.sent, self.deaths = Random(seed), {}, [], {}
        self.closed = None

    def ready(self):
        return len(self.waiting) < 3

    def send(self, number, payload):
        assert self.ready()
        self.waiting[number] = msgspec.msgpack.decode(payload, type=DocumentTask)
        self.sent.append(number)

    def answers(self, timeout):
        number = self.random.choice(list(self.waiting))
        task = self.waiting.pop(number)
        if task.data.startswith(b"dies"):
            self.deaths[number] = self.deaths.get(number, 0) + 1
            if self.deaths[number] <= int(task.data[4:5]):
                return [DocumentAnswer(number, None)]
        unchecked = 1 if task.data == b"open" else 0
        facts = {"references": 2, "labels": {"MAJOR": 1, "EXACT": 1 - unchecked, "none": unchecked}}
        outcome = DocumentOutcome("checked", facts=facts, references=[task.name, task.data.decode()])
        if task.data == b"log":
            outcome = msgspec.structs.replace(make_failure(AuditError("the disk is full")), audit=True)
        return [DocumentAnswer(number, msgspec.msgpack.encode(outcome))]

    def close(self, *, at_once):
        self.closed = at_once


def make_items(*contents):
    return [BatchItem(f"{n}.bib", Source(f"{n}.bib", data)) for n, data in enumerate(contents)]


def run(folder, items, executor=None, **more):
    executor = executor or Executor()
    ledger = BatchLedger(folder)
    made = BatchRun(items, ledger, "digest", 1000, **more)
    made.run(lambda: executor)
    outcomes = [one.outcome or ledger.read(one.key) for one in made.done]
    ledger.close()
    return made, outcomes, executor


@pytest.mark.parametrize("seed", range(5))
def test_outcomes_are_in_document_order_whatever_comes_first(tmp_path, seed):
    made, outcomes, executor = run(tmp_path, make_items(*(b"%d" % n for n in range(20))), Executor(seed))
    assert [one.references for one in outcomes] == [[f"{n}.bib", str(n)] for n in range(20)]
    assert executor.closed is False
    assert made.progress == BatchProgress(20, 20, 0, 0, 40, 20, 0)


def test_what_is_done_is_not_sent_again(tmp_path):
    run(tmp_path, make_items(b"a", b"b"))
    made, outcomes, executor = run(tmp_path, make_items(b"a", b"changed", b"c"))
    assert sorted(executor.sent) == [1, 2]
    assert (made.progress.done, made.progress.kept) == (3, 1)
    assert [one.references[1] for one in outcomes] == ["a", "changed", "c"]


def test_a_damaged_outcome_is_told_with_what_to_do(tmp_path):
    run(tmp_path, make_items(b"one"))
    with closing(sqlite3.connect(tmp_path / FILE)) as database, database:
        database.execute("UPDATE outcomes SET body = substr(body, 1, 20)")
    with pytest.raises(InputError, match="the ledger is damaged") as told:
        run(tmp_path, make_items(b"one"))
    assert (told.value.place, "remove it" in told.value.hint) == (str(tmp_path / FILE), True)
    with closing(sqlite3.connect(tmp_path / FILE)) as database, database:
        database.execute("UPDATE outcomes SET used = substr(used, 1, 0)")
    _, outcomes, _ = run(tmp_path, make_items(b"one"))  # it is done again
    assert [one.references for one in outcomes] == [["0.bib", "one"]]


def test_a_document_that_kills_its_worker_twice_is_recorded_as_failed(tmp_path):
    made, outcomes, executor = run(tmp_path, make_items(b"a", b"dies1", b"dies9", b"b"))
    assert [one.status for one in outcomes] == ["checked", "checked", "failed", "checked"]
    assert outcomes[2].error["message"] == "2 worker processes died with it"
    assert executor.sent.count(2) == 2
    assert made.progress.failed == 1
    _, _, again = run(tmp_path, make_items(b"a", b"dies1", b"dies9", b"b"))
    assert again.sent == []


def test_retry_does_what_failed_or_was_not_checked_again(tmp_path):
    items = make_items(b"a", b"open", b"dies9", None)
    _, outcomes, _ = run(tmp_path, items)
    assert outcomes[3].error["message"] == "is gone"
    _, _, executor = run(tmp_path, items, retry=True)
    assert set(executor.sent) == {1, 2}


def test_nothing_is_started_where_there_is_nothing_to_do(tmp_path):
    run(tmp_path, make_items(b"a"))
    made, _, executor = run(tmp_path, make_items(b"a", None))
    assert executor.closed is None
    assert made.progress.done == 2


def test_a_log_that_cannot_be_written_ends_the_run_and_keeps_nothing_of_it(tmp_path):
    executor = Executor()
    with pytest.raises(AuditError, match="the disk is full"):
        run(tmp_path, make_items(b"log"), executor)
    assert executor.closed is True
    _, _, again = run(tmp_path, make_items(b"fine"))
    assert again.sent == [0]


def test_a_plan_can_be_sent_to_another_process():
    chosen = settings.load({"offline": True, "urls": {"crossref": "http://127.0.0.1:1"}}, environment={})
    plan = CheckPlan(chosen, ("html",), "2026-01-02T03:04:05.000Z", "d", ("cps1-x",))
    assert CheckPlan.unpack(pickle.loads(pickle.dumps(plan.pack()))) == plan


@pytest.mark.parametrize(
    ("progress", "seconds", "told"),
    [
        (BatchProgress(2, 1), 9, "1 of 2 documents · 0 references"),
        (
            BatchProgress(1000, 110, 100, 1, 3300, 20, 5),
            60,
            "110 of 1,000 documents · 100 of an earlier run · 3,300 references · 20 with problems · 5 not",
        ),
    ],
)
def test_progress_is_exact(progress, seconds, told):
    assert describe_progress(progress, seconds).startswith(told)


def test_the_estimate_counts_what_this_run_did():
    progress = BatchProgress(1000, 110, kept=100)
    assert describe_progress(progress, 60).endswith(" · about 1 h 29 min left")


@pytest.mark.parametrize(
    ("flags", "fixed"),
    [
        ({"offline": True}, True),
        ({"offline": False, "sources": ["snapshot"]}, True),
        ({"offline": False, "sources": ["snapshot", "crossref"]}, False),
        ({"offline": False}, False),
        ({"offline": True, "audit_dir": "log"}, False),
    ],
)
def test_the_day_does_not_matter_where_only_snapshots_are_asked(flags, fixed):
    plan = CheckPlan(settings.load(flags, environment={}), (), "2026-01-02T03:04:05.000Z")
    assert isinstance(plan.clock, FixedClock) is fixed
