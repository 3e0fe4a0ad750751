"""The steps of the GitHub action, of the GitLab job and of agents, in a stranger's repository."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.hostile import repository

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
GITLAB = yaml.safe_load((ROOT / "templates/citeproof.gitlab-ci.yml").read_text("utf-8"))["citeproof"][
    "script"
]
COMMAND = "##[stop-commands]forged"  # the runner of GitHub obeys this form anywhere in a line


@pytest.fixture
def hostile(tmp_path):
    return repository.make(tmp_path)


def run_step(hostile, script, **given):
    """Run a step of a job in the repository, with programs from outside of it."""
    path = f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin"
    runner = {"RUNNER_TEMP": str(hostile.home / "tmp"), "GITHUB_ACTION_PATH": str(hostile.home / "missing")}
    files = {name: str(hostile.home / "tmp" / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    seen = hostile.environment(**runner, **files, **given) | {"PATH": path, "CITEPROOF_OFFLINE": "1"}
    return subprocess.run(
        ["bash", "-eo", "pipefail", "-c", script],
        cwd=hostile.repo, env=seen, capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("package", ["this-version", "no-such-package-of-citeproof"])
def test_the_action_installs_without_importing_modules_of_the_repository(hostile, package):
    """High: `python -m pip` ran the pip.py of the repository that was to be checked."""
    done = run_step(hostile, f"{ROOT}/templates/github_action.sh install", INPUT_PACKAGE=package)
    assert done.returncode != 0  # the real pip was asked, and has nowhere to get it from
    assert hostile.untouched(), hostile.marker.read_text()


def test_the_gitlab_job_installs_without_importing_modules_of_the_repository(hostile):
    """High: the same."""
    install = next(line for line in GITLAB if "pip install" in line)
    done = run_step(hostile, install, CITE_PACKAGE="no-such-package-of-citeproof")
    assert done.returncode != 0
    assert hostile.untouched(), hostile.marker.read_text()


def test_a_file_name_is_no_command_for_the_runner_of_github(hostile):
    """Medium: a file's name on standard error turned the annotations of the whole job off."""
    (hostile.repo / f"{COMMAND}.bib").write_text("")
    given = dict.fromkeys(("INPUT_BASELINE", "INPUT_IGNORE", "INPUT_ARGS"), "") | {"INPUT_FAIL_ON": "minor"}
    script = f"{ROOT}/templates/github_action.sh check 2>&1"
    done = run_step(hostile, script, INPUT_FILES="##*.bib", **given)
    obeyed, paused = [], ""
    for line in done.stdout.splitlines():
        if paused:
            paused = "" if line == f"::{paused}::" else paused
        elif found := re.fullmatch(r"::stop-commands::([0-9a-f]{32})", line):
            paused = found[1]
        elif not line.startswith("::"):  # a well-formed command of ours is read to its end, and is only that
            obeyed += re.findall(r"##\[.*", line)
    assert COMMAND in done.stdout
    assert (obeyed, paused) == ([], "")
    assert "::notice title=citeproof::0 problems" in done.stdout


@pytest.mark.skipif(not shutil.which("git"), reason="needs git")
@pytest.mark.parametrize("tracked", [True, False])
def test_the_gitlab_job_uses_no_cache_that_the_repository_brings(hostile, tracked):
    """Medium: answers of registries could be committed where the job keeps its cache."""
    answers = hostile.repo / ".cache/citeproof/answers.db"
    answers.parent.mkdir(parents=True)
    answers.write_bytes(b"forged")
    shutil.rmtree(hostile.repo / ".git")
    git = "git init -q . && git config core.fsmonitor false"
    run_step(hostile, f"{git} && git add -f {'.' if tracked else 'refs.bib'}")
    before = [line for line in GITLAB if not re.search(r"pip install|citeproof check", line)]
    assert run_step(hostile, "\n".join(before)).returncode == 0
    assert answers.exists() is not tracked


@pytest.mark.parametrize("path", sorted((ROOT / "skills").rglob("*.md")), ids=lambda path: path.name)
def test_the_skills_say_how_a_file_name_is_written(path):
    """Low: an agent that ran `citeproof check FILE` put the name of a stranger's file into a shell."""
    text = " ".join(path.read_text("utf-8").split())
    assert "in single quotes and with `./` before it" in text
