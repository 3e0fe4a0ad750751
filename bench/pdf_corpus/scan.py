"""A PDF as a scanner would have made it: one slightly turned, speckled picture a page, and no text."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pypdfium2

DPI = 200
TURN = 0.5  # degrees, to one side or the other
NOISE = 9.0  # standard deviation, of 255


def scanned(path: Path, *, seed: int) -> None:
    """Put pictures of the pages in the place of the PDF at `path`."""
    from PIL import Image  # noqa: PLC0415 - comes with the extra `ocr`; papers with text need none

    rng = np.random.default_rng(seed)
    document = pypdfium2.PdfDocument(path)
    pages = []
    for page in document:
        sheet = page.render(scale=DPI / 72).to_pil().convert("L")
        turned = sheet.rotate(rng.uniform(-TURN, TURN), resample=Image.Resampling.BICUBIC, fillcolor=250)
        shade = (
            np.asarray(turned, dtype=np.float64) * 0.94
            + 8
            + rng.normal(0, NOISE, (turned.height, turned.width))
        )
        pages.append(Image.fromarray(np.clip(shade, 0, 255).astype(np.uint8)))
    document.close()
    pages[0].save(path, "PDF", resolution=DPI, quality=40, save_all=True, append_images=pages[1:])
