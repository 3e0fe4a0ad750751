"""What recorded answers of registries showed, a row a defect."""

import pytest
from lxml import etree

from citeproof.evidence.sources import ads, europe_pmc
from citeproof.evidence.upstream_records import json_fields, marc, medline
from citeproof.text import ids, names
from citeproof.text.title import clean, strip_notice
from citeproof.vocabulary import Name

BOOK = """<PubmedBookArticle><BookDocument><PMID>20301577</PMID><Book><BookTitle>GeneReviews</BookTitle>
<PubDate><Year>1993</Year></PubDate></Book><ArticleTitle>A Disease</ArticleTitle>
<ContributionDate><Year>2005</Year></ContributionDate><DateRevised><Year>2021</Year></DateRevised>
</BookDocument></PubmedBookArticle>"""
ARTICLE = """<PubmedArticle><MedlineCitation><PMID>11540070</PMID><Article><Journal>
<JournalIssue><PubDate><Year>1996</Year></PubDate></JournalIssue>
<Title>Life support &amp; biosphere science</Title>
<ISOAbbreviation>Life Support Biosph Sci</ISOAbbreviation></Journal>
<ArticleTitle>A study</ArticleTitle></Article>
<MedlineJournalInfo><MedlineTA>Life Support Biosph Sci (2)</MedlineTA></MedlineJournalInfo>
</MedlineCitation></PubmedArticle>"""


def test_a_journal_is_known_by_its_abbreviations():
    found = medline.make_record(etree.fromstring(ARTICLE))
    assert [(v.year, v.venue) for v in found.versions] == [
        (1996, "Life support & biosphere science"),
        (1996, "Life Support Biosph Sci"),
        (1996, "Life Support Biosph Sci (2)"),
    ]
    journal = {"title": "Nucleic acids research", "isoabbreviation": "Nucleic Acids Res"}
    item = {
        "id": "1",
        "source": "MED",
        "title": "T",
        "journalInfo": {"journal": journal, "yearOfPublication": 2013},
    }
    assert [v.venue for v in europe_pmc.make_record(item).versions] == [
        "Nucleic acids research",
        "Nucleic Acids Res",
    ]


def test_a_chapter_of_an_online_book_has_dates_of_its_own():
    assert [v.year for v in medline.make_book_record(etree.fromstring(BOOK)).versions] == [1993, 2005, 2021]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Snove O Jr", Name("Snove", "O.", "Jr")),
        ("Zech Xu Z", Name("Zech Xu", "Z.")),
        ("van Leenders GJLH", Name("van Leenders", "G. J. L. H.")),
        ("Li J-P", Name("Li", "J. P.")),
        ("ATLAS Collaboration", Name("ATLAS Collaboration", collective=True)),
        ("Madonna", Name("Madonna")),
    ],
)
def test_initials_stand_last(text, name):
    assert json_fields.parse_family_first(text) == name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Aerts HJWL", Name("Aerts", "H. J. W. L.")),
        ("SMITH JOHN", Name("JOHN", "SMITH")),
        ("Nicolas Hulscher, BS", Name("Hulscher", "Nicolas")),
        ("Smith, MA", Name("Smith", "MA")),
    ],
)
def test_initials_and_degrees_are_no_names(text, name):
    assert names.parse(text) == name


def test_four_initials_come_apart():
    assert names.fold_given_words(Name("Teixeira", "AVNC")) == ("a", "v", "n", "c")
    assert names.fold_given_words(Name("SMITH", "JOHN")) == ("john",)


@pytest.mark.parametrize(
    ("title", "bare"),
    [
        ("RETRACTED ARTICLE: A study of cells", "A study of cells"),
        ("Withdrawn: A study", "A study"),
        ("[A study (author's transl)]", "[A study (author's transl)]"),
        ("A study of cells (author's transl)", "A study of cells"),
        ("Retracted articles and why they live on", "Retracted articles and why they live on"),
        ("RETRACTED: ", "RETRACTED: "),
    ],
)
def test_a_cited_title_is_the_work_s_own(title, bare):
    assert strip_notice(title) == bare


@pytest.mark.parametrize(
    ("code", "normal"),
    [
        ("2016emo6.rept.....R", "2016emo6.rept.....R"),
        ("https://ui.adsabs.harvard.edu/abs/2016emo6.rept.....R/abstract", "2016emo6.rept.....R"),
        ("2016emo6.rept", None),
    ],
)
def test_bibcodes_with_digits(code, normal):
    assert ids.normalise_id("ads", code) == normal


def test_the_dot_at_the_end_of_a_bibcode_stays():
    assert ids.find_ids("http://adsabs.harvard.edu/abs/1991mlpd.conf..153.")[0][:2] == (
        "ads",
        "1991mlpd.conf..153.",
    )


def test_a_list_that_ends_in_dots_is_cut():
    item = {"bibcode": "2011IAUS..280P.295P", "title": ["T"], "author": ["Persson, M. V.", ", . . ."]}
    assert ads.make_record(item).authors_complete is False
    assert ads.make_record(item | {"author": ["Persson, M. V."]}).authors_complete is True


def test_tags_with_a_hyphen_go():
    title = (
        "Decay at <inline-formula><tex-math>13</tex-math></inline-formula> <ext-link href='x'>TeV</ext-link>"
    )
    assert clean(title) == "Decay at 13 TeV"


def test_thai_years_and_roles_in_short():
    fields_ = (
        '<datafield tag="245" ind1="0" ind2="0"><subfield code="a">Rice</subfield></datafield>'
        '<datafield tag="260" ind1=" " ind2=" "><subfield code="c">2549 [2006]</subfield></datafield>'
        '<datafield tag="700" ind1="1" ind2=" "><subfield code="a">Doe, Jane,</subfield>'
        '<subfield code="e">ed.</subfield></datafield>'
    )
    found = marc.make_record(etree.fromstring(f"<record><leader>00000nam a</leader>{fields_}</record>"))
    assert ([v.year for v in found.versions], found.authors) == ([2006], (Name("Doe", "Jane"),))
    bare = fields_.replace(" [2006]", "")
    assert [v.year for v in marc.make_record(etree.fromstring(f"<record>{bare}</record>")).versions] == [2006]
