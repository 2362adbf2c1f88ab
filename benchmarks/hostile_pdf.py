"""Hostile PDF files: real ones, mutated with a seed, and some that are made to hurt. For `hostile.py`."""

from __future__ import annotations

import io
import random
import re
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

_OBJECT = re.compile(rb"(\d+ 0 obj\b)(.*?)(\bendobj)", re.S)
_STREAM = re.compile(rb"stream\r?\n(.*?)\r?\nendstream", re.S)
_NUMBER = re.compile(rb"(?<=[\s\[(/<])-?\d+(?:\.\d+)?(?=[\s\]>/])")
_KIDS = re.compile(rb"/(Kids|Parent|Resources|Contents|Prev|XObject|Annots|First|Next)\s*\[?\s*(\d+) 0 R")
_FONT_KEYS = rb"/FontFile3?2?|/ToUnicode|/Widths|/Encoding|/DescendantFonts|/FirstChar|/BaseFont|/W\b|/Subtype"
_HUGE = (b"2147483648", b"-1", b"-2147483649", b"99999999999999999999", b"1" + b"0" * 300, b"0", b"1e308", b"65536")
_OPERATORS = (
    b"q " * 5000,
    b"BT /F1 1e9 Tf 1e30 1e30 Td (x) Tj ET ",
    b"1e20 0 0 1e20 0 0 cm ",
    b"0 0 0 0 0 0 cm ",
    b"/Fm0 Do /Im0 Do /X0 Do ",
    b"99999999 Tr -1e9 Tc 1e9 Tw ",
    b"[" * 2000,
    b"<< /A " * 500,
    b"BI /W 99999 /H 99999 /BPC 8 /CS /RGB ID \x00\x00 EI ",
    b"\x00\xff\xfe(((((\\",
    b"0 0 m " + b"1e10 1e10 l " * 500 + b"S ",
)

Mutation = Callable[[bytes, random.Random], bytes]


def mutated(sources: list[Path], count: int, seed: int) -> Iterator[tuple[str, bytes]]:
    """`count` names and bytes; the same for the same sources and seed."""
    rng = random.Random(seed)
    plain: dict[Path, bytes] = {}
    for number in range(count):
        path = rng.choice(sources)
        data = path.read_bytes()
        if rng.random() < 0.6:  # without compression, so that what is changed means something
            data = plain.setdefault(path, unpacked(data))
        kinds = rng.sample(_MUTATIONS, rng.choice((1, 1, 2, 3)))
        for kind in kinds:
            data = kind(data, rng)
        yield f"m{number:04}-{'-'.join(kind.__name__ for kind in kinds)}-{path.stem[:24]}.pdf", data


def unpacked(data: bytes) -> bytes:
    """The PDF with plain streams and a plain table of objects."""
    from pypdf import PdfWriter
    from pypdf.generic import DecodedStreamObject, NameObject, StreamObject

    writer = PdfWriter(clone_from=io.BytesIO(data))
    for number, found in enumerate(writer._objects):
        if isinstance(found, StreamObject) and found.get("/Filter") == "/FlateDecode":
            stream = DecodedStreamObject()
            stream.update({k: v for k, v in found.items() if k not in ("/Filter", "/DecodeParms", "/Length")})
            stream.set_data(found.get_data())
            stream[NameObject("/Unpacked")] = NameObject("/Yes")
            writer._objects[number] = stream
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def flips(data: bytes, rng: random.Random) -> bytes:
    """Some bytes are others."""
    out = bytearray(data)
    for _ in range(rng.choice((1, 5, 50, 500))):
        out[rng.randrange(len(out))] = rng.randrange(256)
    return bytes(out)


def truncated(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(1, len(data))]


def holes(data: bytes, rng: random.Random) -> bytes:
    """Blocks of zeros or rubbish, as failing disks leave them."""
    out = bytearray(data)
    for _ in range(rng.randint(1, 5)):
        at, size = rng.randrange(len(out)), rng.choice((16, 512, 4096))
        out[at : at + size] = bytes(size) if rng.random() < 0.5 else rng.randbytes(size)
    return bytes(out)


