"""The codes of reference managers, one by one."""

import base64
import json

import pytest

from citeproof.reading.extractors.office.field_codes import MAX_WORKS, decode_base64, parse_field_code
from citeproof.reading.extractors.office.printed_lists import append_links, is_entry_style, strip_link_names

ITEM = {
    "type": "article-journal",
    "title": "Deep learning",
    "author": [{"family": "LeCun", "given": "Yann"}],
    "issued": {"date-parts": [[2015]]},
    "DOI": "10.1038/nature14539",
}
CITED = json.dumps(
    {"citationItems": [{"id": 7, "uris": ["http://zotero.org/users/1/items/AB"], "itemData": ITEM}]}
)
RECORD = (
    '<record><rec-number>9</rec-number><ref-type name="Journal Article">17</ref-type><contributors><authors>'
    "<author>LeCun, Yann</author></authors></contributors><titles><title>Deep learning</title></titles>"
    "<dates><year>2015</year></dates></record>"
)
ENDNOTE = f"<EndNote><Cite><Author>LeCun</Author><RecNum>9</RecNum>{RECORD}</Cite></EndNote>"
CITAVI = {
    "$id": "1",
    "Entries": [
        {
            "$id": "2",
            "ReferenceId": "g",
            "Reference": {
                "$id": "3",
                "Id": "g",
                "Title": "Deep learning",
                "Year": "2015",
                "Authors": [{"$ref": "9"}],
            },
        }
    ],
    "Person": {"$id": "9", "LastName": "LeCun", "FirstName": "Yann"},
}


def packed(text):
    return base64.b64encode(text.encode()).decode()


CITATIONS = {
    "Zotero": (f" ADDIN ZOTERO_ITEM CSL_CITATION {CITED} ", ""),
    "Zotero, no space": (f"ADDIN ZOTERO_ITEM CSL_CITATION{CITED}", ""),
    "Zotero in Writer": (f"ZOTERO_ITEM CSL_CITATION {CITED} RND6KERMIacgp", ""),
    "Mendeley": (f"ADDIN CSL_CITATION {CITED}", ""),
    "Mendeley, older": (f"ADDIN Mendeley Citation{{0a-1b}} CSL_CITATION {CITED}", ""),
    "Mendeley in Writer": (f"CSL_CITATION {CITED}", ""),
    "Mendeley Cite": ("MENDELEY_CITATION_v3_" + packed(CITED), ""),
    "Mendeley Cite without padding": ("MENDELEY_CITATION_v3_" + packed(CITED).rstrip("="), ""),
    "EndNote": (f" ADDIN EN.CITE {ENDNOTE}", ""),
    "EndNote in data": (" ADDIN EN.CITE ", packed(ENDNOTE)),
    "EndNote in data, with a null": (" ADDIN EN.CITE.DATA ", packed(ENDNOTE + "\0")),
    "Citavi": (f"ADDIN CitaviPlaceholder{{{packed(json.dumps(CITAVI))}}}", ""),
}


@pytest.mark.parametrize("name", CITATIONS)
def test_each_code_gives_its_work(name):
    code = parse_field_code(*CITATIONS[name])
    [one] = code.works
    assert code.fault == ""
    assert name.startswith(code.program)
    assert (one.claimed.title, one.claimed.year) == ("Deep learning", 2015)
    assert [(author.family, author.given) for author in one.claimed.authors] == [("LeCun", "Yann")]


LISTS = [
    ' ADDIN ZOTERO_BIBL {"uncited":[],"custom":[]} CSL_BIBLIOGRAPHY ',
    "ADDIN Mendeley Bibliography CSL_BIBLIOGRAPHY",
    "MENDELEY_BIBLIOGRAPHY",
    " ADDIN EN.REFLIST ",
    " BIBLIOGRAPHY ",
    "ADDIN CITAVI.BIBLIOGRAPHY x",
    "CitaviBibliography",
    "JR_bib",
]


@pytest.mark.parametrize("code", LISTS)
def test_codes_of_lists(code):
    assert parse_field_code(code).printed


@pytest.mark.parametrize(
    "code", ["PAGEREF _Toc1 \\h", "ADDIN EN.CITE.DATA", "HYPERLINK x", "", "DATE", "ADDIN X"]
)
def test_other_codes_are_none(code):
    assert parse_field_code(code) is None


def test_word_names_several_sources():
    assert parse_field_code(' CITATION Smi20 \\p 3 \\l 1033  \\m Doe19 \\m "Roe 1" ').keys == (
        "Smi20",
        "Doe19",
        "Roe",
    )


