"""Writes a software bill of materials as CycloneDX 1.6 JSON, from the metadata of this environment.

    python -m release.bill_of_materials [-o dist/citeproof.cdx.json]

Needs no network. Lists citeproof and everything that it and its installed extras bring, with versions,
licences, who needs whom, and the hashes of the files in requirements*.txt. The same environment gives the
same bytes.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import uuid
from importlib import metadata
from pathlib import Path

from release.licence_audit import (
    PACKAGE,
    InstalledPackage,
    is_allowed,
    list_packages,
    list_requirements,
    normalise_name,
    read_licence,
)

ROOT = Path(__file__).resolve().parents[1]
_ID = re.compile(r"[A-Za-z0-9.-]+")
_PIN = re.compile(
    r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==(\S+)[^\n]*((?:\n\s+--hash=sha256:[0-9a-f]{64}[^\n]*)+)",
    re.MULTILINE,
)


def build_bill() -> dict[str, object]:
    """Return the bill of this environment."""
    packages, _ = list_packages()
    hashes = _read_hashes()
    own = metadata.distribution(PACKAGE)
    components = [_describe_package(one, hashes.get((one.name, one.version), [])) for one in packages]
    bill: dict[str, object] = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": _make_address(PACKAGE, own.version),
                "name": PACKAGE,
                "version": own.version,
                "purl": _make_address(PACKAGE, own.version),
                "licenses": _describe_licence(read_licence(own)),
            }
        },
        "components": components,
        "dependencies": _list_dependencies(packages, own.version),
    }
    content = json.dumps(bill, sort_keys=True)
    return {"serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, content)}", **bill}


def _make_address(name: str, version: str) -> str:
    return f"pkg:pypi/{name}@{version}"


def _describe_package(one: InstalledPackage, hashes: list[str]) -> dict[str, object]:
    address = _make_address(one.name, one.version)
    found: dict[str, object] = {
        "type": "library",
        "bom-ref": address,
        "name": one.name,
        "version": one.version,
        "scope": "required" if "" in one.extras else "optional",
        "purl": address,
        "licenses": _describe_licence(one.licence),
    }
    if extras := [{"name": "citeproof:extra", "value": extra} for extra in one.extras if extra]:
        found["properties"] = extras
    if hashes:  # of every file of the release: one of them is installed
        files = [{"alg": "SHA-256", "content": value} for value in hashes]
        found["externalReferences"] = [{"type": "distribution", "url": address, "hashes": files}]
    return found


def _describe_licence(text: str) -> list[dict[str, object]]:
    if not text:
        return []
    if not is_allowed(text):
        return [{"license": {"name": text}}]
    return [{"license": {"id": text}}] if _ID.fullmatch(text) else [{"expression": text}]


def _list_dependencies(packages: list[InstalledPackage], version: str) -> list[dict[str, object]]:
    """Return who needs whom; citeproof needs what its installed extras need."""
    known = {one.name: _make_address(one.name, one.version) for one in packages}
    extras = {"", *(metadata.metadata(PACKAGE).get_all("Provides-Extra") or [])}
    rows = [(PACKAGE, version, extras), *((one.name, one.version, set()) for one in packages)]
    found: list[dict[str, object]] = []
    for name, held, wanted in rows:
        needed = {normalise_name(one.name) for one in list_requirements(name, wanted)} - {name}
        found.append(
            {
                "ref": _make_address(name, held),
                "dependsOn": sorted(known[one] for one in needed if one in known),
            }
        )
    return found


def _read_hashes() -> dict[tuple[str, str], list[str]]:
    """Return the hashes of the locked requirements by name and version."""
    found: dict[tuple[str, str], list[str]] = {}
    for path in sorted(ROOT.glob("requirements*.txt")):
        for name, version, rows in _PIN.findall(path.read_text(encoding="utf-8")):
            found[normalise_name(name), version] = sorted(re.findall(r"sha256:([0-9a-f]{64})", rows))
    return found


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "dist" / "citeproof.cdx.json")
    chosen = parser.parse_args(arguments)
    bill = build_bill()
    chosen.output.parent.mkdir(parents=True, exist_ok=True)
    chosen.output.write_text(json.dumps(bill, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    listed = bill["components"]
    assert isinstance(listed, list)
    print(f"{chosen.output}: {len(listed)} components")
    return 0


if __name__ == "__main__":
    sys.exit(main())
