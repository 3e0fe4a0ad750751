"""Chinese and Japanese citations whose brackets say what is a title, and volumes without pages."""

import pytest

from citeproof.reading.parse import parse
from citeproof.vocabulary import Kind, Place, RawReference

BOOKS = [
    ("周志华《机器学习》，清华大学出版社，2016年", ["周志华"], "机器学习", "清华大学出版社", 2016),
    (
        "李航：《统计学习方法》，北京：清华大学出版社，2012年版。",
        ["李航"], "统计学习方法", "清华大学出版社", 2012,
    ),
    ("岡谷貴之『深層学習』講談社、2015年。", ["岡谷貴之"], "深層学習", "講談社", 2015),
    (
        "中村哲, 河原達也編著『音声言語処理の最前線』オーム社, 2020.",
        ["中村哲", "河原達也"], "音声言語処理の最前線", "オーム社", 2020,
    ),
]  # fmt: skip
ARTICLES = [
    (
        "佐藤一郎「機械学習と図書館」『情報管理』第61巻第4号、2018年、234-241頁。",
        "佐藤一郎", "機械学習と図書館", ("情報管理", "61", "4", "234-241"),
    ),
    (
        "王伟：《深度学习综述》，《计算机学报》，2018年第5期，第1000-1020页。",
        "王伟", "深度学习综述", ("计算机学报", None, None, "1000-1020"),
    ),
]  # fmt: skip


def read(text):
    return parse(RawReference("a", text, Place()))


@pytest.mark.parametrize(("text", "authors", "title", "publisher", "year"), BOOKS)
def test_book_in_corner_brackets(text, authors, title, publisher, year):
    found = read(text)
    assert [name.display for name in found.claimed.authors] == authors
    assert (found.claimed.title, found.claimed.publisher, found.claimed.year) == (title, publisher, year)
    assert (found.kind, found.claimed.venue) == (Kind.BOOK, None)


@pytest.mark.parametrize(("text", "author", "title", "place"), ARTICLES)
def test_article_and_its_journal_in_corner_brackets(text, author, title, place):
    claimed = read(text).claimed
    assert ([name.display for name in claimed.authors], claimed.title) == ([author], title)
    assert (claimed.venue, claimed.volume, claimed.issue, claimed.pages) == place
    assert claimed.year == 2018


VOLUMES = [
    ("Adv Neural Inf Process Syst. 2017;30.", ("30", None, None)),
    ("BMJ Open. 2019;9.", ("9", None, None)),
    ("BMJ Open. 2019 Mar;9. doi:10.1136/bmjopen-2019-1", ("9", None, None)),
    ("PLoS One. 2014;9(3).", ("9", "3", None)),
    ("Lancet. 2020;395:497-506.", ("395", None, "497-506")),
    ("BMJ. 2019 Mar 12;364:l525.", ("364", None, "l525")),
]


@pytest.mark.parametrize("people", ["Smith J", "Smith J, Roe A, Poe B, Doe C, Lee D, Kim E, et al"])
@pytest.mark.parametrize(("place", "expected"), VOLUMES)
def test_what_follows_the_year_and_a_semicolon_is_the_volume(place, expected, people):
    claimed = read(f"{people}. Attention is all you need. {place}").claimed
    assert (claimed.volume, claimed.issue, claimed.pages) == expected
