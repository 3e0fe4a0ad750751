"""`citeproof sources`: which sources there are, how each is here, and whether they answer."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator, Sequence

import click

from citeproof import settings
from citeproof.answers import serializers
from citeproof.answers.reporters.wording import CAUSES, show_line
from citeproof.answers.serializers import Json
from citeproof.errors import UsageError, suggest_word
from citeproof.evidence.retrieve.route_plan import RoutePlan, RouteStep
from citeproof.evidence.sources import base
from citeproof.plumbing.clock import SystemClock
from citeproof.service.assemble import require_shared_store
from citeproof.service.exit_codes import Exit
from citeproof.service.source_status import (
    ProbeResult,
    SourceStatus,
    format_rate,
    list_source_status,
    probe_sources,
    read_page,
)
from citeproof.settings import Settings
from citeproof.surfaces.cli import command_options, report_output
from citeproof.surfaces.cli.run_notices import print_warnings

HEAD = ("name", "silence counts for", "own ids", "key", "limit", "state")
WIDTHS = (18, 22, 10, 13, 24)
CLAIMS = 3  # of a snapshot that the table shows; a starter has a hundred
_JOINED = " + "  # between lookups that are made at once


class SourceGroup(click.Group):
    """A group whose commands may also be the name of a source."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command; any other word is the name of a source to show."""
        if args[0] in self.commands or args[0].startswith("-"):
            return super().resolve_command(ctx, args)
        return args[0], show, args


