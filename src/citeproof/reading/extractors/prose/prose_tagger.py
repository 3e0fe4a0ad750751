"""Which words of prose are the people, title, venue, year or place of a cited work, by a trained tagger.

The tagger of citation strings (`parse/tagger.py`) with weights that `bench/train_prose_tagger.py`
fits on prose that cites works and on prose that does not.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.resources import files

from citeproof.reading.extractors.prose.prose_mask import FILL, WALL
from citeproof.reading.parse.label_stretches import LabelledTokens
from citeproof.reading.parse.tagger import Tagger, load_weights
from citeproof.reading.parse.token_context import CitationTokens, TokenContext, build_context, split_tokens
from citeproof.text import ids
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary.quick_dataclass import dataclass

_BOLD = re.compile(r"\*\*(?=\S)|(?<=\S)\*\*|__(?=\S)|(?<=\S)__")
_SIGNS = str.maketrans({"*": '"', "_": '"', "`": '"', "\n": "¶", WALL: "¶", "|": "¶", "\t": " "})
_NO_MASKS = str.maketrans({WALL: " ", FILL: " "})
_MASKED = re.compile(f"{FILL}{{2,}}|{WALL}{{2,}}")
_BLANK = re.compile(r"\n[ \t]*\n[\s]*")
_LONGEST = 4000  # characters that are tagged together


@dataclass(frozen=True, slots=True)
class ProsePart:
    """A paragraph: where it begins, its tokens, and what the tagger sees around each."""

    start: int
    tokens: CitationTokens
    context: TokenContext
    ids: tuple[tuple[int, int], ...] = ()  # tokens of each identifier: the first, the one behind the last


def read_parts(prose: str) -> Iterator[ProsePart]:
    """Yield the paragraphs of masked prose as the tagger sees them."""
    for start, end in _split_paragraphs(prose):
        shown = _show_signs(prose[start:end])
        tokens = split_tokens(shown)
        if tokens.words:
            found = [
                (scheme, bisect_left(tokens.starts, low), bisect_left(tokens.starts, high))
                for scheme, _, low, high in ids.find_ids(prose[start:end].translate(_NO_MASKS))
            ]
            spans = tuple((first, last) for _, first, last in found)
            yield ProsePart(start, tokens, build_context(tokens, found, 0), spans)


def _split_paragraphs(prose: str) -> Iterator[tuple[int, int]]:
    at = 0
    for end, following in [*(match.span() for match in _BLANK.finditer(prose)), (len(prose), len(prose))]:
        while end - at > _LONGEST:
            cut = prose.rfind("\n", at + 1, at + _LONGEST)
            cut = cut if cut > at else max(prose.rfind(" ", at + 1, at + _LONGEST), at + _LONGEST // 2)
            yield at, cut
            at = cut
        yield at, end
        at = following


def _show_signs(text: str) -> str:
    """Return a text with ends of lines as signs, and emphasis as quotation; of bold text a star stays."""
    text = _BOLD.sub(lambda m: '*"' if m.end() < len(text) and not text[m.end()].isspace() else '"*', text)
    text = _MASKED.sub(lambda m: m[0][0] + " " * (len(m[0]) - 1), text)
    kept = text.replace('*"', "\ue001\ue002").replace('"*', "\ue002\ue001")
    return kept.translate(_SIGNS).replace("\ue001", "*").replace("\ue002", '"')


def tag_parts(parts: Sequence[ProsePart]) -> list[LabelledTokens]:
    """Return the labels of the tokens of each part."""
    return load_prose_tagger().label([(one.tokens, one.context) for one in parts]) if parts else []


@lru_cache(maxsize=1)
def load_prose_tagger() -> Tagger:
    """Return the tagger of prose, loaded when it is first asked for."""
    return Tagger(load_weights(files("citeproof.reading.extractors.prose").joinpath("prose_tagger.npz")))
