"""Quoted words against a passage: the differences, the harmless ones told apart from those that are not.

A name is a word with a capital where the sentence does not ask for one. Letters that scanning takes for one
another: two words that look alike may be one word, scanned badly.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz.distance import LCSseq, Levenshtein, Opcodes

from citeproof.claims.quotes.difference_weights import (
    has_negation,
    has_same_polarity,
    is_turned_round,
    list_numbers,
    weigh_difference,
)
from citeproof.claims.quotes.omitted_citations import is_omitted_citation, is_page_furniture
from citeproof.claims.quotes.quotation_parts import QuotedWord, is_tied
from citeproof.claims.quotes.quotation_types import DifferenceWeight, WordDifference
from citeproof.claims.quotes.source_index import SourceIndex
from citeproof.claims.quotes.word_tokens import is_number
from citeproof.text import lazy_patterns as re
from citeproof.text.title import spell_american

_LONGEST = 60  # characters of a word that is compared
_FEWEST, _SHARE = 2, 4  # confusions that one word may have: two, or one in four letters
# What is printed, and what scanners make of it or the other way round. Case is gone: I and l look alike.
_PAIRS = (
    "rn m", "nn m", "in m", "ni m", "iii m", "ri n", "vv w", "cl d", "ci d", "li h", "ii u", "il u", "li u",
    "tl d", "i l", "i 1", "l 1", "i !", "l !", "i |", "l |", "i j", "o 0", "s 5", "b 8", "b 6", "g 9", "g q",
    "q 9", "z 2", "h b", "e c", "u n", "f t", "o c", "y v", "t 7", "fi f", "fl f",
)  # fmt: skip
_SPLIT = [(one, other) for one, _, other in (pair.partition(" ") for pair in _PAIRS)]
_ALIKE = frozenset([*_SPLIT, *((other, one) for one, other in _SPLIT)])
_SIZES = sorted({(len(one), len(other)) for one, other in _ALIKE})
_BEGINS = re.compile(r"(?:\A|[.!?:;•–—\"“”„«»()\[\]\n])\s{0,20}\Z")
SHOWN = 160  # characters of a difference that are kept
INSERTED = 12  # words that brackets may represent
_REACH = 40  # words by which a passage may be extended
_BEYOND = 2  # words beyond the ends of a passage that may be the rest of a broken word
_JOINED = 4  # words that hyphenation or lost blanks may make of one
_BETWEEN = "\x1f"
_SI = re.compile(r"[mM](?:[mMgGlLsSvVwWjJ]|[bB]|[hH]z|eV|[pP]a|ol)?")  # units in which the case matters
_Explained = tuple[WordDifference, int, int, int]


def is_scan_error(quoted: str, read: str, source: SourceIndex) -> bool:
    """Return whether two stretches are the same but for letters that scanners confuse.

    Real words are never taken for one another: one of the two must be no word, that is, the source has the
    quoted form nowhere, or its own form only here. A digit for a digit is another number.
    """
    if not quoted or not read or max(len(quoted), len(read)) > _LONGEST or not _looks_alike(quoted, read):
        return False
    if len(quoted) == 1 and len(read) == 1:
        return quoted.isdecimal() != read.isdecimal()
    return source.count(quoted) == 0 or (source.count(read) <= 1 and len(read) > 3)


@lru_cache(maxsize=1 << 12)
def _looks_alike(quoted: str, read: str) -> bool:
    """Return whether one can be read as the other with few confusions."""
    most = max(_FEWEST, min(len(quoted), len(read)) // _SHARE)
    reached = {(0, 0): 0}
    for i in range(len(quoted) + 1):
        for j in range(len(read) + 1):
            cost = reached.get((i, j))
            if cost is None or cost > most:
                continue
            if quoted[i : i + 1] == read[j : j + 1]:
                reached[i + 1, j + 1] = min(cost, reached.get((i + 1, j + 1), cost))
            for a, b in _SIZES:
                if (quoted[i : i + a], read[j : j + b]) in _ALIKE:
                    reached[i + a, j + b] = min(cost + 1, reached.get((i + a, j + b), cost + 1))
    return reached.get((len(quoted), len(read)), most + 1) <= most


def is_source_name(at: int, source: SourceIndex) -> bool:
    """Return whether a word of the source is a name."""
    start = int(source.starts[at])
    text = source.text[start : int(source.ends[at])]
    if not text[0].isupper() or source.capitalises_nouns:
        return False
    if len(text) > 1 and any(letter.isupper() for letter in text[1:]):
        return True  # DNA, McDonald
    return len(text) > 2 and not _BEGINS.search(source.text[max(0, start - 30) : start])


def is_quoted_name(word: QuotedWord, source: SourceIndex) -> bool:
    """Return whether a word of the quotation is a name; it must not be one that the source writes small."""
    text = word.text
    if not text[0].isupper() or source.capitalises_nouns or len(text) < 3:
        return False
    places = source.find_places(number)[:20] if (number := source.find_id(word.word)) >= 0 else ()
    return not any(source.text[source.starts[at]].islower() for at in places) and len(places) > 0


@dataclass(frozen=True, slots=True)
class ComparedWords:
    """What the comparison of a stretch with a passage gave."""

    differences: tuple[WordDifference, ...]
    fitting: int  # quoted words that the passage has, or that it has but for typesetting
    low: int  # the passage, without words at its ends that were only looked at
    high: int


@dataclass(frozen=True, slots=True)
class _Group:
    """Words that differ, between words that do not."""

    quoted: tuple[QuotedWord, ...]
    low: int
    high: int
    first: bool  # nothing fits before it
    last: bool


def compare_words(
    quoted: Sequence[QuotedWord], low: int, high: int, source: SourceIndex, edges: tuple[int, int] = (0, 0)
) -> ComparedWords:
    """Return how a stretch of a quotation differs from the words `low` to `high` of a source.

    `edges`: how many words before and after that passage may belong to it.
    """
    ids = [source.find_id(word.word) for word in quoted]
    before, after = _choose_ends(ids, low, high, source, edges)
    ops = Levenshtein.opcodes(ids, source.ids[before:after].tolist())
    fitting, found = 0, []
    first_word, last_word = after, before
    groups = list(_group_differences(quoted, ops, before))
    for group in groups:
        for difference, fits, low_at, high_at in _explain_group(group, source):
            fitting += fits
            if high_at > low_at or difference.quoted:
                first_word, last_word = min(first_word, low_at), max(last_word, high_at)
            found.append(difference)
    for op in ops:
        if op.tag == "equal":
            fitting += sum(not word.editorial for word in quoted[op.src_start : op.src_end])
            first_word = min(first_word, before + op.dest_start)
            last_word = max(last_word, before + op.dest_end)
            found += find_unit_changes(quoted[op.src_start : op.src_end], before + op.dest_start, source)
    if first_word >= last_word:
        first_word, last_word = low, high
    return ComparedWords(tuple(sorted(found, key=lambda one: one.at)), fitting, first_word, last_word)


def _choose_ends(
    ids: list[int], low: int, high: int, source: SourceIndex, edges: tuple[int, int]
) -> tuple[int, int]:
    """Return the words from and to which the passage fits the quoted words best."""
    if not any(edges):
        return low, high
    first = max(0, low - min(edges[0] + _BEYOND, _REACH)) if edges[0] else low
    last = min(len(source), high + min(edges[1] + _BEYOND, _REACH)) if edges[1] else high
    read = source.ids[first:last].tolist()
    begins = sorted(range(first, low + 1), key=lambda at: abs(low - at - edges[0]))
    before = min(begins, key=lambda at: _measure_misfit(ids, read[at - first : high - first]))
    ends = sorted(range(high, last + 1), key=lambda at: abs(at - high - edges[1]))
    after = min(ends, key=lambda at: _measure_misfit(ids, read[before - first : at - first]))
    return before, after


def _measure_misfit(ids: list[int], read: list[int]) -> tuple[int, int]:
    return Levenshtein.distance(ids, read), -LCSseq.similarity(ids, read)


def find_unit_changes(
    quoted: Sequence[QuotedWord], low: int, source: SourceIndex
) -> Iterator[WordDifference]:
    """Yield units that differ in their case only and are others by that: 5 mM, 5 mm."""
    for at in range(1, len(quoted)):
        text = quoted[at].text
        if not is_number(quoted[at - 1].word) or not _SI.fullmatch(text):
            continue
        read = source.read_words(low + at, low + at + 1)
        if text != read and _SI.fullmatch(read):
            place = int(source.starts[low + at])
            yield WordDifference("replace", text, read, DifferenceWeight.UNIT, place)


def weigh_brackets(quoted: Sequence[str], low: int, high: int, source: SourceIndex) -> DifferenceWeight:
    """Return what words in brackets change, given the words `low` to `high` of the source in their place."""
    read = [source.words[one] for one in source.ids[low:high]]
    if has_negation(quoted) != has_negation(read):
        return DifferenceWeight.NEGATION
    if set(list_numbers(read)) - set(list_numbers(quoted)):
        return DifferenceWeight.NUMBER
    return DifferenceWeight.JOINED if source.ends_sentence(low, high) else DifferenceWeight.EDITORIAL


def _group_differences(quoted: Sequence[QuotedWord], ops: Opcodes, low: int) -> Iterator[_Group]:
    held: list[int] | None = None
    seen = False
    for op in ops:
        if op.tag == "equal":
            if held is not None:
                yield _Group(tuple(quoted[held[0] : held[1]]), held[2], held[3], not seen, last=False)
            held, seen = None, True
        elif held is None:
            held = [op.src_start, op.src_end, low + op.dest_start, low + op.dest_end]
        else:
            held[1], held[3] = op.src_end, low + op.dest_end
    if held is not None:
        yield _Group(tuple(quoted[held[0] : held[1]]), held[2], held[3], not seen, last=True)


def _explain_group(group: _Group, source: SourceIndex) -> Iterator[_Explained]:
    """Yield the differences of a group, how many quoted words fit after all, and where they are."""
    own = [word for word in group.quoted if not word.editorial]
    low, high = group.low, group.high
    if not own:
        yield from _explain_empty(group, source)
        return
    for forwards in [*([False] if group.first else []), *([True] if group.last else [])]:
        near = (low, min(len(source), high + _BEYOND)) if forwards else (max(0, low - _BEYOND), high)
        found, _, left = _take_harmless(own, *near, source, forwards=forwards)
        if not left:
            yield from found
            return
    front, low, own = _take_harmless(own, low, high, source, forwards=True)
    back, high, own = _take_harmless(own, low, high, source, forwards=False)
    yield from front
    if own or (low < high and not (group.first and not front) and not (group.last and not back)):
        high = _extend_negation(low, high, source) if own and group.last and not back else high
        yield _explain_change(own, low, high, source), 0, low, high
    yield from back


def _extend_negation(low: int, high: int, source: SourceIndex) -> int:
    """Return where a passage ends if the negation that it breaks off in counts: は|ない."""
    for end in range(high + 1, min(high + _BEYOND, len(source)) + 1):
        letters = [source.words[one] for one in source.ids[low:end]]
        if letters[-1] >= "\u2e80" and has_negation(letters) and not has_negation(letters[: high - low]):
            return end
    return high


def _explain_empty(group: _Group, source: SourceIndex) -> Iterator[_Explained]:
    """Yield the difference of a group without words of the source's own: brackets, or something left out."""
    low, high = group.low, group.high
    if group.first or group.last:
        if group.quoted:
            at = high if group.first else low
            yield _explain_change((), at, at, source, group.quoted), 0, at, at
    elif group.quoted or low < high:
        yield _explain_change((), low, high, source, group.quoted), 0, low, high


