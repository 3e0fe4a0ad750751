"""A paper set by LaTeX, and its references as the same program sets them one a page.

The second run has the same class, the same style and the same .bbl; only paper size, hyphenation and the
item command differ: paper fourteen thousand points wide, one entry a page, its key in front. So what is
read back is the style's own punctuation and abbreviation, not ours.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pdf_corpus import gold, prose, tex, troubles
from pdf_corpus.typeset import ToolError, latex, run
from pdf_corpus.works import Work

FONTS = {
    "ot1": "",
    "t1": "\\usepackage[T1]{fontenc}\\usepackage{lmodern}\\input{glyphtounicode}\\pdfgentounicode=1\n",
    "times": "\\usepackage[T1]{fontenc}\\usepackage{mathptmx}\n",
    "palatino": "\\usepackage[T1]{fontenc}\\usepackage{mathpazo}\n",
    "class": "",
    "unicode": "\\usepackage{fontspec}\\setmainfont{DejaVu Serif}\n",
    "chinese": '\\usepackage{fontspec}\\setmainfont{Noto Serif CJK SC}\\XeTeXlinebreaklocale "zh"'
    "\\XeTeXlinebreakskip=0pt plus 1pt\n",
}
WIDE = r"""
\ifdefined\onecolumngrid\onecolumngrid\else\onecolumn\fi\pagestyle{empty}
\pdfpagewidth=14000pt\pdfpageheight=900pt\textwidth=13500pt\textheight=700pt
\oddsidemargin=0pt\evensidemargin=0pt\topmargin=0pt\hoffset=0pt\voffset=0pt
\hsize=\textwidth\columnwidth=\textwidth\linewidth=\textwidth
\hyphenpenalty=10000\exhyphenpenalty=10000\raggedright
"""
ITEMS = r"""
\renewenvironment{thebibliography}[1]{\providecommand\newblock{ }}{}
\RenewDocumentCommand\bibitem{O{} m}{\endgraf\newpage\noindent #2 }
\ProvideDocumentCommand\harvarditem{}{}
\RenewDocumentCommand\harvarditem{O{} m m m}{\endgraf\newpage\noindent #4 }
\providecommand\abntrefinfo[3]{}\renewcommand\abntrefinfo[3]{}
"""
CITES = {  # in brackets, inside the sentence
    "number": (r"\cite{%s}", r"%w~\cite{%s}"),
    "super": (r"\cite{%s}", r"%w\cite{%s}"),
    "natbib": (r"\citep{%s}", r"\citet{%s}"),
    "plain": (r"\cite{%s}", r"\cite{%s}"),
    "biblatex": (r"\parencite{%s}", r"\textcite{%s}"),
    "supercite": (r"\supercite{%s}", r"%w\supercite{%s}"),
    "footnote": (r"\footcite{%s}", r"%w\footcite{%s}"),
}


def make(
    recipe: dict[str, Any], works: Sequence[Work], folder: Path, rng: random.Random
) -> list[dict[str, Any]]:
    """Leave paper.pdf in `folder` and return its gold references, in printed order."""
    engine = recipe.get("engine", "pdflatex")
    unicode = engine == "xelatex"
    (folder / "refs.bib").write_text(
        tex.bibtex(works, unicode=unicode or "biblatex" in recipe, ids=recipe.get("ids", "doi")), "utf-8"
    )
    (folder / "paper.tex").write_text(_paper(recipe, works, rng), "utf-8")
    (folder / "gold.tex").write_text(_gold(recipe, works), "utf-8")
    latex(engine, "paper.tex", folder, draft=True)
    said = run(["biber", "paper"] if "biblatex" in recipe else ["bibtex", "paper"], folder)
    if not (folder / "paper.bbl").is_file():
        raise ToolError(f"no bibliography: {said[-600:]}")
    # revtex reads a .bbl of its own job's name once more at the end; biblatex reads no other
    shutil.copy(folder / "paper.bbl", folder / ("gold.bbl" if "biblatex" in recipe else "entries.bbl"))
    latex(engine, "paper.tex", folder, draft=True)
    latex(engine, "paper.tex", folder)
    latex(engine, "gold.tex", folder)
    return gold.references(gold.typeset(folder / "gold.pdf"), works)


def _paper(recipe: dict[str, Any], works: Sequence[Work], rng: random.Random) -> str:
    marks = _marks(recipe)
    language = recipe.get("language", "en")
    parts = troubles.latex(recipe, prose.TEXTS[language], marks.escape, rng)
    return "\n".join(
        [
            _preamble(recipe),
            parts.preamble,
            "\\begin{document}",
            _front(recipe, marks.escape(prose.title(works[0], language))),
            parts.opening,
            *_body(recipe, works, parts, rng),
            parts.after,
            "\\end{document}\n",
        ]
    )


def _body(
    recipe: dict[str, Any], works: Sequence[Work], parts: troubles.Parts, rng: random.Random
) -> Iterator[str]:
    """Yield running text and list of references, again for every chapter or supplement that has its own."""
    marks = _marks(recipe)
    language = recipe.get("language", "en")
    heading = (
        "" if "no heading" in recipe["troubles"] else recipe.get("heading", prose.TEXTS[language]["heading"])
    )
    for number, part in enumerate(lists(recipe, works)):
        body: list[str] = []
        for head, paragraphs in prose.sections(part, language, marks, rng, filler=recipe.get("filler", 1.0)):
            body += [f"\\section{{{marks.escape(head)}}}", *_escaped(paragraphs, recipe)]
        text = troubles.sprinkled("\n\n".join(body), [] if number else parts.inside, rng)
        if recipe.get("pages"):
            text += _long(recipe["pages"], prose.TEXTS[language]["plain"])
        if number and recipe["class"] in {"report", "book"}:
            text = f"\\chapter{{{marks.escape(prose.title(part[0], language))}}}\n{text}"
        over = marks.escape(recipe.get("again", heading) if number else heading)
        printed = parts.before + _list(recipe, over, [work.key for work in part])
        yield (
            f"\\begin{{refsection}}{text}{printed}\\end{{refsection}}"
            if recipe.get("lists")
            else f"{text}\n{printed}"
        )


def _long(pages: int, sentences: list[str]) -> str:
    """Return a loop of paragraphs that ends when so many pages are full."""
    paragraph = " ".join(tex.escape(sentence) for sentence in sentences)
    return f"\\loop\\ifnum\\value{{page}}<{pages} {paragraph}\\par\\repeat\n"


def lists(recipe: dict[str, Any], works: Sequence[Work]) -> list[Sequence[Work]]:
    """Return the works of each list of references."""
    count = recipe.get("lists", 1)
    return [works[at * len(works) // count : (at + 1) * len(works) // count] for at in range(count)]


def _escaped(paragraphs: list[str], recipe: dict[str, Any]) -> list[str]:
    """Return paragraphs whose own sentences (not the citations in them) still hold letters beyond ASCII."""
    if recipe.get("engine") == "xelatex":
        return paragraphs
    return ["".join(c if ord(c) < 128 else tex.escape(c) for c in paragraph) for paragraph in paragraphs]


def _preamble(recipe: dict[str, Any]) -> str:
    lines = [
        f"\\documentclass[{recipe.get('options', '')}]{{{recipe['class']}}}",
        FONTS[recipe.get("font", "ot1")],
    ]
    lines += [f"\\usepackage{package}" for package in recipe.get("packages", [])]
    if "biblatex" in recipe:
        lines.append(recipe["biblatex"] + "\\addbibresource{refs.bib}")
    return "\n".join([*lines, recipe.get("preamble", "")])


def _front(recipe: dict[str, Any], title: str) -> str:
    abstract = "This paper collects what is known about the question and adds one observation."
    named = f"\\title{{{title}}}\\author{{Anonymous Author}}"
    inner = f"\\begin{{abstract}}{abstract}\\end{{abstract}}"
    if recipe["class"] == "elsarticle":
        return f"\\begin{{frontmatter}}{named}{inner}\\end{{frontmatter}}"
    if recipe["class"] in {"acmart", "amsart", "revtex4-2"}:
        return f"{named}{recipe.get('affiliation', '')}{inner}\\maketitle"
    if recipe["class"] in {"report", "book"}:
        return f"{named}\\maketitle\\chapter{{{title}}}"
    return (
        f"{named}{recipe.get('affiliation', '')}\\maketitle {inner if recipe.get('abstract', True) else ''}"
    )


def _list(recipe: dict[str, Any], heading: str, keys: list[str]) -> str:
    if recipe.get("cite") == "footnote":
        return ""
    if "biblatex" in recipe:
        title = f"title={{{heading}}}" if heading else "heading=none"
        return f"{recipe.get('size', '')}\\printbibliography[{title}]"
    name = "".join(
        f"\\providecommand\\{n}{{}}\\renewcommand\\{n}{{{heading}}}" for n in ("refname", "bibname")
    )
    return f"{name}\\nocite{{{','.join(keys)}}}\\bibliographystyle{{{recipe['bst']}}}\\bibliography{{refs}}"


def _gold(recipe: dict[str, Any], works: Sequence[Work]) -> str:
    fonts = {"ot1": "t1", "times": "t1", "palatino": "t1", "class": "t1"}
    head = _preamble({**recipe, "font": fonts.get(recipe.get("font", "ot1"), recipe.get("font", "ot1"))})
    keys = [work.key for work in works]
    if recipe.get("cite") == "footnote":
        body = "\n".join(f"\\newpage\\noindent {key} \\fullcite{{{key}}}." for key in keys)
    elif "biblatex" in recipe:
        body = (
            r"\defbibenvironment{bibliography}{}{}{\endgraf\newpage\noindent\thefield{entrykey} }"
            + "".join(
                ("\\begin{refsection}" if recipe.get("lists") else "")
                + rf"\nocite{{{','.join(work.key for work in part)}}}\printbibliography[heading=none]"
                + ("\\end{refsection}" if recipe.get("lists") else "")
                for part in lists(recipe, works)
            )
        )
    else:
        body = ITEMS + r"\input{entries.bbl}"
    return f"{head}\n\\begin{{document}}\\sloppy{WIDE}{body}\n\\end{{document}}\n"


def _marks(recipe: dict[str, Any]) -> prose.Marks:
    bracket, inside = CITES[recipe["cite"]]
    escape = tex.plain if recipe.get("engine") == "xelatex" else tex.escape

    def cite(works: Sequence[Work]) -> str:
        return bracket.replace("%s", ",".join(work.key for work in works))

    def who(works: Sequence[Work]) -> str:
        return inside.replace("%w", escape(short(works[0]))).replace("%s", works[0].key)

    return prose.Marks(cite, who, escape)


def short(work: Work) -> str:
    """Return the authors as a sentence names them."""
    families = [family for family, _ in work.authors]
    return " and ".join(families) if len(families) < 3 else f"{families[0]} et al."
