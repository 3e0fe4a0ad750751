"""Every store twice: in a folder, and in a database of a real PostgreSQL server."""

from __future__ import annotations

import pytest

from tests.plumbing.stores.postgres_server import make_database, run_postgres


@pytest.fixture(scope="session")
def postgres():
    """A running server; the address of its own database."""
    with run_postgres() as url:
        yield url


@pytest.fixture
def database(postgres):
    """The address of a database that is new and empty."""
    return make_database(postgres)


@pytest.fixture(params=["sqlite", "postgres"])
def place(request, tmp_path):
    """Where a new store is: a folder, or a database of a real server."""
    if request.param == "sqlite":
        return str(tmp_path / "store")
    return request.getfixturevalue("database")
