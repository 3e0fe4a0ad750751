"""What all web pages share: templates, the headers that keep strangers' text from running, the two assets.

A page holds no script and no style of its own: both are files of this package, and the policy allows nothing
else. What a template prints is escaped, unless it is HTML that we made. Pages without a run are here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

from jinja2 import Environment
from markupsafe import Markup

from citeproof.answers.reporters import wording
from citeproof.answers.reporters.html.page_parts import load_html_templates
from citeproof.answers.reporters.html.reference_view import CLASSES, LEGEND
from citeproof.plumbing.stores.decision_store import MAX_NOTE, DecisionChoice
from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_package_table
from citeproof.vocabulary import NOT_CHECKED, NOT_READ, Reason, Verdict

if TYPE_CHECKING:
    from citeproof.surfaces.web.run_view import RunView

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "same-origin",  # with no-referrer, browsers would say `Origin: null` of our own forms
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_PARTS = {
    "web.css": (
        ("citeproof.answers.reporters.html", "page.css"),
        ("citeproof.answers.reporters.html", "papers.css"),
        ("citeproof.surfaces.web.assets", "web.css"),
    ),
    "web.js": (("citeproof.surfaces.web.assets", "web.js"),),
    "example.txt": (("citeproof.surfaces.web.assets", "example.txt"),),
}
MEDIA_TYPES = {"web.css": "text/css; charset=utf-8", "web.js": "text/javascript; charset=utf-8"}
DECISIONS = {
    DecisionChoice.ACCEPT: "accepted", DecisionChoice.DISPUTE: "disputed", DecisionChoice.NOTE: "noted",
}  # fmt: skip
_WORDS = {  # that templates know by these names
    "CLAIMS": "ground",
    "COLUMNS": {label: label or "not checked" for label in CLASSES},
    "STATES": {"queued": "waiting"},  # all others are called as they are
    "NOT_CHECKED": NOT_CHECKED,
    "NOT_READ": NOT_READ,
    "MAX_NOTE": MAX_NOTE,
    "DECISIONS": DECISIONS,
    "CHOICES": {
        DecisionChoice.ACCEPT: "Accept: the citation stays as it is",
        DecisionChoice.DISPUTE: "Dispute: the result is wrong",
        DecisionChoice.NOTE: "Only a note",
    },
}


@cache
def load_templates() -> Environment:
    """Return the templates of all pages."""
    made = load_html_templates(("citeproof.surfaces.web", "templates"))
    made.filters |= {"tenths": "{:.1f}".format, "advice": give_advice}
    made.globals |= {**_WORDS, "describe_labels": wording.describe_labels}
    made.globals |= {"describe_outcome": describe_outcome, "name_labels": name_labels}
    made.globals |= {"locate_asset": locate_asset, "make_address": make_address}
    return made


@cache
def load_asset(name: str) -> bytes:
    """Return the style or the script; KeyError for any other name."""
    return "\n".join(
        files(package).joinpath(part).read_text("utf-8") for package, part in _PARTS[name]
    ).encode()


@cache
def locate_asset(name: str) -> str:
    """Return the address of an asset, another one for another content, so that browsers may keep it."""
    return f"/assets/{name}?v={sha256(load_asset(name)).hexdigest()[:12]}"


@dataclass(frozen=True, slots=True)
class WebFrame:
    """What stands around a page."""

    title: str
    refresh: int = 0  # seconds after which a browser without script asks again
    always: bool = False  # also a browser with script asks again
    named: bool = True  # with links to the other pages; a shared report has none to the runs


def render_page(template: str, frame: WebFrame, **values: object) -> str:
    """Return a page by its template."""
    return load_templates().get_template(template).render(frame=frame, **values)


def name_labels(counts: Mapping[str, int]) -> dict[str | None, int]:
    """Return stored counts by label; None: not checked."""
    return {None if label == "none" else label: count for label, count in counts.items()}


def describe_outcome(counts: Mapping[str, int]) -> str:
    """Return the counts of a run, the worst first: `2 major, 1 minor`."""
    named = name_labels(counts)
    return ", ".join(f"{named[label]:,} {LEGEND[label][0]}" for label in CLASSES if named.get(label))


_COMMAND = re.compile(
    r"(?:\s{0,9}[;:(]|^|(?<=[.!]) )[^;:().`]{0,200}`citeproof [^`]{1,200}`[^;:().`]{0,200}(?:\)|\.$)?"
)


def hide_commands(text: str) -> str:
    """Return an explanation or a hint without what only the owner of the server could type."""
    return _COMMAND.sub("", text).strip()


def give_advice(hint: str) -> str:
    """Return a hint for a reader; where it is only for the owner of the server, it says so."""
    return hide_commands(hint) or ("the operator of this server can change it" if hint else "")


def make_address(path: str, query: Mapping[str, object] | None = None, anchor: str = "") -> Markup:
    """Return an address of ours as the value of an attribute; empty parts of a query are left out."""
    given = {name: str(value) for name, value in (query or {}).items() if value not in ("", None)}
    address = quote(path, safe="/-._~") + (f"?{urlencode(given)}" if given else "")
    return Markup(escape(address + (f"#{quote(anchor)}" if anchor else ""), quote=True))  # noqa: S704 - escaped


def format_error_page(heading: str, message: str, hint: str = "") -> str:
    """Return a page that says what went wrong and what to do."""
    return render_page("error.html", WebFrame(heading), message=message, hint=hint)


def format_front_page(
    runs: Sequence[RunView], notes: Sequence[str] = (), *, signed: bool = False, refused: str = ""
) -> str:
    """Return the start page; `refused` says why claims and answers of models cannot be checked."""
    frame = WebFrame("Check citations")
    return render_page("front.html", frame, runs=runs, notes=notes, signed=signed, refused=refused)


def format_verdict_page() -> str:
    """Return the page that explains the verdicts."""
    meanings = load_package_table("citeproof.surfaces.web.assets", "verdict_meanings.toml")
    frame = WebFrame("What the verdicts mean")
    return render_page("verdicts.html", frame, verdicts=Verdict, reasons=list(Reason), meanings=meanings)


def format_login_page(after: str, *, failed: bool) -> str:
    """Return the page that asks for a token; `after` is where to go then."""
    return render_page("login.html", WebFrame("Sign in"), after=after, failed=failed)
