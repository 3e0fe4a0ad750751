"""XML that was made to do harm, in every dialect that is read."""

from __future__ import annotations

from tests.faults.bombs.basis import CITED

JATS = "<article><back><ref-list><ref><mixed-citation>{}</mixed-citation></ref></ref-list></back></article>"
TEI = '<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><back><listBibl><bibl>{}</bibl></listBibl></back></text></TEI>'
ENDNOTE = "<xml><records><record><titles><title>{}</title></titles></record></records></xml>"
ROOTS = {"jats": ("article", JATS), "tei": ("TEI", TEI), "endnote_xml": ("xml", ENDNOTE)}


def xml_laughs(root: str, body: str) -> bytes:
    """Entities of entities: three gigabytes of laughter."""
    lines = ["<!ENTITY lol0 'lol'>"]
    lines += [f"<!ENTITY lol{i} '{f'&lol{i - 1};' * 10}'>" for i in range(1, 10)]
    return f"<?xml version='1.0'?><!DOCTYPE {root} [{''.join(lines)}]>{body.format('&lol9;')}".encode()


def xml_quadratic(root: str, body: str) -> bytes:
    """One long entity, used often."""
    head = f"<?xml version='1.0'?><!DOCTYPE {root} [<!ENTITY a '{'a' * 50_000}'>]>"
    return (head + body.format("&a;" * 50_000)).encode()


def xml_external(root: str, body: str, port: int = 9) -> bytes:
    """An entity that stands in a file of the machine, and one that stands on a server."""
    head = f"<?xml version='1.0'?><!DOCTYPE {root} [<!ENTITY f SYSTEM 'file:///etc/passwd'>"
    return (head + f"<!ENTITY h SYSTEM 'http://127.0.0.1:{port}/x'>]>" + body.format("&f;&h;")).encode()


def xml_parameter(root: str, body: str, port: int = 9) -> bytes:
    """A parameter entity that loads further declarations."""
    head = (
        f"<?xml version='1.0'?><!DOCTYPE {root} [<!ENTITY % p SYSTEM 'http://127.0.0.1:{port}/x.dtd'> %p;]>"
    )
    return (head + body.format(CITED)).encode()


def xml_deep(root: str, body: str) -> bytes:
    """A hundred thousand elements, each in the one before."""
    return body.format("<i>" * 100_000 + "x" + "</i>" * 100_000).encode()


def xml_attributes(root: str, body: str) -> bytes:
    """An element with two hundred thousand attributes."""
    return body.format("<i " + " ".join(f"a{i}='1'" for i in range(200_000)) + "/>").encode()


XML = (xml_laughs, xml_quadratic, xml_external, xml_parameter, xml_deep, xml_attributes)
HARMLESS_XML = {"xml_attributes"}  # large, but no harm; it may be read
