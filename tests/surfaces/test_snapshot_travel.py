"""`citeproof index publish` and `pull` as a user calls them, and what `doctor` tells of it."""

from __future__ import annotations

import os
from subprocess import CompletedProcess

import pytest
from tests.command_here import call_citeproof
from tests.service.snapshot_mirror import build_snapshot, make_works, serve_folder

pytestmark = pytest.mark.slow


@pytest.fixture
def run(tmp_path):
    def run(*arguments: object, code: int = 0, **given: str) -> CompletedProcess[str]:
        places = {
            "CITEPROOF_OFFLINE": "0",
            "XDG_CONFIG_HOME": str(tmp_path / "config"),
            "CITEPROOF_CACHE_DIR": str(tmp_path / "cache"),
        }
        variables = {**os.environ, **places, **given}
        done = call_citeproof(*arguments, folder=tmp_path, environment=variables)
        assert done.returncode == code, done.stderr + done.stdout
        return done

    return run


def test_publish_pull_list_doctor(run, tmp_path):
    old = build_snapshot(tmp_path / "old", make_works(60))
    run("audit", "keygen", "--origin", "example.org/snapshots", "--out", "snapshots.key")
    said = run("index", "publish", old, "--out", "published", "--key", "snapshots.key")
    key = said.stdout.strip()
    assert key.startswith("example.org/snapshots+")
    assert "published published: works, edition" in said.stderr
    with serve_folder(tmp_path / "published") as mirror:
        named = {"CITEPROOF_PRIVATE_HOSTS": mirror.host}
        refused = run("index", "pull", mirror.url, code=2, **named).stderr
        assert "no key is known for this address" in refused
        assert f"--key {key}" in refused
        assert (
            "offline" in run("index", "pull", mirror.url, "--key", key, "--offline", code=2, **named).stderr
        )
        done = run("index", "pull", mirror.url, "--key", key, **named)
        assert done.stdout.strip() == str(tmp_path / "cache" / "pulled" / "works")
        assert "all bytes are as signed" in done.stderr
        told = run("index", "pull", mirror.url, "--explain-network", **named).stderr
        assert "nothing new" in told
        assert "network: 1 request left the machine" in told
        assert f"GET {mirror.url}/snapshot.note  200" in told
        gone = run(
            "index", "pull", f"{mirror.url}/no", "--key", key, "--explain-network", code=2, **named
        ).stderr
        assert f"GET {mirror.url}/no/snapshot.note  404" in gone
        new = build_snapshot(tmp_path / "new", make_works(60, frozenset({7})), like=old)
        run("index", "publish", new, "--out", "published", "--key", "snapshots.key")
        assert "60 records" in run("index", "pull", mirror.url, **named).stderr
        run("index", "pull", mirror.url, "--name", "second", **named)
    assert f"from {mirror.url}" in run("doctor", "-v").stdout
    assert "0 days old" in run("doctor", "-v").stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("publish", "none", "--out", "x"), "no such folder"),
        (("publish", "none", "--out", "x", "--key", "none.key"), "no such key file"),
        (("pull", "ftp://example.org/a", "--key", "x"), "key"),
        (("pull", "https://example.org/a", "--replace-key"), "needs the new key"),
        (("pull", "works"), "not the address of a published snapshot"),
    ],
)
def test_wrong_usage_is_told(run, arguments, words):
    assert words in run("index", *arguments, code=2).stderr
