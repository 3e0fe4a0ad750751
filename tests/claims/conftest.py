"""What tests of claims share: a snapshot, and a list of retractions of today that has none of its works."""

from __future__ import annotations

from pathlib import Path

import pytest

from citeproof.evidence.index.build import BuildInput, build
from citeproof.plumbing.clock import SystemClock, today
from citeproof.service.list_import import import_files
from citeproof.settings import load

RECORDS = Path(__file__).parents[2] / "examples" / "records.bib"
CSV = """Title,Author,RetractionDate,RetractionDOI,OriginalPaperDOI,RetractionNature,Reason,
T,A,1/2/2020 0:00,10.1000/n,10.1000/x,Retraction,+Error;,
"""


@pytest.fixture
def offline_world(tmp_path, monkeypatch):
    """A folder in which runs are offline, have a snapshot, and a list of retractions of today."""
    for name in ("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    build([BuildInput("bibtex", (RECORDS,))], tmp_path / "snapshot", name="made")
    monkeypatch.setenv("CITEPROOF_SNAPSHOT", str(tmp_path / "snapshot"))
    monkeypatch.setenv("CITEPROOF_OFFLINE", "1")
    (tmp_path / "rw.csv").write_text(CSV)
    import_files(load(), SystemClock(), [tmp_path / "rw.csv"], day=today(SystemClock()))
    return tmp_path
