"""Two recorded runs that tests of replay share: against a loopback world, and offline against a snapshot."""

from __future__ import annotations

import pytest

from citeproof.evidence.index.build import BuildInput, build
from tests.proof.replay.made import EXAMPLES, Made, checked, offline_variables, recorded


@pytest.fixture(scope="session")
def live(tmp_path_factory) -> Made:
    return recorded(tmp_path_factory.mktemp("live"), 40)


@pytest.fixture(scope="session")
def offline(tmp_path_factory) -> Made:
    folder = tmp_path_factory.mktemp("offline")
    build([BuildInput("bibtex", (EXAMPLES / "records.bib",))], folder / "snapshot", name="examples")
    variables = offline_variables(folder / "snapshot", folder)
    names = ("references.bib", "answer.md")
    documents = [(name, (EXAMPLES / name).read_bytes()) for name in names]
    return Made(folder, checked(variables, folder, *documents))


@pytest.fixture(params=["live", "offline"])
def either(request) -> Made:
    found: Made = request.getfixturevalue(request.param)
    return found
