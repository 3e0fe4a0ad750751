"""Whatever errors a file has: only their lines change, and fixing twice is fixing once."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.surfaces.fixes import FILES, FIXTURES, FORMS, PLANTS, snapshot

from citeproof import settings as configuration
from citeproof.assemble import assemble
from citeproof.correct.edits import Edit
from citeproof.extractors.decode import decode
from citeproof.surfaces.bytespans import rebuilt
from citeproof.surfaces.checking import begin
from citeproof.surfaces.fixing import Options, fixed
from citeproof.vocabulary import Document


@pytest.fixture(scope="module")
def verifier(tmp_path_factory):
    folder = snapshot(tmp_path_factory)
    return assemble(configuration.load({"snapshots": (folder,), "offline": True}))


def _fixed(verifier, document):
    checking = begin(verifier, [document])

    async def run():
        return [(0, one) async for one in checking.stream()]

    [file] = fixed([document], asyncio.run(run()), Options(unsafe=True))
    return file


@settings(max_examples=30)
@given(
    st.sampled_from(FILES),
    st.sets(st.integers(0, len(PLANTS) - 1), min_size=5, max_size=30),
    st.sampled_from(sorted(FORMS)),
)
def test_any_errors(verifier, name, chosen, form):
    right = (FIXTURES / name).read_bytes().decode()
    wrong = right
    for number in sorted(chosen):
        file, old, new = PLANTS[number]
        if file == name and wrong.count(old) == 1:
            wrong = wrong.replace(old, new)
    before = FORMS[form](wrong)
    once = _fixed(verifier, Document(name, before))
    kept = [line for line in before.split(b"\n") if line in FORMS[form](right).split(b"\n")]
    after = once.new.split(b"\n")
    assert [line for line in kept if line not in after] == []  # what was right stands
    assert (once.new == before) == (not once.edits)
    assert _fixed(verifier, Document(name, once.new)).new == once.new
    assert {step.why for step in once.steps if not step.done and step.counts} <= {""} | _SAID


_SAID = {
    "names are missing or too many; write the list by hand",
    "it does not stand there in one place",
}


@pytest.mark.parametrize("name", FILES)
def test_without_errors_nothing_is_offered(name, verifier):
    assert _fixed(verifier, Document(name, (FIXTURES / name).read_bytes())).steps == []


def test_edits_that_overlap_are_never_written():
    document = Document("a.txt", "äbcdef".encode())
    decoded = decode(document)
    assert rebuilt(document.data, decoded, [Edit(1, 3, "x"), Edit(3, 3, "y")]) == "äxydef".encode()
    with pytest.raises(ValueError, match="overlap"):
        rebuilt(document.data, decoded, [Edit(1, 3, "x"), Edit(2, 4, "y")])
