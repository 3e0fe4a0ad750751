"""What was once possible in a stranger's repository, tried again as it was found."""

from __future__ import annotations

import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tests.hostile import repository

pytestmark = pytest.mark.slow

COMMAND = "$(touch owned)"


class _Hostile(BaseHTTPRequestHandler):
    """A registry whose answers have a command as their type."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", COMMAND)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def registry():
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Hostile)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def hostile(tmp_path):
    return repository.make(tmp_path)


@pytest.mark.parametrize("to", [".bashrc", "new"])
@pytest.mark.parametrize("who", ["user", "project"])
def test_a_link_in_place_of_a_state_file(hostile, registry, who, to):
    """Critical: a registry's Content-Type was written through the link into the user's .bashrc."""
    limits = hostile.repo / ".limits"
    words = {"CITEPROOF_LIMITS_DIR": ".limits", "CITEPROOF_CROSSREF_URL": registry}
    for file in _state_files(hostile, limits, words):
        file.unlink()
        file.symlink_to(hostile.home / to)
    if who == "project":
        config = f'limits_dir = ".limits"\n[urls]\ncrossref = "{registry}"\n'
        (hostile.repo / "citeproof.toml").write_text(config)
        words = {}
    hostile.run("check", "refs.bib", "--sources", "crossref", **words)
    assert hostile.untouched()


def test_what_a_server_said_is_in_no_state_file(hostile, registry):
    words = {"CITEPROOF_LIMITS_DIR": ".limits", "CITEPROOF_CROSSREF_URL": registry}
    files = _state_files(hostile, hostile.repo / ".limits", words)
    assert all(b"touch" not in file.read_bytes() for file in files)


def _state_files(hostile, limits, words) -> list[Path]:
    hostile.run("check", "refs.bib", "--sources", "crossref", **words)
    files = sorted(limits.iterdir())
    assert any(file.suffix == ".json" for file in files)
    return files


def test_limits_are_not_kept_in_a_shared_folder(hostile, registry):
    hostile.run("check", "refs.bib", "--sources", "crossref", CITEPROOF_CROSSREF_URL=registry)
    assert list((hostile.home / ".local" / "state" / "citeproof" / "limits").glob("crossref*.json"))
    assert list((hostile.home / "tmp").iterdir()) == []


def test_pip_of_the_current_folder_is_not_run(hostile):
    """Critical: `index starter` ran ./pip.py and ./pip/__main__.py."""
    ended = hostile.run("index", "starter", "--quiet")
    assert ended.returncode == 2
    assert b"could not be fetched" in ended.stderr
    assert hostile.untouched()


def test_git_of_the_current_folder_is_not_run(hostile):
    ended = hostile.run("corpus", "docs", "--format", "json")
    assert ended.returncode in {0, 1, 4}, ended.stderr
    assert hostile.untouched()


@pytest.mark.parametrize("pythonpath", [None, ":"])
def test_python_m_imports_nothing_from_the_current_folder(tmp_path, pythonpath):
    for module in ("json", "msgspec", "click", "tomllib", "numpy"):  # the first that is imported ends it
        (tmp_path / f"{module}.py").write_text(f"raise SystemExit('{module}: owned')\n")
    (tmp_path / "refs.bib").write_text(repository.BIB)
    environment = {"PATH": "/usr/bin", "HOME": str(tmp_path)}
    environment |= {"PYTHONPATH": pythonpath} if pythonpath else {}
    command = [sys.executable, "-m", "citeproof", "extract", "refs.bib"]
    ended = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, timeout=60, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert b"Deep Residual" in ended.stdout


def test_workers_that_begin_afresh_import_nothing_from_the_current_folder(tmp_path):
    (tmp_path / "multiprocessing.py").write_text(f"open({str(tmp_path / 'owned')!r}, 'w')\n")
    code = """
import sys; sys.path.remove("")
import multiprocessing
from citeproof.plumbing.programs import isolate_workers
def work(): print("worked", flush=True)
if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    with isolate_workers():
        process = context.Process(target=print, args=("worked",))
        process.start()
    process.join()
    sys.exit(process.exitcode)
"""
    command = [sys.executable, "-c", code]
    ended = subprocess.run(
        command, cwd=tmp_path, capture_output=True, timeout=60, env={"PATH": "/usr/bin"}, check=False
    )
    assert (ended.returncode, ended.stdout.strip()) == (0, b"worked"), ended.stderr
    assert not (tmp_path / "owned").exists()


@pytest.mark.parametrize("entry", [".", "", "{here}", "relative/bin"])
def test_no_program_is_looked_for_in_the_current_folder(tmp_path, monkeypatch, entry):
    from citeproof.plumbing.programs import find_program, make_environment

    (tmp_path / "relative" / "bin").mkdir(parents=True)
    for folder in (tmp_path, tmp_path / "relative" / "bin"):
        (folder / "git").write_text("#!/bin/sh\n")
        (folder / "git").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{entry.format(here=tmp_path)}:/usr/bin:/bin")
    monkeypatch.setenv("LD_PRELOAD", "")
    monkeypatch.setenv("PYTHONSTARTUP", "x.py")
    monkeypatch.setenv("PIP_INDEX_URL", "https://example.org/simple")
    found = find_program("git")
    assert found is None or not Path(found).is_relative_to(tmp_path)
    assert make_environment()["PATH"] == "/usr/bin:/bin"
    assert not {"LD_PRELOAD", "PYTHONSTARTUP", "PIP_INDEX_URL"} & set(make_environment())
    assert make_environment(pip=True)["PIP_INDEX_URL"] == "https://example.org/simple"


def test_a_program_without_an_absolute_path_is_not_started():
    from citeproof.plumbing.programs import start_program

    with pytest.raises(FileNotFoundError):
        start_program(["git"], {})