def spliced(data: bytes, rng: random.Random) -> bytes:
    """The bodies of objects stand in for those of others."""
    return _exchanged(data, rng, _OBJECT, 2, both=False)


def swapped(data: bytes, rng: random.Random) -> bytes:
    """Streams have changed places: a picture where the page's text was."""
    return _exchanged(data, rng, _STREAM, 1, both=True)


def huge(data: bytes, rng: random.Random) -> bytes:
    """Numbers that nothing can have."""
    return _replaced(data, rng, _NUMBER, lambda _: rng.choice(_HUGE))


def loops(data: bytes, rng: random.Random) -> bytes:
    """References lead to other objects, often back to where they came from."""
    numbers = [int(match[1].split()[0]) for match in _OBJECT.finditer(data)] or [1]
    back = _replaced(
        data,
        rng,
        _KIDS,
        lambda match: (
            b"/%s [%d 0 R" % (match[1], rng.choice(numbers))
            if b"[" in match[0]
            else b"/%s %d 0 R" % (match[1], rng.choice(numbers))
        ),
    )
    if rng.random() < 0.3:  # the table of objects is its own predecessor
        back = re.sub(rb"trailer\s*<<", lambda m: m[0] + b" /Prev %d" % max(data.rfind(b"xref"), 0), back)
    return back


def fonts(data: bytes, rng: random.Random) -> bytes:
    """What fonts say of themselves is wrong or gone."""
    keys = re.compile(_FONT_KEYS)
    return _replaced(data, rng, keys, lambda match: rng.choice((b"/Gone", b"/ToUnicode", b"/Widths", match[0] + b"X")))


def contents(data: bytes, rng: random.Random) -> bytes:
    """Pages draw what none would."""

    def other(match: re.Match[bytes]) -> bytes:
        body, at = match[1], rng.randrange(len(match[1]) + 1)
        with_more = body[:at] + rng.choice(_OPERATORS) + body[at:]
        return b"stream\n" + with_more + b"\nendstream"

    return _replaced(data, rng, _STREAM, other)


_MUTATIONS: list[Mutation] = [flips, truncated, holes, spliced, swapped, huge, loops, fonts, contents]


def _replaced(
    data: bytes, rng: random.Random, pattern: re.Pattern[bytes], make: Callable[[re.Match[bytes]], bytes]
) -> bytes:
    found = list(pattern.finditer(data))
    if not found:
        return flips(data, rng)
    chosen = sorted(rng.sample(found, min(len(found), rng.choice((1, 3, 10, 100)))), key=lambda match: match.start())
    parts, at = [], 0
    for match in chosen:
        parts += [data[at : match.start()], make(match)]
        at = match.end()
    return b"".join([*parts, data[at:]])


def _exchanged(data: bytes, rng: random.Random, pattern: re.Pattern[bytes], group: int, *, both: bool) -> bytes:
    found = list(pattern.finditer(data))
    if len(found) < 2:
        return flips(data, rng)
    for _ in range(rng.choice((1, 3, 10))):
        one, two = sorted(rng.sample(found, 2), key=lambda match: match.start())
        (a, b), (c, d) = one.span(group), two.span(group)
        data = data[:a] + data[c:d] + data[b:c] + (data[a:b] if both else data[c:d]) + data[d:]
        found = list(pattern.finditer(data))
        if len(found) < 2:
            break
    return data


# Made to hurt


def document(objects: dict[int, bytes], extra: bytes = b"") -> bytes:
    """A PDF of these objects; 1 is the catalog."""
    out, places = bytearray(b"%PDF-1.7\n"), {}
    for number, body in objects.items():
        places[number] = len(out)
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start, size = len(out), max(objects) + 1
    out += b"xref\n0 %d\n0000000000 65535 f \n" % size
    out += b"".join(b"%010d 00000 %s \n" % (places.get(n, 0), b"n" if n in places else b"f") for n in range(1, size))
    out += b"trailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n" % (size, extra, start)
    return bytes(out)


