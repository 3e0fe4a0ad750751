"""Where tests of hostile repositories do their work."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """A folder on disk: `make test` has the others in /dev/shm, and below /dev are devices."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        yield Path(folder).resolve()
