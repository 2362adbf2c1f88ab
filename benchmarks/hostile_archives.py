"""Hostile archives: Word files, e-books, LaTeX sources, packed lists. For `hostile.py`."""

from __future__ import annotations

import gzip
import io
import random
import tarfile
import warnings
import zipfile
import zlib
from collections.abc import Iterator

from articles import SAMPLE
from hostile_texts import SEEDS, laughs, mutate_bytes
from render_docx import docx
from render_epub import epub
from render_tex import archive, document

DOCX, EPUB = docx(SAMPLE), epub(SAMPLE)
TEX = document(SAMPLE).encode()


def mutated(count: int, seed: int) -> Iterator[tuple[str, bytes]]:
    """`count` archives of all kinds; the same for the same seed."""
    rng = random.Random(seed)
    tarball = archive({"main.tex": TEX, "refs.bib": SEEDS[".bib"].encode(), "fig/a.tex": b"\\section{A}"})
    kinds = [(".docx", DOCX), (".epub", EPUB), (".tar.gz", tarball), (".tar", gzip.decompress(tarball))]
    for number in range(count):
        name, data = kinds[number % len(kinds)]
        if name in (".docx", ".epub") and rng.random() < 0.75:
            data = inside_changed(data, rng)
        elif name == ".tar.gz" and rng.random() < 0.75:
            data = gzip.compress(mutate_bytes(gzip.decompress(data), rng))
        else:
            data = mutate_bytes(data, rng)
        yield f"a{number:04}{name}", data


