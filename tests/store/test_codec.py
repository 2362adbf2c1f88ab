"""What older versions have written is read as it was meant."""

from __future__ import annotations

import zlib

import msgspec

from conspectus.records import Block, Metadata, ParsedPaper, Place, Sentence, Span
from conspectus.store.codec import pack_parsed, pack_spans, unpack_parsed, unpack_spans

TEXT = "Moons are warm."
PLACE = Place(1, (0.0, 1.0, 2.0, 3.0))


def test_recognised_spans_stay_recognised() -> None:
    """Without this a guess would become print on its way through the catalog."""
    spans = (Span("p.s1", 0, 15, TEXT, (PLACE,), recognised=True), Span("p.s2", 0, 5, TEXT[:5]))
    assert unpack_spans(pack_spans(spans), TEXT, "p") == spans


def test_papers_from_before_there_was_ocr() -> None:
    """Without this merging a new file with an old one would fail."""
    paper = ParsedPaper(Metadata(title="Moons"), (Block("paragraph", TEXT, (Sentence(0, 15, (PLACE,)),)),))
    tree = msgspec.to_builtins(paper)
    for block in tree["blocks"]:
        for sentence in block["sentences"]:
            del sentence["recognised"]
    assert unpack_parsed(zlib.compress(msgspec.msgpack.encode(tree))) == paper
    assert unpack_parsed(pack_parsed(paper)) == paper
