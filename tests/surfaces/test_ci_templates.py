"""The GitHub action, the pre-commit hook and the GitLab job, each run in a git repository made here."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
import yaml
from tests.official_schemas import load_json_schema, load_junit_schema, load_sarif_schema
from tests.surfaces.test_check_acceptance import BIB, MAJOR
from tests.surfaces.test_check_paths import TEX

from citeproof.service.exit_codes import Exit

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
GITLAB = yaml.safe_load((ROOT / "templates/citeproof.gitlab-ci.yml").read_text("utf-8"))
EXPRESSION = re.compile(r"\$\{\{ (\w+)\.([\w.-]+) \}\}")
UNKNOWN = (
    "@book{nobody1901, title = {A Quiet Book on Nothing at All}, author = {Nobody, N.}, year = {1901}}\n"
)

pytestmark = pytest.mark.skipif(not shutil.which("git"), reason="needs git")


@pytest.fixture
def environment(tmp_path, snapshot):
    """What every command here sees: our citeproof, the small snapshot, no network, a home of its own."""
    home = tmp_path / "home"
    home.mkdir()
    return {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "HOME": str(home), "LC_ALL": "C.UTF-8",
        "CITEPROOF_SNAPSHOT": str(snapshot), "CITEPROOF_OFFLINE": "1",
        "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org", "GIT_CONFIG_NOSYSTEM": "1",
    }  # fmt: skip


@pytest.fixture
def repository(tmp_path, environment):
    """A repository with a LaTeX paper, and a bibliography whose name has a blank."""
    root = tmp_path / "repository"
    (root / "paper").mkdir(parents=True)
    (root / "paper/main.tex").write_text(TEX.replace(r"\cite{nobody}", r"\cite{huang2017sparsely}"))
    (root / "paper/refs.bib").write_text(f"% mistakes\n\n{BIB}\n{MAJOR}")
    (root / "more refs.bib").write_text(UNKNOWN)
    _run(["git", "init", "-q", "-b", "main"], root, environment)
    _commit(root, environment)
    return root


def _run(command, folder, environment):
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def _commit(root, environment):
    _run(["git", "add", "-A"], root, environment)
    return _run(["git", "commit", "-q", "-m", "change"], root, environment)


# --- the GitHub action --------------------------------------------------------------------------


@pytest.fixture
def run_action(repository, environment, tmp_path):
    """Run the shell steps of the action as a runner does; returns exit code, log, outputs and summary."""

    def run(wanted="Check", **given):
        inputs = {name: one.get("default", "") for name, one in ACTION["inputs"].items()}
        inputs |= {name.replace("_", "-"): value for name, value in given.items()}
        (tmp_path / "runner").mkdir(exist_ok=True)
        files = {name: tmp_path / "runner" / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        runner = {
            **environment, "GITHUB_ACTIONS": "true", "GITHUB_WORKSPACE": str(repository), "CI": "true",
            "RUNNER_TEMP": str(tmp_path / "runner"), "GITHUB_ACTION_PATH": str(ROOT),
        }  # fmt: skip
        log, code = "", 0
        for path in files.values():
            path.write_text("")
        for step in (step for step in ACTION["runs"]["steps"] if "run" in step and wanted in step["name"]):
            filled = {
                name: EXPRESSION.sub(lambda found: inputs[found[2]], value)
                for name, value in step["env"].items()
            }
            names = {name: str(path) for name, path in files.items()}
            bash = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
            ended = _run(bash, repository, runner | names | filled)
            log, code = log + ended.stdout + ended.stderr, ended.returncode
            if code:
                break
        outputs = dict(line.split("=", 1) for line in files["GITHUB_OUTPUT"].read_text().splitlines())
        return code, log, outputs, files["GITHUB_STEP_SUMMARY"].read_text()

    return lambda **given: run(package="", **given)


def test_the_action_installs_first(run_action):
    code, log, outputs, _ = run_action(wanted="", files="paper/main.tex")
    assert log.startswith("citeproof ")  # the version, of what is installed here
    assert (code, outputs["exit-code"]) == (1, "1")


def test_the_action_fits_the_schema():
    schema = load_json_schema("github-actions")
    jsonschema.validators.validator_for(schema)(schema).validate(ACTION)


def test_the_action_uses_its_inputs_and_no_input_in_a_script():
    steps = ACTION["runs"]["steps"]
    used = {name for room, name in EXPRESSION.findall(json.dumps(steps)) if room == "inputs"}
    used |= set(re.findall(r"inputs\.([\w-]+)", " ".join(step.get("if", "") for step in steps)))
    assert used == set(ACTION["inputs"])
    assert not any("${{" in step.get("run", "") for step in steps)  # text of others is no shell code


def test_annotations_stand_on_the_right_lines(run_action, repository):
    code, log, outputs, summary = run_action(files="paper/main.tex\n")
    assert code == 1
    found = re.findall(
        r"^::(error|warning) file=([^,]+),line=(\d+),endLine=(\d+),.*?::(\w+):", log, re.MULTILINE
    )
    assert [(level, file, key) for level, file, *_, key in found] == [
        ("warning", "paper/refs.bib", "he2016deep"),
        ("error", "paper/refs.bib", "huang2017sparsely"),
    ]
    for _, file, line, end, key in found:
        lines = (repository / file).read_text().splitlines()
        assert lines[int(line) - 1].startswith(f"@inproceedings{{{key},")
        assert lines[int(end) - 1] == "}"
    assert summary.startswith("## citeproof: 2 problems; 1 with signs of invention\n")
    assert "| paper/refs.bib | 2 | 0 | 0 | 2 |" in summary
    assert outputs["exit-code"] == "1"
    assert Path(outputs["html"]).read_text().startswith("<!doctype html>")


def test_the_reports_of_the_action_fit_their_schemas(run_action, repository, environment):
    from lxml import etree

    outputs = run_action(files="paper/main.tex")[2]
    log = json.loads(Path(outputs["sarif"]).read_text())
    jsonschema.Draft7Validator(load_sarif_schema()).validate(log)
    load_junit_schema().assertValid(etree.parse(outputs["junit"]))
    tracked = _run(["git", "ls-files"], repository, environment).stdout.splitlines()
    places = [one["locations"][0]["physicalLocation"] for one in log["runs"][0]["results"]]
    assert [place["artifactLocation"]["uri"] in tracked for place in places] == [True, True]
    assert [place["region"]["startLine"] for place in places] == [3, 11]


def test_inputs_of_the_action(run_action, repository, environment):
    assert run_action(files="paper/main.tex", fail_on="none")[0] == 0
    assert run_action(files="more refs.bib")[0] == 4  # nothing could be decided
    assert run_action(files="more*.bib", fail_on="unchecked")[0] == 4
    keys = ("he2016deep", "huang2017sparsely")
    entries = (f'[[ignore]]\nid = "{key}"\nreason = "known"\n' for key in keys)
    (repository / "ignore.toml").write_text("".join(entries))
    code, log, _, summary = run_action(files="paper/**/*.bib\n\n  more refs.bib  \n", ignore="ignore.toml")
    assert (code, summary.startswith("## citeproof: no problems, ")) == (0, True)
    assert "::error" not in log
    assert "| paper/refs.bib | 0 | 0 | 2 | 2 |" in summary
    written = _run(
        ["citeproof", "check", "paper/refs.bib", "--write-baseline", "b.json"], repository, environment
    )
    assert written.returncode == 0
    assert run_action(files="paper/main.tex", baseline="b.json")[0] == 0
    assert run_action(files="paper/main.tex", args="--only=nothing")[0] == 2


def test_a_check_that_cannot_run_says_so(run_action):
    code, log, outputs, summary = run_action(files="no*.bib")
    assert code == 2
    assert "error: no*.bib: no such file" in log
    assert "the check did not run (exit code 2)" in summary
    assert outputs == {"exit-code": "2"}  # no report for the next steps to upload
    assert run_action(files=" \n")[0] == 2


def test_text_of_a_document_is_no_command_for_the_runner(run_action, repository):
    hostile = "@article{x, title={A\n::error::forged title}, author={::set-output name=a::b}, year={2016}}\n"
    (repository / "$(touch hacked).bib").write_text(hostile)
    _, log, outputs, summary = run_action(files="*.bib")
    assert not re.search(r"^\s*::(?:error::forged|set-output)", log, re.MULTILINE)
    assert not (repository / "hacked").exists()
    assert set(outputs) == set(ACTION["outputs"])
    assert "$(touch hacked)" in summary.replace("\\", "")


# --- pre-commit ---------------------------------------------------------------------------------


@pytest.fixture
def hooked(repository, environment, tmp_path):
    """The repository with our hook installed; it runs the citeproof that is here, not a copy of its own."""
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    shutil.copy(ROOT / ".pre-commit-hooks.yaml", hooks)
    _run(["git", "init", "-q", "-b", "main"], hooks, environment)
    _commit(hooks, environment)
    revision = _run(["git", "rev-parse", "HEAD"], hooks, environment).stdout.strip()
    hook = {"id": "citeproof", "language": "system"}
    config = {"repos": [{"repo": str(hooks), "rev": revision, "hooks": [hook]}]}
    (repository / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
    environment["PRE_COMMIT_HOME"] = str(tmp_path / "pre-commit")
    installed = _run(["bash", "-c", "pre-commit install"], repository, environment)
    assert installed.returncode == 0, installed.stdout + installed.stderr
    return repository


def test_the_hook_stops_a_commit_with_a_wrong_reference(hooked, environment):
    (hooked / "new.bib").write_text(MAJOR)
    ended = _commit(hooked, environment)
    assert ended.returncode == 1
    assert "huang2017sparsely" in ended.stdout + ended.stderr
    assert "he2016deep" not in ended.stdout + ended.stderr  # only what is committed is checked
    (hooked / "new.bib").write_text(UNKNOWN)
    assert _commit(hooked, environment).returncode == 1  # a run that could decide nothing
    right = (ROOT / "examples" / "records.bib").read_text("utf-8").partition("\n}\n")[0]
    (hooked / "new.bib").write_text(
        f"{UNKNOWN}\n{right}\n}}\n"
    )  # one could not be checked: no reason to stop
    assert _commit(hooked, environment).returncode == 0
    (hooked / "notes.txt").write_text("no bibliography\n")
    assert _commit(hooked, environment).returncode == 0


OPTIONS = ("--fail-on=none.bib", "--baseline=accept.bib", "--write-baseline=accept.bib", "--ignore=i.bib")


@pytest.mark.parametrize("name", OPTIONS)
def test_a_name_that_looks_like_an_option_is_checked_as_a_file(hooked, environment, name):
    (hooked / name).write_text(MAJOR)
    ended = _commit(hooked, environment)
    assert ended.returncode == 1
    assert "huang2017sparsely" in ended.stdout + ended.stderr
    assert not (hooked / "accept.bib").exists()


def test_every_template_ends_its_options_before_the_names_of_files():
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    assert hook["args"][-1] == "--"
    script = (ROOT / "templates/github_action.sh").read_text("utf-8")
    assert (
        len(re.findall(r"^ *citeproof check ", script, re.MULTILINE))
        == script.count(' -- "${files[@]}"')
        == 1
    )
    (line,) = [line for line in GITLAB["citeproof"]["script"] if "citeproof check" in line]
    assert line.endswith(" -- $CITE_FILES")
    pages = [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md", *(ROOT / "skills").rglob("*.md")]
    text = "\n".join(page.read_text("utf-8") for page in pages)
    piped = re.findall(r"xargs[^`\n]*citeproof[^`\n]*", text)
    examples = re.findall(r"args: \[([^\]]*)\]", text)
    assert piped
    assert examples
    assert [one for one in (*piped, *examples) if not one.endswith("--")] == []


def test_the_hook_is_what_pre_commit_takes(environment):
    ended = _run(["bash", "-c", "pre-commit validate-manifest .pre-commit-hooks.yaml"], ROOT, environment)
    assert ended.returncode == 0, ended.stdout


# --- GitLab -------------------------------------------------------------------------------------


def test_the_gitlab_job_fits_the_schema():
    schema = load_json_schema("gitlab-ci")
    jsonschema.validators.validator_for(schema)(schema).validate(GITLAB)


@pytest.mark.parametrize(
    ("variables", "code"),
    [
        ({"CITE_FILES": "paper/main.tex"}, Exit.PROBLEMS),
        ({"CITE_FILES": "."}, Exit.PROBLEMS),
        ({"CITE_FILES": "more*"}, Exit.UNCHECKED),
        ({"CITE_FILES": "paper/main.tex", "CITE_ARGS": "--fail-on none"}, Exit.CLEAN),
        ({"CITE_FILES": "paper/main.tex", "CITEPROOF_FAIL_ON": "unchecked"}, Exit.CLEAN),
    ],
)
def test_the_gitlab_job(variables, code, repository, environment):
    job = GITLAB["citeproof"]
    told = {"CI_PROJECT_DIR": str(repository)}
    set_by_job = {name: os.path.expandvars(value) for name, value in job["variables"].items()}
    cache = {"CITEPROOF_CACHE_DIR": f"{repository}/.cache/citeproof"}
    script = "\n".join(job["script"])
    seen = environment | told | set_by_job | cache | {"CITE_PACKAGE": ""} | variables
    ended = _run(["bash", "-eo", "pipefail", "-c", script], repository, seen)
    assert ended.returncode == code, ended.stderr
    assert job["allow_failure"]["exit_codes"] == Exit.UNCHECKED
    made = [*job["artifacts"]["paths"], job["artifacts"]["reports"]["junit"]]
    assert [(repository / name).stat().st_size > 0 for name in made] == [True] * 3