def inside_changed(data: bytes, rng: random.Random) -> bytes:
    """The archive with one of its parts changed, or gone."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {info.filename: archive.read(info) for info in archive.infolist()}
    for name in rng.sample(sorted(parts), rng.choice((1, 1, 2))):
        if rng.random() < 0.1:
            del parts[name]
        else:
            parts[name] = mutate_bytes(parts[name], rng)
    return zipped(parts)


def zipped(parts: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return out.getvalue()


def parts_of(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {info.filename: archive.read(info) for info in archive.infolist()}


def made(large: bool = True) -> Iterator[tuple[str, bytes]]:
    """Archives each of which does one thing to whoever opens it."""
    size = 400_000_000 if large else 20_000_000
    for suffix, whole, part in ((".docx", DOCX, "word/document.xml"), (".epub", EPUB, _chapter())):
        yield from zips(suffix, whole, part, size)
    yield from tars(size)
    yield from packed(size)


def _chapter() -> str:
    return next(name for name in parts_of(EPUB) if name.endswith("html") and "nav" not in name)


def zips(suffix: str, whole: bytes, part: str, size: int) -> Iterator[tuple[str, bytes]]:
    """Zip archives in the place of a Word file or an e-book."""
    parts = parts_of(whole)
    yield f"bomb{suffix}", zipped({**parts, part: b" " * size})
    yield f"bomb-beside{suffix}", zipped({**parts, "x.xml": bytes(size)})
    text = parts[part]
    at = text.find(b"</w:p>") if suffix == ".docx" else text.find(b"</p>")
    yield f"bomb-within{suffix}", zipped({**parts, part: text[:at] + b" " * size + text[at:]})
    for piece, name in ((b"<w:p>" if suffix == ".docx" else b"<div>", "deep"), (b"<x/>", "wide")):
        yield f"{name}{suffix}", zipped({**parts, part: text[:at] + piece * (size // 1000) + text[at:]})
    words = b"word. Word " * (size // 100)
    yield f"long{suffix}", zipped({**parts, part: text[:at].rpartition(b">")[0] + b">" + words + text[at:]})
    root = "w:document" if suffix == ".docx" else "html"
    yield (
        f"laughs{suffix}",
        zipped({**parts, part: laughs(root).encode() + text.partition(b"?>")[2][:at] + b"&l11;" + text[at:]}),
    )
    yield f"nested{suffix}", zipped({**parts, part: whole, "x.zip": zipped({"y.zip": whole})})
    names = ("../../../../tmp/x", "/etc/passwd", "C:\\x", "a/../../b", "x" * 60_000, "\u202exml", "a\x00b", "")
    yield f"names{suffix}", _with_odd_names(parts, names)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield f"twice{suffix}", _with_odd_names(parts, [part, part, "[Content_Types].xml"])
    yield f"many{suffix}", zipped({**parts, **{f"x{n}": b"" for n in range(70_000 if size > 10**8 else 25_000)}})
    yield f"link{suffix}", _with_link(parts, part)
    for name, change in {"crc": _wrong_crc, "sizes": _claims, "small": _claims_small, "method": _method}.items():
        yield f"{name}{suffix}", change(whole)
    yield f"locked{suffix}", bytes(_flagged(whole))
    yield f"cut{suffix}", whole[: len(whole) // 2]
    yield f"empty{suffix}", b""
    yield f"no-parts{suffix}", zipped({})
    yield f"overlap{suffix}", _overlapping(parts, part)


def _with_odd_names(parts: dict[str, bytes], names: list[str] | tuple[str, ...]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in [*parts.items(), *((name, b"x") for name in names)]:
            info = zipfile.ZipInfo("placeholder")
            info.filename = name
            archive.writestr(info, data)
    return out.getvalue()


def _with_link(parts: dict[str, bytes], part: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in parts.items():
            info = zipfile.ZipInfo(name)
            if name == part:
                info.create_system, info.external_attr = 3, 0o120777 << 16
            archive.writestr(info, b"/etc/passwd" if name == part else data)
    return out.getvalue()


def _directory(data: bytes) -> Iterator[int]:
    at = data.find(b"PK\x01\x02")
    while at >= 0:
        yield at
        at = data.find(b"PK\x01\x02", at + 4)


def _patched(data: bytes, offset: int, new: bytes) -> bytes:
    out = bytearray(data)
    for at in _directory(data):
        out[at + offset : at + offset + len(new)] = new
    return bytes(out)


def _wrong_crc(data: bytes) -> bytes:
    return _patched(data, 16, b"\x01\x02\x03\x04")


def _claims(data: bytes) -> bytes:
    return _patched(data, 24, b"\xfe\xff\xff\xff")


def _claims_small(data: bytes) -> bytes:
    return _patched(data, 24, b"\x01\x00\x00\x00")


def _method(data: bytes) -> bytes:
    return _patched(data, 10, b"\x63\x00")


def _flagged(data: bytes) -> bytes:
    return _patched(data, 8, b"\x01\x00")


def _overlapping(parts: dict[str, bytes], part: str) -> bytes:
    """All names lead to the same packed data."""
    data = zipped({part: b" " * 20_000_000, **{f"x{n}": b"" for n in range(2000)}, **parts})
    first = next(_directory(data))
    out = bytearray(data)
    for at in list(_directory(data))[1:]:
        out[at + 16 : at + 28] = data[first + 16 : first + 28]
        out[at + 42 : at + 46] = data[first + 42 : first + 46]
    return bytes(out)


def tars(size: int) -> Iterator[tuple[str, bytes]]:
    """Tar archives in the place of LaTeX sources."""
    yield "bomb.tar.gz", archive({"main.tex": TEX, "x.tex": b" " * size})
    yield "bomb-main.tar.gz", archive({"main.tex": TEX + b" " * size})
    yield "many.tar.gz", archive({"main.tex": TEX, **{f"x{n}.tex": b"x" for n in range(25_000)}})
    yield (
        "large-many.tar.gz",
        archive({"main.tex": TEX, **{f"x{n}.tex": b"\\section{x} " * 800_000 for n in range(size // 10_000_000)}}),
    )
    inputs = b"".join(b"\\input{x%d}" % n for n in range(400))
    yield (
        "inputs.tar.gz",
        archive(
            {
                "main.tex": TEX.replace(b"\\begin{document}", b"\\begin{document}" + inputs),
                **{f"x{n}.tex": b"Word. " * 50_000 for n in range(400)},
            }
        ),
    )
    yield (
        "inputs-loop.tar.gz",
        archive(
            {
                "main.tex": TEX.replace(b"\\begin{document}", b"\\begin{document}\\input{x}\\input{x}"),
                "x.tex": b"\\input{y}\\input{y}",
                "y.tex": b"\\input{x}\\input{x}",
            }
        ),
    )
    kinds = {
        "symlink": tarfile.SYMTYPE,
        "hardlink": tarfile.LNKTYPE,
        "device": tarfile.CHRTYPE,
        "block": tarfile.BLKTYPE,
        "fifo": tarfile.FIFOTYPE,
        "folder": tarfile.DIRTYPE,
        "sparse": tarfile.GNUTYPE_SPARSE,
        "odd": b"Q",
    }
    for name, kind in kinds.items():
        for target in ("main.tex", "x.tex"):
            yield (
                f"{name}-{target[0]}.tar.gz",
                _tar([(target, kind, "/etc/passwd", b""), ("main.tex", tarfile.REGTYPE, "", TEX)]),
            )
            yield f"{name}-{target[0]}-alone.tar", gzip.decompress(_tar([(target, kind, "/dev/zero", b"")]))
    yield "loop.tar.gz", _tar([("a.tex", tarfile.SYMTYPE, "b.tex", b""), ("b.tex", tarfile.SYMTYPE, "a.tex", b"")])
    for number, name in enumerate(
        (
            "../../x.tex",
            "/etc/x.tex",
            "a/../../x.tex",
            "x" * 5000 + ".tex",
            "C:\\x.tex",
            "a\nb.tex",
            "\udcff.tex",
            ".tex",
        )
    ):
        yield f"name-{number}.tar.gz", _tar([(name, tarfile.REGTYPE, "", TEX), ("refs.bib", tarfile.REGTYPE, "", b"x")])
    plain = gzip.decompress(_tar([("main.tex", tarfile.REGTYPE, "", TEX)]))
    yield "size-claims.tar", _resized(plain, b"77777777777\x00")
    yield "size-huge.tar", _resized(plain, b"\x80" + b"\xff" * 11)
    yield "size-negative.tar", _resized(plain, b"\xff" * 12)
    yield "cut.tar", plain[:700]
    yield "long-name.tar", _tar_long_name(b"77777777777\x00")
    yield "pax.tar.gz", _pax({"size": "999999999999"})
    yield "pax-path.tar.gz", _pax({"path": "../" * 5000 + "x.tex"})
    yield "pax-many.tar.gz", _pax({f"k{n}": "v" * 1000 for n in range(5000)})
    yield "nested.tar.gz", archive({"main.tex": TEX, "x.tar.gz": archive({"y.tex": TEX})})


def _tar(members: list[tuple[str, bytes, str, bytes]]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz", format=tarfile.GNU_FORMAT) as tar:
        for name, kind, link, data in members:
            info = tarfile.TarInfo(name)
            info.type, info.linkname, info.size = kind, link, len(data)
            tar.addfile(info, io.BytesIO(data))
    return out.getvalue()


def _resized(tar: bytes, size: bytes) -> bytes:
    head = bytearray(tar[:512])
    head[124:136] = size
    head[148:156] = b" " * 8
    head[148:156] = b"%06o\x00 " % sum(head)
    return bytes(head) + tar[512:]


def _tar_long_name(size: bytes) -> bytes:
    info = tarfile.TarInfo("././@LongLink")
    info.type = tarfile.GNUTYPE_LONGNAME
    return _resized(info.tobuf(tarfile.GNU_FORMAT), size) + b"main.tex" + bytes(2000)


def _pax(headers: dict[str, str]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz", format=tarfile.PAX_FORMAT) as tar:
        info = tarfile.TarInfo("main.tex")
        info.size, info.pax_headers = len(TEX), headers
        tar.addfile(info, io.BytesIO(TEX))
    return out.getvalue()


def packed(size: int) -> Iterator[tuple[str, bytes]]:
    """Files that are gzipped."""
    for suffix in (".bib", ".ris", ".nbib", ".json", ".jsonl", ".csv", ".jats.xml", ".pubmed.xml", ".tex"):
        head = SEEDS[suffix].encode()
        yield f"bomb{suffix}.gz", gzip.compress(head + b" " * size)
        yield f"bomb-words{suffix}.gz", gzip.compress(head + b"word. Word " * (size // 11))
        yield f"bomb-records{suffix}.gz", gzip.compress(head * (size // 40 // len(head)))
        yield f"cut{suffix}.gz", gzip.compress(head * 50)[:-9]
        yield f"rubbish{suffix}.gz", b"\x1f\x8b\x08\x00" + bytes(range(256))
        yield f"not-packed{suffix}.gz", head
        yield f"members{suffix}.gz", gzip.compress(head) * 2000
        yield f"twice{suffix}.gz", gzip.compress(gzip.compress(head))
    yield "raw.json.gz", zlib.compress(b"[]")
