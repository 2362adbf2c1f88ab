"""What every reader must do: its tests inherit `ReaderConformance` and give the fixtures `reader` and `sample`."""

from __future__ import annotations

import random
from pathlib import Path

import msgspec
import pytest

from conspectus.core.errors import InputError
from conspectus.parse.protocol import BadRecord, Reader, Working
from conspectus.parse.registry import get_reader
from conspectus.parse.text.passages import passages
from conspectus.records import ParsedPaper


def papers_in(reader: Reader, path: Path) -> list[ParsedPaper]:
    """The papers that a reader finds in a file."""
    return [item for item in reader.read(path) if isinstance(item, ParsedPaper)]


class ReaderConformance:
    """The tests. `reader` is one, `sample` a file that it reads."""

    def test_it_says_what_it_is(self, reader: Reader) -> None:
        """Else the ledger cannot tell what a file was read by, or when it has to be read anew."""
        assert reader.name and reader.name == reader.name.strip() and "/" not in reader.name
        assert reader.version >= 1
        assert reader.suffixes or reader.signatures
        assert all(suffix == suffix.lower() and suffix.startswith(".") for suffix in reader.suffixes)

    def test_it_is_found_by_its_name(self, reader: Reader) -> None:
        """Else a child process that is told the name cannot read: is its entry point there?"""
        assert type(get_reader(reader.name)).__name__ == type(reader).__name__

    def test_the_sample_is_read(self, reader: Reader, sample: Path) -> None:
        """Else nothing comes of its files."""
        papers = papers_in(reader, sample)
        assert papers and (len(papers) == 1 or not reader.one_paper)
        assert any(paper.metadata.title or paper.blocks for paper in papers)

    def test_it_reads_the_same_again(self, reader: Reader, sample: Path) -> None:
        """Else papers change at each `add`, and what was made of them is made anew."""
        assert papers_in(reader, sample) == papers_in(reader, sample)

    def test_sentences_cover_their_blocks(self, reader: Reader, sample: Path) -> None:
        """Else words of a paper are lost, or stand in two sentences."""
        for block in (block for paper in papers_in(reader, sample) for block in paper.blocks):
            end = 0
            for sentence in block.sentences:
                assert end <= sentence.start < sentence.end <= len(block.text)
                assert not block.text[end : sentence.start].strip()
                end = sentence.end
            assert not block.text[end:].strip()

    def test_it_can_be_cut_into_passages_and_stored(self, reader: Reader, sample: Path) -> None:
        """Else `add` fails after the reading."""
        for paper in papers_in(reader, sample):
            assert msgspec.msgpack.decode(msgspec.msgpack.encode(paper), type=ParsedPaper) == paper
            list(passages("paper", paper, chars=1400, overlap=280))

    @pytest.mark.parametrize("seed", range(12))
    def test_a_damaged_file_is_an_input_error(self, reader: Reader, sample: Path, tmp_path: Path, seed: int) -> None:
        """Else one bad file ends in a traceback; `BadRecord`, and whatever can still be read, are fine, too."""
        draw, data = random.Random(seed), bytearray(sample.read_bytes())
        if seed == 0:
            data.clear()
        elif seed % 2:
            del data[draw.randrange(len(data)) :]
        else:
            for _ in range(20):
                data[draw.randrange(len(data))] = draw.randrange(256)
        path = tmp_path / f"damaged{sample.suffix}"
        path.write_bytes(data)
        try:
            assert all(isinstance(item, ParsedPaper | BadRecord | Working) for item in reader.read(path))
        except InputError as error:
            assert error.message
