"""What a hostile file could make its reader do, as functions that the sandbox runs."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import signal
import socket
import subprocess
import sys
import threading
import time
import tomllib
from pathlib import Path

from citeproof.plumbing import sandbox
from citeproof.plumbing.sandbox import child, confinement, frames


def echo(payload: bytes) -> bytes:
    return payload[::-1]


def pid(payload: bytes) -> bytes:
    return f"{os.getpid()} {os.getppid()}".encode()


def hoard(payload: bytes) -> bytes:
    held = []
    while True:
        held.append(bytearray(10_000_000))


def gulp(payload: bytes) -> bytes:
    """Ask the C library for more than there may be, and touch it."""
    libc = ctypes.CDLL(None)
    libc.malloc.restype = ctypes.c_void_p
    return b"refused" if libc.malloc(ctypes.c_size_t(8 << 30)) is None else b"given"


def abort(payload: bytes) -> bytes:
    os.abort()


def abort_when_full(payload: bytes) -> bytes:
    """Do as C++ libraries do when memory ends."""
    held = []
    try:
        while True:
            held.append(bytearray(10_000_000))
    except MemoryError:
        os.abort()


def spin(payload: bytes) -> bytes:
    while True:
        pass


def sleep(payload: bytes) -> bytes:
    time.sleep(float(payload))
    return b"slept"


def crash(payload: bytes) -> bytes:
    ctypes.string_at(0)
    return b""


def kill_self(payload: bytes) -> bytes:
    signal.raise_signal(signal.SIGKILL)
    return b""


def leave(payload: bytes) -> bytes:
    os._exit(7)


def bug(payload: bytes) -> bytes:
    raise ValueError("a bug " + "x" * 5000)


def system_exit(payload: bytes) -> bytes:
    raise SystemExit(3)


def deep(payload: bytes) -> bytes:
    return deep(payload)


def garbage(payload: bytes) -> bytes:
    os.write(child._pipe, b"\xff" * 4096)
    time.sleep(60)
    return b""


def half(payload: bytes) -> bytes:
    os.write(child._pipe, frames.HEAD.pack(frames.ANSWER, 100) + b"only this")
    os._exit(0)


def flood(payload: bytes) -> bytes:
    return bytes(50_000_000)


def endless(payload: bytes) -> bytes:
    while True:
        os.write(child._pipe, frames.HEAD.pack(frames.PROGRESS, frames.PAIR.size) + frames.PAIR.pack(1, 2))


def silent(payload: bytes) -> bytes:
    os.close(child._pipe)
    time.sleep(60)
    return b""


def progress(payload: bytes) -> bytes:
    for done in range(1, 6):
        sandbox.tell_progress(done, 5)
        time.sleep(0.06)
    return b"done"


def thread(payload: bytes) -> bytes:
    heard = []
    one = threading.Thread(target=lambda: heard.append(b"threads work"))
    one.start()
    one.join()
    return heard[0]


def environment(payload: bytes) -> bytes:
    return "\n".join(f"{name}={value}" for name, value in sorted(os.environ.items())).encode()


def files(payload: bytes) -> bytes:
    return ",".join(sorted(one.name for one in Path("/proc/self/fd").iterdir())).encode()


def _connect() -> None:
    socket.create_connection(("127.0.0.1", 9), 1)


def _raw_socket() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.socket(2, 1, 0) < 0:
        raise PermissionError(ctypes.get_errno(), "socket")


def _raw_open(path: str) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.open(path.encode(), os.O_WRONLY | os.O_CREAT, 0o600) < 0:
        raise PermissionError(ctypes.get_errno(), "open")


def _raw_unlink(path: str) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unlink(path.encode()) < 0:
        raise PermissionError(ctypes.get_errno(), "unlink")


def _raw_exec() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    arguments = (ctypes.c_char_p * 2)(b"/bin/true", None)
    libc.execv(b"/bin/true", arguments)
    raise PermissionError(ctypes.get_errno(), "execv")


def _raw_fork() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    made = libc.fork()
    if made == 0:
        os._exit(0)
    if made < 0:
        raise PermissionError(ctypes.get_errno(), "fork")


def _system() -> None:
    if os.system("true") != 0:
        raise PermissionError("system")


def _append(path: str) -> None:
    with Path(path).open("a") as file:
        file.write("x")


def _call(name: str, *arguments: object) -> None:
    """Make a system call by its number, past the C library and Python's own hook."""
    libc = ctypes.CDLL(None, use_errno=True)
    number = CALLS[name][platform.machine()]
    if libc.syscall(ctypes.c_long(number), *arguments) < 0:
        raise OSError(ctypes.get_errno(), name)