FAULTS = {
    "broken JSON": ('ADDIN ZOTERO_ITEM CSL_CITATION {"citationItems":[', "its data is broken"),
    "no JSON": ("ADDIN ZOTERO_ITEM CSL_CITATION", "it contains no data"),
    "deep JSON": ("ADDIN ZOTERO_ITEM CSL_CITATION {" + '"a":[' * 100_000, "its data is broken"),
    "no items": ("ADDIN CSL_CITATION {}", "it has no data about the work"),
    "an item without data": (
        'ADDIN CSL_CITATION {"citationItems":[{"id":1}]}',
        "it has no data about the work",
    ),
    "no base64": ("MENDELEY_CITATION_v3_%%%", "it contains no data"),
    "broken XML": ("ADDIN EN.CITE <EndNote><Cite>", "its data is broken"),
    "entities": (
        'ADDIN EN.CITE <EndNote a="b"><!DOCTYPE x [<!ENTITY a "b">]></EndNote>',
        "its data is broken",
    ),
    "a cite without record": (
        "ADDIN EN.CITE <EndNote><Cite/></EndNote>",
        "it has no data about the work",
    ),
    "broken Citavi": ("ADDIN CitaviPlaceholder{AAAAAAAAAAAA}", "its data is broken"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_what_cannot_be_read_says_why(name):
    code, fault = FAULTS[name]
    found = parse_field_code(code)
    assert (found.works, found.fault) == ((), fault)


def test_a_citation_of_very_many_works_is_cut_and_told():
    items = [{"id": f"i{n}", "itemData": ITEM} for n in range(MAX_WORKS + 1)]
    code = parse_field_code("ADDIN CSL_CITATION " + json.dumps({"citationItems": items}))
    assert len(code.works) == MAX_WORKS
    assert code.fault


def test_odd_values_do_no_harm():
    for odd in (None, 1, [], {}, "x", [[1]], {"a": 1}):
        item = dict.fromkeys(["title", "author", "issued", "DOI", "container-title", "id", "page"], odd)
        parse_field_code(
            "ADDIN CSL_CITATION "
            + json.dumps({"citationItems": [{"itemData": item, "uris": odd, "id": odd}]})
        )
        parse_field_code("ADDIN CSL_CITATION " + json.dumps({"citationItems": odd}))
        parse_field_code(
            f"ADDIN CitaviPlaceholder{{{packed(json.dumps({'Entries': [{'Reference': item}, odd]}))}}}"
        )
        parse_field_code(f"ADDIN CitaviPlaceholder{{{packed(json.dumps(odd))}}}")


def test_base64_may_be_broken_over_lines_and_written_for_addresses():
    assert decode_base64("aGVs\nbG8") == "hello"
    assert decode_base64(base64.urlsafe_b64encode("ÿþý?".encode()).decode()) == "ÿþý?"
    assert decode_base64("not base64!") == ""


ENTRY = "LeCun Y. Deep learning. Nature 2015;521:436-444."
DOI, ARXIV = "https://doi.org/10.1038/nature14539", "https://arxiv.org/abs/1706.03762"
LINKS = [
    ([], ENTRY, ENTRY),
    (["https://doi.org/10.1038/nature14539"], ENTRY, f"{ENTRY} https://doi.org/10.1038/nature14539"),
    ([DOI], f"{ENTRY} doi:10.1038/nature14539", f"{ENTRY} doi:10.1038/nature14539"),
    (["https://scholar.google.com/scholar?q=x"], ENTRY, ENTRY),
    (["https://lab.example.edu/paper.pdf"], ENTRY, f"{ENTRY} https://lab.example.edu/paper.pdf"),
    ([ARXIV, "https://lab.example.edu/x"], ENTRY, f"{ENTRY} {ARXIV}"),
    (["https://doi.org/10.1038/nature14539"], f"{ENTRY} Article CAS PubMed Google Scholar",
     f"{ENTRY} https://doi.org/10.1038/nature14539"),
    ([], f"{ENTRY} [CrossRef] [Google Scholar]", ENTRY),
    ([], "Ann. Math. 3 (1999). Review Article", "Ann. Math. 3 (1999). Review Article"),
]  # fmt: skip


@pytest.mark.parametrize(("addresses", "text", "expected"), LINKS)
def test_links_complete_an_entry(addresses, text, expected):
    assert append_links(text, addresses) == expected


def test_only_the_names_of_links_are_cut():
    assert strip_link_names("On Article 5 of the law. PubMed Google Scholar") == "On Article 5 of the law."
    assert strip_link_names("Searching PubMed and Google Scholar") == "Searching PubMed and Google Scholar"


@pytest.mark.parametrize(
    ("name", "entry"),
    [
        ("Bibliography", True), ("EndNote Bibliography", True), ("Bibliography 1", True),
        ("MDPI_7.1_References", True),
        ("referenceitem", True), ("Citavi Bibliography Entry", True), ("Bibliography Heading", False),
        ("EndNote Bibliography Title", False), ("footnote reference", False), ("Normal", False),
        ("annotation reference", False), ("", False),
    ],
)  # fmt: skip
def test_styles_for_entries(name, entry):
    assert is_entry_style(name) is entry
