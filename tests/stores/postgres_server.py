"""A PostgreSQL server of the tests' own: in a folder of its own, on a socket in it, gone with them."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

import pytest


@contextmanager
def run_postgres() -> Iterator[str]:
    """Yield the address of an empty database; skip where PostgreSQL is not installed."""
    programs = max(Path("/usr/lib/postgresql").glob("*/bin/initdb"), default=None)
    found = str(programs) if programs else shutil.which("initdb")
    if found is None:
        pytest.skip("no PostgreSQL server here; install the package postgresql")
    folder = Path(mkdtemp(prefix="citeproof-pg-", dir="/tmp"))
    user = {"user": "postgres"} if os.geteuid() == 0 else {}
    if user:
        shutil.chown(folder, "postgres")
    control = Path(found).with_name("pg_ctl")
    data = folder / "data"
    try:
        _run(found, "-D", data, "-U", "tester", "-A", "trust", "-N", **user)
        options = f"-c listen_addresses='' -k {folder} -c fsync=off"
        _run(control, "-D", data, "-w", "-t", "120", "-l", folder / "log", "-o", options, "start", **user)
        try:
            yield f"postgresql://tester@/postgres?host={folder}"
        finally:
            _run(control, "-D", data, "-m", "immediate", "-w", "-t", "120", "stop", **user)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def restart_postgres(url: str) -> None:
    """Restart the server at once, so that every connection breaks."""
    folder = Path(url.rpartition("host=")[2])
    control = max(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))
    user = {"user": "postgres"} if os.geteuid() == 0 else {}
    options = f"-c listen_addresses='' -k {folder} -c fsync=off"
    where = ("-D", folder / "data")
    _run(control, *where, "-m", "immediate", "-w", "-t", "120", "stop", **user)
    _run(control, *where, "-w", "-t", "120", "-l", folder / "log", "-o", options, "start", **user)


def _run(*command: object, **how: str) -> None:
    subprocess.run(
        [str(word) for word in command],
        check=True,
        cwd="/",
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        **how,  # type: ignore[call-overload]
    )
