"""Citation strings to fields: the table, what is kept of structured entries, and hostile strings."""

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeproof.reading.parse import parse
from citeproof.reading.parse.citation_anchors import find_anchors, find_year_span
from citeproof.reading.parse.citation_reader import MAX_REFERENCE, strip_markup
from citeproof.reading.parse.name_run import find_name_run
from citeproof.reading.parse.people_list import parse_people
from citeproof.vocabulary import Claimed, Ids, Kind, Name, Origin, Place, RawReference
from tests.growth import grows_linearly
from tests.soak import choose_cases

CASES = Path(__file__).parents[2] / "cases" / "citations.csv"
STYLES = Path(__file__).with_name("styles.csv")
ROWS = list(csv.DictReader(CASES.read_text("utf-8").splitlines(), delimiter="|", quoting=csv.QUOTE_NONE))
STYLED = list(csv.DictReader(STYLES.read_text("utf-8").splitlines(), delimiter="|", quoting=csv.QUOTE_NONE))


def read(text, **more):
    return parse(RawReference("k", text, Place(), **more))


@pytest.mark.parametrize("row", ROWS, ids=lambda r: r["text"][:50])
def test_the_table_of_citation_strings(row):
    reference = read(row["text"])
    claimed = reference.claimed
    assert (claimed.title or "") == row["title"]
    authors = [name.display for name in claimed.authors] + (["et al."] if claimed.et_al else [])
    assert "; ".join(authors) == row["authors"]
    assert str(claimed.year or "") == row["year"]
    assert reference.kind.value == row["kind"]
    if row["kind"] != "legal":  # a reporter's volume and page are no journal's
        assert (claimed.venue or "") == row["venue"]
        locator = "/".join(part or "" for part in (claimed.volume, claimed.issue, claimed.pages))
        assert locator == (row["locator"] or "//")
    if row["ids"]:
        assert " ".join(f"{scheme}:{value}" for scheme, value in claimed.ids.pairs) == row["ids"]


def shown(names, *, et_al=False):
    return "; ".join([name.display for name in names] + (["et al."] if et_al else []))


@pytest.mark.parametrize("row", STYLED, ids=lambda r: f"{r['style']}: {r['text'][:40]}")
def test_the_table_of_styles(row):
    claimed = read(row["text"]).claimed
    assert (claimed.title or "") == row["title"]
    assert shown(claimed.authors, et_al=claimed.et_al) == row["authors"]
    assert shown(claimed.editors) == row["editors"]
    assert str(claimed.year or "") == row["year"]
    assert (claimed.venue or "") == row["venue"]
    assert "/".join(part or "" for part in (claimed.volume, claimed.issue, claimed.pages)) == row["locator"]
    assert (claimed.publisher or "") == row["publisher"]


CONFIDENCE = [
    ('A. Vaswani, "Attention is all you need," NeurIPS, 2017.', "title", Origin.MODEL, 0.8, 1.0),
    ("LeCun, Y. (2015). Deep learning. Nature, 521, 436-444.", "title", Origin.MODEL, 0.8, 1.0),
    ("some words that say nothing clearly", "title", Origin.MODEL, 0.0, 0.8),
    ("LeCun, Y. (2015). Deep learning. Nature, 521, 436-444.", "year", Origin.MODEL, 0.95, 1.0),
    ("Deep learning. doi:10.1038/nature14539", "ids", Origin.RULE, 0.99, 0.99),
    ("Deep learning. arXiv:1602.8745", "ids", Origin.RULE, 0.8, 0.8),
]


@pytest.mark.parametrize(("text", "field", "origin", "low", "high"), CONFIDENCE)
def test_each_field_says_where_it_came_from(text, field, origin, low, high):
    noted = {o.field: o for o in read(text).claimed.origins}
    assert noted[field].origin is origin
    assert low <= noted[field].confidence <= high


