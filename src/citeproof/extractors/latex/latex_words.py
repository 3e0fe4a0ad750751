r"""LaTeX to the words a reader sees: of running text, and of the entries that bibliography styles write.

`text.latex.strip_latex` does accents, dashes and dress; here is what has arguments: `\href{…}{…}`, footnotes,
the markup of the IEEE, ACM, APS and APA styles. One ordered table each, in sight.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

from citeproof.text.latex import strip_latex
from citeproof.text.latex_commands import NO_MACROS, Macros, print_commands

Rules = tuple[tuple[re.Pattern[str], str], ...]

_ONE = (
    r"\s{0,9}\{((?:[^{}]|\{(?:[^{}]|\{[^{}]{0,300}\}){0,300}\}){0,3000})\}"  # one argument, two levels deep
)
_ADDRESS = re.compile(r"\\(?:href(?:@noop|url)?|[Ee]print|doiref)\s{0,9}\{([^{}]{0,2000})\}\s{0,9}(?=\{)")
_LINKED_VENUE = re.compile(r"\\mn@doi\s{0,3}(?:\[([^\[\]]{0,300})\])?\s{0,9}\{([^{}]{1,300})\}")  # MNRAS
_SHOWN_ADDRESS = re.compile(r"\\(?:url|nolinkurl|path)\s{0,3}\{([^{}]{1,2000})\}")
_FOOTNOTE = re.compile(rf"\\(?:footnote|thanks|footnotetext|marginpar)(?:\[\d{{1,3}}\])?{_ONE}")
_PARAGRAPH = re.compile(
    r"\n[ \t]{0,99}\n\s*+|\\par(?![A-Za-z])|\\(?:begin|end)\s{0,3}\{[A-Za-z*]{1,40}\}(?:\[[^\]\n]{0,200}\])?"
    r"|\\item(?![A-Za-z])|(?=\\(?:part|chapter|(?:sub){0,2}section|(?:sub)?paragraph|title|caption|abstract)\*?[\[{])"
    r"|(?<=\})(?=\s{0,3}\n)(?<=[^.]\})|&(?!\w)|\\\\"
)
_QUOTED = re.compile(r"(?<![`\w])`(?!`)([^`]{3,300}?)(?<=[\w.,?!)])'(?=[\s,.;:)]|$)(?!')")
# IOP and others part title and journal by the font alone: "2015 Deep learning {\it Nature} {\bf 521}"
_SLANTED = re.compile(
    r"(?<!\bof)(?<!\bin)(?<!\bby)(?<!\bto)(?<!\bon)(?<!\bfrom)(?<!\bwith)(?<!\band)(?<!\bthe)(?<!\bfor)"
    r"(?<=[a-z\d?}])\s{1,9}(?=(?:\{\\(?:em|it|sl|emph|itshape)\s|\\(?:emph|textit|textsl)\s{0,3}\{)[^{}]{3,200}\}"
    r"\s{0,9}(?:\{\\bf|\\textbf|\(|vol\b|\d|pp\b))"
)
_PROGRAMS = frozenset({"bibtex", "biblatex"})  # whose names are words of a title
_STYLE_WORD = re.compile(r"\\([A-Za-z@]{2,40})(?![A-Za-z@])(?:\s{0,3}\{[.,]?\}|\s{1,9})?")
_WORD = re.compile(r"\\([A-Za-z@]{1,60})(?:\{\})?(?![A-Za-z@])")
_SPACED = re.compile(r"\s{1,9}(?=[,.;:)\]](?:\s|$))")
_DOUBLED = re.compile(r"([.,;])(?:\s?\1){1,3}(?=\s|$)")


def _compile_rules(table: Sequence[tuple[str, str]]) -> Rules:
    return tuple((re.compile(pattern), words) for pattern, words in table)


_RUNNING = _compile_rules(
    [
        ((r"\\(?:label|ref|eqref|autoref|[cC]ref|pageref|index|vspace|hspace|includegraphics|input|include"
         r"|bibliographystyle|bibliography|pagestyle|usepackage|documentclass|setlength|addbibresource|todo"
         r"|addtolength)(?![A-Za-z])\*?(?:\s?\[[^\]\n]{0,300}\]){0,2}(?:\{[^{}\n]{0,300}\})?"), " "),
        ((r"\\(?:printbibliography|newpage|clearpage|maketitle|tableofcontents|centering|noindent|protect|small"
         r"|footnotesize|large|bfseries|itshape|hline|toprule|midrule|bottomrule)(?![A-Za-z])"), " "),
        (r"\\(?:emph|text[a-z]{2}|(?:sub)?section|caption|title)\*?(?:\[[^\]\n]{0,300}\])?(?=\{)", ""),
        (r"\\(?:ensuremath|text[a-z]{2,8}|gls|Gls|acs?|acl|acf)(?=\{)", ""),
        (r"\\ldots|\\dots(?![A-Za-z])", "…"),
        (r"\\xspace(?![A-Za-z])", ""),
    ]
)  # fmt: skip
_ENTRY = _compile_rules(
    [
        (r"\\(?:begin|end)\s{0,3}\{[A-Za-z]{1,40}\*?\}(?:\[[^\]\n]{0,60}\])?", " "),
        (r"\\mciteSetBst[A-Za-z]{1,40}(?:\s{0,9}\{[^{}]{0,99}\}){1,3}|\\mciteBst[A-Za-z]{1,40}", " "),
        (r"\\bfnm\s{0,3}\{([^{}]{0,99})\}[\s~]{0,3}\\binits\s{0,3}\{[^{}]{0,60}\}", r"\1"),
        (r"\\bid\s{0,3}\{\s{0,9}doi=\{([^{}]{1,300})\}(?:[^{}]|\{[^{}]{0,99}\}){0,300}\}", r" doi:\1"),
        (r"\\mn@eprint\s{0,3}\{arXiv\}\s{0,3}\{([^{}]{1,60})\}", r" arXiv:\1"),
        (r"(?:\\expandafter)?\\btxselectlanguage(?:\\expandafter)?\s{0,3}\{[^{}]{0,60}\}", " "),
        (r"\\btxprintmonthyear\s{0,3}\{.?\}\{([^{}]{0,30})\}\{([^{}]{0,30})\}\{[a-z]{0,9}\}", r" \1 \2"),
        (r"\\btx[A-Za-z]{1,30}font(?![A-Za-z])\s{0,3}", " "),
        (rf"\\APACtypeAddressSchool{_ONE}{_ONE}{_ONE}", r" (\1, \2, \3)"),
        (rf"\\APACaddress(?:School|Institution){_ONE}{_ONE}", r" \1 \2"),
        (rf"\\APACbVolEdTRp?g?s?{_ONE}{_ONE}", r" (\1 \2)"),
        (r"\\harvardurl(?=\{)", " "),
        (rf"\\abntrefinfo{_ONE}{_ONE}{_ONE}|\\dinatlabel{_ONE}", " "),
        (rf"\\(?:AX|index){_ONE}", ""),
        (r"\\@", ""),
        (r"\\urldef\s{0,3}\\[A-Za-z]{1,30}|\\show(?:DOI|URL)\s{0,3}\{\s{0,9}\\[A-Za-z]{1,30}\s{0,9}\}", " "),
        (r"\\showISBNx(?:iii)?\s{0,3}(?=\{)", " ISBN "),
        (r"\\showISSN\s{0,3}(?=\{)", " ISSN "),
        (r"\\showeprint\s{0,3}(?:\[[^\]\n]{0,60}\])?\s{0,3}(?=\{)", " arXiv:"),
        ((r"\\(?:show(?:CODEN|LCCN)|PrintBackRefs|APACinsertmetastar|BibitemShut|selectlanguage(?:ifdefined)?)"
         r"\s{0,9}\{[^{}]{0,99}\}"), " "),
        (r"\\BibDoi\s{0,3}\{([^{}]{1,500})\}", r" doi:\1"),
        (r"\\natexlab\s{0,3}\{([^{}]{0,9})\}", r"\1"),
        (r"\\(?:bibname|bibfname|citename)font\s{0,9}(?=\{)", ""),
        (r"\\(?:doi|DOI)\s{0,3}\{([^{}]{1,500})\}", r" doi:\1"),
        (r"\\(?:arxiv|arXiv)\s{0,3}\{([^{}]{1,60})\}", r" arXiv:\1"),
        ((r"\\(?:hskip|hspace|vskip|kern)\s{0,3}[-\d.]{1,9}\s{0,3}[a-z]{2}"
         r"(?:\s{1,9}(?:plus|minus)\s{1,9}[-\d.]{1,9}\s{0,3}[a-z]{2}){0,2}\s{0,3}(?:\\relax)?"), " "),
        (r"\\penalty\s{0,3}-?\d{1,6}", ""),
        ((r"\\(?:BIBentry[A-Za-z]{1,40}|BIBdecl|BibitemOpen|newblock|newline|linebreak|urlprefix|unskip|relax"
         r"|bysame|providecommand|protect|url@samestyle|bibitem(?:No)?Stop|EOS)(?![A-Za-z])"), " "),
        (rf"\\APACrefYearMonthDay\s{{0,9}}\{{([^{{}}]{{0,60}})\}}{_ONE}{_ONE}", r" (\1)"),
        (r"\\APACrefYear\s{0,9}\{([^{}]{0,60})\}", r" (\1)"),
        (rf"\\APACref[a-z]{{0,4}}title{_ONE}{_ONE}", r" \1"),
        (rf"\\APACjournalVolNumPages{_ONE}{_ONE}{_ONE}{_ONE}", r" \1, \2(\3), \4"),
        (rf"\\APACaddressPublisher{_ONE}{_ONE}", r" \1: \2"),
        (r"\\BOthersPeriod(?:\s{0,3}\{[^{}]{0,5}\})?|\\BOthers\s{0,3}\{\.?\}", " et al."),
        (r"\\(?:BBA|BAnd)(?:\s{0,3}\{\})?", " & "),
        (r"\\BCB[LT](?:\s{0,3}\{\})?", ","),
        (r"\\BPBI\s{0,3}(?:\{\})?", ". "),
        (r"\\BIn(?:\s{0,3}\{\})?", " In "),
        (r"\\BPGS?(?:\s{0,3}\{\})?", "pp."),
        (r"\\BVOLS?(?:\s{0,3}\{\})?", "Vol."),
        (r"\\BNUMS?(?:\s{0,3}\{\})?", "No."),
        (r"\\BEDS(?:\s{0,3}\{\})?", "Eds."),
        (r"\\BED(?:\s{0,3}\{\})?", "Ed."),
        (r"\\B(?:BOQ|BCQ|BOP|BCP|BC|BAB|em)(?![A-Za-z])(?:\s{0,3}\{\})?", ""),
        (rf"\\(?:enquote|mkbibquote){_ONE}", r"“\1”"),
        (r"\(\s{0,3}\)|\(,?\s{0,3}\)", " "),
        (r"\\bibrangedash(?![A-Za-z])", "–"),
        (r"\\bib(?:name|init)(?:delim[a-d]?|period|hyphendelim)?(?![A-Za-z])", " "),
    ]
)  # fmt: skip


@cache
def _load_style_words() -> dict[str, str]:
    """Return what the commands of bibliography styles print."""
    source = files("citeproof.extractors.latex").joinpath("style_words.toml").read_text("utf-8")
    table: dict[str, list[str]] = tomllib.loads(source)["words"]
    return {
        name: f" {words}{'' if words == '(' else ' '}" if words.strip() else words
        for words, names in table.items()
        for name in names
    }


def _print_style_word(match: re.Match[str]) -> str:
    """Return what a command of a style prints; one that only separates may have any name."""
    name, words = match[1].lower(), _load_style_words().get(match[1])
    if words is not None:
        return words
    taken = match.string[match.end() : match.end() + 1] == "{"  # with an argument: that is printed
    if taken or name in _PROGRAMS or not name.startswith(("bib", "bbl", "btx")):
        return match[0]
    return ", " if name.endswith("sep") else " "


def render_entry(text: str, macros: Macros = NO_MACROS) -> str:
    """Return the words of one bibliography entry on one line, the addresses of its links behind them."""
    text = print_commands(text, macros)
    text = _SLANTED.sub(". ", text)
    hidden = [_clean_address(match[1]) for match in _ADDRESS.finditer(text)]
    hidden += [f"https://doi.org/{match[2].strip()}" for match in _LINKED_VENUE.finditer(text)]
    text = _LINKED_VENUE.sub(r"\1", text)
    text = _SHOWN_ADDRESS.sub(
        lambda m: " " + m[1].replace("\\", "").replace("~", "%7E") + " ", _ADDRESS.sub("", text)
    )
    text = _STYLE_WORD.sub(_print_style_word, _apply_rules(text, _ENTRY))
    words = _tidy_text(strip_latex(_QUOTED.sub(r"“\1”", text)))
    told = words.lower()
    links = [link for link in dict.fromkeys(hidden) if link and _strip_address(link) not in told]
    return " ".join([words, *links]).strip()


def render_paragraphs(text: str, macros: Mapping[str, str]) -> list[str]:
    """Return the words of running text by paragraph; a footnote comes after the one it belongs to."""
    text = _ADDRESS.sub("", text)
    if macros:
        text = _WORD.sub(lambda m: macros.get(m[1], m[0]), text)
    found: list[str] = []
    for part in _PARAGRAPH.split(text):
        notes = [match[1] for match in _FOOTNOTE.finditer(part)]
        body = _FOOTNOTE.sub("", part) if notes else part
        pieces = (piece for piece in (body, *notes) if piece.strip())
        found += [_tidy_text(strip_latex(_apply_rules(piece, _RUNNING))) for piece in pieces]
    return [words for words in found if words]


def _apply_rules(text: str, rules: Rules) -> str:
    if "\\" not in text:
        return text
    for pattern, words in rules:
        text = pattern.sub(words, text)
    return text


def _tidy_text(text: str) -> str:
    return _DOUBLED.sub(r"\1", _SPACED.sub("", " ".join(text.split()))).strip()


def _clean_address(source: str) -> str:
    """Return an address as a browser has it; REVTeX writes a resolver as a command."""
    plain = re.sub(r"^\s{0,9}\\doibase(?![A-Za-z])\s{0,9}", "https://doi.org/", source)
    return re.sub(r"\\(?=[#$%&_{}])", "", plain).strip()


def _strip_address(link: str) -> str:
    """Return what of an address tells it from others, to see whether the words hold it already."""
    return re.sub(r"^https?://(?:dx\.)?(?:doi\.org/|arxiv\.org/abs/)?", "", link.lower()).rstrip("/")
