"""A PostgreSQL server that takes a connection and then says nothing more, as one on a frozen machine does."""

from __future__ import annotations

import socket
import threading
from contextlib import contextmanager, suppress

import pytest

from citeproof.plumbing.store_address import StoreAddress
from citeproof.plumbing.stores import postgres_database
from citeproof.plumbing.stores.postgres_cache import PostgresCache
from citeproof.plumbing.stores.postgres_database import PostgresLink
from citeproof.plumbing.stores.sqlite_file import StoreTables

psycopg = pytest.importorskip("psycopg")
TABLES = StoreTables("tests", "CREATE TABLE things (name TEXT)")
SSL = b"\x04\xd2\x16\x2f"
READY = b"R\0\0\0\x08\0\0\0\0" + b"S\0\0\0\x18server_version\x0015.0\0" + b"Z\0\0\0\x05I"


@contextmanager
def run_silent_server():
    """Yield the address of a server that lets everybody in and answers nobody."""
    taken = []

    def serve():
        with suppress(OSError):
            while True:
                one, _ = listening.accept()
                taken.append(one)
                if one.recv(1000)[4:8] == SSL:
                    one.sendall(b"N")
                    one.recv(1000)
                one.sendall(READY)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"postgresql://tester@127.0.0.1:{listening.getsockname()[1]}/test"
        listening.shutdown(socket.SHUT_RDWR)
        thread.join()
    for one in taken:
        one.close()


def test_a_server_that_keeps_silent_is_given_up(monkeypatch):
    monkeypatch.setattr(postgres_database, "SILENCE", 0.3)
    with run_silent_server() as url:
        with pytest.raises(psycopg.OperationalError, match="no answer within"):
            PostgresLink(url, TABLES).open()
        cache = PostgresCache(StoreAddress(url), TABLES, "nothing is shared", schema="tests")
        assert cache.ask("SELECT name FROM things") == []
        assert "no answer within" in cache.trouble
