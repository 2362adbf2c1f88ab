"""PDF files written by hand: fonts that name their glyphs, or say nothing of them, and glyphs set one by one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Font:
    """A simple font without a table to Unicode. `names` are its glyphs by code, `widths` in thousandths of its size."""

    base: str
    names: Mapping[int, str] = field(default_factory=dict)
    widths: Mapping[int, int] = field(default_factory=dict)
    flags: int = 4

    def objects(self, number: int) -> list[str]:
        """The font, object `number`, and its descriptor, the next."""
        encoding = " ".join(f"{code} /{name}" for code, name in self.names.items())
        said = f"/Encoding << /Type /Encoding /Differences [{encoding}] >>" if self.names else ""
        widths = " ".join(str(self.widths.get(code, 500)) for code in range(256))
        return [
            f"<< /Type /Font /Subtype /Type1 /BaseFont /{self.base} /FirstChar 0 /LastChar 255 /Widths [{widths}] "
            f"/FontDescriptor {number + 1} 0 R {said} >>",
            f"<< /Type /FontDescriptor /FontName /{self.base} /Flags {self.flags} /FontBBox [0 -250 1000 750] "
            "/ItalicAngle 0 /Ascent 750 /Descent -250 /CapHeight 700 /StemV 80 >>",
        ]


def save(path: Path, content: str, fonts: Mapping[str, Font]) -> Path:
    """One page of A4 with this content stream."""
    found = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "",
        f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
    ]
    places = {}
    for name, font in fonts.items():
        places[name] = len(found) + 1
        found += font.objects(places[name])
    named = " ".join(f"/{name} {at} 0 R" for name, at in places.items())
    found[2] = (
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << {named} >> >> >>"
    )
    written, offsets = bytearray(b"%PDF-1.4\n"), []
    for number, body in enumerate(found, 1):
        offsets.append(len(written))
        written += f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1")
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    start = len(written)
    size = len(found) + 1
    written += f"xref\n0 {size}\n0000000000 65535 f \n{table}".encode()
    written += f"trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n".encode()
    path.write_bytes(written)
    return path
