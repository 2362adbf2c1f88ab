"""What comes in from files is within the bounds, and nothing in it lies."""

from __future__ import annotations

import random
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from conspectus.core.bounds import BOUNDS
from conspectus.core.text import cleaned
from conspectus.parse.process.pool import Limits, ParsedBatch, ParsePool, ReadingJob
from conspectus.parse.process.sanitizer import sanitize
from conspectus.parse.text.passages import passages
from conspectus.records import Author, Block, Figure, Mark, Metadata, ParsedPaper, Place, Reference, Sentence

LIES = ("\x00", "\x1b[31m", "\x9b", "\u202e", "\u2066", "\u200b", "\u00ad", "\ufeff", "\U000e0041", "\ud800", "\u2028")


def paper_with(text: str) -> ParsedPaper:
    """A paper with `text` in every field that holds text."""
    author = Author(text, text, text, text, (text,))
    said = {field.name: text for field in fields(Metadata) if field.type == "str"}
    metadata = Metadata(
        **said, authors=(author,), keywords=(text,), references=(text,), extra={text: [text, {text: 1}]}
    )
    block = Block("paragraph", text, (Sentence(0, len(text)),), 0, text, (Mark(0, len(text), "reference", ("b1",)),))
    reference = Reference("b1", text, text, text, (author,), None, text, text, text, text, text, text, text)
    figure = Figure("f1", "figure", text, 0, None, text, ((text,),))
    return ParsedPaper(metadata, (block,), 0, (text,), (reference,), (figure,), (text,))


@pytest.mark.parametrize("lie", LIES, ids=ascii)
def test_no_field_keeps_a_character_that_lies(lie: str) -> None:
    """Lost otherwise: trust in what is read: a title turned round, an instruction that only a model sees."""
    found = sanitize(paper_with(f"Mos{lie}s of the {lie}North{lie}"))
    said = msgspec.json.encode(found).decode()
    assert cleaned(said) == said
    assert "Mos" in said
    (block,) = found.blocks
    assert [block.text[one.start : one.end] for one in block.sentences] == [block.text.strip()]


def test_sentences_and_marks_keep_their_words_when_characters_go() -> None:
    """Lost otherwise: the quote: words beside those that were meant."""
    rng = random.Random(4)
    for _ in range(300):
        words = [
            "".join(rng.choice(("a", "é", "中", *LIES)) for _ in range(rng.randint(1, 6))) + "k" for _ in range(12)
        ]
        text = " ".join(words)
        at = [0]
        for word in words:
            at.append(at[-1] + len(word) + 1)
        spans = tuple(Sentence(at[n], at[n + 3] - 1) for n in range(0, 12, 3))
        mark = Mark(at[4], at[5] - 1, "reference", ("b1",))
        (block,) = sanitize(ParsedPaper(Metadata(title="T"), (Block("paragraph", text, spans, 0, "", (mark,)),))).blocks
        assert [block.text[one.start : one.end] for one in block.sentences] == [
            cleaned(text[one.start : one.end]).strip() for one in spans
        ]
        (left,) = block.marks
        assert block.text[left.start : left.end].strip() == cleaned(words[4]).strip()


@pytest.mark.parametrize(
    "text",
    ["می‌خواهم کتاب‌ها را بخوانم", "क्‍ष और श्री", "👩‍🔬 ❤️", "עברית ואנגלית", "العربية", "葛󠄀城市", "é ệ ọ̣"],
)
def test_scripts_that_need_joiners_and_direction_survive(text: str) -> None:
    """Lost otherwise: words in Persian, Hindi, Hebrew, Arabic, and names in Japanese."""
    assert cleaned(text) == text


