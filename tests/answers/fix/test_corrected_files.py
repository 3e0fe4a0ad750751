"""Whatever errors a file has: only their lines change, and fixing twice is fixing once."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citeproof import settings as configuration
from citeproof.answers.fix.corrected_files import FixOptions
from citeproof.answers.fix.formats.base import load_formats
from citeproof.answers.fix.text_edits import EncodedText, TextEdit
from citeproof.reading.extractors.decoded_text import decode
from citeproof.service.assemble import assemble, make_fixer
from citeproof.service.check_session import begin_check
from citeproof.vocabulary import Claimed, Document
from tests.answers.fix.made import wanted
from tests.surfaces.fixes import FILES, FIXTURES, FORMS, PLANTS, snapshot


@pytest.fixture(scope="module")
def verifier(tmp_path_factory):
    folder = snapshot(tmp_path_factory)
    return assemble(configuration.load({"snapshots": (folder,), "offline": True}))


def _fixed(verifier, document):
    checking = begin_check(verifier, [document])

    async def run():
        return [one async for one in checking.stream()]

    options = FixOptions(unsafe=True)
    [file] = make_fixer().fix_files([document], checking.extractions, asyncio.run(run()), options)
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
    "the number of names differs; write the list by hand",
    "it is not in one piece",
}


@pytest.mark.parametrize("name", FILES)
def test_without_errors_nothing_is_offered(name, verifier):
    assert _fixed(verifier, Document(name, (FIXTURES / name).read_bytes())).steps == []


def test_edits_that_overlap_are_never_written():
    encoded = EncodedText("äbcdef".encode(), "äbcdef")
    assert encoded.edit_bytes([TextEdit(1, 3, "x"), TextEdit(3, 3, "y")]) == "äxydef".encode()
    with pytest.raises(ValueError, match="overlap"):
        encoded.edit_bytes([TextEdit(1, 3, "x"), TextEdit(2, 4, "y")])


MORE = (  # a line that is added takes the end that the lines of the file have
    ("bibtex", "x.bib", "@misc{k,\n  title = {A},\n  year = {1999}\n}\n",
     "@misc{k,\n  title = {A},\n  year = {1999},\n  volume = {7}\n}\n"),
    ("bibtex", "x.bib", "@misc{k,\n  title = {A}\n}\n", "@misc{k,\n  title = {A},\n  volume = {7}\n}\n"),
    ("ris", "x.ris", "TY  - JOUR\nTI  - A\nER  - \n", "TY  - JOUR\nTI  - A\nVL  - 7\nER  - \n"),
)  # fmt: skip


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize(("form", "name", "before", "after"), MORE)
def test_line_ends_stay(form, name, before, after, ending):
    document = Document(name, before.replace("\n", ending).encode())
    decoded = decode(document)
    encoded = EncodedText(document.data, decoded.text, decoded.encoding)
    edit = load_formats()[form].open_references(decoded.text, encoded.detect_newline())
    end = decoded.text.rindex("}") + 1 if form == "bibtex" else len(decoded.text.rstrip())
    [made] = edit(0, end, [wanted("volume", Claimed("A"), "7")])
    assert encoded.edit_bytes(made.edits) == after.replace("\n", ending).encode()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "cp1252"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_bytes_to_characters_and_back(encoding, mark):
    text = "Größe – eins, zwei"
    encoded = EncodedText(mark + text.encode(encoding), text, encoding, len(mark))
    at = [len(mark) + len(text[:number].encode(encoding)) for number in range(len(text) + 1)]
    assert encoded.is_exact()
    for start, end in [(6, 7), (8, 12), (2, 4), (14, 18)]:  # also back
        assert encoded.find_characters(at[start], at[end]) == (start, end)
    edits = [TextEdit(2, 4, "ss"), TextEdit(8, 12, "1")]
    assert encoded.edit_bytes(edits) == mark + "Grsse – 1, zwei".encode(encoding)
