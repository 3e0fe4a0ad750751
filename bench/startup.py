"""What a command costs before it does anything: processor time of its start, against an older version.

    python bench/startup.py [--against REVISION] [--runs 7]

Each command runs offline with the smallest input it takes: one entry, one title, one string, one request.
REVISION of this repository (HEAD by default) is unpacked and run by the same Python. The runs of both and of
`python -c pass` alternate; the least time of each is printed, in seconds of a core, and their ratio.
"""

from __future__ import annotations

import argparse
import io
import os
import resource
import subprocess
import sys
import tarfile
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
ENTRY = """@inproceedings{he2016, title = {Deep Residual Learning for Image Recognition}, year = {2016},
  author = {He, Kaiming and Zhang, Xiangyu and Ren, Shaoqing and Sun, Jian}, booktitle = {CVPR}}
"""
TITLE = "Deep Residual Learning for Image Recognition"
SHUTDOWN = '{"jsonrpc":"2.0","id":1,"method":"shutdown","params":null}'
INITIALIZE = (
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":'
    '{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}\n'
)
COMMANDS = {  # arguments and standard input
    "check": (["check", "one.bib", "--offline"], ""),
    "verify": (["verify", "--title", TITLE, "--offline"], ""),
    "parse": (["parse", "--format", "jsonl"], f"He K, Zhang X. {TITLE}. CVPR, 2016.\n"),
    "lsp": (["lsp"], f"Content-Length: {len(SHUTDOWN)}\r\n\r\n{SHUTDOWN}"),
    "mcp": (["mcp"], INITIALIZE),
}


def unpack(revision: str, folder: Path) -> Path:
    """Return the sources of a revision, unpacked in `folder`."""
    packed = subprocess.run(
        ["git", "archive", revision, "src"], cwd=ROOT, capture_output=True, check=True
    ).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")
    return folder / "src"


def measure(command: list[str], given: str, folder: Path, source: Path) -> float:
    """Return the seconds of processor time of one run, its children's too."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}  # noqa: TID251 - passed on
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        command,
        input=given.encode(),
        cwd=folder,
        env=env | {"PYTHONPATH": str(source)},
        capture_output=True,
        check=False,
    )
    if done.returncode not in (0, 1, 4):  # clean, problems found, not checked: it did its work
        raise SystemExit(f"{' '.join(command)}: {done.stderr.decode()[-400:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--against", default="HEAD")
    options.add_argument("--runs", type=int, default=7)
    asked = options.parse_args()
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "one.bib").write_text(ENTRY, "utf-8")
        sources = {"before": unpack(asked.against, folder / "old"), "now": ROOT / "src"}
        runs = {("python -c pass", "now"): (["-c", "pass"], "", sources["now"])} | {
            (name, which): (["-m", "citeproof", *arguments], given, source)
            for name, (arguments, given) in COMMANDS.items()
            for which, source in sources.items()
        }
        least = dict.fromkeys(runs, float("inf"))
        for run in range(asked.runs + 1):  # the first run writes the compiled modules
            for name, (arguments, given, source) in runs.items():
                spent = measure([sys.executable, *arguments], given, folder, source)
                least[name] = min(least[name], spent) if run else least[name]
    print(f"{'':16}{'before':>8}{'now':>8}{'ratio':>8}")
    print(f"{'python -c pass':16}{'':8}{least['python -c pass', 'now']:8.3f}")
    for name in COMMANDS:
        before, now = least[name, "before"], least[name, "now"]
        print(f"{name:16}{before:8.3f}{now:8.3f}{now / before:8.2f}")


if __name__ == "__main__":
    main()
