"""Documents examined: in order, by workers, from what was kept; no document ends a run."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from time import sleep

import pytest

from citeproof.corpus import document_run
from citeproof.corpus.corpus_types import DocumentResult, shorten_result
from citeproof.corpus.document_run import examine_documents
from citeproof.corpus.result_cache import ResultCache
from citeproof.plumbing import worker_processes
from tests.corpus.examiner import digest, made, make, processes, seen


class World:
    """A folder of documents, the ground they rest on, and a cache."""

    def __init__(self, folder: Path) -> None:
        self.root, self.ground, self.cache = folder / "docs", folder / "ground", folder / "cache"
        self.log = folder / "log"
        self.root.mkdir(parents=True)
        self.ground.mkdir()

    def write(self, count: int, text: str = "words {n}") -> list[Path]:
        """Write documents that did not change for long."""
        return [self.old(f"{n:04}.md", text.format(n=n)) for n in range(count)]

    def old(self, name: str, text: str) -> Path:
        path = self.root / name
        path.write_text(text)
        return path

    def keeping(self, key: str = "key") -> ResultCache:
        return ResultCache(self.cache, self.root, key)

    def run(
        self, paths: list[Path], keeping: ResultCache | None = None, jobs: int = 2, **more: object
    ) -> list[DocumentResult]:
        return list(self.going(paths, keeping, jobs, **more))

    def going(
        self,
        paths: list[Path],
        keeping: ResultCache | None = None,
        jobs: int = 2,
        *,
        citations: bool = True,
        **more: object,
    ) -> Iterator[DocumentResult]:
        given = (make(self.ground, self.log), keeping, digest(self.ground), jobs)
        return examine_documents(paths, lambda path: path.name, *given, citations=citations, **more)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def alone(check: Callable[[World], None], folder: Path) -> None:
    """Have a check hold in a process of its own: other tests leave threads, beside which nothing forks."""
    words = "import sys; from pathlib import Path; sys.path.insert(0, sys.argv[1])"
    words += "; from tests.corpus import test_document_run as ours"
    words += "; getattr(ours, sys.argv[2])(ours.World(Path(sys.argv[3])))"
    given = [str(Path(__file__).parents[2]), check.__name__, str(folder / "alone")]
    ran = subprocess.run(
        [sys.executable, "-c", words, *given], capture_output=True, check=False, timeout=120, text=True
    )
    assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize(
    ("count", "jobs", "workers"), [(0, 2, 0), (30, 2, 0), (120, 1, 0), (330, 2, 2), (330, 3, 3)]
)
def test_every_document_once_and_in_order_whoever_examines_it(world, count, jobs, workers) -> None:
    paths = world.write(count)
    paths.reverse()
    assert world.run(paths, jobs=jobs) == [made(p.name, p.read_text()) for p in paths]
    assert seen(world.log) == sorted(path.name for path in paths)
    if count:
        ours = os.getpid() in processes(world.log)
        assert (ours, len(processes(world.log))) == ((True, 1) if not workers else (False, workers))


def test_without_citations_all_else_is_there(world) -> None:
    paths = world.write(60)
    wanted = [shorten_result(made(p.name, p.read_text())) for p in paths]
    with closing(world.keeping()) as keeping:
        assert world.run(paths, keeping, citations=False) == wanted
        assert world.run(paths, keeping, citations=False) == wanted
        assert world.run(paths, keeping) == [made(p.name, p.read_text()) for p in paths]
    assert len(seen(world.log)) == 60


def test_workers_that_are_no_forks_give_the_same(world) -> None:
    paths = world.write(document_run.FEW_AFRESH)
    told, ended = threading.Event(), threading.Event()
    thread = threading.Thread(target=lambda: (told.set(), ended.wait()))
    thread.start()
    try:
        told.wait()
        assert not worker_processes.is_fork_safe()
        given = (partial(Path.name.fget), make(world.ground, world.log), None, digest(world.ground), 2)
        assert list(examine_documents(paths, *given, citations=True)) == [
            made(p.name, p.read_text()) for p in paths
        ]
    finally:
        ended.set()
        thread.join()
    assert os.getpid() not in processes(world.log)


def forks_beside_a_progress_bar(world: World) -> None:
    from rich.console import Console
    from rich.progress import track

    paths = world.write(60)
    drawn = Console(file=io.StringIO(), force_terminal=True)
    results = list(track(world.going(paths), console=drawn, total=60))
    assert results == [made(p.name, p.read_text()) for p in paths]
    assert os.getpid() not in processes(world.log)


def test_what_cannot_be_sent_to_a_worker_is_examined_here(world, monkeypatch) -> None:
    monkeypatch.setattr(worker_processes, "is_fork_safe", lambda: False)
    paths = world.write(document_run.FEW_AFRESH)
    examine = make(world.ground, world.log)
    results = list(
        examine_documents(
            paths, str, lambda: examine.func(*examine.args), None, digest(world.ground), 2, citations=True
        )
    )
    assert [result.file for result in results] == [str(path) for path in paths]
    assert processes(world.log) == {os.getpid()}


@pytest.mark.parametrize("count", [5, 60])  # here, and by workers
def test_trouble_with_one_document_is_told_and_the_others_are_examined(world, count) -> None:
    paths = world.write(count)
    paths[0].write_text("do raise")
    paths[1].unlink()
    paths[2].unlink()
    os.mkfifo(paths[2])
    paths[3].write_text("x" * 2000)
    paths[4].unlink()
    paths[4].mkdir()
    paths.append(Path("/dev/zero"))
    with closing(world.keeping()) as keeping:
        for _ in range(2):  # what gave trouble is not kept
            results = world.run(paths, keeping, max_bytes=1000)
            assert [(r.trouble, r.issues) for r in (*results[:5], results[-1])] == [
                ("could not be examined: ValueError: a fault\\x1b[31m of the rules", ()),
                ("cannot be read: No such file or directory", ()),
                ("is not a regular file", ()),
                ("is larger than 1,000 bytes", ()),
                ("is a folder", ()),
                ("is not a regular file", ()),
            ]
            assert not any(result.trouble for result in results[5:-1])


def a_worker_dies(world: World) -> None:
    paths = world.write(100)
    paths[20].write_text("do stumble")
    results = world.run(paths)
    assert results == [made(p.name, p.read_text()) for p in paths]


def a_document_kills_every_worker(world: World) -> None:
    paths = world.write(100)
    paths[20].write_text("do die")
    results = world.run(paths)
    assert [r.trouble for r in results if r.trouble] == [
        "could not be examined: 2 worker processes were killed with it"
    ]
    assert results[20].trouble
    assert results[19] == made(paths[19].name, "words 19")


def a_run_that_is_left_keeps_what_was_done_and_ends_its_workers(world) -> None:
    paths = world.write(600)
    with closing(world.keeping()) as keeping:
        going = world.going(paths, keeping)
        next(going)
        going.close()
        workers = processes(world.log)
        assert not any(alive(worker) for worker in workers)
        kept = sum(row is not None for _, row in keeping.get(paths))
        assert kept >= 25
        before = len(seen(world.log))
        assert len(world.run(paths, keeping)) == 600
        assert len(seen(world.log)) - before == 600 - kept


@pytest.mark.parametrize(
    "check",
    [
        forks_beside_a_progress_bar,
        a_worker_dies,
        a_document_kills_every_worker,
        a_run_that_is_left_keeps_what_was_done_and_ends_its_workers,
    ],
)
def test_forks(check, tmp_path) -> None:
    """In a process without threads: what a progress bar, a death and a run that is left mean for workers."""
    alone(check, tmp_path)


class Stillborn:
    """What cannot be made in a worker, and can in the process of `here`."""

    def __init__(self, here: int, world: World) -> None:
        self.here, self.ground, self.log = here, world.ground, world.log

    def __call__(self) -> object:
        if os.getpid() != self.here:
            raise RuntimeError("not here")
        return make(self.ground, self.log)()


def test_workers_that_never_begin_leave_the_work_to_us(world) -> None:
    paths = world.write(100)
    results = list(
        examine_documents(
            paths, str, Stillborn(os.getpid(), world), None, digest(world.ground), 2, citations=True
        )
    )
    assert len(results) == 100
    assert not any(result.trouble for result in results)
    assert processes(world.log) == {os.getpid()}


def test_what_cannot_be_made_anywhere_is_an_error(world) -> None:
    with pytest.raises(RuntimeError, match="not here"):
        list(
            examine_documents(
                world.write(100), str, Stillborn(0, world), None, digest(world.ground), 2, citations=True
            )
        )


def test_memory_is_bounded_by_the_window(world, monkeypatch) -> None:
    monkeypatch.setattr(document_run, "WINDOW", 150)
    paths = world.write(1500)
    going = world.going(paths)
    for number, result in zip(range(10), going, strict=False):
        assert result.file == paths[number].name
    assert len(seen(world.log)) <= 150 + 10 + document_run.AHEAD
    assert len(list(going)) == 1490


SCRIPT = """
import sys, time
from pathlib import Path
sys.path.insert(0, {top!r})
from tests.corpus.test_document_run import World
world = World.__new__(World)
world.root, world.ground, world.cache, world.log = map(Path, {folders!r})
paths = sorted(world.root.iterdir())
for result in world.going(paths, world.keeping()):
    print(result.file, flush=True)
    time.sleep(0.01)
"""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_run_leaves_no_worker_and_the_next_one_goes_on(world, how) -> None:
    paths = world.write(400)
    folders = [str(f) for f in (world.root, world.ground, world.cache, world.log)]
    script = SCRIPT.format(top=str(Path(__file__).parents[2]), folders=folders)
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as child:
        for _ in range(60):
            assert child.stdout.readline()
        workers = processes(world.log) - {child.pid}
        if how == signal.SIGINT:
            os.killpg(child.pid, how)  # as a terminal does
        else:
            child.kill()
        assert child.wait(60) != 0
    assert workers
    for _ in range(1200):
        if not any(alive(worker) for worker in workers):
            break
        sleep(0.05)
    assert not any(alive(worker) for worker in workers)
    before = len(seen(world.log))
    with closing(world.keeping()) as keeping:
        assert len(world.run(paths, keeping)) == 400
    assert len(seen(world.log)) - before <= 350


def alive(process: int) -> bool:
    """Return whether a process runs; one that only waits to be buried does not."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state not in "ZX"