def test_all_that_is_too_much_is_cut_and_told() -> None:
    """Lost otherwise: memory, to one file; or words, without anybody being told."""
    long = "word " * 2_000_000
    author = Author(long)
    metadata = Metadata(
        title=long,
        abstract=long,
        venue=long,
        authors=(author,) * (BOUNDS.authors.most + 5),
        keywords=("k",) * (BOUNDS.keywords.most + 1),
        references=("r",) * (BOUNDS.references.most + 1),
        extra={"a": long, "b": 1},
    )
    blocks = tuple(Block("paragraph", long, (Sentence(0, len(long) - 1, (Place(1, (0, 0, 1, 1)),)),)) for _ in range(3))
    references = (Reference("b1", long, title=long),) * 9
    found = sanitize(ParsedPaper(metadata, blocks, references=references, warnings=("w",) * 90))
    said = found.metadata
    assert (len(said.title), len(said.abstract), len(said.venue)) == (2_000, 50_000, 2_000)
    assert (len(said.authors), len(said.keywords), len(said.references)) == (10_000, 1_000, 20_000)
    assert said.extra == {"b": 1}
    assert len(found.warnings) == BOUNDS.warnings.most
    told = "\n".join(found.warnings)
    for what in ("field title", "field abstract", "field venue", "authors", "keywords", "references", "unknown fields"):
        assert what in told
    assert "characters above 6,000,000" in told
    assert 5_900_000 < sum(len(block.text) for block in found.blocks) <= BOUNDS.text.most
    assert len(msgspec.msgpack.encode(found)) < BOUNDS.report.most


def test_a_long_block_loses_nothing_and_stays_within_the_bounds() -> None:
    """Lost otherwise: words of a paragraph that has no end; or exact places of what is quoted from it."""
    text = "word and " * 100_000
    block = Block("paragraph", text, (Sentence(0, len(text) - 1, (Place(3, (0, 0, 1, 1)),)),))
    figure = Figure("f1", "figure", "Figure 1", 2)
    caption = Block("caption", "Figure 1. Moss.", (Sentence(0, 15),))
    heading = Block("heading", "Head " * 300, (Sentence(0, 1499),), 1)
    found = sanitize(ParsedPaper(Metadata(title="T"), (block, heading, caption), figures=(figure,)))
    assert "".join(one.text.replace(" ", "") for one in found.blocks if one.kind == "paragraph") == (
        text + heading.text
    ).replace(" ", "")
    assert all(len(one.text) <= BOUNDS.block.most for one in found.blocks)
    assert found.figures[0].caption is not None
    assert found.blocks[found.figures[0].caption].text == caption.text
    assert any("in pieces" in note for note in found.warnings)
    for passage in passages("p", found):
        assert len(passage.text) <= BOUNDS.sentence.most
        assert all(span.text == passage.text[span.start : span.end] for span in passage.spans)


def test_a_paper_within_the_bounds_stays_what_it_is() -> None:
    """Lost otherwise: anything at all of an ordinary paper."""
    paper = paper_with("Moss grows to the north, as is known.")
    assert sanitize(paper) == paper


def test_a_report_above_the_bound_is_refused_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lost otherwise: the parent's memory, to a child that was taken over."""
    import io

    from conspectus.parse.process import wire

    class Unread(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            assert size == 4, "nothing of it is read"
            return super().read(size)

    with pytest.raises(ValueError, match="too large"):
        wire.receive(Unread((BOUNDS.report.most + 1).to_bytes(4, "big") + b"x"), wire.Report)
    small = replace(BOUNDS, report=replace(BOUNDS.report, most=10))
    monkeypatch.setattr(wire, "BOUNDS", small)
    with pytest.raises(OverflowError):
        wire.send(io.BytesIO(), wire.Report(error=("InputError", "m" * 20, "")))


def test_what_was_cut_comes_from_the_child_with_the_paper(tmp_path: Path) -> None:
    """Lost otherwise: the notes in the ledger."""
    file = tmp_path / "a.md"
    file.write_text("# Title\n\n" + "word " * 40_000 + "\u202e\n\n" + "Text that goes on here. " * 5, "utf-8")
    batches: list[ParsedBatch] = []
    with ParsePool(1, Limits()) as pool:
        batches += pool.run([ReadingJob(str(file), "markdown")])
    (paper,) = [item for batch in batches for item in batch.items]
    assert isinstance(paper, ParsedPaper)
    assert any("in pieces" in note for note in paper.warnings)
    said: Any = msgspec.to_builtins(paper.blocks)
    assert "\u202e" not in str(said)
    assert max(one.end - one.start for block in paper.blocks for one in block.sentences) <= BOUNDS.sentence.most
