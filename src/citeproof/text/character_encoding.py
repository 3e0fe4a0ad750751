"""Names of character encodings, and the marks of text that was read in the wrong one."""

from __future__ import annotations

import codecs

from citeproof.text import lazy_patterns as re

# What text is written in. Others that Python knows pack bytes (base64) or run at great cost (idna).
_KNOWN = re.compile(
    r"ascii|utf-(?:8|16|32)(?:-[bl]e)?|utf-8-sig|iso8859-\d{1,2}|cp\d{3,4}|koi8-[rtu]|mac-[a-z]{3,10}|tis-620"
    r"|gb2312|gbk|gb18030|hz|big5(?:hkscs)?|shift_jis(?:_2004|x0213)?|euc_(?:jp|kr|jis_2004|jisx0213)|johab"
    r"|iso2022_[a-z_0-9]{2,10}|kz1048|ptcp154|hp-roman8"
)
# of LaTeX's inputenc and of reference managers
_ALIASES = {
    "ansinew": "cp1252", "applemac": "mac-roman", "utf8x": "utf-8", "maccyr": "mac-cyrillic",
    "macce": "mac-latin2", "latin9": "iso8859-15", "latin10": "iso8859-16", "sjis": "cp932",
}  # fmt: skip
_SUPERSETS = {
    "ascii": "cp1252", "iso8859-1": "cp1252", "gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932",
    "euc_kr": "cp949", "big5": "big5hkscs", "iso8859-9": "cp1254",
}  # fmt: skip
# what people write; Python knows more names
ENCODINGS = (
    "utf-8", "utf-16", "latin-1", "iso-8859-2", "iso-8859-15", "windows-1250", "windows-1251", "windows-1252",
    "cp1250", "cp1251", "cp1252", "koi8-r", "koi8-u", "mac-roman", "shift_jis", "cp932", "euc-jp", "gbk",
    "gb18030", "big5", "euc-kr", "iso2022_jp",
)  # fmt: skip
_RUN = re.compile(r"[^\x00-\x7f]{2,400}")
_MISREAD_AS = ("cp1252", "cp1251", "cp1250", "mac-roman")
_DAMAGE = re.compile(
    "[\ufffd\ue000-\uf8ff\x80-\x9f]"  # no letter at all
    "|(?=([\xa1-\xff]))(?!\\1{4})[\xa1-\xff]{4}"  # "Îñíîâû", "ÖÐ¹ú": Cyrillic or Chinese as Western
    "|\\b[а-яё][А-ЯЁ]{4}"  # "нЯМНБШ": one Cyrillic code as another
    "|[A-Za-z][¡¦§±¶¹³¼½¾¿‡ˆ‰•˜™›Ÿ]{1,2}[a-z]|[a-z][ŽŸŠŒ]"  # "W³adys³aw", "MŸller"
    "|(?:[‚ƒ„][^\x00-\x7f‚ƒ„\u2018-\u201f]){2}|(?:ƒ.){2}"  # Japanese as Western
    "|(?:[ÃÂ][\xa0-\xbf€-™])"  # "Ã©" also in other signs
)
_LOST = re.compile(r"[^\W\d_]\?[a-zà-ÿ]|\?{3}")


def find_codec(name: str) -> str:
    """Return Python's name of an encoding that text may be written in, "" if it is unknown."""
    try:
        codec = codecs.lookup(_ALIASES.get(name.lower(), name)).name
    except (LookupError, ValueError):  # ValueError: a NUL in the name
        return ""
    return codec if _KNOWN.fullmatch(codec) else ""


def decode_strictly(data: bytes, codec: str) -> tuple[str, str] | None:
    """Return the text and the encoding, or the larger one, that it was read in; None if it does not fit."""
    for name in dict.fromkeys((_SUPERSETS.get(codec, codec), codec)):
        try:
            return data.decode(name), name
        except UnicodeError:
            continue
    return None


def is_damaged(text: str) -> bool:
    """Return whether letters of a text are lost, or were read in an encoding that it is not written in."""
    if text.isascii():
        return _LOST.search(text) is not None
    return any(pattern.search(text) for pattern in (_DAMAGE, _LOST)) or any(
        map(_is_unicode_misread, _RUN.findall(text)[:99])
    )


def _is_unicode_misread(run: str) -> bool:
    """Return whether signs are the bytes of UTF-8, each read as a letter: "Ã©", "Рњ", "Ă©"."""
    for codec in _MISREAD_AS:
        try:
            run.encode(codec).decode()
        except UnicodeError:
            continue
        return True
    return False
