from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from citeproof.laboratory.measure.rendering import load_styles
from tests.laboratory.measure.rendering.works import BY_NAME

STYLES = {style.name: style for style in load_styles("text")}
PRINTED = tomllib.loads((Path(__file__).parent / "printed.toml").read_text("utf-8"))
CASES = [(work, style, text) for work, rows in PRINTED.items() for style, text in rows.items()]


@pytest.mark.parametrize(("work", "style", "expected"), CASES, ids=[f"{w}-{s}" for w, s, _ in CASES])
def test_styles(work, style, expected):
    assert STYLES[style].render(BY_NAME[work]) == expected
