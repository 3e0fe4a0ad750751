"""What the guard and the process of a server need to know of what it serves."""

from __future__ import annotations

from typing import Protocol

from citeproof.clock import Clock
from citeproof.surfaces.rest.admission import AdmissionGate
from citeproof.surfaces.rest.server_metrics import ServerMetrics
from citeproof.surfaces.rest.server_options import ServerOptions


class ServerDoor(Protocol):
    """The parts of one server; `app.state.door` is one."""

    @property
    def options(self) -> ServerOptions: ...

    @property
    def clock(self) -> Clock: ...

    @property
    def metrics(self) -> ServerMetrics: ...

    @property
    def gate(self) -> AdmissionGate: ...

    def begin_stop(self) -> None:
        """Tell whoever waits that the server ends."""
        ...
