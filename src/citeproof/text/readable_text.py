r"""A text as a reader sees it, and where each character of it stands in the original.

`10&#46;1038/x`, `10\.1038/x`, `10.1<b>038</b>/x`, hidden and look-alike characters  ⇒ 10.1038/x
`<sup>1</sup>`, `&#91;1&#93;`, `\[1\]`                                               ⇒ [1]
`<a href="https://doi.org/10.1/x">text</a>`                                          ⇒ [text](https://doi.org/10.1/x)
`> quoted`                                                                           ⇒ quoted

Code keeps its signs: only what is invisible, and look-alike letters, are read there. A sign that would make
code or mathematics of what is none (an escaped backtick) is written as one that makes nothing.
"""

from __future__ import annotations

import html
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator

from citeproof.text import lazy_patterns as re
from citeproof.text.latex import strip_latex
from citeproof.vocabulary.quick_dataclass import dataclass, replace

# For a character class: characters that print nothing, and lines through or below the letter before them.
UNSEEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\u2800\u3164\ufeff\uffa0"
    "\u0332\u0333\u0335-\u0338"
)
# Cyrillic and Greek letters that print like Latin ones (UTS 39), and signs that print like ASCII.
_ALIKE = (
    "аaеeоoрpсcуyхxіiјjѕsԁdԛqԝwһhгrАAВBЕEКKМMНHОOРPСCТTХXІIЈJЅSУYЬb"
    "ᴀaʙbᴄcᴅdᴇeғfɢgʜhɪiᴊjᴋkʟlᴍmɴnᴏoᴘpʀrꜱsᴛtᴜuᴠvᴡwʏyᴢz"
    "οoαaνvρpιiυuκkΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧXıiɑaɡgꓲI"
)
LOOKALIKES = dict(zip(_ALIKE[::2], _ALIKE[1::2], strict=True))
_SIGNS = {
    "\u2024": ".", "\uff61": ".", "\u2044": "/", "\u2215": "/", "\u29f8": "/", "\u2236": ":", "\ua789": ":",
    "\u2010": "-", "\u2011": "-", "\u060c": ",", "\u27e6": "[", "\u27e7": "]" }  # fmt: skip
_HARMLESS = {"`": "'", "$": "\u00a4", "<": "\u2039", ">": "\u203a", "|": "\u00a6", "\n": " ", "\r": " "}

