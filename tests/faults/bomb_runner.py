"""Runs the real commands on bombs, each in a forked process with limits, and prints what each of them took.

    python -m tests.faults.bomb_runner check FOLDER "bibtex string doubling=24" …

One line of JSON a bomb: its name and size, exit code, CPU-seconds, megabytes, and what was said.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import shutil
import sys
from pathlib import Path

COMMANDS = {"check": ["check", "--offline"], "extract": ["extract", "--format", "jsonl"]}
SAID = 3_000  # characters of what a run said that are kept
BUG = "This is a bug"
MEMORY = 4 << 30  # bytes of addresses: a bomb that goes off must not take the machine with it
LIMIT = 30  # CPU-seconds after which a process is ended: far more than a bomb may take


def main(command: str, folder: str, *wanted: str) -> None:
    from citeproof.reading.extractors.base import load_extractors  # loaded once, before the first fork
    from tests.faults.generated_bombs import BOMBS

    load_extractors()
    for one in wanted:
        name, _, size = one.rpartition("=")
        place = Path(folder) / "bomb"
        place.mkdir()
        files = BOMBS[name].files(int(size))
        for file, text in files.items():
            (place / file).write_text(text, "utf-8")
        told = _measured([*COMMANDS[command], next(iter(files))], place)
        sys.stdout.write(json.dumps({"name": name, "size": int(size), **told}) + "\n")
        sys.stdout.flush()
        shutil.rmtree(place)


def _measured(arguments: list[str], place: Path) -> dict[str, object]:
    child = os.fork()
    if child == 0:
        _run(arguments, place)
    _, status, used = os.wait4(child, 0)
    said = (place / "stderr").read_text("utf-8", "replace")
    said += (place / "stdout").read_text("utf-8", "replace")[-SAID:]
    return {
        "code": os.waitstatus_to_exitcode(status),
        "seconds": round(used.ru_utime + used.ru_stime, 2),
        "megabytes": used.ru_maxrss >> 10,
        "said": said[:SAID],
    }


def _run(arguments: list[str], place: Path) -> None:
    """Run one command in this very process, which ends with it."""
    code = 99
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        os.chdir(place)
        os.environ["CITEPROOF_CACHE_DIR"] = str(place / "cache")
        for name, number in (("stdout", 1), ("stderr", 2)):
            os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT, 0o600), number)
        from citeproof.plumbing import sandbox
        from citeproof.surfaces.cli.main import _run_command as run

        code = run(arguments, debug=False)
        sandbox.close_helpers()
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError):
                stream.flush()
    finally:
        os._exit(code)


if __name__ == "__main__":
    main(*sys.argv[1:])
