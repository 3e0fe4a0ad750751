"""Files of SQLite that several processes open at once."""

from __future__ import annotations

import sqlite3
import threading

import pytest

from citeproof.plumbing.stores.sqlite_file import connect_database, prepare_file


def test_a_new_file_that_another_process_holds_is_waited_for(tmp_path):
    path = tmp_path / "new.sqlite"
    other = connect_database(path, 0)
    other.execute("BEGIN EXCLUSIVE")
    mine = connect_database(path, 0)
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        mine.execute("PRAGMA journal_mode = WAL")  # SQLite itself does not wait
    release = threading.Timer(0.2, other.execute, ["COMMIT"])
    release.start()
    prepare_file(mine, "NORMAL")
    release.join()
    assert mine.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    mine.close()
    other.close()


def test_what_is_no_database_is_told_at_once(tmp_path):
    path = tmp_path / "text.sqlite"
    path.write_bytes(b"no database " * 400)
    connection = connect_database(path, 0)
    with pytest.raises(sqlite3.DatabaseError, match="not a database"):
        prepare_file(connection, "NORMAL")
    connection.close()
