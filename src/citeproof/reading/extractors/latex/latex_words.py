r"""LaTeX to the words a reader sees: of running text, and of the entries that bibliography styles write.

`text.latex.strip_latex` does accents, dashes and dress; here is what has arguments: `\href{…}{…}`, footnotes,
the markup of the IEEE, ACM, APS and APA styles. One ordered table each, in sight.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from citeproof.text import lazy_patterns as re
from citeproof.text.brace_groups import BraceGroups
from citeproof.text.latex import strip_latex
from citeproof.text.latex_commands import NO_MACROS, Macros, print_commands
from citeproof.text.names import is_group, split_names
from citeproof.text.package_tables import load_package_table
from citeproof.vocabulary import Name

Rules = tuple[tuple[re.Pattern[str], str], ...]

_ONE = (
    r"\s{0,9}\{((?:[^{}]|\{(?:[^{}]|\{[^{}]{0,300}\}){0,300}\}){0,3000})\}"  # one argument, two levels deep
)
_ADDRESS = re.compile(r"\\(?:href(?:@noop|url)?|[Ee]print|doiref)\s{0,9}\{([^{}]{0,2000})\}\s{0,9}(?=\{)")
_LEAD = re.compile(r"^https?://(?:dx\.)?(?:doi\.org/|arxiv\.org/abs/)?")  # says not which work it is
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

_HEAD = 200_000  # characters of a document in which its authors are named
_MOST = 200  # authors
_COMMAND = re.compile(r"\\(?:author|IEEEauthorblockN|addauthor)(?![A-Za-z])")
_INNER = re.compile(r"\\IEEEauthorblockN(?![A-Za-z])")
# what stands next to a name: marks, notes, addresses
_NOTE = re.compile(
    r"\\(?:thanks|footnote|footnotemark|inst|textsuperscript|orcid(?:ID|Link|link)?|email|mailto|texttt|href|url"
    r"|affiliation|institute|affil|address|small|tt|authormark|authorrefmark|IEEEauthorrefmark|IEEEmembership"
    r"|corref|fnref|ead|samethanks|comma)(?![A-Za-z])\*?(?:\[[^\]\n]{0,99}\])?(?:\{(?:[^{}]|\{[^{}]{0,300}\}){0,500}\})?"
    r"|\$[^$\n]{0,99}\$|\^\{[^{}]{0,99}\}|(?<!\\)%[^\n]*+"
)
_BETWEEN = re.compile(r"\\(?:and|And|AND|quad|qquad|hspace|hfill)(?![A-Za-z])(?:\{[^{}]{0,20}\})?|;")
_LINE = re.compile(r"\\\\|\\newline|\n\s{0,20}\n")
_DIGIT = re.compile(r"[0-9@]")
_WORDS = 6  # of a person's name


def _load_rules(name: str) -> Rules:
    """Return what commands become, in order: of `running` text, of an `entry` of a style."""
    rows: list[tuple[str, str]] = load_package_table(
        "citeproof.reading.extractors.latex", "latex_rules.toml"
    )[name]
    return tuple((re.compile(pattern.replace("<ARGUMENT>", _ONE)), words) for pattern, words in rows)


_RUNNING, _ENTRY = _load_rules("running"), _load_rules("entry")


@cache
def _load_style_words() -> dict[str, str]:
    """Return what the commands of bibliography styles print."""
    table = load_package_table("citeproof.reading.extractors.latex", "style_words.toml")["words"]
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
    shown = words.lower()
    links = [a for a in dict.fromkeys(hidden) if a and _LEAD.sub("", a.lower()).rstrip("/") not in shown]
    return " ".join([words, *links]).strip()


def render_paragraphs(text: str, macros: Mapping[str, str]) -> list[str]:
    """Return the words of running text by paragraph; a footnote comes after the one it belongs to."""
    text = _ADDRESS.sub("", text)
    if macros:
        text = _WORD.sub(lambda m: macros.get(m[1], m[0]), text)
    paragraphs: list[str] = []
    for part in _PARAGRAPH.split(text):
        notes = [match[1] for match in _FOOTNOTE.finditer(part)]
        body = _FOOTNOTE.sub("", part) if notes else part
        pieces = (piece for piece in (body, *notes) if piece.strip())
        paragraphs += [_tidy_text(strip_latex(_apply_rules(piece, _RUNNING))) for piece in pieces]
    return [words for words in paragraphs if words]


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


def read_latex_authors(text: str) -> tuple[Name, ...]:
    """Return the authors that a document names, as far as they can be read."""
    text = text[:_HEAD]
    if "\\author" not in text:
        return ()
    groups = BraceGroups(text)
    authors: dict[Name, None] = {}
    for command in _COMMAND.finditer(text):
        start = groups.past_options(command.end())
        end = groups.past_group(start)
        if end <= start or len(authors) >= _MOST:
            continue
        content = text[start + 1 : end - 1]
        if not _INNER.search(content):
            people: list[Name] = []
            for block in _BETWEEN.split(_NOTE.sub(" ", content)):
                lines = [line for line in _LINE.split(block) if line.strip(" ~\n\t{},")]
                first = " ".join(strip_latex(lines[0]).replace("~", " ").split()) if lines else ""
                people += [name for name in split_names(first.strip(" ,*†‡"))[0] if _is_person(name)]
            authors |= dict.fromkeys(people)
    return tuple(authors)[:_MOST]


def _is_person(name: Name) -> bool:
    """Return whether a line is a name and not an address: both parts, few words, no digits."""
    whole = name.display
    return (
        bool(name.given) and not is_group(name) and not _DIGIT.search(whole) and len(whole.split()) <= _WORDS
    )
