"""A root with files and links for tests, beside a folder that nobody may look into."""

from __future__ import annotations

import os
from pathlib import Path

SECRET = "correct-horse-battery"  # what no refused path may bring to light


def made(tmp_path: Path) -> Path:
    """Return a root with files and links, beside a folder that nobody may look into."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text(SECRET)
    root = tmp_path / "project"
    (root / "src/auth").mkdir(parents=True)
    (root / "src/auth/login.ts").write_text("a\nb\nc")
    (root / "src/empty.py").write_text("")
    (root / "src/blank name.py").write_text("x\n")
    (root / "src/Größe.py").write_text("x\r\ny\r\n")
    (root / "..src").mkdir()
    (root / "..src/..a").write_text("dots")
    links = {
        "in-file": "src/auth/login.ts",
        "in-folder": "src/auth",
        "in-absolute": str(root / "src"),
        "in-round": "../project/src",
        "src/auth/up": "../../src/empty.py",
        "chain": "in-folder",
        "out-file": str(outside / "secret.md"),
        "out-folder": str(outside),
        "out-relative": "../outside",
        "out-etc": "/etc",
        "out-dangling": "../nothing/there",
        "out-dangling-absolute": "/nothing/there",
        "out-by-link": "out-relative/secret.md",
        "out-and-dots": "src/../../outside/secret.md",
        "in-dangling": "src/nothing.py",
        "circle-a": "circle-b",
        "circle-b": "circle-a",
        "device": "/dev/null",
    }
    for name, target in links.items():
        (root / name).symlink_to(target)
    os.mkfifo(root / "pipe")
    with (root / "sparse.bin").open("wb") as large:
        large.truncate(10_000_000_000)
    return root
