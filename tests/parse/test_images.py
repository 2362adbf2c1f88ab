"""Pictures of any kind, hostile ones too, read in child processes."""

from __future__ import annotations

import io
import os
import random
import resource
import struct
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import ExifTags, Image

from conspectus.core.errors import ConspectusError, InputError, LimitError, UsageError
from conspectus.parse.process import images
from conspectus.parse.process.images import AREA, READER, decode_picture, image_pages, normalised, read_image, small
from conspectus.parse.process.pool import WORKER, Limits, ParsedBatch, ParsePool, ReadingJob

LIMITS = Limits(seconds=20, memory_mb=600)
VARIANTS = 15
Make = Callable[[Path, random.Random], None]


def drawn(rng: random.Random, mode: str = "RGB", size: tuple[int, int] = (60, 40)) -> Image.Image:
    bands = {"RGB": 3, "RGBA": 4, "CMYK": 4, "LA": 2}.get(mode, 1)
    numbers = np.random.default_rng(rng.randrange(10**6)).integers(0, 255, (size[1], size[0], bands), np.uint8)
    return Image.fromarray(numbers[:, :, 0] if bands == 1 else numbers, "L" if bands == 1 else mode).convert(mode)


def encoded(rng: random.Random, kind: str, mode: str = "RGB") -> bytes:
    held = io.BytesIO()
    drawn(rng, mode).save(held, kind)
    return held.getvalue()


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(width: int, height: int, data: bytes, *more: bytes) -> bytes:
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + b"".join(more) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def vast(path: Path, rng: random.Random) -> None:
    side = 50_000 + rng.randrange(50)
    path.with_suffix(".png").write_bytes(png(side, side, zlib.compress(b"\0" * 10_000)))


def unpacks(path: Path, rng: random.Random) -> None:
    text = chunk(b"zTXt", b"note\0\0" + zlib.compress(b"A" * (80_000_000 + rng.randrange(99)), 9))
    path.with_suffix(".png").write_bytes(png(8, 8, zlib.compress(b"\0" * 72), text))


def exif_bomb(path: Path, rng: random.Random) -> None:
    exif = Image.Exif()
    for number in range(900):
        exif[40_000 + number] = "x" * 50
    exif[ExifTags.Base.ImageDescription] = "A description " * 200 + "\x00\x1b[31m\u202e"
    drawn(rng).save(path.with_suffix(".jpg"), exif=exif)


def fraction(path: Path, _: random.Random) -> None:
    """A 64 bit float image of nothing but NaN and infinity."""
    Image.fromarray(np.array([[np.nan, np.inf], [-np.inf, np.nan]], np.float32)).save(path.with_suffix(".tif"))


def pages(path: Path, rng: random.Random) -> None:
    first, *others = [drawn(rng) for _ in range(3)]
    first.save(path.with_suffix(".tif"), save_all=True, append_images=others)


def animated(path: Path, rng: random.Random) -> None:
    first, *others = [drawn(rng, "L") for _ in range(4)]
    first.save(path.with_suffix(rng.choice([".gif", ".webp"])), save_all=True, append_images=others)


def looped(path: Path, rng: random.Random) -> None:
    """A TIFF whose only page says that the next one is itself."""
    held = io.BytesIO()
    drawn(rng, "L").save(held, "TIFF")
    raw = bytearray(held.getvalue())
    start = struct.unpack("<I", raw[4:8])[0]
    count = struct.unpack("<H", raw[start : start + 2])[0]
    raw[start + 2 + 12 * count : start + 6 + 12 * count] = struct.pack("<I", start)
    path.with_suffix(".tif").write_bytes(raw)


def written(suffix: str, data: Callable[[random.Random], bytes]) -> Make:
    return lambda path, rng: path.with_suffix(suffix).write_bytes(data(rng)) and None


def saved(suffix: str, mode: str, size: tuple[int, int] = (60, 40)) -> Make:
    return lambda path, rng: drawn(rng, mode, size).save(path.with_suffix(suffix))


