"""Forms that say by their marks which part is which: names, title and year alone; GOST."""

import pytest

from citeproof.reading.parse import parse
from citeproof.vocabulary import Place, RawReference

ALONE = {
    "a book": ("Lance Spitzner. Honeypots: Tracking Hackers. 2002.", "Honeypots: Tracking Hackers", 2002),
    "a preprint": (
        "Tom Leinster. Basic Category Theory. 2016. arXiv: 1612.09375 [math.CT]. url: https://arxiv.org/abs/1612.09375.",
        "Basic Category Theory",
        2016,
    ),
    "a page": (
        "David Gunning. XAI for NASA. 2018. URL: https://asd.gsfc.nasa.gov/003.pdf (visited on 03/04/2021).",
        "XAI for NASA",
        2018,
    ),
    "a page with a short title": (
        "Martin Fowler. CQRS. 2011. URL: https://martinfowler.com/bliki/CQRS.html (besucht am 01. 04. 2022).",
        "CQRS",
        2011,
    ),
    "an address with spaces": (
        "Rob van der Meulen. What Edge Computing Means. 2018. URL: https://www.gartner.com/what- edge.",
        "What Edge Computing Means",
        2018,
    ),
    "a question": ("David Smith. What is a good model? 2018.", "What is a good model?", 2018),
}


def test_a_journal_behind_an_address_is_kept():
    told = read("Ann Ice. Notes on Cold Software. 2002. URL: https://x.org. Journal of Software, 12(3), 1-9.")
    assert (told.volume, told.issue, told.pages) == ("12", "3", "1-9")


def read(text):
    return parse(RawReference("a", text, Place())).claimed


@pytest.mark.parametrize(("text", "title", "year"), ALONE.values(), ids=ALONE)
def test_names_title_and_year_alone(text, title, year):
    told = read(text)
    assert (told.title, told.year, told.venue) == (title, year, None)
    assert len(told.authors) == 1
    assert told.authors[0].given


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Deep Learning. MIT Press. 2016.", None),
        (
            "Sutton RS, Barto AG. Reinforcement Learning: An Introduction. MIT Press, 1998.",
            "Reinforcement Learning: An Introduction",
        ),
    ],
)
def test_other_forms_stay(text, title):
    assert read(text).title == title


@pytest.mark.parametrize(
    ("text", "title", "venue"),
    [
        ("Nigel P. Smart, Cryptography Made Simple, 2016.", "Cryptography Made Simple", None),
        (
            "W. Diffie, Martin E. Hellman, New Directions in Cryptography, IEEE Trans. Inf. Theory, 1976.",
            "New Directions in Cryptography",
            "IEEE Trans. Inf. Theory",
        ),
        ("R. M. Moon, T. Riste, and W. C. Koehler, Phys. Rev. 181, 920 (1969).", None, "Phys. Rev."),
    ],
)
def test_what_has_no_volume_or_pages_is_no_journal(text, title, venue):
    told = read(text)
    assert (told.title, told.venue) == (title, venue)


GOST = (
    "Gropp, William. Using MPI-2: advanced features of the message-passing interface / "
    "William Gropp, Ewing Lusk, Rajeev Thakur. — MIT press, 1999."
)


def test_people_behind_the_slash():
    told = read(GOST)
    assert told.title == "Using MPI-2: advanced features of the message-passing interface"
    assert [name.family for name in told.authors] == ["Gropp", "Lusk", "Thakur"]
    assert told.year == 1999
    other = read(GOST.replace("William Gropp, Ewing Lusk", "Marc Snir, Ewing Lusk"))
    assert other.title != told.title  # not the people of the heading: nothing is sure


def test_a_slash_within_a_title():
    told = read("Smith, J. (2001). Sex and/or gender / a study of words. Journal of Words, 3(2), 1-9.")
    assert told.title == "Sex and/or gender / a study of words"


ACCESSED = {
    "behind a title": (
        "A. Vaswani. Attention is all you need. Accessed: 2024-03-30. url: https://x.org/a.",
        None,
    ),
    "beside its own": ("Smith, J. (2019). Deep nets. Retrieved January 5, 2020, from https://x.org/a", 2019),
    "GOST": (
        "Cppreference. Filesystem library. — 2021. — [Online; accessed 6-April-2022]. https://x.org/a.",
        2021,
    ),
    "last of all": ("A. Vaswani. Attention is all you need. https://x.org/a. Accessed 30 March 2024.", None),
    "in brackets": ("A. Vaswani. Attention is all you need. https://x.org/a (visited on 03/30/2024).", None),
    "no access": ("Smith, J. Deep nets. Journal of Nets, 3, 1-9, 2019.", 2019),
}


@pytest.mark.parametrize(("text", "year"), ACCESSED.values(), ids=ACCESSED)
def test_the_day_of_access_is_no_year_of_the_work(text, year):
    assert read(text).year == year
