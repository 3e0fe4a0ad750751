"""Runs of `citeproof batch` seen from outside: their processes, how far they are, what they wrote."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from citeproof.answers.reporters.wording import format_minute

SMALL = {"object_store_memory": 100_000_000}


def read_results(folder: Path) -> dict[str, bytes]:
    """Return every result of a batch; the time of its start, which differs from run to run, is taken out.

    Pages say it to the minute: two runs differ there only if a minute ends between them.
    """
    started = json.loads((folder / "summary.json").read_bytes())["started"]
    moments = started.encode(), format_minute(started).encode()
    found = [path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("ledger")]
    return {
        str(path.relative_to(folder)): path.read_bytes()
        .replace(moments[0], b"TIME")
        .replace(moments[1], b"TIME")
        for path in found
        if path.name != ".lock"
    }


def count_done(out: Path) -> int:
    """Return how many documents are in the ledger of a batch."""
    try:
        with closing(sqlite3.connect(f"file:{out / 'ledger.sqlite'}?mode=ro", uri=True)) as opened:
            return int(opened.execute("SELECT count(*) FROM outcomes").fetchone()[0])
    except sqlite3.Error:
        return 0


def list_children(process: int) -> list[int]:
    """Return the processes that a process has started."""
    try:
        found = Path(f"/proc/{process}/task/{process}/children").read_text()
    except OSError:
        return []
    return [int(word) for word in found.split()]


def find_busy_worker(raylet: int) -> int | None:
    """Return a worker of a Ray node that checks a document now."""
    for child in list_children(raylet):
        try:
            title = Path(f"/proc/{child}/cmdline").read_bytes()
        except OSError:
            continue
        if title.startswith(b"ray::_check_in_worker"):
            return child
    return None


def start_cluster() -> tuple[Any, list[Any]]:
    """Return a Ray cluster with a head without processors, and its two nodes with one each.

    Each of these can be lost. The addresses are of loopback.
    """
    from ray.cluster_utils import Cluster

    head = {"num_cpus": 0, "node_ip_address": "127.0.0.2", "include_dashboard": False, **SMALL}
    made = Cluster(initialize_head=True, head_node_args=head)
    return made, [made.add_node(num_cpus=1, node_ip_address=f"127.0.0.{n}", **SMALL) for n in (3, 4)]
