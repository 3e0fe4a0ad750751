"""Text files that expand, nest, include themselves or repeat: each costs little, and ends with a word."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from citeproof.reading.extractors.base import load_extractors
from tests.faults.bomb_runner import BUG
from tests.faults.generated_bombs import ALL, BOMBS, SAMPLE
from tests.soak import FULL

pytestmark = pytest.mark.slow

SECONDS = 20  # of processor time: twice what a busy machine takes, less than what was broken took
MEGABYTES = 500
ENDED = {0, 1, 2, 3, 4}  # exit codes of a run that ended with its own word
ROOT = Path(__file__).parents[2]
# What once took a gigabyte or half a minute.
REPRODUCTIONS = [
    ("bibtex string doubling", 30),
    ("latex citing doubled strings", 30),
    ("latex bibitems of one key", 40_000),
    ("latex self-inclusion", 20_000),
    ("latex citations inside each other", 40_000),
    ("latex macros of citations inside each other", 40_000),
]


def _run(command, folder, wanted):
    """Return what the real command took and said on each bomb."""
    named = [f"{name}={size}" for name, size in wanted]
    line = [sys.executable, "-m", "tests.faults.bomb_runner", command, str(folder), *named]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=True)
    return [json.loads(told) for told in done.stdout.splitlines()]


def _wrong(told):
    """Return the runs that took too much or ended without a word."""
    return [
        one
        for one in told
        if one["code"] not in ENDED
        or one["seconds"] > SECONDS
        or one["megabytes"] > MEGABYTES
        or not one["said"].strip()
        or BUG in one["said"]
    ]


def test_what_was_broken_ends_within_its_limits(tmp_path):
    assert _wrong(_run("extract", tmp_path, REPRODUCTIONS)) == []


@pytest.mark.soak
@pytest.mark.parametrize("command", ["check", "extract"])
def test_every_bomb_ends_within_its_limits(command, tmp_path):
    wanted = ALL if FULL else SAMPLE[:: 1 if command == "check" else 4]  # check extracts too
    told = _run(command, tmp_path, wanted)
    assert len(told) == len(wanted)
    assert _wrong(told) == []


def test_there_are_two_hundred():
    assert len(ALL) >= 200


@pytest.mark.parametrize("form", [name for name, one in load_extractors().items() if not one.hostile])
def test_every_format_that_is_read_in_this_process_has_bombs(form):
    shown = {"csl_json": "csl", "plain_text": "text"}
    assert any(name.startswith(shown.get(form, form)) for name in BOMBS)
