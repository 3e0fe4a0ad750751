"""Documents that are no documents: a clear word, the right exit code, nothing lost."""

import os
import subprocess
import sys
from subprocess import CompletedProcess

import pytest

from tests.command_here import call_citeproof

pytestmark = pytest.mark.slow

RECORDS = b"""@inproceedings{he2016, title={Deep Residual Learning for Image Recognition},
author={Kaiming He and Xiangyu Zhang}, year={2016}, booktitle={CVPR}}"""


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory):
    from citeproof.evidence.index.build import BuildInput, build

    folder = tmp_path_factory.mktemp("snapshot")
    (folder / "records.bib").write_bytes(RECORDS)
    build([BuildInput("bibtex", (folder / "records.bib",))], folder / "made")
    return folder / "made"


def check(file, snapshot, *more):
    done = call_citeproof("check", file, "--snapshot", snapshot, *more)
    return CompletedProcess(done.args, done.returncode, done.stdout.encode(), done.stderr.encode())


CASES = [
    # name, bytes, exit code, word on standard error
    ("empty.bib", b"", 3, b"nothing to check"),
    ("blank.md", b"\n \n\t\n", 3, b"nothing to check"),
    ("binary.bib", bytes(range(256)) * 400, 2, b"binary"),
    ("paper.pdf", b"%PDF-1.7\n\x00\x01\x02", 2, b"hint:"),
    ("nul.bib", b"@article{x,\x00 title={Foo}}", 2, b"NUL byte at offset 11"),
    ("open.bib", b"@article{x, title={Never closed, year=2001\n" + RECORDS, 4, b"hint:"),
]


@pytest.mark.parametrize(("name", "data", "code", "word"), CASES, ids=[c[0] for c in CASES])
def test_each_gets_its_exit_code_and_a_word(name, data, code, word, snapshot, tmp_path):
    (tmp_path / name).write_bytes(data)
    done = check(tmp_path / name, snapshot, "--format", "jsonl")
    assert (done.returncode, word in done.stderr) == (code, True), done.stderr
    assert b"Traceback" not in done.stderr


def test_a_broken_entry_costs_no_other(snapshot, tmp_path):
    (tmp_path / "refs.bib").write_bytes(CASES[-1][1])
    done = check(tmp_path / "refs.bib", snapshot, "--format", "jsonl")
    assert b'"key":"he2016"' in done.stdout
    assert b'"label":"EXACT"' in done.stdout


@pytest.mark.soak
@pytest.mark.parametrize("start", [b"", b"@article{x, title={"], ids=["text", "bibtex"])
def test_one_enormous_line_is_bounded_in_time_and_output(start, snapshot, tmp_path, soak_share):
    (tmp_path / "line.txt").write_bytes(start + b"a b " * int(25_000_000 * soak_share))
    done = check(tmp_path / "line.txt", snapshot, "--format", "jsonl")
    assert done.returncode == 4
    assert len(done.stdout) < 100_000
    assert b"line.txt:1:1" in done.stderr


def test_the_output_is_written_whole_or_not_at_all(snapshot, tmp_path):
    (tmp_path / "nul.bib").write_bytes(b"\x00")
    done = check(tmp_path / "nul.bib", snapshot, "-o", str(tmp_path / "out.txt"))
    assert done.returncode == 2
    assert sorted(p.name for p in tmp_path.iterdir()) == ["nul.bib"]


def test_an_output_folder_that_is_not_there_is_named(snapshot, tmp_path):
    (tmp_path / "refs.bib").write_bytes(RECORDS)
    done = check(tmp_path / "refs.bib", snapshot, "-o", str(tmp_path / "no" / "out.txt"))
    assert done.returncode == 2
    assert b"/no: cannot write" in done.stderr
    assert b"hint:" in done.stderr


def test_no_snapshot_at_all_leaves_everything_unchecked(tmp_path):
    (tmp_path / "refs.bib").write_bytes(RECORDS)
    environment = {**os.environ, "CITEPROOF_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, "-m", "citeproof", "check", str(tmp_path / "refs.bib")]
    done = subprocess.run(command, capture_output=True, env=environment, check=False)
    assert done.returncode == 4
    assert b"ould not be checked" in done.stdout
    assert b"not_found" not in done.stdout
