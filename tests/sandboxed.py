"""What a hostile file could make its reader do, as functions that the sandbox runs."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

from citeproof import sandbox
from citeproof.sandbox import child, frames


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
        os.write(child._pipe, frames.pack(frames.TOLD, frames.PAIR.pack(1, 2)))


def silent(payload: bytes) -> bytes:
    os.close(child._pipe)
    time.sleep(60)
    return b""


def progress(payload: bytes) -> bytes:
    for done in range(1, 6):
        sandbox.tell(done, 5)
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
