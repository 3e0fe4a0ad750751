from __future__ import annotations

import sys
import tarfile
from io import BytesIO
from pathlib import Path

import pytest
import zstandard

from citeproof.errors import InputError
from citeproof.laboratory.measure.rendering import load_styles
from citeproof.laboratory.measure.rendering.csl_style import MAX_STYLE, load_csl_styles
from tests.laboratory.measure.rendering.works import BY_NAME, DEBRIS, WORKS

pytest.importorskip("citeproc", reason="citeproc-py is not installed (the extra `csl`)")

STYLES = Path("../shared/data/parsing/csl_styles.tar.zst")
HEAD = '<style xmlns="http://purl.org/net/xbiblio/csl" class="in-text" version="1.0" initialize-with=". ">'
INFO = "<info><title>T</title><id>t</id><updated>2020-01-01T00:00:00+00:00</updated></info>"
CITATION = '<citation><layout><text variable="title"/></layout></citation>'
LIST = (
    '<bibliography><layout suffix="."><group delimiter=". ">'
    '<names variable="author"><name {name} and="text" delimiter-precedes-last="never"/></names>'
    '<text variable="title"/><text variable="container-title"/><text variable="page" prefix="pp. "/>'
    '<date variable="issued"><date-part name="year"/></date></group></layout></bibliography>'
)


def written(folder: Path, name: str, body: str) -> Path:
    (folder / f"{name}.csl").write_text(f"{HEAD}{INFO}{CITATION}{body}</style>", "utf-8")
    return folder


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("", "D. Kahneman and A. Tversky. Prospect Theory: An Analysis of Decision under Risk. Econometrica"),
        ('initialize="false"', "Daniel Kahneman and Amos Tversky. Prospect Theory: An Analysis of"),
        ('initialize-with=""', "D Kahneman and A Tversky. Prospect"),
    ],
)
def test_names_as_the_style_asks(tmp_path, name, expected):
    (style,) = load_csl_styles(written(tmp_path, "mine", LIST.format(name=name)))
    assert (style.name, style.form) == ("csl:mine", "text")
    assert style.render(BY_NAME["prospect"]).startswith(expected)
    assert style.render(BY_NAME["prospect"]).endswith("Econometrica. pp. 263–291. 1979.")


def test_a_folder_adds_its_styles(tmp_path):
    added = load_styles("text", written(tmp_path, "mine", LIST.format(name="")))
    assert {style.name for style in added} - {style.name for style in load_styles("text")} == {"csl:mine"}


def test_a_style_without_a_reference_list_is_left_out(tmp_path):
    assert load_csl_styles(written(tmp_path, "notes", "")) == ()


@pytest.mark.parametrize(
    "prefix", ["() ", "None ", "vol. , ", "n.d. "], ids=["bracket", "none", "volume", "date"]
)
def test_broken_output_is_no_output(tmp_path, prefix):
    broken = LIST.format(name="").replace('<layout suffix="."', f'<layout prefix="{prefix}" suffix="."')
    (style,) = load_csl_styles(written(tmp_path, "broken", broken))
    assert style.render(BY_NAME["prospect"]) == ""


def test_a_title_may_say_none(tmp_path):
    (style,) = load_csl_styles(written(tmp_path, "mine", LIST.format(name="")))
    assert "None" in style.render(type(WORKS[0])("w", WORKS[0].kind, "Second to None", WORKS[0].people, 2001))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"no XML", "not a CSL style"),
        (b"<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/hostname'>]><a>&x;</a>", "not a CSL style"),
        (b" " * (MAX_STYLE + 1), "larger than"),
        (None, "contains no .csl files"),
    ],
)
def test_what_is_no_style_is_said(tmp_path, data, message):
    if data is not None:
        (tmp_path / "x.csl").write_bytes(data)
    with pytest.raises(InputError, match=message):
        load_csl_styles(tmp_path)


def test_without_the_renderer_the_mend_is_said(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "citeproc", None)
    with pytest.raises(InputError, match="citeproc-py") as caught:
        load_csl_styles(written(tmp_path, "mine", LIST.format(name="")))
    assert "citeproof[csl]" in str(caught.value.hint)


@pytest.mark.data
@pytest.mark.skipif(not STYLES.exists(), reason="../shared/data is not here")
def test_published_styles_print_real_works(tmp_path):
    packed = zstandard.ZstdDecompressor().stream_reader(STYLES.read_bytes()).read()
    with tarfile.open(fileobj=BytesIO(packed)) as archive:
        archive.extractall(tmp_path, filter="data")
    found = load_csl_styles(tmp_path)
    assert len(found) >= 14
    for style in found:
        printed = list(filter(None, map(style.render, WORKS)))
        assert len(printed) >= 0.8 * len(WORKS), style.name
        assert style.render(WORKS[0]) == printed[0]
        for text in printed:
            assert not DEBRIS.search(text.replace(" ;", ";").replace(" :", ":")), (style.name, text)
