"""Where the snapshots of a run stand: named by settings, the starter, and those that were pulled."""

from __future__ import annotations

from pathlib import Path


class SnapshotFolders:
    """The part of `Settings` that finds snapshots."""

    __slots__ = ()
    cache_dir: Path
    snapshots: tuple[Path, ...]

    @property
    def starter(self) -> Path:
        """Path of the starter snapshot."""
        return self.cache_dir / "snapshots" / "starter"

    @property
    def pulled_snapshots(self) -> Path:
        """Folder of the snapshots that `citeproof index pull` fetched, by name."""
        return self.cache_dir / "pulled"

    def list_snapshot_folders(self) -> tuple[Path, ...]:
        """Return the snapshots to use: those asked for, by path or as pulled@NAME.

        Without any, the starter if it was built, and all that were pulled.
        """
        if self.snapshots:
            return tuple(map(self._find_snapshot, self.snapshots))
        return ((self.starter,) if self.starter.is_dir() else ()) + self.list_pulled_folders()

    def _find_snapshot(self, path: Path) -> Path:
        lead, mark, name = path.name.partition("@")  # what is written as a name was read as a path
        pulled = self.pulled_snapshots / name  # before a folder of the project that is called so
        return pulled if (lead, mark) == ("pulled", "@") and (pulled.exists() or not path.exists()) else path

    def list_pulled_folders(self) -> tuple[Path, ...]:
        """Return the snapshots that were pulled and are whole, by name."""
        try:
            return tuple(sorted(p for p in self.pulled_snapshots.iterdir() if p.is_symlink() and p.is_dir()))
        except OSError:
            return ()
