"""Runs one tool over one bibliography in the loopback world, and measures what that took."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
import tomllib
import venv
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.peers.peer_world import write_addresses

from citeproof.laboratory.testing import World

HERE = Path(__file__).parent
LIMIT = 3600  # seconds a tool may take
PIP = ("-m", "pip", "-qq", "--disable-pip-version-check", "--no-input")


@dataclass(frozen=True, slots=True)
class PeerTool:
    """One tool as `peer_tools.toml` describes it."""

    name: str
    command: tuple[str, ...]
    reader: str
    licence: str = ""
    better: str = ""  # where it does more than citeproof
    requirement: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PeerRun:
    """What one run of a tool took."""

    report: str  # what it wrote
    printed: str
    code: int
    seconds: float
    cpu: float
    requests: Counter[str]  # by API
    refused: Counter[str]  # answers of 400 and more, by API and status


def load_table() -> dict[str, list[dict[str, Any]]]:
    """Return the table of tools, and of those that are not run."""
    return tomllib.loads((HERE / "peer_tools.toml").read_text(encoding="utf-8"))


def load_tools() -> list[PeerTool]:
    """Return the other tools in the order of the table."""
    return [
        PeerTool(
            row["name"], tuple(row["command"]), row["reader"], row["licence"], row["better"],
            tuple(row["requirement"]),
        )
        for row in load_table()["tool"]
    ]  # fmt: skip


OURS = PeerTool(
    "citeproof",
    (f"{Path(sys.executable).parent}/citeproof", "check", "{bib}", "--format", "jsonl", "-o", "{out}"),
    "citeproof", "Apache-2.0",
)  # fmt: skip


def install(tool: PeerTool, folder: Path) -> tuple[Path | None, str]:
    """Return the folder of a tool's programs, and its version; or None and why it cannot be installed."""
    place = folder / tool.name
    python = place / "bin/python"
    if not python.exists():
        venv.create(place, with_pip=True)
    asked = [str(python), *PIP, "install", *tool.requirement]
    done = subprocess.run(asked, capture_output=True, text=True, timeout=LIMIT, check=False)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        return None, (lines or done.stderr.splitlines() or ["pip failed"])[0].removeprefix("ERROR: ")
    code = f"import importlib.metadata as m; print(m.version('{tool.name}'))"
    version = subprocess.run([str(python), "-c", code], capture_output=True, text=True, check=True)
    return place / "bin", version.stdout.strip()


def run_tool(
    tool: PeerTool, programs: Path, bib: Path, world: World, folder: Path, *, pace: float
) -> PeerRun:
    """Run a tool over a file with empty caches; return its report and what it took."""
    shutil.rmtree(folder, ignore_errors=True)
    home = folder / "home"
    home.mkdir(parents=True)
    out = folder / "report"
    command = [part.format(bin=programs, bib=bib, out=out) for part in tool.command]
    environment = _make_environment(tool, world, folder, pace)
    before = len(world.log)
    with (folder / "printed").open("w") as printed:
        started, cpu = time.perf_counter(), _children_cpu()
        try:
            code = subprocess.run(
                command, cwd=home, env=environment, stdin=subprocess.DEVNULL, stdout=printed,
                stderr=subprocess.STDOUT, timeout=LIMIT, check=False,
            ).returncode  # fmt: skip
        except subprocess.TimeoutExpired:
            code = -1
        seconds, used = time.perf_counter() - started, _children_cpu() - cpu
    log = world.log[before:]
    return PeerRun(
        out.read_text(encoding="utf-8") if out.exists() else "",
        (folder / "printed").read_text(encoding="utf-8", errors="replace"),
        code, seconds, used,
        Counter(seen.api for seen in log),
        Counter(f"{seen.api} {seen.status}" for seen in log if seen.status >= 400),
    )  # fmt: skip


def _children_cpu() -> float:
    times = os.times()
    return times.children_user + times.children_system


def _make_environment(tool: PeerTool, world: World, folder: Path, pace: float) -> dict[str, str]:
    """Return the variables of a run: nothing of this process's but where programs are."""
    home = folder / "home"
    common = {
        "PATH": os.defpath, "HOME": str(home), "LANG": "C.UTF-8", "NO_COLOR": "1",
        "XDG_CACHE_HOME": str(home / "cache"), "PYTHONUNBUFFERED": "1",
    }  # fmt: skip
    if tool is OURS:
        urls = {
            name: url
            for name, url in world.environment().items()
            if "ELSEWHERE" not in name and "LANDING" not in name
        }
        return {
            **common, **urls, "CITEPROOF_PACE": f"{pace:g}",
            "CITEPROOF_CONTACT": "bench@example.org",
            "CITEPROOF_CACHE_DIR": str(folder / "cache"), "CITEPROOF_LIMITS_DIR": str(folder / "limits"),
        }  # fmt: skip
    addresses = write_addresses(world, folder / "addresses.json")
    return {
        **common, "PYTHONPATH": str(HERE / "shim"), "PEERS_ADDRESSES": str(addresses),
        "PEERS_PACE": f"{pace:g}", "PAPER_PREFLIGHT_CACHE_DIR": str(home / "cache"),
        "CITECHECK_MAILTO": "bench@example.org",
    }  # fmt: skip


def write_items(texts: Sequence[str], path: Path) -> Path:
    """Write one .bib file of the items; return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(texts), encoding="utf-8")
    return path