def _take_harmless(
    own: list[QuotedWord], low: int, high: int, source: SourceIndex, *, forwards: bool
) -> tuple[list[_Explained], int, list[QuotedWord]]:
    """Return the differences at one end that only typesetting or scanning made, and what is left."""
    found: list[_Explained] = []
    while own and low < high:
        taken = next(_list_harmless(own, low, high, source, forwards=forwards), None)
        if taken is None:
            break
        count, reads, weight = taken
        words = own[:count] if forwards else own[-count:]
        start, end = (low, low + reads) if forwards else (high - reads, high)
        found.append((_make_difference("replace", words, start, end, weight, source), count, start, end))
        own = own[count:] if forwards else own[:-count]
        low, high = (end, high) if forwards else (low, start)
    if not forwards:
        found.reverse()
    return found, (low if forwards else high), own


def _list_harmless(
    own: Sequence[QuotedWord], low: int, high: int, source: SourceIndex, *, forwards: bool
) -> Iterator[tuple[int, int, DifferenceWeight]]:
    """Yield how many quoted words are how many of the source's, but for typesetting or scanning."""
    for total in range(2, 2 * _JOINED + 1):
        for count in range(max(1, total - _JOINED), min(total - 1, _JOINED, len(own)) + 1):
            reads = total - count
            if reads > high - low:
                continue
            words = own[:count] if forwards else own[-count:]
            start = low if forwards else high - reads
            weight = _find_harmless(words, start, start + reads, source)
            if weight is not None:
                yield count, reads, weight


