import pytest

from citeproof.errors import InputError, NotADocumentError
from citeproof.reading.extractors import decoded_text as module
from citeproof.reading.extractors.base import extract, load_extractors
from citeproof.reading.extractors.decoded_text import decode
from citeproof.vocabulary import Document

ENCODED = [
    ("Müller, ß", "utf-8"),
    ("Müller, ß", "utf-8-sig"),
    ("Müller, ß", "utf-16"),
    ("Müller", "cp1252"),
    ("an old Mac\rends lines so", "utf-8"),
    ("Müller, Über die Größe\ré", "cp1252"),
    ("刘国钧, 陈绍业. 图书馆目录[M]. 北京: 高等教育出版社, 1957.", "gb18030"),
    ("湯川秀樹. 素粒子の相互作用について. 1935, 17: 48-57.", "cp932"),
    ("Иванов, О природе света и звука", "cp1251"),
    ("Иванов, О природе света и звука", "koi8-r"),
    ("劉國鈞, 陳紹業. 圖書館目錄的歷史與發展研究. 臺北: 商務印書館", "big5"),
    ("김철수. 한국 사회의 변화와 교육 정책에 관한 연구. 서울대학교", "euc-kr"),
    ("湯川秀樹. 素粒子の相互作用について. 1935, 17: 48-57.", "euc-jp"),
]
LEGACY = ("cp1252", "cp1251", "gb18030", "cp932", "koi8-r", "iso8859-2", "big5", "euc-kr", "euc-jp")
LEGACY_NAMES = {"big5": "big5hkscs", "euc-kr": "cp949", "euc-jp": "euc_jis_2004"}


@pytest.mark.parametrize(("text", "encoding"), ENCODED)
def test_text_comes_back_whatever_its_encoding(text, encoding):
    decoded = decode(Document("a.txt", text.encode(encoding)))
    assert decoded.text == text.replace("\r", "\n")
    assert [problem.message.partition("read as ")[2].split()[0] for problem in decoded.problems] == [
        LEGACY_NAMES.get(name, name) for name in LEGACY if name == encoding
    ]


DECLARED = [
    ("% Encoding: Cp1250\n@book{a, title={Grünwald, Ž}}", "cp1250"),
    ("@comment{x-kbibtex-encoding=iso-8859-2}\n@book{a, author={Šimek}}", "iso8859-2"),
    ("\\usepackage[cp1251]{inputenc}\nЯ", "cp1251"),
    ("<meta charset='iso-8859-7'><p>Ω", "iso8859-7"),
    ("% -*- coding: koi8-r -*-\nЯ", "koi8-r"),
    ("%!TEX encoding = MacRoman\nMüller", "mac-roman"),
]


@pytest.mark.parametrize(("text", "encoding"), DECLARED)
def test_the_encoding_that_a_file_declares_is_believed_where_it_fits(text, encoding):
    decoded = decode(Document("a.txt", text.encode(encoding)))
    assert (decoded.text, decoded.problems) == (text, [])


@pytest.mark.parametrize("encoding", ["cp1251", "koi8-r", "shift_jis", "iso2022_jp", "utf-16-le", "cp866"])
def test_the_stated_encoding_is_used(encoding):
    text = "Основы химии"
    decoded = decode(Document("a.txt", text.encode(encoding), encoding=encoding))
    assert decoded.text == text


def test_what_is_utf8_is_not_misread_because_the_user_states_another_encoding():
    decoded = decode(Document("a.txt", "Основы".encode(), encoding="cp1251"))
    assert decoded.text == "Основы"
    assert [(problem.note, "UTF-8" in problem.message) for problem in decoded.problems] == [(True, True)]


def test_a_stated_encoding_that_does_not_fit_is_an_error_with_a_hint():
    with pytest.raises(InputError, match="not cp932") as raised:
        decode(Document("a.txt", b"ab\x81 ", encoding="cp932"))
    assert "--encoding" in raised.value.hint


def test_a_doubtful_guess_names_the_letters_that_another_encoding_reads_otherwise():
    [problem] = decode(Document("a.bib", "@book{a, author={Šimek}}".encode("iso8859-2"))).problems
    assert "a guess" in problem.message
    assert problem.doubtful[1]
    assert "--encoding" in problem.hint


def test_utf16_without_a_mark_is_told_by_its_zero_bytes():
    for encoding in ("utf-16-le", "utf-16-be"):
        document = Document("a.bib", "@book{a, title={Основы химии}, year={1990}}".encode(encoding))
        assert [one.claimed.title for one in extract(document).references] == ["Основы химии"]


@pytest.mark.parametrize("data", [b"", b" \n"])
def test_an_empty_file_is_said_to_be_empty(data):
    assert [problem.message for problem in decode(Document("a.txt", data)).problems] == ["the file is empty"]


