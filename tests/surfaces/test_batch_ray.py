"""A batch on a Ray cluster of two simulated nodes, on addresses of loopback: the bytes of a local run."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.surfaces.batch_runs import count_done, find_busy_worker, read_results, start_cluster
from tests.surfaces.test_batch import wait_until, write_many

from citeproof.errors import UsageError
from citeproof.service.batch.executors.ray_cluster import _refuse_many_hosts
from citeproof.settings import load

NO_RAY = "Ray is not installed: pip install 'citeproof[ray]'"


@pytest.fixture
def cluster(monkeypatch):
    """A head without processors and two nodes with one each, so that each of these can be lost."""
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    pytest.importorskip("ray", reason=NO_RAY)
    made, nodes = start_cluster()
    yield made, nodes
    made.shutdown()


def run_here(snapshot: Path, folder: Path, *more: str) -> subprocess.Popen[bytes]:
    words = [
        "-m",
        "citeproof",
        "batch",
        "many",
        "--offline",
        "--snapshot",
        str(snapshot),
        "--format",
        "html",
        *more,
    ]
    home = {name: str(folder / "home") for name in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")}
    with (folder / "err.txt").open("wb") as told:
        return subprocess.Popen(
            [sys.executable, *words],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=told,
            env=os.environ | home,
        )


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_workers_nodes_and_drivers_may_be_killed_and_the_bytes_are_those_of_a_local_run(
    cluster, snapshot, tmp_path
):
    made, nodes = cluster
    write_many(tmp_path / "many", 150)
    shutil.copy(tmp_path / "many/000.bib", tmp_path / "many/refs.bib")
    assert run_here(snapshot, tmp_path, "--out", "local").wait(200) == 1
    out = tmp_path / "out"

    first = run_here(snapshot, tmp_path, "--out", "out", "--ray", made.address)
    wait_until(lambda: count_done(out) >= 10, 120)
    first.kill()  # the driver
    first.wait()
    assert count_done(out) < 151

    second = run_here(snapshot, tmp_path, "--out", "out", "--ray", made.address)
    before = count_done(out)
    wait_until(lambda: count_done(out) >= before + 5, 120)
    raylet = nodes[1].all_processes["raylet"][0].process.pid
    worker = None
    end = time.monotonic() + 20
    while worker is None and time.monotonic() < end:
        worker = find_busy_worker(raylet)
    assert worker is not None
    os.kill(worker, signal.SIGKILL)
    wait_until(lambda: count_done(out) >= before + 20, 120)
    assert count_done(out) < 151
    made.remove_node(nodes[0], allow_graceful=False)
    assert second.wait(200) == 1, (tmp_path / "err.txt").read_text()
    here, there = read_results(tmp_path / "local"), read_results(out)
    assert sorted(here) == sorted(there)
    differing = [name for name in here if here[name] != there[name]]  # their difference takes minutes
    assert differing == []


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_machines_that_share_no_limits_ask_no_registry(cli, cluster, snapshot, tmp_path, monkeypatch):
    """Three addresses: the limits of one machine are not known to the others."""
    made, _ = cluster
    (tmp_path / "one.bib").write_text("@article{a, title={On tests}}")
    monkeypatch.setenv("CITEPROOF_OFFLINE", "0")
    run = ("batch", "one.bib", "--snapshot", snapshot, "--ray", made.address)
    refused = cli(*run, "--out", "refused")
    assert refused.code == 2
    assert "3 machines would ask the registries without knowing of each other" in refused.err
    assert "CITEPROOF_LIMITS_DIR" in refused.err
    assert cli(*run, "--out", "out", "--sources", "snapshot").code in (0, 1, 4)  # no registry is asked


@pytest.mark.parametrize(
    ("hosts", "flags", "shared", "refused"),
    [
        (2, {}, False, True),
        (2, {"sources": ["crossref"]}, False, True),
        (2, {}, True, False),
        (2, {"sources": ["snapshot"]}, False, False),
        (2, {"offline": True}, False, False),
        (1, {}, False, False),
    ],
)
def test_who_may_ask_registries_from_several_machines(hosts, flags, shared, refused, tmp_path):
    class Ray:  # what is asked of it; the test above has a real one
        @staticmethod
        def nodes():
            return [{"NodeManagerAddress": f"127.0.0.{n}", "Alive": True} for n in range(hosts)] + [
                {"NodeManagerAddress": "127.0.0.99", "Alive": False}
            ]

        @staticmethod
        def shutdown():
            pass

    limits = {"CITEPROOF_LIMITS_DIR": str(tmp_path)} if shared else {}
    chosen = load(flags, environment=limits)
    if refused:
        with pytest.raises(UsageError, match="2 machines would ask the registries"):
            _refuse_many_hosts(Ray, chosen)
    else:
        _refuse_many_hosts(Ray, chosen)


def test_a_cluster_that_does_not_answer_is_told(cli, snapshot, tmp_path, monkeypatch):
    pytest.importorskip("ray", reason=NO_RAY)
    (tmp_path / "one.bib").write_text("@article{a, title={On tests}}")
    ended = cli("batch", "one.bib", "--out", "out", "--snapshot", snapshot, "--ray", "no address")
    assert ended.code == 2
    assert "--ray: no Ray cluster answers" in ended.err


def test_without_ray_the_extra_is_named(cli, snapshot, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    (tmp_path / "one.bib").write_text("@article{a, title={On tests}}")
    ended = cli("batch", "one.bib", "--out", "out", "--snapshot", snapshot, "--ray", "auto")
    assert ended.code == 2
    assert "pip install 'citeproof[ray]'" in ended.err
