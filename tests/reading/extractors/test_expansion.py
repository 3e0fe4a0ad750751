r"""What BibTeX and LaTeX may expand to: `@string`, `crossref`, `\input`, keys that many entries share."""

import pytest

from citeproof.errors import InputError
from citeproof.reading.extractors import bibtex, decoded_text
from citeproof.reading.extractors.base import load_extractors
from citeproof.reading.extractors.latex import EXTRACTOR, latex_source
from citeproof.reading.extractors.latex.latex_source import MAX_NAMES
from citeproof.reading.extractors.records import cited_keys
from citeproof.reading.extractors.records.adjacent_files import FolderFiles
from citeproof.reading.extractors.records.cited_keys import MAX_LIBRARIES
from citeproof.text.bibtex_value import MAX_EXPANDED, MAX_JOINED
from citeproof.vocabulary import Document
from tests.growth import grows_linearly
from tests.reading.extractors.folder import Files


def bib(text):
    return bibtex.EXTRACTOR.extract(Document("refs.bib", text.encode()))


def tex(body, **files):
    return Document("main.tex", body.encode(), Files({"main.tex": body.encode(), **files}))


def doubled(count):
    lines = [f"@string{{a{n} = a{n - 1} # a{n - 1}}}\n" for n in range(1, count)]
    return '@string{a0 = "twenty characters ab"}\n' + "".join(lines)


@pytest.mark.parametrize(("count", "cut"), [(12, False), (14, True), (60, True), (600, True)])
def test_doubled_strings_are_cut_and_told_where_they_are_used(count, cut):
    text = (
        f"{doubled(count)}@misc{{k, title = a{count - 1}}}\n@misc{{good, title = {{A title}}, month = jan}}"
    )
    found = bib(text)
    assert [one.key for one in found.references] == ["k", "good"]
    assert len(found.references[0].claimed.title or "") <= MAX_JOINED
    assert found.references[1].claimed.title == "A title"
    told = [(one.place.line, one.message) for one in found.problems]
    assert [line for line, message in told if "@strings" in message] == [count + 1] * cut
    assert all(one.hint for one in found.problems)


def test_a_long_string_that_is_used_often_is_left_out_in_the_end():
    uses = 2 * MAX_EXPANDED // MAX_JOINED
    found = bib(
        f"@string{{j = {{{'ab ' * (MAX_JOINED // 3)}}}}}\n"
        + "".join(f"@misc{{k{n}, title = {{T {n}}}, journal = j}}\n" for n in range(uses))
    )
    assert [one.claimed.title for one in found.references] == [f"T {n}" for n in range(uses)]
    with_venue = sum(one.claimed.venue is not None for one in found.references)
    assert uses // 2 - 2 <= with_venue <= uses // 2 + 2
    assert len(found.problems) == uses - with_venue


def test_ordinary_strings_may_be_used_as_often_as_a_file_likes():
    found = bib(
        "@string{j = {Journal of Trees}}\n"
        + "".join(f"@misc{{k{n}, title = {{T}}, journal = j, month = jan}}\n" for n in range(3_000))
    )
    assert {one.claimed.venue for one in found.references} == {"Journal of Trees"}
    assert found.problems == ()


def test_a_long_parent_is_not_taken_over_without_end(monkeypatch):
    monkeypatch.setattr(bibtex, "_MAX_INHERITED", 1_000)
    parent = f"@proceedings{{p, title = {{{'Trees ' * 2_000}}}, year = 2001}}"
    children = "".join(f"@inproceedings{{k{n}, title = {{T}}, crossref = {{p}}}}\n" for n in range(60))
    *found, _ = bib(children + parent).references
    years = [one.claimed.year for one in found]
    assert years[:10] == [2001] * 10
    assert years[-10:] == [None] * 10
    assert "too long" in bib(children + parent).problems[0].message


