"""`python -m bench.annotate`: from chat answers to a benchmark that people labelled."""

from __future__ import annotations

import json
import os
import pty
import sys

import pytest
from bench.annotate.__main__ import command

from tests.hostile.repository import entries
from tests.surfaces.conftest import EXAMPLES

ANSWER = EXAMPLES / "answer.md"


@pytest.fixture
def found(cli, tmp_path):
    """The citations of the example answer, without labels."""
    ended = cli("extract", ANSWER, "--format", "jsonl")
    assert ended.code == 0, ended.err
    (tmp_path / "natural.jsonl").write_text(ended.out, encoding="utf-8")
    return tmp_path / "natural.jsonl"


def rows(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def labelled(path, **given):
    lines = ["key,label", *(f"{key.removeprefix('k')},{label}" for key, label in given.items())]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_the_name_of_a_benchmark_is_shown_without_its_escapes(cli, tmp_path):
    folder = tmp_path / "a\x1b[2Jb"
    folder.mkdir()
    (tmp_path / "many.bib").write_text("".join(entries(500)), encoding="utf-8")
    options = ("--from", "bibtex", "--count", "12", "-o", folder / "made.jsonl")
    made = cli("bench", "make", "citecheck", tmp_path / "many.bib", *options)
    assert "a\\x1b[2Jb" in made.err
    assert "\x1b" not in made.out + made.err


def test_answers_are_no_labels(cli, run, found, tmp_path, snapshot):
    ended = cli("check", ANSWER, "--snapshot", snapshot, "--format", "jsonl")
    (tmp_path / "said.jsonl").write_text(ended.out, encoding="utf-8")
    labels = ("--labels", tmp_path / "said.jsonl")
    refused = run(command, found, *labels, *labels)
    assert refused.code == 2
    assert "contains answers of citeproof, not labels" in refused.err


def test_two_labels_make_a_benchmark(cli, run, found, tmp_path, snapshot):
    one = labelled(tmp_path / "a.csv", k0="EXACT", k1="MINOR", k2="EXACT", k3="MAJOR", k4="EXACT")
    two = labelled(tmp_path / "b.csv", k0="EXACT", k1="MINOR", k2="MINOR", k3="MAJOR", k4="UNSURE")
    both = ("--labels", one, "--labels", two)
    alone = run(command, found, *both)
    assert "5 items labelled by both, 3 kept, 2 dropped" in alone.out
    assert "Lewis, P., Perez" in alone.out  # what was dropped is told
    bench = tmp_path / "bench.jsonl"
    ended = run(command, found, *both, "--merge", "--audit", "0.3", "-o", bench, "--format", "json")
    assert ended.code == 0, ended.err
    assert json.loads(ended.out)["kept"] == 3
    assert [(item["index"], item["label"]) for item in rows(bench)] == [
        (0, "EXACT"),
        (1, "MINOR"),
        (3, "MAJOR"),
    ]
    (audit,) = rows(tmp_path / "bench.audit.jsonl")
    assert audit["index"] in (0, 1, 3)
    assert "label" not in audit
    ran = json.loads(cli("bench", "run", bench, "--snapshot", snapshot, "--format", "json", "--draws", 5).out)
    assert ran["results"][0]["items"] == 3
    assert ran["results"][0]["confusion"]["EXACT"]["EXACT"] == 1
    merged = run(command, tmp_path / "bench.audit.jsonl", "--labels", one, "--labels", bench)
    assert "agreement 100.0%" in merged.out or "not defined" in merged.out


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        ((), "wants one of --by and --labels"),
        (("--by", "ann"), "not a terminal"),
        (("--by", "../ann"), "not a valid name"),
        (("--by", "ann", "--labels", "a.csv"), "wants one of"),
        (("--labels", "a.csv"), "two files are compared"),
        (("--labels", "a.csv", "--labels", "b.csv", "--merge"), "needs two --labels and --out"),
        (("--labels", "a.csv", "--labels", "b.csv", "-o", "x"), "nothing would be written"),
        (("--labels", "a.csv", "--labels", "b.csv", "--audit", "0.1"), "belongs to --merge"),
        (("--labels", "a.csv", "--labels", "c.csv"), "has no labels for"),
        (("--labels", "a.csv", "--labels", "a.csv"), "one file was given twice"),
        (("--labels", "ann.jsonl", "--labels", "b.csv"), "labels another file"),
    ],
)
def test_wrong_usage(run, found, tmp_path, flags, told):
    labelled(tmp_path / "a.csv", k0="EXACT")
    labelled(tmp_path / "b.csv", k0="EXACT")
    labelled(tmp_path / "c.csv", kother="EXACT")
    head = {"citeproof_labels": {"by": "ann", "file": "x", "sha256": "0"}}
    (tmp_path / "ann.jsonl").write_text(
        json.dumps(head) + '\n{"key": "0", "label": "EXACT"}\n', encoding="utf-8"
    )
    ended = run(command, found, *flags)
    assert ended.code == 2
    assert told in ended.err
    assert "hint: " in ended.err


