"""What strace saw: every path that was opened for writing, made, moved or removed, and every program run."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path

# `?` leaves out what a machine does not have: arm64 knows only the names with `at`.
CHANGING = (
    *("?creat", "?rename", "?renameat", "?renameat2", "?unlink", "?unlinkat", "?rmdir", "?mkdir", "?mkdirat"),
    *(
        "?link",
        "?linkat",
        "?symlink",
        "?symlinkat",
        "?truncate",
        "?ftruncate",
        "?mknod",
        "?mknodat",
        "?chmod",
    ),
    *("?chmod", "?fchmodat", "?chown", "?lchown", "?fchownat", "?utimensat", "?setxattr", "?lsetxattr"),
)
CALLS = ("?open", "?openat", "?openat2", "?execve", "?execveat", *CHANGING)
WRITES = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND")
_LINE = re.compile(r"^\d+\s+(\w+)\((.*)\)\s+= (-?\d+)(?:<(.*?)>)?")
_TEXT = re.compile(r'(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"')


def strace() -> str | None:
    """Return the program, None if it is not here or may not trace."""
    return shutil.which("strace", path=os.defpath + ":/usr/bin:/usr/local/bin")


def before(log: Path) -> tuple[str, ...]:
    """Return the words that go before a traced command."""
    program = strace()
    assert program is not None
    only = ("--seccomp-bpf", "-e", f"trace={','.join(CALLS)}")  # the kernel lets all other calls run on
    return (program, "-f", "-qq", "-y", "-s", "4096", *only, "-o", str(log))


@dataclass
class Trace:
    """Calls that did not fail: real paths that were written, opened or run."""

    written: set[str] = field(default_factory=set)
    opened: set[str] = field(default_factory=set)
    run: set[str] = field(default_factory=set)


def read(log: Path, cwd: Path) -> Trace:
    """Return what a log says. A call that another thread interrupted is on two lines, put together first."""
    trace = Trace()
    for line in _whole_lines(log.read_text(errors="replace")):
        found = _LINE.match(line)
        if found is None or int(found[3]) < 0:
            continue
        call, words, _, handle = found.groups()
        paths = [_path(*pair, cwd) for pair in _TEXT.findall(words)]
        if call in {"open", "openat", "openat2"}:
            real = (handle or paths[0]).removesuffix("(deleted)")
            (trace.written if WRITES.search(words) else trace.opened).add(real)
        elif call in {"execve", "execveat"}:
            trace.run.add(paths[0])
        elif call == "ftruncate":
            trace.written.add(words.partition("<")[2].partition(">")[0])
        elif call in {"symlink", "symlinkat"}:
            trace.written.add(paths[-1])
        else:
            trace.written.update(paths)
    return trace


def _whole_lines(text: str) -> list[str]:
    begun: dict[str, str] = {}
    lines = []
    for line in text.splitlines():
        pid = line.partition(" ")[0]
        if line.endswith("<unfinished ...>"):
            begun[pid] = line.removesuffix("<unfinished ...>").rstrip()
        elif (rest := re.search(r"<\.\.\. \w+ resumed>(.*)", line)) and pid in begun:
            lines.append(begun.pop(pid) + rest[1])
        else:
            lines.append(line)
    return lines


def _path(folder: str, name: str, cwd: Path) -> str:
    """Return the real place of a name: its folder without links, its last part as it is."""
    path = Path(folder or cwd, name)
    return str(path.parent.resolve() / path.name)
