"""The public names of the package, pinned."""

from __future__ import annotations

import subprocess
import sys

import pytest

import citeproof

FUNCTIONS = {
    "acheck", "aground", "arender", "averify", "check", "check_corpus", "ground", "render", "verify",
}  # fmt: skip
ERRORS = {"CiteproofError", "InputError", "SnapshotError", "UsageError"}
NOUNS = {
    "Absent", "Band", "Cause", "Checked", "ClaimStatus", "Claimed", "Compared", "Comparison", "CorpusReport",
    "Document",
    "Finding", "Found", "GroundedClaim", "GroundedHypothesis", "Ids", "Judgement", "Kind", "Label", "Lookup",
    "Mismatch", "Name", "Override",
    "Place", "Problem", "Provenance", "Record", "Reference", "RenderedPart", "RenderedText", "Report", "Run",
    "Settings", "Unchecked",
    "Verdict", "Verifier",
}  # fmt: skip


def test_public_names():
    assert set(citeproof.__all__) == FUNCTIONS | ERRORS | NOUNS | {"__version__"}
    assert citeproof.__all__ == sorted(citeproof.__all__)


@pytest.mark.parametrize("name", citeproof.__all__)
def test_every_name_is_there(name):
    assert getattr(citeproof, name) is not None


def test_other_names_are_not():
    with pytest.raises(AttributeError, match="no_such"):
        _ = citeproof.no_such


@pytest.mark.parametrize("code", ["import citeproof", "import citeproof.surfaces.cli.main"])
def test_engine_is_not_loaded_before_it_is_needed(code):
    heavy = "{'numpy', 'tantivy', 'rich.console', 'lxml', 'rapidfuzz'}"
    script = f"{code}\nimport sys\nprint(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