_HIDDEN = (
    rf"(?P<hidden>[{UNSEEN}\ufe00-\ufe0f\U000e0000-\U000e007f]{{1,99}}(?:(?<=\u00ad)\r?\n[ \t>]{{0,20}})?)"
)
_FOREIGN = (
    rf"(?P<alike>(?<=[A-Za-z0-9])[{''.join(LOOKALIKES)}]{{1,99}}|[{''.join(LOOKALIKES)}]{{1,99}}(?=[A-Za-z0-9]))"
    rf"|(?P<wide>[\uff01-\uff5e\u2080-\u208e\u24b6-\u24e9\ufb00-\ufb06\U0001d400-\U0001d7ff\U0001f130-\U0001f149"
    rf"\u02b0-\u02b8\u1d2c-\u1d6a\u00ba\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\u09e6-\u09ef{''.join(_SIGNS)}])"
    r"|(?P<coded>(?:\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\u\{[0-9a-fA-F]{1,6}\})+)"
)
_IN_CODE = re.compile(f"{_HIDDEN}|{_FOREIGN}")
_IN_TEXT = re.compile(
    r"(?P<rst>`(?P<named>[^`<>]{1,300}?)\s{0,9}<(?P<target>https?://[^<>\s]{1,500})>`__?)"
    r"|(?P<texquote>(?<![`\w])`{1,2}(?=[^\W\d_][^`'\n]{0,80}'{1,2}(?:[\s.,;:)]|$)))|"
    r"(?P<code>^[ \t>]{0,12}(?P<fence>`{3,}|~{3,})[^\n]{0,200}"
    r"(?:\n(?s:.*?)(?:^[ \t>]{0,12}(?P=fence)[`~]*[ \t]*$|\Z)|\Z)"
    r"|(?<![\\`])(?P<tick>`{1,3})(?!`)[^`\n]{1,1000}(?P=tick)(?!`))"
    rf"|{_HIDDEN}|{_FOREIGN}"
    r"|(?P<quoted>^[ \t]{0,3}(?!>>> )(?:>[ \t]?){1,9})"
    r"|(?P<entity>&(?:amp;){0,9}(?:(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});|(?<=\d&)#4[67](?=\w)|#\d{2,4}(?![\d;])))"
    r"|(?P<accent>\\(?:[\"'`^~=.]|[vcuHkr])\{\\?[A-Za-z]\}|(?P<braced>\{)?(?<=[A-Za-z{}])\\[\"'`^~][A-Za-z](?(braced)\}|\}?)"
    r"|\{\\(?:[oOlLij]|ss|ae|AE|aa|AA|oe|OE)\}|\\(?:[oOlL]|ss|ae|AE|aa|AA|oe|OE)\{\})"
    r"|(?P<tie>(?<=[\w.,}])~(?=[\w(\\]))"
    r"|(?P<pair>\\\[[^\\\[\]=^_{}+\n]{1,80}\\\])"
    r"|(?P<soft>(?<=[a-z])\\-(?=[a-z])|~~)"
    r"|(?P<set>\\(?:emph|text(?:it|sl|bf|sc)?)\{)(?=[^{}]{4,250}\})|(?P<unset>\})"
    r"|(?P<escape>\\[!-'*-/:-@^-`{-~])"
    r"|(?P<line>\\n(?=\\n|[A-Z\d\[#*-]))"
    r"|(?P<within>(?<=[\w./-])<!--[^<>\n]{0,200}-->(?=[\w./-]))"
    r"|(?P<comment><!--|-->)"
    r"|(?P<drawer>^[ \t]*:(?:PROPERTIES|END):[ \t]*\n|^[ \t]*:(?=[A-Z_]{2,20}: ))"
    r"|(?P<tag></?(?:(?:oai_)?dc(?:terms)?:)?[A-Za-z][A-Za-z0-9]{0,15}(?:\s[^<>]{0,1000})?/?>)"
    r"|(?P<glued>(?<=[\w/.])(?:\*{1,3}|~{2,4}|==)(?=[\w/]|\.\d)|(?<=\d)\$(?=[/.]\$\w)|(?<=\d\$[/.])\$(?=\w)|(?<=[a-z])__(?=[a-z])|(?<![\w=])==(?=[^\W\d_][^=\n]{3,200}[^\s=]==(?!=))|(?<=[\w)])==(?![=\w]))"
    r"|(?P<broken>(?:(?<=doi\.org/)|(?<=DOI\.ORG/)|(?<=10\.\d{4}[/.])|(?<=10\.\d{5}[/.]))"
    r"[ \t]{0,9}\r?\n[ \t>]{0,20}(?=[\w(]))",
    re.MULTILINE,
)
_HREF = re.compile(
    r"\bhref\s{0,3}=\s{0,3}(?:\"([^\"]{1,1000})\"|'([^']{1,1000})'|([^\s\"'>]{1,1000}))", re.IGNORECASE
)
_EMPTY_LINK = re.compile(r"\s{0,99}(?:<img[^<>]{0,1000}>\s{0,99}){0,5}</a>", re.IGNORECASE)  # a badge
_TAG_NAME = re.compile(r"</?(?:(?:oai_)?dc(?:terms)?:)?([A-Za-z0-9]{1,16})")
_NUMBER = re.compile(r"\s{0,3}\[?\d{1,3}(?:\s?[,;–-]\s?\d{1,3}){0,9}\]?\s{0,3}</sup>", re.IGNORECASE)
_RAISED_YEAR = re.compile(r"(?:1[5-9]|20)\d\d[a-z]?</sup>", re.IGNORECASE)
_TAG_DOI = re.compile(r"10\.\d{4,9}/[^\s\"'<>]{2,200}")
_SAID_IN_TAG = re.compile(
    r"\b(?!(?:class|style|href|src|srcset|d|points|viewBox|on[a-z]{3,12})\b)[a-z][\w:-]{0,30}\s?=\s?[\"'](\w[^\"<>\s]{0,60}\s[^\"<>]{12,500})[\"']"
)
_LITERAL = frozenset(("code", "kbd", "samp", "tt"))
_EMPHASIS = frozenset(("i", "em", "b", "strong", "u"))
_FIELD_TAG = re.compile(  # of XML that describes works
    r"title|ti|authors?|au|creator|year|yr|date|journal|so|venue|doi|identifier|publisher"
)
_BLOCK_TAG = re.compile(r"dt|br|p|div|li|[uo]l|tr|table|blockquote|h[1-4r]")


