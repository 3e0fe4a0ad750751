import pytest

from citeproof.reading.extractors.bibtex import EXTRACTOR
from citeproof.vocabulary import Document, Kind, Name, Origin


def extract(text):
    return EXTRACTOR.extract(Document("refs.bib", text.encode()))


def one(fields, kind="article"):
    [reference] = extract(f"@{kind}{{k, {fields}}}").references
    return reference


FIELDS = [
    ('title = {Learning {D}eep: {\\"U}bung}', "title", "Learning Deep: Übung"),
    ("title = {Main}, subtitle = {Sub}", "title", "Main: Sub"),
    ("year = {2001a}", "year", 2001),
    ("date = {2019-05-03}", "year", 2019),
    ("journaltitle = {Nature}", "venue", "Nature"),
    ("booktitle = {Proc.\\ of X}", "venue", "Proc. of X"),
    ("number = 3", "issue", "3"),
    ("pages = {1012--20}", "pages", "1012-1020"),
    ("school = {MIT}", "publisher", "MIT"),
    ("howpublished = {arXiv:1606.06565}", "venue", "arXiv:1606.06565"),
]


@pytest.mark.parametrize(("fields", "name", "value"), FIELDS)
def test_fields_become_claims(fields, name, value):
    claimed = one(fields).claimed
    assert getattr(claimed, name) == value
    assert claimed.origins[0].origin is Origin.STRUCTURED


IDS = [
    ("doi = {https://doi.org/10.1038/NATURE14539}", [("doi", "10.1038/nature14539")]),
    ("url = {https://doi.org/10.1038/nature14539}", [("doi", "10.1038/nature14539")]),
    ("doi = {10.1103/X.117.1, 10.1103/X.117.2}", [("doi", "10.1103/x.117.1"), ("doi", "10.1103/x.117.2")]),
    ("note = {PMID: 26017442}", [("pmid", "26017442")]),
    ("eprint = {1706.03762v5}, archiveprefix = {arXiv}", [("arxiv", "1706.03762")]),
    ("journal = {ArXiv}, volume = {abs/1506.06726}", [("arxiv", "1506.06726")]),
    ("number = {arXiv:1912.01703}, publisher = {arXiv}", [("arxiv", "1912.01703")]),
    ("volume = {23}, number = {10.1}", []),
    ("eprint = {hep-th/9711200}", [("arxiv", "hep-th/9711200")]),
    ("eprint = {26017442}, eprinttype = {pubmed}", [("pmid", "26017442")]),
    ("journal = {arXiv preprint arXiv:1606.06565}", [("arxiv", "1606.06565")]),
    ("isbn = {0-262-03561-8, 978-0-262-03561-3}", [("isbn", "9780262035613")]),
    ("howpublished = {\\url{https://example.org/a\\_b}}", [("url", "https://example.org/a_b")]),
    ("doi = {10.48550/arXiv.1706.03762}", [("doi", "10.48550/arxiv.1706.03762"), ("arxiv", "1706.03762")]),
]


@pytest.mark.parametrize(("fields", "pairs"), IDS)
def test_identifiers_are_found_in_every_field(fields, pairs):
    assert list(one(fields).claimed.ids.pairs) == pairs


def test_authors_and_others():
    claimed = one("author = {Fei Wu and Berg, Jan van den and others}").claimed
    assert claimed.authors == (Name("Wu", "Fei"), Name("van den Berg", "Jan"))
    assert claimed.et_al


FLAGS = [
    ("doi = {junk}", "malformed_doi"),
    ("isbn = {978-0-262-03561-4}", "malformed_isbn"),
    ("eprint = {1503.010}", "malformed_arxiv"),
    ("doi = {10.1038/nаture14539}", "suspicious_characters"),
]


@pytest.mark.parametrize(("fields", "code"), FLAGS)
def test_a_bad_identifier_is_flagged_and_told(fields, code):
    extraction = extract(f"@article{{k, title = {{T}}, {fields}}}")
    assert extraction.references[0].suspicious == (code,)
    assert extraction.problems[0].place.line == 1
    assert extraction.problems[0].hint


