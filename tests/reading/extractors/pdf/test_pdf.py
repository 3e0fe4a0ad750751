"""What comes out of PDFs that real programs made (`tests/fixtures/make_pdf.py`)."""

import subprocess
import sys
from pathlib import Path

import pytest

from citeproof.errors import InputError
from citeproof.reading.extractors.base import detect_extractor, forward_progress
from citeproof.reading.extractors.pdf import EXTRACTOR, ocr
from citeproof.vocabulary import Document
from tests.reading.extractors.documents import real
from tests.soak import scale_rounds

FIXTURES = Path(__file__).parents[3] / "fixtures" / "pdf"
ROOT = Path(__file__).parents[4]


def read(name):
    return EXTRACTOR.extract(Document(f"{name}.pdf", (FIXTURES / f"{name}.pdf").read_bytes()))


TITLES = {
    "Deep learning", "Long short-term memory", "A mathematical theory of communication",
    "training of deep bidirectional transformers for language understanding",
    "On the evolution of random graphs", "Computing machinery and intelligence",
    "The Art of Computer Programming",
    "Molecular structure of nucleic acids: A structure for deoxyribose nucleic acid",
    "The strength of weak ties",
    "The anatomy of a large-scale hypertextual Web search engine", "Wirtschaft und Gesellschaft",
    "A note on two problems in connexion with graphs",
}  # fmt: skip
NUMBERS = [str(number) for number in range(1, 13)]
PLAIN = [f"ref-{number}" for number in NUMBERS]
LABELS = [
    "BP98", "DCLT19", "Dij59", "ER60", "Gra73", "HS97", "Knu97", "LBH15", "Sha48", "Tur50", "WC53", "Web22",
]  # fmt: skip

LISTS = [
    # the document, its keys, what it counts up to, how many entries are cited by a sentence
    ("two_columns", NUMBERS, 12, 12),
    ("author_year", PLAIN, None, 12),
    ("labels", LABELS, None, 12),
    ("journal", NUMBERS, 12, 12),
    ("line_numbers", NUMBERS, 12, 12),
    ("no_heading", NUMBERS, 12, 12),
    ("footnotes", [f"note-{number}" for number in NUMBERS], None, 12),
]


@pytest.mark.parametrize(("name", "keys", "expected", "cited"), LISTS, ids=[row[0] for row in LISTS])
def test_every_reference_comes_out_whole(name, keys, expected, cited):
    extraction = read(name)
    assert [reference.key for reference in extraction.references] == keys
    assert extraction.expected == expected
    assert not [problem for problem in extraction.problems if not problem.note]
    texts = [reference.text for reference in extraction.references]
    for title in TITLES:
        assert sum(title.lower() in text.lower() for text in texts) == 1, title
    assert all(text[-1] in ".)" and len(text) < 300 for text in texts)
    assert sum(bool(reference.citing) for reference in extraction.references) == cited


@pytest.mark.parametrize("name", [row[0] for row in LISTS])
def test_accents_are_on_their_letters(name):
    text = " ".join(reference.text for reference in read(name).references)
    for word in ("Erdős", "Rényi", "Schmidhuber", "Tübingen"):
        assert word in text
    assert "J. Schmidhuber" in text or "Jürgen Schmidhuber" in text


def test_a_reference_has_its_page_and_its_box():
    extraction = read("two_columns")
    left, top, right, bottom = extraction.references[0].place.box
    assert extraction.references[0].place.page == 3
    assert 0 < left < right < 620
    assert 0 < top < bottom < 850
    boxes = [(r.place.page, r.place.box[0] > 300, r.place.box[1]) for r in extraction.references]
    assert boxes == sorted(boxes)  # down one column, then down the next


def test_the_sentence_that_cites_is_given_whole():
    assert read("two_columns").references[4].citing == ("This was shown before [5].",)
    assert read("author_year").references[0].citing == ("This was shown before [Brin and Page, 1998].",)


def test_a_browsers_three_columns():
    extraction = read("web")
    assert len(extraction.references) == 7
    assert extraction.references[0].text == (
        "LeCun, Y., Bengio, Y., & Hinton, G. (2015). Deep learning. Nature, 521(7553), 436–444. "
        "https://doi.org/10.1038/nature14539"
    )


def test_chinese():
    extraction = read("chinese")
    assert [reference.key for reference in extraction.references] == ["1", "2", "3", "4", "5"]
    assert extraction.references[1].text == "费孝通. 乡土中国[M]. 上海: 观察社, 1948."
    assert extraction.references[3].citing


SCAN = Document("page.pdf", (FIXTURES.parent / "scan" / "page.pdf").read_bytes())


@pytest.mark.skipif(not ocr.is_ocr_installed(), reason="the extra `ocr` is not installed")
def test_a_scan_is_recognised():
    extraction = EXTRACTOR.extract(SCAN)
    assert [reference.key for reference in extraction.references] == [str(number) for number in range(1, 16)]
    assert extraction.references[0].text.startswith("C. E. Shannon. A mathematical theory of communication.")
    assert not [problem for problem in extraction.problems if not problem.note]


def test_a_scan_that_cannot_be_recognised_is_named(monkeypatch):
    monkeypatch.setattr(ocr, "is_ocr_installed", lambda: False)
    extraction = EXTRACTOR.extract(SCAN)
    assert extraction.references == ()
    (problem,) = extraction.problems
    assert problem.message == "page 1: a scan without text"
    assert problem.place.page == 1
    assert "citeproof[ocr]" in problem.hint


def test_a_locked_pdf_is_refused_with_the_mend():
    with pytest.raises(InputError, match="encrypted") as raised:
        read("locked")
    assert "password" in raised.value.hint


