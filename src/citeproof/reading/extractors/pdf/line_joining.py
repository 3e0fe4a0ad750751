"""Lines to one text: broken words made whole, compounds and addresses left as they were printed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from citeproof.reading.extractors.pdf.page_layout import PdfLine
from citeproof.reading.extractors.prose.hyphenated_words import (
    find_tail_word,
    is_shared_ending,
    join_broken_word,
)
from citeproof.text import lazy_patterns as re
from citeproof.text.dates import MODERN_YEAR

_BROKEN = "\x02"  # pdfium's mark for a hyphen at a line end
_WORD = re.compile(r"[^\W\d_]+(?:[-‐‑][^\W\d_]+)*")
_ADDRESS = re.compile(r"(?i)(?:https?:|ftp:|www\.|doi[.:]|10\.\d{4,9}|arxiv:)\S*$")
_GOES_ON = re.compile(r"[\w%#?&=~@+./_:,;()<>-]*[\d/._%=&?#_-][\w%#?&=~@+./_:,;()<>-]*$")
_REGISTRANT = re.compile(r"\d{4,9}/\S")  # what follows "10." in a DOI
_BARE = re.compile(r"[a-z]{1,30}[).,;]{0,2}$")
_OPEN_END = re.compile(r"[/\-_=?&%#:.]$|\(\d{0,4}\)?[\d:-]{0,9}$")
_PREFIXES = frozenset(["self", "semi", "cross", "well", "non", "quasi"])
_STRETCHED = re.compile(r"https? ?: ?/ ?/|(?:org|10|\d) [./] ")
_LOOSE_START = re.compile(r"(?:https?:?/{0,2}\S*|doi|doi\.org\S*|10|10\.\d\S*|www)$")
_IN_ADDRESS = re.compile(r"[\w%~=?&#()<>;+./:-]+,?$")
_JOINTS = (".", "/", ":", "-", "_", "//", "?", "=")
_CJK = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\u3000-\u303f]")


class DocumentWords:
    """The words of a document, to tell a broken word from a compound that was cut at its hyphen."""

    def __init__(self, lines: Iterable[PdfLine]) -> None:
        self._words: set[str] = set()
        for line in lines:
            # the last word may be cut, and the first may be the rest of one
            self._words.update(_WORD.findall(line.text.lower())[1:-1])

    def join_word(self, left: str, right: str) -> str:
        """Return `left-` and `right` as one word: with the hyphen if the document writes it so."""
        head, tail = find_tail_word(left), _WORD.match(right)
        rest = tail[0].lower() if tail else ""
        if not head or not rest:
            return f"{left}-{right}"
        if is_shared_ending(right):
            return f"{left}- {right}"  # "pre- and post-operative"
        with_hyphen, without = f"{head}-{rest}", head + rest
        if not right[:1].islower():  # a name or an acronym: Hahn-Powell, but SciBERT
            if without in self._words and with_hyphen not in self._words:
                return left + right
            return f"{left}-{right}"
        if len(head) == 1 or head in _PREFIXES:  # no rule of hyphenation cuts here: t-test
            return left + right if without in self._words else f"{left}-{right}"
        if with_hyphen in self._words and without not in self._words:
            return f"{left}-{right}"
        if without not in self._words and "-" in head and head in self._words:
            return f"{left}-{right}"
        if without in self._words:
            return left + right
        return join_broken_word(left, right)


def join_lines(lines: Sequence[PdfLine], words: DocumentWords, limit: int = 100_000) -> str:
    """Return the lines as one text of at most `limit` characters."""
    whole = ""
    for line in lines:
        if len(whole) > limit:
            break
        whole = append_line(whole, line.text, words)
    return whole.removesuffix(_BROKEN)[:limit]


def close_addresses(text: str) -> str:
    """Return a text whose addresses have no spaces in them: "https : / / doi . org / 10 . 1000/x".

    Typesetters stretch the places where a long address may break until they read as spaces.
    """
    if not _STRETCHED.search(text):
        return text
    whole: list[str] = []
    inside = joint = False
    for token in text.split(" "):
        if inside and (joint or token in _JOINTS) and _IN_ADDRESS.match(token):
            whole[-1] += token
            inside = not token.endswith(",")
        else:
            whole.append(token)
            inside = bool(_LOOSE_START.match(token))
        joint = token in _JOINTS
    return " ".join(whole)


def append_line(whole: str, part: str, words: DocumentWords) -> str:
    """Return `whole` followed by the line `part`."""
    part = part.strip()
    if not whole or not part:
        return whole or part
    before = whole[-300:].rpartition(" ")[2].rstrip(_BROKEN)
    if _ADDRESS.search(before) and (whole.endswith(_BROKEN) or _is_address_continued(before, part)):
        return (whole[:-1] + "-" if whole.endswith(_BROKEN) else whole) + part
    if before.endswith("10.") and not before[:-3][-1:].isalnum() and _REGISTRANT.match(part):
        return whole + part
    if whole.endswith(_BROKEN):
        return whole[:-1].removesuffix(before) + words.join_word(before, part)
    if whole.endswith("-") and whole[-2:-1].isalpha() and part[:1].islower():
        return whole[:-1].removesuffix(before[:-1]) + words.join_word(before[:-1], part)
    if whole.endswith(("-", "–", "/")) and whole[-2:-1].isalnum() and part[:1].isalnum():
        return whole + part
    if _CJK.match(whole[-1]) and _CJK.match(part[0]):
        return whole + part
    return f"{whole} {part}"


def _is_address_continued(before: str, part: str) -> bool:
    """Return whether a line that begins with `part` continues the address `before`."""
    first = part.split(maxsplit=1)[0]
    sentence = before.endswith((".", ",", ";")) and first[:1].isupper() and not _is_address_like(first)
    if first[0] in "([<" or sentence:
        return False
    if before.endswith((",", ";")) or (before.endswith(")") and not _is_balanced(before)):
        return False
    if _OPEN_END.search(before):
        return bool(_GOES_ON.match(first) or (_BARE.match(first) and not before.endswith(".")))
    return bool(_GOES_ON.match(first)) and _is_address_like(first)


def _is_balanced(before: str) -> bool:
    """Return whether an identifier closes only brackets of its own: 10.1016/S0022-2836(05)."""
    match = _ADDRESS.search(before)
    return match is not None and match[0].count("(") >= match[0].count(")")


def _is_address_like(word: str) -> bool:
    """Return whether a word holds what addresses hold and words do not."""
    inner = word.rstrip(".,;)")
    year = re.fullmatch(rf"\(?{MODERN_YEAR}[a-z]?\)?", inner)
    return bool(re.search(r"[\d/_%=&?#]|\w\.\w", inner)) and not year
