"""Writes the section of one version into CHANGELOG.md, from the fragments in changelog.d/.

    python -m release.build_changelog [--version 0.2.0] [--date 2026-11-17] [--draft] [--remove]

Can be run again after fragments were added: the section of that version is replaced whole. Fragments stay
until `--remove`, which ends a release and refuses while placeholders of its address are left. towncrier
allows only numbers after the kind (`20.feature.1.md`), our fragments have words there
(`20.feature.guard.md`): it gets a copy in which they are numbered, in the order of their names.
"""

from __future__ import annotations

import argparse
import datetime as dt
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from pathlib import Path

from release.repository_address import list_placeholders

ROOT = Path(__file__).resolve().parents[1]
FRAGMENTS = "changelog.d"
KINDS = ("feature", "bugfix", "doc", "removal", "misc")
_FRAGMENT = re.compile(rf"(\d+)\.({'|'.join(KINDS)})(?:\.[a-z0-9-]+)?\.md")
_MARK = "<!-- towncrier release notes start -->"
_NO_FRAGMENTS = {"README.md", "template.md.jinja"}


class ReleaseError(Exception):
    """What keeps a release file from being made, and what to do."""


def list_fragments(folder: Path) -> list[tuple[Path, str, str]]:
    """Return every fragment with its issue and kind, by issue, kind and name; fail on a name of no kind."""
    found = []
    for path in sorted(folder.iterdir()):
        if path.name in _NO_FRAGMENTS:
            continue
        named = _FRAGMENT.fullmatch(path.name)
        if named is None:
            raise ReleaseError(
                f"{path.name} is not a fragment; name it ISSUE.KIND.words.md, KIND one of {', '.join(KINDS)}"
            )
        if not path.read_text(encoding="utf-8").strip():
            raise ReleaseError(f"{path.name} is empty; write one or two sentences, or delete it")
        found.append((path, named[1], named[2]))
    return sorted(found, key=lambda one: (int(one[1]), KINDS.index(one[2]), one[0].name))


def drop_section(changelog: str, version: str) -> str:
    """Return the changelog without the section of `version`, if it has one."""
    if _MARK not in changelog:
        raise ReleaseError(f"CHANGELOG.md has no line {_MARK}; put it where the newest release belongs")
    pattern = rf"^## {re.escape(version)} \(.*?(?=^## |\Z)"
    return re.sub(pattern, "", changelog, flags=re.MULTILINE | re.DOTALL).rstrip() + "\n"


def render_changelog(root: Path, version: str, date: str) -> str:
    """Return CHANGELOG.md as it is once the fragments are in the section of `version`."""
    fragments = list_fragments(root / FRAGMENTS)
    if not fragments:
        raise ReleaseError(f"{FRAGMENTS} has no fragments: nothing to build")
    with tempfile.TemporaryDirectory() as made:
        copy = Path(made)
        (copy / FRAGMENTS).mkdir()
        (copy / "src" / "citeproof").mkdir(parents=True)
        shutil.copy(root / "pyproject.toml", copy)
        shutil.copy(root / FRAGMENTS / "template.md.jinja", copy / FRAGMENTS)
        text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
        (copy / "CHANGELOG.md").write_text(drop_section(text, version), encoding="utf-8")
        counted: Counter[tuple[str, str]] = Counter()
        for path, issue, kind in fragments:
            counted[issue, kind] += 1
            shutil.copy(path, copy / FRAGMENTS / f"{issue}.{kind}.{counted[issue, kind]}.md")
        command = [sys.executable, "-m", "towncrier", "build", "--keep", "--version", version, "--date", date]
        done = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False)
        if done.returncode:
            raise ReleaseError(f"towncrier failed: {done.stderr.strip() or done.stdout.strip()}")
        built = (copy / "CHANGELOG.md").read_text(encoding="utf-8")
    return re.sub(r"\n{3,}", "\n\n", built).rstrip() + "\n"


def _read_version(root: Path) -> str:
    return str(tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"])


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--version", default=_read_version(root), help="default: that of pyproject.toml")
    parser.add_argument("--date", default=dt.date.today().isoformat(), help="default: today")  # noqa: DTZ011
    parser.add_argument("--draft", action="store_true", help="print CHANGELOG.md and change nothing")
    parser.add_argument("--remove", action="store_true", help="delete the fragments afterwards")
    chosen = parser.parse_args(arguments)
    if chosen.remove and (left := list_placeholders(root)):
        print(
            "a release has no placeholders; run: python -m release.repository_address ADDRESS",
            *left,
            sep="\n",
            file=sys.stderr,
        )
        return 2
    try:
        built = render_changelog(root, chosen.version, chosen.date)
    except ReleaseError as problem:
        print(problem, file=sys.stderr)
        return 2
    if chosen.draft:
        print(built, end="")
        return 0
    used = list_fragments(root / FRAGMENTS)
    (root / "CHANGELOG.md").write_text(built, encoding="utf-8")
    if chosen.remove:
        for path, _, _ in used:
            path.unlink()
    kept = "deleted" if chosen.remove else "kept; --remove deletes them"
    print(f"CHANGELOG.md: {len(used)} fragments in {chosen.version} ({kept})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
