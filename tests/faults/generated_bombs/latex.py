r"""LaTeX that expands, includes itself, nests, repeats or never closes."""

from __future__ import annotations

from collections.abc import Callable

from tests.faults.generated_bombs.bibtex import doubled_strings
from tests.faults.generated_bombs.sizes import (
    COUNTS,
    DEPTHS,
    DOUBLINGS,
    LENGTHS,
    RECORDS,
    Bomb,
    Files,
    lines,
    one_file,
)


def _tex(body: str) -> str:
    return f"\\documentclass{{article}}\\begin{{document}}\n{body}\n\\end{{document}}\n"


def _listed(items: str) -> str:
    return _tex(f"\\begin{{thebibliography}}{{9}}\n{items}\\end{{thebibliography}}")


def _doubled_commands(size: int, define: str) -> str:
    lines = [f"{define % _letters(n)}{{\\{_letters(n - 1)}\\{_letters(n - 1)}}}\n" for n in range(1, size)]
    return _tex(f"{define % 'A'}{{words words}}\n{''.join(lines)}As \\{_letters(size - 1)} says \\cite{{a}}.")


def _letters(number: int) -> str:
    return "".join("ABCDEFGHIJ"[int(digit)] for digit in str(number))


_MAKERS: dict[str, tuple[Callable[[int], str], tuple[int, int]]] = {
    "newcommand doubling": (lambda n: _doubled_commands(n, "\\newcommand{\\%s}"), DOUBLINGS),
    "def doubling": (lambda n: _doubled_commands(n, "\\def\\%s"), DOUBLINGS),
    "macro of keys": (
        lambda n: _tex("\\newcommand{\\all}{\\cite{" + lines("k%d,", 300) + "}}\n" + "See \\all. " * n),
        COUNTS,
    ),
    "bibitems of one key": (lambda n: _listed("\\bibitem{k} Abcd\n" * n), RECORDS),
    "bibitems": (lambda n: _listed(lines("\\bibitem{k%d} A\n", n)), RECORDS),
    "bibitems of one key, cited": (
        lambda n: _tex(
            "".join(f"See \\cite{{{key}}}.\n" for key in _cases("bibliography", n))
            + "\\begin{thebibliography}{9}"
            + "\\bibitem{bibliography} Abcd\n" * n
            + "\\end{thebibliography}"
        ),
        RECORDS,
    ),
    "empty bibitems": (lambda n: _listed("\\bibitem" * n), COUNTS),
    "open lists": (lambda n: _tex("\\begin{thebibliography}{9}\\bibitem{k} A\n" * n), RECORDS),
    "open entries": (
        lambda n: lines("\\entry{k%d}{article}{}\\field{title}{A title of words}\n", n),
        RECORDS,
    ),
    "self-inclusion": (lambda n: _tex("\\input{bomb}\n" * n), COUNTS),
    "missing files": (lambda n: _tex(lines("\\input{a%d}\n", n)), COUNTS),
    "missing bibliographies": (lambda n: _tex("\\cite{a}" + lines("\\bibliography{a%d}\n", n)), COUNTS),
    "written files": (
        lambda n: (
            lines("\\begin{filecontents}{a%d.bib}@misc{k, title={A}}\\end{filecontents}\n", n)
            + _tex("\\cite{k}" + lines("\\bibliography{a%d}\n", n))
        ),
        COUNTS,
    ),
    "citations": (lambda n: _tex(lines("See \\cite{k%d}. ", n)), COUNTS),
    "citations in one": (lambda n: _tex("\\cites" + "{a\\cites" * 500 + "{a}" * n), COUNTS),
    "citations inside each other": (
        lambda n: _tex(("\\cite{" * 400 + lines("a%d,", 480) + "}\n") * (n // 400)),
        COUNTS,
    ),
    "macros of citations inside each other": (
        lambda n: _tex(
            "".join(
                f"\\newcommand{{\\k{_letters(one)}}}{{" + "\\cite{" * 160 + lines("%d,", 250) + "}}\n"
                for one in range(n // 160)
            )
        ),
        COUNTS,
    ),
    "macros of keys in a citation": (
        lambda n: _tex(
            "\\newcommand{\\all}{\\cite{"
            + lines("k%d,", 380)
            + "}}\n"
            + ("\\cite{" + "\\all" * 1000 + ",k}\n") * (n // 1000)
        ),
        COUNTS,
    ),
    "open citations": (lambda n: _tex("\\cite[see \\cite{" * n), COUNTS),
    "open footnotes": (lambda n: _tex("a\\footnote{ {b} \\cite{k} " * n), COUNTS),
    "open groups": (lambda n: _tex("\\cite{k}" + "{" * n), DEPTHS),
    "nested groups": (lambda n: _tex("{\\emph" * n + "\\cite{k}" + "}" * n), DEPTHS),
    "open verbatim": (lambda n: _tex("\\begin{verbatim}\n" * n), COUNTS),
    "open verbs": (lambda n: _tex("\\verb|a \\cite{k} " * n), COUNTS),
    "never": (lambda n: _tex("\\iffalse\\ifx" * n + "\\else\\fi" * n), COUNTS),
    "tables": (lambda n: _tex("\\begin{tabular}{ll} a & \\cite{k} \\\\\n" * n), COUNTS),
    "long line": (lambda n: _tex("words of a line " * (n // 16) + "\\cite{k}"), LENGTHS),
}


def _cases(word: str, count: int) -> list[str]:
    """Return forms of a word that differ only in their capitals."""
    return [
        "".join(letter.upper() if number >> at & 1 else letter for at, letter in enumerate(word))
        for number in range(min(count, 1 << len(word)))
    ]


def _circle(size: int) -> Files:
    count = min(size, 600)
    others = {f"a{n}.tex": f"\\input{{a{(n + 1) % count}}}\n\\input{{bomb}}\n" * 9 for n in range(count)}
    return {"bomb.tex": _tex("\\input{a0}\n" * size), **others}


def _bibliography_loop(size: int) -> Files:
    document = _tex("\\cite{k}" + "\\bibliography{b,bomb,c}\\input{bomb}\n" * size)
    return {"bomb.tex": document, "b.bib": "\\bibliography{c,b}\n", "c.bib": "\\input{bomb}\n"}


BOMBS = {
    **{name: one_file("bomb.tex", make, sizes) for name, (make, sizes) in _MAKERS.items()},
    "citing doubled strings": Bomb(
        lambda n: {"bomb.tex": _tex("\\cite{k}\\bibliography{b}"), "b.bib": doubled_strings(n)},
        DOUBLINGS,
    ),
    "inclusion in a circle": Bomb(_circle, COUNTS),
    "bibliography loop": Bomb(_bibliography_loop, COUNTS),
}
