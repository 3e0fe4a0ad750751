"""Chinese and Japanese citations of one line each, which have no spaces between words."""

import pytest

from citeproof.errors import NotADocumentError
from citeproof.reading.extractors.base import extract_here
from citeproof.vocabulary import Document

WORKS = [
    "周志华《机器学习》，清华大学出版社，2016年",
    "李航：《统计学习方法》，北京：清华大学出版社，2012年版。",
    "王小明、李華（2019）。深度學習於圖書館之應用。圖書資訊學刊，17(2)，45-70。",
    "佐藤一郎「機械学習と図書館」『情報管理』第61巻第4号、2018年、234-241頁。",
]
ENGLISH = "Smith, J. (2019). A study of words. Journal of Words, 3(1), 1-9."


def read(text, name="list.txt"):
    return [reference.text for reference in extract_here(Document(name, text.encode())).references]


@pytest.mark.parametrize("heading", ["参考文献\n\n", "参考文献\n", ""])
def test_each_line_is_a_reference(heading):
    assert read(heading + "\n".join(WORKS)) == WORKS


@pytest.mark.parametrize("heading", ["References\n\n", ""])
def test_they_are_found_between_others(heading):
    assert read(heading + "\n".join([ENGLISH, *WORKS, ENGLISH.replace("words", "signs")])) == [
        ENGLISH, *WORKS, ENGLISH.replace("words", "signs"),
    ]  # fmt: skip


@pytest.mark.parametrize("heading", ["# 参考文献\n\n", "# Leseliste\n\n", ""])
def test_items_of_a_markdown_list(heading):
    text = heading + "".join(f"* {work}\n" for work in [ENGLISH, *WORKS])
    assert read(text, "list.md") == [ENGLISH, *WORKS]


def test_lines_that_are_broken_are_joined_as_ever():
    broken = (
        "参考文献\n\n王小明、李華（2019）。深度學習於圖書館之應用\n    與發展。圖書資訊學刊，17(2)，45-70。\n"
    )
    assert len(read(broken)) == 1


def test_sentences_of_a_chinese_text_are_no_references():
    text = "本文介绍机器学习。\n\n周志华在2016年出版了《机器学习》一书。\n\n" + WORKS[0]
    assert read(text) in ([WORKS[0]], [])


MARC = b"00187nam a2200085 a 4500001000400000020001800004\x1e123\x1e  \x1fa97802620356131\x1e\x1d"
XML = b'<?xml version="1.0"?>\n<collection xmlns="http://www.loc.gov/MARC21/slim"><record/></collection>'
MODS = b'<modsCollection xmlns="http://www.loc.gov/mods/v3"><mods/></modsCollection>'


@pytest.mark.parametrize(("name", "data"), [("a.mrc", MARC), ("a.xml", XML), ("a.xml", MODS), ("b", MARC)])
def test_records_of_a_library_catalogue_are_refused_with_a_way_out(name, data):
    with pytest.raises(NotADocumentError, match="of a library catalogue, which is not read") as error:
        extract_here(Document(name, data))
    assert error.value.hint == "export RIS or BibTeX from the catalogue"


def test_what_a_list_is_called_is_no_reference():
    entries = [ENGLISH, ENGLISH.replace("words", "signs"), ENGLISH.replace("words", "ways")]
    found = extract_here(
        Document(
            "a.txt", "\n".join(["İstanbul Üniversitesi Kütüphanesi okuma listesi", "", *entries]).encode()
        )
    )
    assert [reference.text for reference in found.references] == entries
    assert [(p.message, p.note) for p in found.problems] == [("the title of the list, not a reference", True)]
    titles = [
        "Attention is all you need",
        "",
        *entries[:1],
        "",
        "Deep residual learning",
        "",
        "Deep learning",
    ]
    assert "Attention" in read("\n".join(titles))[0]
