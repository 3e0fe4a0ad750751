"""What every extractor of the folder must do, and which one a document gets."""

import gzip
import random
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from citeproof.errors import InputError
from citeproof.plumbing.sandbox import Limits
from citeproof.reading.extractors import sandbox_reader
from citeproof.reading.extractors.base import detect_extractor, extract, load_extractors
from citeproof.reading.extractors.sandbox_reader import encode_request
from citeproof.vocabulary import (
    Claimed,
    Document,
    Extraction,
    FieldOrigin,
    Ids,
    Kind,
    Name,
    Origin,
    Place,
    Problem,
    RawReference,
)
from tests.faults.patterns import cost
from tests.soak import choose_pairs

BIB = "@article{k, title = {Deep learning}, year = 2015}"
CSL = '[{"id": "k", "type": "article-journal", "title": "Deep learning"}]'
MD = "# Notes\n\n## References\n\n- LeCun, Y. (2015). Deep learning. Nature."
TXT = "[1] LeCun, Y. (2015). Deep learning. Nature."
FIXTURES = Path(__file__).parents[2] / "fixtures"
EVERY = pytest.mark.parametrize("one", load_extractors().values(), ids=lambda one: one.name)
PLAIN = pytest.mark.parametrize(
    "one", [one for one in load_extractors().values() if not one.hostile], ids=lambda one: one.name
)


def fixtures(one):
    """The files that are kept as examples of a format, by its suffixes."""
    folder = FIXTURES / one.name
    files = sorted(folder.rglob("*")) if folder.is_dir() else []
    return [file for file in files if file.is_file() and file.suffix.lower() in one.suffixes]


EXAMPLES = [(one, file) for one in load_extractors().values() for file in fixtures(one)]
EACH_EXAMPLE = pytest.mark.parametrize(
    ("one", "file"), EXAMPLES, ids=[f"{one.name}/{file.name}" for one, file in EXAMPLES]
)


@EVERY
def test_each_extractor_says_what_it_is(one):
    assert load_extractors()[one.name] is one
    assert one.recognises.__module__.rpartition(".")[2] == one.name
    assert isinstance(one.hostile, bool)
    assert one.suffixes
    assert all(suffix.startswith(".") and suffix == suffix.lower() for suffix in one.suffixes)
    assert sys.modules[one.recognises.__module__].__doc__
    assert one.recognises.__doc__.lstrip().startswith("Return")


@PLAIN
def test_each_extractor_takes_any_text(one):
    for text in ("", " \n", "x", BIB, CSL, MD, TXT, "{" * 500, "[" * 500, "@" * 500, "\u2028é" * 50):
        document = Document("x", text.encode())
        assert 0 <= one.recognises(document) <= 1
        extraction = one.extract(document)
        assert extraction.format == one.name
        for reference in extraction.references:
            assert reference.key
            place = reference.place
            assert document.data[place.start : place.end].strip()
            assert 1 <= place.line <= place.end_line


@PLAIN
def test_an_empty_document_has_no_references(one):
    extraction = one.extract(Document("empty", b""))
    assert extraction.references == ()
    assert {problem.message for problem in extraction.problems} <= {"the file is empty"}


@pytest.mark.parametrize("data", [b"", b"x", b"<", b"PK\x03\x04", b"%PDF-1.7", b"\0" * 600, BIB.encode()])
@pytest.mark.parametrize("name", [one.name for one in load_extractors().values() if one.hostile])
def test_a_hostile_format_refuses_what_it_is_not(name, data):
    one = load_extractors()[name]
    try:
        extraction = one.extract(Document("x", data))
    except InputError as error:
        assert error.message  # noqa: PT017 - either is right
        assert error.hint  # noqa: PT017 - same
    else:
        assert extraction.references == ()


STARTS = [
    b"",
    b"%PDF-1.7\n",
    b"PK\x03\x04",
    b"\x1f\x8b\x08",
    b"<?xml version='1.0'?><",
    b"<html>",
    b"\\",
    b"---\n",
]


