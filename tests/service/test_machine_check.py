"""What `citeproof doctor` finds on a machine that is not well, and how it says to mend it."""

from __future__ import annotations

import ssl
from collections import namedtuple
from importlib import metadata

import pytest

from citeproof.errors import InputError
from citeproof.service import installation_check
from citeproof.service.installation_check import (
    examine_machine,
    examine_room,
    is_in_range,
    list_package_needs,
)
from citeproof.settings import Settings


@pytest.fixture
def chosen(tmp_path):
    return Settings(cache_dir=tmp_path / "cache", limits_dir=tmp_path / "limits")


def _examine(chosen):
    return {row.name: row for row in examine_machine(chosen)}


def test_a_healthy_machine_has_no_problem(chosen):
    rows = _examine(chosen)
    base = {need.name for need in list_package_needs() if not need.extra}
    assert {"aiohttp", "numpy", "tantivy"} <= base <= set(rows)
    assert {name for name in rows if name.startswith("extra ")} >= {"extra ocr", "extra server"}
    theirs = ("free disk space", "certificates")  # of the machine that tests run on
    assert {name: row.hint for name, row in rows.items() if row.hint and name not in theirs} == {}
    assert rows["sandbox"].value.startswith("works: 1 reference")


RANGES = [
    ("3.14.5", "<4,>=3.13", True),
    ("3.12.9", "<4,>=3.13", False),
    ("4.0", "<4,>=3.13", False),
    ("45", ">=45", True),
    ("0.27.0", "<0.28,>=0.27", True),
    ("0.28.0rc1", "<0.28,>=0.27", False),
    ("1.0.0", "==1.0.0", True),
    ("1.0", "==1.0.0", True),
    ("2", "!=2", False),
    ("1", "", True),
]


@pytest.mark.parametrize(("version", "limits", "fits"), RANGES)
def test_versions_are_compared_by_their_numbers(version, limits, fits):
    assert is_in_range(version, limits) is fits


def _pretend(monkeypatch, **versions):
    real = metadata.version

    def look(name):
        if name not in versions:
            return real(name)
        if not versions[name]:
            raise metadata.PackageNotFoundError(name)
        return versions[name]

    monkeypatch.setattr(installation_check.metadata, "version", look)


def test_a_missing_and_an_old_package_are_told_with_the_command(chosen, monkeypatch):
    _pretend(monkeypatch, rapidfuzz="", aiohttp="3.1.0")
    rows = _examine(chosen)
    assert rows["rapidfuzz"].value == "missing"
    assert "pip install --force-reinstall citeproof" in rows["rapidfuzz"].hint
    assert rows["aiohttp"].value.startswith("3.1.0, but ")
    assert "pip install 'aiohttp" in rows["aiohttp"].hint


def test_a_package_that_cannot_be_loaded_is_told(chosen, monkeypatch):
    real = installation_check.import_module

    def load(name):
        if name == "tantivy":
            raise ImportError("libgcc_s.so.1: cannot open shared object file")
        return real(name)

    monkeypatch.setattr(installation_check, "import_module", load)
    row = _examine(chosen)["tantivy"]
    assert "libgcc_s.so.1" in row.value
    assert "--force-reinstall tantivy==" in row.hint


def test_an_extra_is_told_and_only_a_wrong_version_is_a_problem(chosen, monkeypatch):
    _pretend(monkeypatch, boto3="", uvicorn="0.1")
    rows = _examine(chosen)
    assert "citeproof[s3]" in rows["extra s3"].value
    assert not rows["extra s3"].hint
    assert "uvicorn 0.1" in rows["extra server"].value
    assert "citeproof[server]" in rows["extra server"].hint


def test_a_sandbox_that_does_not_work_is_told(chosen, monkeypatch):
    def refuse(_):
        raise InputError("no process can be started", hint="raise ulimit -u")

    monkeypatch.setattr(installation_check, "extract", refuse)
    row = _examine(chosen)["sandbox"]
    assert "no process can be started" in row.value
    assert row.hint == "raise ulimit -u"


def test_without_certificates_no_registry_can_be_asked(chosen, monkeypatch, tmp_path):
    empty = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    monkeypatch.setattr(installation_check.ssl, "create_default_context", lambda: empty)
    paths = namedtuple("Paths", "cafile capath")(None, str(tmp_path))  # noqa: PYI024 - as ssl has it
    monkeypatch.setattr(installation_check.ssl, "get_default_verify_paths", lambda: paths)
    row = _examine(chosen)["certificates"]
    assert "no registry can be asked" in row.value
    assert "ca-certificates" in row.hint
    assert "certificates" not in _examine(Settings(offline=True, cache_dir=tmp_path))


def test_a_full_disk_is_told(tmp_path):
    assert not examine_room(tmp_path / "not" / "there", least=1).hint
    row = examine_room(tmp_path / "not" / "there", least=1 << 62)
    assert "CITEPROOF_CACHE_DIR" in row.hint
    assert str(tmp_path) in row.value
