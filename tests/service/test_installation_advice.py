"""What would make the next run better: each state of an installation, and the command that is offered."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import MappingProxyType

import pytest

from citeproof.evidence.index.build import BuildInput, build
from citeproof.evidence.index.coverage import parse_claim
from citeproof.plumbing.clock import FixedClock, SystemClock
from citeproof.service import installation_advice
from citeproof.service.installation_advice import STALE, list_advice
from citeproof.service.list_import import import_files
from citeproof.settings import Settings
from citeproof.vocabulary import Secret

WORK = "@article{a, title={A Title of Some Length}, author={Doe, Jane}, year=1999, journal={Nature}}\n"


@pytest.fixture
def chosen(tmp_path, monkeypatch):
    """Settings of an online installation in an empty home folder, started by a shell that nobody knows."""
    for name in [name for name in os.environ if name.startswith("CITEPROOF_")]:
        monkeypatch.delenv(name)
    for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "ZDOTDIR"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.setenv("SHELL", "/bin/tcsh")
    monkeypatch.setattr(os, "getppid", lambda: 0)
    monkeypatch.setattr(installation_advice, "is_ocr_installed", lambda: True)
    return Settings(cache_dir=tmp_path / "cache", limits_dir=tmp_path / "limits", contact="a@example.org")


@pytest.fixture
def snapshot(tmp_path):
    (tmp_path / "my works.bib").write_text(WORK)
    out = tmp_path / "works"
    build(
        [BuildInput("bibtex", (tmp_path / "my works.bib",))], out, covers=(parse_claim("article"),), name="w"
    )
    return out


def _find(chosen, word, clock=None):
    found = [one for one in list_advice(chosen, clock or SystemClock()) if word in one.what]
    assert len(found) <= 1
    return found[0].command if found else None


def test_contact_address(chosen):
    assert _find(chosen, "no contact address") is None
    wanting = replace(chosen, contact="")
    assert _find(wanting, "no contact address") == "export CITEPROOF_CONTACT=you@example.org"
    assert _find(replace(wanting, offline=True), "no contact address") is None


def test_keys(chosen):
    assert "CITEPROOF_ADS_KEY=…" in _find(chosen, "not asked without a key")
    keyed = replace(chosen, keys=MappingProxyType({"ads": Secret("x")}))
    assert _find(keyed, "not asked without a key") is None
    assert "CITEPROOF_PUBMED_KEY=…" in _find(keyed, "faster with a key")


def test_snapshot_missing_fresh_and_stale(chosen, snapshot):
    assert _find(chosen, "no snapshot") == "citeproof index starter"
    having = replace(chosen, snapshots=(snapshot,))
    assert _find(having, "snapshot") is None
    later = FixedClock(datetime.now(UTC) + timedelta(days=STALE + 10))
    assert _find(having, "days old", later) == (
        f"citeproof index build --from bibtex 'my works.bib' --covers article --out {snapshot}-new"
    )
    (snapshot / "manifest.json").write_text("{")
    assert _find(having, "snapshot", later) is None  # it is a problem of its own


def test_starter_of_another_version(chosen, snapshot):
    chosen.starter.parent.mkdir(parents=True)
    snapshot.rename(chosen.starter)
    command = _find(chosen, "starter snapshot was built by another version")
    assert command == f"rm -r {chosen.starter} && citeproof index starter"


def test_extra(chosen, monkeypatch):
    assert _find(chosen, "ocr") is None
    monkeypatch.setattr(installation_advice, "is_ocr_installed", lambda: False)
    assert _find(chosen, "ocr").endswith("-m pip install 'citeproof[ocr]'")


def test_variables_that_nobody_reads_or_should_set(chosen, monkeypatch):
    monkeypatch.setenv("CITEPROOF_SNAPSHOTS", "x")
    assert _find(chosen, "did you mean 'CITEPROOF_SNAPSHOT'?") == "unset CITEPROOF_SNAPSHOTS"
    urls = MappingProxyType({"dblp_sparql": "http://x"})
    told = MappingProxyType({"urls.dblp_sparql": "CITEPROOF_DBLP_SPARQL_URL"})
    old = replace(chosen, urls=urls, origins=told)
    assert _find(old, "deprecated") == "unset CITEPROOF_DBLP_SPARQL_URL"


def test_lists(chosen, tmp_path):
    assert (
        _find(chosen, "the list retraction_watch is not installed")
        == "citeproof lists update retraction_watch"
    )
    (tmp_path / "rw_2026-08-17.csv").write_text(
        "Title,Author,RetractionDate,OriginalPaperDOI,RetractionNature,Reason,\n"
        "T,A,1/2/2020 0:00,10.1000/x,Retraction,+F;,\n"
    )
    now = FixedClock(datetime(2026, 8, 18, tzinfo=UTC))
    import_files(chosen, now, [tmp_path / "rw_2026-08-17.csv"])
    assert _find(chosen, "the list", now) is None
    later = FixedClock(datetime(2026, 9, 18, tzinfo=UTC))
    assert _find(chosen, "the list retraction_watch is 32 days old", later)
    assert _find(replace(chosen, lists_pin="frozen"), "the list", later) is None
