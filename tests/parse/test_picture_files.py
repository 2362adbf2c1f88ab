"""Pictures of figures that are files, or lie in files: found, decoded in a child, and never from elsewhere."""

from __future__ import annotations

import base64
import io
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from conspectus.core.errors import InputError, LimitError, NotFoundError
from conspectus.parse.markup.pictures import data_name, picture, picture_of
from conspectus.parse.process.drawings import draw
from conspectus.parse.process.pool import Limits
from conspectus.parse.process.wire import Drawing
from conspectus.records import Figure
from conspectus.records.parsed_paper import FIGURE_SCALE

RED = (255, 0, 0)


def written(path: Path, mode: str = "RGB", size: tuple[int, int] = (60, 40), **options: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", size, RED).convert(mode).save(path, **options)
    return path


def found(source: Path, href: str) -> Path | None:
    at = picture_of(source, Figure("f1", "figure", href=href))
    return at[0] if at else None


@pytest.mark.parametrize(
    ("file", "href"),
    [
        ("fig1.png", "fig1.png"),
        ("figures/fig1.jpg", "figures/fig1"),
        ("pone.001.g001.tif", "info:doi/10.1371/pone.001.g001"),
        ("fig1.png", "fig1.eps"),
        ("fig 1.gif", "fig 1.gif"),
    ],
)
def test_a_picture_beside_its_source_is_found_also_with_another_ending(tmp_path: Path, file: str, href: str) -> None:
    path = written(tmp_path / file)
    assert found(tmp_path / "paper.xml", href) == path


def test_nothing_outside_the_sources_folder_is_opened(tmp_path: Path) -> None:
    """A paper from a stranger could show whoever is sent the answer a picture of this machine."""
    outside, source = written(tmp_path / "secret.png"), tmp_path / "papers" / "paper.xml"
    written(source.parent / "own.png")
    (source.parent / "link.png").symlink_to(outside)
    (source.parent / "folder").symlink_to(tmp_path)
    for href in ("../secret.png", str(outside), "file://" + str(outside), "link.png", "folder/secret.png"):
        assert found(source, href) is None, href
    for href in ("https://example.org/own.png", "//example.org/own.png", "own.png\0", "o" * 5000, "http://[x/own.png"):
        assert found(source, href) is None, href
    assert found(source, "own.png") is not None


@pytest.mark.parametrize(
    ("mode", "name"),
    [("RGB", "a.png"), ("CMYK", "a.jpg"), ("P", "a.gif"), ("RGBA", "a.png"), ("RGB", "a.webp"), ("RGB", "a.bmp")],
)
def test_pictures_of_all_kinds_become_rgb(tmp_path: Path, mode: str, name: str) -> None:
    image = draw(written(tmp_path / name, mode), Drawing(1, FIGURE_SCALE, picture=""), Limits())
    assert (image.mode, image.size) == ("RGB", (60, 40))
    assert np.abs(np.asarray(image, int) - RED).max() < 6


def test_sixteen_bits_keep_their_contrast_and_transparency_is_white(tmp_path: Path) -> None:
    deep = np.linspace(1000, 5000, 600).reshape(20, 30).astype("uint16")
    Image.fromarray(deep).save(tmp_path / "deep.tif")
    shown = np.asarray(picture(tmp_path / "deep.tif", "", FIGURE_SCALE))
    assert (shown.min(), shown.max()) == (0, 255)
    Image.new("RGBA", (4, 4), (0, 0, 0, 0)).save(tmp_path / "clear.png")
    assert picture(tmp_path / "clear.png", "", FIGURE_SCALE).getpixel((1, 1)) == (255, 255, 255)


def test_a_smaller_scale_makes_it_smaller_and_none_larger(tmp_path: Path) -> None:
    path = written(tmp_path / "a.jpg", size=(800, 400))
    assert picture(path, "", FIGURE_SCALE / 4).size == (200, 100)
    assert picture(path, "", 20.0).size == (800, 400)


def test_a_photograph_taken_sideways_stands_upright(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    path = written(tmp_path / "a.jpg", size=(80, 40), exif=exif)
    assert picture(path, "", FIGURE_SCALE).size == (40, 80)
    assert picture(path, "", FIGURE_SCALE / 2).size == (20, 40)


def test_pictures_inside_archives(tmp_path: Path) -> None:
    png = written(tmp_path / "fig.png").read_bytes()
    with zipfile.ZipFile(tmp_path / "a.docx", "w") as archive:
        archive.writestr("word/media/image1.png", png)
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz") as packed:
        packed.add(tmp_path / "fig.png", "paper/figs/fig.png")
    for name, href in (("a.docx", "image1.png"), ("a.tar.gz", "fig"), ("a.tar.gz", "paper/figs/fig.png")):
        assert picture(tmp_path / name, href, FIGURE_SCALE).size == (60, 40)
        with pytest.raises(NotFoundError, match="no picture"):
            picture(tmp_path / name, "other.png", FIGURE_SCALE)


def test_a_picture_that_stands_in_a_page_as_data(tmp_path: Path) -> None:
    data = base64.b64encode(written(tmp_path / "fig.png").read_bytes()).decode()
    address = f"data:image/png;base64,{data}"
    page = tmp_path / "page.html"
    page.write_text(f"<html><body><p>Text.</p><figure><img src='{address}'></figure></body></html>")
    at = picture_of(page, Figure("f1", "figure", href=data_name(address)))
    assert at is not None and draw(*at, Limits()).size == (60, 40)
    with pytest.raises(NotFoundError, match="any more"):
        picture(page, data_name("data:image/png;base64,AAAA"), 1.0)


def _bomb(path: Path) -> None:
    """A PNG that says that it has 50,000 × 50,000 pixels."""
    held = io.BytesIO()
    Image.new("L", (1, 1)).save(held, "PNG")
    raw = bytearray(held.getvalue())
    raw[16:24] = (50_000).to_bytes(4, "big") * 2
    import zlib

    raw[29:33] = zlib.crc32(raw[12:29]).to_bytes(4, "big")
    path.write_bytes(raw)


HOSTILE: dict[str, Callable[[Path], object]] = {
    "cut short": lambda path: path.write_bytes(written(path).read_bytes()[:60]),
    "empty": lambda path: path.write_bytes(b""),
    "text": lambda path: path.write_text("no picture at all"),
    "SVG": lambda path: path.write_text("<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>"),
    "EPS": lambda path: path.write_text("%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n(x) run\n"),
    "PDF": lambda path: path.write_text("%PDF-1.4 broken"),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_what_is_no_picture_is_told(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "fig.png"
    HOSTILE[kind](path)
    with pytest.raises(InputError, match=r"'fig\.png' (is|cannot be read as a picture)"):
        draw(path, Drawing(1, FIGURE_SCALE, picture=""), Limits())


def test_a_picture_of_too_many_pixels_is_refused_before_it_is_decoded(tmp_path: Path) -> None:
    _bomb(tmp_path / "fig.png")
    with pytest.raises(LimitError, match="more than 100,000,000 pixels"):
        draw(tmp_path / "fig.png", Drawing(1, FIGURE_SCALE, picture=""), Limits())
