r"""Citations that markup holds together: `\footnote{…}`, `[[address][title]]`, `{{cite …}}`, `<ref>…</ref>`.

What markup ties to one work is one citation as a whole, so that nothing of it is left when it is held back.
Places are those of the text as it is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from citeproof.reading.extractors.prose.inline_citations import TextCitation, identify_work
from citeproof.reading.extractors.prose.titles_and_people import find_people_named, is_title_case
from citeproof.reading.extractors.records.labelled_fields import build_claimed_fields
from citeproof.text import ids
from citeproof.text import lazy_patterns as re
from citeproof.text.readable_text import read_as_shown
from citeproof.vocabulary import WORK_IDS, Claimed

_INNER = r"[^{}]{0,2000}(?:\{[^{}]{0,500}\}[^{}]{0,1000}){0,9}"
_ADDRESS = r"https?://[^\s\[\]{}\"<>]{4,1000}"
_TIED = re.compile(  # an address, and the words that it stands under
    rf"\\href\s?\{{(?P<to>{_ADDRESS})\}}\s?\{{(?P<said>{_INNER})\}}"
    rf"|\[\[(?P<org>{_ADDRESS})\]\[(?P<called>[^\[\]\n]{{1,500}})\]\]"
    rf"|\[(?P<wiki>{_ADDRESS})[ \t]{{1,3}}(?P<named>[^\[\]\n]{{1,500}})\](?!\()"
)
_HOLDING = re.compile(  # what is inside is about one work
    rf"\\(?:footnote|footnotetext|thanks)\{{(?P<footnote>{_INNER})\}}"
    r"|<(?P<tag>ref|li|tr|cite|footnote)\b[^<>]{0,200}>"
    r"(?P<tagged>[^<]{0,2000}(?:<(?!/?(?:ref|li|tr|cite|footnote)\b)[^<]{0,1000}){0,60})</(?P=tag)\s{0,3}>"
    r"|\^\[(?P<inline>[^\[\]\n]{15,1500})\]"
    r"|(?<!!)\[[^\[\]\n]{1,300}\]\([^\s()]{1,500}[ \t]{1,3}\"(?P<hover>[^\"\n]{10,1000})\"\)"
    r"|^\.\.[ \t]{1,3}\[(?P<rst>[^\]\s]{1,40})\][ \t]{1,3}"
    r"(?P<noted>\S.{0,1000}(?:\n[ \t]{2,}\S.{0,500}){0,9})"
    r"|^[ \t]{0,3}(?P<raised>[¹²³⁴-⁹⁰①-⑳]{1,3})[ \t]{1,3}(?P<listed>\S.{10,1500})"
    r"|^\#{1,6}[ \t]{1,3}\[(?P<number>\d{1,3})\][ \t]{1,3}(?P<headed>\S.{5,300}\n{1,2}\S.{10,1500})",
    re.MULTILINE,
)
_TEMPLATE = re.compile(
    r"\{\{\s{0,9}(?:cite|citation|literatur|ouvrage|article)\b([^{}]{5,3000})\}\}", re.IGNORECASE
)
_ROLE = re.compile(
    r"(?::(?:foot)?cite[a-z]{0,9}(?::\w{1,12})?:|\{(?:foot)?cite[a-z]{0,9}(?::\w{1,12})?\})`([^`\n]{1,300})`"
    r"|#cite\(<([^<>()\n]{1,100})>[^()\n]{0,100}\)"
)
_FIELD = re.compile(r"\|\s{0,9}([a-z]{2,20})(\d?)\s{0,9}=\s{0,9}([^|{}]{1,500})")
_ORDER = ("title", "year", "date", "journal", "volume", "pages", "doi")  # of a template that are compared
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹①②③④⑤⑥⑦⑧⑨", "0123456789123456789")


def find_contained(text: str, names_work: Callable[[str], bool]) -> Iterator[TextCitation]:
    """Yield the citations that markup holds together; `names_work`: whether words describe a work."""
    for match in _TEMPLATE.finditer(text):
        fields = {name: value.strip() for name, _, value in reversed(_FIELD.findall(match[1]))}
        last, first = (
            {number: value for name, number, value in _FIELD.findall(match[1]) if name == part}
            for part in ("last", "first")
        )
        people = " and ".join(
            f"{family}, {first.get(number, '')}".strip(" ,") for number, family in last.items()
        )
        stated = {
            "authors": people or fields.get("author", ""),
            **{n: fields[n] for n in _ORDER if n in fields},
        }
        stated["year"] = stated.get("year") or stated.get("date", "")
        claimed = build_claimed_fields(stated, match[0]) if stated.get("title") else None
        yield TextCitation(*match.span(), match[0], claimed, entry=True)
    for match in _ROLE.finditer(text):
        yield TextCitation(
            *match.span(), match[0], labels=tuple(re.findall(r"[^\s,;]+", match[1] or match[2]))
        )
    for match in _TIED.finditer(text):
        address = match["to"] or match["org"] or match["wiki"]
        words = match["said"] or match["called"] or match["named"]
        if identify_work(address):
            yield TextCitation(*match.span(), f"{words} {address}", entry=True)
    for match in _HOLDING.finditer(text):
        groups = match.groupdict()
        inside = next(name for name in _INSIDE if groups[name])
        words = " ".join(read_as_shown(groups[inside]).text.split())
        if names_work(words) or any(scheme in WORK_IDS for scheme, *_ in ids.find_ids(words)):
            label = (groups["rst"] or groups["raised"] or groups["number"] or "").translate(_RAISED)
            yield TextCitation(*match.span(inside), words, entry=True, label=label)
        elif (
            groups["tag"] == "cite"
            and len(words.split()) > 3
            and (is_title_case(words) or not any(find_people_named(words, weak=True)))
        ):
            yield TextCitation(*match.span(inside), words, Claimed(title=words, et_al=True))


_INSIDE = ("inline", "footnote", "tagged", "hover", "noted", "listed", "headed")
