"""A real S3 server that enforces object lock: Ceph's radosgw over one monitor and one OSD in memory.

    python -m tests.proof.audit.anchors.ceph fetch FOLDER     download Debian packages, unpack them (no root)
    CITEPROOF_TEST_CEPH=FOLDER pytest tests/proof/audit/anchors/test_object_lock.py

With the packages radosgw, ceph-mon, ceph-osd and python3-rados installed, no folder is needed.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import uuid
from pathlib import Path
from typing import Self
from urllib.error import URLError
from urllib.request import urlopen

KEY, SECRET = "testaccesskey", "testsecretkey"
PROGRAMS = ("radosgw", "radosgw-admin", "ceph-mon", "ceph-osd", "ceph-authtool", "monmaptool")
_PACKAGES = ("radosgw", "ceph-mon", "ceph-osd", "python3-rados")
_CONF = """[global]
fsid = {fsid}
mon host = v1:127.0.0.1:{mon}
mon initial members = a
auth cluster required = none
auth service required = none
auth client required = none
osd pool default size = 1
osd pool default min size = 1
mon allow pool size one = true
osd pool default pg num = 1
osd pool default pgp num = 1
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon max pg per osd = 1000
osd objectstore = memstore
memstore device bytes = 268435456
osd class load list = *
osd class default list = *
ms bind ipv6 = false
public addr = 127.0.0.1
cluster addr = 127.0.0.1
run dir = {run}
admin socket = {run}/$name.asok
log file = {run}/$name.log
pid file = {run}/$name.pid
keyring = {run}/keyring
mon data = {run}/mon
osd data = {run}/osd
rgw data = {run}/rgw
rgw frontends = beast endpoint=127.0.0.1:{rgw}
{libraries}
"""
_LIBRARIES = """erasure code dir = {lib}/ceph/erasure-code
plugin dir = {lib}/ceph
osd class dir = {lib}/rados-classes
"""
_SAY = """
import rados, sys
with rados.Rados(conffile=sys.argv[1], name="client.admin") as cluster:
    code, _, told = cluster.mon_command(sys.argv[2], b"", timeout=60)
    sys.exit(told if code else 0)
