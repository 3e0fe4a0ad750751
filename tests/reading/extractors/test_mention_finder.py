"""Author–year mentions in running text: a line ⇒ who, when, where."""

from __future__ import annotations

import re

import pytest

from citeproof.reading.extractors.prose.mention_finder import MAX_MENTIONS, find_mentions
from tests.growth import grows_linearly


def tell(text: str) -> list[str]:
    """Return the mentions of a text as names, year / journal / pages, "?" behind one that is not sure."""
    told = []
    for one in find_mentions(text):
        names = "+".join(f"{name.given}|{name.family}".strip("|") for name in one.names)
        parts = [f"{names}{'+' if one.et_al else ''} {one.year}{one.letter}", one.venue, one.pages]
        told.append(" / ".join(part for part in parts if part) + ("" if one.sure else " ?"))
    return told


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Yamada et al. 2019, Brain", ["Yamada+ 2019 / Brain"]),
        ("We saw it (Park & Ng, 2024).", ["Park+Ng 2024"]),
        ("Lehmann 2001, J. Neurochem", ["Lehmann 2001 / J. Neurochem"]),
        ("Park & Ng 2024, Nat. Med.", ["Park+Ng 2024 / Nat. Med."]),
        ("Devlin et al. (2019) show", ["Devlin+ 2019"]),
        ("Smith and Jones [12] in 2004 said", ["Smith+Jones 2004"]),
        (
            "as shown by Vaswani et al. (2017; see also Bahdanau et al., 2015)",
            ["Vaswani+ 2017", "Bahdanau+ 2015"],
        ),
        ("Müller u. a. 2010 zeigen", ["Müller+ 2010"]),
        ("Dupont et coll., 2012", ["Dupont+ 2012"]),
        ("García López y cols. (2010)", ["García|López+ 2010"]),
        ("(Smith 2004, p. 12)", ["Smith 2004 / 12"]),
        ("(Smith 2004: 12–15)", ["Smith 2004 / 12–15"]),
        ("(Smith 2004a, b)", ["Smith 2004a", "Smith 2004b"]),
        ("(Smith 2004a–c)", ["Smith 2004a", "Smith 2004b", "Smith 2004c"]),
        ("Vaswani et al.'s (2017) model", ["Vaswani+ 2017"]),
        ("Smith’s (2001) theory; Jones' (2001)", ["Smith 2001", "Jones 2001"]),
        ("(American Cancer Society, 2007)", ["American Cancer|Society 2007"]),
        (
            "(Centers for Disease Control and Prevention 2005)",
            ["Centers for Disease Control and Prevention 2005"],
        ),
        ("Yamada et al., Brain 2019", ["Yamada+ 2019 / Brain"]),
        ("Yamada et al. (Brain, 2019)", ["Yamada+ 2019 / Brain"]),
        ("Lehmann, J. Neurochem. 2001;77", ["Lehmann 2001 / J. Neurochem."]),
        ("Devlin et al., NAACL 2019", ["Devlin+ 2019 / NAACL"]),
        (
            "(Smith, Jones, & Doe, 2004; van den Berg et al. 2005, 2006a,b)",
            ["Smith+Jones+Doe 2004", "van den Berg+ 2005", "van den Berg+ 2006a", "van den Berg+ 2006b"],
        ),
        ("Smith, J., & Doe, K. (2004) did", ["J.|Smith+K.|Doe 2004"]),
        ("John B. Smith and Mary Jones (1999)", ["John B.|Smith+Mary|Jones 1999"]),
        ("However Smith (2004) and Doe (2005) disagree", ["Smith 2004", "Doe 2005"]),
        ("(e.g., Park 1974; reviewed in Krause and Ruxton 2002)", ["Park 1974", "Krause+Ruxton 2002"]),
        ("(Smith et al., 2004, Jones and Roe, 2005)", ["Smith+ 2004", "Jones+Roe 2005"]),
        ("(An et al. 2011; He et al., 2010)", ["An+ 2011", "He+ 2010"]),
        ("(Horne and Page, 2008)", ["Horne+Page 2008"]),
        ("(Des Marais and Rausher, 2008)", ["Des|Marais+Rausher 2008"]),
        ("王伟等（2010）", ["王伟+ 2010"]),
        ("*Smith _et al._* (2004)", ["Smith+ 2004"]),
    ],
)  # fmt: skip
def test_a_mention_is_read(text, expected):
    assert tell(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("In August 2004 the Olympics 2004 took place.", []),
        ("From 1998 to 2004, Germany grew. Figure 2004.", []),
        ("(Smith & Wesson 1998–2004)", []),
        ("doi 10.1016/j.x.2004.01.001, version 2.2004, the Smith 2004-based", []),
        ("Berlin 2004 was nice.", ["Berlin 2004 ?"]),
        ("as Krause and Ruxton 2002 say", ["Krause+Ruxton 2002 ?"]),
    ],
)
def test_other_years_are_no_mentions_or_not_sure(text, expected):
    assert tell(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Yamada et al. 2019, Brain regions were", ["Yamada+ 2019"]),
        ("As Smith (2004), Germany grew.", ["Smith 2004"]),
        ("(Smith et al. 2004, Jones 2005)", ["Smith+ 2004", "Jones 2005"]),
        ("such as AAN, PubMed Central, Saier and Färber (2019)", ["Saier+Färber 2019"]),
        ("BC5CDR & Li et al. (2016)", ["Li+ 2016"]),
        ("(e.g., PCAdmix, Brisbin et al. (2012))", ["Brisbin+ 2012"]),
        ("see the Introduction and Calvez et al., 2011", ["Calvez+ 2011"]),
    ],
)
def test_what_stands_next_to_a_mention_is_no_part_of_it(text, expected):
    assert tell(text) == expected


def test_places_are_those_of_the_text():
    text = "One. Two (see Smith 2004a, b; Doe et al., 2005, p. 3). Three."
    found = list(find_mentions(text))
    assert [text[one.start : one.end] for one in found] == [one.text for one in found]
    assert [one.text for one in found] == ["Smith 2004a", "b", "Doe et al., 2005, p. 3"]
    assert [one.label for one in found] == ["Smith 2004a", "Smith 2004b", "Doe et al. 2005"]


def test_a_flood_of_mentions_has_an_end():
    assert sum(1 for _ in find_mentions("(Doe 2004) " * (MAX_MENTIONS + 10))) == MAX_MENTIONS


@pytest.mark.growth
@pytest.mark.parametrize(
    "unit",
    [
        "Smith, ",
        "A. ",
        "Smith and ",
        "(((",
        "[1, ",
        "2004 ",
        "et al. ",
        "J. Smith 2004a, b, ",
        "of The ",
        "von ",
    ],
)
def test_the_work_grows_with_the_text_and_no_faster(unit):
    assert grows_linearly(lambda size: list(find_mentions((unit * size)[:size] + " 2004")))


def test_any_text_can_be_read():
    odd = "\ud800 ¶ 2004 \x00(2004) ,, 2004 et al. 2004 & 2004 ’s (2004 Ünal 2004z, ſ 2004"
    assert all(re.match(r"\d{4}", str(one.year)) for one in find_mentions(odd))
