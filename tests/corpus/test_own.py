"""`citeproof corpus` on this project's own repository: its documents pass, and its history is read."""

import json
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = "import sys; from citeproof.surfaces.cli.main import main; main(sys.argv[1:])"


def git(*words, cwd):
    done = subprocess.run(["git", *words], cwd=cwd, capture_output=True, check=False)
    if done.returncode:
        pytest.skip(f"this checkout has no git history to clone: {done.stderr.decode()[:200]}")
    return done.stdout


@pytest.fixture
def clone(tmp_path, monkeypatch):
    monkeypatch.setenv("CITEPROOF_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("CITEPROOF_CORPUS_DOIS", "format")  # the documents' DOIs are examples
    monkeypatch.setenv("CITEPROOF_CORPUS_SKIP", "CHANGELOG.md,tests/**,examples/**")  # as `make style`
    git("clone", "--quiet", "--no-hardlinks", str(ROOT), str(tmp_path / "clone"), cwd=ROOT)
    return tmp_path / "clone"


def corpus(folder, *arguments):
    command = [sys.executable, "-c", SCRIPT, "corpus", *arguments, "--offline", "--format", "json"]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    assert done.returncode in {0, 1}, done.stderr.decode()
    return done.returncode, json.loads(done.stdout)


@pytest.mark.slow
def test_our_documents_pass(clone):
    code, report = corpus(clone, "-r")
    assert (code, report["status"]) == (0, "PASS")
    assert report["summary"]["files"] >= 60
    assert corpus(clone, "docs", "README.md")[0] == 0


@pytest.mark.slow
def test_our_history_tells_what_changed(clone):
    path = "README.md"
    commits = git("log", "--format=%H", "--", path, cwd=clone).decode().split()
    versions = [git("show", f"{commit}:{path}", cwd=clone) for commit in commits[:3]]
    if len(versions) < 3:
        pytest.skip("the clone is too shallow")
    old = sha256(versions[2]).hexdigest()[:16]
    (clone / "note.md").write_text(f"It was so [{path}@{old}, L1].\n", encoding="utf-8")
    _, report = corpus(clone, "note.md")
    (citation,) = report["files"][0]["citations"]
    assert (citation["verdict"], citation["current_hash"]) == ("STALE", sha256(versions[0]).hexdigest()[:16])
    assert citation["drift"]["commits"] >= 2  # merges count too
    assert citation["drift"]["change"] == "unchanged"  # the first line of the page has stood for long
