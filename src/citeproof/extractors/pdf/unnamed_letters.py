"""Letters of fonts that carry no names, as TeX's bitmap fonts: the words they are in tell what they are.

Ligatures are tried in the words of a page; where they show an encoding of TeX (OT1 or Cork's), its other
codes are read too.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from functools import cache
from importlib.resources import files

_OLD = {0x0B: "ﬀ", 0x0C: "ﬁ", 0x0E: "ﬃ", 0x0F: "ﬄ", 0x10: "ı"}  # OT1's, read even without a sign of it
_OT1 = {0x11 + at: letter for at, letter in enumerate("\u0237`´ˇ˘¯˚¸ßæœøÆŒØ")} | {0x7F: "¨"}
_CORK = (
    {0x10 + at: letter for at, letter in enumerate("“”„«»–—")}
    | {0x19: "ı", 0x1A: "\u0237", 0x1B: "ﬀ", 0x1C: "ﬁ", 0x1D: "ﬂ", 0x1E: "ﬃ", 0x1F: "ﬄ", 0x7F: "-"}
    | {0x80 + at: letter for at, letter in enumerate("ĂĄĆČĎĚĘĞĹĽŁŃŇŊŐŔŘŚŠŞŤŢŰŮŸŹŽŻĲİđ§")}
)
_CORK_SMALL = dict(zip("¡¢£¤¥¦§¨©ª«¬®¯°±²³´µ¶·¸¹º»", "ąćčďěęğĺľłńňőŕřśšşťţűůÿźžż", strict=True))
_SMALL_INSIDE = re.compile("(?<=[^\\W\\d_])[" + "".join(_CORK_SMALL) + "](?=[a-z])")
_SIGNS = {"ff": "ﬀ", "fi": "ﬁ", "fl": "ﬂ", "ffi": "ﬃ", "ffl": "ﬄ"}
_WORD = re.compile("[A-Za-zÀ-ÿ]{0,30}[\x0b\x0c\x0e-\x1f][A-Za-zÀ-ÿ]{1,30}")
_MOST_WORDS = 400  # of a page that are tried
_SURE = 2  # words, and twice as many as for another ligature


def read_unnamed_letters(text: str) -> str:
    """Return a page's text with codes that stand for letters as these letters."""
    told = _tell_ligatures(text)
    if told.get(0x1C) == "ﬁ" and told.items() <= _CORK.items():
        return _SMALL_INSIDE.sub(lambda match: _CORK_SMALL[match[0]], text).translate(_CORK)
    old = _OLD | _OT1 if told.get(0x0C) == "ﬁ" else _OLD
    return text.translate(old | told)


def _tell_ligatures(text: str) -> dict[int, str]:
    """Return the ligature that each code stands for, where the words of the page make it sure."""
    votes: dict[int, Counter[str]] = {}
    for word in list(dict.fromkeys(_WORD.findall(text)))[:_MOST_WORDS]:
        code = next(letter for letter in word if letter < " ")
        if word.count(code) > 1:
            continue
        at = word.index(code)
        for ligature, stems in _load_stems().items():
            tried = stems.finditer(word.replace(code, ligature).lower())
            if any(stem.start() <= at and stem.end() >= at + len(ligature) for stem in tried):
                votes.setdefault(ord(code), Counter())[ligature] += 1
    found: dict[int, str] = {}
    for code, counts in votes.items():
        (best, most), (_, next_most) = [*counts.most_common(2), ("", 0)][:2]
        if most >= _SURE and most >= 2 * next_most:
            found[code] = _SIGNS[best]
    return found


@cache
def _load_stems() -> dict[str, re.Pattern[str]]:
    source = files("citeproof.extractors.pdf").joinpath("ligature_stems.toml").read_text("utf-8")
    table: dict[str, str] = tomllib.loads(source)
    return {name: re.compile("|".join(map(re.escape, words.split()))) for name, words in table.items()}
