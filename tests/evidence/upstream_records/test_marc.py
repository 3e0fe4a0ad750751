"""MARC 21 XML: bibliographic facts as a union catalogue states them."""

from __future__ import annotations

from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from citeproof.evidence.upstream_records import marc
from citeproof.vocabulary import Kind, Name, Version

SLIM = "http://www.loc.gov/MARC21/slim"


def element(*lines, leader="     cam a22      c 4500", namespace=SLIM):
    """Make a record of lines such as `245 14 $a Title $b Subtitle` and `001 12345`."""
    parts = [f"<leader>{leader}</leader>"]
    for line in lines:
        tag, rest = line[:3], line[4:]
        if "$" not in rest:
            parts.append(f'<controlfield tag="{tag}">{escape(rest)}</controlfield>')
            continue
        indicators, *subfields = rest.split("$")
        one, two = indicators.strip().ljust(2, "#").replace("#", " ")
        inner = "".join(f'<subfield code="{s[0]}">{escape(s[1:].strip())}</subfield>' for s in subfields)
        parts.append(f'<datafield tag="{tag}" ind1="{one}" ind2="{two}">{inner}</datafield>')
    space = f' xmlns="{namespace}"' if namespace else ""
    return etree.fromstring(f"<record{space}>{''.join(parts)}</record>")


SUBTITLE = "Schrift, Erinnerung und politische Identität in frühen Hochkulturen"
ONLINE = (
    "001 1695607414",
    "008 200422r20172013gw |||||o     00| ||ger c",
    "020 $a 9783406703409",
    "020 $a 3406703402",
    "024 7 $a 10.17104/9783406703409 $2 doi",
    "100 1 $a Assmann, Jan $d 1938-2024 $e VerfasserIn $4 aut",
    f"245 14 $a Das kulturelle Gedächtnis $b {SUBTITLE} $c Jan Assmann",
    "250 $a 7. Auflage",
    "264 #1 $a München $b C.H.Beck $c [2017]",
    "264 #4 $c ©2017",
    "534 $c 2013",
    "776 08 $i Erscheint auch als $d München : Verlag H.C.Beck, 2013 $z 3406568440 $z 9783406568442",
)


def test_a_book_with_its_formats():
    record = marc.make_record(element(*ONLINE))
    assert record.id == "1695607414"
    assert record.titles == (
        f"Das kulturelle Gedächtnis: {SUBTITLE}",
        "Das kulturelle Gedächtnis",
    )
    assert record.authors == (Name("Assmann", "Jan"),)
    assert record.authors_complete
    assert record.kind is Kind.BOOK
    assert record.publisher == "C.H.Beck"
    assert [v.year for v in record.versions] == [2017, 2013]
    assert record.ids.first("isbn") == "9783406703409"
    assert record.ids.all("isbn") == ("9783406703409", "9783406568442")
    assert record.ids.first("doi") == "10.17104/9783406703409"


@pytest.mark.parametrize(
    ("lines", "authors"),
    [
        (["100 1 $a Nagy, Gregory $4 aut"], "Gregory Nagy"),
        (["100 1 $a Nagy, Gregory"], "Gregory Nagy"),
        (["100 1 $a Assmann, Jan $4 aut", "700 1 $a Yasukawa, Haruki $4 trl"], "Jan Assmann"),
        (["700 1 $a Montanari, Franco $4 edt", "700 1 $a Rengakos, A. $e HerausgeberIn"],
         "Franco Montanari | A. Rengakos"),
        (["100 1 $a Pearl, Judea $4 http://id.loc.gov/vocabulary/relators/aut"], "Judea Pearl"),
        (["700 1 $a Courville, Aaron"], "Aaron Courville"),
        (["700 1 $a Somebody, Else"], ""),
        (["100 0 $a Aristoteles $4 aut"], "Aristoteles"),
        (["110 2 $a World Health Organization. $b Regional Office for Europe $4 aut"],
         "World Health Organization. Regional Office for Europe"),
    ],
)  # fmt: skip
def test_people_by_their_roles(lines, authors):
    record = marc.make_record(element("245 10 $a A title $c Ian Goodfellow, Aaron Courville", *lines))
    assert " | ".join(name.display for name in record.authors) == authors
    assert record.authors_complete


