r"""DOIs to one form.

normal("https://doi.org/10.1016/S0140-6736(26)00603-3.")  ⇒ "10.1016/s0140-6736(26)00603-3"
normal("10.1007/978-3-319-10602-1\_48")                   ⇒ "10.1007/978-3-319-10602-1_48"
normal("10․1038/x")  (U+2024)                             ⇒ "10․1038/x", never the ASCII one
"""

from __future__ import annotations

import unicodedata

from citeproof.text import lazy_patterns as re
from citeproof.text.unicode import strip_marks

MAX_DOI = 2048

_SHAPE = re.compile(r"10\.\d{4,9}(?:\.\d{1,9}){0,4}/\S{1,2048}")
_SHORT = re.compile(r"(?:https?://)?(?:dx\.)?(?:doi\.org/)?10/[a-z0-9]{3,10}", re.IGNORECASE)
_START = re.compile(r"(?<![\d.])10\.\d{4,9}(?:\.\d{1,9}){0,4}(?:/|%2[Ff])")
_LABEL = re.compile(
    r"(?:https?://)?(?:(?:dx|www)\.)?doi(?:\.org/|\s{0,3}[:=]\s{0,3}|\s{1,3}|(?=10\.))", re.IGNORECASE
)
_ESCAPE = re.compile(rb"%([0-9A-Fa-f]{2})")
_ENTITY = re.compile(r"&(lt|gt|amp);(?!(?:lt|gt|amp);)")
_TEX = re.compile(r"\\([_&%#${}<>~^-])")
_QUERY = re.compile(  # what ends in "#" is an old DOI of Wiley, an escaped "?" is the DOI's own
    r"(?:\?(?=[a-z][\w.-]{0,40}=|noredirect)|&(?:amp;)?(?=utm_)|#(?=[\w:!/])).*", re.IGNORECASE
)
_LANDING = re.compile(
    r"(?:/(?:full|abstract|pdf|epdf|pdfdirect|meta|fulltext|html|summary|references)|/\d{5,9}/[^/]{1,80}\.pdf|\.pdf)$"
)
_BIORXIV = re.compile(r"(10\.(?:1101|64898)/(?:\d{4}\.\d\d\.\d\d\.)?\d{6,8})v\d{1,2}(?:\.[a-z.-]{1,40})?")
_PREPRINT = re.compile(  # the servers' prefixes; 10.1101 is that of Cold Spring Harbor's journals as well
    r"10\.(?:(?:48550|2139|20944|21203|22541|26434|31219|31222|31234|31235|35542|36227)/"
    r"|(?:1101|64898)/(?:\d{4}\.\d\d\.\d\d\.)?\d{6,8}(?:v\d{1,2})?\Z)"
)
_UPPER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")
_ENTITIES = {"lt": "<", "gt": ">", "amp": "&"}
_CLOSING_MARKS = ".,;:'\"!?*’”“»\\` "
_BRACKETS = {")": "(", "]": "[", "}": "{", ">": "<"}


def normalise(value: str) -> str | None:
    """Return the DOI in `value` in lower-case ASCII, None if there is none.

    A value with characters outside ASCII keeps them, so that a look-alike never equals the real
    DOI; `make_skeleton` gives the ASCII it imitates.
    """
    tidy = _tidy_doi(value)
    if not tidy:
        return None
    if not tidy.isascii():
        return tidy.translate(_UPPER) if _SHAPE.fullmatch(make_skeleton(tidy)) else None
    tidy = tidy.lower()
    if preprint := _BIORXIV.fullmatch(tidy):
        tidy = preprint[1]
    return tidy if _SHAPE.fullmatch(tidy) else None


def is_short(value: str) -> bool:
    """Return whether `value` is a short DOI ("10/fdscw4"), which represents a whole one."""
    return _SHORT.fullmatch(value.strip()) is not None


def get_prefix(doi: str) -> str:
    """Return the registrant's prefix: `10.1038` of `10.1038/nature14539`."""
    return doi.partition("/")[0]


def is_preprint(doi: str) -> bool:
    """Return whether a normal DOI is one that a preprint server gave."""
    return _PREPRINT.match(doi) is not None


def make_skeleton(value: str) -> str:
    """Return the ASCII that `value` looks like: full-width and accented forms folded, invisibles out."""
    value = unicodedata.normalize("NFKC", value[:MAX_DOI]).replace("\u2024", ".").replace("\u2044", "/")
    value = strip_marks(value).translate(_LOOKALIKES)
    return "".join(c for c in value if c.isascii() and c.isprintable()).lower()


# Cyrillic and Greek letters that print like Latin ones: the ones UTS 39 lists for a-z.
_LOOKALIKES = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0501\u051b\u051d\u04bb\u03bf\u2215\u29f8",
    "aeopcyxijsdlwho//",
)


def _tidy_doi(value: str) -> str:
    """Return `value` from its `10.` on, decoded once, without what surrounds a DOI in text."""
    value = value.strip()
    if len(value) > MAX_DOI:
        return ""
    start, resolver = _START.search(value), _LABEL.match(value)
    lead = value[: start.start() if start else resolver.end() if resolver else 0]
    value = _TEX.sub(r"\1", value[len(lead) :].lstrip().partition(" ")[0].lstrip("{"))
    if "/" in lead or "utm_" in value:
        value = trim_tail(_QUERY.sub("", value)).rstrip("/")
    if lead[:8].lower().startswith(("http://", "https://")) and not resolver:
        value = _LANDING.sub("", re.split(r"[?#]", value, maxsplit=1)[0].rstrip("/"))
    return trim_tail(_ENTITY.sub(lambda m: _ENTITIES[m[1]], _decode_once(value)))


def _decode_once(value: str) -> str:
    """Return `value` percent-decoded once; what is still escaped then was not ours to decode."""
    if "%" not in value:
        return value
    once = _ESCAPE.sub(lambda m: bytes((int(m[1], 16),)), value.encode("utf-8", "surrogatepass"))
    return value if _ESCAPE.search(once) else once.decode("utf-8", "replace")


_MARKUP = re.compile(r"\}\}|</[A-Za-z]")  # "…}}</ref>": the end of a template or an element


def trim_tail(value: str) -> str:
    """Return `value` without trailing punctuation, closing brackets that were never opened, and markup."""
    value = _MARKUP.split(value, maxsplit=1)[0]
    while value:
        last = value[-1]
        unopened = last in _BRACKETS and value.count(last) > value.count(_BRACKETS[last])
        if not unopened and last not in _CLOSING_MARKS:
            break
        value = value[:-1]
    return value
