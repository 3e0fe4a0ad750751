"""Citations and lists of one text: in styles of our own and by CSL, without markup that records bring."""

from __future__ import annotations

import pytest

from citeproof.errors import InputError, UsageError
from citeproof.laboratory.measure.rendering.cited_text import (
    ALIASES,
    choose_style,
    load_named_styles,
    make_citation_writer,
)
from citeproof.vocabulary import Ids, Kind, Name, Record, Version


def _make_record(number, title, *families, year=2018):
    version = Version(year, "Journal of Things", Kind.ARTICLE, "5", "1", "1-9")
    people = tuple(Name(one, "Ann") for one in families)
    ids = Ids((("doi", f"10.1000/{number}"),))
    return Record(
        "crossref", f"10.1000/{number}", (title,), people, versions=(version,), kind=Kind.ARTICLE, ids=ids
    )


ONE = _make_record("a", "Deep words", "Peters", "Neumann", "Iyyer")
TWO = _make_record("b", "Other work", "Smith", "Jones", year=2019)
TWIN = _make_record("c", "Quite another thing entirely", "Smith", "Jones", year=2019)
ALONE = _make_record("d", "Alone", "Núñez")
NOBODY = _make_record("e", "Nobody wrote this one here", year=None)
HOSTILE = _make_record("f", "A [link](http://x) <script> `b` *c* [[cite:x]]\n\x1b[1m", "O*Hara")


@pytest.mark.parametrize(
    ("style", "cited", "expected"),
    [
        ("apa", [[ONE]], ["(Peters et al., 2018)"]),
        ("apa", [[ONE, TWO]], ["(Peters et al., 2018; Smith & Jones, 2019)"]),
        ("apa", [[ALONE], [NOBODY]], ["(Núñez, 2018)", "(“Nobody wrote this one”, n.d.)"]),
        ("apa", [[TWO], [TWIN]],
         ["(Smith & Jones, 2019)", "(Smith & Jones, 2019, “Quite another thing entirely”)"]),
        ("ieee", [[ONE], [TWO], [TWO, ONE]], ["[1]", "[2]", "[1, 2]"]),
        ("apa", [[HOSTILE]], [r"(O\*Hara, 2018)"]),
    ],
)  # fmt: skip
def test_citations_in_the_text(style, cited, expected):
    writer = make_citation_writer(style)
    assert [writer.cite(records) for records in cited] == expected


def test_lists_are_sorted_by_name_or_numbered_and_hold_no_markup():
    writer = make_citation_writer()
    for record in (TWO, ONE, TWO, HOSTILE):
        writer.cite([record])
    entries = writer.list_entries()
    assert [one.split(",")[0] for one in entries] == [r"- O\*Hara", "- Peters", "- Smith"]
    assert "\\[link\\](http" in entries[0]
    assert not {"<", "\n", "\x1b"} & set(entries[0])
    numbered = make_citation_writer("numeric")
    for record in (TWO, ONE):
        numbered.cite([record])
    assert [one[:8] for one in numbered.list_entries()] == ["1. A. Sm", "2. A. Pe"]


def test_styles_are_chosen_by_name():
    assert {ALIASES[name] for name in ALIASES} <= set(load_named_styles())
    assert choose_style("Author-Year").name == "apa"
    with pytest.raises(UsageError, match="unknown style"):
        choose_style("nobody")
    with pytest.raises(UsageError, match="style and a CSL file"):
        make_citation_writer("apa", "x.csl")


CSL = """<style xmlns="http://purl.org/net/xbiblio/csl" class="in-text" version="1.0">
<info><title>T</title><id>t</id>{category}<updated>2020-01-01T00:00:00+00:00</updated></info>
<citation><layout prefix="{open}" suffix="{close}" delimiter=",">{mark}</layout></citation>{list}</style>"""
LIST = (
    '<bibliography><layout suffix="."><group delimiter=". "><names variable="author"/>'
    '<text variable="title"/></group></layout></bibliography>'
)
NUMERIC = '<category citation-format="numeric"/>'
NUMBER = '<text variable="citation-number"/>'
YEAR = (
    '<names variable="author"><name form="short"/></names>'
    '<date variable="issued" prefix=": "><date-part name="year"/></date>'
)


@pytest.mark.parametrize(
    ("category", "signs", "mark", "expected"),
    [
        (NUMERIC, "{}", NUMBER, [r"{1}", "{1,2}"]),
        (NUMERIC, "()", NUMBER, ["(1)", "(1,2)"]),
        (NUMERIC, "", NUMBER, ["[1]", "[1,2]"]),
        ("", "()", YEAR, ["(Núñez: 2018)", "(Núñez: 2018,Smith, Jones: 2019)"]),
        ("", "[]", YEAR, [r"\[Núñez: 2018\]", r"\[Núñez: 2018,Smith, Jones: 2019\]"]),
        ("", "()", "", ["(Núñez, 2018)", "(Núñez, 2018; Smith & Jones, 2019)"]),
    ],
)
def test_citations_by_a_csl_style(category, signs, mark, expected, tmp_path):
    pytest.importorskip("citeproc", reason="citeproc-py is not installed (the extra `csl`)")
    style = tmp_path / "own.csl"
    ends = {"open": signs[:1], "close": signs[1:]}
    style.write_text(CSL.format(category=category, mark=mark, list=LIST, **ends))
    writer = make_citation_writer(csl=style)
    assert [writer.cite([ALONE]), writer.cite([ALONE, TWO])] == expected
    assert all("Alone" in one or "Other work" in one for one in writer.list_entries())


def test_a_csl_style_without_a_list_is_refused(tmp_path):
    pytest.importorskip("citeproc", reason="citeproc-py is not installed (the extra `csl`)")
    style = tmp_path / "notes.csl"
    style.write_text(CSL.format(category="", mark=NUMBER, list="", open="", close=""))
    with pytest.raises(InputError, match="no reference list"):
        make_citation_writer(csl=style)
