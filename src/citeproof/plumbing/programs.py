"""The one way to start programs: an absolute program, a working folder of ours, a small environment.

The current folder is often a stranger's project. Nothing in it may be run or imported: neither by a `PATH`
that has `.` in it, nor as a module of Python, nor by a variable such as `LD_PRELOAD` or `PYTHONSTARTUP`.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

NOWHERE = Path(sys.executable).anchor or os.sep  # a working folder in which no project lies
_BASIC = ("HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR")
# How a program that fetches finds its way out: proxies, certificates, and the user's own settings of pip.
_NETWORK = (
    *("http_proxy", "https_proxy", "all_proxy", "no_proxy"),
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NETRC"),
    *("XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_CACHE_HOME"),
)
_PIP = "PIP_"
# How a program finds the user's desktop, and Windows its own libraries.
_DESKTOP = ("DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "SystemRoot")

_PR_SET_PDEATHSIG = 1


def end_with_parent() -> None:
    """Have the kernel kill this process when the thread that forked it ends; Linux only."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def find_program(name: str) -> str | None:
    """Return the absolute path of a program, None if there is none outside the current folder."""
    return shutil.which(name, path=os.pathsep.join(_list_search_folders()))


def make_environment(
    more: Mapping[str, str] | None = None, *, pip: bool = False, desktop: bool = False
) -> dict[str, str]:
    """Return the few variables that a program gets from us; those of the network too if it is `pip`."""
    ours = os.environ  # noqa: TID251 - no setting is read: this is what a child may see of it
    names = [*_BASIC, *_NETWORK, *(name for name in ours if name.startswith(_PIP))] if pip else [*_BASIC]
    names += _DESKTOP if desktop else ()
    passed = {name: ours[name] for name in names if name in ours}
    return {"PATH": os.pathsep.join(_list_search_folders()), **passed, **(more or {})}


def start_program(
    command: Sequence[str],
    environment: Mapping[str, str],
    *,
    folder: Path | str = NOWHERE,
    stdin: int = subprocess.PIPE,
    stdout: int = subprocess.PIPE,
    stderr: int | IO[bytes] = subprocess.DEVNULL,
    bufsize: int = -1,
    own_session: bool = False,
) -> subprocess.Popen[bytes]:
    """Return a running program; OSError if it cannot be run. `command` begins with an absolute path."""
    if not Path(command[0]).is_absolute():
        raise FileNotFoundError(f"{command[0]!r} is not an absolute path of a program")
    return subprocess.Popen(  # noqa: S603 - no shell, an absolute program, and words of ours
        list(command),
        env=dict(environment),
        cwd=folder,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        bufsize=bufsize,
        close_fds=True,
        start_new_session=own_session,
    )


def run_program(
    command: Sequence[str], environment: Mapping[str, str], seconds: float, *, folder: Path | str = NOWHERE
) -> subprocess.CompletedProcess[bytes]:
    """Return how a program ended and what it printed; TimeoutExpired if it takes longer."""
    child = start_program(
        command, environment, folder=folder, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    with child:
        try:
            printed, complaint = child.communicate(timeout=seconds)
        except BaseException:
            child.kill()
            raise
    return subprocess.CompletedProcess(list(command), child.returncode, printed, complaint)


def make_python_command(*arguments: str) -> list[str]:
    """Return the command that runs this very Python, isolated: nothing comes from the current folder."""
    return [sys.executable, "-I", *arguments]


@contextmanager
def isolate_workers() -> Iterator[None]:
    """Let no worker that `multiprocessing` starts meanwhile import from the current folder."""
    ours, name = os.environ, "PYTHONSAFEPATH"  # noqa: TID251 - it has no other way to know
    before = ours.get(name)
    ours[name] = "1"
    try:
        yield
    finally:
        if before is None:
            del ours[name]
        else:
            ours[name] = before


def _list_search_folders() -> list[str]:
    """Return the folders of PATH, without relative ones and the current folder."""
    listed = os.environ.get("PATH") or os.defpath  # noqa: TID251 - as above
    try:
        here = os.path.realpath(os.getcwd())  # noqa: PTH109 - may be gone
    except OSError:
        here = ""
    absolute = [folder for folder in listed.split(os.pathsep) if os.path.isabs(folder)]  # noqa: PTH117 - text
    return [folder for folder in absolute if os.path.realpath(folder) != here]
