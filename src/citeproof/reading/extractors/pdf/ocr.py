"""The lines of a page that is only a picture, read by the models inside the `rapidocr` package.

An extra, because it brings 270 MB of libraries: `is_ocr_installed` says whether it is there. Nothing is
fetched at run time: the models are named by file, and the library downloads only what is not named. One
thread, so that a child's CPU limit means what it says.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from citeproof.errors import InputError

if TYPE_CHECKING:
    from numpy import ndarray

SCALE = 2.0  # pixels a point to render at: 144 dpi reads as well as 200 and costs half
LONGEST = 2400  # pixels of the longer side that are examined; larger pictures are reduced
SEARCHED = 1280  # pixels of the longer side while looking for lines; reading them uses all
SLANT = math.radians(5)  # a page turned further than this is not a page laid badly on the glass


class OcrLine(NamedTuple):
    """One line of print and its box, in points from the top left of the page."""

    text: str
    left: float
    top: float
    right: float
    bottom: float


def is_ocr_installed() -> bool:
    """Return whether the extra `ocr` is installed."""
    return all(find_spec(name) is not None for name in ("rapidocr", "onnxruntime"))


def recognise_lines(bitmap: ndarray[Any, Any], scale: float) -> list[tuple[str, float, float, float, float]]:
    """Return text, left, top, right and bottom of each line, row by row, in points from the top left.

    `bitmap` is height × width × 3, 8 bits, `scale` pixels a point. The boxes are those of the page laid
    straight: half a degree would otherwise move the left margin by as much as an indent, head to foot.
    """
    result = _load_engine()(bitmap)
    if result.boxes is None or result.txts is None:
        return []
    corners = [[(float(x) / scale, float(y) / scale) for x, y in box] for box in result.boxes]
    slant = _measure_slant(corners)
    read = zip(result.txts, corners, strict=True)
    return [*_sort_into_rows([_build_ocr_line(text, box, slant) for text, box in read if text.strip()])]


@cache
def _load_engine() -> Callable[[ndarray[Any, Any]], Any]:
    from rapidocr import RapidOCR  # noqa: PLC0415 - large, and only for pages without text

    made: Callable[[ndarray[Any, Any]], Any] = RapidOCR(
        params={
            "Global.log_level": "critical",
            "Global.use_cls": False,  # pages stand upright: whole lines are never upside down
            "Global.max_side_len": LONGEST,
            "EngineConfig.onnxruntime.intra_op_num_threads": 1,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
            "Det.model_path": _find_model("det"),
            "Det.limit_side_len": SEARCHED,
            "Det.limit_type": "max",
            "Rec.model_path": _find_model("rec"),
            "Rec.rec_batch_num": 1,  # six at a time are no faster on one thread, and take half as much more
        }
    )
    return made


def _find_model(task: str) -> str:
    """Return the file of a model that came with the library: unnamed, it would be searched for on the net."""
    spec = find_spec("rapidocr")
    folders = spec.submodule_search_locations if spec else None
    models = [
        file for folder in folders or () for file in sorted(Path(folder, "models").glob(f"*_{task}_*.onnx"))
    ]
    if not models:
        raise InputError("the OCR models are missing", place="rapidocr", hint="install citeproof[ocr] anew")
    return str(models[-1])


def _measure_slant(corners: list[list[tuple[float, float]]]) -> float:
    """Return by how much the page is turned, as the slope of its longer lines."""
    slopes = [
        (right[1] - left[1]) / (right[0] - left[0])
        for left, right, *_ in corners
        if right[0] - left[0] > 100  # points: a short line's slope is the noise of two corners
    ]
    turned = median(slopes) if slopes else 0.0
    return turned if abs(turned) < math.tan(SLANT) else 0.0


def _build_ocr_line(text: str, box: list[tuple[float, float]], slant: float) -> OcrLine:
    straight = [(x + slant * y, y - slant * x) for x, y in box]
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = straight
    return OcrLine(_narrow_signs(text), min(x0, x3), (y0 + y1) / 2, max(x1, x2), (y2 + y3) / 2)


def _narrow_signs(text: str) -> str:
    """Return a line of Latin text without the wide brackets and commas that the models know from Chinese."""
    if any(unicodedata.east_asian_width(char) == "W" for char in text):
        return text.strip()
    return "".join(
        unicodedata.normalize("NFKC", char) if unicodedata.east_asian_width(char) == "F" else char
        for char in text
    ).strip()


def _sort_into_rows(lines: list[OcrLine]) -> list[OcrLine]:
    """Return lines from top to bottom; those that are on one row from left to right."""
    rows: list[list[OcrLine]] = []
    for line in sorted(lines, key=lambda line: line.top + line.bottom):
        middle = (line.top + line.bottom) / 2
        if rows and rows[-1][0].top < middle < rows[-1][0].bottom:
            rows[-1].append(line)
        else:
            rows.append([line])
    return [line for row in rows for line in sorted(row, key=lambda line: line.left)]
