"""Builds wheel and sdist and installs them into fresh environments: every extra alone, every Python at hand.

    python bench/clean_install.py [--extra NAME]... [--python PATH]... [--sdist] [--keep FOLDER]

Without `--extra`: the package alone and then each extra alone. Without `--python`: this interpreter. Packages
come from the package index that pip is set up for. Each environment must pass `pip check`, answer
`--version`, `--help`, `doctor` and `completion`, build a snapshot, check a bibliography against it, and
import what the extra is for. Prints a row for each: ok or what failed, size of the installation, CPU-seconds
of `citeproof --help` (least of five).
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OURS = {  # what of our own needs the extra and nothing else
    "mcp": "citeproof.surfaces.mcp.tool_server",
    "memory": "citeproof.evidence.embedding",
    "server": "citeproof.surfaces.rest.app",
}
IMPORT = """
import importlib, json, re, sys
from importlib import metadata
extra, ours = sys.argv[1:]
mark = rf"extra == ['\\"]{extra}['\\"]"
wanted = [text for text in metadata.requires("citeproof") if re.search(mark, text)]
names = {re.split(r"[^A-Za-z0-9._-]", text)[0].lower().replace("_", "-") for text in wanted}
normal = lambda name: re.sub(r"[-_.]+", "-", name).lower()
modules = sorted(m for m, ds in metadata.packages_distributions().items() if {normal(d) for d in ds} & names)
modules = [one for one in modules if not one.startswith("_") and one.isidentifier()]
assert not wanted or modules or extra == "memory", f"no module of {names}"
for one in [*modules, *filter(None, [ours])]:
    importlib.import_module(one)
print(json.dumps(modules))
"""
BIB = "@article{a, title = {A survey of glaciers}, author = {Curie, Marie}, year = {2001}, journal = {Ice}}\n"


class FailedStep(Exception):  # noqa: N818 - it is what is printed
    """A command of the trial that did not do what it should."""


@dataclass(frozen=True, slots=True)
class InstallTrial:
    """One fresh environment and what became of it."""

    python: str
    extra: str
    package: str
    outcome: str
    megabytes: float = 0
    help_seconds: float = 0


def run_step(command: list[str | Path], folder: Path, codes: tuple[int, ...] = (0,)) -> str:
    """Return what a command prints; fail with its last lines unless it ends with one of `codes`."""
    strange = ("CITEPROOF_", "PYTHON", "VIRTUAL_ENV")
    clean = {k: v for k, v in os.environ.items() if not k.startswith(strange)}  # noqa: TID251 - to clean it
    if "pip" not in command:  # which has its cache there
        clean |= {"HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache")}
    done = subprocess.run(command, cwd=folder, env=clean, capture_output=True, text=True, check=False)
    if done.returncode not in codes:
        said = " | ".join((done.stderr or done.stdout).strip().splitlines()[-3:])
        raise FailedStep(
            f"{Path(command[0]).name} {' '.join(map(str, command[1:5]))} → {done.returncode}: {said}"
        )
    return done.stdout


def build_packages(folder: Path) -> dict[str, Path]:
    """Return the wheel and the sdist, built from this checkout."""
    run_step([sys.executable, "-m", "hatchling", "build", "-d", folder], ROOT)
    return {"wheel": next(folder.glob("*.whl")), "sdist": next(folder.glob("*.tar.gz"))}


def try_install(python: str, extra: str, kind: str, package: Path, home: Path) -> InstallTrial:
    """Return what became of `package` with `extra` in a fresh environment of `python`."""
    version = run_step([python, "-c", "import platform; print(platform.python_version())"], home).strip()
    place = home / f"{version}-{extra or 'base'}-{kind}"
    place.mkdir()
    try:
        run_step([python, "-m", "venv", place / "env"], place)
        own = place / "env" / "bin"
        pip = [own / "python", "-m", "pip", "--disable-pip-version-check"]
        run_step([*pip, "install", "-q", f"{package}[{extra}]" if extra else package], place)
        run_step([*pip, "check"], place)
        exercise_command(own, extra, place)
        size = _measure_packages(place / "env")
        return InstallTrial(version, extra, kind, "ok", size, _measure_help(own / "citeproof", place))
    except FailedStep as problem:
        return InstallTrial(version, extra, kind, str(problem))
    finally:
        shutil.rmtree(place)


def exercise_command(own: Path, extra: str, place: Path) -> None:
    """Use the installed command as a new user does."""
    citeproof = own / "citeproof"
    if run_step([citeproof, "--version"], place) != run_step(
        [own / "python", "-m", "citeproof", "--version"], place
    ):
        raise FailedStep("citeproof and python -m citeproof tell different versions")
    run_step([citeproof, "--help"], place)
    run_step([citeproof, "doctor"], place, (0, 1))  # 1: no snapshot yet
    for shell in ("bash", "zsh", "fish"):
        run_step([citeproof, "completion", "show", shell], place)
    (place / "records.bib").write_text(BIB, encoding="utf-8")
    (place / "refs.bib").write_text(BIB.replace("2001", "2003"), encoding="utf-8")
    run_step([citeproof, "index", "build", "--from", "bibtex", "records.bib", "--out", "made"], place)
    told = run_step(
        [citeproof, "check", "refs.bib", "--offline", "--snapshot", "made", "--format", "json"],
        place,
        (0, 1, 4),
    )
    if len(json.loads(told)["references"]) != 1:
        raise FailedStep(f"check shows no reference: {told[:200]}")
    if not (own.parent / "share" / "man" / "man1" / "citeproof.1").is_file():
        raise FailedStep("the manual page is not installed")
    if not next(own.parent.glob("lib/*/site-packages/citeproof/py.typed"), None):
        raise FailedStep("py.typed is not installed")
    run_step([own / "python", "-c", IMPORT, extra or "none", OURS.get(extra, "")], place)


def _measure_packages(env: Path) -> float:
    """Return the megabytes of everything installed, without pip and setuptools."""
    folder = next(env.glob("lib/*/site-packages"))
    others = ("pip", "setuptools", "_distutils_hack", "pkg_resources")
    files = [path for path in folder.rglob("*") if not path.relative_to(folder).parts[0].startswith(others)]
    return sum(path.stat().st_size for path in files if path.is_file()) / 1e6


def _measure_help(command: Path, place: Path) -> float:
    costs = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run_step([command, "--help"], place)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        costs.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(costs)


def main() -> int:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--extra", action="append", choices=["", *extras], help="'' is the package alone")
    parser.add_argument("--python", action="append", help="an interpreter; may be repeated")
    parser.add_argument("--sdist", action="store_true", help="install from the sdist too, without extras")
    chosen = parser.parse_args()
    bad = 0
    print(f"{'python':<9} {'extra':<12} {'from':<6} {'MB':>6} {'--help CPU s':>12}  outcome")
    with tempfile.TemporaryDirectory(prefix="install-") as made:
        home = Path(made)
        packages = build_packages(home / "dist")
        for python in chosen.python or [sys.executable]:
            asked = [(extra, "wheel") for extra in chosen.extra or ["", *extras]]
            for extra, kind in [*asked, *([("", "sdist")] if chosen.sdist else [])]:
                row = try_install(python, extra, kind, packages[kind], home)
                bad += row.outcome != "ok"
                figures = f"{row.megabytes:>6.0f} {row.help_seconds:>12.2f}"
                print(
                    f"{row.python:<9} {extra or '(none)':<12} {kind:<6} {figures}  {row.outcome}", flush=True
                )
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
