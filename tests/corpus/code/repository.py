"""Real git repositories for tests, made in a temporary folder."""

from __future__ import annotations

import shutil
import subprocess
from hashlib import sha256
from pathlib import Path

import pytest

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


class Repository:
    """One repository; commits are an hour apart."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._hour = 0
        folder.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main", ".")

    def git(self, *words: str, check: bool = True) -> str:
        """Return what git writes, with nothing of the machine's configuration."""
        when = f"2026-03-01T{self._hour:02d}:00:00+00:00"
        environment = {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": str(self.folder),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_DATE": when,
            "GIT_COMMITTER_DATE": when,
        }
        who = ("-c", "user.name=T", "-c", "user.email=t@example.org")
        ran = subprocess.run(
            ["git", *who, *words],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            check=check,
            timeout=60,
        )
        return ran.stdout.decode().strip()

    def write(self, path: str, data: str | bytes) -> str:
        """Write a file and return the hash that a citation of it has."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        data = data if isinstance(data, bytes) else data.encode()
        file.write_bytes(data)
        return sha256(data).hexdigest()[:16]

    def commit(self, path: str = "", data: str | bytes = "") -> tuple[str, str]:
        """Write a file, commit all, and return the hash of the file and the id of the commit."""
        cited = self.write(path, data) if path else ""
        self._hour += 1
        self.git("add", "-A")
        self.git("commit", "-q", "-m", f"commit {self._hour}")
        return cited, self.git("rev-parse", "HEAD")
