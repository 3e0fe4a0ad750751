"""Where this repository is: one address, in pyproject.toml, the documentation and the recipes for CI.

    python -m release.repository_address                              name every placeholder that is left
    python -m release.repository_address https://github.com/acme/citeproof    fill them in

The one setting is `Repository` under `[project.urls]` in pyproject.toml. The second form writes it there,
and replaces the placeholders. A release has none: `make changelog REMOVE=--remove` refuses.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = "https://example.org/citeproof"
_RAW = f"{SAMPLE}/templates/"  # a file of this repository as it is, without a page around it
_ACTION = "OWNER/citeproof@"
_PLACEHOLDER = re.compile(f"{re.escape(SAMPLE)}|{re.escape(_ACTION)}")
_FOLDERS = (".github", "deploy", "docs", "examples", "skills", "src", "templates")
_ENDINGS = ("*.md", "*.yml", "*.yaml", "*.toml", "*.html", "*.conf", "*.cff", "*.sh")
_NO_URLS = "# [project.urls] comes with the first public address of this repository; none is invented here.\n"


def list_placeholders(root: Path = ROOT) -> list[str]:
    """Return what is still to be filled in: `file:line: text`, and the setting if it is not made."""
    rows = [
        f"{path.relative_to(root)}:{number}: {line.strip()}"
        for path in _list_files(root)
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if _PLACEHOLDER.search(line)
    ]
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    return rows if "Repository" in project.get("urls", {}) else ["pyproject.toml: no [project.urls]", *rows]


def fill_in(address: str, root: Path = ROOT) -> list[str]:
    """Write the address everywhere; return the names of the files that changed."""
    url = urlsplit(address)
    path = url.path.strip("/")
    if url.scheme != "https" or path.count("/") < 1 or url.query or url.fragment:
        raise ValueError(f"{address!r} is not an address such as https://github.com/acme/citeproof")
    address = f"https://{url.netloc}/{path}"
    version = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    github = url.netloc == "github.com"
    raw = (
        f"https://raw.githubusercontent.com/{path}/v{version}/" if github else f"{address}/-/raw/v{version}/"
    )
    filled = {_NO_URLS: f'[project.urls]\nRepository = "{address}"\n', _RAW: f"{raw}templates/"}
    filled |= {SAMPLE: address, _ACTION: f"{path}@"}
    changed = []
    for file in _list_files(root):
        text = before = file.read_text("utf-8")
        for placeholder, value in filled.items():
            text = text.replace(placeholder, value)
        if text != before:
            file.write_text(text, encoding="utf-8")
            changed.append(str(file.relative_to(root)))
    return changed


def _list_files(root: Path) -> list[Path]:
    """Return the files in which an address may stand, beside those of this room and of the tests."""
    folders = [(root, Path.glob), *((root / name, Path.rglob) for name in _FOLDERS)]
    paths = (path for folder, search in folders for ending in _ENDINGS for path in search(folder, ending))
    return sorted(path for path in paths if path.name != "CHANGELOG.md")


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("address", nargs="?", help="address of the repository; without it, only check")
    chosen = parser.parse_args(arguments)
    if chosen.address:
        try:
            changed = fill_in(chosen.address, root)
        except ValueError as problem:
            print(problem, file=sys.stderr)
            return 2
        print("\n".join(changed) or "nothing to fill in")
    left = list_placeholders(root)
    if left:
        print("\n".join(left), file=sys.stderr)
        print("run: python -m release.repository_address https://HOST/OWNER/citeproof", file=sys.stderr)
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
