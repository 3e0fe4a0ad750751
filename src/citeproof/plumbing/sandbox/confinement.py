"""What a process gives up before it examines a hostile file: memory, time, files, network, programs.

Each measure is taken where the system has it; the ones behind it do not lean on it.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys

from citeproof.plumbing.parent_process import end_with_parent
from citeproof.plumbing.sandbox import seccomp

_OPEN_FILES = 64
_NEW_USER, _NEW_NETWORK = 0x10000000, 0x40000000
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
# Audit events, by their beginning: https://docs.python.org/3/library/audit_events.html
_REFUSED = (
    *("socket.", "subprocess.", "os.exec", "os.spawn", "os.posix_spawn", "os.system", "os.fork", "pty."),
    *("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate", "os.ch"),
    *("os.kill", "os.startfile", "shutil.", "tempfile.", "urllib.", "http.", "ftplib.", "smtplib."),
    *("webbrowser.", "winreg.", "sqlite3."),
)


def end_with_helper(helper: int) -> None:
    """Let this process end when its helper does, whatever ends it; called right after the fork."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    end_with_parent()
    if os.getppid() != helper:  # it ended before we asked
        os._exit(0)


def enter_confinement(memory: int, seconds: float, pipe: int) -> int:
    """Give everything up but the pipe; return the pipe's new file descriptor."""
    with contextlib.suppress(OSError, AttributeError):
        os.setsid()  # type: ignore[attr-defined,unused-ignore] # not on Windows
    pipe = close_other_files(pipe)
    _set_limits(memory, seconds)
    if sys.platform == "linux":
        # refused in some containers; the filter refuses sockets then
        ctypes.CDLL(None, use_errno=True).unshare(_NEW_USER | _NEW_NETWORK)
        end_with_parent()  # a new namespace has made the kernel forget it
        seccomp.install_filter()
    sys.dont_write_bytecode = True
    sys.addaudithook(_refuse_event)
    return pipe


def prepare_filter() -> None:
    """Make ready, once, what every child of this process will need."""
    seccomp.build_filter(os.getpid())


def close_other_files(pipe: int) -> int:
    """Close every file but the pipe, which becomes number 3; the standard ones lead nowhere."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    pipe = os.dup2(pipe, 3, inheritable=False) if pipe != 3 else pipe
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)
    os.closerange(4, os.sysconf("SC_OPEN_MAX") if hasattr(os, "sysconf") else 1024)
    return pipe


def _set_limits(memory: int, seconds: float) -> None:
    try:
        import resource  # noqa: PLC0415 - not on Windows
    except ImportError:
        return
    limits = {
        resource.RLIMIT_AS: memory + _count_mapped_bytes(),  # macOS refuses this one
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: _OPEN_FILES,
    }
    for what, most in limits.items():
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(what, (most, most))
    with contextlib.suppress(OSError, ValueError):
        whole = max(1, round(seconds))
        resource.setrlimit(resource.RLIMIT_CPU, (whole, whole + 5))
        signal.signal(signal.SIGXCPU, signal.SIG_DFL)


def _count_mapped_bytes() -> int:
    """Return the bytes of address space that are taken before any work: libraries, not the document."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123 - pathlib is not loaded here
            return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 1 << 29


def _refuse_event(event: str, arguments: tuple[object, ...]) -> None:
    if event == "open":
        flags = arguments[2] if len(arguments) > 2 else 0
        if isinstance(flags, int) and flags & _WRITES and not isinstance(arguments[0], int):
            raise PermissionError("a file that is read may not write files")
    elif event.startswith(_REFUSED):
        raise PermissionError(f"a file that is read may not do this: {event}")
