"""Checks the licences of what citeproof and its extras install, from the metadata of this environment.

    python -m release.licence_audit [--all]

Needs no network. Follows requirements from package to package, for citeproof and each extra. A licence must
be one of licences.toml; a package that states none, or another, is an error. Packages of an extra that is not
installed here are named as not seen. `--all` prints every package. Exit code 1 if something is wrong.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from packaging.markers import default_environment
from packaging.requirements import Requirement

PACKAGE = "citeproof"
_TABLES = tomllib.loads((Path(__file__).parent / "licences.toml").read_text(encoding="utf-8"))
ALLOWED: frozenset[str] = frozenset(_TABLES["allowed"])
SPELLINGS: dict[str, str] = _TABLES["spellings"]
READ_BY_HAND: dict[str, dict[str, str]] = _TABLES["read_by_hand"]


@dataclass(frozen=True, slots=True)
class InstalledPackage:
    """One package, its licence in SPDX words, and which extras bring it ("" is citeproof itself)."""

    name: str
    version: str
    licence: str
    extras: tuple[str, ...]

    @property
    def trouble(self) -> str:
        """Why its licence is not accepted; empty if it is."""
        if not self.licence:
            return "states no licence"
        return "" if is_allowed(self.licence) else f"{self.licence} is not among the allowed licences"


def normalise_name(name: str) -> str:
    """Return a package's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def is_allowed(expression: str) -> bool:
    """Return whether a licence expression can be fulfilled by allowed licences alone."""
    text = re.sub(r"\s+WITH\s+[\w.-]+", "", expression)
    return any(
        all(one.strip("() ") in ALLOWED for one in re.split(r"\s+AND\s+", choice))
        for choice in re.split(r"\s+OR\s+", text)
    )


def read_licence(found: metadata.Distribution) -> str:
    """Return the licence of a package: its SPDX expression, else its field, else its classifiers."""
    head = found.metadata
    if head.get("License-Expression"):
        return str(head["License-Expression"])
    name = normalise_name(str(head["Name"]))
    if name in READ_BY_HAND:
        return READ_BY_HAND[name]["licence"]
    classed = [
        text.rpartition(" :: ")[2]
        for text in head.get_all("Classifier") or []
        if text.startswith("License ::")
    ]
    stated = str(head.get("License") or "").strip()
    written = [stated] if stated and len(stated) < 100 and "\n" not in stated else []
    for texts in (written, classed):
        known = [_spell(text) for text in texts]
        if known and all(known):
            return " AND ".join(dict.fromkeys(known))
    return " AND ".join(classed) or (stated.splitlines()[0] if stated else "")


def _spell(text: str) -> str:
    """Return the SPDX words for what a package writes; empty if unknown."""
    if is_allowed(text):
        return text
    parts = re.split(r"\s*(?:,|/| and | or )\s*", text) if text.lower().strip() not in SPELLINGS else [text]
    found = [SPELLINGS.get(part.lower().strip(), part if part in ALLOWED else "") for part in parts]
    return (" OR " if " or " in text else " AND ").join(found) if all(found) else ""


def list_packages() -> tuple[list[InstalledPackage], list[str]]:
    """Return everything that citeproof and its extras bring here, and what is not installed."""
    bringing: dict[str, set[str]] = {}
    unseen: set[str] = set()
    extras = metadata.metadata(PACKAGE).get_all("Provides-Extra") or []
    for extra in ("", *extras):
        for name, there in _follow(PACKAGE, {extra} if extra else set()):
            if there:
                bringing.setdefault(name, set()).add(extra)
            else:
                unseen.add(f"{name} (extra {extra})" if extra else name)
    found = []
    for name, brought in sorted(bringing.items()):
        package = metadata.distribution(name)
        shown = ("",) if "" in brought else tuple(sorted(brought))
        found.append(InstalledPackage(name, package.version, read_licence(package), shown))
    return found, sorted(unseen)


def list_requirements(name: str, extras: set[str]) -> Iterator[Requirement]:
    """Yield what an installed package needs on this machine, with these extras of it."""
    here = dict(default_environment())
    for text in metadata.requires(name) or []:
        one = Requirement(text)
        if one.marker is None or any(
            one.marker.evaluate({**here, "extra": extra}) for extra in extras or {""}
        ):
            yield one


def _follow(name: str, extras: set[str]) -> Iterator[tuple[str, bool]]:
    """Yield each package that `name` needs, and what those need, and whether it is installed."""
    waiting, seen = [(name, frozenset(extras))], set()
    while waiting:
        parent, wanted = waiting.pop()
        for one in list_requirements(parent, set(wanted)):
            child = normalise_name(one.name), frozenset(one.extras)
            if child in seen:
                continue
            seen.add(child)
            try:
                metadata.distribution(child[0])
            except metadata.PackageNotFoundError:
                yield child[0], False
                continue
            yield child[0], True
            waiting.append(child)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--all", action="store_true", help="print every package, not only what is wrong")
    chosen = parser.parse_args(arguments)
    packages, unseen = list_packages()
    bad = [one for one in packages if one.trouble]
    for one in packages if chosen.all else bad:
        brought = ", ".join(filter(None, one.extras)) or "base"
        print(f"{one.name} {one.version}: {one.trouble or one.licence}  [{brought}]")
    if unseen:
        print(f"not installed here, not seen: {', '.join(unseen)}")
    print(f"{len(packages)} packages, {len(bad)} with a licence that is not accepted")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
