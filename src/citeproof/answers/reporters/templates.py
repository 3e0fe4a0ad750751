"""The templates of pages and Markdown: a value that is not markup is escaped, whatever it is.

Every value passes the function that its medium has for one line of text, with the filter `cut(limit)` for
another length than the usual. So no template can forget it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from citeproof import vocabulary
from citeproof.answers.reporters import wording


def load_templates(folders: Sequence[tuple[str, str]], escape_line: Callable[[str, int], str]) -> Environment:
    """Return the templates of folders of packages; `escape_line` makes a text markup, cut at a limit."""

    def cut(value: object, limit: int = wording.SHOWN) -> object:
        done = isinstance(value, Markup | int)
        return value if done else Markup(escape_line(str(value), limit))  # noqa: S704

    made = Environment(
        loader=ChoiceLoader([PackageLoader(*folder) for folder in folders]),
        autoescape=True,
        finalize=cut,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters |= {"cut": cut, "count": wording.format_count, "thousands": "{:,}".format}
    made.globals |= {"wording": wording, "vocabulary": vocabulary}
    return made
