"""Titles to comparable forms.

clean("Pre-{T}raining of <i>β</i>-VAEs &amp; co")  ⇒ "Pre-Training of β-VAEs & co"
fold(...)                                          ⇒ "pre-training of beta-vaes & co"
words(...)                                         ⇒ ["pre", "training", "of", "beta", "vaes", "co"]
key(...)                                           ⇒ "pretrainingofbetavaesco"
"""

from __future__ import annotations

import html
from functools import cache, lru_cache

from citeproof.text import lazy_patterns as re
from citeproof.text.latex import strip_latex
from citeproof.text.package_tables import load_package_table, read_pairs
from citeproof.text.unicode import strip_marks

_OUR = re.compile(r"our(?=(?:s|ed|ing|able|ably|ite|ites|hood|hoods|al|ally|less|ful|ist|ists|er|ers)?$)")

MAX_TITLE = 4000  # characters read of a title; nothing real is longer
SUBTITLE = re.compile(r"(?<=\S)(?::\s|\s[-–—]{1,3}\s|\?\s|\.\s|;\s)")

_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9:-]{0,30}(?:\s[^<>]{0,200})?/?>")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[0-9A-Fa-f]{1,6}|[A-Za-z]{2,31});")
_LINE_HYPHEN = re.compile(r"(?<=[^\W\d_])[-\u00ad\u0002]\s+(?=[a-z])")
_TRANSLATOR = re.compile(r"\s{0,3}\((?:author's|authors') transl\)\.?$", re.IGNORECASE)
NOTICE = re.compile(r"(RETRACTED|WITHDRAWN|REMOVED)(\s+(?:ARTICLE|CHAPTER|PAPER))?\s*[:.]\s*", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_SPACE = re.compile(r"\s{2,}|[\t\n\r\f\v]")
_PLAIN = re.compile(r"[A-Za-z0-9 :,'()?!/+.-]*+")  # nothing in it needs cleaning
_CUT_FROM = 3  # words of a title from which it is no chance that another one begins so
_CLOSING = ' }"”'
_DOTS = " .…" + _CLOSING
_TO_KEY = {n: chr(n).lower() if chr(n).isalnum() else None for n in range(128)}

STOPWORDS = frozenset({
    "a", "an", "the", "of", "for", "and", "or", "in", "on", "at", "to", "by", "with", "from", "as", "is",
    "are", "be", "via", "into", "its", "it", "their", "using", "use", "der", "die", "das", "und", "von",
    "zur", "zum", "ein", "eine", "des", "den", "im", "la", "le", "les", "de", "du", "et", "en", "el", "los",
    "y", "e", "o", "i",
})  # fmt: skip


def clean(title: str) -> str:
    """Return `title` as plain text for people: no LaTeX, HTML, line breaks or outer punctuation."""
    title = title[:MAX_TITLE]
    if is_cut(title):
        return mark_cut(clean(title.rstrip(_DOTS)))
    if title[:1] == "[":
        title = _strip_translation(title)
    if _is_plain(title):
        return title.strip(" .,")
    if "&" in title and _ENTITY.search(title):
        title = html.unescape(html.unescape(title))
    if "<" in title:
        title = _TAG.sub("", title)
    title = _SPACE.sub(" ", strip_latex(title)).strip()
    return title.strip(' .,;"“”') if title[-1:] in '.,;" “”' or title[:1] in '"“ ' else title


def _is_plain(title: str) -> bool:
    untidy = "--" in title or "- " in title or "  " in title or "''" in title
    return not untidy and _PLAIN.fullmatch(title) is not None


def is_cut(title: str) -> bool:
    """Return whether a title says itself that it is cut: "…" or "..." at its end."""
    return title.rstrip(_CLOSING).endswith(("...", "…"))


def mark_cut(title: str) -> str:
    """Return a cut title with one "…" at its end; nothing if nothing is left of it."""
    bare = title.rstrip(_DOTS)
    return f"{bare}…" if any(map(str.isalnum, bare)) else ""


def _strip_translation(title: str) -> str:
    """Return a title without the brackets that MEDLINE puts around its translations."""
    whole = title.strip().rstrip(".")
    if not whole.endswith("]") or "[" in whole[1:]:
        return title
    return _TRANSLATOR.sub("", whole[1:-1])


def strip_notice(title: str) -> str:
    """Return a title without what registries put around it: "RETRACTED ARTICLE:", "(author's transl)"."""
    if title[:1] not in "RWrw" and not title.endswith((")", ").")):
        return title
    bare = _TRANSLATOR.sub("", NOTICE.sub("", title, count=1) if NOTICE.match(title) else title)
    return bare if _WORD.search(bare) else title


def find_notice_word(title: str) -> str:
    """Return "retracted", "withdrawn" or "removed" where a registry put that before a title; else nothing.

    A title of its own may begin so ("Removed: a memoir"): capitals or "Article" tell the two apart.
    """
    match = NOTICE.match(title)
    if match is None:
        return ""
    marked = match[1].isupper() or match[2] or match[1].lower() == "retracted"
    return match[1].lower() if marked else ""


def fold_title(title: str) -> str:
    """Return `title` in lower case without diacritics, markup or line-end hyphens."""
    title = clean(title)
    # twice: a capital Epsilon must become small before it is spelt out, and NFKD makes capitals
    title = title.lower() if title.isascii() else strip_marks(title.casefold()).casefold()
    return _LINE_HYPHEN.sub("", title) if "- " in title or "\u0002" in title else title


def split_words(title: str) -> list[str]:
    """Return the words of `title`, folded."""
    return _WORD.findall(fold_title(title))


@lru_cache(maxsize=8192)
def make_title_key(title: str) -> str:
    """Return the form under which equal titles are equal: folded letters and digits, nothing else."""
    if _is_plain(title):
        return title[:MAX_TITLE].translate(_TO_KEY)
    return "".join(split_words(title))


def has_main_title(title: str, main: str) -> bool:
    """Return whether a title is `main` and a subtitle."""
    whole, key = clean(title), make_title_key(main)
    return any(make_title_key(whole[: cut.start()]) == key for cut in SUBTITLE.finditer(whole))


def continues_title(title: str, start: str) -> bool:
    """Return whether a title is `start`, three words or more, and words behind it: records are cut so.

    What a web page has behind its title is not of it: "Layered networks | Phys. Rev. E".
    """
    words, first = split_words(title), split_words(start)
    return "|" not in title and len(words) > len(first) >= _CUT_FROM and words[: len(first)] == first


def have_same_main_title(a: str, b: str) -> bool:
    """Return whether two titles with subtitles are the same before them."""
    cuts = [(title, SUBTITLE.search(title)) for title in (clean(a), clean(b))]
    mains = {make_title_key(title[: cut.start()]) for title, cut in cuts if cut}
    return all(cut for _, cut in cuts) and len(mains) == 1 and mains != {""}


@cache
def _load_spelling() -> tuple[dict[str, str], dict[str, str]]:
    table = load_package_table("citeproof.text", "spelling.toml")
    return read_pairs(table["words"]), read_pairs(table["endings"])


@lru_cache(maxsize=1 << 14)
def spell_american(word: str) -> str:
    """Return a word in the American spelling: "behaviour" is "behavior"."""
    words, endings = _load_spelling()
    word = words.get(word, word)
    if len(word) > 5:  # "rise", "wise", "four", "hour" have no American form
        word = _OUR.sub("or", word)
        for british, american in endings.items():
            if word.endswith(british):
                return word[: -len(british)] + american
    return word
