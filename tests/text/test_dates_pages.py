import pytest

from citeproof.text import dates, pages

YEARS = [
    ("2001", 2001),
    ("2001a", 2001),
    ("{2017}", 2017),
    ("2019-05-03", 2019),
    ("May 2001", 2001),
    ("c. 1999", 1999),
    ("2001/2002", 2001),
    ("2020-01-01/2020-02-01", 2020),
    ("२०१५", 2015),
    ("２０１５", 2015),
    ("in press", None),
    ("", None),
    ("12001", None),
    ("1300", None),
    ("20017", None),
    ("1.2010", None),
]


@pytest.mark.parametrize(("text", "year"), YEARS)
def test_years_of_date_fields(text, year):
    assert dates.find_year(text) == year


def test_years_in_running_text_have_spans():
    text = "in 1999 and 2004b, not 12345 or 10.2010"
    assert [(year, text[start:end]) for year, start, end in dates.find_years(text)] == [
        (1999, "1999"),
        (2004, "2004"),
    ]


PAGES = [
    ("5998--6008", "5998-6008"),
    ("pp. 12–15", "12-15"),
    ("1798-806", "1798-1806"),
    ("1012-20", "1012-1020"),
    ("D865-72", "D865-D872"),
    ("e1234", "e1234"),
    ("S117-S132", "S117-S132"),
    ("17", "17"),
    ("17-17", "17"),
    ("1, 5", "1"),
    ("{121--130}", "121-130"),
    ("", None),
    ("pp.", None),
    ("٤٣٦-٤٤", "436-444"),
    ("４３６－４４４", "436-444"),
]


@pytest.mark.parametrize(("text", "normal"), PAGES)
def test_pages_have_one_form(text, normal):
    assert pages.normalise(text) == normal


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2021-05-03", "2021-05-03"), ("2021-5", "2021-05"), ("2021", "2021"), ("{2021-05-03}", "2021-05-03"),
        ("2021-05-03T10:11:12Z", "2021-05-03"), ("2021/05/03", "2021-05-03"), ("2021/05/03/", "2021-05-03"),
        ("D:20210503101112+01'00'", "2021-05-03"), ("D:2021", "2021"),
        ("3 May 2021", "2021-05-03"), ("May 3rd, 2021", "2021-05-03"), ("Sept. 2019", "2019-09"),
        ("3. Mai 2021", ""), ("\\today", ""), ("Draft of May 2021", ""), ("2021-13-01", ""), ("", ""),
        ("03/05/2021", ""), ("May 32, 2021", ""), ("12345", ""), ("0999-01-01", ""),
    ],
)  # fmt: skip
def test_find_day(text, day):
    assert dates.find_day(text) == day
