"""Text files whose lines are indented: by pasting, or because an entry goes on."""

from __future__ import annotations

import pytest

from citeproof.reading.extractors.base import extract_here
from citeproof.vocabulary import Document

PEOPLE = (
    "Vaswani, A., Shazeer, N., and Parmar, N. (2017). Attention is all you need. NeurIPS 30, 5998-6008.",
    "Kingma, D. P. and Ba, J. (2015). Adam: a method for stochastic optimization. ICLR.",
    "He, K., Zhang, X., Ren, S., and Sun, J. (2016). Deep residual learning. CVPR, 770-778.",
    "Devlin, J. (2019). BERT: pre-training of deep bidirectional transformers. NAACL.",
)
BODIES = (
    "World Health Organization. Global report on diabetes. Geneva: WHO; 2016",
    "The Lancet. Diabetes in 2018: a global view. Lancet 2018;391:2",
    "R Core Team. R: a language and environment for statistical computing. Vienna; 2020",
    "UN. World population prospects. New York: UN; 2019",
)
TITLES_FIRST = (
    "Attention is all you need. Vaswani et al., NeurIPS 2017",
    "Deep learning. LeCun, Bengio, Hinton, Nature 2015",
    "BERT. Devlin et al., NAACL 2019",
    "GPT-3: Brown et al., NeurIPS 2020",
)


def read(text):
    return [one.text for one in extract_here(Document("list.txt", text.encode())).references]


@pytest.mark.parametrize("entries", [PEOPLE, BODIES, TITLES_FIRST], ids=["people", "bodies", "titles"])
@pytest.mark.parametrize("heading", ["", "References\n", " References\n\n"])
@pytest.mark.parametrize(
    "indents",
    [
        *(" ", "  ", "\t", "    "),
        *(("", " ", " ", " "), ("", "  ", "  ", "  "), ("", " ", "", " "), (" ", "", " ", "")),
    ],
    ids=["space", "two", "tab", "four", "first not", "first not, two", "every second", "every other"],
)  # fmt: skip
def test_one_entry_a_line_whatever_its_indent(entries, heading, indents):
    before = indents if isinstance(indents, tuple) else (indents,) * 4
    assert read(heading + "\n".join(map("".join, zip(before, entries, strict=True)))) == list(entries)


@pytest.mark.parametrize("indent", [" ", "  ", "    ", "\t"])
def test_a_hanging_indent_goes_on(indent):
    text = (
        "Vaswani, A., Shazeer, N., and Parmar, N. (2017). Attention is all\n"
        f"{indent}you need. NeurIPS 30, 5998-6008.\n"
        "Kingma, D. P. and Ba, J. (2015). Adam: a method for stochastic\n"
        f"{indent}optimization. In: International Conference on Learning\n"
        f"{indent}Representations, ICLR 2015.\n"
        "Devlin, J. (2019). BERT: pre-training of deep bidirectional\n"
        f"{indent}transformers. NAACL 2019.\n"
    )
    assert [one.split(",")[0] for one in read(text)] == ["Vaswani", "Kingma", "Devlin"]
