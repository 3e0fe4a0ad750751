"""Documents that were made to do harm, small on disk; each is made when it is asked for."""

from __future__ import annotations

from collections.abc import Callable

from tests.faults.bombs import archives, office, pdf, xml

# Documents that want something fetched, by the port of a server that counts who comes.
CALLING: dict[str, Callable[[int], bytes]] = {
    "a.pdf": pdf.pdf_actions,
    "a.docx": office.docx_external,
    **{f"{name}.xml": lambda port, name=name: xml.xml_external(*xml.ROOTS[name], port) for name in xml.ROOTS},  # type: ignore[misc]
    "b.xml": lambda port: xml.xml_parameter(*xml.ROOTS["jats"], port),
    "a.html": lambda port: office.HTML.replace("PORT", str(port)).encode(),
}

RTF = b"{\\rtf1 References\\par LeCun, Y. (2015). Deep learning. Nature, 521, 436-444.\\par "
REFUSED, READ, EITHER = "refused", "read", "either"

Bomb = tuple[str, Callable[[], bytes], str]  # file name, maker, what becomes of it


def _xml(name: str, make: Callable[[str, str], bytes]) -> Bomb:
    fate = EITHER if make.__name__ in xml.HARMLESS_XML else REFUSED
    return f"{name}.xml", lambda: make(*xml.ROOTS[name]), fate


BOMBS: dict[str, Bomb] = {
    "pdf flate": ("a.pdf", pdf.pdf_flate, EITHER),
    "pdf lzw": ("a.pdf", pdf.pdf_lzw, EITHER),
    "pdf million pages": ("a.pdf", pdf.pdf_million_pages, EITHER),
    "pdf page circle": ("a.pdf", pdf.pdf_page_circle, EITHER),
    "pdf xref loop": ("a.pdf", pdf.pdf_xref_loop, EITHER),
    "pdf deep": ("a.pdf", pdf.pdf_deep, EITHER),
    "pdf forms": ("a.pdf", pdf.pdf_forms, EITHER),
    "pdf form circle": ("a.pdf", pdf.pdf_form_circle, EITHER),
    "pdf jbig2": ("a.pdf", pdf.pdf_jbig2, EITHER),
    "pdf actions": ("a.pdf", pdf.pdf_actions, READ),
    "pdf encrypted": ("a.pdf", pdf.pdf_encrypted, REFUSED),
    "pdf vast page": ("a.pdf", pdf.pdf_vast_page, READ),
    "pdf much text": ("a.pdf", pdf.pdf_much_text, EITHER),
    **{f"{name} {make.__name__}": _xml(name, make) for name in xml.ROOTS for make in xml.XML},
    "zip ratio": ("a.zip", archives.zip_ratio, REFUSED),
    "zip lie": ("a.zip", archives.zip_lie, REFUSED),
    "zip promise": ("a.zip", archives.zip_promise, REFUSED),
    "zip overlap": ("a.zip", archives.zip_overlap, REFUSED),
    "zip quoted overlap": ("a.zip", archives.zip_quoted_overlap, REFUSED),
    "zip nested": ("a.zip", archives.zip_nested, REFUSED),
    "zip climb": ("a.zip", archives.zip_climb, REFUSED),
    "zip link": ("a.zip", archives.zip_link, REFUSED),
    "zip many": ("a.zip", archives.zip_many, REFUSED),
    "zip of laughs": ("a.zip", archives.zip_of_laughs, REFUSED),
    "tar sparse": ("a.tar", archives.tar_sparse, REFUSED),
    "tar many": ("a.tar", archives.tar_many, REFUSED),
    "gzip": ("a.gz", archives.gzip_bomb, REFUSED),
    "gzip twice": ("a.gz", archives.gzip_twice, REFUSED),
    "bzip2": ("a.bz2", archives.bzip2_bomb, REFUSED),
    "xz": ("a.xz", archives.xz_bomb, REFUSED),
    "zstd": ("a.zst", archives.zstd_bomb, REFUSED),
    "docx laughs": ("a.docx", office.docx_laughs, REFUSED),
    "docx deep": ("a.docx", office.docx_deep, REFUSED),
    "docx ratio": ("a.docx", office.docx_ratio, REFUSED),
    "odt laughs": ("a.odt", office.odt_laughs, REFUSED),
    "rtf deep": ("a.rtf", lambda: b"{\\rtf1 " + b"{" * 200_000, REFUSED),
    "rtf fields": ("a.rtf", lambda: RTF + b"{\\field{\\*\\fldinst x" * 900, READ),
    "rtf binary": ("a.rtf", lambda: RTF + b"\\bin9999999999 x}" * 1000, READ),
    "docx external": ("a.docx", office.docx_external, READ),
    "html deep": ("a.html", office.html_deep, EITHER),
    "html comments": ("a.html", lambda: b"<!--a--> " * 20_000, EITHER),
}
