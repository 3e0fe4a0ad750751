"""The references of a word processor's document, whichever format its manuscript was read from."""

from __future__ import annotations

from collections.abc import Sequence

from citeproof.extractors.citing import attach
from citeproof.extractors.coded import joined
from citeproof.extractors.decode import refuse_flood
from citeproof.extractors.linked import linked
from citeproof.extractors.manuscript import Manuscript, Paragraph, spoken
from citeproof.extractors.printed import printed
from citeproof.extractors.segments import looks_whole
from citeproof.text import ids
from citeproof.vocabulary import Extraction, Problem, RawReference


def extraction(written: Manuscript, form: str) -> Extraction:
    """Return the coded works in order of citation, then what is only printed; else the notes that cite."""
    listed = printed(written)
    refuse_flood(len(listed.entries), written.file)
    running = [one for one in written.paragraphs if one.number not in listed.used]
    found, said = joined(written, listed, running)
    if found:
        said += _left_out(written, running)
    else:
        found = from_notes(written, running)
    refuse_flood(len(found), written.file)
    count = listed.expected if listed.entries else len(found) or None
    return Extraction(tuple(found), (*written.problems, *listed.problems, *said), count, form)


def from_notes(written: Manuscript, running: Sequence[Paragraph]) -> list[RawReference]:
    """Return the foot- and endnotes that are references, in a document that has no other."""
    found = [
        RawReference(one.note, linked(spoken(one.text), one.addresses), written.place(one.number))
        for one in _citing(running)
    ]
    return list(attach(found, "\n\n".join(spoken(one.text) for one in running if not one.note)))


def _left_out(written: Manuscript, running: Sequence[Paragraph]) -> list[Problem]:
    """Return a note on the foot- and endnotes that look like references beside the list that is checked."""
    notes = [one for one in _citing(running) if spoken(one.text) == one.text]
    if not notes:
        return []
    message = f"notes that look like references, beside the list that is checked: {len(notes)}"
    return [Problem(written.place(notes[0].number), message, "", notes[0].text[:500], note=True)]


def _citing(running: Sequence[Paragraph]) -> list[Paragraph]:
    return [one for one in running if one.note and (looks_whole(one.text) or ids.from_text(one.text))]
