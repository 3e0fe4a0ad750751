"""Markdown, reStructuredText, Typst, notebooks and plain text whose marks nest, repeat or never close."""

from __future__ import annotations

from tests.faults.generated_bombs.bibtex import doubled_strings
from tests.faults.generated_bombs.sizes import (
    COUNTS,
    DEPTHS,
    DOUBLINGS,
    LENGTHS,
    RECORDS,
    Bomb,
    lines,
    one_file,
)

_ENTRY = "Doe, J. (2001). A title of words. Nature, 1, 2-3.\n"


def _yaml_aliases(size: int) -> str:
    lines = [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, size)]
    return f"---\na0: &a0 words\n{''.join(lines)}bibliography: *a{size - 1}\n---\nSee [@k].\n"


BOMBS = {
    "markdown quotes": one_file("bomb.md", lambda n: "# A\n\n" + "> " * n + _ENTRY, DEPTHS),
    "markdown lists": one_file(
        "bomb.md",
        lambda n: "# References\n\n" + "".join(" " * min(x, 200) + "- a\n" for x in range(n)),
        COUNTS,
    ),
    "markdown brackets": one_file("bomb.md", lambda n: "# A\n\nSee " + "[" * n + "a" + "](" * n, DEPTHS),
    "markdown links": one_file(
        "bomb.md",
        lambda n: "# A\n\n" + lines("[a%d](https://doi.org/10.1000/%d) ".replace("%d)", "x)"), n),
        RECORDS,
    ),
    "markdown footnotes": one_file(
        "bomb.md",
        lambda n: "# A\n\n" + lines("a[^%d] ", n) + "\n\n" + lines("[^%d]: Doe, J. (2001). A title.\n", n),
        RECORDS,
    ),
    "markdown keys": one_file("bomb.md", lambda n: "# A\n\nSee [" + lines("@k%d; ", n) + "].\n", COUNTS),
    "markdown fences": one_file("bomb.md", lambda n: "# A\n\n" + "```\n~~~\n`` ` " * n, COUNTS),
    "markdown stars": one_file("bomb.md", lambda n: "# A\n\n" + "*a **b _c " * n + "\n" + _ENTRY, COUNTS),
    "markdown tables": one_file(
        "bomb.md", lambda n: "# A\n\n" + "| a " * 50 + "\n" + "|--" * 50 + "\n" + "| [@k] " * n, COUNTS
    ),
    "rst headings": one_file("bomb.rst", lambda n: "A\n=\n\nB\n---\n" + lines("C%d\n~~~~~~~\n", n), COUNTS),
    "rst links": one_file("bomb.rst", lambda n: "Words\n=====\n\n" + "`a b\n <https://x " * n, COUNTS),
    "rst entries": one_file(
        "bomb.rst", lambda n: "References\n==========\n\n" + lines(".. [K%d] " + _ENTRY, n), RECORDS
    ),
    "rst code": one_file("bomb.rst", lambda n: "Words::\n\n" + "   @a{b,\n\n" * n, COUNTS),
    "yaml aliases": one_file("bomb.md", _yaml_aliases, DOUBLINGS),
    "yaml nesting": one_file(
        "bomb.md", lambda n: "---\nreferences: " + "[" * n + "\n---\nSee [@k].\n", DEPTHS
    ),
    "yaml bibliography": Bomb(
        lambda n: {
            "bomb.typ": '= Words\nSee @a.\n#bibliography("b.yml")\n',
            "b.yml": "a:\n  type: book\n  title: A\n" + "  parent:\n    type: book\n".replace("\n", "\n") * n,
        },
        COUNTS,
    ),
    "typst nesting": one_file("bomb.typ", lambda n: "= Words\n#cite(<a>)\n" + "#[" * n + "]" * n, DEPTHS),
    "typst citations": one_file(
        "bomb.typ", lambda n: "= Words\n" + lines("See @k%d. ", n) + '#bibliography("b.bib")', COUNTS
    ),
    "text entries": one_file("bomb.txt", lambda n: "References\n\n" + lines("[%d] " + _ENTRY, n), RECORDS),
    "text long entry": one_file(
        "bomb.txt", lambda n: "References\n\n[1] Doe, J. " + "learning " * (n // 9), LENGTHS
    ),
    "text long word": one_file("bomb.txt", lambda n: "References\n\n[1] Doe, J. " + "a" * n, LENGTHS),
    "text authors": one_file(
        "bomb.txt", lambda n: "References\n\n[1] " + "Doe, J., " * n + "A title. Nature, 2001.", COUNTS
    ),
    "text marks": one_file(
        "bomb.txt", lambda n: "Words " + lines("[%d] ", n) + "\n\nReferences\n\n[1] " + _ENTRY, COUNTS
    ),
    "text authors and years": one_file(
        "bomb.txt", lambda n: "(Doe, 2001; Roe, 2002a) words " * n + "\n\nReferences\n\n" + _ENTRY * 9, COUNTS
    ),
    "text brackets": one_file(
        "bomb.txt", lambda n: "References\n\n[1] " + "(" * n + "2001" + ")" * n, DEPTHS
    ),
    "text numbers": one_file("bomb.txt", lambda n: "References\n\n" + lines("%d. ", n), COUNTS),
    "chat answer": one_file(
        "bomb.txt",
        lambda n: (
            "Sure! Here are sources:\n\n"
            + lines("%d. **A title** by Jo Doe (2001). https://doi.org/10.1000/a\n", n)
        ),
        RECORDS,
    ),
    "chat fences": one_file(
        "bomb.txt", lambda n: "Sure! Here:\n\n" + "```bibtex\n@misc{k, title={A title}}\n```\n" * n, RECORDS
    ),
    "blank lines": one_file("bomb.txt", lambda n: "References\n\n[1] " + _ENTRY + "\n \t" * n, DEPTHS),
    "markdown citing doubled strings": Bomb(
        lambda n: {"bomb.md": "---\nbibliography: b.bib\n---\nSee [@k].\n", "b.bib": doubled_strings(n)},
        DOUBLINGS,
    ),
    "typst citing doubled strings": Bomb(
        lambda n: {"bomb.typ": '= Words\nSee @k.\n#bibliography("b.bib")\n', "b.bib": doubled_strings(n)},
        DOUBLINGS,
    ),
    "text ranges": one_file(
        "bomb.txt", lambda n: "Words [1-99999999] " * n + "\n\nReferences\n\n[1] " + _ENTRY, COUNTS
    ),
    "text headings": one_file("bomb.txt", lambda n: ("References\n\n[1] " + _ENTRY) * n, RECORDS),
    "text empty headings": one_file("bomb.txt", lambda n: "References\n\n" * n + _ENTRY, COUNTS),
    "text falling numbers": one_file(
        "bomb.txt", lambda n: "References\n\n" + "".join(f"[{n - x}] a\n" for x in range(n)), RECORDS
    ),
    "text identifiers": one_file(
        "bomb.txt", lambda n: "References\n\n[1] " + "doi:10.1000/a arXiv:2001.00001 " * n, COUNTS
    ),
    "text short lines": one_file("bomb.txt", lambda n: "References\n\n" + "Doe\n\n2001\n" * n, COUNTS),
    "text tables": one_file("bomb.txt", lambda n: "References\n\n" + "Doe\tA title\t2001\n" * n, RECORDS),
    "markdown headings": one_file("bomb.md", lambda n: ("# References\n\n- " + _ENTRY) * n, RECORDS),
    "markdown definitions": one_file(
        "bomb.md", lambda n: "# A\n\n[a][1]\n\n" + lines("[%d]: https://doi.org/10.1000/a\n", n), RECORDS
    ),
    "markdown comments": one_file("bomb.md", lambda n: "# A\n\n" + "<!-- a <b \n" * n + _ENTRY, COUNTS),
    "markdown numbered items": one_file(
        "bomb.md", lambda n: "# A\n\n" + lines("%d. Doe, J. (2001)\n", n), RECORDS
    ),
    "typst strings": one_file("bomb.typ", lambda n: "= Words\n#cite(<a>)\n" + '#let a = "b\n' * n, COUNTS),
    "typst comments": one_file("bomb.typ", lambda n: "= Words\n@a\n" + "/* a // b\n" * n, COUNTS),
    "markdown open keys": one_file(
        "bomb.md", lambda n: "# A\n\nSee " + ("[a " + "@a " * 900 + "\n") * (n // 200), DEPTHS
    ),
    "markdown open key lists": one_file("bomb.md", lambda n: "# A\n\n@a " + "[a [b @c " * n, COUNTS),
    "markdown bibliographies": one_file(
        "bomb.md", lambda n: "---\nbibliography:\n" + lines("- a%d.bib\n", n) + "---\nSee [@k].\n", COUNTS
    ),
    "markdown bibliography again": Bomb(
        lambda n: {
            "bomb.md": "---\nbibliography:\n" + "- b.bib\n" * n + "---\nSee [@k].\n",
            "b.bib": "@misc{k, title = {A title}}\n" * 1_000,
        },
        COUNTS,
    ),
    "typst self-inclusion": one_file(
        "bomb.typ",
        lambda n: "= Words\n@a\n" + '#include "bomb.typ"\n' * n + lines('#include "a%d.typ"\n', n),
        COUNTS,
    ),
    "typst bibliographies": Bomb(
        lambda n: {
            "bomb.typ": '= Words\n@k\n#bibliography(("b.bib", ' + lines('"a%d.bib", ', n) + '"b.bib"))\n' * 9,
            "b.bib": "@misc{k, title = {A title}}\n" * 1_000,
        },
        COUNTS,
    ),
}
