"""Remarks in a numbered list are notes; undated references are not, and neither makes a number missing."""

from __future__ import annotations

import pytest

from citeproof.reading.extractors.pdf import pdf_document, reference_signs
from citeproof.reading.extractors.pdf.list_entries import PdfEntry
from citeproof.reading.extractors.pdf.page_layout import PdfLine, PdfWord
from citeproof.reading.extractors.pdf.reference_lists import ReferenceList

UNDATED = [
    "Bundesamt für Sicherheit in der Informationstechnik: IT-Grundschutz-Kompendium. Bonn, o. J.",
    "Müller, H.: Was ist und was soll die Soziologie? Unveröffentlichtes Manuskript, Bielefeld.",
    "Deutsches Institut für Normung: Was sich in der Norm ändert. Beuth, Berlin.",
    "Grundgesetz für die Bundesrepublik Deutschland, Artikel 5 Absatz 3.",
    "Kant, Immanuel: Beantwortung der Frage: Was ist Aufklärung? In: Berlinische Monatsschrift 4.",
    "Brockhaus Enzyklopädie in 30 Bänden, Leipzig und Mannheim: Brockhaus.",
    "Statistisches Bundesamt: Wie sich die Bevölkerung entwickeln wird. Wiesbaden.",
    "Interview mit Frau Schmidt, Leiterin der Stadtbibliothek, geführt am 3. Mai.",
    "Verordnung zum Schutz vor Gefahrstoffen (Gefahrstoffverordnung – GefStoffV)",
    "Code civil, article 1240, version consolidée, Légifrance, texte en vigueur.",
    "Ley Orgánica de Protección de Datos Personales, Boletín Oficial del Estado.",
]
REMARKS = [
    "The authors would like to thank the reviewers for their comments which have improved it.",
    "We note that this is not the case for the other datasets, as was shown in Section 3.",
    "The code is available from the authors.",
    "Wir danken den Gutachtern, die uns auf diesen Fehler hingewiesen haben.",
    "Dieser Wert wurde nicht gemessen, sondern ist eine Schätzung.",
    "Nous remercions les relecteurs, qui sont anonymes, et tous ceux que nous avons cités.",
]


def entry(number, text):
    words = [PdfWord(f"[{number}]", 50, 60, 100, 10), PdfWord(text, 65, 300, 100, 10)]
    return PdfEntry([PdfLine(1, words).measure_line()], str(number), len(f"[{number}] "))


def make_list(texts):
    return ReferenceList([entry(number, text) for number, text in enumerate(texts, 1)], "number")


@pytest.mark.parametrize("text", UNDATED)
def test_an_undated_reference_in_a_numbered_list_is_one(text):
    assert not reference_signs.is_prose(text, marked=True)


@pytest.mark.parametrize("text", REMARKS)
def test_a_remark_is_none(text):
    assert reference_signs.is_prose(text, marked=True)


@pytest.mark.parametrize("remark", REMARKS)
@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_note_is_told_once_and_nothing_is_missing(remark, at):
    texts = [*UNDATED[:2], "Doe, J.: A title. Berlin, 1999."]
    found = [make_list([*texts[:at], remark, *texts[at:]])]
    problems = pdf_document._remove_prose(found, "a.pdf")
    assert [(one.message, one.note) for one in problems] == [("a note, not a reference", True)]
    assert pdf_document._find_missing_numbers(found, "a.pdf") == []
    assert pdf_document._count_numbered(found) == 3


def test_a_number_that_is_not_printed_is_missing():
    found = [make_list(UNDATED[:4])]
    del found[0].entries[2]
    [problem] = pdf_document._find_missing_numbers(found, "a.pdf")
    assert problem.message == "reference 3 is missing before 4"
    assert pdf_document._count_numbered(found) == 4