@EVERY
def test_recognising_never_raises(one):
    chance = random.Random(one.name)
    for number in range(500):
        data = STARTS[number % len(STARTS)] + chance.randbytes(chance.choice([0, 1, 7, 512, 3000]))
        assert 0 <= one.recognises(Document("x", data)) <= 1


UNITS = [
    *(
        b"a",
        b" ",
        b"\n",
        b"\0",
        b"<",
        b"<a>",
        b"<a ",
        b"<!-- ",
        b"<!--a--> ",
        b"<?x?>",
        b"<!DOCTYPE a [",
        b"\\cite{",
    ),
    *(
        b"@",
        b"@a{",
        b"[",
        b'[{"',
        b"PK\x03\x04",
        b"%\n",
        b"---\n",
        b"- ",
        b"TY  - ",
        b"PMID- ",
        b"#",
        b'"',
        b"a: ",
    ),
]


@pytest.mark.growth
@pytest.mark.parametrize(("name", "unit"), choose_pairs(sorted(load_extractors()), UNITS))
def test_recognising_stays_cheap(name, unit):
    """It runs in the parent, on anything: a watchdog ends what does not end by itself."""
    one = load_extractors()[name]
    document = Document("x", (unit * 200_000)[:200_000])
    assert cost(lambda: one.recognises(document), 3.0) < 3.0


@EACH_EXAMPLE
def test_each_example_is_detected_and_read(one, file):
    document = Document(file.name, file.read_bytes())
    assert detect_extractor(document).name == one.name
    unnamed = detect_extractor(Document("x", document.data)).name  # a chapter may look like any text
    assert unnamed == one.name or (unnamed in {"plain_text", "markdown"} and not one.hostile)
    try:
        extraction = extract(document)
    except InputError as error:
        assert error.hint  # noqa: PT017 - an example of what cannot be read
        return
    assert extraction.format == one.name
    assert all(reference.key and reference.place.file for reference in extraction.references)
    assert all(len(reference.text) <= 20_000 for reference in extraction.references)
    assert all(len(r.citing) <= 20 and all(len(s) <= 500 for s in r.citing) for r in extraction.references)
    assert all(problem.message and problem.place.file for problem in extraction.problems)


@pytest.mark.soak
@EACH_EXAMPLE
def test_damage_to_an_example_is_an_error_or_a_problem(one, file, soak_share):
    whole = file.read_bytes()
    chance = random.Random(file.name)
    for _ in range(max(1, round(20 * soak_share))):
        data = bytearray(whole)
        for _ in range(chance.randint(1, 5)):
            at = chance.randrange(len(data)) if data else 0
            data[at : at + chance.choice([0, 1, 9])] = chance.randbytes(chance.choice([0, 1, 3]))
        if chance.random() < 0.3:
            del data[chance.randrange(len(data) or 1) :]
        try:
            extract(Document(file.name, bytes(data)), Limits(seconds=60.0))
        except InputError as error:
            assert "crashed" not in error.message or "SIG" in error.message  # noqa: PT017 - a bug is no answer


CONTENT = [
    (BIB, "bibtex"),
    (CSL, "csl_json"),
    (MD, "markdown"),
    (TXT, "plain_text"),
    ("@article k, title={A}", "bibtex"),
    ('{"items": [{"title": "T"}]}', "csl_json"),
    ("", "plain_text"),
    ("words", "plain_text"),
]


@pytest.mark.parametrize(("text", "name"), CONTENT)
@pytest.mark.parametrize("file", ["x.txt", "x.bib", "x.md", "x.json", "x", "-"])
def test_content_decides_not_the_file_name(text, name, file):
    expected = {name, "plain_text"} if len(text) < 10 else {name}
    assert detect_extractor(Document(file, text.encode())).name in expected | (
        {"markdown"} if file == "x.md" and name == "plain_text" else set()
    )


def test_the_name_breaks_ties():
    listed = "1. **Deep learning** LeCun 2015"
    assert detect_extractor(Document("a.md", listed.encode())).name == "markdown"


@given(st.text(max_size=200))
def test_no_text_stops_extraction(text):
    data = text.replace("\0", "").encode("utf-8", "replace")
    assert extract(Document("x.txt", data)).format in load_extractors()


