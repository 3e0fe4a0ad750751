"""What makes real papers hard to read: furniture, and matter that stands after the references."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

LIFE = (
    "received the B.Sc. degree in physics in 1998 and the Ph.D. degree in computer science in 2004. Since "
    "2011 the author has been with the Department of Computer Science, working on statistical methods, and "
    "served on the program committees of ICML 2015, NeurIPS 2018 and AAAI 2020."
)
NOTE = (
    "The figures were obtained on a machine with two processors; see the supplement for details.",
    "This follows from the law of large numbers.",
    "We thank a reviewer for pointing this out.",
)


@dataclass(slots=True)
class Parts:
    """Pieces of TeX by the place where they go."""

    preamble: str = ""
    opening: str = ""
    before: str = ""
    after: str = ""
    inside: list[str] = field(default_factory=list)  # spread over the body


def latex(
    recipe: dict[str, Any], texts: dict[str, Any], escape: Callable[[str], str], rng: random.Random
) -> Parts:
    """Return what the troubles of a recipe put into its paper."""
    parts = Parts()
    for name in recipe["troubles"]:
        _ADD.get(name, _nothing)(parts, texts, escape, rng)
    return parts


def sprinkled(body: str, pieces: list[str], rng: random.Random) -> str:
    """Return the paragraphs of `body` with the pieces between them."""
    paragraphs = body.split("\n\n")
    for piece in pieces:
        paragraphs.insert(rng.randint(2, max(3, len(paragraphs) - 2)), piece)
    return "\n\n".join(paragraphs)


def rows(rng: random.Random, count: int) -> list[list[str]]:
    """Return rows of a table of numbers."""
    return [[f"{n + 1}", *(f"{rng.random() * 100:.2f}" for _ in range(3))] for n in range(count)]


def _table(
    texts: dict[str, Any], escape: Callable[[str], str], rng: random.Random, count: int, where: str
) -> str:
    lines = " \\\\\n".join(" & ".join(row) for row in rows(rng, count))
    caption = escape(texts["table"])
    return (
        f"\\begin{{table}}[{where}]\\caption{{{caption}}}\\centering"
        f"\\begin{{tabular}}{{rrrr}}\\hline\n{lines}\\\\\\hline\\end{{tabular}}\\end{{table}}"
    )


def _figure(texts: dict[str, Any], escape: Callable[[str], str], where: str) -> str:
    return (
        f"\\begin{{figure}}[{where}]\\centering\\rule{{5cm}}{{3cm}}"
        f"\\caption{{{escape(texts['table'])}. Left: earlier work (2019); right: this work (2021).}}"
        "\\end{figure}"
    )


def _lineno(parts: Parts, *_: Any) -> None:
    parts.preamble += "\\usepackage{lineno}\n"
    parts.opening += "\\linenumbers\n"


def _headers(parts: Parts, *_: Any) -> None:
    parts.preamble += (
        "\\usepackage{fancyhdr}\\pagestyle{fancy}\\fancyhf{}\\fancyhead[L]{Anonymous Author}"
        "\\fancyhead[R]{Journal of Collected Notes 12 (2021) 345--378}"
        "\\fancyfoot[C]{\\thepage}\\fancyfoot[L]{Preprint, 3 May 2021}\n"
    )


def _footnotes(
    parts: Parts, _texts: dict[str, Any], _escape: Callable[[str], str], rng: random.Random
) -> None:
    parts.inside += [f"One remark is in order.\\footnote{{{rng.choice(NOTE)}}}" for _ in range(6)]


def _floats(parts: Parts, texts: dict[str, Any], escape: Callable[[str], str], rng: random.Random) -> None:
    parts.inside += [_table(texts, escape, rng, 6, "t"), _figure(texts, escape, "t")]


def _tables_after(
    parts: Parts, texts: dict[str, Any], escape: Callable[[str], str], rng: random.Random
) -> None:
    parts.after += "\\clearpage\n" + "\n".join(_table(texts, escape, rng, 14, "p") for _ in range(2))


def _figures_after(
    parts: Parts, texts: dict[str, Any], escape: Callable[[str], str], _rng: random.Random
) -> None:
    parts.after += "\\clearpage\n" + "\n".join(_figure(texts, escape, "p") for _ in range(2))


def _appendix(parts: Parts, texts: dict[str, Any], escape: Callable[[str], str], rng: random.Random) -> None:
    text = "\n\n".join(escape(" ".join(rng.choice(texts["plain"]) for _ in range(7))) for _ in range(5))
    parts.after += f"\\appendix\\section{{{escape(texts['appendix'])}}}\n{text}\n"


def _biographies(parts: Parts, *_: Any) -> None:
    life = f"\\begin{{IEEEbiographynophoto}}{{First Author}}{LIFE}\\end{{IEEEbiographynophoto}}\n"
    parts.after += life + life.replace("First", "Second")


def _acknowledgements(parts: Parts, *_: Any) -> None:
    parts.after += (
        "\\section*{Acknowledgements}We thank the reviewers of 2019 and 2020. This work was supported by the "
        "German Research Foundation, grant 412345678, and by the National Science Foundation, award 191234.\n"
    )


def _watermark(parts: Parts, *_: Any) -> None:
    parts.preamble += "\\usepackage{draftwatermark}\\SetWatermarkText{CONFIDENTIAL}\n"


def _stamp(parts: Parts, *_: Any) -> None:
    parts.preamble += (
        "\\usepackage{eso-pic,graphicx}\\AddToShipoutPictureBG*{\\put(20,260){\\rotatebox{90}{\\Large "
        "arXiv:2105.01234v2 [cs.CL] 3 May 2021}}}\n"
    )


def _contents(parts: Parts, *_: Any) -> None:
    parts.opening += "\\tableofcontents\\clearpage\n"
    parts.before += "\\clearpage\\addcontentsline{toc}{chapter}{Bibliography}\n"


def _running(parts: Parts, *_: Any) -> None:
    parts.preamble += "\\pagestyle{headings}\n"


def _floating(parts: Parts, texts: dict[str, Any], escape: Callable[[str], str], rng: random.Random) -> None:
    parts.before += (
        _table(texts, escape, rng, 7, "t") + _figure(texts, escape, "t") + _figure(texts, escape, "b")
    )


def _next(parts: Parts, texts: dict[str, Any], escape: Callable[[str], str], rng: random.Random) -> None:
    """Begin another paper below the list, as journals of short communications do."""
    text = "\n\n".join(escape(" ".join(rng.choice(texts["plain"]) for _ in range(6))) for _ in range(3))
    parts.after += (
        "\\vspace{2em}\\begin{center}{\\Large On a question of measurement}\\\\[1ex]Another Author\\\\"
        f"Received 12 March 2020; accepted 4 May 2021\\end{{center}}\n{text}\n"
    )


def _nothing(*_: Any) -> None:
    """Add nothing: troubles that a style, a field or a class brings along."""


_ADD: dict[str, Callable[..., None]] = {
    "line numbers": _lineno,
    "headers": _headers,
    "footnotes": _footnotes,
    "floats": _floats,
    "tables after": _tables_after,
    "figures after": _figures_after,
    "appendix after": _appendix,
    "biographies": _biographies,
    "acknowledgements after": _acknowledgements,
    "watermark": _watermark,
    "side stamp": _stamp,
    "contents": _contents,
    "running heading": _running,
    "floats in list": _floating,
    "next article": _next,
}