@pytest.mark.growth
def test_many_entries_of_one_key_grow_linearly():
    head = "\\begin{thebibliography}{9}"
    assert grows_linearly(lambda size: EXTRACTOR.extract(tex(head + "\\bibitem{k} Abcd\n" * (size // 10))))


@pytest.mark.growth
def test_forms_of_a_key_times_entries_of_that_key_grow_linearly():
    def work(size):
        forms = [
            "".join(c.upper() if n >> at & 1 else c for at, c in enumerate("abcdefghijkl"))
            for n in range(size)
        ]
        cited = "".join(f"See \\cite{{{one}}}. " for one in forms)
        listed = "\\begin{thebibliography}{9}" + "\\bibitem{abcdefghijkl} A\n" * size
        return EXTRACTOR.extract(tex(cited + listed))

    assert grows_linearly(work, 500, 2_000)


@pytest.mark.growth
def test_open_entries_of_a_compiled_bibliography_grow_linearly():
    unit = "\\entry{k%d}{article}{}\\field{title}{A title}\n"
    assert grows_linearly(
        lambda size: EXTRACTOR.extract(tex("".join(unit % n for n in range(size)))), 1_000, 4_000
    )


def test_a_file_that_includes_itself_is_looked_for_once():
    document = tex("\\input{main}\n" * 1_000 + "\\input{absent}\n" * 1_000)
    found = EXTRACTOR.extract(document)
    assert len(document.beside.asked) < 10
    assert sum("includes itself" in one.message for one in found.problems) == 1_000
    assert sum("does not exist" in one.message for one in found.problems) == 1_000


def test_a_bibliography_is_looked_for_once():
    document = tex("\\cite{a}" + "\\bibliography{absent,refs}\n" * 1_000, **{"refs.bib": b"\0\0"})
    found = EXTRACTOR.extract(document)
    assert len(document.beside.asked) < 10
    assert [one.message.partition(" ")[0] for one in found.problems].count("the") == 3


def test_too_many_names_are_refused():
    with pytest.raises(InputError) as raised:
        EXTRACTOR.extract(tex("".join(f"\\input{{a{n}}}" for n in range(MAX_NAMES + 1))))
    assert "more than 2,000 files" in raised.value.message
    assert raised.value.hint


def test_too_much_beside_the_document_is_refused(monkeypatch):
    monkeypatch.setattr(latex_source, "MAX_BYTES", 1_000)
    with pytest.raises(InputError, match="MB of files"):
        EXTRACTOR.extract(tex("\\input{a}\\input{b}", **{"a.tex": b"%" * 2_000, "b.tex": b"b"}))


def test_too_many_bibliographies_are_told():
    found = EXTRACTOR.extract(
        tex("\\cite{a}" + "".join(f"\\bibliography{{a{n}}}" for n in range(MAX_LIBRARIES + 9)))
    )
    assert [one.message for one in found.problems if "more than" in one.message] == [
        f"more than {MAX_LIBRARIES} bibliographies are named; the rest are not read"
    ]


def test_written_bibliographies_are_told_at_their_lines():
    text = "\\begin{filecontents}{a.bib}\n@book{x, title={T}}\n @book{y, title={U}}\\end{filecontents}\n"
    found = EXTRACTOR.extract(tex(f"% a\n{text}\\cite{{x,y}}\\bibliography{{a}}")).references
    assert [(one.key, one.place.line, one.place.column) for one in found] == [("x", 3, 1), ("y", 4, 2)]


SPELLINGS = ["r.bib", "d/r.bib", "d/d/r.bib", "d/d/d/r.bib"]
NAMING = {
    "latex": "\\documentclass{a}\\cite{x}" + "".join(f"\\bibliography{{{name}}}" for name in SPELLINGS),
    "markdown": f"---\nbibliography: [{', '.join(SPELLINGS)}]\n---\nSee [@x].\n",
    "typst": "#cite(<x>)\n" + "".join(f'#bibliography("{name}")\n' for name in SPELLINGS),
}


@pytest.mark.parametrize("form", NAMING)
def test_a_bibliography_of_many_names_is_read_once(form, tmp_path, monkeypatch):
    (tmp_path / "r.bib").write_text("@book{x, title={T}}")
    (tmp_path / "d").symlink_to(".")
    read = []
    monkeypatch.setattr(
        cited_keys,
        "read_library",
        lambda document, macros, real=cited_keys.read_library: (
            read.append(document.name) or real(document, macros)
        ),
    )
    found = load_extractors()[form].extract(Document("main", NAMING[form].encode(), FolderFiles(tmp_path)))
    assert read == ["r.bib"]
    assert [one.key for one in found.references] == ["x"]
    assert [one.message for one in found.problems if not one.note] == []


@pytest.mark.parametrize("form", NAMING)
def test_entries_of_all_bibliographies_are_bounded(form, tmp_path, monkeypatch):
    monkeypatch.setattr(decoded_text, "MAX_REFERENCES", 2)
    (tmp_path / "d").mkdir()
    (tmp_path / "r.bib").write_text("@book{x, title={T}}")
    (tmp_path / "d" / "r.bib").write_text("@book{y, title={T}}@book{z, title={T}}")
    found = load_extractors()[form].extract(Document("main", NAMING[form].encode(), FolderFiles(tmp_path)))
    assert any("more than 2 references" in one.message for one in found.problems)
    assert [one.key for one in found.references] == ["x"]


@pytest.mark.parametrize(
    "text",
    [
        "---\nbibliography: [" + ", ".join(f"a{n}.bib" for n in range(MAX_LIBRARIES + 9)) + "]\n---\n[@x]\n",
        "#cite(<x>)\n" + "".join(f'#bibliography("a{n}.bib")\n' for n in range(MAX_LIBRARIES + 9)),
    ],
    ids=["markdown", "typst"],
)
def test_too_many_bibliographies_are_told_in_markdown_and_typst(text):
    form = "markdown" if text.startswith("---") else "typst"
    found = load_extractors()[form].extract(Document("main", text.encode(), Files({})))
    assert sum("more than 500 bibliographies are named" in one.message for one in found.problems) == 1
    assert not any(f"a{MAX_LIBRARIES}.bib" in one.message for one in found.problems)
