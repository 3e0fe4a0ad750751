"""Which lines begin an entry where nothing is printed before it: names after an entry that has ended."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from citeproof.reading.extractors.prose.sentence_spans import load_words
from citeproof.reading.extractors.prose.text_lines import TextLine
from citeproof.text import dates, ids
from citeproof.text import lazy_patterns as re

_UP = r"[^\W\d_a-zß-öø-ÿ]"
_WORD = rf"{_UP}[\w'’ʼ-]{{1,30}}"
_PARTICLE = r"(?:(?:van|von|der|den|de|del|della|di|da|dos|du|la|le|ter|ten|zu|al|el|bin|ibn|St\.)\s){0,3}"
_INITIALS = rf"{_UP}\.(?:\s?-?{_UP}\.){{0,4}}"
_GLUED = rf"{_UP}{{1,3}}(?=[\s,.;:)(]|$)"
# "LeCun, Y.", "LeCun Y,", "Y. LeCun", "LeCun, Y., Bengio", "van den Berg, R."
_STRONG = re.compile(
    rf"{_PARTICLE}{_WORD}(?:[\s-]{_WORD}){{0,2}}(?:,\s?|\s)(?:{_INITIALS}|{_GLUED})(?:[,;.:&(\s]|$)"
    rf"|(?:{_INITIALS})\s?{_PARTICLE}{_WORD}"
    rf"|{_PARTICLE}{_WORD}(?:\set\sal\.?)?,\s[“\"]{_UP}[^“”\"]{{12,250}}[”\"]"  # Smith, "A title"
)
_FULL = rf"{_WORD}(?:[\s-](?:{_WORD}|{_UP}\.|{_PARTICLE}{_WORD})){{1,3}}"
# "Anant K. Agarwal, Ivan Zaitsev", "Diederik P. Kingma and Jimmy Ba": two full names, or one before its year
_PEOPLE = re.compile(
    rf"{_PARTICLE}{_UP}[\w'’-]{{0,30}},\s{_WORD}(?:\s{_UP}\.?)*(?:,\s(?:and\s|&\s)?{_PARTICLE}{_WORD}(?:[\s-](?:{_WORD}|{_UP}\.?)){{0,3}}){{1,12}}[.,]?\s\(?(?:1[5-9]|20)\d\d"
    rf"|{_FULL}(?:,\s(?:and\s)?{_FULL}|\s(?:and|&|und|et|y)\s{_FULL}|[.,]?\s\(?(?:1[5-9]|20)\d\d)"
)
# "Luhmann, Niklas", "World Health Organization (2020)"
_WEAK = re.compile(
    rf"{_PARTICLE}{_WORD}(?:[\s-]{_WORD})?,\s{_WORD}[\s,;./:&(]"
    rf"|{_WORD}(?:\s(?:of|for|and|the|&|{_WORD})){{0,8}}[.,]?\s\(?(?:1[5-9]|20)\d\d[a-z]?[).,]"
    r"|[\u3400-\u9fff]{2,4}[,，.．、]"
)
_ENDED = re.compile(
    r"(?:[.)\]”\"]|\d[\d–-]{0,12}|[\w/]{12}"
    r"|\b(?:CrossRef|Medline|PubMed|Scholar|Full Text|Link|View))\]?[\s\u200b]{0,3}$"
)
_HANGS = re.compile(
    r"(?:\b(?:vol|no|eds?|in|and|al|of|the)\.?|(?<!\d\s)\bpp?\.?|[,:;&(–-])\s{0,3}$", re.IGNORECASE
)
_YEAR_LAST = re.compile(r"\(?(?:1[5-9]|20)\d\d[a-z]?\)?[.:,]?\s{0,3}$")
_SAME_AUTHOR = re.compile(
    r"\s{0,3}(?:(?:[—–_-]{2,9}|[—–-](?=[.,&]))[.,:]?(?:\s|$)"  # "———. 1968."
    r"|(?:Ders|Dies)\.(?=[,:;/\s])|(?:Idem|Eadem)[.,:]\s)"
)


def has_leading_name(line: str) -> bool:
    """Return whether a line begins as an entry does: "LeCun, Y.", "Y. LeCun", "Yann LeCun and"."""
    line = line.lstrip(' \t*_“"')[:300]
    named = bool(_STRONG.match(line) or _PEOPLE.match(line))
    return named and _find_first_word(line) not in load_words("no_names")


def has_entry_end(line: str) -> bool:
    """Return whether an entry may end with this line: not in the middle of a list or a phrase."""
    return bool(_ENDED.search(line[-60:])) and not _HANGS.search(line[-12:])


def find_named_starts(lines: Sequence[TextLine], filled: Sequence[int]) -> set[int]:
    """Return which of the `filled` lines begin an entry, told by names and by the end of the entry before."""
    strong = [index for index in filled if has_leading_name(lines[index].text)]
    ordered = _is_alphabetical([_find_first_word(lines[index].text) for index in strong])
    starts = {filled[0]}
    group = [lines[filled[0]].text]
    for before, index in pairwise(filled):
        line = lines[index].text
        weak = ordered and _WEAK.match(line.lstrip()) is not None and _is_in_order(lines, index, starts)
        sure = index in strong or weak or _SAME_AUTHOR.match(line) is not None
        if sure and _is_entry_over(group, lines[before].text, gap=index > before + 1):
            starts.add(index)
            group = []
        group.append(line)
    return starts


def _is_entry_over(group: list[str], before: str, *, gap: bool) -> bool:
    """Return whether the entry available may be over: it has a year or identifier, and its last line ends."""
    if not gap and not has_entry_end(before):
        return False
    text = " ".join(group)[-4000:]
    if not (dates.find_years(text) or ids.find_ids(text[-600:])):
        return False
    return not (_YEAR_LAST.search(before[-20:]) and _has_only_names(text))


def _has_only_names(text: str) -> bool:
    """Return whether all that comes before the year is names: then the title is still to come."""
    joints = ("and", "et", "al", "und", "Eds", "eds")
    words = [word for word in re.findall(r"[^\W\d_]{2,}", text) if word not in joints]
    small = sum(word[0].islower() for word in words)
    return len(words) > 1 and small <= len(words) // 8 and not re.search(r"[“\"]", text)


def _is_alphabetical(words: Sequence[str]) -> bool:
    """Return whether the entries are in the order of their first letters, but for a few."""
    pairs = list(pairwise(words))
    return len(pairs) > 2 and sum(a[:1] <= b[:1] for a, b in pairs) >= 0.8 * len(pairs)


def _is_in_order(lines: Sequence[TextLine], index: int, starts: set[int]) -> bool:
    """Return whether a doubtful start keeps the alphabetical order."""
    last = _find_first_word(lines[max(starts)].text)[:1]
    word = _find_first_word(lines[index].text)
    in_order = bool(word) and last <= word[:1] <= chr(ord(last or "a") + 2)
    return in_order and word not in load_words("no_names")


def _find_first_word(line: str) -> str:
    word = re.search(r"[^\W\d_]{2,}", line[:80])
    return word[0].lower() if word else ""
