"""Documents checked by a Ray cluster that is running; needs the extra `ray`.

Documents are tasks and travel with them. Snapshots are files of each node, under the same path; another one
there is refused. A task whose worker died is not repeated by Ray but reported, as by any executor; one whose
node was lost is sent again.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from citeproof.errors import CiteproofError, InputError, UsageError
from citeproof.service.assemble import SNAPSHOT, choose_sources
from citeproof.service.batch.document_checker import DocumentChecker
from citeproof.service.batch.executors import DocumentAnswer
from citeproof.settings import Settings

_AHEAD = 2  # documents for each processor of the cluster: one under way, one that waits for it
_LOST = 10  # nodes that may be lost with a document
_SAME = "put them on a disk that all machines share, under the same path"

_CHECKERS: dict[str, DocumentChecker] = {}  # in a worker of Ray: the one of the run, opened once


class RayCluster:
    """A cluster by its address; as many documents are sent as its processors can take."""

    def __init__(self, packed: Mapping[str, Any], address: str, jobs: int, settings: Settings) -> None:
        self._ray = ray = _import_ray()
        self._jobs = jobs
        try:
            quiet = {"log_to_driver": False, "logging_level": "error", "configure_logging": False}
            ray.init(address=address, ignore_reinit_error=True, **quiet)
        except (ConnectionError, RuntimeError, ValueError, OSError) as error:
            hint = "start one with `ray start --head`, and give its address, such as 127.0.0.1:6379"
            message = f"no Ray cluster answers: {str(error)[:200]}"
            raise UsageError(message, place="--ray", hint=hint) from error
        _refuse_many_hosts(ray, settings)
        self._plan = ray.put({**packed, "folder": os.getcwd()})  # noqa: PTH109 - as text
        self._check = ray.remote(max_retries=0)(_check_in_worker)
        self._sent: dict[Any, tuple[int, bytes, int]] = {}  # number, payload, nodes that were lost with it

    def ready(self) -> bool:
        most = self._jobs or _AHEAD * max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        return len(self._sent) < most

    def send(self, number: int, payload: bytes) -> None:
        self._submit(number, payload, 0)

    def _submit(self, number: int, payload: bytes, lost: int) -> None:
        self._sent[self._check.remote(self._plan, payload)] = (number, payload, lost)

    def answers(self, timeout: float) -> list[DocumentAnswer]:
        done, _ = self._ray.wait(list(self._sent), num_returns=1, timeout=timeout)
        if done:
            done, _ = self._ray.wait(list(self._sent), num_returns=len(self._sent), timeout=0)
        return [answer for task in done if (answer := self._take(task)) is not None]

    def _take(self, task: Any) -> DocumentAnswer | None:  # noqa: ANN401 - Ray has no types
        number, payload, lost = self._sent.pop(task)
        errors = self._ray.exceptions
        try:
            return DocumentAnswer(number, self._ray.get(task))
        except (errors.WorkerCrashedError, errors.OutOfMemoryError):
            return DocumentAnswer(number, None)
        except errors.RayTaskError as error:  # no document does that: the worker could not begin
            _raise_cause(error)
        except errors.RayError as error:  # the node is gone, or what was on it
            if lost >= _LOST:
                raise InputError(f"the Ray cluster loses its nodes: {type(error).__name__}") from error
            self._submit(number, payload, lost + 1)
        return None

    def close(self, *, at_once: bool) -> None:
        if at_once:
            for task in self._sent:
                with suppress(self._ray.exceptions.RayError, ValueError, TypeError):
                    self._ray.cancel(task, force=True)
        self._ray.shutdown()


def _check_in_worker(packed: Mapping[str, Any], payload: bytes) -> bytes:
    run = f"{packed['started']} {packed['digest']}"
    if run not in _CHECKERS:
        with suppress(OSError):
            os.chdir(packed["folder"])  # relative paths mean what they mean where the run was begun
        for former in list(_CHECKERS):
            _CHECKERS.pop(former).close()
        _CHECKERS[run] = DocumentChecker(packed)
    return _CHECKERS[run].do(payload)


def _refuse_many_hosts(ray: Any, settings: Settings) -> None:  # noqa: ANN401 - Ray has no types
    """Refuse to ask registries from several machines that do not know how much the others ask."""
    hosts = {node["NodeManagerAddress"] for node in ray.nodes() if node["Alive"]}
    shared = settings.shared_store is not None or settings.origin("limits_dir") != "default"
    asks = not settings.offline and choose_sources(settings) != (SNAPSHOT,)
    if len(hosts) > 1 and asks and not shared:
        ray.shutdown()
        raise UsageError(
            f"{len(hosts)} machines would ask the registries without knowing of each other",
            place="--ray",
            hint="set CITEPROOF_SHARED_STORE to a PostgreSQL database that all of them reach; or set "
            f"CITEPROOF_LIMITS_DIR and CITEPROOF_CACHE_DIR and {_SAME}; or give --offline",
        )


def _raise_cause(error: Any) -> None:  # noqa: ANN401 - Ray has no types
    cause = getattr(error, "cause", None)
    if isinstance(cause, CiteproofError):
        hint = f"{cause.hint}; on every machine of the cluster" if cause.hint else _SAME
        raise InputError(cause.message, place=cause.place, hint=hint) from error
    what = str(cause or error).strip().rpartition("\n")[2][:300]
    hint = "install the same version of citeproof on every machine of the cluster"
    raise InputError(f"a worker of the Ray cluster cannot begin: {what}", hint=hint) from error


def _import_ray() -> Any:  # noqa: ANN401 - Ray has no types
    try:
        import ray  # noqa: PLC0415 - an extra
        import ray.exceptions  # noqa: PLC0415 - same
    except ImportError:
        hint = "pip install 'citeproof[ray]', here and on every machine of the cluster"
        raise UsageError("Ray is not installed", place="--ray", hint=hint) from None
    return ray