def _complete_name(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """Return the sources that the Tab key offers."""
    return [name for name in base.list_sources() if name.startswith(incomplete)]


@click.group(
    cls=SourceGroup,
    invoke_without_command=True,
    subcommand_metavar="[NAME | test [NAME…] | plan FILE]",
    short_help="Show or test the sources, with their limits and status.",
)
@command_options.add_options("sources")
@click.pass_context
def command(ctx: click.Context, *, offline: bool | None, form: str) -> None:
    """Show every source with its coverage, key, rate limit, budget and status.

    The table says why a source is not asked. This command does not use the network; `test` sends one
    harmless query to each source. NAME shows the page of one source.

    \b
    citeproof sources
    citeproof sources crossref
    citeproof sources test crossref openalex
    citeproof sources plan refs.bib
    """
    ctx.obj = settings.load(command_options.collect_given_flags(offline=offline))
    if ctx.invoked_subcommand is not None:
        return
    _warn_without_store(ctx.obj)
    rows = list_source_status(ctx.obj, SystemClock())
    if form == "json":
        print(serializers.dump_pretty({"sources": [row.json() for row in rows]}))
        return
    for text in report_output.format_text_table(HEAD, [_make_source_cells(row) for row in rows], WIDTHS):
        print(text)
    for text in (*_list_source_notes(rows), *_list_hints(ctx.obj, rows)):
        print(f"\n{text}")


@click.command(name="show")
@click.argument("name", shell_complete=_complete_name)
@command_options.add_options("sources show")
@click.pass_obj
def show(chosen: Settings, *, name: str, form: str) -> None:
    """Show the status of one source, then its page."""
    if name != "snapshot":
        _check_source_names([name], (*base.list_sources(), "snapshot"))
    _warn_without_store(chosen)
    rows = [row for row in list_source_status(chosen, SystemClock()) if row.name.partition(":")[0] == name]
    if form == "json":
        described = [{**_expect_table(row.json()), "page": _read_source_page(row)} for row in rows]
        print(serializers.dump_pretty({"sources": described}))
        return
    for row in rows:
        for label, value in _list_source_facts(row):
            print(f"{label:<24}  {show_line(value) or '–'}")
        print(f"\n{_read_source_page(row)}" if _read_source_page(row) else "")


def _warn_without_store(chosen: Settings) -> None:
    """Warn if the states that follow are those of this machine alone, since no other is reached."""
    try:
        require_shared_store(chosen, SystemClock())
    except UsageError as error:
        print_warnings([f"{error.place}: {error.message}; this machine's own limits are shown"])


@command.command(short_help="Send one harmless query to each source.")
@click.argument("names", nargs=-1, metavar="[NAME…]", shell_complete=_complete_name)
@command_options.add_options("sources test")
@click.pass_obj
def test(chosen: Settings, *, names: Sequence[str], form: str) -> int:
    """Send one harmless query to each live source (or those named) and print the result.

    Cached answers are not used. Exit code 0 if every source answered, 4 if some did not. A source that
    needs a missing key or contact address is reported and not asked.

    \b
    citeproof sources test
    citeproof sources test crossref openalex
    """
    if chosen.offline:
        hint = "leave that out"
        raise UsageError("offline, no source can be tested", place=chosen.origin("offline"), hint=hint)
    _check_source_names(names, base.list_sources())
    probed = asyncio.run(_run_probes(chosen, names or base.list_sources(), quiet=form == "json"))
    if form == "json":
        print(serializers.dump_pretty({"sources": [probe.json() for probe in probed]}))
    return Exit.UNCHECKED if any(probe.unanswered for probe in probed) else Exit.CLEAN


async def _run_probes(chosen: Settings, names: Sequence[str], *, quiet: bool) -> list[ProbeResult]:
    """Return what came of each lookup; each is printed as soon as those before it are."""
    done = []
    async for probe in probe_sources(chosen, SystemClock(), names):
        done.append(probe)
        if not quiet:
            print(
                f"{probe.source:<16}  {probe.outcome:<12}  {_format_milliseconds(probe):>8}  "
                f"{_describe_probe(probe)}",
                flush=True,
            )
    return done


@command.command(short_help="Show whom a check would ask about each reference.")
@click.argument("file", metavar="FILE")
@command_options.add_options("sources plan")
@click.pass_obj
def plan(above: Settings, /, *, file: str, form: str, **flags: object) -> int:
    """Show the route of each reference of FILE: whom a check would ask, in what order, at most at what cost.

    No source is asked. A check ends a route as soon as the evidence decides, and often after its first step.
    Sources with `+` between them are asked at once.

    \b
    citeproof sources plan refs.bib
    citeproof sources plan refs.bib --sources default,web --route web-first
    """
    flags["offline"] = flags["offline"] or above.offline or None
    chosen = settings.load(command_options.collect_given_flags(**flags))
    from citeproof.service.source_status import plan_document  # noqa: PLC0415 - takes its time
    from citeproof.surfaces.cli.opened_documents import read_one_document  # noqa: PLC0415 - same

    routes = plan_document(chosen, read_one_document(file, chosen))
    if form == "json":
        print(serializers.dump_pretty({"routes": [build_route_json(route) for route in routes]}))
    else:
        for text in format_routes(routes):
            print(text)
    if not routes:
        print(f"nothing to check: no reference found in {show_line(file)}", file=sys.stderr)
    return Exit.CLEAN if routes else Exit.NOTHING


def _describe_probe(probe: ProbeResult) -> str:
    detail = show_line(probe.detail, 160)
    return detail or CAUSES.get(probe.outcome, "")


def _format_milliseconds(probe: ProbeResult) -> str:
    return "" if probe.outcome == "not asked" else f"{probe.seconds * 1000:.0f} ms"


def _check_source_names(names: Sequence[str], known: Sequence[str]) -> None:
    for name in names:
        if name not in known:
            hint = f"{suggest_word(name, known)} known: {', '.join(known)}".lstrip()
            raise UsageError(f"unknown source {name!r}", place="sources", hint=hint)


def _make_source_cells(row: SourceStatus) -> tuple[str, ...]:
    state = row.not_asked if row.not_asked and row.state == "ok" else row.state
    cells = (row.name, _describe_coverage(row), ", ".join(row.own), row.key, row.limit, state)
    return tuple(cell or "–" for cell in cells)


def _list_source_notes(rows: Sequence[SourceStatus]) -> Iterator[str]:
    """Yield, as one paragraph, why sources are left alone, what went wrong last and what budget is left."""
    notes = [f"{row.name}: {show_line(row.note)}" for row in rows if row.note and row.profile]
    notes += [f"{row.name}: {row.budget}" for row in rows if row.budget]
    notes += [f"{row.name}: {show_line(row.not_asked)}" for row in rows if row.not_asked and not row.profile]
    if notes:
        yield "\n".join(notes)


def _describe_coverage(row: SourceStatus) -> str:
    more = f", … {len(row.covers):,} claims" if len(row.covers) > CLAIMS and row.profile is None else ""
    shown = row.covers[:CLAIMS] if more else row.covers
    return ", ".join(_format_kind(name) for name in shown) + more


def _format_kind(name: str) -> str:
    return "type unknown" if name == "unknown" else name.replace("_", " ")


def _list_hints(chosen: Settings, rows: Sequence[SourceStatus]) -> Iterator[str]:
    """Yield what would make the sources serve better."""
    if chosen.offline:
        return
    if not chosen.contact:
        helped = ", ".join(row.name for row in rows if row.profile and row.profile.contact)
        yield f"no contact address is set (CITEPROOF_CONTACT); {helped} serve better, or only, with one"
    wanting = next((row.name for row in rows if row.profile and row.key and not row.key_set), None)
    if wanting is not None:
        variable = f"CITEPROOF_{wanting.upper()}_KEY"
        yield f"keys come from the environment, like {variable}; how to get one: citeproof sources NAME"


def _list_source_facts(row: SourceStatus) -> Iterator[tuple[str, str]]:
    """Yield label and value of all that is known of a source here."""
    yield "name", row.name
    yield "silence counts for", _describe_coverage(row)
    if row.profile is not None:
        yield "must have answered", ", ".join(_format_kind(k) for k in sorted(row.profile.required))
        yield "own identifiers", ", ".join(row.own)
        yield "address", row.url
        yield "asked by", ", ".join(row.answers)
        yield "key", row.key
        yield "limit", row.limit
        profile = row.profile
        others = {"with a contact": profile.rate if profile.anonymous else None,
                  "without a contact": profile.anonymous, "with a key": profile.keyed_rate}  # fmt: skip
        for label, rate in others.items():
            if rate is not None and rate != row.rate:
                yield f"limit {label}", format_rate(rate)
        if row.profile.budget:
            yield "budget", row.budget or f"in {row.profile.budget}; not known yet"
    yield "asked", "yes" if row.asked else f"no: {row.not_asked}"
    yield "state", f"{row.state}; {row.note}" if row.note else row.state


def _read_source_page(row: SourceStatus) -> str:
    return read_page(base.find_source(row.name)) if row.profile else ""


def _expect_table(value: serializers.Json) -> dict[str, serializers.Json]:
    assert isinstance(value, dict)
    return value


def format_routes(routes: Sequence[RoutePlan]) -> Iterator[str]:
    """Yield the lines of all routes, then the sum."""
    for route in routes:
        yield show_line(route.key, 80)
        for number, step in enumerate(route.steps, 1):
            names = _JOINED.join(list(dict.fromkeys(lookup.name for lookup in step.lookups)))
            yield f"  {number:>2} {step.stage.value:<12} {names}{_describe_cost(step)}"
        if not route.steps:
            yield "   no source can be asked about it"
    requests = [route.requests for route in routes]
    if routes:
        yield (
            f"{len(routes):,} references, at most {sum(requests):,} requests "
            f"({max(requests)} for one), before caching and batching; a route ends once the evidence decides"
        )


def build_route_json(route: RoutePlan) -> Json:
    """Return one route as JSON."""
    return {
        "key": route.key,
        "most_requests": route.requests,
        "typical_seconds": round(route.seconds, 2),
        "steps": [
            {
                "stage": step.stage.value,
                "lookups": [
                    {"source": lookup.source, "by": lookup.by, "most_requests": lookup.requests}
                    | ({"budget": lookup.budget} if lookup.budget else {})
                    for lookup in step.lookups
                ],
            }
            for step in route.steps
        ],
    }


def _describe_cost(step: RouteStep) -> str:
    if not step.requests:
        return ""
    paid = sorted({lookup.source for lookup in step.lookups if lookup.budget})
    counted = f"{step.requests} request{'s' if step.requests > 1 else ''}"
    return f"  ({counted}, about {step.seconds:.1f} s{'; budget of ' + ', '.join(paid) if paid else ''})"
