r"""Papers that link their author–year citations to their lists: JATS `xref`, TEI `ref`, LaTeX `\cite`.

The links are the gold: where a citation stands, and which reference it means. A LaTeX paper is rendered with
the labels of its compiled bibliography, as natbib prints them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from lxml import etree

from citeproof.reading.extractors.jats import EXTRACTOR as JATS
from citeproof.reading.extractors.latex.compiled_bibliography import list_bbl_items
from citeproof.reading.extractors.prose.sentence_spans import find_sentence_spans
from citeproof.reading.extractors.tei import EXTRACTOR as TEI
from citeproof.reading.extractors.xml.xml_tree import parse_xml
from citeproof.reading.parse import parse_all
from citeproof.text.latex import strip_latex
from citeproof.vocabulary import Document, Reference

BLOCKS = {"p", "title", "td", "th", "caption", "fn", "list-item", "head", "note"}
LISTS = {"ref-list", "listBibl", "teiHeader", "back", "front"}
YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
OPEN, CLOSE = "\ue000", "\ue001"
CITE = re.compile(r"\\(cite[a-zA-Z]*)\*?\s?((?:\[[^\]]{0,80}\]){0,2})\{([^{}]{1,500})\}")
TABLE = re.compile(r"\\begin\{tabular.{0,20000}?\\end\{tabular", re.DOTALL)  # its "&" joins no names
LABEL = re.compile(r"\\bibitem\s?\[\{?(.{1,1500}?)\}?\]\s?\{([^{}]{1,200})\}", re.DOTALL)
SPLIT = re.compile(r"(.*?)\((\d{4}[a-z]?|[^()]{0,20})\)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Link:
    """One citation: its place in the paragraph, and the keys of the references it means."""

    start: int
    end: int
    keys: tuple[str, ...]


@dataclass(slots=True)
class Paragraph:
    text: str
    links: list[Link] = field(default_factory=list)

    def sentence(self, at: int) -> str:
        spans = list(find_sentence_spans(self.text))
        return next((self.text[a:b] for a, b in spans if a <= at < b), self.text)


@dataclass(slots=True)
class Paper:
    name: str
    references: dict[str, Reference]
    paragraphs: list[Paragraph]

    @property
    def links(self) -> int:
        return sum(len(paragraph.links) for paragraph in self.paragraphs)

    @property
    def text(self) -> str:
        return "\n\n".join(paragraph.text for paragraph in self.paragraphs)


def read_papers(folder: Path) -> Iterator[Paper]:
    """Yield the papers below `folder` whose citations are author–year."""
    for path in sorted(folder.rglob("*")):
        if path.name.startswith("._") or not path.is_file():
            continue
        paper = None
        if path.suffix in (".nxml", ".xml", ".jats"):
            paper = read_xml(path)
        elif path.suffix == ".bbl":
            paper = read_latex(path)
        if paper is not None and paper.links >= 5:
            yield paper


def read_xml(path: Path) -> Paper | None:
    document = Document(path.name, path.read_bytes())
    try:
        root = parse_xml(document)
    except Exception as error:  # noqa: BLE001 - a file that is no XML is no paper
        print(f"{path.name}: {error}")
        return None
    tei = root.tag == "TEI"
    if not tei and root.find(".//ref-list") is None:
        return None
    raws = (TEI if tei else JATS).extract(document).references
    references = {one.key: one for one in parse_all(raws)}
    paragraphs = list(read_blocks(root, set(references), tei=tei))
    return Paper(path.name, references, paragraphs)


def read_blocks(root: etree._Element, keys: set[str], *, tei: bool) -> Iterator[Paragraph]:
    for block in root.iter(*BLOCKS):
        above = {one.tag for one in block.iterancestors()}
        if above & LISTS or above & BLOCKS:
            continue
        parts: list[str] = []
        links: list[Link] = []
        flatten(block, parts, links, keys, tei=tei)
        yield Paragraph("".join(parts), links)


def flatten(
    element: etree._Element, parts: list[str], links: list[Link], keys: set[str], *, tei: bool
) -> None:
    parts.append(element.text or "")
    for child in element:
        if isinstance(child.tag, str):
            start = sum(map(len, parts))
            if child.tag in BLOCKS:
                parts.append("\n")
            flatten(child, parts, links, keys, tei=tei)
            text = "".join(parts)[start:]
            mark = child.get("target", "").lstrip("#") if tei else child.get("rid", "")
            linked = child.get("type" if tei else "ref-type") == "bibr"
            meant = tuple(key for key in mark.split() if key in keys)
            if linked and meant and YEAR.search(text):
                links.append(Link(start, start + len(text), meant))
        parts.append(child.tail or "")


def read_latex(bbl: Path) -> Paper | None:
    source = bbl.read_text("utf-8", "replace")
    labels = {key: SPLIT.match(" ".join(strip_latex(label).split())) for label, key in LABEL.findall(source)}
    known = {key: (found[1].strip(), found[2]) for key, found in labels.items() if found}
    raws = [raw for _, _, raw in list_bbl_items(source) if raw]
    references = {one.key: one for one in parse_all(raws)}
    paragraphs: list[Paragraph] = []
    for path in sorted(bbl.parent.rglob("*.tex")):
        if path.name.startswith("._"):
            continue
        text = re.sub(r"(?<!\\)%.*", "", path.read_text("utf-8", "replace"))
        text = TABLE.sub(" ", text)
        blocks = re.split(r"\n\s{0,9}\n|\\(?:sub)*section\*?\{|\\begin\{(?:table|figure)\*?\}", text)
        paragraphs += [render(block, known) for block in blocks if "\\cite" in block]
    return Paper(f"{bbl.parent.name}/{bbl.name}", references, [p for p in paragraphs if p.links])


def render(block: str, known: dict[str, tuple[str, str]]) -> Paragraph:
    """Return a paragraph as it is printed, the citations where its commands stand."""
    meant: list[str] = []

    def show(match: re.Match[str]) -> str:
        keys = [key.strip() for key in match[3].split(",") if key.strip() in known]
        textual = match[1] in ("citet", "newcite", "citealt", "textcite")
        shown = []
        for key in keys:
            people, year = known[key]
            meant.append(key)
            body = f"{people} ({year})" if textual else f"{people}, {year}"
            shown.append(f"{OPEN}{body}{CLOSE}")
        printed = "; ".join(shown) if textual else f"({'; '.join(shown)})" if shown else ""
        return f" {printed}"  # a command before it, such as \\dagger, is no part of the name

    plain = " ".join(strip_latex(CITE.sub(show, block)).split())
    text, links = "", []
    for number, part in enumerate(plain.split(OPEN)):
        body, mark, rest = part.partition(CLOSE)
        if number and mark:
            links.append(Link(len(text), len(text) + len(body), (meant[number - 1],)))
        text += body + rest
    return Paragraph(text, links)
