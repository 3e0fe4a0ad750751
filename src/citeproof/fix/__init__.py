"""A judged reference to the fields it should have, and those fields into the words of its document.

`changes` says what is to be changed, and only from a record that passed the full match; `upgrade` the
same for a preprint that has been published. One module a format (`bibtex`, `ris`, `csl`,
`running_text`) turns a change into the smallest edit of the text; what no edit can do safely is left,
and said.
"""

from __future__ import annotations

from citeproof.fix.changes import correct
from citeproof.fix.upgrade import upgrade

__all__ = ["correct", "upgrade"]
