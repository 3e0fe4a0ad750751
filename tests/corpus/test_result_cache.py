"""What is kept between runs is used while it holds, and never when it does not."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from citeproof.corpus import document_run
from citeproof.corpus.corpus_types import AskedQuestion, DocumentResult
from citeproof.corpus.result_cache import (
    KEYS,
    LARGEST,
    PackedResult,
    ResultCache,
    pack_result,
)
from tests.corpus.examiner import NOON, digest, digest_in, keeping_at, made, seen
from tests.corpus.test_document_run import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Three documents that were examined: two rest on `x`, one of them on `y` too, one on nothing."""
    world = World(tmp_path)
    (world.ground / "x").write_text("x\n")
    world.old("a.md", "rests on x")
    world.old("b.md", "rests on x\nrests on y")
    world.old("c.md", "rests alone")
    assert examined(world) == ["a.md", "b.md", "c.md"]
    return world


def examined(world: World, key: str = "key") -> list[str]:
    """Return the documents that a run examined, whose results are always those of the bytes."""
    before = seen(world.log)
    paths = sorted(world.root.iterdir())
    with closing(world.keeping(key)) as keeping:
        results = world.run(paths, keeping)
        assert keeping.trouble == ""
    assert [result.file for result in results] == [path.name for path in paths]
    assert [result.issues[0].claim for result in results] == [path.read_text()[:40] for path in paths]
    after = seen(world.log)
    for name in before:
        after.remove(name)
    return after


def database(world: World) -> Path:
    return next((world.cache / "corpus").glob("*.sqlite"))


def do(world: World, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(database(world))) as connection, connection:
        connection.execute(statement, values)


def same_size_and_mtime(path: Path, text: str) -> None:
    was = path.stat()
    assert len(text) == was.st_size
    path.write_text(text)
    os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))


def replaced(path: Path) -> None:
    copy = path.with_name("copy")
    copy.write_bytes(path.read_bytes())
    copy.replace(path)


CHANGES = {
    "nothing": (lambda w: None, []),
    "touched": (lambda w: (w.root / "a.md").touch(), []),
    "an older mtime": (lambda w: os.utime(w.root / "a.md", (1, 1)), []),
    "other inode, as in a fresh clone": (lambda w: replaced(w.root / "a.md"), []),
    "written again": (lambda w: w.old("a.md", "rests on x"), []),
    "content": (lambda w: w.old("a.md", "rests on y"), ["a.md"]),
    "content, mtime restored": (lambda w: same_size_and_mtime(w.root / "c.md", "rests sound"), ["c.md"]),
    "empty": (lambda w: w.old("c.md", ""), ["c.md"]),
    "a new one": (lambda w: w.old("d.md", "words"), ["d.md"]),
    "one gone": (lambda w: (w.root / "a.md").unlink(), []),
    "renamed": (lambda w: (w.root / "c.md").rename(w.root / "d.md"), ["d.md"]),
    "what two rest on": (lambda w: (w.ground / "x").write_text("z\n"), ["a.md", "b.md"]),
    "what two rest on is gone": (lambda w: (w.ground / "x").unlink(), ["a.md", "b.md"]),
    "what one rests on came": (lambda w: (w.ground / "y").write_text("y\n"), ["b.md"]),
    "what none rests on": (lambda w: (w.ground / "z").write_text("z\n"), []),
    "what is rested on, written again": (lambda w: (w.ground / "x").write_text("x\n"), []),
}


@pytest.mark.parametrize(("change", "expected"), CHANGES.values(), ids=CHANGES)
def test_only_what_rests_on_a_change_is_examined_again(world, change, expected) -> None:
    change(world)
    assert examined(world) == expected
    assert examined(world) == []


def test_other_settings_are_other_rows_and_both_stay(world) -> None:
    assert examined(world, "strict") == ["a.md", "b.md", "c.md"]
    assert examined(world) == examined(world, "strict") == []


def test_keys_that_are_not_used_any_more_go(world) -> None:
    for number in range(KEYS):
        examined(world, f"other {number}")
    assert examined(world, "other 0") == []
    assert examined(world) == ["a.md", "b.md", "c.md"]


@pytest.mark.parametrize("column", ["asked", "head", "citations", "sha256"])
@pytest.mark.parametrize("value", [None, b"", b"\x00" * 9, "words", -1, 1.5])
def test_a_damaged_row_is_examined_again(world, column, value) -> None:
    do(world, f"UPDATE documents SET {column} = ? WHERE path = ?", value, b"c.md")
    assert examined(world) == ["c.md"]
    assert examined(world) == []


