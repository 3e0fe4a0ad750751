"""Edits of RIS: lines whose value is wrong, a line more, a line less."""

from __future__ import annotations

import pytest

from citeproof.answers.fix.formats import ris
from citeproof.reading.extractors.base import load_extractors
from citeproof.vocabulary import Document, Name
from tests.answers.fix.made import result, wanted

DOE, ROE = Name("Doe", "Jo"), Name("Roe", "Al")


def _record(*lines):
    return "".join(f"{line}\n" for line in ("TY  - JOUR", "TI  - Deep Learnt of nets", *lines, "ER  - "))


def _mended(text, field, value):
    [reference] = load_extractors()["ris"].extract(Document("x.ris", text.encode())).references
    changes = [wanted(field, reference.claimed, value)]
    newline = "\r\n" if "\r" in text else "\n"
    return result(text, ris.open_references(text, newline)(0, len(text.rstrip()), changes))


CASES = (
    ("title", (), "title", "Deep Learning of nets", None),
    ("year", ("PY  - 1999///",), "year", 2001, ("PY  - 2001///",)),
    ("name", ("AU  - Doe, Jo", "AU  - Poe, Ed"), "authors", (DOE, ROE), ("AU  - Doe, Jo", "AU  - Roe, Al")),
    ("names swapped", ("AU  - Roe, Al", "AU  - Doe, Jo"), "authors", (DOE, ROE),
     ("AU  - Doe, Jo", "AU  - Roe, Al")),
    ("name more", ("AU  - Doe, Jo",), "authors", (DOE, ROE), ("AU  - Doe, Jo", "AU  - Roe, Al")),
    ("name less", ("AU  - Doe, Jo", "AU  - Poe, Ed"), "authors", (DOE,), ("AU  - Doe, Jo",)),
    ("venue and its short form", ("JF  - Nature", "JA  - Nat."), "venue", "Science", ("JF  - Science",)),
    ("venue more", ("PY  - 1999",), "venue", "Science", ("PY  - 1999", "T2  - Science")),
    ("pages", ("SP  - 3", "EP  - 9"), "pages", "5-9", ("SP  - 5", "EP  - 9")),
    ("pages in one tag", ("SP  - 3-9",), "pages", "5-9", ("SP  - 5-9",)),
    ("pages in one tag, other dash", ("SP  - 1–8",), "pages", "770-778", ("SP  - 770–778",)),
    ("pages without an end", ("SP  - 1", "PY  - 1999"), "pages", "770-778",
     ("SP  - 770", "PY  - 1999", "EP  - 778")),
    ("pages shortened", ("SP  - 1", "EP  - 8"), "pages", "770-778", ("SP  - 770", "EP  - 778")),
    ("article number", ("SP  - e12",), "pages", "e15", ("SP  - e15",)),
    ("pages more", ("PY  - 1999",), "pages", "5-9", ("PY  - 1999", "SP  - 5", "EP  - 9")),
    ("pages gone", ("SP  - 3", "EP  - 9"), "pages", None, ()),
    ("volume", ("VL  - 3",), "volume", "4", ("VL  - 4",)),
    ("issue more", ("VL  - 3",), "issue", "4", ("VL  - 3", "IS  - 4")),
    ("doi", ("DO  - 10.1000/AB.7",), "doi", "10.1000/ab.9", ("DO  - 10.1000/AB.9",)),
    ("doi more", ("VL  - 3",), "doi", "10.1000/ab.9", ("VL  - 3", "DO  - 10.1000/ab.9")),
    ("doi gone", ("DO  - 10.1000/ab.7", "VL  - 3"), "doi", None, ("VL  - 3",)),
    ("forged tag", ("T2  - Nature",), "venue", "Science\nER  - ", ("T2  - Science ER -",)),
)  # fmt: skip


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize(
    ("lines", "field", "value", "expected"), [c[1:] for c in CASES], ids=[c[0] for c in CASES]
)
def test_mended(lines, field, value, expected, end):
    after = _record(*(lines if expected is None else expected))
    after = after.replace("Learnt", "Learning") if field == "title" else after
    assert _mended(_record(*lines).replace("\n", end), field, value) == after.replace("\n", end)


def test_the_type_of_what_was_published():
    text = _record().replace("JOUR", "UNPB")
    assert _mended(text, "type", "inproceedings") == text.replace("UNPB", "CPAPER")
    assert _mended(_record(), "type", "article") == ""


def test_what_has_no_place_is_left():
    text = _record("N1  - in 1999")
    assert "has no tag" in _mended(text, "year", 2001)
    assert _mended(text, "pmid", "12345678") == "RIS has no tag for it"
