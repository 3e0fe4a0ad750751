"""Every installed package has a licence that we accept; the bill of materials lists it as it is locked."""

from __future__ import annotations

import json
import re
from importlib import metadata
from pathlib import Path

import pytest

from release import bill_of_materials, licence_audit

ROOT = Path(__file__).parents[2]


def test_every_package_that_we_bring_has_an_accepted_licence(capsys):
    code = licence_audit.main([])
    assert code == 0, capsys.readouterr().out


def test_what_is_not_installed_belongs_to_extras_that_are_installed_apart():
    packages, unseen = licence_audit.list_packages()
    assert {"aiohttp", "numpy", "multidict", "fastapi", "starlette", "boto3"} <= {
        one.name for one in packages
    }
    allowed = {"memory", "ocr"}  # requirements-*.txt of their own
    assert {re.search(r"extra ([\w-]+)", text)[1] for text in unseen} <= allowed


CASES = [
    ("MIT", True),
    ("Apache-2.0 OR BSD-3-Clause", True),
    ("GPL-3.0-only OR MIT", True),
    ("MIT AND GPL-3.0-only", False),
    ("Apache-2.0 WITH LLVM-exception", True),
    ("(MIT OR Apache-2.0)", True),
    ("AGPL-3.0-or-later", False),
    ("GPL-2.0", False),
    ("Proprietary", False),
]


@pytest.mark.parametrize(("expression", "allowed"), CASES)
def test_licences_are_told_apart(expression, allowed):
    assert licence_audit.is_allowed(expression) is allowed


def _make_package(folder, **head):
    made = folder / "made_up-1.0.dist-info"
    made.mkdir()
    rows = [f"{name.replace('_', '-')}: {value}" for name, value in head.items()]
    (made / "METADATA").write_text(
        "\n".join(["Metadata-Version: 2.1", "Name: made_up", "Version: 1.0", *rows, ""])
    )
    return metadata.PathDistribution(made)


STATED = [
    ({"License": "GPLv3"}, "GPLv3"),
    ({"License": "MIT License"}, "MIT"),
    ({"License_Expression": "MIT OR GPL-3.0-only", "License": "x"}, "MIT OR GPL-3.0-only"),
    ({"Classifier": "License :: OSI Approved :: Apache Software License"}, "Apache-2.0"),
    (
        {"Classifier": "License :: OSI Approved :: GNU Affero General Public License v3"},
        "GNU Affero General Public License v3",
    ),
    ({}, ""),
]


@pytest.mark.parametrize(("head", "licence"), STATED)
def test_a_licence_is_read_from_what_a_package_states(tmp_path, head, licence):
    found = licence_audit.read_licence(_make_package(tmp_path, **head))
    assert found == licence
    one = licence_audit.InstalledPackage("made-up", "1.0", found, ("",))
    assert bool(one.trouble) is ("GPLv3" in licence or "Affero" in licence or not licence)


def test_the_bill_lists_each_package_once_with_whom_it_needs(tmp_path, capsys):
    for name in ("first", "second"):
        assert bill_of_materials.main(["-o", str(tmp_path / name)]) == 0
    capsys.readouterr()
    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()
    bill = json.loads((tmp_path / "first").read_text(encoding="utf-8"))
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    assert bill["metadata"]["component"]["version"] == metadata.version("citeproof")
    known = {one["bom-ref"]: one for one in bill["components"]}
    assert len(known) == len(bill["components"]) == len(licence_audit.list_packages()[0])
    rows = {row["ref"]: row["dependsOn"] for row in bill["dependencies"]}
    assert set(rows) == set(known) | {bill["metadata"]["component"]["bom-ref"]}
    assert {one for needed in rows.values() for one in needed} <= set(known)
    aiohttp = next(one for one in known if one.startswith("pkg:pypi/aiohttp@"))
    assert aiohttp in rows[bill["metadata"]["component"]["bom-ref"]]
    assert any(one.startswith("pkg:pypi/yarl@") for one in rows[aiohttp])


def test_what_is_installed_is_what_is_locked():
    """Each package of the bill has the hashes of its lock file: another version would have none."""
    loose = [
        one["purl"] for one in bill_of_materials.build_bill()["components"] if "externalReferences" not in one
    ]
    assert not loose, "run: make venv, or make lock"
