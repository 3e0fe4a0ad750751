import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeproof.text import names
from citeproof.vocabulary import Name

CASES = [
    ("van den Berg, J. A.", Name("van den Berg", "J. A.")),
    ("Jan van den Berg", Name("van den Berg", "Jan")),
    ("Berg, Jan van den", Name("van den Berg", "Jan")),
    ("Smith JA", Name("Smith", "J. A.")),
    ("King, Jr., Martin L.", Name("King", "Martin L.", "Jr.")),
    ("Martin Luther King Jr.", Name("King", "Martin Luther", "Jr.")),
    ("ATLAS Collaboration", Name("ATLAS Collaboration", collective=True)),
    ("{World Health Organization}", Name("World Health Organization", collective=True)),
    ("王伟", Name("王", "伟")),
    ("欧阳修文", Name("欧阳", "修文")),
    ("Fei Wu 0001", Name("Wu", "Fei")),
    ("0001, Bo An", Name("An", "Bo")),
    ("Giuseppe De Giacomo", Name("De Giacomo", "Giuseppe")),
    ("Ken&apos;ichi Kumatani", Name("Kumatani", "Ken'ichi")),
    (r"Nguy{\~{\^e}}n, V{\u{a}}n", Name("Nguyễn", "Văn")),
    ("Le Song", Name("Song", "Le")),
    ("Li", Name("Li")),
]


@pytest.mark.parametrize(("text", "name"), CASES, ids=[c[0] for c in CASES])
def test_the_table_of_names(text, name):
    assert names.parse(text) == name


LISTS = [
    ("A. Berg and C. Dahl", ["A. Berg", "C. Dahl"], False),
    ("Wu, Fei and others", ["Fei Wu"], True),
    ("Wu, Fei and Li, X. et al.", ["Fei Wu", "X. Li"], True),
    ("Yilun Zhou and et al", ["Yilun Zhou"], True),
    (
        "Sophia Wong, Alex Martinez, Junpei Yamamoto",
        ["Sophia Wong", "Alex Martinez", "Junpei Yamamoto"],
        False,
    ),
    ("Smith, J., Doe, A. B.", ["J. Smith", "A. B. Doe"], False),
    ("{Barnes and Noble} and Smith, J.", ["Barnes and Noble", "J. Smith"], False),
    (r"Russ Bates and {\v{Z", ["Russ Bates"], True),
]


@pytest.mark.parametrize(("text", "expected", "cut"), LISTS, ids=[c[0] for c in LISTS])
def test_the_table_of_lists(text, expected, cut):
    found, et_al = names.split(text)
    assert ([n.display for n in found], et_al) == (expected, cut)


def test_family_key_drops_particles_and_marks():
    assert names.family_key(names.parse("Jürgen van den Bérg")) == "berg"


@given(st.text(max_size=300))
def test_any_text_gives_names_without_error(text):
    found, _ = names.split(text)
    assert all(n.family for n in found)


def test_a_hostile_list_is_bounded():
    found, _ = names.split(" and ".join(["A B"] * 20_000))
    assert len(found) == names.MAX_NAMES
