""" "et al." in other languages, in lists of names and in citations of several forms."""

import pytest

from citeproof.reading.parse import parse
from citeproof.text.names import spell_et_al, split_names
from citeproof.text.package_tables import load_package_table
from citeproof.vocabulary import Place, RawReference

TABLE = load_package_table("citeproof.text", "cut_lists.toml")
SPELLED = [*TABLE["open"], *(f"{form}." for form in (*TABLE["open"], *TABLE["stopped"]))]
GLUED = ["等", "ほか", "他", "ら", "외", "외 7인", "他7名", "および他7名", "外3名"]
KNOWN = ["et al", "u. a.", "и др.", "und andere", "et autres", "y cols.", "e altri"]
FORMS = {
    "year": (
        "Vaswani, A., Shazeer, N. {} (2017). Attention is all you need. NeurIPS.",
        ["A. Vaswani", "N. Shazeer"],
    ),
    "strokes": ("Vaswani A. {} Attention is all you need // NeurIPS, 2017.", ["A. Vaswani"]),
    "colon": ("Vaswani A. {}: Attention is all you need, NeurIPS 2017.", ["A. Vaswani"]),
}


def read(text):
    claimed = parse(RawReference("a", text, Place())).claimed
    return claimed.title, [name.display for name in claimed.authors], claimed.et_al


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("words", [*SPELLED, *KNOWN])
def test_citation_is_read_as_with_et_al(words, form):
    text, authors = FORMS[form]
    assert read(text.format(words)) == ("Attention is all you need", authors, True)


@pytest.mark.parametrize("words", GLUED)
def test_form_without_a_space_is_no_part_of_the_name(words):
    text = f"Vaswani A{words}, Attention is all you need, NeurIPS, 2017."
    assert read(text) == ("Attention is all you need", ["A. Vaswani"], True)


@pytest.mark.parametrize("words", SPELLED)
def test_field_of_names_is_read_alike(words):
    found, cut = split_names(f"Vaswani, A. and Shazeer, N. {words}")
    assert ([name.display for name in found], cut) == (["A. Vaswani", "N. Shazeer"], True)


@pytest.mark.parametrize(
    "text",
    [
        "Efros V.D., Danilin B. Three-body decay. Phys. Rev. C 61 (2000).",
        "Subroto E.A., dan Djuhaeni, 2005, Petroleum system.",
        "Sutton R. Dynamics i in. natural systems. 2010.",
        "Oosterlinck, A., e.a",
        "小倉さくら, 山田太郎. 深層学習. 2019.",
        "dkk",
        "Jan Ym, Li Na (2010). A title.",
        "A study of the other methods, e.a. of ours. 2010.",
    ],
)
def test_words_and_initials_that_look_alike_are_kept(text):
    assert spell_et_al(text) == text
