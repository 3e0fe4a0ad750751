"""The templates of pages and Markdown: a value that is not markup is escaped, whatever it is.

Every value passes the function that its medium has for one line of text, with the filter `cut(limit)` for
another length than the usual. So no template can forget it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from jinja2.compiler import CodeGenerator
from markupsafe import Markup

from citeproof import vocabulary
from citeproof.answers.reporters import wording
from citeproof.errors import format_count


class _ValueWriter(CodeGenerator):
    """Code that writes what `finalize` returns; Jinja would escape it again, which costs half as much."""

    def _output_child_pre(self, *_: object) -> None:
        self.write("environment.finalize(")

    def _output_child_post(self, *_: object) -> None:
        self.write(")")


class _PageEnvironment(Environment):
    code_generator_class = _ValueWriter

    def getattr(self, obj: object, attribute: str) -> object:
        """Return a value of JSON at once; Jinja looks for a method first."""
        if isinstance(obj, dict) and attribute in obj and not hasattr(dict, attribute):
            return obj[attribute]
        return super().getattr(obj, attribute)


def load_templates(folders: Sequence[tuple[str, str]], escape_line: Callable[[str, int], str]) -> Environment:
    """Return the templates of folders of packages; `escape_line` makes a text markup, cut at a limit."""

    def write_value(value: object, limit: int = wording.SHOWN) -> str:
        return str(value) if isinstance(value, (Markup, int)) else escape_line(str(value), limit)

    made = _PageEnvironment(
        loader=ChoiceLoader([PackageLoader(*folder) for folder in folders]),
        autoescape=True,
        auto_reload=False,
        finalize=write_value,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters["cut"] = lambda value, limit=wording.SHOWN: Markup(write_value(value, limit))  # noqa: S704 - escaped
    made.filters |= {"count": format_count, "thousands": "{:,}".format}
    made.globals |= {"wording": wording, "vocabulary": vocabulary}
    return made
