"""Routes as text and JSON: a line for each step, then what all of them cost at most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from citeproof.reporters.wording import show_line
from citeproof.retrieve.route_plan import RoutePlan, RouteStep
from citeproof.serializers import Json

_JOINED = " + "  # between lookups that are made at once


def format_routes(routes: Sequence[RoutePlan]) -> Iterator[str]:
    """Yield the lines of all routes, then the sum."""
    for route in routes:
        yield show_line(route.key, 80)
        for number, step in enumerate(route.steps, 1):
            names = _JOINED.join(list(dict.fromkeys(one.name for one in step.lookups)))
            yield f"  {number:>2} {step.stage.value:<12} {names}{_describe_cost(step)}"
        if not route.steps:
            yield "   nobody can be asked about it"
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
                    {"source": one.source, "by": one.by, "most_requests": one.requests}
                    | ({"budget": one.budget} if one.budget else {})
                    for one in step.lookups
                ],
            }
            for step in route.steps
        ],
    }


def _describe_cost(step: RouteStep) -> str:
    if not step.requests:
        return ""
    paid = sorted({one.source for one in step.lookups if one.budget})
    counted = f"{step.requests} request{'s' if step.requests > 1 else ''}"
    return f"  ({counted}, about {step.seconds:.1f} s{'; budget of ' + ', '.join(paid) if paid else ''})"
