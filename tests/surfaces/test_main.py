"""The edge of the command line: bugs, interruptions, closed pipes, `verify`, `doctor`, the Python door."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import citeproof
from citeproof.errors import SnapshotError
from citeproof.settings import Settings
from citeproof.surfaces.cli import main as door

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize(
    ("error", "code", "told"),
    [
        (
            SnapshotError("is torn", place="d/x\x1b[2J", hint="build it again"),
            2,
            "error: d/x\\x1b[2J: is torn\n  hint: build",
        ),
        (KeyboardInterrupt(), 130, "interrupted\n"),
        (ZeroDivisionError("oh"), 70, "error: ZeroDivisionError: oh\n  This is a bug."),
        (OSError(28, "No space left on device", "out"), 2, "error: out: No space left on device\n"),
    ],
)
def test_every_error_is_told_in_words(error, code, told, monkeypatch, cli):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr(door.cli, "main", fail)
    ended = cli("doctor")
    assert (ended.code, ended.out) == (code, "")
    assert ended.err.startswith(told)
    assert "Traceback" not in ended.err


def test_traceback_of_a_bug_only_on_demand(monkeypatch, cli):
    monkeypatch.setattr(door.cli, "main", lambda **_: 1 // 0)
    assert "Traceback" in cli("--debug", "doctor").err


@pytest.mark.parametrize("word", ["help", "version"])
def test_who_forgets_the_dashes_is_told(word, cli):
    assert f"Did you mean '--{word}'?" in cli(word).err
    assert cli("-V").out == cli("--version").out


def test_a_folder_without_documents_is_nothing_to_check(tmp_path, cli):
    ended = cli("check", str(tmp_path), "--offline")
    assert (ended.code, "no document in a known format" in ended.err) == (3, True)


def test_closed_pipe_is_quiet(snapshot):
    check = (
        f"{sys.executable} -m citeproof check {EXAMPLES}/references.bib --snapshot {snapshot} --format json"
    )
    script = f"{check}; echo $? >&2"
    done = subprocess.run(
        ["/bin/sh", "-c", f"({script}) | true"], capture_output=True, text=True, check=False
    )
    assert done.stderr.strip() in {"141", "1"}  # 1 when it was done before the reader went away


def test_interrupt_is_quiet_and_leaves_130():
    command = [sys.executable, "-m", "citeproof", "check", "-"]
    pipe = subprocess.PIPE
    child = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0)
    assert child.stdin is not None
    child.stdin.write(b" " * 1_000_000)  # more than a pipe holds: returns when the child reads its document
    child.send_signal(signal.SIGINT)
    _, err = child.communicate()
    assert (child.returncode, err.decode().strip()) == (130, "interrupted")


# --- verify ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("flags", "verdict", "code"),
    [
        (
            ["--title", "Mask R-CNN", "--doi", "https://doi.org/10.1109/ICCV.2017.322", "--author", "He"],
            "matched",
            0,
        ),
        (["--title", "Mask R-CNN", "--doi", "10.1109/CVPR.2016.90"], "ambiguous", 1),
        (["--title", "A Title that Nobody Ever Wrote", "--doi", "10.1109/CVPR.2016.90"], "mismatch", 1),
        (
            ["--title", "Shadow Pyramids of the Glacier", "--container", "CVPR", "--year", "2016"],
            "not_found",
            1,
        ),
        (["--title", "The TeXbook", "--author", "Knuth"], "unchecked", 4),
        (["--title", "Mask R-CNN", "--year", "2017"], "matched", 0),
    ],
)
def test_verify(flags, verdict, code, cli, snapshot):
    ended = cli("verify", *flags, "--snapshot", snapshot)
    assert json.loads(ended.out)["verdict"] == verdict
    assert ended.code == code


def test_verify_in_strict_compatibility(cli, snapshot):
    ended = cli("verify", "--title", "The TeXbook", "--compat", "--screen-with-llm", "--snapshot", snapshot)
    answer = json.loads(ended.out)
    assert (answer["verdict"], answer["status"]) == (None, "incomplete")
    assert "citeproof" not in answer
    assert answer["_provenance"]["llm_screen"]["applied"] is False


def test_verify_for_people(cli, snapshot):
    ended = cli("verify", "--title", "Mask R-CNN", "--format", "text", "--snapshot", snapshot)
    assert ended.out.startswith("✓ EXACT matched  citation  Mask R-CNN\n")


# --- doctor ------------------------------------------------------------------------------------


def test_doctor_is_content_with_a_snapshot(cli, snapshot, monkeypatch):
    monkeypatch.setenv("CITEPROOF_SNAPSHOT", str(snapshot))
    monkeypatch.setenv("CITEPROOF_CROSSREF_URL", "http://x")
    assert "CITEPROOF_CROSSREF_URL" not in cli("doctor").out
    ended = cli("doctor", "-v")
    assert ended.code == 0
    assert "[CITEPROOF_SNAPSHOT]" in ended.out
    assert "CITEPROOF_CROSSREF_URL" in ended.out
    assert "13 records" in ended.out
    assert ended.out.endswith("no problem found\n")


@pytest.mark.parametrize(("value", "told"), [("", "citeproof index starter"), ("/nowhere", "/nowhere")])
def test_doctor_says_how_to_mend(value, told, cli, monkeypatch):
    monkeypatch.setenv("CITEPROOF_SNAPSHOT", value)
    ended = cli("doctor")
    assert ended.code == 1
    assert told in ended.out
    assert "1 problem found" in ended.out


# --- the Python door ---------------------------------------------------------------------------

SHORT = EXAMPLES / "short.txt"


@pytest.mark.parametrize(
    "subject", [SHORT, str(SHORT), SHORT.read_text(encoding="utf-8"), SHORT.read_bytes()], ids=type
)
def test_check_takes_files_and_text(subject, snapshot):
    report = citeproof.check(subject, settings=Settings(snapshots=(snapshot,), offline=True))
    assert [c.judgement.verdict.value for c in report.references] == [
        "matched",
        "matched",
        "mismatch",
        "unchecked",
    ]
    assert report.exit_code == 1
    assert report.json()["summary"]["references"] == 4


def test_check_of_a_missing_file_is_an_error(snapshot):
    with pytest.raises(citeproof.InputError, match="no such file"):
        citeproof.check("refs.bib", settings=Settings(snapshots=(snapshot,), offline=True))


def test_verify_from_python(snapshot):
    settings = Settings(snapshots=(snapshot,), offline=True)
    checked = citeproof.verify("Mask R-CNN", doi="10.1109/iccv.2017.322", author="He", settings=settings)
    assert checked.judgement.verdict is citeproof.Verdict.MATCHED
    assert (
        asyncio.run(citeproof.averify("Mask R-CNN", settings=settings)).judgement.label
        is citeproof.Label.EXACT
    )


def test_module_runs_as_the_command():
    command = [sys.executable, "-m", "citeproof", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"citeproof {citeproof.__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("refs.bib", "--offline"), "hint: citeproof check refs.bib --offline\n"),
        (("check", "refs.bib", "-f", "json"), "hint: did you mean --fail-on or --fix or --format? see"),
        (("chekc", "refs.bib"), "Did you mean 'check'?"),
    ],
)
def test_a_slip_is_told_what_was_meant(arguments, hint, cli):
    ended = cli(*arguments)
    assert (ended.code, hint in ended.err) == (2, True)