def stream(body: bytes, head: bytes = b"", *, pack: bool = False) -> bytes:
    """A stream object; `pack` compresses it."""
    if pack:
        body, head = zlib.compress(body, 9), head + b" /Filter /FlateDecode"
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(body), head, body)


_FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
_PAGE = (
    b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> %s >> >>"
)


def one_page(body: bytes, resources: bytes = b"", page: bytes = _PAGE, more: dict[int, bytes] | None = None) -> bytes:
    """A page with this content stream object."""
    base = {1: b"<< /Type /Catalog /Pages 2 0 R >>", 2: b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>"}
    page = page % resources if b"%s" in page else page
    return document({**base, 3: page, 4: body, 5: _FONT, **(more or {})})


def many_pages(count: int) -> bytes:
    """`count` pages with a few sentences each."""
    kids = b" ".join(b"%d 0 R" % (10 + 2 * n) for n in range(count))
    objects = {
        1: b"<< /Type /Catalog /Pages 2 0 R >>",
        2: b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, count),
        5: _FONT,
    }
    for n in range(count):
        text = sentences(n, 12)
        objects[10 + 2 * n] = (
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R "
            b"/Resources << /Font << /F1 5 0 R >> >> >>" % (11 + 2 * n)
        )
        objects[11 + 2 * n] = stream(text)
    return document(objects)


def sentences(seed: int, lines: int, top: int = 780) -> bytes:
    """The operators of some lines of text."""
    rng = random.Random(seed)
    words = b"moss wall stone night warm sensor valley winter lizard measure degree flow heat sky cloud".split()
    shown = (b" ".join(rng.choices(words, k=11)) + b"." for _ in range(lines))
    return b"BT /F1 10 Tf 14 TL 60 %d Td %s ET " % (top, b"".join(b"(%s) Tj T* " % line for line in shown))


