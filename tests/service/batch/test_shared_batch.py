"""A worker of a batch whose machines share a database: what happens when that goes away."""

from __future__ import annotations

import json
from types import SimpleNamespace

import msgspec
import pytest
from tests.plumbing.stores.postgres_server import run_postgres, start_postgres, stop_postgres
from tests.surfaces.mcp_world import RECORDS

from citeproof.errors import UsageError
from citeproof.laboratory.testing import Shelf, World
from citeproof.plumbing.clock import SystemClock, format_timestamp
from citeproof.plumbing.store_address import StoreAddress
from citeproof.service.batch.batch_run import BatchLedger, BatchRun
from citeproof.service.batch.document_checker import CheckPlan, DocumentChecker, DocumentOutcome, DocumentTask
from citeproof.settings import Settings
from citeproof.vocabulary import Document

BIB = b"@article{a, title={Deep learning}, author={LeCun, Yann}, year=2015, doi={10.1038/nature14539}}"


@pytest.fixture
def postgres():
    with run_postgres() as url:
        yield url


@pytest.mark.parametrize("logged", [False, True])
def test_a_database_that_goes_away_costs_no_document(postgres, tmp_path, logged):
    with World(Shelf(*RECORDS)) as world:
        settings = Settings(
            sources=("crossref",),
            urls={"crossref": world.urls["crossref"]},
            pace=1000.0,
            cache_dir=tmp_path / "cache",
            limits_dir=tmp_path / "limits",
            audit_dir=tmp_path / "audit" if logged else None,
            audit_key=tmp_path / "keys",
            shared_store=StoreAddress(postgres),
        )
        plan = CheckPlan(settings, (), format_timestamp(SystemClock()))
        checker = DocumentChecker(plan.pack())
        try:
            before = checker.check(DocumentTask("1.bib", BIB))
            stop_postgres(postgres)
            try:
                after = checker.check(DocumentTask("2.bib", BIB))
            finally:
                start_postgres(postgres)
        finally:
            checker.close()
    assert [json.loads(one.references[0])["verdict"] for one in (before, after)] == ["matched"] * 2
    assert before.trouble == ""
    assert "answers are not cached" in after.trouble
    assert "limits hold on this machine alone" in after.trouble


def test_a_worker_does_not_begin_without_it(tmp_path):
    away = StoreAddress("postgresql://ann:secret@127.0.0.1:9/shared")
    plan = CheckPlan(Settings(shared_store=away, cache_dir=tmp_path, limits_dir=tmp_path), (), "")
    with pytest.raises(UsageError, match="cannot be read or written"):
        DocumentChecker(plan.pack())


def test_what_troubles_a_worker_is_told_and_is_no_part_of_the_result(tmp_path):
    class OneWorker:
        sent = None

        def ready(self):
            return self.sent is None

        def send(self, number, payload):
            self.sent = number

        def answers(self, seconds):
            number, self.sent = self.sent, None
            outcome = DocumentOutcome("checked", facts={"references": 0}, trouble="the database is away")
            return [Answered(number, msgspec.msgpack.encode(outcome))]

        def close(self, *, at_once):
            pass

    class Answered(msgspec.Struct):
        number: int
        body: bytes

    item = SimpleNamespace(id="a.bib", source=SimpleNamespace(read=lambda _: Document("a.bib", b"@misc{a}")))
    ledger = BatchLedger(tmp_path)
    run = BatchRun([item], ledger, "digest", 1000)
    run.run(OneWorker)
    assert run.troubles == {"the database is away"}
    assert ledger.read(run.done[0].key).trouble == ""
    ledger.close()
