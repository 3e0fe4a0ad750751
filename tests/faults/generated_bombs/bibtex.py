"""BibTeX that expands, nests, repeats or never closes."""

from __future__ import annotations

from collections.abc import Callable

from tests.faults.generated_bombs.sizes import COUNTS, DEPTHS, DOUBLINGS, LENGTHS, RECORDS, lines, one_file


def doubled_strings(size: int, times: int = 2) -> str:
    joined = " # ".join(["a%d"] * times)
    lines = [f"@string{{a{n} = {joined.replace('%d', str(n - 1))}}}\n" for n in range(1, size)]
    head = '@string{a0 = "deep learning of trees "}\n'
    return f"{head}{''.join(lines)}@article{{k, title = a{size - 1}, author = {{Doe, Jo}}, year = 2001}}\n"


def _bib(body: str, after: str = "") -> str:
    return f"@article{{first, title = {{A title}}, year = 2001}}\n@article{{k, title = {body}\n{after}"


def _fields(body: str) -> str:
    return f"@article{{k, title = {{A title}}, year = 2001, {body}}}\n"


_LONG = "Deep learning of long titles " * 3_500  # about 100,000 characters

_MAKERS: dict[str, tuple[Callable[[int], str], tuple[int, int]]] = {
    "string doubling": (doubled_strings, DOUBLINGS),
    "string times ten": (lambda n: doubled_strings(n, 10), DOUBLINGS),
    "long string used often": (
        lambda n: f"@string{{j = {{{_LONG}}}}}\n" + lines("@article{k%d, title = j # j}\n", n),
        RECORDS,
    ),
    "long parent": (
        lambda n: (
            lines("@inproceedings{k%d, title = {A title}, crossref = {p}}\n", n)
            + f"@proceedings{{p, title = {{{_LONG}}}, year = 2001}}\n"
        ),
        RECORDS,
    ),
    "crossref loop": (
        lambda n: lines("@misc{k%d, title = {A title}, crossref = {k1}, xdata = {k0}}\n", n),
        RECORDS,
    ),
    "many strings": (
        lambda n: lines('@string{a%d = "b"}\n', n) + lines("@misc{k%d, title = undefined}\n", 9),
        COUNTS,
    ),
    "joined parts": (lambda n: _bib(' # "ab"' * n + "}").replace("= #", "="), COUNTS),
    "nested braces": (lambda n: _bib("{" * n + "x" + "}" * n + "}"), DEPTHS),
    "open braces": (lambda n: _bib("{" * n), DEPTHS),
    "open quotes": (lambda n: lines('@misc{k%d, title = "a {b\n', n), RECORDS),
    "open entries on one line": (lambda n: lines("@misc{k%d, title = {a ", n), RECORDS),
    "entries without a brace": (lambda n: lines("@article k%d title = {a}\n", n), RECORDS),
    "at signs": (lambda n: _bib("{a}}") + "@" * n, DEPTHS),
    "open comments": (lambda n: _bib("{a}}") + "@comment{ a\n" * n, COUNTS),
    "authors": (lambda n: _fields("author = {Doe, Jo" + " and Roe, Al" * n + "}"), COUNTS),
    "author commas": (lambda n: _fields("author = {" + "Jane Doe, " * n + "}"), COUNTS),
    "author braces": (lambda n: _fields("author = {" + "{" * n + "and" + "}" * n + "}"), DEPTHS),
    "same key": (lambda n: "@misc{k, title = {A title}}\n" * n, RECORDS),
    "same field": (lambda n: _fields("".join(f"note = {{a{x}}},\n" for x in range(n))), COUNTS),
    "accents": (lambda n: _bib("{" + "\\~{\\^{\\'e" * n + "}" * 2 * n + "}}"), COUNTS),
    "dollars": (lambda n: _bib("{" + "$x^{2}_$ " * n + "}}"), COUNTS),
    "identifiers": (lambda n: _fields("isbn = {" + "978-3-16-148410-0 " * n + "}"), COUNTS),
    "addresses": (
        lambda n: _fields(
            "note = {" + "\\url{https://doi.org/10.1000/x} " * n + "}, doi = {" + "10." * n + "}"
        ),
        COUNTS,
    ),
    "long title": (lambda n: _bib("{" + "learning " * (n // 9) + "}}"), LENGTHS),
    "long word": (lambda n: _bib("{" + "a" * n + "}}"), LENGTHS),
    "long key": (lambda n: f"@misc{{{'k' * n}, title = {{A title}}}}", LENGTHS),
}

BOMBS = {name: one_file("bomb.bib", make, sizes) for name, (make, sizes) in _MAKERS.items()}
