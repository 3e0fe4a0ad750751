"""One work with one identifier, cited in eleven forms of file."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

ADDRESSES = {
    "doi": "https://doi.org/{}",
    "pmid": "https://pubmed.ncbi.nlm.nih.gov/{}/",
    "pmcid": "https://pmc.ncbi.nlm.nih.gov/articles/{}/",
    "arxiv": "https://arxiv.org/abs/{}",
    "ads": "https://ui.adsabs.harvard.edu/abs/{}/abstract",
    "isbn": "https://openlibrary.org/isbn/{}",
    "issn": "https://portal.issn.org/resource/ISSN/{}",
    "who_iris": "{}",
}
LABELS = {
    "doi": "doi:{}", "pmid": "PMID: {}", "pmcid": "PMCID: {}", "arxiv": "arXiv:{}", "ads": "ADS bibcode: {}",
    "isbn": "ISBN {}", "issn": "ISSN {}", "who_iris": "{}",
}  # fmt: skip
FIELDS = {
    "doi": "doi", "pmid": "pmid", "pmcid": "pmcid", "arxiv": "eprint", "ads": "bibcode", "isbn": "isbn",
    "issn": "issn", "who_iris": "url",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Work:
    """What is cited: the fields of a citation, with one identifier."""

    title: str
    people: tuple[tuple[str, str], ...]  # given, family
    year: int
    venue: str
    scheme: str
    value: str

    @property
    def address(self) -> str:
        return ADDRESSES[self.scheme].format(self.value)

    @property
    def labelled(self) -> str:
        return LABELS[self.scheme].format(self.value)

    @property
    def named(self) -> str:
        return ", ".join(f"{family}, {given[:1]}." for given, family in self.people)


def _entry(work: Work, kind: str, **more: str) -> str:
    people = " and ".join(f"{family}, {given}" for given, family in work.people)
    fields = {"title": work.title, "author": people, "year": str(work.year), **more}
    return (
        f"@{kind}{{key,\n" + "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items()) + "}\n"
    )


def _container(work: Work) -> dict[str, str]:
    return {"publisher": work.venue} if work.scheme == "isbn" else {"journal": work.venue}


def _type(work: Work) -> str:
    return "book" if work.scheme == "isbn" else "article"


def bibtex_field(work: Work) -> str:
    return _entry(work, _type(work), **_container(work), **{FIELDS[work.scheme]: work.value})


def bibtex_url(work: Work) -> str:
    return _entry(work, _type(work), **_container(work), url=work.address)


def bibtex_note(work: Work) -> str:
    return _entry(work, _type(work), **_container(work), note=work.labelled)


def bibtex_misc(work: Work) -> str:
    return _entry(work, "misc", howpublished=f"\\url{{{work.address}}}")


def markdown_link(work: Work) -> str:
    family = work.people[0][1]
    more = " et al." if len(work.people) > 1 else ""
    return f"[{family}{more}, {work.year}, {work.title}]({work.address})\n"


def chat_answer(work: Work) -> str:
    people = ", ".join(f"{given} {family}" for given, family in work.people)
    return (
        "Sure! Here is a paper that you may find useful:\n\n"
        f"1. **{work.title}** by {people} ({work.year}). *{work.venue}*. {work.labelled}\n\n"
        "Let me know if you need more.\n"
    )


def plain_text(work: Work) -> str:
    return f"{work.named} ({work.year}). {work.title}. {work.venue}, 12(3), 45-67. {work.labelled}\n"


def ris(work: Work) -> str:
    tags = {"doi": "DO", "isbn": "SN", "issn": "SN", "pmid": "AN", "pmcid": "C2"}
    kind = "BOOK" if work.scheme == "isbn" else "JOUR"
    lines = [f"TY  - {kind}", f"TI  - {work.title}", *(f"AU  - {f}, {g}" for g, f in work.people)]
    lines += [f"PY  - {work.year}", f"{'PB' if kind == 'BOOK' else 'JO'}  - {work.venue}"]
    tag = tags.get(work.scheme)
    lines.append(
        f"{tag}  - {work.value if tag != 'AN' else work.labelled}" if tag else f"UR  - {work.address}"
    )
    return "\n".join([*lines, "ER  - ", ""])


def csl_json(work: Work) -> str:
    names = {"doi": "DOI", "isbn": "ISBN", "issn": "ISSN", "pmid": "PMID", "pmcid": "PMCID"}
    own = {names[work.scheme]: work.value} if work.scheme in names else {"URL": work.address}
    place = {"publisher": work.venue} if work.scheme == "isbn" else {"container-title": work.venue}
    item = {
        "id": "key", "type": "book" if work.scheme == "isbn" else "article-journal", "title": work.title,
        "author": [{"family": family, "given": given} for given, family in work.people],
        "issued": {"date-parts": [[work.year]]}, **place, **own,
    }  # fmt: skip
    return json.dumps([item])


def html_link(work: Work) -> str:
    return (
        "<html><body><h2>References</h2><ol><li>"
        f'{work.named} ({work.year}). <a href="{work.address}">{work.title}</a>. <i>{work.venue}</i>.'
        "</li></ol></body></html>"
    )


def thebibliography(work: Work) -> str:
    value = work.labelled.replace("_", r"\_").replace("&", r"\&").replace("%", r"\%").replace("#", r"\#")
    return (
        "\\documentclass{article}\\begin{document}Text \\cite{key}.\n\\begin{thebibliography}{9}\n"
        f"\\bibitem{{key}} {work.named} \\newblock {work.title}. \\newblock \\emph{{{work.venue}}},"
        f" {work.year}. {value}\n\\end{{thebibliography}}\\end{{document}}\n"
    )


FILES: dict[str, tuple[str, Callable[[Work], str]]] = {
    "bibtex field": ("a.bib", bibtex_field),
    "bibtex url": ("a.bib", bibtex_url),
    "bibtex note": ("a.bib", bibtex_note),
    "bibtex misc": ("a.bib", bibtex_misc),
    "markdown link": ("a.md", markdown_link),
    "chat answer": ("a.md", chat_answer),
    "plain text": ("a.txt", plain_text),
    "ris": ("a.ris", ris),
    "csl json": ("a.json", csl_json),
    "html link": ("a.html", html_link),
    "thebibliography": ("a.tex", thebibliography),
}