"""
_LIB = "usr/lib/x86_64-linux-gnu"


def root() -> Path | None:
    """Return where the programs are, "/" when they are installed; None when there are none."""
    given = os.environ.get("CITEPROOF_TEST_CEPH")
    if given and all((Path(given) / "usr/bin" / name).exists() for name in PROGRAMS):
        return Path(given)
    return Path("/") if all(shutil.which(name) for name in PROGRAMS) else None


class Ceph:
    """A cluster of one machine; `with` it, and `url` speaks S3."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self._programs = programs
        self._folder = folder
        self._started: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Self:
        for attempt in range(1, 4):  # a port may be taken between the look and the use
            self._run = self._folder / str(attempt)
            self._mon, self._rgw = _free(2)
            self.url = f"http://127.0.0.1:{self._rgw}"
            try:
                self._begin()
            except BaseException as error:
                self.__exit__()
                if attempt == 3 or not isinstance(error, Exception):
                    raise
            else:
                break
        return self

    def __exit__(self, *_: object) -> None:
        for process in reversed(self._started):
            process.kill()
            process.wait()
        self._started = []

    def _begin(self) -> None:
        fsid, osd = str(uuid.uuid4()), str(uuid.uuid4())
        for name in ("mon", "osd", "rgw"):
            (self._run / name).mkdir(parents=True)
        lib = self._programs / _LIB
        libraries = _LIBRARIES.format(lib=lib) if self._programs != Path("/") else ""
        filled = {"fsid": fsid, "mon": self._mon, "rgw": self._rgw, "run": self._run, "libraries": libraries}
        (self._run / "ceph.conf").write_text(_CONF.format(**filled))
        ring, monmap = self._run / "keyring", self._run / "monmap"
        self._do(
            "ceph-authtool", "--create-keyring", ring, "--gen-key", "-n", "mon.", "--cap", "mon", "allow *"
        )
        caps = [part for name in ("mon", "osd", "mgr") for part in ("--cap", name, "allow *")]
        self._do("ceph-authtool", ring, "--gen-key", "-n", "client.admin", *caps)
        self._do(
            "monmaptool", "--create", "--addv", "a", f"[v1:127.0.0.1:{self._mon}]", "--fsid", fsid, monmap
        )
        self._do("ceph-mon", "--mkfs", "-i", "a", "--monmap", monmap, "--keyring", ring)
        self._start("ceph-mon", "-f", "-i", "a")
        self._say(prefix="osd new", uuid=osd)
        self._do("ceph-osd", "-i", "0", "--mkfs", "--osd-uuid", osd, "--no-mon-config")
        self._say(prefix="osd crush add", id=0, weight=1.0, args=["host=h", "root=default"])
        self._start("ceph-osd", "-f", "-i", "0")
        self._start("radosgw", "-f", "-n", "client.admin")
        self._wait()
        made = ("--uid=tester", "--display-name=tester", f"--access-key={KEY}", f"--secret-key={SECRET}")
        self._do("radosgw-admin", "-n", "client.admin", "user", "create", *made)

    def _say(self, **command: object) -> None:
        """Give the monitor a command, once it listens."""
        python = "/usr/bin/python3"  # the bindings are made for the system's own
        subprocess.run(
            [python, "-c", _SAY, str(self._run / "ceph.conf"), json.dumps(command)],
            env=self._environment(), check=True, timeout=120,
        )  # fmt: skip

    def _do(self, program: str, *words: object) -> None:
        subprocess.run(
            [self._program(program), *map(str, words)],
            env=self._environment(), check=True, capture_output=True, timeout=120,
        )  # fmt: skip

    def _start(self, program: str, *words: str) -> None:
        with (self._run / f"{program}.out").open("wb") as out:
            process = subprocess.Popen(
                [self._program(program), *words], env=self._environment(), stdout=out, stderr=out
            )
        self._started.append(process)

    def _program(self, name: str) -> str:
        return str(self._programs / "usr/bin" / name)

    def _environment(self) -> dict[str, str]:
        conf = str(self._run / "ceph.conf")
        environment = {"PATH": os.environ["PATH"], "CEPH_CONF": conf, "CEPH_ARGS": f"-c {conf}"}
        if self._programs != Path("/"):
            lib = self._programs / _LIB
            environment["LD_LIBRARY_PATH"] = f"{lib}:{lib}/ceph:{self._programs / 'lib/x86_64-linux-gnu'}"
            environment["PYTHONPATH"] = str(self._programs / "usr/lib/python3/dist-packages")
        return environment

    def _wait(self) -> None:
        for _ in range(600):
            assert all(process.poll() is None for process in self._started), "a part of Ceph ended"
            with contextlib.suppress(URLError, OSError), urlopen(self.url, timeout=5):
                return
            time.sleep(0.2)
        raise TimeoutError("radosgw does not listen")


def _free(count: int) -> list[int]:
    """Return ports that nobody uses now, each another."""
    with contextlib.ExitStack() as probes:
        found = [probes.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [probe.getsockname()[1] for probe in found]


def fetch(folder: Path) -> None:
    """Download the packages with all they need and unpack them into `folder`."""
    debs = folder / "debs"
    debs.mkdir(parents=True, exist_ok=True)
    flags = (
        "--recurse",
        "--no-recommends",
        "--no-suggests",
        "--no-conflicts",
        "--no-breaks",
        "--no-replaces",
    )
    told = subprocess.run(
        ["apt-cache", "depends", *flags, "--no-enhances", *_PACKAGES],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    wanted = re.compile(
        r"(?!libc6|libgcc|libcrypt1|libssl|libstdc)(ceph|rados|python3-(ceph|rados)|lib)[a-z0-9.+-]*"
    )
    names = sorted({line for line in told.splitlines() if wanted.fullmatch(line)})
    subprocess.run(["apt-get", "download", *names], cwd=debs, check=True)
    for deb in sorted(debs.glob("*.deb")):
        subprocess.run(["dpkg", "-x", deb, folder], check=True)


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    assert sys.argv[1] == "fetch"
    fetch(Path(sys.argv[2]).resolve())
