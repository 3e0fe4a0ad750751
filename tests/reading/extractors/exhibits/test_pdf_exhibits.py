"""Figures and tables of PDFs: captions, numbers, and where their images are."""

import struct
import zlib

import pytest

from citeproof.plumbing import sandbox
from citeproof.reading.extractors.exhibits import exhibit_images, figure_areas
from citeproof.reading.extractors.exhibits.exhibit_images import cut_images
from citeproof.reading.extractors.exhibits.pdf_exhibits import find_pdf_exhibits
from citeproof.reading.extractors.pdf.pdf_pages import open_pdf, read_pages
from citeproof.vocabulary import Document
from tests.reading.extractors.documents import FOLDER, real
from tests.reading.extractors.exhibits.drawn_pages import (
    draw_box,
    draw_prose,
    draw_rule,
    draw_text,
    join_objects,
    make_pdf,
)


def find(data):
    document = open_pdf(Document("paper.pdf", data))
    try:
        pages, _ = read_pages(document, "paper.pdf")
        return find_pdf_exhibits(document, pages)
    finally:
        document.close()


def read_size(image):
    assert image.startswith(b"\x89PNG\r\n\x1a\n")
    return struct.unpack(">II", image[16:24])


PAGE = (
    draw_prose(60, 5)
    + draw_box(150, 140, 450, 300)
    + draw_text("time (s)", 280, 310, 8)
    + draw_text("Figure 3: Response over time. Shaded areas are", 150, 330, 9)
    + draw_text("intervals of 95 per cent.", 150, 341, 9)
    + draw_prose(370, 6, first="Figure 3 shows the response over time as it was measured in the first run")
    + draw_text("Table 2: Rates by group.", 150, 470, 9)
    + draw_rule(150, 450, 478)
    + draw_text("Group A     12.5     30", 155, 490)
    + draw_text("Group B     17.5     40", 155, 502)
    + draw_rule(150, 450, 508)
    + draw_prose(540, 6)
)


def test_captions_have_their_number_text_and_page():
    figure, table = find(make_pdf(draw_prose(60, 20), PAGE))
    assert (figure.kind, figure.number, figure.label, figure.page) == ("figure", "3", "Figure 3:", 2)
    assert figure.caption == "Response over time. Shaded areas are intervals of 95 per cent."
    assert (table.kind, table.number, table.caption) == ("table", "2", "Rates by group.")
    assert "Group B 17.5 40" in table.content


def test_the_box_holds_the_drawing_and_its_words_but_no_text():
    figure, table = find(make_pdf(PAGE))
    left, top, right, bottom = figure.box
    assert left <= 150
    assert 110 < top <= 140
    assert right >= 450
    assert 310 <= bottom < 325
    assert table.box[1] >= 472
    assert 508 <= table.box[3] < 530


def test_running_text_that_begins_a_line_is_no_caption():
    page = draw_prose(60, 4) + draw_text(
        "as is shown by the measurements that are drawn in detail in", 60, 108
    )
    page += draw_prose(
        120, 8, first="Fig. 2. The second run was longer than the first one and had more cases"
    )
    page += draw_prose(
        240, 5, first="Table 4 lists all the runs that were made in this work and the next one"
    )
    assert find(make_pdf(page)) == ()


def test_a_list_of_figures_is_none():
    page = "".join(
        draw_text(
            f"Figure {number}: The thing number {number} . . . . . . . . . . {number + 10}",
            60,
            60 + 20 * number,
        )
        for number in range(1, 9)
    )
    assert find(make_pdf(page)) == ()


def test_images_are_cut_in_a_child():
    data = make_pdf(PAGE)
    figure, table = find(data)
    first, second, none = cut_images(data, [(1, figure.box), (1, table.box), (9, (0, 0, 50, 50))])
    assert none == b""
    wide, high = read_size(first)
    assert wide == pytest.approx(2 * (figure.box[2] - figure.box[0] + 8), abs=4)
    assert high < wide
    assert read_size(second)[0] <= 1400


def test_a_page_with_many_objects_is_read_within_limits():
    bars = "".join(f"{100 + index % 300} {300 + index % 200} 1.5 1.5 re f\n" for index in range(120_000))
    page = (
        bars + draw_text("Figure 1: A scatter plot with very many points.", 100, 510, 9) + draw_prose(540, 6)
    )
    document = open_pdf(Document("paper.pdf", make_pdf(page)))
    seen = document[0]
    from citeproof.reading.extractors.pdf.pdf_pages import read_frame

    boxes = figure_areas.read_page_graphics(seen, read_frame(seen))
    assert len(boxes) == figure_areas.MAX_BOXES
    (figure,) = find(make_pdf(page))
    assert figure.box is not None


def make_giant_picture():
    """Return a PDF whose picture has 60,000 by 60,000 pixels: 10.8 GB, packed to some megabytes less."""
    packed = zlib.compress(zlib.compress(b"\0" * 50_000_000, 9), 9)
    picture = (
        "<< /Type /XObject /Subtype /Image /Width 60000 /Height 60000 /ColorSpace /DeviceRGB "
        f"/BitsPerComponent 8 /Filter [/FlateDecode /FlateDecode] /Length {len(packed)} >>\nstream\n"
        + packed.decode("latin-1")
        + "\nendstream"
    )
    content = "q 300 0 0 200 100 400 cm /Im1 Do Q\n" + draw_text("Figure 1: A giant.", 100, 410, 9)
    page = (
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R "
        "/Resources << /Font << /F1 3 0 R >> /XObject << /Im1 6 0 R >> >> >>"
    )
    return join_objects(
        [
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            page,
            f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
            picture,
        ]
    )


def test_a_giant_picture_leaves_its_caption():
    data = make_giant_picture()
    (figure,) = find(data)
    assert figure.caption == "A giant."
    (image,) = cut_images(data, [(1, figure.box)])
    assert len(image) <= exhibit_images.MAX_CUT_BYTES


def test_what_stops_the_child_costs_only_that_image(monkeypatch):
    calls = []

    def run(entry, payload, limits):
        calls.append(payload)
        if len(calls) in (1, 2):
            raise sandbox.StoppedError("memory", "", limits)
        return exhibit_images.cut_in_child(payload)

    monkeypatch.setattr(exhibit_images.sandbox, "run", run)
    data = make_pdf(PAGE)
    first, second = cut_images(data, [(1, (150, 140, 450, 300)), (1, (150, 470, 450, 510))])
    assert (first, bool(second)) == (b"", True)
    assert len(calls) == 3


def test_a_broken_file_has_no_images():
    assert cut_images(b"%PDF-1.7 broken", [(1, None)]) == [b""]


REAL = {
    "2020.acl-main.207.pdf": "figure 1, table 1, table 2, figure 2, table 3",
    "N18-3011.pdf": "figure 1, table 1, table 2, table 3, table 4",
}


@pytest.mark.parametrize("document", [0, 1])
def test_real_papers(document):
    one = real("doc2json_pdf_jats_tex", ".pdf")[document]
    found = find(one.data)
    told = ", ".join(f"{each.kind} {each.number}" for each in found)
    assert told == REAL[one.name.rpartition("/")[2]]
    assert all(each.box and each.caption for each in found)


def test_a_real_journal_paper():
    path = FOLDER / "plos_two_columns_hpv.pdf"
    if not path.exists():
        pytest.skip("the shared data folder is not here")
    found = find(path.read_bytes())
    assert [each.number for each in found if each.kind == "figure"] == [
        *"1234",
        *(f"S{n}" for n in range(1, 6)),
    ]
    assert [each.number for each in found if each.box] == [*"1234"]