def _find_harmless(
    quoted: Sequence[QuotedWord], low: int, high: int, source: SourceIndex
) -> DifferenceWeight | None:
    ours = [word.word for word in quoted]
    theirs = [source.words[one] for one in source.ids[low:high]]
    one, other = _join_letters(ours), _join_letters(theirs)
    if one == other:
        weight = DifferenceWeight.TYPOGRAPHY
    elif len(quoted) == 1 and quoted[0].stem and len(theirs) == 1 and other.startswith(one):
        return DifferenceWeight.EDITORIAL
    elif len(ours) > 1 and len(theirs) > 1:  # two words that look like two others are taken one by one
        return None
    elif spell_american(one) == spell_american(other):
        weight = DifferenceWeight.SPELLING
    elif is_scan_error(one, other, source) and not is_turned_round(ours, theirs):
        weight = DifferenceWeight.SCAN
    else:
        return None
    # "not able" is not "notable", but "no-table" is
    same = _is_one_word(quoted, low, high, source) or has_same_polarity(ours, theirs)
    return weight if same else None


def _is_one_word(quoted: Sequence[QuotedWord], low: int, high: int, source: SourceIndex) -> bool:
    """Return whether both sides are one word, however hyphens and digits in it break it."""
    ends = (int(source.ends[at]) for at in range(low, high - 1))
    return all(word.tied for word in quoted[:-1]) and all(is_tied(source.text, end) for end in ends)


