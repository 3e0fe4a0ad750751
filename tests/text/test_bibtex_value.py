import pytest

from citeproof.text.bibtex_value import BibtexMacros, read_value

CASES = [
    ('"Yann LeCun" # " and Yoshua Bengio"', "Yann LeCun and Yoshua Bengio"),
    ('"Random " # "Forests"', "Random Forests"),
    ('"Al" # {pha}', "Alpha"),
    ("{Deep } # {\n  Learning}", "Deep Learning"),
    ('ann # " and Adele Cutler"', "Leo Breiman and Adele Cutler"),
    ('"" # "x"', "x"),
]


@pytest.mark.parametrize(("text", "value"), CASES)
def test_joined_values_keep_the_spaces_inside_their_edges(text, value):
    macros = BibtexMacros()
    macros.known["ann"] = "Leo Breiman"
    found = read_value(text, 0, len(text), macros)
    assert found is not None
    assert found[0] == value