def own_limit(payload: bytes) -> bytes:
    """Read a limit of this process, which is allowed, and raise it, which is not."""
    held = ctypes.create_string_buffer(16)
    _call("prlimit64", 0, 7, None, held)
    try:
        _call("prlimit64", 0, 7, held, None)
    except PermissionError:
        return b"read, not set"
    return b"set"


def every_call(payload: bytes) -> bytes:
    """Make each call of the table with nothing useful; return those that the filter did not refuse."""
    refused = tomllib.loads((Path(confinement.__file__).parent / "syscalls.toml").read_text("utf-8"))
    libc = ctypes.CDLL(None, use_errno=True)
    passed = []
    for name, row in refused.items():
        if platform.machine() not in row:
            continue
        ctypes.set_errno(0)
        made = libc.syscall(ctypes.c_long(row[platform.machine()]), *[ctypes.c_long(-1)] * 6)
        if made != -1 or ctypes.get_errno() != errno.EPERM:
            passed.append(name)
    return ",".join(passed).encode()


def _with_file(path: str, name: str, *arguments: object) -> None:
    """Make a call on a file that is open for reading."""
    opened = os.open(path if Path(path).exists() else __file__, os.O_RDONLY)
    try:
        _call(name, opened, *arguments)
    finally:
        os.close(opened)


CALLS = {
    "tkill": {"x86_64": 200, "aarch64": 130},
    "tgkill": {"x86_64": 234, "aarch64": 131},
    "prlimit64": {"x86_64": 302, "aarch64": 261},
    "fchmod": {"x86_64": 91, "aarch64": 52},
    "fsetxattr": {"x86_64": 190, "aarch64": 7},
    "fchmodat2": {"x86_64": 452, "aarch64": 452},
    "utimensat": {"x86_64": 280, "aarch64": 88},
    "shmget": {"x86_64": 29, "aarch64": 194},
    "fcntl": {"x86_64": 72, "aarch64": 25},
}
HERE = -100  # AT_FDCWD

TRIES = {
    "connect": lambda path: _connect(),
    "resolve": lambda path: socket.getaddrinfo("localhost", 80),
    "run": lambda path: subprocess.run(["true"], check=False),
    "system": lambda path: _system(),
    "fork": lambda path: os.fork() or os._exit(0),
    "exec": lambda path: os.execv("/bin/true", ["true"]),
    "kill": lambda path: os.kill(os.getppid(), 0),
    "write": lambda path: Path(path).write_text("x"),
    "append": _append,
    "remove": lambda path: Path(path).unlink(),
    "raw socket": lambda path: _raw_socket(),
    "raw open": _raw_open,
    "raw unlink": _raw_unlink,
    "raw exec": lambda path: _raw_exec(),
    "raw fork": lambda path: _raw_fork(),
    "signal to a thread": lambda path: _call("tkill", os.getppid(), 0),
    "signal to a process": lambda path: _call("tgkill", os.getppid(), os.getppid(), 0),
    "signal from a pipe": lambda path: _call("fcntl", 0, 8, os.getppid()),
    "limits of others": lambda path: _call("prlimit64", os.getppid(), 7, None, None),
    "mode of an open file": lambda path: _with_file(path, "fchmod", 0o644),
    "attribute of an open file": lambda path: _with_file(path, "fsetxattr", b"user.x", b"1", 1, 0),
    "mode": lambda path: _call("fchmodat2", HERE, path.encode(), 0o777, 0),
    "times": lambda path: _call("utimensat", HERE, path.encode(), None, 0),
    "shared memory": lambda path: _call("shmget", 0, 4096, 0o600),
}


def attempt(payload: bytes) -> bytes:
    """Try one thing that no reader may do; say whether it was refused."""
    name, path = payload.decode().split("\n")
    try:
        TRIES[name](path)
    except PermissionError:
        return b"refused"
    return b"done"


def read_file(payload: bytes) -> bytes:
    return Path(payload.decode()).read_bytes()


def version(payload: bytes) -> bytes:
    return sys.version.encode()