@pytest.mark.parametrize(
    "data", [b"%PDF-1.7", b"%PDF-1.7\n%%EOF", b"%PDF-" + b"\0" * 5000, b"", b"text", b"PK\3\4"]
)
def test_what_is_no_pdf_is_refused(data):
    with pytest.raises(InputError) as raised:
        EXTRACTOR.extract(Document("x.pdf", data))
    assert raised.value.hint


def test_a_pdf_is_known_by_its_first_bytes():
    assert detect_extractor(Document("x", (FIXTURES / "web.pdf").read_bytes())).name == "pdf"
    assert EXTRACTOR.recognises(Document("x", b"junk\n%PDF-1.4")) == 0.9
    assert EXTRACTOR.recognises(Document("x.pdf", b"words")) == 0.0


def test_progress_is_told_page_by_page():
    told = []
    with forward_progress(lambda done, total: told.append((done, total))):
        read("author_year")
    assert told == [(page, 6) for page in range(1, 7)]


def test_pages_beyond_the_limit_are_named(monkeypatch):
    monkeypatch.setattr("citeproof.reading.extractors.pdf.pdf_pages.MAX_PAGES", 2)
    messages = [problem.message for problem in read("author_year").problems]
    assert "only the first 2 of 6 pages were read" in messages


_SURVIVES = """
import sys
from pathlib import Path
from citeproof.reading.extractors.pdf import EXTRACTOR
from tests.reading.extractors.damage import survives
print(sum(survives(EXTRACTOR, path.read_bytes(), 30) for path in sorted(Path(sys.argv[1]).glob("*.pdf"))))
"""


@pytest.mark.soak
def test_damage_is_survived():
    """In a process of its own: pdfium is C++, and its crash would end the run."""
    command = [sys.executable, "-W", "error", "-c", _SURVIVES, str(FIXTURES)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert int(done.stdout) > scale_rounds(50)


@pytest.mark.data
@pytest.mark.parametrize(("name", "count"), [("N18-3011.pdf", 27), ("2020.acl-main.207.pdf", 57)])
def test_papers_of_the_acl(name, count):
    (document,) = [one for one in real("doc2json_pdf_jats_tex", ".pdf") if one.name.endswith(name)]
    extraction = EXTRACTOR.extract(document)
    assert len(extraction.references) == count
    assert not [problem for problem in extraction.problems if not problem.note]
    assert sum(bool(reference.citing) for reference in extraction.references) >= 0.9 * count
    assert all(reference.text[-1] == "." for reference in extraction.references)


def typed(rows):
    """Return a PDF of one page with these rows; what stands between `^` and `^` is raised."""
    shown = []
    for number, row in enumerate(rows):
        shown.append(f"1 0 0 1 50 {780 - 14 * number} Tm")
        for at, piece in enumerate(row.replace("(", r"\(").replace(")", r"\)").split("^")):
            shown.append(f"/F 7 Tf 4 Ts ({piece}) Tj" if at % 2 else f"/F 10 Tf 0 Ts ({piece}) Tj")
    stream = f"BT {' '.join(shown)} ET"
    parts = [
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Count 1/Kids[3 0 R]>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F 4 0 R>>>>/Contents 5 0 R>>",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        f"<</Length {len(stream)}>>stream\n{stream}\nendstream",
    ]
    objects = "".join(f"{number} 0 obj\n{part}\nendobj\n" for number, part in enumerate(parts, 1))
    return Document("typed.pdf", f"%PDF-1.4\n{objects}trailer<</Root 1 0 R/Size 6>>\n".encode("latin-1"))


SUPERSCRIPTS = [
    ("So it was seen^10^. And more of it.", ["10"]),
    ("So it was seen ^10^. And more of it.", ["10"]),
    ("So it was seen^2,11^ by all of them.", ["2", "11"]),
    ("So it was seen^9-12^, and more of it.", ["9", "10", "11", "12"]),
    ("So it was seen in the year 10. And more.", []),
]


@pytest.mark.parametrize(("text", "keys"), SUPERSCRIPTS)
def test_raised_numbers_cite(text, keys):
    rows = [text, *["The text goes on for some time in this way and that."] * 8, "References"]
    rows += [f"{n}. Doe A, Roe B. A title about it all. Nature. 2001;{n}:1-9." for n in range(1, 13)]
    found = EXTRACTOR.extract(typed(rows))
    assert [one.key for one in found.references if one.citing] == keys


def test_footnotes_are_told_from_a_list_by_their_raised_numbers():
    rows = ["So it was seen.^1^ And more of it.^2^ And so on.^3^", *["The text of it is long."] * 20]
    notes = [
        "^1^Thomas S. Kuhn, The Structure of Scientific Revolutions (Chicago: Chicago Press, 1962), 12.",
        "^2^Ibid., 14.",
        "^3^Hannah Arendt, The Human Condition, 2nd ed. (Chicago: Chicago Press, 1998), 22.",
    ]
    document = typed([*rows, *notes])
    small = document.data.replace(b"/F 10 Tf 0 Ts (Thomas", b"/F 7 Tf 0 Ts (Thomas")
    for name in (b"Ibid", b"Hannah"):
        small = small.replace(b"/F 10 Tf 0 Ts (" + name, b"/F 7 Tf 0 Ts (" + name)
    found = EXTRACTOR.extract(Document("typed.pdf", small.replace(b"/F 7 Tf 4 Ts", b"/F 5 Tf 3 Ts")))
    assert [one.key for one in found.references] == ["note-1", "note-3"]
    assert [problem.message for problem in found.problems if problem.note] == [
        "1 of 3 notes contain no full reference (short titles, ibid., remarks)"
    ]