def test_a_mail_in_quoted_printable_has_whole_lines():
    head = b"From: a@example.org\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
    decoded = decode(Document("a.eml", head + b"Nature, 521(75=\r\n53), 436=E2=80=93444."))
    assert decoded.text.endswith("Nature, 521(7553), 436–444.")
    assert decoded.problems[0].note


def test_what_is_not_utf8_is_reported_with_its_place():
    [problem] = decode(Document("a.bib", "ok\nMüller".encode("cp1252"))).problems
    assert (problem.place.line, problem.place.column, problem.place.start) == (2, 2, 4)
    assert "UTF-8" in problem.hint


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_byte_spans_lead_back_to_the_words(encoding):
    text = "Überschrift\nzweite Zeile: Müller\nEnde"
    data = text.encode(encoding)
    decoded = decode(Document("a.txt", data))
    start = decoded.text.index("Müller")
    place = decoded.locate_span(start, start + 6)
    plain = "utf-16-le" if encoding == "utf-16" else "utf-8" if encoding == "utf-8-sig" else encoding
    assert data[place.start : place.end].decode(plain) == "Müller"
    assert (place.line, place.column, place.end_line) == (2, 15, 2)


def test_places_may_be_asked_in_any_order():
    decoded = decode(Document("a.txt", b"a\nb\nc\n"))
    assert decoded.locate_span(4, 5).line == 3
    assert decoded.locate_span(0, 1).line == 1
    assert decoded.locate_span(0, 5).end_line == 3


REFUSED = [
    (b"%PDF-1.7 ...", "PDF"),
    (b"PK\x03\x04rest", "DOCX"),
    (b"\x1f\x8b\x08", "gzip"),
    (b"text\0text", "NUL"),
    (b"\x89PNG\r\n", "PNG"),
]


@pytest.mark.parametrize(("data", "word"), REFUSED)
def test_binary_files_are_refused_with_the_mend(data, word):
    with pytest.raises(InputError, match="binary file") as raised:
        decode(Document("x.bin", data))
    assert word in str(raised.value)
    assert raised.value.place == "x.bin"
    assert raised.value.hint


def test_a_false_byte_order_mark_is_an_error_of_its_own():
    with pytest.raises(InputError, match="byte order mark"):
        decode(Document("x.txt", b"\xff\xfeabc"))


def test_an_oversized_document_is_refused(monkeypatch):
    monkeypatch.setattr(module, "MAX_DOCUMENT", 10)
    with pytest.raises(InputError, match="more than") as raised:
        decode(Document("x.txt", b"x" * 11))
    assert "split" in raised.value.hint


@pytest.mark.parametrize("name", ["latex", "markdown", "plain_text", "rst", "typst"])
def test_running_text_may_be_less_large_than_records(name, monkeypatch):
    place = f"citeproof.reading.extractors.{'latex.latex_source' if name == 'latex' else name}.MAX_RUNNING"
    monkeypatch.setattr(place, 10)
    with pytest.raises(InputError, match="more than") as raised:
        load_extractors()[name].extract(Document("x", b"x" * 11))
    assert "split" in raised.value.hint


@pytest.mark.parametrize(
    ("head", "refused"),
    [
        ("From: a\nContent-Transfer-Encoding: base64\n\n", True),
        ("Subject: a\r\ncontent-transfer-encoding: BASE64 \r\n\r\n", True),
        ("From: a\n\nContent-Transfer-Encoding: base64\n\n", False),
        ("Content-Transfer-Encoding: base64, he said.\n\n", False),
    ],
)
def test_a_packed_mail_is_refused(head, refused):
    document = Document("a.eml", f"{head}UmVmZXJlbmNlcw==\n".encode())
    if refused:
        with pytest.raises(InputError, match="base64"):
            decode(document)
    else:
        assert decode(document).text.startswith(head)


@pytest.mark.parametrize(
    ("text", "what", "hint"),
    [
        ('{"cells": [{"cell_type": "raw", "source": ["Smith"]}], "nbformat": 4}', "Jupyter", "Markdown"),
        ("%0 Journal Article\n%A LeCun, Yann\n%T Deep learning\n%D 2015\n", "EndNote", "RIS"),
        ("FN Clarivate\nVR 1.0\nPT J\nAU LeCun, Y\nTI Deep learning\nER\n", "Web of Science", "RIS"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", ["paper.ipynb", "refs.enw", "refs.txt"])
def test_text_of_a_format_that_is_not_read_is_refused(name, text, what, hint):
    with pytest.raises(NotADocumentError, match=what) as refused:
        extract(Document(name, text.encode()))
    assert refused.value.hint == f"export {hint}"
