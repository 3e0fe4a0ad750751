"""Every command in a stranger's repository, under strace: where it writes, and what it runs.

The first run of each command shows the names that it writes in the repository. Before the next ones, each in
a new repository, links lie at those names: to the user's `.bashrc`, to a file not there yet, to a folder.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from citeproof.evidence.index.build import BuildInput, build
from citeproof.evidence.index.coverage import parse_claim
from tests.hostile import repository, tracing
from tests.soak import choose_cases
from tests.surfaces.conftest import EXAMPLES

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(tracing.strace() is None, reason="strace is not installed: nothing is traced"),
]

OUT = "out/report.md"
# name: (arguments, endings of what it is to write in the repository)
COMMANDS = {
    "check": (("check", "refs.bib", "--offline", "-o", OUT), (OUT,)),
    "check online": (("check", "refs.bib", "--sources", "crossref", "-o", OUT), (OUT,)),
    "corpus report": (("corpus", "docs", "--report"), (".aiwg/reports/citation-verification.md",)),
    "corpus fix": (("corpus", "docs", "--fix"), ("docs/d0.md", "docs/d1.md", "docs/d2.md")),
    "fix": (("fix", "refs.bib", "--unsafe", "--write", "--offline"), ("refs.bib",)),
    "index starter": (("index", "starter", "--quiet"), ()),
    "index starter here": (("index", "starter", "--quiet", "--out", "s", "--wheels", "wheels"), ()),
    "index build": (
        ("index", "build", "--from", "bibtex", "records.bib", "--out", "new"), ("new", "new.building")
    ),
    "bench make": (
        ("bench", "make", "citecheck", "many.bib", "--from", "bibtex", "--count", "12", "-o", "made.jsonl"),
        ("made.jsonl",),
    ),
    "bench run": (
        ("bench", "run", "items.jsonl", "--draws", "5", "--answers", "answers.jsonl", "--card", "card.json"),
        ("answers.jsonl", "card.json"),
    ),
    "bench tune": (("bench", "tune", "items.jsonl", "--split", "all"), ()),
}  # fmt: skip
SYSTEM = ("/dev/", "/proc/", "pipe:", "socket:", "anon_inode:", "/memfd:")


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory):
    out = tmp_path_factory.mktemp("world") / "snapshot"
    build(
        [BuildInput("bibtex", (EXAMPLES / "records.bib",))], out, covers=(parse_claim("all"),), name="world"
    )
    return out


def traced(hostile: repository.Hostile, log: Path, arguments, **more: str):
    """Run a command under strace; return how it ended and what it did."""
    ended = hostile.run(*arguments, before=tracing.before(log), **more)
    return ended, tracing.read(log, hostile.repo)


def strangers(trace: tracing.Trace, hostile: repository.Hostile, wanted: tuple[str, ...]) -> list[str]:
    """Return what was written and is neither ours nor wanted."""
    home, place = str(hostile.home), os.path.commonpath([hostile.home, hostile.repo])
    own = tuple(f"{home}/{name}/" for name in (".cache", ".local/state", ".config/citeproof", ".local/share"))
    folders = {f"{home}/{name}" for name in (".cache", ".local", ".local/state", ".config", ".local/share")}
    folders |= {f"{home}/.config/citeproof", *(each.rstrip("/") for each in own)}
    return sorted(
        path
        for path in trace.written
        if not path.startswith((*own, f"{home}/tmp/"))
        and not (path.startswith(SYSTEM) and not path.startswith(f"{place}/"))
        and path not in folders
        and not (path.endswith((".pyc", "/__pycache__")) or ".pyc." in path)
        and not _wanted(path, str(hostile.repo), wanted)
    )


def _wanted(path: str, repo: str, wanted: tuple[str, ...]) -> bool:
    """Return whether a path is what the user asked for: the file, its backup, or what becomes it."""
    for name in wanted:
        whole = f"{repo}/{name}"
        beside = Path(path).parent == Path(whole).parent and Path(path).name.startswith(".")
        if path == whole or path.startswith((f"{whole}/", f"{whole}.citeproof-backup-")):
            return True
        if beside and path.endswith(".part"):
            return True
        if whole.startswith(f"{path}/"):  # a folder that was made for it
            return True
    return False


def code_of(trace: tracing.Trace, hostile: repository.Hostile) -> list[str]:
    """Return programs and modules of the repository that were run or opened."""
    repo = f"{os.path.realpath(hostile.repo)}/"
    code = (".py", ".pyc", ".so", ".pth", ".cfg")
    run = [path for path in trace.run if os.path.realpath(path).startswith(repo)]
    return sorted(run + [path for path in trace.opened if path.startswith(repo) and path.endswith(code)])


def prepared(place: Path) -> repository.Hostile:
    place.mkdir()
    hostile = repository.make(place)
    (hostile.repo / "out").mkdir()
    return hostile


@pytest.mark.soak
@pytest.mark.parametrize("name", choose_cases(COMMANDS, 3))
@pytest.mark.timeout(600)
def test_nothing_is_written_elsewhere_and_nothing_of_the_repository_is_run(name, snapshot, tmp_path):
    arguments, wanted = COMMANDS[name]
    more = {"CITEPROOF_SNAPSHOT": str(snapshot), "CITEPROOF_CROSSREF_URL": "http://127.0.0.1:9"}
    if name == "index starter":
        del more["CITEPROOF_SNAPSHOT"]

    first = prepared(tmp_path / "first")
    ended, trace = traced(first, tmp_path / "log1", arguments, **more)
    said = ended.stderr.decode()
    assert "Traceback" not in said
    assert trace.run, said
    assert strangers(trace, first, wanted) == []
    assert code_of(trace, first) == []
    assert first.untouched()
    repo = f"{first.repo}/"
    made = sorted(path.removeprefix(repo) for path in trace.written if path.startswith(repo))
    assert bool(made) == bool(wanted), said

    folders = [path for path in made if any(other.startswith(f"{path}/") for other in made)]
    files = [path for path in made if path not in folders]
    for number, (names, to) in enumerate([(files, ".bashrc"), (files, "new"), (folders[:1], "tmp")]):
        again = prepared(tmp_path / f"again{number}")
        repository.lay_links(again, names, again.home / to)
        ended, trace = traced(again, tmp_path / f"log{number}", arguments, **more)
        assert "Traceback" not in ended.stderr.decode()
        assert strangers(trace, again, wanted) == []
        assert code_of(trace, again) == []
        assert again.untouched()
        assert list((again.home / "tmp").iterdir()) == []


@pytest.mark.soak
@pytest.mark.parametrize(
    "name", choose_cases(["check", "check online", "corpus report", "corpus fix", "fix", "bench run"], 2)
)
@pytest.mark.timeout(600)
def test_caches_and_state_in_the_repository_itself(name, snapshot, tmp_path):
    """As a user would have it who trusts the project's settings: links then lie in our own folders."""
    arguments, wanted = COMMANDS[name]
    more = {"CITEPROOF_SNAPSHOT": str(snapshot), "CITEPROOF_CROSSREF_URL": "http://127.0.0.1:9"}
    more |= {"CITEPROOF_CACHE_DIR": "our/cache", "CITEPROOF_LIMITS_DIR": "our/limits"}
    first = prepared(tmp_path / "first")
    _, trace = traced(first, tmp_path / "log1", arguments, **more)
    assert strangers(trace, first, (*wanted, "our")) == []
    repo = f"{first.repo}/"
    made = sorted(path.removeprefix(repo) for path in trace.written if path.startswith(f"{repo}our/"))
    named = [path for path in made if not (first.repo / path).is_dir()]
    second = prepared(tmp_path / "second")
    (second.repo / "our" / "cache" / "corpus").mkdir(parents=True, mode=0o700)
    repository.lay_links(second, named, second.victim)
    for folder in (second.repo / "our", *(one for one in (second.repo / "our").rglob("*") if one.is_dir())):
        folder.chmod(0o700)
    ended, trace = traced(second, tmp_path / "log2", arguments, **more)
    assert "Traceback" not in ended.stderr.decode()
    assert strangers(trace, second, (*wanted, "our")) == []
    assert code_of(trace, second) == []
    assert second.untouched()


def test_the_traps_work(tmp_path):
    """The test of the tests: what is lying about is run by who is careless."""
    hostile = prepared(tmp_path / "a")
    careless = f"{sys.executable} -m pip --version; git --version; exit 0"
    ended, trace = traced_shell(hostile, tmp_path / "log", careless)
    assert ended == 0
    ran = hostile.marker.read_text()
    assert str(hostile.repo) in ran  # a module, on the way to pip
    assert "./git" in ran
    assert code_of(trace, hostile)
    assert not hostile.untouched()


def traced_shell(hostile, log, line):
    import subprocess

    command = [*tracing.before(log), "/bin/sh", "-c", line]
    environment = {**hostile.environment(), "PATH": f".:{os.defpath}"}
    ended = subprocess.run(command, cwd=hostile.repo, env=environment, check=False, capture_output=True)
    return ended.returncode, tracing.read(log, hostile.repo)
