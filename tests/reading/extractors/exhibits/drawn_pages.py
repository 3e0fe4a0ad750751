"""PDFs drawn by hand: lines of text, boxes and rules at given places."""

from __future__ import annotations

WIDTH, HEIGHT = 612, 792


def make_pdf(*pages: str) -> bytes:
    """Return a PDF whose pages have these content streams."""
    kids = " ".join(f"{4 + 2 * index} 0 R" for index in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for index, content in enumerate(pages):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {WIDTH} {HEIGHT}] /Contents {5 + 2 * index} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>"
        )
        objects.append(f"<< /Length {len(content.encode('latin-1'))} >>\nstream\n{content}\nendstream")
    return join_objects(objects)


def join_objects(objects: list[str]) -> bytes:
    out = bytearray(b"%PDF-1.7\n")
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1")
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += "".join(f"{offset:010} 00000 n \n" for offset in offsets).encode()
    out += f"trailer << /Root 1 0 R /Size {len(objects) + 1} >>\nstartxref\n{start}\n%%EOF".encode()
    return bytes(out)


def draw_text(text: str, left: float, top: float, size: float = 10) -> str:
    """Return a line of text; `top` is the distance of its baseline from the top of the page."""
    escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    return f"BT /F1 {size} Tf {left} {HEIGHT - top} Td ({escaped}) Tj ET\n"


def draw_box(left: float, top: float, right: float, bottom: float) -> str:
    return f"0.3 0.5 0.9 rg {left} {HEIGHT - bottom} {right - left} {bottom - top} re f 0 g\n"


def draw_rule(left: float, right: float, top: float) -> str:
    return f"0.5 w {left} {HEIGHT - top} m {right} {HEIGHT - top} l S\n"


PROSE = (
    "The running text of a paper goes from margin to margin and says something about the work it reports on"
)


def draw_prose(top: float, lines: int, *, first: str = PROSE) -> str:
    """Return a paragraph of full lines."""
    texts = [first] + [PROSE] * (lines - 1)
    return "".join(draw_text(text, 60, top + 12 * index) for index, text in enumerate(texts))
