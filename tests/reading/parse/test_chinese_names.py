"""Chinese names: shown family first in their script, read family first where a list puts them so."""

from __future__ import annotations

from pathlib import Path

import pytest

from citeproof.reading.parse import parse
from citeproof.text.names import parse as parse_name
from citeproof.vocabulary import Name, Place, RawReference

ROWS = [
    line.split("|")
    for line in Path(__file__).with_name("chinese_lists.csv").read_text("utf-8").splitlines()[1:]
]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (Name("王", "伟"), "王伟"),
        (Name("欧阳", "修"), "欧阳修"),
        (Name("山田", "太郎"), "山田太郎"),
        (Name("김", "철수"), "김철수"),
        (Name("Wang", "Wei"), "Wei Wang"),
        (Name("王", "Wei"), "Wei 王"),
        (Name("中国科学院", collective=True), "中国科学院"),
    ],
)
def test_names_are_shown_as_their_script_writes_them(name, shown):
    assert name.display == shown


@pytest.mark.parametrize(
    ("text", "family", "given"),
    [
        ("王伟", "王", "伟"),
        ("欧阳修", "欧阳", "修"),
        ("司马光", "司马", "光"),
        ("毛泽东", "毛", "泽东"),
        ("欧阳晓明", "欧阳", "晓明"),
    ],
)
def test_family_and_given_name_in_chinese_script(text, family, given):
    assert parse_name(text) == Name(family, given)


@pytest.mark.parametrize(("text", "authors"), ROWS)
def test_lists_of_chinese_names(text, authors):
    found = parse(RawReference("k", text, Place())).claimed.authors
    assert "; ".join(name.display for name in found) == authors