IDENTIFIERS = [
    ("issn = {0018-8646 (print), 2151-8556 (electronic)}", [("issn", "0018-8646"), ("issn", "2151-8556")]),
    ("isbn = {0262035618 9780262035613}", [("isbn", "9780262035613")]),
    ("isbn = {????}", []),
    (r"isbn = {1367-4811 (Electronic)$\backslash$r1367-4803 (Linking)}",
     [("issn", "1367-4811"), ("issn", "1367-4803")]),
    ("isbn = {10.1039/C6CP00415F}", [("doi", "10.1039/c6cp00415f")]),
    ("eprint = {2301.06916 [cs, stat]}", [("arxiv", "2301.06916")]),
    ("eprint = {0403500}, primaryclass = {astro-ph}", [("arxiv", "astro-ph/0403500")]),
    ("eprint = {1305.002}, archiveprefix = {ascl}", []),
    ("doi = {10/bqhp9z}", [("url", "https://doi.org/10/bqhp9z")]),
    ("doi = {10.1038/ nature14539}", [("doi", "10.1038/nature14539")]),
    ("doi = {10.1016/j.cell. 2020.01.001}", [("doi", "10.1016/j.cell.2020.01.001")]),
    ("doi = {10.1038/nature14539 (2015)}", [("doi", "10.1038/nature14539")]),
    (r"eprint = {\href{http://arxiv.org/abs/0901.4107}{arXiv:0901.4107}}", [("arxiv", "0901.4107")]),
    ("eprint = {1706. 03762}, archiveprefix = {arXiv}", [("arxiv", "1706.03762")]),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "pairs"), IDENTIFIERS)
def test_identifiers_as_people_write_them(fields, pairs):
    reference = one(fields)
    assert list(reference.claimed.ids.pairs) == pairs
    assert reference.suspicious == ()


@pytest.mark.parametrize("word", ["control", "set", "xdata", "IEEEtranBSTCTL"])
def test_what_is_no_work_is_no_reference(word):
    found = extract(f"@{word}{{a, title={{X}}, options={{1.7}}}}\n@article{{b, title={{Y}}, year=2011}}")
    assert [one.key for one in found.references] == ["b"]


def test_duplicate_keys_are_both_kept_and_told():
    extraction = extract("@book{k, title={A}}\n@book{K, title={B}}")
    assert [r.claimed.title for r in extraction.references] == ["A", "B"]
    [problem] = extraction.problems
    assert (problem.place.line, "line 1" in problem.message) == (2, True)


def test_a_broken_entry_is_a_located_problem_and_costs_no_other():
    extraction = extract("@book{a, title={A}}\n@article{k}\n@book{b, title={B}}")
    assert [r.key for r in extraction.references] == ["a", "b"]
    [problem] = extraction.problems
    assert problem.place.line == 2
    assert problem.hint


def test_crossref_gives_the_parents_fields():
    text = "@inproceedings{c, crossref={D}, title={C}, year={2004}}\n"
    text += "@proceedings{d, title={Proc D}, year=2003, publisher={ACM}}"
    claimed = extract(text).references[0].claimed
    assert (claimed.title, claimed.venue, claimed.year, claimed.publisher) == ("C", "Proc D", 2004, "ACM")


def test_an_entry_that_refers_to_itself_is_no_trap():
    assert extract("@book{c, crossref={c}, title={C}}").references[0].claimed.title == "C"


def test_an_entry_without_key_gets_a_number():
    assert extract("@book{title={C}}").references[0].key == "ref-1"


def test_every_problem_of_a_damaged_entry_has_a_mend():
    for text in (
        "@a{k, title={A} year=1}",
        "@a{k, title={A",
        "@a{k, x=jj}",
        "@a{title={A}}",
        "@a{k, t={A}, t={B}}",
        "@a{k}",
        "%@a{k, t={A}}",
    ):
        assert all(problem.hint for problem in extract(text).problems), text
        assert extract(text).problems, text


def test_kind_comes_from_the_entry():
    assert one("title = {T}", kind="phdthesis").kind is Kind.THESIS
