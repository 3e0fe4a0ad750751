"""What a process gives up before it examines a hostile file: memory, time, files, network, programs.

Each measure is taken where the system has it; the ones behind it do not lean on it.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import platform
import signal
import struct
import sys
import tomllib
from functools import cache
from pathlib import Path

from citeproof.plumbing.programs import end_with_parent

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
# Classic BPF as the kernel takes it: https://docs.kernel.org/userspace-api/seccomp_filter.html
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW = 0x7FFF0000
_REFUSE = 0x00050000 | errno.EPERM
_UNKNOWN = 0x00050000 | errno.ENOSYS  # makes the C library fall back to a call that can be looked into
_NUMBER, _MACHINE, _FIRST = 0, 4, 16  # offsets in struct seccomp_data; arguments have eight bytes each
_DENY, _NEXT = "deny", "next"
_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _FILTER_MODE = 38, 22, 2
_MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32 = 0x40000000  # the numbers of a second set of calls on x86_64
_OPEN = {"x86_64": ((2, 1), (257, 2)), "aarch64": ((56, 2),)}  # number, which argument has the flags
_WRITE_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_CLONE, _CLONE3, _THREAD = {"x86_64": 56, "aarch64": 220}, 435, 0x00010000
_TGKILL = {"x86_64": 234, "aarch64": 131}
_PRLIMIT = {"x86_64": 302, "aarch64": 261}
_FCNTL = {"x86_64": 72, "aarch64": 25}
_SET_OWNER, _SET_SIGNAL, _SET_OWNER_EX = 8, 10, 15  # let the kernel signal any process when a pipe stirs
_NEWER = 463  # the first call that came after this table was written (Linux 6.13)
_Step = tuple[int, str, str, int]  # operation, where to go if it holds, if not, operand


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
        install_filter()
    sys.dont_write_bytecode = True
    sys.addaudithook(_refuse_event)
    return pipe


def prepare_filter() -> None:
    """Make ready, once, what every child of this process will need."""
    build_filter(os.getpid())


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


def install_filter() -> bool:
    """Refuse this process those calls forever; return whether the kernel agreed."""
    code = build_filter(os.getpid())
    if not code:
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    held = ctypes.create_string_buffer(code, len(code))
    head = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(held)))
    return bool(libc.prctl(_PR_SET_SECCOMP, _FILTER_MODE, ctypes.byref(head), 0, 0) == 0)


def build_filter(pid: int) -> bytes:
    """Return the filter for a process as the kernel wants it, nothing on a machine that it is not for."""
    machine = platform.machine()
    known = sys.platform == "linux" and machine in _MACHINES and struct.calcsize("P") == 8
    return assemble_filter(list_filter_steps(machine, pid)) if known else b""


def list_filter_steps(machine: str, pid: int) -> list[_Step]:
    """Return the filter: files only for reading, threads but no processes, none of the listed calls."""
    made: list[_Step] = [
        (_LOAD, _NEXT, _NEXT, _MACHINE),
        (_EQUAL, _NEXT, _DENY, _MACHINES[machine]),
        (_LOAD, _NEXT, _NEXT, _NUMBER),
        (_AT_LEAST, _DENY, _NEXT, _X32),
    ]
    for number, argument in _OPEN[machine]:
        made += _make_argument_tests(number, (argument, (_ANY_BIT, _DENY, _NEXT, _WRITE_FLAGS)))
    made += _make_argument_tests(_CLONE[machine], (0, (_ANY_BIT, _NEXT, _DENY, _THREAD)))
    made += _make_argument_tests(_TGKILL[machine], (0, (_EQUAL, _NEXT, _DENY, pid)))  # abort() needs it
    nothing = (_EQUAL, _NEXT, _DENY, 0)  # limits may be read, our own, and none be set
    made += _make_argument_tests(_PRLIMIT[machine], (0, nothing), (2, nothing), (2.5, nothing))
    refused_ways = [(_EQUAL, _DENY, _NEXT, way) for way in (_SET_OWNER, _SET_SIGNAL, _SET_OWNER_EX)]
    made += _make_argument_tests(_FCNTL[machine], *((1, way) for way in refused_ways))
    for absent in ((_EQUAL, _NEXT, "skip1", _CLONE3), (_AT_LEAST, _NEXT, "skip1", _NEWER)):
        made += [absent, (_RETURN, _NEXT, _NEXT, _UNKNOWN)]
    made += [(_EQUAL, _DENY, _NEXT, number) for number in list_refused_calls(machine)]
    return [*made, (_RETURN, _NEXT, _NEXT, _ALLOW), (_RETURN, _NEXT, _NEXT, _REFUSE)]


@cache
def list_refused_calls(machine: str) -> list[int]:
    """Return the numbers of the calls that are refused whatever their arguments."""
    table = tomllib.loads((Path(__file__).parent / "syscalls.toml").read_text("utf-8"))
    return sorted(row[machine] for row in table.values() if machine in row)


def _make_argument_tests(number: int, *tests: tuple[float, _Step]) -> list[_Step]:
    """Return the steps that decide about one call by its arguments; a half is the upper part of one."""
    made: list[_Step] = [(_EQUAL, _NEXT, f"skip{2 * len(tests) + 1}", number)]
    for argument, test in tests:
        made += [(_LOAD, _NEXT, _NEXT, _FIRST + round(8 * argument)), test]
    return [*made, (_RETURN, _NEXT, _NEXT, _ALLOW)]


def assemble_filter(made: list[_Step]) -> bytes:
    """Return the steps as the kernel wants them: jumps count from the next one, the last one refuses."""
    code = bytearray()
    for at, (operation, yes, no, operand) in enumerate(made):
        to = {_NEXT: 0, "skip1": 1, "skip3": 3, "skip7": 7, _DENY: len(made) - at - 2}
        code += struct.pack("HBBI", operation, to[yes], to[no], operand)
    return bytes(code)