@pytest.mark.parametrize("column", ["asked", "head", "citations"])
def test_one_flipped_bit_is_found(world, column) -> None:
    with closing(sqlite3.connect(database(world))) as connection:
        (blob,) = connection.execute(f"SELECT {column} FROM documents WHERE path = ?", (b"b.md",)).fetchone()
    for at in range(len(blob)):
        bad = blob[:at] + bytes([blob[at] ^ 1]) + blob[at + 1 :]
        row = PackedResult(b"", bad, bad, bad)
        assert row.list_questions() is None
        assert row.result("f", (), citations=True) is None
    do(world, f"UPDATE documents SET {column} = ? WHERE path = ?", bad, b"b.md")
    assert examined(world) == ["b.md"]


def broken(path: Path, how: str) -> None:
    data = path.read_bytes()
    if how == "words":
        path.write_text("this is no database, whatever its name says" * 100)
    elif how == "cut":
        path.write_bytes(data[: len(data) // 2])
    elif how == "holes":
        path.write_bytes(data[:100] + bytes(len(data) - 100))
    elif how == "empty":
        path.write_bytes(b"")
    elif how == "later version":
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA user_version = 99")
    elif how == "other tables":
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("DROP TABLE documents")
            connection.execute("CREATE TABLE documents (words)")


@pytest.mark.parametrize("how", ["words", "cut", "holes", "empty", "later version", "other tables"])
def test_a_damaged_file_costs_one_run_and_is_made_again(world, how) -> None:
    broken(database(world), how)
    for _ in range(2):  # damage may show only when rows are read: then the next run makes the file again
        with closing(world.keeping()) as keeping:
            assert len(world.run(sorted(world.root.iterdir()), keeping)) == 3
    assert examined(world) == []


@pytest.mark.parametrize("how", ["file for a folder", "folder for a file", "full"])
def test_a_run_goes_on_when_nothing_can_be_kept_and_says_so_once(world, how) -> None:
    path = database(world)
    path.unlink()
    if how == "file for a folder":
        path.parent.rmdir()
        path.parent.write_text("in the way")
    elif how == "folder for a file":
        path.mkdir()
    paths = world.write(30, "words " * 1000)
    with closing(world.keeping()) as keeping:
        if how == "full":
            pages = keeping.database._open().execute("PRAGMA page_count").fetchone()[0]
            keeping.database._open().execute(f"PRAGMA max_page_count = {pages + 2}")
            keeping.put([(p, pack_result(made(p.name, "x" * 40, cited=500), bytes(32))) for p in paths])
        assert len(world.run(paths, keeping)) == 30
        assert str(path) in keeping.trouble
        assert "not cached" in keeping.trouble
        assert keeping.doi("10.1/x", "s") is None


@pytest.mark.parametrize("how", ["moved", "another with its name"])
def test_a_root_elsewhere_begins_anew(world, tmp_path, how) -> None:
    """Whoever names a project after another must not be able to bring its results along."""
    target = tmp_path / "elsewhere/docs"
    target.parent.mkdir()
    if how == "moved":
        world.root.rename(target)
    else:
        shutil.copytree(world.root, target)
        shutil.rmtree(world.root)
    world.root = target
    assert examined(world) == ["a.md", "b.md", "c.md"]
    assert examined(world) == []


@pytest.mark.parametrize("how", ["below the root", "by a link into the root", "a link"])
def test_a_file_that_a_project_could_have_made_is_not_used(world, how, tmp_path) -> None:
    old = database(world)
    do(world, "UPDATE documents SET head = (SELECT head FROM documents WHERE path = ?)", b"c.md")
    if how == "a link":  # its file lies in the project
        old.rename(world.root / "forged")
        old.symlink_to(world.root / "forged")
    else:
        old.parent.parent.rename(world.root / ".cache")
        world.cache = tmp_path / "cache" if "link" in how else world.root / ".cache"
        if "link" in how:
            world.cache.symlink_to(world.root / ".cache")
    paths = sorted(world.root.glob("*.md"))
    with closing(world.keeping()) as keeping:
        results = world.run(paths, keeping)
        assert "not cached" in keeping.trouble
    assert [result.issues[0].claim for result in results] == [path.read_text()[:40] for path in paths]


def test_a_file_of_another_user_is_not_used(world, monkeypatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: database(world).stat().st_uid + 1)
    with closing(world.keeping()) as keeping:
        assert [row for _, row in keeping.get(sorted(world.root.iterdir()))] == [None] * 3
        assert "belongs to another user" in keeping.trouble


@pytest.mark.parametrize(
    ("question", "largest", "kept"),
    [
        ("file:x", LARGEST, True),
        ("never:", LARGEST, False),
        ("never:x", LARGEST, False),
        ("file:x", 99, False),
    ],
)
def test_results_of_a_passing_failure_and_large_ones_are_shown_and_not_kept(
    world, monkeypatch, question, largest, kept
) -> None:
    monkeypatch.setattr("citeproof.corpus.result_cache.LARGEST", largest)
    path = world.root / "a.md"
    result = made("a.md", "rests on x", (AskedQuestion(question, digest_in(world.ground, question)),))

    def run(keeping: ResultCache) -> list[DocumentResult]:
        given = (lambda: lambda *_: result, keeping, digest(world.ground), 1)
        return list(document_run.examine_documents([path], lambda path: path.name, *given, citations=True))

    with closing(world.keeping("another")) as keeping:
        assert run(keeping) == [result]
        assert keeping.trouble == ""
        assert [row is not None for _, row in keeping.get([path])] == [kept]


def test_a_row_that_would_fill_the_memory_is_not_unpacked() -> None:
    row = pack_result(made("f", "words", cited=5_000), bytes(32))
    assert row.result("f", (), citations=True, largest=9_000) is None
    assert row.result("f", (), citations=True) is not None


def test_a_copied_root_takes_nothing_from_the_one_that_stays(world, tmp_path) -> None:
    shutil.copytree(world.root, tmp_path / "copy" / "docs")
    first, world.root = world.root, tmp_path / "copy" / "docs"
    assert examined(world) == ["a.md", "b.md", "c.md"]
    world.root = first
    assert examined(world) == []


@pytest.mark.parametrize(("days", "there"), [(100, False), (80, True)])
def test_files_that_no_run_opened_for_long_go(world, tmp_path, days, there) -> None:
    old = database(world)
    os.utime(old, (old.stat().st_mtime - days * 86_400,) * 2)
    other = tmp_path / "new"
    other.mkdir()
    with closing(ResultCache(world.cache, other, "key")) as keeping:
        assert keeping.doi("10.1/x", "s") is None
    assert old.exists() is there


def test_the_file_is_for_this_user_only(world) -> None:
    assert stat.S_IMODE(database(world).stat().st_mode) == 0o600
    assert stat.S_IMODE(database(world).parent.stat().st_mode) == 0o700


SCRIPT = """
import sys
from pathlib import Path
sys.path.insert(0, {top!r})
from tests.corpus.test_document_run import World
world = World.__new__(World)
world.root, world.ground, world.cache, world.log = map(Path, {folders!r})
keeping = world.keeping()
results = world.run(sorted(world.root.iterdir()), keeping)
keeping.close()
print(len(results), keeping.trouble)
"""


def test_several_processes_at_once(tmp_path) -> None:
    world = World(tmp_path)
    paths = world.write(300)
    folders = [str(f) for f in (world.root, world.ground, world.cache, world.log)]
    script = SCRIPT.format(top=str(Path(__file__).parents[2]), folders=folders)
    children = [
        subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) for _ in range(4)
    ]
    assert [child.communicate(timeout=60)[0].strip() for child in children] == ["300"] * 4
    before = len(seen(world.log))
    with closing(world.keeping()) as keeping:
        assert world.run(paths, keeping) == [made(p.name, p.read_text()) for p in paths]
    assert len(seen(world.log)) == before


def test_rows_of_files_that_are_gone_go_with_the_next_run(tmp_path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "here.md").touch()
    row = pack_result(made("f", "words"), bytes(32))
    paths = [root / "here.md", root / "gone.md"]
    counted = []
    for days in (0, 0.5, 2):
        with closing(keeping_at(tmp_path, NOON + timedelta(days=days))) as keeping:
            if not days:
                keeping.put([(path, row) for path in paths])
                keeping.put_doi("10.1/x", "s", "exists", NOON + timedelta(hours=1))
            rows = dict(keeping.get(paths))
            counted.append((rows[paths[0]] == row, rows[paths[1]] == row))
            (dois,) = keeping.database.ask("SELECT count(*) FROM dois")[0]
    assert counted == [(True, True), (True, False), (True, False)]
    assert dois == 0


def test_names_and_words_that_are_not_utf8_are_kept(tmp_path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path / "root") + b"/caf\xe9.md"))
    result = made("f", "bad \udce9 word", (AskedQuestion("file:caf\udce9", "d"),))
    with closing(keeping_at(tmp_path, NOON)) as keeping:
        keeping.put([(path, pack_result(result, bytes(32)))])
        ((_, row),) = keeping.get([path])
    asked = row.list_questions()
    assert row.result("f", asked, citations=True).issues[0].claim == "bad ? word"
    assert asked == (AskedQuestion("file:caf?", "d"),)
