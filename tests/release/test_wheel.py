"""The wheel has what it promises, is the same each time it is built, and works where only it is installed."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tarfile
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

from citeproof.surfaces.cli.main import cli
from release import man_page

ROOT = Path(__file__).parents[2]
VERSION = metadata.version("citeproof")
# What `--help` needs of ours; anything else makes it slow. Seconds are measured by bench/clean_install.py.
QUICK = {
    "citeproof",
    "citeproof.errors",
    "citeproof.plumbing",
    "citeproof.plumbing.own_files",
    "citeproof.surfaces",
    "citeproof.surfaces.cli",
    "citeproof.surfaces.cli.main",
}
HEAVY = {"aiohttp", "asyncio", "cryptography", "lxml", "msgspec", "numpy", "rich", "tantivy"}


def _build(folder: Path, target: str = "wheel") -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "-d", folder, "-t", target]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return next(folder.iterdir())


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return _build(tmp_path_factory.mktemp("dist"))


@pytest.mark.slow
def test_two_builds_have_the_same_bytes(built, tmp_path):
    first, second = (hashlib.sha256(one.read_bytes()).hexdigest() for one in (built, _build(tmp_path)))
    assert first == second


@pytest.mark.slow
def test_the_wheel_has_the_package_its_types_its_licence_and_its_manual_page(built):
    names = zipfile.ZipFile(built).namelist()
    head = f"citeproof-{VERSION}"
    for wanted in (
        "citeproof/py.typed",
        "citeproof/reading/parse/model/tagger.npz",
        "citeproof/reading/extractors/prose/prose_tagger.npz",
        f"{head}.dist-info/licenses/LICENSE",
        f"{head}.dist-info/licenses/NOTICE",
        f"{head}.data/data/share/man/man1/citeproof.1",
    ):
        assert wanted in names
    tops = {name.split("/")[0] for name in names}
    assert tops == {"citeproof", f"{head}.dist-info", f"{head}.data"}
    sources = {
        f"citeproof/{path.relative_to(ROOT / 'src/citeproof')}" for path in (ROOT / "src").rglob("*.py")
    }
    assert sources <= set(names)


@pytest.mark.slow
def test_the_sdist_has_what_is_needed_to_build_and_test(tmp_path):
    with tarfile.open(_build(tmp_path, "sdist")) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "docs/man/citeproof.1"} <= names
    assert {f"src/citeproof/{name}" for name in ("py.typed", "__main__.py")} <= names
    assert not [name for name in names if name.startswith((".venv", ".cache", ".git/"))]


@pytest.mark.slow
def test_the_installed_wheel_answers_from_its_own_files(built, tmp_path):
    target = tmp_path / "installed"
    zipfile.ZipFile(built).extractall(target)  # as pip does it; bench/clean_install.py asks pip itself
    environment = os.environ | {"PYTHONPATH": str(target), "HOME": str(tmp_path)}

    def run(*command):
        done = subprocess.run(
            [sys.executable, *command],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    assert Path(run("-c", "import citeproof; print(citeproof.__file__)").strip()).is_relative_to(target)
    assert run("-m", "citeproof", "--version").strip() == f"citeproof {VERSION}"
    (tmp_path / "refs.bib").write_text("@misc{a, title = {A survey of glaciers}, year = 2001}\n")
    told = json.loads(run("-m", "citeproof", "extract", "refs.bib", "--format", "json"))
    assert "A survey of glaciers" in json.dumps(told)


def test_help_imports_nothing_but_what_it_needs():
    code = (
        "import sys; sys.argv = ['citeproof', '--help']\n"
        "from citeproof.__main__ import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print(*sys.modules, sep='\\n', file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stderr.split())
    assert "Usage: citeproof" in done.stdout
    assert {name for name in loaded if name.split(".")[0] == "citeproof"} == QUICK | {"citeproof.__main__"}
    assert not HEAVY & loaded


@pytest.mark.slow
def test_the_manual_page_is_current():
    assert man_page.PAGE.read_text(encoding="utf-8") == man_page.render_page(cli, "citeproof", VERSION), (
        "run: make docs"
    )


@pytest.mark.parametrize(
    ("text", "escaped"),
    [("--flag", "\\-\\-flag"), (".so /etc/passwd", "\\&.so /etc/passwd"), ("'x", "\\&'x"), ("a\\b", "a\\eb")],
)
def test_help_text_cannot_give_orders_to_the_page(text, escaped):
    assert man_page.escape_roff(text) == escaped