@settings(max_examples=80, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(STARTS), st.binary(max_size=700))
def test_any_bytes_are_an_extraction_or_an_input_error(start, rest):
    try:
        assert extract(Document("x", start + rest)).format in load_extractors()
    except InputError as error:
        assert error.message  # noqa: PT017 - either is right


FLOODS = {
    "bibtex": "@book{k, title={A}}\n",
    "csl_json": '{"title": "A"}\n',
    "markdown": "- LeCun, Y. (2015). Deep learning.\n",
    "plain_text": "A, B. (2001). C\n",
}


@pytest.mark.parametrize("name", sorted(FLOODS))
def test_a_flood_of_references_is_refused(name, monkeypatch):
    monkeypatch.setattr("citeproof.reading.extractors.decoded_text.MAX_REFERENCES", 3)
    one = load_extractors()[name]
    assert len(one.extract(Document("x", (FLOODS[name] * 3).encode())).references) == 3
    with pytest.raises(InputError, match="more than 3 references") as raised:
        one.extract(Document("x", (FLOODS[name] * 4).encode()))
    assert raised.value.hint


@pytest.mark.parametrize("name", ["markdown", "plain_text"])
def test_a_line_without_end_is_told(name):
    problems = load_extractors()[name].extract(Document("x", b"**a** " * 5000)).problems
    assert any("characters" in problem.message and problem.hint for problem in problems)


WHOLE = Extraction(
    (
        RawReference(
            "k",
            "LeCun, Y. (2015). \ud800 Deep learning.",
            Place("a.pdf", 1, 2, 3, 4, 5, 6, (1.5, 2.0, 3.0, 4.0)),
            Kind.ARTICLE,
            Claimed(
                "Deep learning",
                (Name("LeCun", "Yann"),),
                ids=Ids((("doi", "10.1038/nature14539"),)),
                origins=(FieldOrigin("title", Origin.MODEL, 0.5, "raw"),),
            ),
            ("It is said \udfff.",),
            ("suspicious_characters",),
        ),
    ),
    (Problem(Place("a.pdf"), "message", "mend", "text", note=True),),
    57,
    "pdf",
)


def test_what_crosses_the_process_comes_back_as_it_was(monkeypatch):
    monkeypatch.setattr("citeproof.reading.extractors.base.extract_here", lambda document: WHOLE)
    answer = sandbox_reader._answered.decode(
        sandbox_reader.read_in_child(encode_request(Document("a.pdf", b"%PDF")))
    )
    assert answer.extraction == sandbox_reader._clean_texts(WHOLE)
    assert answer.extraction.references[0].text == "LeCun, Y. (2015). ? Deep learning."
    assert sandbox_reader._clean_texts(answer.extraction) == answer.extraction


STOPPED = [
    # the limits of the child, a word of the error, of its mend
    (Limits(memory=1), "needs more than 0 MB of memory", "extract_memory_bytes"),
    (Limits(seconds=0.000001), "took longer than 1e-06 s", "extract_seconds"),
    (Limits(answer=10), "gives more than 0 MB of references", "split"),
]


@pytest.mark.parametrize(("limits", "word", "hint"), STOPPED, ids=["memory", "time", "answer"])
def test_a_limit_that_was_reached_is_named_with_the_setting(limits, word, hint):
    noise = random.Random(1).randbytes(2_000_000).hex()  # small documents need no more than there is
    document = Document("x.xml.gz", gzip.compress(f"{BIB}\n{noise}".encode()))
    with pytest.raises(InputError) as raised:
        extract(document, limits)
    assert word in raised.value.message
    assert hint in raised.value.hint
    assert raised.value.place == "x.xml.gz"


def test_an_answer_that_is_no_answer_is_a_crash(monkeypatch):
    monkeypatch.setattr("citeproof.plumbing.sandbox.run", lambda *_: b"\x93garbage")
    with pytest.raises(InputError, match="the reader crashed on it"):
        sandbox_reader.extract(Document("x", b"%PDF"))