@dataclass(frozen=True, slots=True)
class ReadableText:
    """What is read, and its pieces: where each begins here, and which part of the original it is."""

    original: str
    text: str
    _starts: tuple[int, ...]
    _places: tuple[tuple[int, int, bool], ...]  # start and end in the original, and if it was rewritten
    below: ReadableText | None = None  # what was rewritten to this: places lead through it

    def locate(self, start: int, end: int) -> tuple[int, int]:
        """Return where the characters from `start` to `end` of the readable text stand in the original."""
        first = self._find_place(start)[0]
        last = max(first, self._find_place(end - 1)[1]) if end > start else first
        return (first, last) if self.below is None else self.below.locate(first, last)

    def _find_place(self, at: int) -> tuple[int, int]:
        index = bisect_right(self._starts, at) - 1
        start, end, rewritten = self._places[index]
        if rewritten:
            return start, end
        place = start + at - self._starts[index]
        return place, place + 1


def read_as_shown(text: str) -> ReadableText:
    """Return `text` as a reader sees it: how it is written first, then what it spells in an odd way."""
    first = _rewrite_places(text, _list_rewritten(text))
    spelled = list(_list_spelled(first.text))
    if not spelled:
        return first
    second = _rewrite_places(first.text, spelled)
    return replace(second, original=text, below=first)