def _join_letters(words: Sequence[str]) -> str:
    """Return words as one; two numbers do not become one number."""
    text = words[0]
    for word in words[1:]:
        text += (_BETWEEN if is_number(text) and word[0].isdecimal() else "") + word
    return text.replace("'", "")


def _explain_change(
    own: Sequence[QuotedWord], low: int, high: int, source: SourceIndex, brackets: Sequence[QuotedWord] = ()
) -> WordDifference:
    """Return the difference that quoted words are, which the source does not have like that."""
    ours = [word.word for word in own]
    theirs = [source.words[one] for one in source.ids[low:high]]
    op = "replace" if own and theirs else "insert" if own or brackets else "delete"
    if not own and brackets and high - low <= INSERTED:
        weight = weigh_brackets([word.word for word in brackets], low, high, source)
        return _make_difference(op, brackets, low, high, weight, source)
    if not own and is_omitted_citation(low, high, source):
        return _make_difference(op, own, low, high, DifferenceWeight.CITATION, source)
    if not own and not has_negation(theirs) and is_page_furniture(low, high, source):
        return _make_difference(op, own, low, high, DifferenceWeight.TYPOGRAPHY, source)
    after_number = low > 0 and is_number(source.words[source.ids[low - 1]])
    weight = weigh_difference(ours, theirs, after_number)
    if weight is DifferenceWeight.WORD and (
        any(is_quoted_name(word, source) for word in own)
        or any(is_source_name(at, source) for at in range(low, min(high, low + 20)))
    ):
        weight = DifferenceWeight.ENTITY
    return _make_difference(op, own, low, high, weight, source)


def _make_difference(
    op: str, quoted: Sequence[QuotedWord], low: int, high: int, weight: DifferenceWeight, source: SourceIndex
) -> WordDifference:
    at = int(source.starts[low]) if low < len(source) else len(source.text)
    ours = show_words(" ".join(word.text for word in quoted))
    return WordDifference(op, ours, show_words(source.read_words(low, high)), weight, at)


def show_words(text: str) -> str:
    """Return words on one line, bounded; the end of what is too long stays in sight."""
    line = " ".join(text[: 20 * SHOWN].split())
    return line if len(line) <= SHOWN else line[: SHOWN // 2].rstrip() + " … " + line[-SHOWN // 2 :].lstrip()
