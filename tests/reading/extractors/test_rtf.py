"""RTF: text in every coding, lists, tables, notes, links, field codes; nothing that a reader does not see."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from citeproof.errors import InputError
from citeproof.reading.extractors.base import detect_extractor, extract, extract_here
from citeproof.vocabulary import Document

FIXTURES = Path(__file__).parents[2] / "fixtures"
HEAD = (
    r"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fcharset0 Times;}{\f1\fcharset238 Times CE;}"
    r"{\f2\fcharset204 Times Cyr;}{\f3\fcharset128 MS Mincho;}{\f4\fcharset134 SimSun;}}"
    r"{\stylesheet{\s0 Normal;}{\s1 heading 1;}{\*\cs10 Default;}{\s5 Bibliography;}}"
    r"{\info{\title Secret title 1999. A, B. 2001.}}"
)
LECUN = "LeCun, Y. (2015). Deep learning. Nature, 521, 436-444."
KNUTH = "Knuth, D. E. (1997). The Art of Computer Programming. Reading: Addison-Wesley."


def make(body, head=HEAD):
    return Document("a.rtf", f"{head}{body}}}".encode("latin-1"))


def references(*entries):
    return r"\pard\s1 References\par\pard " + r"\par ".join(entries) + r"\par"


def read(body):
    return [one.text for one in extract_here(make(body)).references]


@pytest.mark.parametrize(
    ("coded", "text"),
    [
        (r"M\'fcller, A. (2001). Der Stra\'dfenbau. K\'f6ln.", "Müller, A. (2001). Der Straßenbau. Köln."),
        (r"M\u252\'fcller, A. (2001). \u8222?Titel\u8220?. K\u246?ln.", "Müller, A. (2001). „Titel“. Köln."),
        (r"\uc0 M\u252 ller, A. (2001). Titel. K\u246 ln.", "Müller, A. (2001). Titel. Köln."),
        (r"\uc2 M\u252 aaller, A. (2001). Titel. Ulm.", "Müller, A. (2001). Titel. Ulm."),
        (
            r"{\f1 Nov\'e1k, P. (2001). \'c8esk\'e9 d\'ecjiny. Praha.}",
            "Novák, P. (2001). České dějiny. Praha.",
        ),
        (
            r"{\f2 \'c8\'e2\'e0\'ed\'ee\'e2, \'c8. (2001). \'cd\'e0\'f3\'ea\'e0. \'cc.}",
            "Иванов, И. (2001). Наука. М.",
        ),
        (
            r"{\f3 \'8e\'52\'93\'63 (2001). \'93\'fa\'96\'7b\'8c\'ea. \'93\'8c\'8b\'9e.}",
            "山田 (2001). 日本語. 東京.",
        ),
        (r"{\f4 \'cd\'f5\'ce\'b0 (2001). \'b1\'b1\'be\'a9\'b4\'f3\'d1\'a7.}", "王伟 (2001). 北京大学."),
        (r"Doe, J. (2001). On \u-10179?\u-8704? faces. Ulm.", "Doe, J. (2001). On \U0001f600 faces. Ulm."),
        (
            r"Doe, J. (2001). \ldblquote A\rdblquote\~\endash  B\rquote s. Ulm\emdash Bonn.",
            "Doe, J. (2001). “A” – B’s. Ulm—Bonn.",
        ),
        (r"Doe, J. (2001). {\i A} {\b title}. {\scaps Ulm}.", "Doe, J. (2001). A title. Ulm."),
        (
            r"Doe, J. (2001). Brackets \{a\} and C:\\path. Ulm.",
            r"Doe, J. (2001). Brackets {a} and C:\path. Ulm.",
        ),
        ("Doe, J. (2001). A line\r\n that is broken. Ulm.", "Doe, J. (2001). A line that is broken. Ulm."),
        (
            r"Doe, J. (2001). Opt\-ional and non\_breaking. Ulm.",
            "Doe, J. (2001). Optional and non-breaking. Ulm.",
        ),
    ],
)
def test_text_in_every_coding(coded, text):
    assert read(references(coded, LECUN)) == [text, LECUN]


@pytest.mark.parametrize(
    "unseen",
    [
        r"{\v hidden}",
        r"{\deleted gone}",
        r"{\header Journal of Rust 2001}",
        r"{\*\annotation a comment}",
        r"{\pict\pngblip 89504e47}",
        r"{\pict\bin5 a}b\c}",
        r"{\*\unknowndestination Doe, J. (2001). Not shown. Ulm.}",
        r"{\*\bkmkstart _Ref}{\*\bkmkend _Ref}",
        r"{\xe index}",
    ],
)
def test_what_a_reader_does_not_see_is_left_out(unseen):
    before, behind = LECUN[:30], LECUN[30:]
    assert read(references(before + unseen + behind, KNUTH)) == [LECUN, KNUTH]


def test_numbers_of_a_list_are_its_labels():
    listed = [rf"{{\listtext\pard\plain {n}.\tab}}{text}" for n, text in enumerate((LECUN, KNUTH), 1)]
    found = extract_here(make(r"Said [1, 2].\par " + references(*listed)))
    assert [(one.key, one.text) for one in found.references] == [("1", LECUN), ("2", KNUTH)]
    assert found.expected == 2
    assert found.references[0].citing == ("Said [1, 2].",)


def test_a_list_laid_out_as_a_table():
    rows = "".join(
        rf"\trowd\cellx500\cellx9000 [{n}]\cell {text}\cell\row " for n, text in enumerate((LECUN, KNUTH), 1)
    )
    found = extract_here(make(r"\pard\s1 References\par\pard " + rows))
    assert [(one.key, one.text) for one in found.references] == [("1", LECUN), ("2", KNUTH)]


def test_notes_that_are_references():
    noted = [rf"{{\super\chftn}}{{\footnote\pard {{\super\chftn}} {text}}}" for text in (LECUN, KNUTH)]
    found = extract_here(make(rf"A claim.{noted[0]} Another one.{noted[1]}\par"))
    assert [(one.key, one.text) for one in found.references] == [("^1", LECUN), ("^2", KNUTH)]
    assert all(one.citing for one in found.references)


def test_a_file_that_is_nothing_but_a_list():
    entries = [
        r"Dia, Ibrahima, et al. \ldblquote Comparing Catches.\rdblquote  Journal, vol. 10, 2005, p. 8.",
        r"Kweka, Eliningaya J., and Aneth Mahande. \ldblquote Four Ways.\rdblquote  Journal, vol. 2, 2009.",
        r"Gama, Renata Antonaci. \ldblquote Development of a Trap.\rdblquote  Journal, vol. 3, 2013.",
    ]
    assert [text.split(",")[0] for text in read(r"\par ".join(entries))] == ["Dia", "Kweka", "Gama"]
    titles_first = [
        r"\ldblquote Plus-Minus Explained.\rdblquote  2017. https://www.example.org/plus-minus/.",
        r"\ldblquote Calculating PER.\rdblquote  n.d. Accessed April 4, 2025. https://www.example.org/per.",
        r"World Bank. 2018. World Development Report. Washington.",
    ]
    assert len(read(r"\par ".join(titles_first))) == 3


def test_links_are_kept():
    link = r'{\field{\*\fldinst HYPERLINK "https://doi.org/10.1038/nature14539"}{\fldrslt Link}}'
    [first, _] = read(references(LECUN + " " + link, KNUTH))
    assert "10.1038/nature14539" in first


def test_the_field_codes_of_zotero():
    item = {
        "id": 7,
        "uris": ["http://zotero.org/users/1/items/AB"],
        "itemData": {
            "type": "article-journal",
            "title": "Deep {learning}",
            "author": [{"family": "LeCun", "given": "Y."}],
            "issued": {"date-parts": [[2015]]},
        },
    }
    code = json.dumps({"citationItems": [item]}).replace("\\", r"\\").replace("{", r"\{").replace("}", r"\}")
    cite = rf"{{\field{{\*\fldinst {{ADDIN ZOTERO_ITEM CSL_CITATION {code}}}}}{{\fldrslt (LeCun 2015)}}}}"
    listing = r"{\field{\*\fldinst ADDIN ZOTERO_BIBL \{\} CSL_BIBLIOGRAPHY}{\fldrslt " + LECUN + r"\par}}"
    found = extract_here(make(rf"Nets learn {cite}.\par {references('')} {listing}"))
    [one] = found.references
    assert one.claimed.title == "Deep learning"
    assert one.claimed.year == 2015
    assert one.citing == ("Nets learn (LeCun 2015).",)


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("zotero_from_word", "odt/zotero_from_word.odt"),
        ("notes", "odt/notes.odt"),
        ("numbers", "odt/numbers.odt"),
        ("endnote", "docx/endnote.docx"),
        ("by_hand", "docx/by_hand.docx"),
    ],
)
def test_the_same_paper_saved_as_rtf(name, source):
    saved = extract_here(Document("a.rtf", (FIXTURES / "rtf" / f"{name}.rtf").read_bytes()))
    known = extract_here(Document(source, (FIXTURES / source).read_bytes()))
    assert saved.format == "rtf"
    assert saved.expected == known.expected
    assert [(one.key, one.claimed, one.citing) for one in saved.references] == [
        (one.key, one.claimed, one.citing) for one in known.references
    ]


@pytest.mark.parametrize("name", ["a.rtf", "a.doc", "a.txt", "a"])
def test_content_says_that_it_is_rtf(name):
    assert detect_extractor(Document(name, make("x").data)).name == "rtf"


@pytest.mark.parametrize("cut", [5, 60, 400, -1, -40])
def test_a_file_cut_short_is_read_as_far_as_it_goes(cut):
    extract(Document("a.rtf", make(references(LECUN, KNUTH)).data[:cut]))


def test_groups_nested_too_deeply_are_refused():
    with pytest.raises(InputError, match="nested too deeply"):
        extract_here(make("{" * 5000))
