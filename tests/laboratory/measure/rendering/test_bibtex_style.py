"""What is written in any habit is read back by our own extractor as it was."""

from __future__ import annotations

from dataclasses import replace

import pytest

from citeproof.laboratory.measure.makers.benchmark_items import CitationFields
from citeproof.laboratory.measure.rendering import load_styles
from citeproof.laboratory.measure.rendering.rendered_entry import BibtexStyle, load_bibtex_styles
from citeproof.reading.extractors.bibtex import EXTRACTOR
from citeproof.text.names import fold_given_words, fold_whole_family
from citeproof.text.pages import normalise
from citeproof.text.title import make_title_key
from citeproof.vocabulary import Claimed, Document, Ids, Name
from tests.laboratory.measure.rendering.works import BY_NAME, WORKS

HABITS = {style.name: style for style in load_bibtex_styles()}
HOSTILE = replace(
    BY_NAME["mind"],
    title='50% of {R}&D_1: the "C#" case, $5 ~ \\input{x} @article{y,',
    people=(Name("O’Neil, and Sons", "Émile"), Name("Ng", "A."), Name("Research and Development Group")),
    ids=Ids((("doi", "10.1000/a_b%7b(1)<2>#x"), ("arxiv", "2105.02667"))),
)


def read(text: str) -> Claimed:
    """Return what the entry claims; it must be one entry, with nothing wrong in it."""
    found = EXTRACTOR.extract(Document("refs.bib", text.encode()))
    assert not [problem.message for problem in found.problems], text
    (reference,) = found.references
    assert reference.claimed is not None
    return reference.claimed


def same_people(style: BibtexStyle, cited: CitationFields, claimed: Claimed) -> bool:
    """Return whether the names are the same, up to initials and where the list was cut."""
    most = style.habit.most or len(cited.people)
    pairs = list(zip(cited.people[:most], claimed.authors, strict=True))
    initials = all(
        [w[0] for w in fold_given_words(true)][: len(fold_given_words(read))]
        == [w[0] for w in fold_given_words(read)]
        for true, read in pairs
    )
    families = [fold_whole_family(true) == fold_whole_family(read) for true, read in pairs]
    return all(families) and initials and claimed.et_al == (len(cited.people) > most)


def agrees(style: BibtexStyle, cited: CitationFields) -> None:
    """Assert that an entry is read back as it was cited."""
    text = style.render(cited)
    claimed = read(text)
    assert make_title_key(claimed.title or "") == make_title_key(cited.title), text
    assert same_people(style, cited, claimed), text
    assert claimed.year == cited.year, text
    for scheme, name in (("doi", "doi"), ("arxiv", "eprint")):
        if name in style.habit.order and (value := cited.ids.first(scheme)):
            assert value in claimed.ids.all(scheme), text
    if "pages" in style.habit.order and cited.pages:
        assert claimed.pages == normalise(cited.pages), text


@pytest.mark.parametrize("style", HABITS.values(), ids=HABITS)
def test_entries_are_read_back(style):
    for work in WORKS:
        agrees(style, work)


@pytest.mark.parametrize("style", HABITS.values(), ids=HABITS)
def test_what_tex_acts_on_does_not_break_an_entry(style):
    text = style.render(HOSTILE, "key, @x{")
    claimed = read(text)
    assert len(claimed.authors) == 3, text
    assert [name.family for name in claimed.authors][1] == "Ng"
    assert claimed.year == 1950
    assert "50% of R&D_1" in (claimed.title or "")


@pytest.mark.parametrize(
    ("habit", "work", "expected"),
    [
        ("bibtex:dblp", "ricci", "  journal      = {CoRR},\n  volume       = {abs/math/0211159},\n"),
        ("bibtex:scholar", "attention", "journal={arXiv preprint arXiv:1706.03762}"),
        ("bibtex:scholar", "attention", "@article{vaswani2017attention,\n"),
        ("bibtex:typed", "attention", "howpublished = {arXiv:1706.03762}"),
        ("bibtex:inspire", "higgs", 'eprint = "1207.7214",\n    archivePrefix = "arXiv"'),
        ("bibtex:inspire", "planar", 'journal = "Nucl. Phys. B"'),
        ("bibtex:mendeley", "tsne", "title = {{Visualizing Data using t-SNE}}"),
        ("bibtex:anthology", "tsne", 'title = "Visualizing {D}ata using t-{SNE}"'),
        ("bibtex:ieee", "bert", "@INPROCEEDINGS{Devlin2019,\n"),
        ("bibtex:jabref", "bert", "@InProceedings{Devlin2019,\n"),
        ("bibtex:zotero", "dna", "{watson_molecular_1953,\n\ttitle = {Molecular"),
        ("bibtex:typed", "dna", "author = {J. D. Watson and F. H. C. Crick}"),
        ("bibtex:pubmed", "prospect", "Author = {Kahneman, D. and Tversky, A.}"),
        ("bibtex:typed-short", "pagerank", "Brin, Sergey and Motwani, Rajeev and others}"),
        ("bibtex:typed", "mind", "year = 1950,\n"),
        ("bibtex:elsevier", "mind", "doi = {https://doi.org/10.1093/mind/lix.236.433}"),
        ("bibtex:one-line", "mind", "doi = {http://dx.doi.org/10.1093/mind/lix.236.433}"),
        ("bibtex:acm", "mind", "@article{10.1093/mind/lix.236.433,"),
        ("bibtex:dblp", "gödel", r"title        = {{\"U}ber formal unentscheidbare S{\"a}tze der"),
        ("bibtex:zotero", "gödel", "title = {Über formal"),
        ("bibtex:dblp", "rest", "@phdthesis{"),
        ("bibtex:dblp", "rest", "school       = {University of California, Irvine}"),
        ("bibtex:scholar", "pdp", "@incollection{rumelhart1986learning,"),
        ("bibtex:scholar", "pagerank", "institution={Stanford InfoLab}"),
        ("bibtex:dblp", "month", "author       = {Brooks, Jr., Frederick P.}"),
        ("bibtex:dblp", "higgs", "author       = {{ATLAS Collaboration}}"),
    ],
)  # fmt: skip
def test_habits(habit, work, expected):
    assert expected in HABITS[habit].render(BY_NAME[work])


def test_a_given_key_is_kept_and_every_style_is_of_its_form():
    assert all("{given:2001," in style.render(WORKS[0], "given:2001") for style in load_styles("bibtex"))
    assert {style.form for style in load_styles("bibtex")} == {"bibtex"}
