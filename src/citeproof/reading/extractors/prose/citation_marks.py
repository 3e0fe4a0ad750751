r"""Marks that point into a list of references: `[1, 4–6]`, `[^note]`, `【1†source】`, `\cite{key}`, `[@key]`.

Numbers in brackets are also indices, intervals and dates, so the place decides: behind a word or a full stop,
not in code, no zero, no year. What the text itself lists under the number decides first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from citeproof.reading.extractors.prose.mention_reading import load_words
from citeproof.text import lazy_patterns as re

_MOST = 50  # numbers that one mark may list
_HIGHEST = 999  # number of a reference
_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻˒①②③④⑤⑥⑦⑧⑨", "0123456789-,123456789")
_PAGE = (
    r"(?:,\s?(?i:pp?|pages?|s|ch|chap|chapter|sec|section|fig|figs|table|eq|§|vol|no|thm|theorem|lemma|prop|cor"
    r"|def|kap)\.?\s?[\w.–-]{1,20}){0,3}"
)
_DASH = r"\s?(?:[\u2010-\u2015\u2212-]|to)\s?"
_ITEM = rf"\d{{1,4}}(?:{_DASH}\d{{1,4}})?"
_LEAD = r"(?:(?:see|e\.g\.,?|cf\.|vgl\.|refs?\.?|also|reviewed in)\s){0,2}"
_NUMBERS = re.compile(
    rf"\[\s?{_LEAD}(?P<numbers>\^?{_ITEM}(?:{_PAGE}\s?(?:[,;]|and|&)\s?\^?{_ITEM}){{0,30}}){_PAGE}\s?\]"
    rf"(?:{_DASH}\[(?P<upto>\d{{1,4}})\])?"
)
_LABELS = re.compile(rf"\[{_LEAD}([^\[\]\n]{{1,200}}(?:\n[^\[\]\n]{{1,80}})?)\](?!\()")
_NOTE = re.compile(r"\[\^((?!\d{1,4}\]|\w-\w)[^\W_][\w.:+-]{0,59})\](?!:)")  # numbers: above; [^a-z] is none
_SOURCE = re.compile(r"【\s?(\d{1,3})(?::\d{1,3})?(?:†[^】\n]{0,80})?】")
_KEYS = re.compile(
    r"\[(?:(?:see|e\.g\.,?|cf\.)\s(?:also\s)?)?-?@[^\[\]\s;,]{1,80}(?:,\s[^\[\]@;\n]{1,40})?"
    r"(?:[;,]\s?-?@[^\[\]\s;,]{1,80}(?:,\s[^\[\]@;\n]{1,40})?){0,20}\]"
    r"|(?<![\w.@/])@[A-Za-z][A-Za-z_:-]{1,60}(?:1[5-9]|20)\d\d[a-z]?\w{0,30}(?![\w@]|\.\w)"
)
_ORG = re.compile(r"\[cite(?:/\w{1,9})?:([^\[\]\n]{1,300})\]")
_RST = re.compile(r"\[([A-Za-z0-9#*][\w.:-]{0,40})\]_(?!\w)")
_MODEL = re.compile(  # what chat programs write for a source that they looked up
    r"\ue200cite(?:\ue202[^\ue200-\ue202\n]{1,60}){1,9}\ue201|:contentReference\[[^\[\]\n]{1,40}\](?:\{[^{}\n]{1,40}\})?"
    r"|\[(?:oaicite|cite|citation|source|ref|refs|doc|document)\.?:?\s?#?\d{1,3}(?:\s?,\s?\d{1,3}){0,9}\](?!\()",
    re.IGNORECASE,
)
_BARE_KEY = re.compile(
    r"\[([a-z][a-z-]{1,30}(?:1[5-9]|20)\d\d[a-z]{0,20}(?:,\s?[a-z][a-z-]{1,30}(?:1[5-9]|20)\d\d[a-z]{0,20}){0,9})\](?!\()",
    re.IGNORECASE,
)
_LATEX = re.compile(
    r"\\(?:[Cc]ite[A-Za-z]{0,12}|(?:[Pp]aren|[Tt]ext|[Aa]uto|[Ff]oot|[Ss]mart|[Ss]uper|full|footfull)cites?|[Nn]ocite)\*?"
    r"\s?(?:\[[^\]\n]{0,80}\]\s?){0,2}\{([^{}\\]{1,3000})\}"
)
_SAME_WORK = re.compile(  # a work that was cited before
    r"\bsupra,?\s(?:note|n\.)\s\d{1,3}|\b(?:[Ii]bid(?:em)?\.?|[Ee]bd\.|[Ee]benda|[Oo]p\.\s?cit\.|[Ll]oc\.\s?cit\.),?\s(?:at|pp?\.|[Ss]\.)\s?\d[\d–-]{0,9}"
)
_LETTERED = re.compile(r"\[([A-Z][A-Za-z]{0,3}\+?[A-Za-z]{0,4}\d{2}[a-z]?)\](?!\()")  # [Knu97], [VSP+17]
_USUAL_LETTERS = re.compile(r"[A-Z][a-z]{2}[0-25-9]\d[a-z]?|[A-Z]{3,4}\+\d\d")
_WORDS = re.compile(r"[^\W\d_]{2,}")
_LAST_SENTENCE = re.compile(r"[.!?]\s|\ufdd0|(?<![a-z,])\n|\n(?![a-z])")  # a wrapped line goes on
_POINTING = frozenset(("see", "cf", "in", "by", "from", "per", "also", "and", "or", "compare"))
_ENTRY_LABEL = re.compile(r":|[ \t]{3}|[ \t]*+(?:\n|\ufdd0|\Z)")
_RAISED = re.compile(
    r"(?:(?<=[^\W\d_]{3})|(?<=[.,;:)”’\"]))[⁰¹²³⁴-⁹]{1,3}(?:[⁻,˒–][⁰¹²³⁴-⁹]{1,3}){0,10}(?![^\W\d_])"
    r"|(?<=\w )[①-⑨](?=[.,;:)\s])"
)
_EXPONENT = re.compile(r"(?:\b[kcmdn]?m|\bkm|\bin|\bft|\bsec|\bs|\bchi|χ|\bR|\bTeX|[+*/=−-][^()\s]{0,4}\))$")
_BEFORE = re.compile(
    r"(?:\[\d\][,;]|[^\W_](?=\s)|[^\W_][^\W_][.,;:!?)”’\"'*\]]{0,4}|[)”’\"\]%.])[\s\ufffc]{0,2}$"
)
_GLUED_NAME = re.compile(
    r"(?:^|[\s(=,])[a-z]$|_\w{0,60}$|\d$|(?:argv?s?|array|arr|list|vec|buf|data|items?|row|col|matrix|index|idx)$"
    r"|[a-z]\.[a-z]\w{0,30}$|\w\([^()\n]{0,40}\)$|(?<!\d)%$"
)
_KEY_BEFORE = re.compile(r"[\"'\w]\s?[=:]\s?$(?<!\w:\s)")  # "range": [1, 2]
_INTERVAL = re.compile(  # "(3, 5]", "[0, 1]", "[1.5, 2]": then pairs in brackets are no marks
    r"[(\[]\s?[-−+]?[\d.]{1,9}\s?,\s?[-−+]?(?:[\d.]{1,9}|∞)\s?\)(?<!\(\d, \d\))"
    r"|\(\s?[-−]?[\d.]{1,9}\s?,\s?[\d.]{1,9}\s?\]"
    r"|\[\s?(?:0|[-−]\d|\d+\.\d)[\d.]{0,9}\s?,\s?[-−\d.∞]{1,9}\s?\]"
)
_NAMED_INDEX = re.compile(
    r"(?<![^\s(])[^\s(:/_}]{0,60}[:/_}][^\s(]{0,60}[^\s(.,;:)]$|\b(?:[a-z]|[a-z]\([a-z]\))\s(?:in|∈)\s$"
)  # linkgit:git-config[1], /dev/hda[1-8]
_CHOSEN = re.compile(
    r"\b(?:reply|press|enter|type|choose|select|option|button|key|answer|step|item|line|row|rule|question)\w{0,3}\s(?:with\s|the\s|number\s){0,2}$"
    r"|\[[12]\]\s(?:for|to)\s[a-z]+(?:\s[a-z]+){0,3},?\s(?:or|and)\s$",
    re.IGNORECASE,
)
_CHOICE = re.compile(
    r"(?:\[\d{1,2}\])?\s[a-z]{2,20}(?:\s[a-z]{2,20}){0,3}[,;]\s(?:or\s|and\s)?(?:\[\d{1,2}\]|$)"
)
_OPTIONS = re.compile(
    r"(?:[:?]\s{1,2}|^|[\n\ufdd0])\[[01]\](?:\s(?!and\b|or\b)[^\W\d_]{2,20}){1,4}"
    r"(?:[,;]?\s{1,4}\[\d{1,2}\](?:\s[^\W\d_]{2,20}){1,4}){1,20}",
    re.MULTILINE,
)
_NEXT_ITEM = re.compile(r"\A(?:[^\n\[\]]{1,100})\n[ \t]*\[\d{1,3}\]\s")  # "[1] red wire\n[2] black wire"
_COUNTED_FROM_ZERO = re.compile(r"\[\s?0\s?[\],-]")  # then brackets hold indices and bounds, no references
_CHAINED = re.compile(r",?\s(?:and\s|or\s)?")
_SPAN_WORDS = re.compile(
    r"\b(?:intervals?|range|ranges|between|within|domain|bounded|values?|numbers?|integers?|reals?|scaled|normali[sz]ed"
    r"|uniform(?:ly)?|clipped|lies?|vector|array|list|tuple|shape|size|matrix|returns?|equals?|is|are|sorted|∈|from|over|x|y|t"
    r"|samples?|scores?|data|dice|rolls?|draws?):?"
    r"\s(?:in\s|the\s|of\s|on\s|interval\s|range\s|to\s|such\s|as\s){0,2}$",
    re.IGNORECASE,
)


class LabelMark(NamedTuple):
    """One mark: where it is, and the numbers or keys that it names."""

    start: int
    end: int
    labels: tuple[str, ...]


def find_marks(prose: str, listed: Mapping[str, bool]) -> Iterator[LabelMark]:
    """Yield the marks of masked prose. `listed`: labels that the text defines, and whether as a work."""
    options = [
        number for match in _OPTIONS.finditer(prose) for number in re.findall(r"\[(\d{1,2})\]", match[0])
    ]
    listed = {**dict.fromkeys(options, False), **listed}
    yield from _find_numbers(prose, listed, intervals=_INTERVAL.search(prose) is not None)
    for match in _LABELS.finditer(prose):
        parts = [part.strip() for part in re.split(r"[,;/]|\band\b|&", match[1])]
        known = tuple(dict.fromkeys(part for part in (match[1], *parts) if listed.get(part)))
        if known and not match[1].isdecimal() and not _begins_entry(prose, match):
            yield LabelMark(*match.span(), known)
    for pattern in (_NOTE, _SOURCE, _RST, _LETTERED):
        for match in pattern.finditer(prose):
            label = match[1]
            usual = pattern is not _LETTERED or _USUAL_LETTERS.fullmatch(label) is not None
            is_work = listed.get(label, listed.get(f"^{label}", usual))
            if is_work and (pattern is _RST or not _begins_line(prose, match.start())):
                yield LabelMark(*match.span(), (label,))
    for match in _KEYS.finditer(prose):
        yield LabelMark(*match.span(), tuple(re.findall(r"@([^\[\]\s;,]{1,80})", match[0])))
    for match in _MODEL.finditer(prose):
        yield LabelMark(*match.span(), tuple(re.findall(r"\d+|[\w-]{4,}", match[0])[-1:]))
    for match in _BARE_KEY.finditer(prose):
        if not _begins_entry(prose, match):
            yield LabelMark(*match.span(), tuple(re.findall(r"[^\s,]+", match[1])))
    for match in _SAME_WORK.finditer(prose):
        yield LabelMark(*match.span(), (match[0],))
    for match in _ORG.finditer(prose):
        yield LabelMark(*match.span(), tuple(re.findall(r"[^\s,;@]+", match[1])))
    for match in _LATEX.finditer(prose):
        yield LabelMark(*match.span(), tuple(re.findall(r"[^\s,%]+", match[1])))


def _find_numbers(prose: str, listed: Mapping[str, bool], *, intervals: bool) -> Iterator[LabelMark]:
    """Yield the numbers in brackets, and raised ones, that stand as marks."""
    zero_based = _COUNTED_FROM_ZERO.search(prose) is not None
    interval_end = -1  # of the last brackets that hold an interval or an item
    for match in _NUMBERS.finditer(prose):
        numbers = spread_numbers(
            re.sub(_PAGE, "", match["numbers"]) + (f"-{match['upto']}" if match["upto"] else "")
        )
        if "0" in numbers or _begins_entry(prose, match):
            continue
        chained = interval_end >= 0 and _CHAINED.fullmatch(prose, interval_end, match.start())
        if not _is_listed(numbers, listed) and (chained or _holds_items(prose, match)):
            interval_end = match.end()
            intervals = intervals or len(numbers) > 1
            continue
        if _is_listed(numbers, listed) or (
            not _is_unlisted(numbers, listed)
            and not zero_based
            and not (intervals and len(numbers) > 1)
            and _is_mark(prose, match)
        ):
            yield LabelMark(*match.span(), numbers)
    for match in _RAISED.finditer(prose):
        numbers = spread_numbers(match[0].translate(_DIGITS))
        exponent = _EXPONENT.search(prose, max(0, match.start() - 6), match.start())
        if exponent is None and _is_listed(numbers, listed, default=True):
            yield LabelMark(*match.span(), numbers)


def _holds_items(prose: str, match: re.Match[str]) -> bool:
    """Return whether brackets hold an interval that is called so, or the first of a row of items."""
    before = prose[max(0, match.start() - 60) : match.start()]
    pair = re.fullmatch(r"\d+,\s?\d+", match["numbers"]) is not None
    row = before.rstrip()[-1:] == ":" and re.match(r"\s\[\d", prose[match.end() : match.end() + 3])
    return bool(row) or (pair and _SPAN_WORDS.search(before.rstrip() + " ") is not None)


def _is_listed(numbers: tuple[str, ...], listed: Mapping[str, bool], *, default: bool = False) -> bool:
    """Return whether the text lists a work under one of the numbers."""
    return any(listed.get(one, listed.get(f"^{one}", default)) for one in numbers)


def _is_unlisted(numbers: tuple[str, ...], listed: Mapping[str, bool]) -> bool:
    """Return whether the text says what each number is, and that it is no work."""
    return bool(numbers) and all(listed.get(one, listed.get(f"^{one}")) is False for one in numbers)


def _begins_line(prose: str, at: int) -> bool:
    before = prose[max(0, at - 40) : at].rpartition("\n")[2].rpartition("\ufdd0")[2]
    return not before.strip(" \t*_-+•>.")


def _begins_entry(prose: str, match: re.Match[str]) -> bool:
    return _begins_line(prose, match.start()) and _ENTRY_LABEL.match(prose, match.end()) is not None


def _is_mark(prose: str, match: re.Match[str]) -> bool:
    """Return whether numbers in brackets stand where a citation does, and not an index or an interval."""
    inside, start, end = re.sub(_PAGE, "", match["numbers"]), match.start(), match.end()
    stated = [int(one) for one in re.findall(r"\d+", inside)]
    if (
        len(set(stated)) < len(stated)
        or not all(0 < one <= _HIGHEST for one in stated)
        or re.search(r"(?<!\d)0\d", inside)
    ):
        return False
    after = prose[end : end + 2]
    if (
        after[:1] in ("(", "=", "{", "_", "^", "/")
        or after[:1].isalnum()
        or re.match(r"\s?[=:](?!\s[a-z])|\.\w|\s?[×÷+*<>]", after)
        or (";" in inside and "," in inside)  # rows of a matrix
    ):
        return False
    if "^" in inside:
        return not _begins_line(prose, start)
    before = prose[max(0, start - 60) : start]
    if _NAMED_INDEX.search(before) or _CHOSEN.search(before):
        return False
    if re.search(r"[×÷+<>]\s?$", before):
        return False
    if _begins_line(prose, start):  # the label of an entry, unless a sentence goes on
        return not _NEXT_ITEM.search(prose, end, end + 200) and bool(
            re.match(r"\s?(?:and|or|[a-z]{3,20})\b(?!:|\.\w|\()", prose[end : end + 30])
        )
    said = _WORDS.findall(_LAST_SENTENCE.split(prose[max(0, start - 200) : start])[-1])
    if len(said) == 1 and said[0].lower() not in _POINTING and "-" not in inside and not match["upto"]:
        return False  # "Socks [6]", "idx [3]"
    if not _BEFORE.search(before) or _KEY_BEFORE.search(before) or re.search(r"[^\d\]]\]$", before):
        return False
    if before.rstrip()[-1:] in (":", ",", ";") and _is_choice(prose, start, end):
        return False
    if not before[-1].isspace() and _GLUED_NAME.search(before):
        return False
    pair = len(stated) == 2 and "–" not in inside and "-" not in inside
    return not ((pair or len(stated) > 2) and _SPAN_WORDS.search(before.rstrip() + " "))


def _is_choice(prose: str, start: int, end: int) -> bool:
    """Return whether numbers count what can be chosen: "[1] low, [2] medium, [3] high"."""
    low, high = _CHOICE.search(prose[max(0, start - 60) : start]), _CHOICE.match(prose, end, end + 60)
    word = re.match(r"\s([a-z]{2,20})", prose[end : end + 24])
    return bool(word and word[1] not in load_words("reports") and (low or high))


def spread_numbers(marks: str) -> tuple[str, ...]:
    """Return the numbers of a mark, ranges written out: "2, 4–6" is 2, 4, 5 and 6."""
    numbers: list[str] = []
    for part in re.split(r"[,;&]|and", marks.replace("^", "")):
        ends = [int(end) for end in re.findall(r"\d{1,4}", part)]
        if ends:
            numbers += map(str, range(ends[0], min(ends[-1], ends[0] + _MOST) + 1))
    return tuple(numbers[:_MOST])
