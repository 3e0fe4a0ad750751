"""The printed lists that every office format has a fixture of, and what they must give."""

from __future__ import annotations

from citeproof.vocabulary import Extraction

PRINTED = [
    ("author_date", [f"ref-{n}" for n in range(1, 7)], "Hochreiter, Sepp, and Jürgen Schmidhuber. 1997."),
    ("numbers", [str(n) for n in range(1, 7)], "Y. LeCun, Y. Bengio, and G. Hinton, “Deep learning,” Nature"),
    ("by_hand", ["1", "2", "3"], "LeCun Y, Bengio Y, Hinton G. Deep learning. Nature 2015"),
    ("notes", ["^1", "^2"], "Yann LeCun, Yoshua Bengio and Geoffrey Hinton, “Deep learning”"),
]


def converted(name: str) -> tuple[str, list[str], str]:
    """Return the row of the list by hand after another program has written it anew."""
    return (name, *PRINTED[2][1:])


def must_be_text(extraction: Extraction, keys: list[str], begins: str) -> None:
    """Fail unless the list came out whole, as text, each entry with the sentences that cite it."""
    assert [one.key for one in extraction.references] == keys
    assert extraction.references[0].text.startswith(begins)
    assert (extraction.expected, extraction.problems) == (len(keys), ())
    assert all(one.claimed is None and one.citing for one in extraction.references)