def test_each_field_is_kept_as_it_stands():
    text = "Lee, C.; Yang, W.; Parr, R. G. Phys. Rev. B 1988, 37, 785-9."
    raw = {o.field: o.raw for o in read(text).claimed.origins}
    assert raw == {
        "authors": "Lee, C.; Yang, W.; Parr, R. G.",
        "venue": "Phys. Rev. B",
        "year": "1988",
        "volume": "37",
        "pages": "785-9",
    }


def test_a_structured_entry_is_completed_and_not_changed():
    claimed = Claimed(title="Concrete Problems", year=2016, venue="arXiv preprint arXiv:1606.06565")
    reference = read("@article{…}", claimed=claimed, kind=Kind.ARTICLE)
    assert reference.claimed.title == "Concrete Problems"
    assert reference.claimed.ids.first("arxiv") == "1606.06565"
    assert reference.kind is Kind.PREPRINT


IMPLIED = [
    ((("url", "https://arxiv.org/abs/1706.03762"),), "arxiv", "1706.03762"),
    ((("url", "https://doi.org/10.1038/nature14539"),), "doi", "10.1038/nature14539"),
    ((("doi", "10.48550/arxiv.1706.03762"),), "arxiv", "1706.03762"),
    ((("doi", "10.18653/v1/2020.acl-main.1"),), "acl", "2020.acl-main.1"),
]


@pytest.mark.parametrize(("pairs", "scheme", "value"), IMPLIED)
def test_identifiers_imply_others(pairs, scheme, value):
    reference = read("x", claimed=Claimed(title="T", ids=Ids(pairs)))
    assert reference.claimed.ids.first(scheme) == value
    assert set(pairs) <= set(reference.claimed.ids.pairs)


NAMES = [
    ("W. van Oers, J. Seagrave, Phys. Lett. B", ["W. van Oers", "J. Seagrave"], False),
    ("Benecke G. et al., J. Appl. Cryst.", ["G. Benecke"], True),
    ("Vaswani, A., Shazeer, N., ... & Polosukhin, I. ", ["A. Vaswani", "N. Shazeer", "I. Polosukhin"], True),
    (
        "Aida, Jun, Hikichi, Hiroyuki, Matsuyama, Yusuke. Social",
        ["Jun Aida", "Hiroyuki Hikichi", "Yusuke Matsuyama"],
        False,
    ),
    ("Sokol, B. J., and Mary Sokol. Shakespeare", ["B. J. Sokol", "Mary Sokol"], False),
    ("P. BELTRAME, G. BIALE et S. WINSTEIN. J. Am.", ["P. BELTRAME", "G. BIALE", "S. WINSTEIN"], False),
    ("D0 Collaboration, Phys. Rev. Lett.", ["D0 Collaboration"], False),
    ("Benecke G. and his co-workers, J. Appl. Cryst.", ["G. Benecke"], True),
    ("The effect of things on names. Journal", [], False),
    ("Advances in Neural Information", [], False),
]


@pytest.mark.parametrize(("text", "names", "et_al"), NAMES)
def test_runs_of_names(text, names, et_al):
    found = find_name_run(text)
    assert [name.display for name in found.names] == names
    assert found.et_al is et_al


def test_a_group_after_persons_is_an_author():
    found = find_name_run("Fattorini L, Cirillo DM; the Italian Multicentre Study (SMIRA) Group. Drug")
    assert found.names[-1] == Name("the Italian Multicentre Study (SMIRA) Group", collective=True)


