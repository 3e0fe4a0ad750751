"""The parts that every server has; `app.state.door` is one, with more of its own."""

from __future__ import annotations

from dataclasses import dataclass

from citeproof.clock import Clock
from citeproof.surfaces.rest.admission import AdmissionGate
from citeproof.surfaces.rest.server_metrics import ServerMetrics
from citeproof.surfaces.rest.server_options import ServerOptions


@dataclass(frozen=True, slots=True)
class ServerDoor:
    """What the guard and the process of a server need to know of what it serves."""

    options: ServerOptions
    clock: Clock
    metrics: ServerMetrics
    gate: AdmissionGate

    def begin_stop(self) -> None:
        """Tell whoever waits that the server ends; by default, every request is short."""
