import pytest

from citeproof.text.character_encoding import decode_strictly, find_codec, is_damaged

NAMES = [
    ("windows-1251", "cp1251"), ("Cp1252", "cp1252"), ("UTF8", "utf-8"), ("ansinew", "cp1252"),
    ("applemac", "mac-roman"), ("SJIS", "cp932"), ("base64", ""), ("idna", ""), ("unicode_escape", ""),
    ("rot13", ""), ("no such", ""), ("a\0b", ""), ("", ""),
]  # fmt: skip


@pytest.mark.parametrize(("name", "codec"), NAMES)
def test_only_encodings_of_text_are_known(name, codec):
    assert find_codec(name) == codec


def test_a_larger_encoding_reads_what_is_declared_too_small():
    assert decode_strictly("“a”".encode("cp1252"), "iso8859-1") == ("“a”", "cp1252")
    assert decode_strictly(b"\x81", "iso8859-1") == ("\x81", "iso8859-1")


TEXTS = ["Müller und Gödel über die Größe", "Основы химии и физики", "Poincaré, l'été", "książka o życiu"]
WRONG = [
    (text, right, wrong)
    for text, right, wrong in [
        (TEXTS[0], "utf-8", "cp1252"), (TEXTS[0], "utf-8", "cp1250"), (TEXTS[0], "utf-8", "mac-roman"),
        (TEXTS[1], "utf-8", "cp1251"), (TEXTS[1], "utf-8", "latin-1"), (TEXTS[2], "utf-8", "cp1252"),
        (TEXTS[1], "cp1251", "cp1252"), (TEXTS[1], "koi8-r", "cp1251"), (TEXTS[1], "cp1251", "koi8-r"),
        (TEXTS[1], "koi8-r", "latin-1"), (TEXTS[0], "mac-roman", "cp1252"), (TEXTS[3], "iso8859-2", "cp1252"),
        ("Władysław", "cp1250", "cp1252"), ("图书馆目录", "gb18030", "cp1252"),
        ("素粒子の相互作用", "cp932", "cp1252"),
        (TEXTS[0], "cp1252", "utf-8"),
    ]
]  # fmt: skip


@pytest.mark.parametrize(("text", "right", "wrong"), WRONG)
def test_text_that_was_read_in_the_wrong_encoding_is_damaged(text, right, wrong):
    assert is_damaged(text.encode(right).decode(wrong, "replace"))


HEALTHY = [
    *TEXTS, "Who Killed Homer? The Demise of Classics", "What is it? A review", "Is mRNA (мРНК) stable?",
    "Jäääär", "créée", "São Paulo: NÃO É", "“Quoted” – dashed… text’s", "Ångström ÅÄÖ", "5 m³ at 20 °C ± 1",
    "図書館の目録",
    "Θεωρία της ύλης", "מבוא לכימיה", "مقدمة في الكيمياء", "Đặng Thị Ngọc", "Łukasz Żak", "ČSSR a ŽSR",
    "Straße №5 «Ёлки»",
]  # fmt: skip


@pytest.mark.parametrize("text", HEALTHY)
def test_text_in_any_language_is_not_damaged(text):
    assert not is_damaged(text)


@pytest.mark.parametrize("text", ["M?ller", "????? ????? ?????", "G\ufffddel", "don\x92t", "Erd?s"])
def test_lost_letters_are_damage(text):
    assert is_damaged(text)