LISTS = [
    ("Müller, Hans / Schmidt, Karl (Hrsg.)", ["Hans Müller", "Karl Schmidt"], False, True),
    ("Mayer, Karl Ulrich/Blossfeld, Hans-Peter", ["Karl Ulrich Mayer", "Hans-Peter Blossfeld"], False, False),
    ("Esser, H. u. a.", ["H. Esser"], True, False),
    ("Esser, H. und Mitarbeiter", ["H. Esser"], True, False),
    ("Esser and co-workers", ["Esser"], True, False),
    ("BOURDIEU Pierre et PASSERON Jean-Claude", ["Pierre BOURDIEU", "Jean-Claude PASSERON"], False, False),
    (
        "G. Becker, M. Horstkemper & F. Winter (Hrsg",
        ["G. Becker", "M. Horstkemper", "F. Winter"],
        False,
        True,
    ),
    ("Vaswani A, Shazeer N, et al.", ["A. Vaswani", "N. Shazeer"], True, False),
    ("Zheng, Chiang, Sheng, et al.", ["Zheng", "Chiang", "Sheng"], True, False),
    ("Dubois, Galambosi, Liang, and Hashimoto", ["Dubois", "Galambosi", "Liang", "Hashimoto"], False, False),
    ("van den Oord, Li, Vinyals", ["van den Oord", "Li", "Vinyals"], False, False),
    (
        "Ali, Saleem, Yao, Hogan, and Ngonga Ngomo",
        ["Ali", "Saleem", "Yao", "Hogan", "Ngonga Ngomo"],
        False,
        False,
    ),
    ("Smith, John, Jane Doe, and Robert Roe", ["John Smith", "Jane Doe", "Robert Roe"], False, False),
    ("U.S. Food and Drug Administration", ["U.S. Food and Drug Administration"], False, False),
    (
        "National Academies of Sciences, Engineering, and Medicine",
        ["National Academies of Sciences, Engineering, and Medicine"],
        False,
        False,
    ),
    ("Anna Board and Carl Center", ["Anna Board", "Carl Center"], False, False),
    ("Smith, John, Doe, Jane", ["John Smith", "Jane Doe"], False, False),
    ("Hinton, Geoffrey, et al.", ["Geoffrey Hinton"], True, False),
    ("Louf, V., and Coauthors", ["V. Louf"], True, False),
    ("edited by Paul Deussen", ["Paul Deussen"], False, True),
    ("李明, 王伟, 等", ["李明", "王伟"], True, False),
    ("Колмогоров А. Н., Успенский В. А.", ["А. Н. Колмогоров", "В. А. Успенский"], False, False),
    ("World Health Organization", ["World Health Organization"], False, False),
    ("García Canclini, Néstor y Zea, Leopoldo", ["Néstor García Canclini", "Leopoldo Zea"], False, False),
    ("van der Waals, J. D., von Neumann, J.", ["J. D. van der Waals", "J. von Neumann"], False, False),
    ("Müller HG, Smith DS", ["H. G. Müller", "D. S. Smith"], False, False),
    ("Ed Yong and Carl Zimmer", ["Ed Yong", "Carl Zimmer"], False, False),
    ("Bower, G. H., & Hilgard, E. R. (Eds", ["G. H. Bower", "E. R. Hilgard"], False, True),
    ("", [], False, False),
]


@pytest.mark.parametrize(("text", "names", "et_al", "editors"), LISTS)
def test_lists_of_people(text, names, et_al, editors):
    found = parse_people(text)
    assert [name.display for name in found.names] == names
    assert (found.et_al, found.editors) == (et_al, editors)


LOCATORS = [
    ("A. Cohen, Strabismus, Surv. Ophthalmol., vol. 23, no. 1, pp. 26–34, 1978.", ("23", "1", "26-34", 1978)),
    ("Cole N. Asthma in youth. Eur Respir J. 2012; 40(2): 497-500.", ("40", "2", "497-500", 2012)),
    ("V. Efimov, Phys. Rev. C 44 (1991) 2303.", ("44", None, "2303", 1991)),
    ("Han, S. E.; Chen, G. Nano Lett. 2010, 10, 1012.", ("10", None, "1012", 2010)),
    ("Kubes P. Nitric oxide. J Infect Dis 2013; 207: 1798-806.", ("207", None, "1798-1806", 2013)),
]


