"""`make demo` on a machine whose Python makes only half an environment, as Debian's without python3-venv."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYTHON = """#!/bin/sh
test "$1" = -m || exec {python} "$@"
test ! -e installed || exec {python} -m venv --without-pip "$4"
mkdir -p "$4/bin"
printf '#!/bin/sh\\nexit 1\\n' > "$4/bin/python"
chmod +x "$4/bin/python"
echo 'apt install python3-venv' >&2
exit 1
"""


@pytest.fixture
def clone(tmp_path):
    for name in ("Makefile", "pyproject.toml", "requirements-base.txt"):
        shutil.copy(ROOT / name, tmp_path)
    stub = tmp_path / "python"
    stub.write_text(PYTHON.format(python=sys.executable), encoding="utf-8")
    stub.chmod(0o755)
    return tmp_path


def _make(clone):
    command = ["make", "PYTHON=./python", ".venv/.base"]
    return subprocess.run(command, cwd=clone, capture_output=True, text=True, timeout=120, check=False)


def test_an_environment_that_could_not_be_made_is_not_left_behind(clone):
    done = _make(clone)
    assert done.returncode
    assert "apt install python3-venv" in done.stderr
    assert not (clone / ".venv").exists()


def test_an_environment_without_pip_is_made_again(clone):
    (clone / ".venv" / "bin").mkdir(parents=True)
    (clone / ".venv" / "bin" / "python").write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    (clone / "installed").touch()
    _make(clone)  # it has no pip still, so nothing is installed
    assert (clone / ".venv" / "pyvenv.cfg").exists()