GOOD: dict[str, Make] = {
    "wrong-suffix": written(".jpg", lambda rng: encoded(rng, "PNG")),
    "cmyk": saved(".jpg", "CMYK"),
    "animated": animated,
    "one-pixel": saved(".png", "L", (1, 1)),
    "palette": saved(".png", "P"),
    "thin": saved(".png", "1", (3000, 1)),
    "exif-bomb": exif_bomb,
    "nan": fraction,
    "pages": pages,
    "looped": looped,
    "sees-through": saved(".png", "LA"),
}
BAD: dict[str, tuple[str, Make]] = {
    "truncated-png": ("truncated", written(".png", lambda rng: encoded(rng, "PNG")[: 400 + rng.randrange(200)])),
    "truncated-jpeg": ("truncated", written(".jpg", lambda rng: encoded(rng, "JPEG")[: 900 + rng.randrange(99)])),
    "empty": ("is empty", lambda path, _: path.with_suffix(".png").touch()),
    "vast": ("more than 100,000,000 pixels", vast),
    "unpacks": ("cannot be read", unpacks),
    "svg": ("SVG", written(".png", lambda _: b"<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>")),
    "script": ("no picture", written(".gif", lambda rng: b"#!/bin/sh\nrm -rf x\n" + rng.randbytes(9))),
    "noise": ("no picture", written(".bmp", lambda rng: rng.randbytes(300))),
    "postscript": (
        "no picture",
        written(".tif", lambda _: b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\nshowpage"),
    ),
}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """300 files: each rule with as many variants."""
    folder, rng = tmp_path_factory.mktemp("hostile"), random.Random(19)
    for name, make in {**GOOD, **{name: make for name, (_, make) in BAD.items()}}.items():
        for number in range(VARIANTS):
            make(folder / f"{name}-{number}", rng)
    return folder


def read_all(folder: Path) -> Iterator[ParsedBatch]:
    with ParsePool(2, LIMITS, (*WORKER, "draws")) as pool:
        yield from pool.run(ReadingJob(str(path), READER) for path in sorted(folder.iterdir()))


def test_of_300_hostile_files_each_costs_only_itself_and_says_why(hostile: Path) -> None:
    """One bad file among a user's 20,000 would else end the run, fill the memory, or vanish without a word."""
    assert len(list(hostile.iterdir())) == 300
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    pages: dict[str, list[int]] = {}
    errors: dict[str, ConspectusError | None] = {}
    for batch in read_all(hostile):
        name = Path(batch.job.path).stem
        for page in batch.images:
            image = decode_picture(page)
            assert image.mode == "RGB" and image.width * image.height <= AREA
            assert all(len(said) <= 300 and said.isprintable() for _, said in page.facts) and len(page.facts) <= 130
            pages.setdefault(name, []).append(page.page)
        if batch.done:
            errors[name] = batch.error
    assert len(errors) == 300
    for name, error in errors.items():
        rule = name.rpartition("-")[0]
        if rule in GOOD:
            assert error is None and pages[name] == ([1, 2, 3] if rule == "pages" else [1]), name
        else:
            assert isinstance(error, InputError) and error.hint and BAD[rule][0] in error.message, (name, error)
            assert name not in pages
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 60_000


def test_what_needs_more_memory_than_there_is_is_told(tmp_path: Path) -> None:
    """A picture of 90 million pixels may be more than the limit allows; it says so, and the next one is read."""
    Image.new("P", (9_990, 9_990)).save(tmp_path / "a.png")
    Image.new("L", (9, 9)).save(tmp_path / "b.png")
    with ParsePool(1, Limits(60, 200), (*WORKER, "draws")) as pool:
        found = {
            Path(batch.job.path).name: batch.error
            for batch in pool.run(ReadingJob(str(tmp_path / name), READER) for name in ("a.png", "b.png"))
            if batch.done
        }
    assert isinstance(found["a.png"], LimitError) and found["b.png"] is None


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    """A FIFO among the files would else hang the run for good."""
    os.mkfifo(tmp_path / "pipe.png")
    with pytest.raises(InputError, match="not a regular file"):
        read_image(tmp_path / "pipe.png", LIMITS)


def test_upright_over_white_and_with_its_tags(tmp_path: Path) -> None:
    """A photograph lies on its side, what lets light through is black, and nothing is known of it, else."""
    exif = Image.Exif()
    exif[ExifTags.Base.Orientation], exif[ExifTags.Base.Model] = 6, "SEM 3000"
    half = Image.fromarray(np.repeat(np.array([[[0, 0, 0], [255, 255, 255]]], np.uint8), 30, 1).repeat(20, 0))
    half.save(tmp_path / "turned.jpg", exif=exif)
    page = read_image(tmp_path / "turned.jpg", LIMITS)
    pixels = np.asarray(decode_picture(page))
    assert (page.width, page.height) == (20, 60) and pixels[5].mean() < 20 < 235 < pixels[-5].mean()
    assert ("Model", "SEM 3000") in page.facts and ("format", "JPEG") in page.facts
    Image.new("RGBA", (4, 4), (0, 0, 0, 0)).save(tmp_path / "clear.png")
    assert np.asarray(decode_picture(read_image(tmp_path / "clear.png", LIMITS))).min() == 255


def test_numbers_of_detectors_become_what_can_be_seen(tmp_path: Path) -> None:
    """Sixteen bits cut to eight would be black: a micrograph uses part of its range, a diffraction image too much."""
    even = np.linspace(20_000, 21_000, 10_000).reshape(100, 100)
    assert abs(float(normalised(even).mean()) - 127.5) < 1 and normalised(even).max() == 255
    rare = np.random.default_rng(1).poisson(20, (100, 100)).astype(float)
    rare[40:50, 40:50] = 60_000
    seen = normalised(rare)
    assert seen[0, 0] < 60 and seen[45, 45] == 255 and len(np.unique(seen)) > 5
    t = np.array([0.0, 0.001, 1.0])
    np.testing.assert_allclose(np.log1p(1000 * t) / np.log(1001), [0, 0.1003, 1], atol=1e-4)
    assert normalised(np.full((3, 3), 7.0)).max() == 0 == normalised(np.full((2, 2), np.nan)).max()
    for kind, suffix in ((np.uint16, "tif"), (np.int32, "tif"), (np.float32, "tif"), (np.uint16, "png")):
        path = tmp_path / f"{np.dtype(kind).name}.{suffix}"
        Image.fromarray(even.astype(kind)).save(path)
        (page,) = image_pages(path)
        assert abs(float(np.asarray(decode_picture(page)).mean()) - 127.5) < 2, path.name


def test_a_smaller_copy_within_a_tiff_is_no_page(tmp_path: Path) -> None:
    """Pyramids of microscopes would else be found as pictures of their own."""
    whole, less = Image.new("L", (80, 80), 90), Image.new("L", (20, 20), 90)
    less.encoderinfo = {"tiffinfo": {254: 1}}
    whole.save(tmp_path / "a.tif", save_all=True, append_images=[less])
    assert [page.page for page in image_pages(tmp_path / "a.tif")] == [1]


def test_no_more_pages_than_the_most(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A film of 100,000 pages would fill the library; what is left out is told."""
    monkeypatch.setattr(images, "MOST_PAGES", 2)
    first, *others = [Image.new("L", (5, 5), tone) for tone in (1, 2, 3)]
    first.save(tmp_path / "a.tif", save_all=True, append_images=others)
    found = list(image_pages(tmp_path / "a.tif"))
    assert [page.page for page in found] == [1, 2] and "first 2 of 3 pages" in found[0].note


def test_a_part_of_a_picture(tmp_path: Path) -> None:
    """What is looked for may be a corner of a figure; one that is not in it is a mistake that is told."""
    Image.new("L", (30, 20), 200).save(tmp_path / "a.png")
    assert decode_picture(read_image(tmp_path / "a.png", LIMITS, (10, 5, 20, 15))).size == (20, 15)
    with pytest.raises(UsageError, match="does not lie in the picture"):
        read_image(tmp_path / "a.png", LIMITS, (11, 5, 20, 15))
    assert small(Image.new("L", (5000, 3000))).width * 3 // 5 == 309
