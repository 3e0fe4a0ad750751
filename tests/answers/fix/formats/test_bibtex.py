"""Edits of BibTeX: only the value that is wrong, in the style of the entry."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeproof.answers.fix.formats import bibtex
from citeproof.answers.fix.text_edits import apply_edits
from citeproof.reading.extractors.records.bibtex_fields import read_bibtex_fields
from citeproof.text.bibtex_scanner import BibtexEntry, scan_entries
from citeproof.vocabulary import Name
from tests.answers.fix.made import result, wanted


def _mend(text, *changes, newline="\n"):
    entry = bibtex.BibtexFile.read(text, newline).entries[-1]
    claimed = read_bibtex_fields(entry)[0]
    edit_entry = bibtex.open_references(text, newline)
    return edit_entry(entry.start, entry.end, [wanted(field, claimed, value) for field, value in changes])


def _mended(text, *changes, newline="\n"):
    return result(text, _mend(text, *changes, newline=newline))


# name, entry, field, new value, entry afterwards (or why it was left)
CASES = (
    ("added, aligned", "@misc{k,\n  title = {A},\n  year  = {2001},\n}", "doi", "10.1/x",
     "@misc{k,\n  title = {A},\n  year  = {2001},\n  doi   = {10.1/x},\n}"),
    ("added, no last comma", '@misc{k,\n\ttitle="A",\n\tyear="2001"\n}', "doi", "10.1/x",
     '@misc{k,\n\ttitle="A",\n\tyear="2001",\n\tdoi="10.1/x"\n}'),
    ("added, leading commas", "@misc{k\n , title = {A}\n , year = {1}\n }", "doi", "10.1/x",
     "@misc{k\n , title = {A}\n , year = {1}\n , doi = {10.1/x}\n }"),
    ("added, on one line", "@misc{k, title={A}, year={1}}", "doi", "10.1/x",
     "@misc{k, title={A}, year={1}, doi={10.1/x}}"),
    ("added, capitals", "@MISC{k,\n  TITLE = {A},\n  YEAR = 1\n}", "volume", "7",
     "@MISC{k,\n  TITLE = {A},\n  YEAR = 1,\n  VOLUME = 7\n}"),
    ("added, one field", "@misc{k,\n  title = {A}\n}", "pages", "1-9",
     "@misc{k,\n  title = {A},\n  pages = {1--9}\n}"),
    ("added behind a comment", "@misc{k,\n  title = {A}, % why\n  year = {1}, % so\n}", "doi", "10.1/x",
     "@misc{k,\n  title = {A}, % why\n  year = {1},\n  doi = {10.1/x}, % so\n}"),
    ("values in line", "@misc{k,\n  title=  {A},\n  year=   {1},\n}", "doi", "10.1/x",
     "@misc{k,\n  title=  {A},\n  year=   {1},\n  doi=    {10.1/x},\n}"),
    ("removed with its line", "@misc{k,\n  title = {A},\n  volume = {3},\n  year = {1}\n}", "volume", None,
     "@misc{k,\n  title = {A},\n  year = {1}\n}"),
    ("removed, the last", "@misc{k,\n  title = {A},\n  volume = {3}\n}", "volume", None,
     "@misc{k,\n  title = {A}\n}"),
    ("removed on one line", "@misc{k, title={A}, volume={3}, year={1}}", "volume", None,
     "@misc{k, title={A}, year={1}}"),
    ("removed, leading commas", "@misc{k\n , volume = {3}\n , title = {A}\n }", "volume", None,
     "@misc{k\n , title = {A}\n }"),
    ("bare number", "@misc{k, title={A}, volume = 41}", "volume", "42", "@misc{k, title={A}, volume = 42}"),
    ("bare number to a word", "@misc{k, title={A}, volume = 41}", "volume", "42A",
     "@misc{k, title={A}, volume = {42A}}"),
    ("number field", "@misc{k, title={A}, number={3}}", "issue", "4", "@misc{k, title={A}, number={4}}"),
    ("macro", '@string{n="Nature"}@string{s={Science}}@misc{k, title={A}, journal=n}', "venue", "Science",
     '@string{n="Nature"}@string{s={Science}}@misc{k, title={A}, journal=s}'),
    ("macro without another", '@string{n="Nature"}@misc{k, title={A}, journal=n}', "venue", "Science",
     '@string{n="Nature"}@misc{k, title={A}, journal={Science}}'),
    ("joined", '@misc{k, title={A}, journal="Nat" # "ure"}', "venue", "Science",
     "@misc{k, title={A}, journal={Science}}"),
    ("undefined macro elsewhere", "@misc{k, title={A}, journal=nat, year={1999}}", "year", 2001,
     "@misc{k, title={A}, journal=nat, year={2001}}"),
    ("quotes in a quoted value", '@misc{k, title={A}, journal="Nat"}', "venue", 'The "Q" Review',
     '@misc{k, title={A}, journal={The "Q" Review}}'),
    ("year in a date", "@misc{k, title={A}, date={1999-05-03}}", "year", 2001,
     "@misc{k, title={A}, date={2001-05-03}}"),
    ("year with a letter", "@misc{k, title={A}, year={1999a}}", "year", 2001,
     "@misc{k, title={A}, year={2001a}}"),
    ("pages keep their dash", "@misc{k, title={A}, pages={3-9}}", "pages", "5-9",
     "@misc{k, title={A}, pages={5-9}}"),
    ("pages keep what follows", "@misc{k, title={A}, pages={4--9, 12}}", "pages", "3-9",
     "@misc{k, title={A}, pages={3--9, 12}}"),
    ("doi in an address", "@misc{k, title={A}, doi={https://doi.org/10.1000/AB.17}}", "doi", "10.1000/ab.19",
     "@misc{k, title={A}, doi={https://doi.org/10.1000/AB.19}}"),
    ("doi in two fields", "@misc{k, title={A}, doi={10.1000/a7}, url={https://doi.org/10.1000/a7}}", "doi",
     "10.1000/a9", "@misc{k, title={A}, doi={10.1000/a9}, url={https://doi.org/10.1000/a9}}"),
    ("doi that is to go", "@misc{k, title={A}, doi={10.1000/a7}, year={1}}", "doi", None,
     "@misc{k, title={A}, year={1}}"),
    ("doi to go out of a remark", "@misc{k, title={A}, note={see 10.1000/a7}}", "doi", None,
     "doi 10.1000/a7 is in note; remove it by hand"),
    ("arxiv", "@misc{k, title={A}, eprint={1706.03762}}", "arxiv", "1706.03763",
     "@misc{k, title={A}, eprint={1706.03763}}"),
    ("title in double braces", "@misc{k, title={{Deep Learnt of Nets}}}", "title", "Deep Learning of Nets",
     "@misc{k, title={{Deep Learning of Nets}}}"),
    ("title word with capitals", "@misc{k, title={A {GAN} for Nets}}", "title", "A GAN for CNNs",
     "@misc{k, title={A {GAN} for {CNNs}}}"),
    ("title with subtitle", "@misc{k, title={Deep Nots}, subtitle={A View}}", "title", "Deep Nets: A View",
     "@misc{k, title={Deep Nets}, subtitle={A View}}"),
    ("title as a macro", "@string{t={B}}@misc{k, title=t}", "title", "Deep learning",
     "@string{t={B}}@misc{k, title={Deep learning}}"),
    ("type", "@Misc{k, title={A}}", "type", "article", "@Article{k, title={A}}"),
    ("type in capitals", "@MISC{k, title={A}}", "type", "inproceedings", "@INPROCEEDINGS{k, title={A}}"),
    ("hostile venue", "@misc{k, title={A}, journal={N}}", "venue", "}\\input x\n@misc y",
     "@misc{k, title={A}, journal={\\textbraceright{}\\textbackslash{}input x @misc y}}"),
    ("hostile doi", "@misc{k, title={A}}", "doi", "10.1/x},evil={",
     "@misc{k, title={A}, doi={10.1/x\\%7D,evil=\\%7B}}"),
    ("damaged", "@misc{k, title={A}, year={1999}\n", "year", 2001,
     "the entry is damaged; fix it by hand first"),
    ("accents in ASCII", "@misc{k, title={A}, author={Doe, Jo and Roe, Al}}", "authors",
     (Name("Doe", "Jo"), Name("Müller", "Bo")), '@misc{k, title={A}, author={Doe, Jo and M{\\"u}ller, Bo}}'),
    ("Unicode", "@misc{k, title={Ä}, author={Doe, Jo and Roe, Al}}", "authors",
     (Name("Doe", "Jo"), Name("Müller", "Bo")), "@misc{k, title={Ä}, author={Doe, Jo and Müller, Bo}}"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "field", "value", "expected"), [c[1:] for c in CASES], ids=[c[0] for c in CASES]
)
def test_mended(text, field, value, expected):
    assert _mended(text, (field, value)) == expected


PAGES = (
    ("1--8", "770-778", "770--778"),
    ("134--49", "131-149", "131--149"),
    ("771--8", "770-778", "770--778"),
    ("1--8", "e770-e778", "e770--e778"),
    ("e12--15", "e11-e15", "e11--e15"),
    ("e12--15", "e115", "e115"),
    ("S1--9", "S2-S9", "S2--S9"),
    ("S1--S9", "2-9", "2--9"),
    ("D865--72", "D861-D872", "D861--D872"),
    ("104532", "770-778", "770--778"),
    ("14:1--14:20", "14:1-14:21", "14:1--14:21"),
    ("14:1--14:20", "770-778", "770--778"),
    ("1.1--1.8", "770-778", "770--778"),
    ("1234567890--99", "770-778", "770--778"),
    ("1--8--9", "770-778", "770--778"),
    ("1--8+", "770-778", "770--778+"),
    ("12, 15--18", "12-18", None),
)


@pytest.mark.parametrize(("old", "record", "new"), PAGES, ids=[f"{c[0]} {c[1]}" for c in PAGES])
def test_pages_are_those_of_the_record_in_full(old, record, new):
    text = "@misc{k, title={A}, pages={%s}}"
    told = "the pages are a list; write them by hand"
    assert _mended(text % old, ("pages", record)) == (text % new if new else told)


def test_a_macro_that_is_replaced_is_said():
    [made] = _mend('@string{n="Nature"}@misc{k, title={A}, journal=n}', ("venue", "Science"))
    assert made.note == "it was n"


def test_several_fields_in_one_entry():
    text = "@misc{k,\r\n  title = {A},\r\n  year = {1999}\r\n}\r\n"
    changes = (("year", 2001), ("volume", "7"), ("doi", "10.1/x"))
    assert _mended(text, *changes, newline="\r\n") == (
        "@misc{k,\r\n  title = {A},\r\n  year = {2001},\r\n  volume = {7},\r\n  doi = {10.1/x}\r\n}\r\n"
    )


STYLES = st.tuples(
    st.sampled_from(["  ", "\t", ""]),  # indent
    st.sampled_from([" = ", "=", " =   "]),
    st.sampled_from([("{", "}"), ('"', '"')]),
    st.booleans(),  # a comma behind the last field
    st.sampled_from(["\n", "\r\n", " "]),
)
VALUES = {"title": "Deep learning", "journal": "Nature", "volume": "521", "pages": "1--9", "year": "2015"}
CHANGES = {
    "title": "Deep thinking",
    "venue": "Science",
    "volume": "7",
    "pages": "3-9",
    "year": 2001,
    "issue": "4",
}
FIELDS = {"venue": "journal", "issue": "number"}


@given(STYLES, st.permutations(list(VALUES)), st.sets(st.sampled_from(sorted(CHANGES)), min_size=1))
def test_any_style_keeps_all_that_is_not_changed(style, order, fields):
    indent, equals, (opened, closed), last, newline = style
    rows = [f"{indent}{name}{equals}{opened}{VALUES[name]}{closed}" for name in order]
    own = f"@article{{k,{newline}{f',{newline}'.join(rows)}{',' if last else ''}{newline}}}"
    text = f"% before\n@misc{{first, note={{x}}}}\n{own}"
    made = _mend(
        text, *((name, CHANGES[name]) for name in sorted(fields)), newline=newline.strip(" ") or "\n"
    )
    new = apply_edits(text, [edit for one in made for edit in one.edits])
    before, after = (list(scan_entries(each)) for each in (text, new))
    assert all(isinstance(entry, BibtexEntry) and not entry.problems for entry in after)
    assert after[0] == before[0]
    expected = dict(before[1].fields)
    for name in fields:
        value = "3--9" if name == "pages" else str(CHANGES[name])
        expected[FIELDS.get(name, name)] = value
    assert after[1].fields == expected
    kept = [
        row for name, row in zip(order, rows, strict=True) if name not in {FIELDS.get(f, f) for f in fields}
    ]
    assert all(row in new for row in kept)
