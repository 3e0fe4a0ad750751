"""Pages that are only pictures: what comes out of a real scan, and that nothing is asked of the net."""

from __future__ import annotations

import json
import socket
import sys
from pathlib import Path

import numpy as np
import pypdfium2
import pytest
from rapidfuzz import fuzz

from citeproof.errors import InputError
from citeproof.reading.extractors.pdf import ocr

SCAN = Path(__file__).parents[2] / "fixtures" / "scan"
needs_ocr = pytest.mark.skipif(
    not ocr.is_ocr_installed(), reason="the extra is not installed: pip install citeproof[ocr]"
)


@pytest.fixture(scope="module")
def page() -> list[tuple[str, float, float, float, float]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", _no_net)
        document = pypdfium2.PdfDocument(SCAN / "page.pdf")
        picture = document[0].render(scale=ocr.SCALE).to_numpy()
        document.close()
        return ocr.recognise_lines(picture, ocr.SCALE)


def _no_net(*_: object, **__: object) -> None:
    raise AssertionError("the net was asked")


@needs_ocr
def test_titles_of_a_scan(page):
    text = " ".join(line[0] for line in page).replace("- ", "")
    titles = [row["title"] for row in json.loads((SCAN / "references.json").read_text("utf-8"))]
    read = [title for title in titles if fuzz.partial_ratio(title.casefold(), text.casefold()) >= 90]
    assert len(read) >= 0.9 * len(titles)


@needs_ocr
def test_every_number_is_read_in_order(page):
    labels = [line[0].split("]")[0] + "]" for line in page if line[0].startswith("[")]
    assert labels == [f"[{number}]" for number in range(1, 16)]


@needs_ocr
def test_boxes_are_straight_and_in_points(page):
    """The page lies half a degree askew: uncorrected, its left margin would wander by five points."""
    edge = [line[1] for line in page if line[0].startswith(("[10]", "[11]", "[12]", "[13]", "[14]", "[15]"))]
    inner = [line[1] for line in page if line[0][0] not in "[TR"]
    assert max(edge) - min(edge) < 3
    assert min(inner) - max(edge) > 15  # the hanging indent
    assert all(0 < left < right < 596 and 0 < top < bottom < 843 for _, left, top, right, bottom in page)


@needs_ocr
@pytest.mark.parametrize("shade", [0, 127, 255])
def test_an_empty_page_has_no_lines(shade):
    assert ocr.recognise_lines(np.full((400, 300, 3), shade, np.uint8), 1.0) == []


@needs_ocr
def test_nothing_is_printed(page, capfd):
    ocr.recognise_lines(np.full((400, 300, 3), 255, np.uint8), 1.0)
    assert capfd.readouterr() == ("", "")


def test_without_the_extra(monkeypatch):
    monkeypatch.setattr(sys, "path", [])
    for name in [name for name in sys.modules if name.split(".")[0] in {"rapidocr", "onnxruntime"}]:
        monkeypatch.delitem(sys.modules, name)
    assert not ocr.is_ocr_installed()
    with pytest.raises(InputError, match="models are missing"):
        ocr._find_model("rec")


@pytest.mark.parametrize(
    ("read", "text"),
    [
        ("Nature，521：436（2015）", "Nature,521:436(2015)"),
        ("王力，汉语史稿", "王力，汉语史稿"),
        (" plain text ", "plain text"),
        ("½ and ﬁ stay", "½ and ﬁ stay"),
    ],
)
def test_wide_marks_in_latin_lines(read, text):
    assert ocr._narrow_signs(read) == text


@pytest.mark.parametrize(
    ("found", "order"),
    [
        ([("b", 300, 10, 400, 20), ("a", 10, 12, 100, 22)], "ab"),  # one row: left to right
        ([("b", 10, 30, 100, 40), ("a", 300, 10, 400, 20)], "ab"),  # two rows: top to bottom
        ([], ""),
    ],
)
def test_rows(found, order):
    assert "".join(line.text for line in ocr._sort_into_rows([ocr.OcrLine(*one) for one in found])) == order


@pytest.mark.parametrize(
    ("slope", "taken"),
    [
        (0.0, 0.0),
        (0.0087, 0.0087),
        (0.3, 0.0),
    ],  # half a degree is a scan; seventeen are a picture of something else
)
def test_slant(slope, taken):
    boxes = [[(50, 10 + y), (450, 10 + y + 400 * slope), (450, 30), (50, 30)] for y in range(5)]
    assert ocr._measure_slant(boxes) == pytest.approx(taken)
