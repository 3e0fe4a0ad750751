"""Reports on the whole project of every rule against golden files; `CITEPROOF_GOLDEN=write` makes them."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from citeproof import settings
from citeproof.answers.reporters import base
from citeproof.answers.reporters.report_model import CorpusReportHead
from citeproof.corpus.reports.report_rows import CorpusRunReport
from citeproof.plumbing.clock import FixedClock
from citeproof.service.corpus_project import Project, ProjectOptions

GOLDEN = Path(__file__).parent / "golden"
CLOCK = FixedClock(datetime(2026, 11, 15, 12, tzinfo=UTC))


@pytest.fixture
def opened(project, monkeypatch, doi_snapshot):
    """The project, with a snapshot that knows about DOIs, on a day that stands still."""
    monkeypatch.setenv("CITEPROOF_SNAPSHOT", str(doi_snapshot))
    made = Project(settings.load(), project, choice=ProjectOptions(jobs=1, cached=False), clock=CLOCK)
    yield made
    made.close()


@pytest.mark.parametrize("form", base.list_formats())
@pytest.mark.parametrize("folder", ["pass", "fail"])
def test_report(opened, form, folder):
    documents = opened.documents([folder])
    head = CorpusReportHead(
        "2026-11-15T12:00:00.000Z", "project", len(documents), "all", False, "0", opened.troubles()
    )
    report = CorpusRunReport(head, lambda _: opened.results(documents), opened.ground.library.find_entry)
    made = "".join(base.get_reporter(form).report(report))
    path = GOLDEN / f"{folder}.{form}"
    if os.environ.get("CITEPROOF_GOLDEN") == "write":
        path.write_bytes(made.encode())
    assert made == path.read_bytes().decode()
