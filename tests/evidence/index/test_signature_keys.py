"""Keys of a record and keys of a query meet; the short ways give what the long ways give."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeproof.evidence.index import record_filing, record_packing, signature_keys
from citeproof.evidence.index.readers import works
from citeproof.evidence.index.readers.works import AuthorLists
from citeproof.evidence.index.record_filing import RecordFiler, make_subset_keys
from citeproof.evidence.index.record_packing import FamilyCache, make_entry
from citeproof.evidence.index.signature_keys import fold_clean_title, is_front_matter
from citeproof.text import names, title
from citeproof.vocabulary import Ids, Name, Record, Version

TEXT = st.text(alphabet=st.sampled_from("abcdefgzABZ019 :-–.,'éßΩ中文?&<{$\\ \n"), max_size=60)


def filed(record: Record) -> tuple[set[int], set[int]]:
    filer = RecordFiler()
    filer.file(make_entry(record, FamilyCache()))
    made = filer.take()
    return set(made.list_keys(0)[0].tolist()), set(made.list_works(0)[0].tolist())


def values_of(text: str) -> list[int]:
    return signature_keys.pick_longest(
        signature_keys.hash_telling_word(word.encode()) for word in title.split_words(text)
    )


def asked(text: str) -> list[int]:
    whole = title.make_title_key(text)
    edge = [signature_keys.hash_text(signature_keys.TITLE, whole), *signature_keys.make_edge_keys(whole)]
    return edge + signature_keys.make_query_keys(values_of(text))


@given(TEXT)
def test_folding_is_that_of_text(text):
    cleaned = title.clean(text)
    _, words = fold_clean_title(cleaned)
    assert words.decode().split() == title.split_words(cleaned)


@given(TEXT)
def test_tidying_is_cleaning(text):
    assert works.tidy_title(text) == title.clean(text)


@given(TEXT)
def test_a_title_is_filed_under_its_whole_key_and_edges(text):
    cleaned = title.clean(text)
    keys, _ = filed(Record("", "1", (cleaned,)))
    whole = title.make_title_key(cleaned)
    assert signature_keys.hash_text(signature_keys.TITLE, whole) in keys
    assert set(signature_keys.make_edge_keys(whole)) <= keys


TITLE = "Sparse Gaussian processes using stochastic variational inference methods"


@pytest.mark.parametrize(
    ("query", "at_least"),
    [
        (TITLE, 10),
        ("Sparse Gaussian process using stochastic variational inference methods", 4),  # one of the five
        ("Sparse Gaussian processes using stochastic variational inference techniques", 5),
        ("inference variational stochastic processes Gaussian methods sparse using", 10),  # order
        ("Sparse Guassian procesess using stochastic variational inference methods", 10),  # swapped letters
        ("Sparse Gaussian processes using stochastic variational", 1),
        ("Dense Poisson models", 0),
    ],
)
def test_damaged_titles_still_share_keys(query, at_least):
    keys, _ = filed(Record("", "1", (TITLE,)))
    assert len(keys & set(asked(query))) >= at_least
    assert at_least or not keys & set(asked(query))


@given(st.lists(TEXT, min_size=1, max_size=6))
def test_subsets_of_a_batch_are_those_of_each_title(texts):
    cleaned = [title.clean(text) for text in texts]
    keys, lines = make_subset_keys([fold_clean_title(text)[1] for text in cleaned])
    found = [set(keys[lines == number].tolist()) for number in range(len(cleaned))]
    for text, own in zip(cleaned, found, strict=True):
        values = values_of(text)
        assert own <= set(signature_keys.make_query_keys(values))
        assert len(own) == {5: 10, 4: 6, 3: 3}.get(len(values), 0)


def test_longest_leaves_out_small_words():
    values = [
        signature_keys.hash_telling_word(word)
        for word in b"on the use of an energy of the state and its use".split()
    ]
    assert set(signature_keys.pick_longest(values)) == {
        signature_keys.hash_telling_word(b"energy"),
        signature_keys.hash_telling_word(b"state"),
    }


@pytest.mark.parametrize(
    ("folded", "head"),
    [
        ("bert: pre-training of deep", "bert"),
        ("is it? a study", "isit"),
        ("one - two", "one"),
        ("wait. what", "wait"),
        ("no head", ""),
        (": odd", ""),
        ("a:b", ""),
    ],
)
def test_head(folded, head):
    assert signature_keys.find_title_head(folded) == head


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Proceedings of the 2019 Conference on X", True),
        ("7th Workshop on X, Proceedings", True),
        ("ICLR 2019, New Orleans, Proceedings of 2019", True),
        ("Preface", True),
        ("Editorial: what next", True),
        ("A survey of proceedings in court", False),
        ("Attention is all you need", False),
    ],
)
def test_front_matter(text, expected):
    assert is_front_matter(title.fold_title(text)) is expected


def test_works_are_linked_by_title_and_first_author_or_identifier():
    one = Record("", "1", (TITLE,), (Name("Wu", "Fei"), Name("X")), ids=Ids((("doi", "10.1/a"),)))
    two = Record("", "2", (TITLE.upper(),), (Name("Wu", "F."),), versions=(Version(2020),))
    three = Record("", "3", ("Another title",), (Name("Y"),), ids=Ids((("doi", "10.1/a"),)))
    other = Record("", "4", (TITLE,), (Name("Li"),))
    links = [filed(record)[1] for record in (one, two, three, other)]
    assert links[0] & links[1]
    assert links[0] & links[2]
    assert not links[0] & links[3]


NAMES = [
    "Jane Doe", "Jane A. Doe", "J. A. Doe", "Doe, Jane", "Doe, J. A.", "Doe, Jane-Marie", "Yong-Shi Wu",
    "Kim Il", "Jérôme Kunegis", "Müller, Jörg", "Van Gogh", "Luc Van Gool", "Ludwig van Beethoven",
    "Jan De Luca", "Wu F", "ATLAS Collaboration", "Team, Google", "Research Group", "Plu-Bureau, G.",
    "King Jr", "King, Jr.", "Ali Md", "Fei Wu 0001", "0001, Bo An", "王伟", "O'Neil, Shaq", "{The Group}",
    "Smith JA", "Doe, Jane, III", "Neto, Jose", "Jose Neto", "Ann Study", "Working, Ann", "A. Doe",
    "Doe", "", "Doe Jane Mary Ann", "DOE, JANE", "La Rue, A.",
]  # fmt: skip


def read(text: str) -> list[Name]:
    return [Name(*msgspec.msgpack.decode(person[0])) for person in AuthorLists().read_people([text])[0]]


@pytest.mark.parametrize("text", NAMES)
def test_short_way_of_names(text):
    assert read(text) == ([names.parse(text)] if text else [])


PARTS = ["Jane", "Mary-Ann", "J.", "Doe", "Group", "Van", "De", "Jr", "Müller", "Wu,", "Md", "A"]


@given(st.lists(st.sampled_from(PARTS), min_size=1, max_size=4))
def test_short_way_of_any_name(parts):
    text = " ".join(parts)
    assert read(text) == [names.parse(text)]


@given(
    st.sampled_from(
        ["Wu", "De", "Müller", "O'Neil", "van den Berg", "Jean-Marie", "王", "ATLAS Group", "mac"]
    )
)
def test_families_are_folded_as_names_are(family):
    value, words = FamilyCache().fold_family(family)
    assert words.split() == list(names.fold_family_words(Name(family)))
    assert value == signature_keys.hash_family(names.make_family_key(Name(family)))


@pytest.mark.parametrize(
    ("listed", "families", "complete"),
    [
        (["A. Doe", "B. Roe"], ["Doe", "Roe"], True),
        (["A. Doe", "B. Roe", "A. Doe", "B. Roe"], ["Doe", "Roe"], True),
        (["A. Doe", "A. Doe"], ["Doe"], True),
        (["A. Doe", "B. Roe", "A. Doe"], ["Doe", "Roe", "Doe"], True),
        (["A. Doe", "others"], ["Doe"], False),
        (["A. Doe", "et al."], ["Doe"], False),
        (["A. Doe", ""], ["Doe"], True),
        ([], [], True),
        ([""], [], True),
    ],
)
def test_author_lists(listed, families, complete):
    people = AuthorLists()
    for _ in ("cold", "warm"):
        found, whole = people.read_people(listed)
        assert [msgspec.msgpack.decode(person[0])[0] for person in found] == families
        assert whole is complete


def test_caches_are_bounded(monkeypatch):
    for module in (works, record_filing, record_packing):
        monkeypatch.setattr(module, "MAX_CACHED", 10)
    people = AuthorLists()
    filer = RecordFiler()
    for number in range(40):
        people.read_people([f"A{'a' * number} B{'b' * number}"])
        filer.file(
            make_entry(Record("", "", ("word",), versions=(Version(2000, f"v{number}"),)), FamilyCache()),
        )
    sizes = [len(people._known), len(people._last), len(people._before), len(people._families._known)]
    assert max(*sizes, len(filer._venues)) <= 10


def test_edges_are_letters_not_bytes():
    assert signature_keys.cut_edges("中".encode() * 20) == ()
    assert signature_keys.cut_edges("中".encode() * 30)[0].decode() == "中" * 24