def _list_spelled(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield what says an identifier or a year in another way: "10[.]1000", "10 dot 1000", "{2022}", "'22"."""
    for match in _SPELLED.finditer(text):
        kind = match.lastgroup
        if kind == "doi":
            for inner in _SEPARATOR.finditer(text, *match.span()):
                sign = {"slash": "/", "dot": ".", "dash": "-"}[inner.lastgroup or ""]
                if inner[0] != sign:
                    yield *inner.span(), sign
        elif kind == "joined":
            yield from (
                (match.start() + at, match.start() + at + 1, " ")
                for at, sign in enumerate(match[0])
                if sign == "_"
            )
        elif kind in ("spread", "stacked"):
            for inner in re.finditer(r"(?<=\S)\s{1,3}(?=\S)", match[0]):
                between = " " if kind == "spread" and len(inner[0]) > 1 else ""
                yield match.start() + inner.start(), match.start() + inner.end(), between
        elif kind in _WHOLE:
            yield *match.span(), _WHOLE[kind](match[0])
        elif kind in ("short", "two"):
            start = match.start() if kind == "short" else match.end() - len(" 98")
            yield start, match.end(), f" {20 if int(match[0][-2:]) < 40 else 19}{match[0][-2:]}"
        elif kind == "quoted_code":
            yield match.start(), match.start() + 1, "'"
            yield match.end() - 1, match.end(), "'"
        else:
            yield *match.span(), _FORMS.get(match[0]) or _FORMS[kind or ""]


_PLAIN = {"tie": " ", "line": "\n", "soft": ""}
_DOT = (
    r"(?:[ \u00a0\t]?(?:[.\u00b7\u3002\u2027\u2219\u2022\u22c5]|[\[({]\s?(?:\.|dot|point"
    r"|punkt)\s?[\])}])[ \u00a0\t]?|[ \t](?:dot|point"
    r"|punkt)[ \t])"
)
_SLASH = (
    r"(?:[ \u00a0\t]?(?:/|[\[({]\s?(?:/|slash)\s?[\])}]|\"/\"|\+\s?/\s?\+"
    r"|%(?:25)?2[fF])[ \u00a0\t]?|[ \t](?:slash"
    r"|forward slash)[ \t])"
)
_SEPARATOR = re.compile(rf"(?P<slash>{_SLASH})|(?P<dot>{_DOT})|(?P<dash> - )", re.IGNORECASE)
_SPELLED = re.compile(
    rf"(?P<doi>(?:(?<![\w.])10{_DOT}\d{{4,9}}(?:{_DOT}\d{{1,9}}){{0,2}}{_SLASH}[\w()-]{{1,60}}"
    rf"(?:(?:(?!\.[ \u00a0\t]){_DOT}|{_SLASH}| - )(?=[\w(-]+\b)(?!(?-i:[A-Z][a-z]))[\w()-]{{1,60}}){{0,9}}"
    rf"|\b(?:www\sdot\s)?(?:dx{_DOT})?(?:doi|arxiv|pubmed|ncbi|nature|biorxiv){_DOT}(?:org|com|gov)(?={_SLASH})(?:{_SLASH}(?:\w{{1,12}}(?=\sslash\s|/))?){{1,3}}))"
    r"|(?P<spread>(?<!\S)(?:\(?[^\s(|*#=+-][.,;]?[^\S\n]{1,3}){9,400}[^\s|][.,;)]?(?!\S)|(?<=\()\d(?:[^\S\n]\d){3}(?=\)))"
    r"|(?P<arxiv>\b(?=ar Xiv|arXiv\D{0,16}\d[\d.]{0,9} [\d.])"
    r"ar ?Xiv\b[ ,]{0,3}(?:number)?[ :]{0,3}(?:\d ?){4}\. ?(?:\d ?){3}\d(?: ?\d)?"
    r"(?: ?v ?\d)?(?!\w))"
    r"|(?P<joined>(?<![\w/.@:\\-])[^\W\d_]{1,30}(?=_\S{0,80}_(?-i:[A-Z][a-z]))(?:_[^\W_]+){5,40}"
    r"(?:\.(?:pdf|epub|docx?))?(?![\w/(]))"
    r"|(?P<stacked>^(?=1\n?0\n?\.\n?(?:\d\n?){4,9}/)\S{1,8}(?:\n\S{1,8}){3,60}$)"
    r"|(?P<word_marks>(?<=[^\W_])(?:_ _|\*{1,2} \*{1,2})(?=[^\W_]))"
    r"|(?P<hyphen>(?<=[^\W\d_]{3})-\r?\n(?=[a-z]{2}))"
    r"|(?P<tight>(?<=[a-z]{2})\((?=(?:1[5-9]|20)\d\d[a-z]?\)))"
    r"|(?P<curly>(?<=[^\W\d_]\s)[{⟨〈【〔‹](?:1[5-9]|20)\d\d[a-z]?[}⟩〉】〕›])"
    r"|(?P<colon>(?<=[^\W\d_]{2})[:\u2014]\s?(?=(?:1[5-9]|20)\d\d[a-z]?[);]))"
    r"|(?P<team>(?<=[^\W\d_]{3})\+(?=,?\s?(?:1[5-9]|20)\d\d[a-z]?[\s);\],.]))"
    r"|(?P<two>(?<=[(;]\s|.[(;])(?-i:[A-Z])[\w'’-]+,?\s(?:&|and)\s(?-i:[A-Z])[\w'’-]+,?\s\d\d(?=[);]))"
    r"|(?P<circa>(?<=\()(?:c|ca|circa)\.?\s(?=(?:1[5-9]|20)\d\d[a-z]?\)))"
    r"|(?P<roman>(?:(?<=[^\W\d_]\s\()|(?<=\.\s\())M(?:CM|DC{0,3}|M)[CLXVI]{1,9}(?=\)))"
    r"|(?P<short>(?<=[^\W\d_]{2}|[^\W\d_],)\s['\u2019]\d\d(?=[);]|\s[a-z]{4,12}\b)|(?<=[\s(])\(?['\u2019]\d\d(?=\)))"
    r"|(?P<angle>‹‹|››)"
    r"|(?P<raised>(?<=[^\W\d_]{2}|[a-z][.,)])\^\[?(?=\d{1,3}(?:[,–-]\d{1,3}){0,5}[\]^]))"
    r"|(?P<lowered>(?<=[^\W\d_]\^\d)\^|(?<=[^\W\d_]\^\d\d)\^)"
    r"|(?P<double>\[\[(?=\d{1,3}\]\](?!\())|(?<=\[\[\d)\]\]|(?<=\[\[\d\d)\]\])"
    r"|(?P<superscript>\u207d(?=[\u2070\u00b9\u00b2\u00b3\u2074-\u2079]{1,3}\u207e)|(?<=[\u2070\u00b9\u00b2\u00b3\u2074-\u2079])\u207e)"
    r"|(?P<dollars>\$(?=\(?(?:1[5-9]|20)\d\d\)?\$)|(?<=\$\(\d{4}\))\$|(?<=\$\d{4})\$)"
    r"|(?P<quoted_code>`(?=[^\W\d_])[^`\n=;{}<>$\\_]{0,300}\b(?:1[5-9]|20)\d\d\b[^`\n=;{}<>$\\_]{0,300}`)",
    re.IGNORECASE | re.MULTILINE,
)
_FORMS = {
    "word_marks": " ",
    "‹‹": "«",
    "››": "»",
    "hyphen": "",
    "tight": " (",
    "colon": ", ",
    "circa": "",
    "team": " et al.",
    "dollars": "",
    "raised": "[",
    "lowered": "]",
    "superscript": "",
}


def _read_roman(numeral: str) -> int:
    values = [
        {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}[sign] for sign in numeral.upper()
    ]
    return sum(-one if one < other else one for one, other in zip(values, [*values[1:], 0], strict=True))


def _join_number(said: str) -> str:
    return "arXiv:" + re.sub(r"[^\d.v]", "", said.partition("iv")[2])


_WHOLE = {
    "roman": lambda said: str(_read_roman(said)),
    "curly": lambda said: f"({said[1:-1]})",
    "double": lambda said: said[0],
    "arxiv": _join_number,
}


def _rewrite_places(text: str, rewritten: Iterable[tuple[int, int, str]]) -> ReadableText:
    """Return a text with some of its places rewritten; they come in order."""
    pieces: list[str] = []
    starts: list[int] = []
    places: list[tuple[int, int, bool]] = []
    at = size = 0

    def add(piece: str, start: int, end: int, *, rewritten: bool) -> None:
        nonlocal size
        if piece:
            starts.append(size)
            places.append((start, end, rewritten))
            pieces.append(piece)
            size += len(piece)

    for start, end, piece in rewritten:
        add(text[at:start], at, start, rewritten=False)
        add(piece, start, end, rewritten=True)
        at = end
    add(text[at:], at, len(text), rewritten=False)
    return ReadableText(text, "".join(pieces), tuple(starts or [0]), tuple(places or [(0, 0, True)]))


def _list_rewritten(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield what is written in another way than it is read: (start, end, as it is read), in order."""
    targets: list[str] = []  # of the links that are open
    ends: dict[int, str] = {}  # of what LaTeX sets in other letters
    for match in _IN_TEXT.finditer(text):
        start, end = match.span()
        kind = match.lastgroup
        if match["code"] is not None:
            for inner in _IN_CODE.finditer(text, start, end):
                yield *inner.span(), _read_character(inner[0], inner.lastgroup)
        elif match["tag"] is not None:
            yield start, end, _read_tag(text, match, targets)
        elif match["accent"] is not None:
            yield start, end, strip_latex(match[0]) or match[0]
        elif kind in _PLAIN:
            yield start, end, _PLAIN[kind]
        elif match["entity"] is not None:
            sign = html.unescape(re.sub(r"&(?:amp;)+", "&", match[0]))
            if sign != match[0]:
                seen = _IN_CODE.sub(lambda part: _read_character(part[0], part.lastgroup), sign)
                yield start, end, "".join(_HARMLESS.get(letter, letter) for letter in seen)
        elif match["rst"] is not None:
            yield start, start + 1, "["
            yield match.end("named"), end, f"]({match['target']})"
        elif match["pair"] is not None:
            yield start, start + 2, "["
            yield end - 2, end, "]"
        elif match["set"] is not None or match["unset"] is not None:
            sign = ends.get(start, "}") if match["unset"] else "" if match[0] == "\\textsc{" else "*"
            ends[text.find("}", end)] = sign if match["set"] else "}"
            yield start, end, sign
        else:
            yield start, end, _read_character(match[0], kind)


def _read_character(signs: str, kind: str | None) -> str:
    """Return an escaped sign, and look-alike and wide ones as the ASCII they look like; else nothing."""
    if kind == "escape":
        return _HARMLESS.get(signs[1], signs[1])
    if kind == "alike":
        return "".join(LOOKALIKES[one] for one in signs)
    if kind == "wide":
        digit = unicodedata.decimal(signs, None)
        sign = _SIGNS.get(signs) or (
            str(digit) if digit is not None else unicodedata.normalize("NFKC", signs)
        )
        return _HARMLESS.get(sign, sign)
    if kind == "coded":
        letters = (
            chr(min(int(code.strip("{}"), 16), 0x10FFFF))
            for code in re.findall(r"\\[ux](\{?[0-9a-fA-F]+)", signs)
        )
        return "".join(_HARMLESS.get(letter, letter) for letter in letters if letter.isprintable())
    return ""


def _read_tag(text: str, match: re.Match[str], targets: list[str]) -> str:
    """Return what a tag of HTML does to the text around it, in Markdown."""
    tag = match[0]
    found = _TAG_NAME.match(tag)
    name, closes = (found[1].lower() if found else ""), tag.startswith("</")
    if name not in ("a", "img", "meta") and (identifier := _TAG_DOI.search(tag)):
        return f" {identifier[0]} "
    hint = " ".join(_SAID_IN_TAG.findall(tag))  # of an image, a link, or the head of a page
    if name == "a":
        if closes:
            return f"]({targets.pop()})" if targets else ""
        href = _HREF.search(tag)
        target = html.unescape(next(filter(None, href.groups()))) if href else ""
        if not target or any(sign in target for sign in " ()<>\n"):
            return hint
        if _EMPTY_LINK.match(text, match.end()):
            return f"{hint} <{target}>".lstrip()
        targets.append(target)
        return f"{hint} [".lstrip()
    if hint:
        field = re.search(r"citation_([a-z]{3,9})", tag)
        return f"{field[1]}: {hint}" if field else f" {hint} "
    if name == "sup":
        return _read_raised(text, match, closes=closes)
    if name in _EMPHASIS:  # in the middle of a word it is none
        next_to = text[match.end() : match.end() + 1] if closes else text[match.start() - 1 : match.start()]
        return "" if next_to.isalnum() or next_to in ("/", ".", "-", "<", ">") else "*"
    if name in _LITERAL:
        return "`"
    if _FIELD_TAG.fullmatch(name):
        return "" if closes else f"\n{name}: "
    if name == "dd" and not closes:
        return ": "
    if name in ("td", "th"):
        return "" if closes else " | "
    return "\n" if _BLOCK_TAG.fullmatch(name) else ""


def _read_raised(text: str, match: re.Match[str], *, closes: bool) -> str:
    """Return the brackets that stand for raised numbers: `<sup>1</sup>` is [1], `<sup>2020</sup>` (2020)."""
    before = text[max(0, match.start() - 60) : match.start()]
    if closes:
        dated = re.search(r"<sup>(?:1[5-9]|20)\d\d[a-z]?$", before)
        return ")" if dated else "" if before.endswith("]") or not before[-1:].isdigit() else "]"
    if _RAISED_YEAR.match(text, match.end()):
        return " ("
    return "[" if (number := _NUMBER.match(text, match.end())) and "[" not in number[0] else ""
