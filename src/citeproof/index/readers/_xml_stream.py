"""What readers of large XML files share: no entities of their own, and memory that stays flat."""

from __future__ import annotations

from lxml import etree


def has_entities(element: etree._Element) -> bool:
    """Return whether the document declares entities in itself, which no dump needs."""
    subset = element.getroottree().docinfo.internalDTD
    return subset is not None and next(subset.iterentities(), None) is not None


def free_element(element: etree._Element) -> None:
    """Free what has been read; without this the whole file stays in memory."""
    element.clear()
    while element.getprevious() is not None:
        del element.getparent()[0]
