"""Author-year citations."""

import pytest

from citeproof.corpus.corpus_types import Pattern
from tests.corpus.page.cases import marks, raws

P = Pattern.AUTHOR_YEAR


def said(text):
    """Return names, year, "+" for et al. and "?" for what may be no author, of each mark."""
    return [
        " & ".join(mark.names) + ("+" if mark.et_al else "") + f" {mark.year}" + ("" if mark.sure else "?")
        for mark in marks(text, P)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("so (Smith et al., 2020).", ["Smith+ 2020"]),
        ("so (Smith et al. 2020).", ["Smith+ 2020"]),
        ("Smith et al. (2020) say", ["Smith+ 2020"]),
        ("as Smith et al., 2020 say", ["Smith+ 2020"]),
        ("In *Smith et al.* (2020) and **Doe et al.** [2019]", ["Smith+ 2020", "Doe+ 2019"]),
        ("so (Smith & Jones, 2019a; Doe, 2018)", ["Smith & Jones 2019", "Doe 2018?"]),
        ("Smith and Jones (2019) say", ["Smith & Jones 2019?"]),
        ("Smith und Jones (2019)", ["Smith & Jones 2019?"]),
        ("Smith, Jones and Doe (2019)", ["Smith & Jones & Doe 2019"]),
        ("In Berlin and Paris (2020)", ["Berlin & Paris 2020?"]),
        ("so (Smith, Jones, & Doe, 2020)", ["Smith & Jones & Doe 2020"]),
        ("so (Smith, Jones and Doe, 2020)", ["Smith & Jones & Doe 2020"]),
        ("Smith, Jones, et al. (2020)", ["Smith & Jones+ 2020"]),
        ("so (see Smith, 2020, p. 4)", ["Smith 2020?"]),
        ("so (see also e.g. Smith, 2020)", ["Smith 2020?"]),
        ("so [Smith, 2020]", ["Smith 2020?"]),
        ("so (Smith 2020)", ["Smith 2020?"]),
        ("Smith's (2020) and Jones’ (2019) work", ["Smith 2020?", "Jones 2019?"]),
        ("Smith (2020) says", ["Smith 2020?"]),
        ("so (van der Berg, 2020), O'Neil et al. (2018)", ["van der Berg 2020?", "O'Neil+ 2018"]),
        ("Müller-Lüdenscheidt & Klöbner (1991)", ["Müller-Lüdenscheidt & Klöbner 1991?"]),
        ("Van den Berg and de Souza (2020)", ["Van den Berg & de Souza 2020?"]),
        ("(Иванов и др., 2020) Παπαδόπουλος et al. (2019)", ["Иванов+ 2020", "Παπαδόπουλος+ 2019"]),
        ("(王小明, 2020)", ["王小明 2020?"]),
        ("Smith and colleagues (2020)", ["Smith+ 2020"]),
        ("John Smith and Mary Jones (2020)", ["Smith & Jones 2020?"]),
        ("Smith, J., & Jones, K. L. (2020). Title.", ["Smith & Jones 2020"]),
        ("Smith, J.-P. (2020). Title.", ["Smith 2020?"]),
        ("so (World Health Organization, 2020)", ["World Health Organization 2020?"]),
        (
            "so (NASA, 2020), NASA and ESA (2020), NASA et al. (2020)",
            ["NASA 2020?", "NASA & ESA 2020?", "NASA+ 2020"],
        ),
        (
            "Smith et al. (2019, 2020) and (Doe & Roe, 2018a, 2018b)",
            ["Smith+ 2019", "Smith+ 2020", "Doe & Roe 2018", "Doe & Roe 2018"],
        ),
        ("so\n> (Smith et\n> al., 2020)", ["Smith+ 2020"]),
        ("> so (Smith et\n> al., 2020)", ["Smith+ 2020"]),
        ("| Smith et al. (2020) | Doe & Roe, 2019 |\n|---|---|\n", ["Smith+ 2020", "Doe & Roe 2019?"]),
        ("Kidger, P. et al. (2020), Wu et al.'s (2023)", ["Kidger+ 2020", "Wu+ 2023"]),
        ("Jhin, S. Y., Park, N., ... & Jeon, S. (2021, December).", ["Jhin & Park & Jeon 2021"]),
        (
            "d'Alembert (1743) and El-Sayed & al-Khwarizmi (2001)",
            ["d'Alembert 1743?", "El-Sayed & al-Khwarizmi 2001?"],
        ),
        (
            "(e.g., Brown et al. 2020, Doe et al. 2022, and Roe 2019)",
            ["Brown+ 2020", "Doe+ 2022", "Roe 2019?"],
        ),
        # none
        ("(May, 2020) (Spring, 2020) (Monday, 2020) In March (2020)", []),
        ("Version (2020), Release (2020), Figure (2020), (Table, 2020), (Section 2020), Since (2020)", []),
        ("(Copyright 2020), (Q1, 2020), (Q1 2020), Python 3 (2008)", []),
        ("In Berlin, 2020 was cold; in Smith 2020 was", []),
        ("(the team in Berlin, 2020, did)", []),
        ("(2020), in 2020, the year 2020, 2020–2021, (Smith, 2020-2021)", []),
        ("(Smith, 12020), (Smith, 20201), $2020, #2020, 3.2020", []),
        ("| Smith et al. | (2020) |\n|---|---|\n", []),
        ("Smith et al.\n\n(2020)", []),
        ("`(Smith et al., 2020)` <!-- (Smith et al., 2020) --> [a](<Smith et al., 2020>)", []),
        ("AT&T (2020)", []),
    ],
)
def test_author_years(text, expected):
    assert said(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("so (Smith et al., 2020).", ["Smith et al., 2020"]),
        ("so (see Smith, 2020, p. 4).", ["Smith, 2020"]),
        ("as Smith et al. (2020) say", ["Smith et al. (2020)"]),
        ("as Smith et al. (2020, p. 4) say", ["Smith et al. (2020, p. 4)"]),
        ("Smith, J., & Doe, A. (2020, May 5). Title", ["Smith, J., & Doe, A. (2020, May 5)"]),
        ("as Smith et al. (2020a) say", ["Smith et al. (2020a)"]),
    ],
)
def test_what_is_written(text, expected):
    assert raws(text, P) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("so (Smith et al., 2020).", ["(Smith et al., 2020)"]),
        ("so (see Smith, 2020, p. 4).", ["(see Smith, 2020, p. 4)"]),
        ("so [Smith, 2020].", ["[Smith, 2020]"]),
        ("so ([Smith, 2020](a.md)).", ["([Smith, 2020](a.md))"]),
        ("so (Smith & Jones, 2019a; Doe, 2018).", ["Smith & Jones, 2019a", "; Doe, 2018"]),
        ("as Smith et al. (2020) say", ["Smith et al. (2020)"]),
        ("so (which Smith et al., 2020, say).", ["Smith et al., 2020"]),
        ("so (Smith et al., 2020, NASA).", ["Smith et al., 2020"]),
        ("so (Smith et al., 2020, Table 3, May).", ["(Smith et al., 2020, Table 3, May)"]),
    ],
)
def test_what_goes_with_it(text, expected):
    assert [text[mark.whole.start : mark.whole.end] for mark in marks(text, P)] == expected


def test_the_target_is_the_first_family_name():
    assert [mark.target for mark in marks("(van der Berg & Doe, 2020)", P)] == ["van der Berg"]
