"""What holds for every style and every work: nothing lost, nothing left behind, nothing by chance."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import reduce
from itertools import combinations, product

import pytest

from citeproof.laboratory.measure.makers.benchmark_items import CitationFields
from citeproof.laboratory.measure.rendering import CitationStyle, load_styles
from citeproof.laboratory.measure.rendering.rendered_names import is_eastern_name
from citeproof.text.bibtex_scanner import BibtexEntry, scan_entries
from citeproof.text.latex import strip_latex
from citeproof.text.title import split_words
from citeproof.text.unicode import strip_marks
from citeproof.vocabulary import Ids, Kind, Name
from tests.laboratory.measure.rendering.works import BY_NAME, DEBRIS, WORKS

ALL = [style for form in ("link", "text", "bibtex") for style in load_styles(form)]
FEWER = [
    *load_styles("link")[::5],
    *load_styles("text"),
    *load_styles("bibtex"),
]  # link styles differ in few things
EMPTIED = ("people", "year", "venue", "volume", "issue", "pages", "publisher", "ids", "url")
GONE = (
    *((field,) for field in EMPTIED),
    *combinations(("people", "year", "venue", "publisher"), 2),
    EMPTIED[:-1],
)


def printed(style: CitationStyle, cited: CitationFields) -> str:
    """Return the citation as it is read: a BibTeX entry without its markup, key and layout."""
    text = style.render(cited, "key")
    return re.sub(r"\s+", " ", strip_latex(text)) if style.form == "bibtex" else text


def debris(style: CitationStyle, cited: CitationFields) -> str:
    """Return what nobody would write. In BibTeX: an empty field, and one that is not read back as it is."""
    text = style.render(cited, "key")
    if style.form != "bibtex":
        return found[0] if (found := DEBRIS.search(text)) else ""
    (entry,) = scan_entries(text)
    assert isinstance(entry, BibtexEntry), text
    values = (strip_latex(value) for value in entry.fields.values())
    return next((text for value in values if not value.strip() or DEBRIS.search(value)), "")


def letters(text: str) -> str:
    return re.sub(r"[\W_]", "", strip_marks(text).casefold())


def test_there_are_enough_styles_and_no_two_of_one_name():
    names = [style.name for style in ALL]
    assert len(names) == len(set(names))
    assert len(load_styles("text")) >= 14
    assert len(load_styles("bibtex")) >= 12
    assert len(load_styles("link")) >= 20


@pytest.mark.parametrize(
    "text",
    [
        "Doe, J., , 2001",
        "Title. Venue, ()",
        "“Title,”, 2001",
        "Title. .",
        "Title, vol. , 2001",
        "Title,",
        "(, 2001)",
    ],
)
def test_debris_is_seen(text):
    assert DEBRIS.search(text)


def clear_field(field, cited):
    """Return the citation with that field, or the identifiers of that scheme, empty."""
    match field:
        case "people":
            return replace(cited, people=())
        case "year":
            return replace(cited, year=None)
        case "ids":
            return replace(cited, ids=Ids())
        case "title" | "venue" | "volume" | "issue" | "pages" | "publisher" | "url":
            return replace(cited, **{field: ""})
    return replace(cited, ids=Ids(tuple(pair for pair in cited.ids.pairs if pair[0] != field)))


@pytest.mark.parametrize("style", ALL, ids=lambda style: style.name)
def test_every_work_is_printed_whole(style):
    for work in WORKS:
        if style.form == "link" and not work.url:
            assert style.render(work) == ""
            continue
        text = printed(style, work)
        assert not debris(style, work), (work.work, text)
        assert set(split_words(work.title)) <= set(split_words(text)) | {"i"}, (work.work, text)
        family = work.people[0].family if not is_eastern_name(work.people[0]) else "周"
        assert letters(family) in letters(text), (work.work, text)
        assert str(work.year) in text


@pytest.mark.slow
@pytest.mark.parametrize("style", FEWER, ids=lambda style: style.name)
def test_an_empty_field_leaves_nothing_behind(style):
    for work, gone in product(WORKS, GONE):
        spare = reduce(lambda cited, field: clear_field(field, cited), gone, work)
        text = style.render(spare)
        assert bool(text) == (style.form != "link" or bool(spare.url))
        assert not (text and debris(style, spare)), (work.work, gone, text)


@pytest.mark.parametrize("style", ALL, ids=lambda style: style.name)
def test_the_same_fields_give_the_same_text(style):
    again = {each.name: each for each in load_styles(style.form)}[style.name]
    assert [style.render(work) for work in WORKS] == [again.render(work) for work in WORKS]


@pytest.mark.parametrize("style", ALL, ids=lambda style: style.name)
def test_nothing_is_printed_without_a_title(style):
    assert style.render(replace(WORKS[0], title=" \u200b")) == ""


@pytest.mark.parametrize("style", FEWER, ids=lambda style: style.name)
def test_hostile_fields_stay_on_their_line_and_in_their_bounds(style):
    hostile = replace(
        BY_NAME["mind"],
        title="A \x1b[31mred\x1b[0m title\n\nwith \u202ebreaks\u2028 " + "and more " * 4000,
        people=(Name("Doe\r\nRoe", "J\x00."),) * 9000,
        venue="Mind\n@evil{",
    )
    text = style.render(hostile, "k")
    assert not re.search("[\x00-\x08\x0b-\x1f\u2028\u202e]", text)
    assert len(text) < 100_000
    if style.form != "bibtex":
        assert "\n" not in text


@pytest.mark.parametrize(
    ("style", "field", "seen"),
    [
        ("apa", "doi", True),
        ("acl", "doi", False),
        ("revtex", "title", True),
        ("revtex", "issue", False),
        ("nature", "year", True),
        ("bibtex:typed-short", "pages", False),
        ("bibtex:dblp", "pages", True),
        ("bibtex:typed-quotes", "doi", False),
        ("link:families", "venue", False),
        ("link:families", "url", True),
        ("link:families", "people", True),
        ("ieee", "ids", True),
        ("ieee", "pmid", False),
    ],
)
def test_a_style_knows_what_it_shows(style, field, seen):
    chosen = next(each for each in ALL if each.name == style)
    work = BY_NAME["epr"]
    assert (chosen.render(work, "k") != chosen.render(clear_field(field, work), "k")) is seen


@pytest.mark.parametrize("kind", list(Kind))
def test_every_kind_is_printed_by_every_style(kind):
    for style in ALL:
        work = replace(BY_NAME["prospect"], kind=kind)
        assert "kahneman" in style.render(work).casefold()
        assert not debris(style, work), (style.name, style.render(work))
