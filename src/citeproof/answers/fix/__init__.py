"""A judged reference, or an issue of a document, to the smallest edit of a file; backup and undo.

1 what to change: `changes`, `upgrade`, and only from a record that passed the full match; a document's issues
bring their remedies · 2 one module of `formats` for each format turns it into edits of the text; what no edit
can do safely is left, with the reason · 3 `text_edits` makes them edits of bytes · 4 `backups` writes the
files and takes them back. Nothing here reads references or prints: readers come by constructor.
"""

from __future__ import annotations

from citeproof.answers.fix.changes import correct, upgrade

__all__ = ["correct", "upgrade"]