@pytest.mark.parametrize(
    "said", ["Hans Meyer [u.a.]", "Hans Meyer [u. a.]", "H. Meyer et al.", "H. Meyer ..."]
)
def test_a_list_that_says_it_is_cut(said):
    assert marc.make_record(element(f"245 10 $a A title $c {said}")).authors_complete is False


@pytest.mark.parametrize(
    ("line", "titles"),
    [
        ("245 14 $a The best of the Achaeans : $b concepts of the hero / $c Gregory Nagy",
         ("The best of the Achaeans: concepts of the hero", "The best of the Achaeans")),
        ("245 10 $a Bunkateki kioku $b kodai = Das kulturelle Gedächtnis : Schrift",
         ("Bunkateki kioku: kodai", "Bunkateki kioku", "Das kulturelle Gedächtnis : Schrift")),
        ("245 10 $a Lehrbuch $n 2 $p Optik", ("Lehrbuch. Optik", "Lehrbuch", "Optik")),
        ("245 10 $a \x98Die\x9c Welt", ("Die Welt",)),
        ("245 10 $a RETRACTED: A book", ("A book",)),
    ],
)  # fmt: skip
def test_titles(line, titles):
    assert marc.make_record(element(line)).titles == titles


def test_other_titles_and_original_script():
    record = marc.make_record(
        element(
            "240 14 $a Das kulturelle Gedächtnis",
            "245 10 $6 880-01 $a Bunkateki kioku",
            "246 31 $a Cultural memory $b writing",
            "880 10 $6 245-01 $a 文化的記憶",
        )
    )
    assert record.titles == (
        "Bunkateki kioku",
        "Cultural memory: writing",
        "Cultural memory",
        "Das kulturelle Gedächtnis",
        "文化的記憶",
    )


def test_a_chapter_names_its_container():
    record = marc.make_record(
        element(
            "245 10 $a Nietzsche und das kulturelle Gedächtnis",
            "264 #1 $c 2021",
            "773 08 $i Enthalten in $t Nietzsche on memory and history $g (2021), Seite 79-93",
            "773 18 $g year:2021 $g pages:79-93",
            leader="     caa a22      c 4500",
        )
    )
    assert record.kind is Kind.CHAPTER
    assert record.versions == (Version(2021, "Nietzsche on memory and history", Kind.CHAPTER, pages="79-93"),)


@pytest.mark.parametrize(
    ("lines", "leader", "kind", "year"),
    [
        (["502 $a Diss., 1999", "264 #1 $c c1999"], "     cam a22", Kind.THESIS, 1999),
        (["264 #1 $c 2024nen 7gatsu", "008 250702s2024    ja"], "     cam a22", Kind.BOOK, 2024),
        (["260 $c [ca. 1950]"], "     cam a22", Kind.BOOK, 1950),
        (["773 08 $t Archiv $x 0003-8946", "264 #1 $c 1988"], "     caa a22", Kind.ARTICLE, 1988),
        (["022 $a 0028-0836"], "     cas a22", Kind.UNKNOWN, None),
        ([], "", Kind.UNKNOWN, None),
    ],
)
def test_kind_and_year(lines, leader, kind, year):
    record = marc.make_record(element("245 10 $a A title", *lines, leader=leader))
    assert (record.kind, record.versions[0].year) == (kind, year)


def test_without_namespace_and_without_title():
    assert marc.make_record(element("245 10 $a A title", namespace="")).title == "A title"
    assert marc.make_record(element("100 1 $a Nobody")) is None
    assert marc.make_record(element("245 10 $a ---")) is None


@given(st.lists(st.tuples(st.sampled_from(["020", "100", "245", "246", "264", "502", "700", "773", "776"]),
                          st.sampled_from("abcdgp4z"), st.text(max_size=30)), max_size=8))  # fmt: skip
def test_any_text_in_any_field(rows):
    root = etree.Element("record")
    root.append(etree.Comment("odd"))
    for tag, code, text in rows:
        field = etree.SubElement(root, "datafield", tag=tag)
        inner = etree.SubElement(field, "subfield", code=code)
        inner.text = "".join(c for c in text if c.isprintable())
    record = marc.make_record(root)
    assert record is None or record.title