def made(large: bool = True) -> Iterator[tuple[str, bytes]]:
    """Files each of which does one thing to whoever reads it; without `large`, only those under 20 MB."""
    text = sentences(1, 40)
    yield "pages-1.pdf", many_pages(1)
    if large:
        yield "pages-5000.pdf", many_pages(5000)
        yield "pages-10000.pdf", many_pages(10_000)
        yield "page-50mb-text.pdf", one_page(stream(text * (50_000_000 // len(text))))
        yield "page-50mb-text-packed.pdf", one_page(stream(text * (50_000_000 // len(text)), pack=True))
        spread = b"".join(sentences(n, 40, 780 + n % 7) for n in range(2000))
        yield "page-5mb-text.pdf", one_page(stream(spread))
        scattered = random.Random(3)
        at = ((scattered.randrange(600), scattered.randrange(840)) for _ in range(1_500_000))
        yield (
            "page-50mb-letters.pdf",
            one_page(
                stream(b"BT /F1 4 Tf " + b"".join(b"1 0 0 1 %d %d Tm (word) Tj " % place for place in at) + b"ET")
            ),
        )
        yield "page-50mb-lines.pdf", one_page(stream(text + b"10 10 m 500 700 l S " * 2_500_000))
        yield (
            "page-50mb-boxes.pdf",
            one_page(stream(text + b"".join(b"%d %d 5 5 re f " % (n % 590, n * 7 % 840) for n in range(3_000_000)))),
        )
        yield "page-1gb-packed-spaces.pdf", one_page(stream(b" " * 2**30, pack=True))
        yield "page-500mb-packed-q.pdf", one_page(stream(b"q " * 2**28, pack=True))
    yield "page-narrow.pdf", one_page(stream(text), page=_PAGE.replace(b"595 842", b"1 1"))
    yield "page-vast.pdf", one_page(stream(text), page=_PAGE.replace(b"595 842", b"1e9 1e9"))
    yield "page-negative.pdf", one_page(stream(text), page=_PAGE.replace(b"595 842", b"-595 -842"))
    yield "page-nan.pdf", one_page(stream(text), page=_PAGE.replace(b"595 842", b"nan inf"))
    yield "page-unit.pdf", one_page(stream(text), page=_PAGE.replace(b"/Type /Page", b"/Type /Page /UserUnit 1e30"))
    yield "page-turned.pdf", one_page(stream(text), page=_PAGE.replace(b"/Type /Page", b"/Type /Page /Rotate 45"))
    for size in (b"1e30", b"0", b"-10", b"1e-30", b"99999999999"):
        yield f"size-{size.decode()}.pdf", one_page(stream(text.replace(b"/F1 10 Tf", b"/F1 %s Tf" % size)))
    yield "one-spot.pdf", one_page(stream(b"BT /F1 10 Tf 60 700 Td " + b"(x) Tj -5 0 Td " * 60_000 + b"ET"))
    yield "one-line.pdf", one_page(stream(b"BT /F1 10 Tf 60 700 Td (" + b"word " * 100_000 + b") Tj ET"))
    yield "many-rows.pdf", one_page(stream(sentences(1, 20_000)))
    yield (
        "many-columns.pdf",
        one_page(
            stream(
                b"".join(
                    b"BT /F1 1 Tf %d %d Td (ab) Tj ET " % (x, y) for x in range(0, 590, 5) for y in range(0, 840, 4)
                )
            )
        ),
    )
    yield "deep-array.pdf", one_page(b"[" * 200_000 + b"]" * 200_000)
    yield "deep-dictionary.pdf", one_page(b"<< /A " * 100_000 + b">>" * 100_000)
    yield "deep-content.pdf", one_page(stream(b"[" * 1_000_000))
    yield "deep-marked.pdf", one_page(stream(b"/P << /A << /B " * 200_000 + text))
    form = b"/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << /XObject << /X 6 0 R >> >>"
    to_form = b"/XObject << /X 6 0 R >>"
    yield "form-in-itself.pdf", one_page(stream(text + b"/X Do "), to_form, more={6: stream(b"/X Do /X Do ", form)})
    tower = {n: stream(b"/X Do " * 10, form.replace(b"6 0 R", b"%d 0 R" % (n + 1))) for n in range(6, 20)} | {
        20: stream(text, form)
    }
    yield "form-tower.pdf", one_page(stream(b"/X Do "), to_form, more=tower)
    yield (
        "form-tower-2.pdf",
        one_page(
            stream(text + b"/X Do "),
            to_form,
            more={n: stream(b"/X Do /X Do ", form.replace(b"6 0 R", b"%d 0 R" % (n + 1))) for n in range(6, 60)}
            | {60: stream(text, form)},
        ),
    )
    picture = b"/Type /XObject /Subtype /Image /Width 60000 /Height 60000 /BitsPerComponent 8 /ColorSpace /DeviceRGB"
    yield (
        "picture-vast.pdf",
        one_page(stream(text + b"/X Do "), to_form, more={6: stream(bytes(10_000_000), picture, pack=True)}),
    )
    yield (
        "picture-claims.pdf",
        one_page(
            stream(text + b"q 500 0 0 500 0 0 cm /X Do Q "),
            to_form,
            more={6: stream(b"x", picture.replace(b"60000", b"2147483647"))},
        ),
    )
    yield (
        "tree-of-itself.pdf",
        document(
            {1: b"<< /Type /Catalog /Pages 2 0 R >>", 2: b"<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 1000000 >>"}
        ),
    )
    levels = {n: b"<< /Type /Pages /Kids [%d 0 R] /Parent %d 0 R /Count 1 >>" % (n + 1, n - 1) for n in range(2, 5000)}
    yield "tree-deep.pdf", document({1: b"<< /Type /Catalog /Pages 2 0 R >>", **levels, 5000: b"<< /Type /Page >>"})
    yield (
        "tree-claims.pdf",
        document(
            {1: b"<< /Type /Catalog /Pages 2 0 R >>", 2: b"<< /Type /Pages /Kids [3 0 R] /Count 4000 >>", 3: b"<< >>"}
        ),
    )
    yield "length-of-itself.pdf", one_page(b"<< /Length 4 0 R >>\nstream\n" + text + b"\nendstream")
    yield (
        "prev-of-itself.pdf",
        document({1: b"<< /Type /Catalog /Pages 2 0 R >>", 2: b"<< /Type /Pages /Kids [] /Count 0 >>"}, b"/Prev 9"),
    )
    cmap = b"1 beginbfrange <0000> <FFFF> <0041> endbfrange " * 2000
    yield (
        "cmap-vast.pdf",
        one_page(stream(text), more={5: _FONT[:-2] + b"/ToUnicode 6 0 R >>", 6: stream(cmap, pack=True)}),
    )
    names = b"1 beginbfchar <41> <" + b"0041" * 100_000 + b"> endbfchar"
    yield (
        "cmap-long.pdf",
        one_page(
            stream(b"BT /F1 10 Tf 60 700 Td (" + b"A" * 3000 + b") Tj ET"),
            more={5: _FONT[:-2] + b"/ToUnicode 6 0 R >>", 6: stream(names)},
        ),
    )
    yield (
        "type3-in-itself.pdf",
        one_page(
            stream(text),
            more={
                5: b"<< /Type /Font /Subtype /Type3 /FontBBox [0 0 1 1] /FontMatrix [1 0 0 1 0 0] /FirstChar 0 "
                b"/LastChar 255 /Encoding << /Differences [97 /a] >> /CharProcs << /a 6 0 R >> /Widths 7 0 R "
                b"/Resources << /Font << /F1 5 0 R >> >> >>",
                6: stream(b"BT /F1 1 Tf (aa) Tj ET"),
                7: b"[" + b"1 " * 256 + b"]",
            },
        ),
    )
    shading = b"/Shading << /S << /ShadingType 2 /ColorSpace /DeviceRGB /Coords [0 0 1e30 1e-30] /Function 6 0 R >> >>"
    yield (
        "shading-odd.pdf",
        one_page(
            stream(text + b"/S sh " * 1000), shading, more={6: b"<< /FunctionType 3 /Functions [6 0 R] /Bounds [] >>"}
        ),
    )
    pattern = b"/Pattern << /P 6 0 R >>"
    yield (
        "pattern-in-itself.pdf",
        one_page(
            stream(text + b"/Pattern cs /P scn 0 0 600 800 re f "),
            pattern,
            more={
                6: stream(
                    b"/Pattern cs /P scn 0 0 600 800 re f ",
                    b"/PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 1 1] /XStep 0.0001 /YStep 0.0001 "
                    b"/Resources << /Pattern << /P 6 0 R >> >>",
                )
            },
        ),
    )
    yield "dashes.pdf", one_page(stream(text + b"[0.00001] 0 d 0 0 m 100000 100000 l S " * 50))
    yield (
        "info-vast.pdf",
        one_page(stream(text)).replace(
            b"/Root 1 0 R",
            b"/Root 1 0 R /Info << /Title (" + b"A" * 5_000_000 + b") /Author (" + b"A, " * 500_000 + b") >>",
        ),
    )
    xmp = b"<x:xmpmeta xmlns:x='adobe:ns:meta/'>" + b"<rdf:li>" * 200_000 + b"</x:xmpmeta>"
    yield "xmp-deep.pdf", one_page(stream(text), more={6: stream(xmp, b"/Type /Metadata /Subtype /XML")})
    yield (
        "encrypted-oddly.pdf",
        one_page(stream(text)).replace(
            b"/Root 1 0 R", b"/Root 1 0 R /Encrypt << /Filter /Standard /V 9 /R 9 /O (x) /U (x) /P -1 >>"
        ),
    )
    yield "header-only.pdf", b"%PDF-1.4\n"
    yield "header-late.pdf", b"\x00" * 900 + one_page(stream(text))
    yield "xref-claims.pdf", one_page(stream(text)).replace(b"/Size 6", b"/Size 2147483647")
