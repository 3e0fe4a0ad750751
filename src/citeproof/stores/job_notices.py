"""What the servers on one PostgreSQL database tell each other about jobs (`NOTIFY`). Extra `[postgres]`.

A notice leaves with the transaction that changed the job. Nothing rests on it: whoever misses one finds the
job a little later, since every server also looks by itself.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass

from citeproof.stores.postgres_link import CONNECTION_OPTIONS, import_postgres

_CHANNEL = "citeproof_jobs"
# The end of a statement that changes rows of `jobs`.
TELL = f"RETURNING pg_notify('{_CHANNEL}', state || ' ' || id)"


@dataclass(frozen=True, slots=True)
class JobNotice:
    """A job that has changed, and the state it is in. Both are empty when listening begins."""

    state: str = ""
    job: str = ""


async def read_notices(url: str) -> AsyncGenerator[JobNotice]:
    """Yield an empty notice as soon as none is missed any more, then each; end when the server is gone."""
    library = import_postgres()
    try:
        async with await library.AsyncConnection.connect(
            url, autocommit=True, **CONNECTION_OPTIONS
        ) as connection:
            await connection.execute(f"LISTEN {_CHANNEL}")
            yield JobNotice()
            async for notice in connection.notifies():
                yield JobNotice(*notice.payload.split(" ", 1))
    except library.Error:
        return
