"""What is known of the files that `parsing.py` reads: from JATS, YAML, and our own typeset documents."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

TYPESET = Path(__file__).resolve().parents[1] / "tests" / "parse" / "typeset"


@dataclass
class Truth:
    """What is known of one file. `headings` are (text without number, level); `furniture` are running heads."""

    path: Path
    kind: str
    title: str
    authors: tuple[str, ...]
    abstract: str
    headings: list[tuple[str, int]] = field(default_factory=list)
    paragraphs: list[str] = field(default_factory=list)
    captions: list[str] = field(default_factory=list)
    footnotes: list[tuple[str, str]] = field(default_factory=list)
    equations: list[str] = field(default_factory=list)
    furniture: list[str] = field(default_factory=list)
    first_page: int = 0


def default_data() -> Path:
    """The shared data folder."""
    given = os.environ.get("CONSPECTUS_DATA")
    return Path(given) if given else Path(__file__).resolve().parents[2] / "shared" / "data"


def real_truths(data: Path) -> Iterator[Truth]:
    """The published files and what is known of them, in order of their names."""
    for path in sorted((data / "pdf_jose").glob("*.pdf")):
        yield from_jats(path)
    for path in sorted((data / "pdf_rescience").glob("*.pdf")):
        yield from_yaml(path)


def typeset_truths(scrambled: Path | None = None) -> Iterator[Truth]:
    """Our own documents; with `scrambled`, copies there of those in columns, stored row by row."""
    for path in sorted(TYPESET.glob("*.pdf")):
        truth = from_json(path)
        if scrambled is None:
            yield truth
        elif path.stem not in ("article", "thesis", "manuscript"):
            from tests_path import scramble

            truth.path = scrambled / path.name
            truth.kind = "scrambled"
            scramble(path, truth.path)
            yield truth


def from_json(path: Path) -> Truth:
    """The truth that was written when the document was typeset."""
    known = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    blocks: list[dict[str, Any]] = known["blocks"]
    paragraphs: list[str] = []
    for block in blocks:
        if block["kind"] == "paragraph" and block.get("joined"):
            paragraphs[-1] += " " + block["text"]
        elif block["kind"] == "paragraph":
            paragraphs.append(block["text"])
    return Truth(
        path,
        "typeset",
        known["title"],
        tuple(known["authors"]),
        known["abstract"],
        [(block["text"], block["level"]) for block in blocks if block["kind"] == "heading"],
        [re.sub(r"\[\[(\d+)\]\]", r"\1", text) for text in paragraphs],
        [block["label"] for block in blocks if block["kind"] == "caption"],
        [(block["label"], block["text"]) for block in blocks if block["kind"] == "footnote"],
        [block["label"] for block in blocks if block["kind"] == "equation"],
        known["furniture"],
        known["first_page"],
    )


def from_jats(path: Path) -> Truth:
    """The JATS file beside `path`: front matter, headings, paragraphs."""
    from xml.etree import ElementTree

    root = ElementTree.parse(path.with_suffix(".jats.xml")).getroot()
    front, body = root.find("front/article-meta"), root.find("body")
    assert front is not None
    assert body is not None
    title = front.find("title-group/article-title")
    names = [
        " ".join(filter(None, (name.findtext("given-names"), name.findtext("surname"))))
        for name in front.findall("contrib-group/contrib[@contrib-type='author']/name")
    ]
    truth = Truth(path, "jose", _words(title), tuple(names), "")
    _jats_body(body, 0, truth)
    return truth


def _jats_body(node: Any, depth: int, truth: Truth) -> None:
    for child in node:
        if child.tag == "sec":
            truth.headings.append((_words(child.find("title")), depth + 1))
            _jats_body(child, depth + 1, truth)
        elif child.tag == "p":
            truth.paragraphs.append(_words(child))
        elif child.tag in ("list", "list-item", "disp-quote"):
            _jats_body(child, depth, truth)


def _words(node: Any) -> str:
    return " ".join("".join(node.itertext()).split()) if node is not None else ""


def from_yaml(path: Path) -> Truth:
    """The few keys needed of the YAML file beside `path`; its format is simple enough to go without a YAML library."""
    text = path.with_suffix(".yaml").read_text(encoding="utf-8")
    authors = text.partition("\nauthors:")[2].partition("\naffiliations:")[0]
    names = re.findall(r"^\s*-\s*name:\s*(.+?)\s*(?:#.*)?$", authors, re.M)
    return Truth(
        path,
        "rescience",
        yaml_value(text, "title"),
        tuple(name.strip("\"'") for name in names),
        yaml_value(text, "abstract"),
    )


def yaml_value(text: str, key: str) -> str:
    """A plain or double-quoted scalar, over one line or several."""
    found = re.search(rf'^{key}:\s*(?:"((?:[^"\\]|\\.)*)"|\'((?:[^\']|\'\')*)\'|(.*))', text, re.M)
    if not found:
        return ""
    value = found.group(1) or found.group(2) or found.group(3) or ""
    return " ".join(value.replace("''", "'").replace('\\"', '"').split())