def at_terminal(keys, *arguments, cwd):
    """Return what a terminal shows while `keys` are typed, each when the question before it stands there."""
    here, there = pty.openpty()
    child = os.posix_spawn(
        sys.executable,
        [sys.executable, "-m", "bench.annotate", *map(str, arguments)],
        {"PATH": os.defpath, "HOME": str(cwd), "LC_ALL": "C.UTF-8", "PYTHONPATH": str(EXAMPLES.parent)},
        file_actions=[(os.POSIX_SPAWN_DUP2, there, fd) for fd in (0, 1, 2)],
    )
    os.close(there)
    written, asked = b"", 0
    while chunk := _read(here):
        written += chunk
        while written.count(b"q quit: ") > asked and asked < len(keys):
            os.write(here, f"{keys[asked]}\n".encode())
            asked += 1
    _, status = os.waitpid(child, 0)
    os.close(here)
    return os.waitstatus_to_exitcode(status), written.decode()


def _read(terminal):
    try:
        return os.read(terminal, 4096)
    except OSError:  # the child has ended
        return b""


def test_the_name_of_a_file_of_labels_is_shown_without_its_escapes(found, tmp_path):
    out = tmp_path / "a\x1b[2Jb.jsonl"
    _, shown = at_terminal("q", found, "--by", "ann", "-o", out, cwd=tmp_path)
    assert "a\\x1b[2Jb.jsonl: 0 labelled, 6 left" in shown


def test_labels_at_a_terminal_go_on_where_they_were_left(found, tmp_path):
    arguments = (found, "--by", "ann")
    code, shown = at_terminal("emxMq", *arguments, cwd=tmp_path)
    assert code == 0
    assert "[1/6]" in shown
    assert "3 labelled, 3 left" in shown
    store = tmp_path / "natural.ann.labels.jsonl"
    head, *given = rows(store)
    assert head["citeproof_labels"]["by"] == "ann"
    assert [one["label"] for one in given] == ["EXACT", "MINOR", "MAJOR"]
    code, shown = at_terminal("usq", *arguments, cwd=tmp_path)
    assert "[4/6]" in shown
    assert "4 labelled, 2 left" in shown  # the skipped one comes again
    assert rows(store)[-1]["label"] == "UNSURE"
    assert len({one["key"] for one in rows(store)[1:]}) == 4


def test_nobody_goes_on_with_the_labels_of_another(found, tmp_path):
    at_terminal("eq", found, "--by", "ann", cwd=tmp_path)
    store = tmp_path / "natural.ann.labels.jsonl"
    code, shown = at_terminal("q", found, "--by", "bob", "-o", store, cwd=tmp_path)
    assert code == 2
    assert "another person" in shown
