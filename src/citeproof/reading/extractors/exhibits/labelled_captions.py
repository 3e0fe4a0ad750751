"""What the captions of all formats share: their label, and where they are in the text of the work."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from citeproof.text.exhibit_labels import CaptionLabel, normalise_number, read_caption_label
from citeproof.vocabulary.source_texts import Exhibit, ExhibitKind

MAX_CAPTION = 5_000  # characters
MAX_CONTENT = 20_000  # characters of a table's rows

_BARE = re.compile(r"(?:[A-Z]{1,2}\.?)?\d{1,3}(?:\.\d{1,3})?[.:]?$")
_COMPARED = 60  # letters of a caption that are searched for
_LEAST = 12  # letters that are enough


def read_printed_label(text: str, kind: ExhibitKind | None) -> CaptionLabel | None:
    """Return the label at the beginning of a text; a bare number is one where the format says the kind."""
    if label := read_caption_label(text):
        return label
    if kind is not None and _BARE.match(text):
        return CaptionLabel(kind, normalise_number(text.rstrip(".:")), text, text[-1:].strip("0123456789"))
    return None


def locate_captions(exhibits: Sequence[Exhibit], text: str) -> tuple[Exhibit, ...]:
    """Return the exhibits with the places of their captions in `text`, as far as they are in it."""
    if not exhibits:
        return ()
    places = [index for index, letter in enumerate(text) if not letter.isspace()]
    solid = "".join([text[index] for index in places])
    return tuple(replace(exhibit, start=_find_caption(exhibit, solid, places)) for exhibit in exhibits)


def _find_caption(exhibit: Exhibit, solid: str, places: list[int]) -> int:
    caption = "".join(exhibit.caption.split())[:_COMPARED]
    label = "".join(exhibit.label.split())
    for words in (label + caption, caption if len(caption) >= _LEAST else ""):
        at = solid.find(words) if words and caption else -1
        if at >= 0:
            return places[at]
    return -1
