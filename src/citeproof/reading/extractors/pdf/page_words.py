"""The words of a page with their places, read through pdfium's C interface.

Only the first and the last character of a word are asked for their place: calls cost more than
characters. Line ends follow pdfium, which keeps the order in which the page was written.
"""

from __future__ import annotations

import unicodedata

from citeproof.reading.extractors.pdf.page_glyphs import JOINER, Glyphs
from citeproof.reading.extractors.pdf.page_layout import PdfRun, PdfWord
from citeproof.text import lazy_patterns as re

_TOKEN = re.compile(r"[^\s\x02]+\x02?|\n|\x02")
# a superscript that is glued to its word, or to the full stop behind it
_TRAILING = re.compile(r"(?:^|(?<=\D))(\d{1,3}(?:[,–‐-]\d{1,3}){0,12})([.,;:)\]”’]{0,3})$")
_LEADING = re.compile(r"\d{1,3}(?=[^\W\d_]|[“„\"«(])")  # the number of a note, glued to its first word
_AFTER = ".,;:)]”’"
_RAISE = 0.12  # of its height a superscript is above the line, at least
_LIGATURES = str.maketrans(
    {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st"}
)
_LIGATURE = re.compile("[\ufb00-\ufb06]")
_HYPHEN = "\x02"  # pdfium's mark for a hyphen at a line end
_ENDS = ("\n", _HYPHEN)
_FAR = 100_000.0  # points

_ACCENTS = {
    "\u00a8": "\u0308", "\u00b4": "\u0301", "`": "\u0300", "\u02c6": "\u0302", "\u02dc": "\u0303",
    "\u00af": "\u0304", "\u02d8": "\u0306", "\u02d9": "\u0307", "\u02da": "\u030a", "\u02c7": "\u030c",
    "\u02dd": "\u030b", "\u00b8": "\u0327", "\u02db": "\u0328", "\u02ca": "\u0301", "\u02cb": "\u0300",
}  # fmt: skip
_ACCENT = re.compile("[" + "".join(_ACCENTS) + "\u0300-\u036f]")
_DOUBLED = re.compile("(?<=[A-Za-z])[\u00c0-\u024f\u1e00-\u1eff]")


def read_runs(glyphs: Glyphs) -> list[PdfRun]:
    """Return the words of a page, run by run: a run ends where pdfium sees a line end or a wide gap."""
    glyphs.text = compose_accents(glyphs)
    runs: list[PdfRun] = []
    words: list[PdfWord] = []
    first = last = 0

    def close() -> None:
        nonlocal words
        if words:
            bold = glyphs.bold(first) and glyphs.bold(last)
            runs.append(PdfRun(words, bold, glyphs.upright(first)))
            words = []

    for match in _TOKEN.finditer(glyphs.text):
        token = match[0]
        if token in _ENDS:
            if token == _HYPHEN and words:
                words[-1] = words[-1]._replace(text=words[-1].text + token)
            close()
            continue
        start, end = match.span()
        pieces = _split_token(glyphs, token, start, end, first=not words)
        if not pieces:
            continue
        if words and _is_apart(words[-1], pieces[0]):
            close()
        if not words:
            first = start
        words += pieces
        last = max(start, end - 2)
        if token[-1] == _HYPHEN:
            close()
    close()
    return restore_stray_accents(runs)


def _is_apart(before: PdfWord, word: PdfWord) -> bool:
    """Return whether two words do not occur on one line next to each other."""
    _, _, edge, base, tall, _ = before
    _, left, _, level, size, _ = word
    size = max(tall, size, 4.0)
    return not (-0.8 * size <= left - edge <= 1.6 * size and -0.6 * size <= level - base <= 0.6 * size)


def _split_token(glyphs: Glyphs, text: str, start: int, end: int, *, first: bool) -> list[PdfWord]:
    """Return one token as a word, or as a word and the superscript numbers that are glued to it."""
    last = end - 2 if text[-1] == _HYPHEN else end - 1
    left, base, near, right, size = glyphs.extent(start, last)
    if not (-_FAR < left < _FAR and -_FAR < right < _FAR and -_FAR < base < _FAR and 0 <= size < _FAR):
        return []  # a hostile page may put it anywhere, or nowhere
    if last == start and near < left:
        left = near
    cleaned = text if text.isascii() else _clean_word(text)
    whole = [PdfWord(cleaned, left, right, base, size)] if cleaned else []
    if text.isalpha():  # as most are
        return whole
    if first and text[0].isdigit() and (mark := _LEADING.match(text)):
        return _split_leading_mark(glyphs, start, len(mark[0]), whole)
    if text.rstrip(_AFTER)[-1:].isdigit() and (glued := _TRAILING.search(text[-60:])):
        return _split_trailing_mark(glyphs, start, end, glued, whole)
    return whole


def _split_leading_mark(glyphs: Glyphs, start: int, digits: int, whole: list[PdfWord]) -> list[PdfWord]:
    """Return the words of a token that begins with digits: two, if these are raised."""
    edge, base = glyphs.origin(start + digits)
    _, _, size = glyphs.box(start)
    if not whole or base - whole[0].base <= _RAISE * whole[0].size:
        return whole
    word = whole[0]
    mark = PdfWord(word.text[:digits], word.left, edge, word.base, size, raised=True)
    return [mark, word._replace(text=word.text[digits:], left=edge, base=base)]


def _split_trailing_mark(
    glyphs: Glyphs, start: int, end: int, glued: re.Match[str], whole: list[PdfWord]
) -> list[PdfWord]:
    """Return the words of a token that ends with digits: these, if they are raised, apart from the rest."""
    stop = end - len(glued[2])
    at = stop - len(glued[1])
    if at == start and stop == end:  # nothing next to it to compare with; the rest of the line will tell
        return whole
    edge, height = glyphs.origin(at)
    right, base = glyphs.origin(stop) if stop < end else (whole[0].right, 0.0)
    base = glyphs.origin(start)[1] if at > start else base
    _, _, size = glyphs.box(at)
    if base - height <= _RAISE * size:
        return whole
    words = [PdfWord(glued[1], edge, right, height, size, raised=True)]
    if at > start:
        _, _, full = glyphs.box(start)
        words.insert(0, PdfWord(_clean_word(glyphs.text[start:at]), whole[0].left, edge, base, full))
    if stop < end:
        words.append(PdfWord(glued[2], right, whole[0].right, base, whole[0].size))
    return words


def _clean_word(text: str) -> str:
    """Return a word without joiners, its ligatures spelled out and its accents composed."""
    if text.isascii():
        return text
    text = text.replace(JOINER, "")
    text = text.translate(_LIGATURES) if _LIGATURE.search(text) else text
    return unicodedata.normalize("NFC", text)


def compose_accents(glyphs: Glyphs) -> str:
    """Return the text of a page with accents that were drawn as glyphs of their own put on their letters.

    The accent belongs to the letter it overlaps: the next one in TeX's output, the one before
    elsewhere. Every character keeps its index: what falls away becomes a joiner.
    """
    if not _ACCENT.search(glyphs.text) and not _DOUBLED.search(glyphs.text):
        return glyphs.text
    text = list(glyphs.text)
    for match in _DOUBLED.finditer(glyphs.text):
        at = match.start()
        if unicodedata.normalize("NFD", match[0])[0] == text[at - 1] and _has_same_place(glyphs, at - 1, at):
            text[at - 1] = JOINER  # pdfium gives the letter, and again with its accent
    for match in _ACCENT.finditer(glyphs.text):
        at = match.start()
        mark = _ACCENTS.get(match[0], match[0])
        under = _find_letter_under(glyphs, at)
        base = {"\u0131": "i", "\u0237": "j"}.get(text[under], text[under]) if under >= 0 else ""
        composed = unicodedata.normalize("NFC", base + mark)
        if under >= 0 and len(composed) == 1:
            text[under] = composed
            for index in range(min(at, under + 1), max(at + 1, under)):
                text[index] = JOINER
            if _is_accent_gap(glyphs, min(at, under), under):
                text[min(at, under) - 1] = JOINER
    return "".join(text)


def _is_accent_gap(glyphs: Glyphs, first: int, letter: int) -> bool:
    """Return whether the space before an accented letter is only the way the accent was moved."""
    if first < 2 or glyphs.text[first - 1] != " " or not glyphs.text[first - 2].isalpha():
        return False
    _, right, size = glyphs.box(first - 2)
    left, _, _ = glyphs.box(letter)
    return -0.1 * size < left - right < 0.1 * size


def _has_same_place(glyphs: Glyphs, one: int, other: int) -> bool:
    left, right, _ = glyphs.box(one)
    start, stop, _ = glyphs.box(other)
    return min(right, stop) - max(left, start) > 0.5 * min(right - left, stop - start)


def _find_letter_under(glyphs: Glyphs, at: int) -> int:
    """Return which letter near the accent at `at` it is over, -1 if none."""
    text = glyphs.text
    left, right, _ = glyphs.box(at)
    middle = (left + right) / 2
    best, distance = -1, 6.0
    for near in (at - 2, at - 1, at + 1, at + 2):
        adjacent = abs(near - at) == 1 or text[(near + at) // 2 : (near + at) // 2 + 1] == " "
        if not 0 <= near < len(text) or not text[near].isalpha() or not adjacent:
            continue
        start, stop, _ = glyphs.box(near)
        away = abs((start + stop) / 2 - middle)
        if start - 1 <= middle <= stop + 1 and away < distance:
            best, distance = near, away
    return best


def restore_stray_accents(runs: list[PdfRun]) -> list[PdfRun]:
    """Put accents that pdfium moved away from their letter back onto it, and join the word they parted."""
    strays = [word for run in runs for word in run.words if word.text in _ACCENTS]
    if not strays:
        return runs
    whole = [run._replace(words=_drop_strays(run.words)) for run in runs]
    for stray in strays:
        middle = (stray.left + stray.right) / 2
        for run in whole:
            for at, word in enumerate(run.words):
                level = abs(word.base - stray.base) < 0.6 * word.size
                over = level and word.left - 1 <= middle <= word.right + 1
                if over and (accented := _put_accent(word, middle, _ACCENTS[stray.text])):
                    run.words[at : at + 2] = _join_touching_word(accented, run.words[at + 1 : at + 2])
                    break
    return [run for run in whole if run.words]


def _drop_strays(words: list[PdfWord]) -> list[PdfWord]:
    """Return the words without lone accents; two that only such an accent parted are one."""
    fitting: list[PdfWord] = []
    dropped = False
    for word in words:
        if word.text in _ACCENTS:
            dropped = True
            continue
        fitting[-1:] = (
            _join_touching_word(fitting[-1], [word]) if fitting and dropped else [*fitting[-1:], word]
        )
        dropped = False
    return fitting


def _put_accent(word: PdfWord, middle: float, mark: str) -> PdfWord | None:
    """Return the word with `mark` on the letter nearest to `middle` that can carry it."""
    step = (word.right - word.left) / max(len(word.text), 1)
    places = sorted(range(len(word.text)), key=lambda i: abs(word.left + (i + 0.5) * step - middle))
    for place in places[:3]:
        base = {"\u0131": "i", "\u0237": "j"}.get(word.text[place], word.text[place])
        composed = unicodedata.normalize("NFC", base + mark)
        if base.isalpha() and len(composed) == 1:
            return word._replace(text=word.text[:place] + composed + word.text[place + 1 :])
    return None


def _join_touching_word(word: PdfWord, behind: list[PdfWord]) -> list[PdfWord]:
    """Return a word joined with the one behind it if there is no room for a space between them."""
    if behind and -1 < behind[0].left - word.right < 0.1 * word.size:
        return [word._replace(text=word.text + behind[0].text, right=behind[0].right)]
    return [word, *behind]
