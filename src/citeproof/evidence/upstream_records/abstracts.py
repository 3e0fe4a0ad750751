"""The abstract of a work, out of what each upstream gives ⇒ plain text; "" where there is none.

Markup goes: paragraphs and headings become lines, and a power stays a power (10^6, not 106).
"""

from __future__ import annotations

from html import unescape

from lxml import etree

from citeproof.evidence.upstream_records.json_fields import read_path, read_rows, read_table
from citeproof.text import lazy_patterns as re
from citeproof.text.latex import strip_latex

MAX_ABSTRACT = 20_000  # characters; the longest real ones are structured and have about 8,000
MAX_MARKED = 3 * MAX_ABSTRACT  # same, with its markup
_LEAST = 40  # characters; less is a word such as "n/a" or "No abstract"
_ATOM = "{http://www.w3.org/2005/Atom}"

_BLOCK = re.compile(
    r"</?(?:jats:)?(?:p|title|sec|list|list-item|h[1-6]|div|br|li|ul|ol|section|AbstractText)"
    r"(?:\s[^<>]{0,300})?/?>",
    re.IGNORECASE,
)
_POWER = re.compile(r"(?<=\d)<(?:jats:)?sup>(?=[-−–+]?\d)", re.IGNORECASE)
_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9:_-]{0,40}(?:\s[^<>]{0,300})?/?>|<!--[^<>]{0,300}-->")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_HEAD = re.compile(r"(?:abstract|summary|résumé|zusammenfassung|resumen)\s?[:.]?", re.IGNORECASE)
_TEX_POWER = re.compile(r"(?<=\d)\^(?:\{([-+]?\d{1,9})\}|([-+]?\d))")
_KEPT = "\ue000"  # a private character in the place of a caret, which the cleaning of TeX takes away
_MATH = re.compile(r"<(?:mml:)?math\b[^<>]{0,300}>|</(?:mml:)?math>", re.IGNORECASE)


def clean_abstract(text: object) -> str:
    """Return the text of an abstract that may hold JATS or HTML, a paragraph a line."""
    if not isinstance(text, str):
        return ""
    marked = _CONTROL.sub("", text[:MAX_MARKED])
    marked = _MATH.sub(" ", _POWER.sub("^", marked))
    plain = unescape(_TAG.sub("", _BLOCK.sub("\n", marked)))
    if "<" in plain:  # escaped markup, which some publishers deposit
        plain = _TAG.sub("", _BLOCK.sub("\n", plain))
    lines = [" ".join(line.split()) for line in plain.split("\n")]
    kept = [line for line in lines if line and not _HEAD.fullmatch(line)]
    whole = "\n".join(kept)[:MAX_ABSTRACT]
    return whole if len(whole) >= _LEAST else ""


def read_crossref_abstract(item: object) -> str:
    """Return the abstract of a Crossref work, which is JATS."""
    return clean_abstract(read_table(item).get("abstract"))


def read_openalex_abstract(item: object) -> str:
    """Return the abstract of an OpenAlex work, put together from its inverted index."""
    index = read_table(item).get("abstract_inverted_index")
    if not isinstance(index, dict):
        return ""
    placed: list[tuple[int, str]] = []
    for word, places in index.items():
        if isinstance(places, list):
            placed += [(at, word) for at in places if isinstance(at, int)]
        if len(placed) > MAX_ABSTRACT:
            break
    return clean_abstract(" ".join(word for _, word in sorted(placed)))


def read_datacite_abstract(item: object) -> str:
    """Return the abstract of a DataCite DOI: the first of its descriptions that is called so."""
    rows = read_rows(read_path(item, "attributes", "descriptions"))
    stated = (row.get("description") for row in rows if row.get("descriptionType") == "Abstract")
    return next((abstract for text in stated if (abstract := clean_abstract(text))), "")


def read_medline_abstract(article: etree._Element) -> str:
    """Return the abstract of a `PubmedArticle`, each labelled part on a line of its own."""
    lines = []
    for part in article.iterfind("MedlineCitation/Article/Abstract/AbstractText"):
        text = " ".join(_flatten_element(part).split())
        label = (part.get("Label") or "").strip()
        lines.append(f"{label}: {text}" if label and text else text)
    return clean_abstract("\n".join(lines))


def read_arxiv_summary(entry: etree._Element) -> str:
    """Return the summary of an Atom entry of arXiv."""
    return clean_arxiv_abstract(entry.findtext(f"{_ATOM}summary") or "")


def clean_arxiv_abstract(text: str) -> str:
    """Return an abstract in arXiv's TeX as plain text."""
    marked = _CONTROL.sub("", text[:MAX_MARKED]).replace(_KEPT, "")
    powers = _TEX_POWER.sub(lambda power: _KEPT + (power[1] or power[2]), marked)
    plain = " ".join(strip_latex(powers).replace(_KEPT, "^").split())
    return plain[:MAX_ABSTRACT] if len(plain) >= _LEAST else ""


def read_europe_pmc_abstract(item: object) -> str:
    """Return the abstract of a result of Europe PMC, which may hold HTML."""
    return clean_abstract(read_table(item).get("abstractText"))


def read_semantic_scholar_abstract(item: object) -> str:
    """Return the abstract of a paper of the Academic Graph."""
    return clean_abstract(read_table(item).get("abstract"))


def _flatten_element(element: etree._Element) -> str:
    """Return the text of an element; a power stays one."""
    parts = [element.text or ""]
    for child in element:
        if isinstance(child.tag, str):
            inner = _flatten_element(child)
            raised = child.tag.endswith("sup") and parts[-1][-1:].isdigit() and inner[:1] in "-−–+0123456789"
            parts.append(f"^{inner}" if raised and inner else inner)
        parts.append(child.tail or "")
    return "".join(parts)
