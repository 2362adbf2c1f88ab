"""Scans made of PDF files: pages drawn, laid askew, sprinkled with noise, and put into a PDF as pictures."""

from __future__ import annotations

import io
import itertools
from collections.abc import Collection
from pathlib import Path

import numpy as np
import pypdfium2
from PIL import Image


def as_scan(
    source: Path,
    out: Path,
    *,
    pages: Collection[int] = (),
    kept: Collection[int] = (),
    dpi: float = 200,
    askew: float = 0.0,
    noise: float = 0.0,
    turned: int = 0,
    stripes: int = 1,
) -> Path:
    """Writes a PDF of pictures of `source` and returns its path.

    Args:
        source: A PDF file.
        out: Where to write.
        pages: Which pages, from 1; empty: all.
        kept: Pages that stay as they are, with their text.
        dpi: Dots per inch.
        askew: Degrees by which the pages lie turned to the left.
        noise: Standard deviation of the grey of each dot, of 255; with some the paper is grey too.
        turned: Quarter turns to the left.
        stripes: Pictures of a page, one below the other.
    """
    document, made = pypdfium2.PdfDocument(source), pypdfium2.PdfDocument.new()
    for number in pages or range(1, len(document) + 1):
        if number in kept:
            made.import_pages(document, [number - 1])
            continue
        picture = document[number - 1].render(scale=dpi / 72).to_pil().convert("L")
        picture = picture.rotate(askew, Image.Resampling.BICUBIC, fillcolor=255)
        if noise:
            grey = np.asarray(picture, dtype=np.float32) * 0.85 + 25
            grey += np.random.default_rng(number).normal(0, noise, grey.shape)
            picture = Image.fromarray(grey.clip(0, 255).astype(np.uint8))
        width, height = document[number - 1].get_size()
        if turned % 2:
            width, height = height, width
        _put(made, picture.rotate(90 * turned, expand=True), width, height, stripes)
    made.save(out)
    return out


def _put(document: pypdfium2.PdfDocument, picture: Image.Image, width: float, height: float, stripes: int) -> None:
    """Adds a page that the picture fills."""
    page = document.new_page(width, height)
    edges = [round(picture.height * i / stripes) for i in range(stripes + 1)]
    for top, bottom in itertools.pairwise(edges):
        file = io.BytesIO()
        picture.crop((0, top, picture.width, bottom)).save(file, "JPEG", quality=80)
        file.seek(0)
        image = pypdfium2.PdfImage.new(document)
        image.load_jpeg(file, inline=True)
        part = height / picture.height
        image.set_matrix(pypdfium2.PdfMatrix().scale(width, (bottom - top) * part).translate(0, height - bottom * part))
        page.insert_obj(image)
    page.gen_content()
