"""The BibTeX scanner: reads what BibTeX reads, and loses nothing of what is damaged."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.growth import grows_linearly
from tests.soak import choose_cases

from citeproof.text.bibtex_scanner import BibtexEntry, BrokenEntry, find_entry_kind, scan_entries
from citeproof.vocabulary import Kind

NEXT = "\n@book{b, title = {Beta}}"

# name, damaged text, fields that must be read, a word of the problem ("" = none)
DAMAGED = [
    ("sound", "@article{k, title = {Alpha}, year = 2001}", {"title": "Alpha", "year": "2001"}, ""),
    (
        "missing comma",
        "@article{k, title = {Alpha} year = 2001}",
        {"title": "Alpha", "year": "2001"},
        "missing comma",
    ),
    (
        "missing comma, quotes",
        '@article{k, title = "Alpha"\n year = "2001"}',
        {"title": "Alpha", "year": "2001"},
        "missing comma",
    ),
    (
        "unclosed brace",
        "@article{k, title = {Alpha, year = 2001,\n author = {Bob}\n}\n",
        {"title": "Alpha", "year": "2001", "author": "Bob"},
        "do not fit",
    ),
    (
        "unclosed inner brace",
        "@article{k,\n title = {Alpha {N},\n year = 2001\n}",
        {"title": "Alpha {N}", "year": "2001"},
        "do not fit",
    ),
    (
        "unclosed quote",
        '@article{k, title = "Alpha,\n year = 2001\n}',
        {"title": "Alpha", "year": "2001"},
        "do not fit",
    ),
    (
        "brace too many",
        "@article{k,\n title = {Alpha}},\n year = {2001}\n}",
        {"title": "Alpha", "year": "2001"},
        "do not fit",
    ),
    (
        "entry not closed",
        "@article{k,\n title = {Alpha},\n year = {2001},\n",
        {"title": "Alpha", "year": "2001"},
        "do not fit",
    ),
    ("no opening brace", "@article k, title = {Alpha}}", {"title": "Alpha"}, "no opening brace"),
    ("no opening brace, glued", "@articlek,\n title = {Alpha}\n}", {"title": "Alpha"}, "no opening brace"),
    (
        "no equals sign",
        "@article{k,\n title {Alpha},\n year = 2001}",
        {"title": "Alpha", "year": "2001"},
        "do not fit",
    ),
    (
        "value not opened",
        "@article{k,\n title = Al pha},\n year = 2001}",
        {"title": "Al pha", "year": "2001"},
        "do not fit",
    ),
    ("no key", "@article{title = {Alpha}, year = 2001}", {"title": "Alpha", "year": "2001"}, "no key"),
    ("empty key", "@article{, title = {Alpha}}", {"title": "Alpha"}, "no key"),
    (
        "no comma after key",
        "@article{k\n title = {Alpha}, year = 2001}",
        {"title": "Alpha", "year": "2001"},
        "after the key",
    ),
    ("field twice", "@article{k, title = {Alpha}, title = {Gamma}}", {"title": "Alpha"}, "given twice"),
    (
        "bare words",
        "@article{k, title = Alpha Omega, year = 2001}",
        {"title": "Alpha Omega", "year": "2001"},
        "do not fit",
    ),
    (
        "undefined macro",
        "@article{k, title = {Alpha}, journal = jacm}",
        {"title": "Alpha", "journal": "jacm"},
        "undefined @string",
    ),
    ("doubled commas", "@article{k, title = {Alpha},, year = 2001,}", {"title": "Alpha", "year": "2001"}, ""),
    ("parentheses", "@article(k, title = {Alpha}, year = 2001)", {"title": "Alpha", "year": "2001"}, ""),
    (
        "escaped quote",
        r'@article{k, title = "Alph\"a", year = 2001}',
        {"title": r"Alph\"a", "year": "2001"},
        "",
    ),
    (
        "quote in braces",
        r'@article{k, title = "M{\"u}ller", year = 2001}',
        {"title": r"M{\"u}ller", "year": "2001"},
        "",
    ),
    (
        "deep braces",
        "@article{k, title = {a{b{c{d{e{f}}}}}}, year = 2001}",
        {"title": "a{b{c{d{e{f}}}}}", "year": "2001"},
        "",
    ),
    (
        "concatenation",
        '@article{k, title = "Al" # {pha}, month = jan # "~1"}',
        {"title": "Alpha", "month": "January~1"},
        "",
    ),
    (
        "line breaks",
        "@article{k,\r\n title = {Alpha\r\n   Omega},\r\n year = 2001}",
        {"title": "Alpha Omega", "year": "2001"},
        "",
    ),
    (
        "capitals and spaces",
        "@ARTICLE {k , TITLE= {Alpha} , Year =2001 }",
        {"title": "Alpha", "year": "2001"},
        "",
    ),
    ("comment line inside", "@article{k,\n % a note\n title = {Alpha}}", {"title": "Alpha"}, ""),
    ("percent before", "%@article{k, title = {Alpha}}", {"title": "Alpha"}, "% before it"),
]


@pytest.mark.parametrize(("name", "text", "fields", "problem"), DAMAGED, ids=[row[0] for row in DAMAGED])
def test_a_damaged_entry_keeps_its_fields_and_the_next_survives(name, text, fields, problem):
    first, second = list(scan_entries(text + NEXT))
    assert isinstance(first, BibtexEntry)
    assert first.fields == fields
    assert problem in " ".join(first.problems)
    assert bool(first.problems) is bool(problem)
    assert (second.key, second.fields) == ("b", {"title": "Beta"})
    assert second.problems == ()


BROKEN = [
    ("@article{k}", "readable fields"),
    ("@article{}", "readable fields"),
]


@pytest.mark.parametrize(("text", "message"), BROKEN)
def test_what_cannot_be_read_is_reported_and_costs_no_other(text, message):
    first, second = list(scan_entries(text + NEXT))
    assert isinstance(first, BrokenEntry)
    assert message in first.message
    assert second.fields == {"title": "Beta"}


def test_entries_on_one_line_come_apart_even_when_the_first_is_unclosed():
    entries = list(
        scan_entries("@article{k, title={Alpha, year=2001} @book{b, title={Beta}} @book{c, title={Gamma}}")
    )
    assert [entry.key for entry in entries] == ["k", "b", "c"]
    assert [entry.fields["title"] for entry in entries] == ["Alpha", "Beta", "Gamma"]


def test_macros_comments_and_preambles():
    text = '@string{jacm = "J. ACM"}\n@STRING(x = {y})\n@preamble{"\\def\\x{}"}\n'
    text += "@comment{\n@article{hidden, title={No}}\n}\n"
    [entry] = scan_entries(text + "@article{k, journal = jacm # x, title = {T}}")
    assert entry.fields == {"journal": "J. ACMy", "title": "T"}


def test_a_commented_out_block_line_by_line_is_silent():
    assert list(scan_entries("%@article{k,\n% title = {Hidden}\n%}\n")) == []


def test_duplicate_keys_are_both_kept():
    assert [e.fields["title"] for e in scan_entries("@book{k, title={A}}\n@book{k, title={B}}")] == ["A", "B"]


def test_places():
    text = "\n  @article{k,\n title = {A}\n}\n@book{b, title={B}}"
    first, second = scan_entries(text)
    assert (first.line, first.column, first.end_line) == (2, 3, 4)
    assert (second.line, second.column, second.end_line) == (5, 1, 5)
    assert text[first.start : first.end] == first.raw == "@article{k,\n title = {A}\n}"


def test_old_macintosh_line_ends():
    assert [e.line for e in scan_entries("@book{a, title={A}}\r@book{b, title={B}}")] == [1, 2]


KINDS = [
    ("@article{k, journal={Nature}}", Kind.ARTICLE),
    ("@inproceedings{k, booktitle={CVPR}}", Kind.ARTICLE),
    ("@article{k, journal={arXiv preprint arXiv:1606.06565}}", Kind.PREPRINT),
    ("@article{k, journal={CoRR}}", Kind.PREPRINT),
    ("@misc{k, eprint={1606.06565}, archiveprefix={arXiv}}", Kind.PREPRINT),
    ("@misc{k, howpublished={\\url{https://github.com/a/b}}}", Kind.SOFTWARE),
    ("@misc{k, note={Technical report}}", Kind.REPORT),
    ("@misc{k, howpublished={NBER Working Paper 123}}", Kind.REPORT),
    ("@article{k, journal={IZA Discussion Papers}}", Kind.REPORT),
    ("@misc{k, note={private communication}}", Kind.PERSONAL_COMMUNICATION),
    ("@misc{k, url={https://example.org}}", Kind.WEB_PAGE),
    ("@misc{k, title={T}}", Kind.UNKNOWN),
    ("@phdthesis{k, title={T}}", Kind.THESIS),
    ("@incollection{k, title={T}}", Kind.CHAPTER),
    ("@online{k, title={T}}", Kind.WEB_PAGE),
]


@pytest.mark.parametrize(("text", "kind"), KINDS)
def test_kinds(text, kind):
    [entry] = scan_entries(text)
    assert find_entry_kind(entry) is kind


TOKENS = st.lists(
    st.sampled_from(
        [
            "@article{",
            "@book(",
            "k,",
            "title",
            " = ",
            "{",
            "}",
            '"',
            ",",
            "#",
            "%",
            "\n",
            "Alpha",
            "2001",
            "@",
            "\\",
            " ",
            ")",
        ]
    ),
    max_size=40,
)


@given(TOKENS)
def test_no_text_stops_the_scanner_or_hides_a_sound_entry(tokens):
    found = list(scan_entries("".join(tokens) + NEXT))
    commented = "@comment" in "".join(tokens)
    assert commented or any(isinstance(e, BibtexEntry) and e.fields.get("title") == "Beta" for e in found)


@given(TOKENS)
def test_places_are_in_order_and_in_the_text(tokens):
    text = "".join(tokens) + NEXT
    last = 0
    for item in scan_entries(text):
        assert last <= item.start < item.end <= len(text)
        assert item.line == text.count("\n", 0, item.start) + 1
        last = item.start


HOSTILE = [
    "@a{b,c={ ",
    "{",
    "}",
    "@a{",
    "@a(",
    "@comment{\n",
    "@article{k,\n\n\n",
    '@a{b,c="',
    "@a{b,      ",
    "title = {",
    '"',
    "%",
    "@",
]


@pytest.mark.growth
@pytest.mark.parametrize("unit", choose_cases(HOSTILE))
def test_scanning_is_linear(unit):
    assert grows_linearly(lambda size: list(scan_entries("@article{k, title={x " + (unit * size)[:size])))
