"""The images of cited figures and tables as files in a folder, named by work and number."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from citeproof.errors import UsageError
from citeproof.plumbing.disk_files import open_replacement
from citeproof.plumbing.output_files import check_output_folder
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary.claim_support import ClaimSupport, ExhibitEvidence

_ENDINGS = {"image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp"}
_UNSAFE = re.compile(r"[^A-Za-z0-9.-]{1,200}")
_NAMED = 80  # characters of a work in the name of a file
_NUMBERED = 20  # of a figure's number
_HINT = "name a folder in which files can be made"


class ImageFolder:
    """A folder that takes the images of cited figures and tables, each once."""

    def __init__(self, folder: Path, shown: str = "") -> None:
        """Take a folder, which is made if it is not there; `shown` is its path as a report names it."""
        self._folder, self.shown = folder, shown or folder.as_posix()
        self._written: dict[str, str] = {}  # name without regard to case: hash of the image
        check_output_folder(folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(
                f"cannot hold images: {error.strerror}", place=str(folder), hint=_HINT
            ) from error

    def add_support(self, work: str, support: ClaimSupport) -> ClaimSupport:
        """Write the images of a work that a claim cites; return the support with the paths of their files."""
        return replace(support, exhibits=tuple(self._add_image(work, one) for one in support.exhibits))

    def _add_image(self, work: str, one: ExhibitEvidence) -> ExhibitEvidence:
        digest = sha256(one.image).hexdigest()
        for name in list_file_names(work, one):
            if self._written.setdefault(name.lower(), digest) == digest:
                self._write_image(name, one.image)
                return replace(one, image_file=f"{self.shown.rstrip('/')}/{name}")
        return one

    def _write_image(self, name: str, image: bytes) -> None:
        try:
            with open_replacement(self._folder / name) as file:
                file.write(image)
        except OSError as error:
            place = str(self._folder / name)
            raise UsageError(f"cannot be written: {error.strerror}", place=place, hint=_HINT) from error


def list_file_names(work: str, one: ExhibitEvidence) -> Iterator[str]:
    """Yield the name of an image's file, then the one it has if another image took that; none: no image."""
    ending = _ENDINGS.get(one.media_type, "")
    if not one.image or not ending:
        return
    stem = _UNSAFE.sub("_", work)[:_NAMED].strip("._-") or "work"
    number = _UNSAFE.sub("_", one.number)[:_NUMBERED]
    yield f"{stem}-{one.kind.value}-{number}.{ending}"
    yield f"{stem}-{one.kind.value}-{number}-{sha256(one.image).hexdigest()[:16]}.{ending}"
