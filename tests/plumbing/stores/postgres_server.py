"""A PostgreSQL server of the tests' own: in a folder of its own, on a socket in it, gone with them."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

import psycopg
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


def make_database(url: str) -> str:
    """Return the address of a new, empty database of a running server."""
    name = f"test_{secrets.token_hex(6)}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE template0".encode())
    return url.replace("/postgres?", f"/{name}?")


def restart_postgres(url: str) -> None:
    """Restart the server at once, so that every connection breaks."""
    stop_postgres(url)
    start_postgres(url)


def stop_postgres(url: str, how: str = "immediate") -> None:
    """Stop the server at once, as if it crashed; `fast`: it writes what it has to write."""
    control, where, user = _find_server(url)
    _run(control, *where, "-m", how, "-w", "-t", "120", "stop", **user)


def start_postgres(url: str) -> None:
    """Start a server that was stopped."""
    control, where, user = _find_server(url)
    folder = Path(url.rpartition("host=")[2])
    options = f"-c listen_addresses='' -k {folder} -c fsync=off"
    _run(control, *where, "-w", "-t", "120", "-l", folder / "log", "-o", options, "start", **user)


def _find_server(url: str) -> tuple[Path, tuple[object, ...], dict[str, str]]:
    folder = Path(url.rpartition("host=")[2])
    control = max(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))
    return control, ("-D", folder / "data"), {"user": "postgres"} if os.geteuid() == 0 else {}


def _run(*command: object, **how: str) -> None:
    subprocess.run(
        [str(word) for word in command],
        check=True,
        cwd="/",
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        **how,  # type: ignore[call-overload]
    )
