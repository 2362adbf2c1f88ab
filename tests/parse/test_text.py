"""Markdown and plain text: notes and exports of other tools, read as papers."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.core.errors import EmptyTextError, InputError, LimitError
from conspectus.parse.markup.markdown import build_markdown, front_matter, read_markdown, read_plain
from conspectus.records import Block, ParsedPaper

PAPER = """---
title: "On cats: a study"
authors: [Ann Lee, "Roe, Bo"]
year: 2019
keywords: cats; sleep
doi: https://doi.org/10.1000/CATS
color: grey
---
# On cats: a study

## Abstract

Cats **sleep**. They [dream](https://example.org) of *mice*.

## 1. Methods

We watched
twelve cats.[^1] See `cat.py`.

![Fig. 1. A cat asleep.](cat.png)

```python
print("not. for. reading.")
```

<!-- a comment. -->

### 1.1 Cats

- Tom, a tabby.
- Felix.

| cat | hours |
| --- | --- |
| Tom | 14. |

[^1]: None was harmed.

## References

1. Lee A. Dogs. 2001.
2. Roe B. Mice. 2002.
"""


def markdown(tmp_path: Path, text: str) -> ParsedPaper:
    path = tmp_path / "paper.md"
    path.write_text(text, encoding="utf-8")
    return read_markdown(path)


def plain(tmp_path: Path, data: bytes) -> ParsedPaper:
    path = tmp_path / "paper.txt"
    path.write_bytes(data)
    return read_plain(path)


def shape(blocks: tuple[Block, ...] | list[Block]) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in blocks]


def sentences(block: Block) -> list[str]:
    return [block.text[s.start : s.end] for s in block.sentences]


def test_front_matter_is_metadata(tmp_path: Path) -> None:
    """Lost otherwise: who wrote it and when; the paper could not be cited."""
    metadata = markdown(tmp_path, PAPER).metadata
    assert metadata.title == "On cats: a study"
    assert [author.name for author in metadata.authors] == ["Ann Lee", "Bo Roe"]
    assert (metadata.year, metadata.keywords, metadata.doi) == (2019, ("cats", "sleep"), "10.1000/cats")
    assert metadata.extra == {"color": "grey"}


def test_markdown_becomes_clean_reading_text(tmp_path: Path) -> None:
    """Lost otherwise: quotations without asterisks in them, and sections to find one's way by."""
    paper = markdown(tmp_path, PAPER)
    assert shape(paper.blocks) == [
        ("heading", "Abstract"),
        ("abstract", "Cats sleep. They dream of mice."),
        ("heading", "1. Methods"),
        ("paragraph", "We watched twelve cats. See cat.py."),
        ("caption", "Fig. 1. A cat asleep."),
        ("code", 'print("not. for. reading.")'),
        ("heading", "1.1 Cats"),
        ("paragraph", "Tom, a tabby."),
        ("paragraph", "Felix."),
        ("paragraph", "cat | hours\nTom | 14."),
        ("footnote", "None was harmed."),
        ("heading", "References"),
        ("reference", "Lee A. Dogs. 2001."),
        ("reference", "Roe B. Mice. 2002."),
    ]
    assert [block.level for block in paper.blocks if block.kind == "heading"] == [1, 1, 2, 1]
    assert paper.metadata.abstract == "Cats sleep. They dream of mice."
    assert paper.metadata.references == ("Lee A. Dogs. 2001.", "Roe B. Mice. 2002.")
    assert sentences(paper.blocks[9]) == ["cat | hours", "Tom | 14."]
    assert paper.has_full_text


def test_the_first_heading_is_the_title(tmp_path: Path) -> None:
    """Lost otherwise: the title of every note without front matter."""
    paper = markdown(tmp_path, "# All *about* cats\n\nThey sleep.\n")
    assert paper.metadata.title == "All about cats"
    assert shape(paper.blocks) == [("paragraph", "They sleep.")]
    assert markdown(tmp_path, "# Introduction\n\nThey sleep.\n").metadata.title == ""


def test_a_labelled_paragraph_is_the_abstract(tmp_path: Path) -> None:
    """Lost otherwise: the abstract where it has no heading of its own."""
    assert markdown(tmp_path, "**Abstract.** Cats sleep.\n").metadata.abstract == "Cats sleep."


def test_references_on_lines_of_one_paragraph_are_apart() -> None:
    """Lost otherwise: a reference list as one endless reference."""
    blocks = build_markdown("# References\n[1] Lee A. Dogs,\n2001.\n[2] Roe B. Mice.\n").blocks
    assert shape(blocks[1:]) == [("reference", "[1] Lee A. Dogs, 2001."), ("reference", "[2] Roe B. Mice.")]


def test_html_leaves_its_words() -> None:
    """Lost otherwise: text between tags, or else tags and scripts in quotations."""
    text = "<div>Cats <b>sleep</b>.</div>\n\n<script>\nlet x.\n</script>\n\nDo<br>dogs H<sub>2</sub>O &amp; 5 < 6?\n"
    assert shape(build_markdown(text).blocks) == [("paragraph", "Cats sleep ."), ("paragraph", "Do dogs H2O & 5 < 6?")]


def test_bad_front_matter_names_the_field(tmp_path: Path) -> None:
    """Lost otherwise: half an hour, looking for what is wrong."""
    with pytest.raises(InputError, match=r"'paper.md'.*'title'"):
        markdown(tmp_path, "---\ntitle:\n- a\n- b\n---\nText.")


def test_front_matter_lists_and_no_front_matter() -> None:
    """Lost otherwise: authors listed line by line, or the first rule of a text without front matter."""
    assert front_matter("---\nauthors:\n  - Ann\n  - 'Bo'\nyear: 1999\n---\nx")[0] == {
        "authors": ["Ann", "Bo"],
        "year": "1999",
    }
    assert front_matter("Text\n---\na: b\n---\n") == ({}, "Text\n---\na: b\n---\n")


def test_plain_text_has_a_title_paragraphs_and_sections(tmp_path: Path) -> None:
    """Lost otherwise: what a text file is about, and where its abstract ends."""
    paper = plain(
        tmp_path,
        b"On cats\r\n\r\nABSTRACT\r\n\r\nCats\r\nsleep.\r\n\r\n"
        b"1. Introduction\r\n\r\nThey do.\r\n\r\nReferences\r\n\r\nLee A. Dogs.\r\n",
    )
    assert paper.metadata.title == "On cats"
    assert shape(paper.blocks) == [
        ("heading", "ABSTRACT"),
        ("abstract", "Cats sleep."),
        ("heading", "1. Introduction"),
        ("paragraph", "They do."),
        ("heading", "References"),
        ("reference", "Lee A. Dogs."),
    ]


def test_a_long_first_paragraph_is_no_title(tmp_path: Path) -> None:
    """Lost otherwise: the first paragraph, which could not be quoted as a title."""
    assert plain(tmp_path, b"Cats sleep.\n\nThey do.").metadata.title == ""
    assert plain(tmp_path, b"Cats\nsleep\n\nThey do.").metadata.title == ""
    assert plain(tmp_path, b"Only this").metadata.title == ""


@pytest.mark.parametrize(
    "data",
    ["é".encode(), codecs.BOM_UTF8 + "é".encode(), "é".encode("utf-16"), codecs.BOM_UTF16_BE + "é".encode("utf-16-be")],
)
def test_unicode_is_read_whatever_its_form(tmp_path: Path, data: bytes) -> None:
    """Lost otherwise: every letter with an accent."""
    paper = plain(tmp_path, data)
    assert shape(paper.blocks) == [("paragraph", "é")]
    assert paper.warnings == ()


def test_a_guessed_encoding_is_said(tmp_path: Path) -> None:
    """Lost otherwise: why letters look wrong."""
    paper = plain(tmp_path, "Café “au lait”.".encode("cp1252"))
    assert paper.blocks[0].text == "Café “au lait”."
    assert "Windows-1252" in paper.warnings[0]


def test_what_is_no_text_is_refused(tmp_path: Path) -> None:
    """Lost otherwise: a library full of rubbish from a renamed image."""
    with pytest.raises(InputError, match="not a text file"):
        plain(tmp_path, b"\x89PNG\x00\x00")
    for empty in (b"", b" \n\n ", codecs.BOM_UTF8):
        with pytest.raises(EmptyTextError):
            plain(tmp_path, empty)
    with pytest.raises(EmptyTextError):
        markdown(tmp_path, "---\ncolor: grey\n---\n<!-- nothing -->")
    with pytest.raises(InputError, match="cannot be opened"):
        read_plain(tmp_path / "none.txt")
    (tmp_path / "large.txt").write_bytes(b"abc " * 1000)
    with pytest.raises(LimitError, match="larger"):
        read_plain(tmp_path / "large.txt", max_bytes=100)


MARKS = st.lists(
    st.sampled_from([*"#*_`[]()!|-<>\n :.1a ", "\n\n", "# A", "<!--", "-->", "| a | b |\n|---|---|\n"]), max_size=60
)


@given(MARKS.map("".join))
def test_blocks_hold_what_blocks_promise(text: str) -> None:
    """Lost otherwise: quotations that are not the text they point to."""
    for block in build_markdown(text).blocks:
        last = 0
        assert block.text
        for sentence in block.sentences:
            assert not block.text[last : sentence.start].strip()
            assert block.text[sentence.start : sentence.end].strip() == block.text[sentence.start : sentence.end] != ""
            last = sentence.end
        assert not block.text[last:].strip()


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("title: [a", "line 2 is not YAML"),
        ("a: &x [1]\nb: *x", "alias"),
        ("title: " + "[" * 60_000, "nested more than 100 levels deep"),
        ("title: Moss\nof: " + "[{a: " * 12_000, "nested more than 100 levels deep"),
        ("title: " + "a" * 70_000, "longer than"),
    ],
)
def test_front_matter_that_cannot_be_read_is_refused(tmp_path: Path, lines: str, words: str) -> None:
    """Lost otherwise: who wrote a paper, without a word; or the memory, to a few lines that mean gigabytes."""
    with pytest.raises(InputError, match=words):
        markdown(tmp_path, f"---\n{lines}\n---\nText.")


def test_text_between_rules_is_no_front_matter() -> None:
    """Lost otherwise: the first paragraph of a note that begins with a rule."""
    text = "---\nMoss grows: [slowly.\n---\nAnd more.\n"
    assert front_matter(text.replace("Moss grows", "Moss, as it grows")) == (
        {},
        text.replace("Moss grows", "Moss, as it grows"),
    )
    assert front_matter("---\nJust words.\n---\nMore.\n") == ({}, "---\nJust words.\n---\nMore.\n")


def test_authors_of_joss_have_their_affiliations(tmp_path: Path) -> None:
    """Lost otherwise: where the authors of a software paper work, and their ORCID."""
    lines = "authors:\n  - name: Ada Lund\n    orcid: 0000-0002-1825-0097\n    affiliation: '1, 2'\naffiliations:\n"
    lines += " - name: Roof Institute, Oslo\n   index: 1\n - {name: Slate Lab, index: 2}\n"
    (author,) = markdown(tmp_path, f"---\ntitle: T\n{lines}---\nText.").metadata.authors
    assert (author.name, author.orcid) == ("Ada Lund", "0000-0002-1825-0097")
    assert author.affiliations == ("Roof Institute, Oslo", "Slate Lab")