@pytest.mark.parametrize(("text", "expected"), LOCATORS)
def test_locators_and_years(text, expected):
    claimed = read(text).claimed
    assert (claimed.volume, claimed.issue, claimed.pages, claimed.year) == expected


RULED_YEARS = [
    ("Smith (1998) on 1760-1830", "1998"),
    ("Title of 1984, then 2001.", "2001"),
    ("vol. 1999, p. 2001", None),
    ("Emptiness. Retrieved November 10, 2015, from http://a.org/b", None),
]


@pytest.mark.parametrize(("text", "wanted"), RULED_YEARS)
def test_years_by_rule(text, wanted):
    span = find_year_span(text, ())
    assert (text[slice(*span)] if span else None) == wanted


def test_a_mask_keeps_offsets():
    text = "[3] Doe, J. (2001). Title. https://doi.org/10.1038/nature14539"
    found = find_anchors(text)
    assert len(found.masked) == len(text)
    assert found.ids.first("doi") == "10.1038/nature14539"


def test_broken_words_and_misplaced_spaces_are_mended():
    assert strip_markup("deep bidirec-\n tional trans-\nformers") == "deep bidirectional transformers"
    assert strip_markup("A .B .Volkov ,Phys .Rev ,74") == "A.B.Volkov, Phys. Rev, 74"
    assert strip_markup("<i>Planta</i> and _Nature_ and *Cell*") == "Planta and Nature and Cell"


PHRASES = ["et al.", "and ", "In ", "(2001)", "Smith, J.", "10.1038/x", "vol. "]
ALPHABET = st.sampled_from([*"Aa.,:;()[]“”\"'*&-–0129 \n\ue000", *PHRASES])


@given(st.lists(ALPHABET, max_size=60).map("".join))
def test_no_string_stops_the_parser_and_what_it_states_stands_in_the_string(text):
    claimed = read(text).claimed
    assert claimed.year is None or str(claimed.year) in text
    assert all(0 < origin.confidence <= 1 for origin in claimed.origins)
    assert claimed.title is None or claimed.title.strip()


@given(st.text(max_size=300))
def test_any_text_is_parsed(text):
    assert read(text).raw == text


HOSTILE = [
    "A. ",
    "Smith, J., ",
    "(",
    "“",
    "a, ",
    "** ",
    "In ",
    "and ",
    "12-",
    "J ",
    "[",
    "2001 ",
    "- ",
    ". ",
    "et al. ",
    "\ue000",
    "van ",
]


@pytest.mark.growth
@pytest.mark.parametrize("unit", choose_cases(HOSTILE))
def test_parsing_is_bounded_and_linear(unit):
    assert grows_linearly(lambda size: read((unit * size)[:size]), MAX_REFERENCE // 4, 100_000)


@pytest.mark.parametrize(
    ("raw", "title", "family", "venue"),
    [
        (
            r"J.~Devlin, M.-W. Chang, \textbf{BERT}: Pre-training of \emph{Words}, {\it Proc. NAACL} (2019)",
            "BERT: Pre-training of Words", "Devlin", "Proc. NAACL",
        ),
        (
            r"M\"uller, K. and Garc{\'\i}a, L. (2018). ``The $\alpha$-decay''. \emph{Phys. Rev. B}, 97, 1.",
            "The α-decay", "Müller", "Phys. Rev. B",
        ),
        (
            r"\bibitem{x} A. Author, \newblock Title of the work. \newblock {\em Journal of Things}, 2011.",
            "Title of the work", "A. Author", "Journal of Things",
        ),
        (
            r"Smith, J. (2020). Use of C:\temp folders. Journal of Files, 1(2), 3-4.",
            r"Use of C:\temp folders", "Smith", "Journal of Files",
        ),
    ],
)  # fmt: skip
def test_latex_in_a_citation_string(raw, title, family, venue):
    claimed = parse(RawReference("r", raw, Place())).claimed
    assert (claimed.title, claimed.authors[0].family, claimed.venue) == (title, family, venue)
