"""British spelling to American, as titles and quotations are compared."""

from __future__ import annotations

import re
from functools import lru_cache

from citeproof.text.package_tables import load_package_table

_OUR = re.compile(r"our(?=(?:s|ed|ing|able|ably|ite|ites|hood|hoods|al|ally|less|ful|ist|ists|er|ers)?$)")


@lru_cache(maxsize=1 << 14)
def spell_american(word: str) -> str:
    """Return a word in the American spelling: "behaviour" is "behavior"."""
    table = load_package_table("citeproof.text", "spelling.toml")
    word = table["words"].get(word, word)
    if len(word) > 5:  # "rise", "wise", "four", "hour" have no American form
        word = _OUR.sub("or", word)
        for british, american in table["endings"].items():  # the longer ones first
            if word.endswith(british):
                return word[: -len(british)] + str(american)
    return word
