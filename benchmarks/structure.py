"""How much of the structure of real JATS articles is read: `python benchmarks/structure.py [--show]`.

The truth is counted in the XML itself with a few lines of lxml that share nothing with the reader: what is there must
come out again. Citations in cells of tables are no marks (a cell is a text) and are not counted.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tarfile
import tempfile
import time
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from lxml import etree

from conspectus.core.errors import ConspectusError
from conspectus.parse.markup.jats import read_jats
from conspectus.records import ParsedPaper

SETS = {
    "jats_plos": "jats_plos/plos_72.tar.xz",
    "jats_craft": "jats_craft/craft_nxml_67.tar.xz",
    "jats_samples": "jats_samples/jats_samples.tar.xz",
    "pdf_jose": "pdf_jose/*.jats.xml",
}
NOT_TEXT = (
    "sub-article | response | table | math | tex-math | disp-formula | inline-formula | ref-list | label | fn | front"
)
DASH = re.compile(r"\s*[-–—−]\s*")


@dataclass
class Tally:
    """What was there, and what of it was read."""

    files: int = 0
    refused: list[str] = field(default_factory=list)
    there: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    misses: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    bytes: int = 0

    def check(self, what: str, there: int, right: int, name: str, note: object = "") -> None:
        self.there[what] += there
        self.right[what] += right
        if right < there:
            self.misses.append(f"{name}: {what} {right} of {there} {note}")


def default_data() -> Path:
    named = os.environ.get("CONSPECTUS_DATA")
    return Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "data"


def files(data: Path, where: str) -> Iterator[tuple[str, bytes]]:
    """Name and bytes of each article."""
    if "*" in where:
        for path in sorted(data.glob(where)):
            yield path.name, path.read_bytes()
        return
    with tarfile.open(data / where) as tar:
        for member in tar:
            file = tar.extractfile(member) if member.name.endswith((".xml", ".nxml")) else None
            if file is not None:
                yield Path(member.name).name, file.read()


def plain(text: str) -> str:
    """Without white space, raised digits as digits."""
    return "".join(unicodedata.normalize("NFKC", text).replace("−", "-").split())


def all_text(node: etree._Element | None) -> str:
    return "" if node is None else "".join(str(part) for part in node.itertext())


def truth_of(content: bytes) -> etree._Element:
    parser = etree.XMLParser(
        resolve_entities=False, load_dtd=False, no_network=True, remove_comments=True, remove_pis=True
    )
    root = etree.fromstring(content, parser)
    for node in root.iter():
        if isinstance(node.tag, str):
            node.tag = etree.QName(node).localname
    for node in root.xpath("//sub-article | //response"):
        node.getparent().remove(node)
    return root


def check(root: etree._Element, paper: ParsedPaper, name: str, tally: Tally) -> None:
    title = root.find("front/article-meta/title-group/article-title")
    if title is not None and all_text(title).strip():
        for note in title.xpath(".//xref | .//fn"):
            note.clear(keep_tail=True)
        good = plain(all_text(title)) in plain(paper.metadata.title)
        tally.check("title", 1, int(good), name, paper.metadata.title)
    authors = root.xpath("front/article-meta/contrib-group/contrib[not(@contrib-type) or @contrib-type='author']")
    if authors:
        surnames = [
            plain(all_text(author.find(".//surname"))) for author in authors if author.find(".//surname") is not None
        ]
        found = [plain(author.family) for author in paper.metadata.authors]
        good = len(authors) == len(found) and [name for name in found if name] == surnames
        tally.check("authors", 1, int(good), name, [len(authors), len(found)])
    abstract = root.xpath("front/article-meta/abstract[not(@abstract-type)]")
    if abstract:
        tally.check("abstract", 1, int(bool(paper.metadata.abstract)), name)
    if plain(all_text(root.find("body"))):
        tally.check("body", 1, int(paper.has_full_text), name)
    tally.check("references", *both(root.xpath("count(//ref-list/ref)"), len(paper.references)), name)
    tally.check("… with a title", *both(titled(root), sum(bool(r.title) for r in paper.references)), name)
    tally.check("figures", *both(root.xpath("count(//fig)"), sum(f.kind == "figure" for f in paper.figures)), name)
    tally.check("tables", *both(root.xpath("count(//table-wrap)"), sum(f.kind == "table" for f in paper.figures)), name)
    heads = [text for node in root.xpath("body//sec/title") if (text := plain(all_text(node)))]
    said = Counter(plain(block.text) for block in paper.blocks if block.kind == "heading")
    tally.check("headings", len(heads), sum(any(head in text for text in said) for head in heads), name)
    check_marks(root, paper, name, tally)
    check_words(root, paper, name, tally)


def both(there: float, found: int) -> tuple[int, int]:
    return int(there), min(int(there), found)


def titled(root: etree._Element) -> int:
    return int(root.xpath("count(//ref-list/ref[.//article-title or .//source or .//chapter-title])"))


def check_marks(root: etree._Element, paper: ParsedPaper, name: str, tally: Tally) -> None:
    """Every `xref` to a reference is a mark that holds its words and leads to its entry."""
    places = {ref.get("id"): f"b{number}" for number, ref in enumerate(root.iter("ref"), 1)}
    found: Counter[tuple[str, str]] = Counter()
    for block in paper.blocks:
        for mark in block.marks:
            text = block.text[mark.start : mark.end]
            pieces = {plain(text), *(plain(piece) for piece in DASH.split(text))}
            found.update((piece, key) for piece in pieces for key in mark.targets)
            tally.check(
                "marks that lead somewhere", 1, int(bool(mark.targets)), name
            ) if mark.kind == "reference" else None
    cited = root.xpath(
        "//xref[@ref-type='bibr'][normalize-space()][not(ancestor::table or ancestor::table-wrap-foot or ancestor::ref"
        " or ancestor::title-group or ancestor::label or ancestor::alternatives)]"
    )
    exact = 0
    for xref in cited:
        keys = [places[rid] for rid in (xref.get("rid") or "").split() if rid in places]
        words = plain(all_text(xref))
        if keys and all(found[words, key] > 0 for key in keys):
            exact += 1
            for key in keys:
                found[words, key] -= 1
    tally.check("links to references kept, words exact", len(cited), exact, name)


def check_words(root: etree._Element, paper: ParsedPaper, name: str, tally: Tally) -> None:
    """The words of paragraphs, without formulas, and tables, are among the words of the blocks."""
    there: Counter[str] = Counter()
    for paragraph in root.xpath("body//p[not(ancestor::table)][not(ancestor::p)]"):
        for part in paragraph.xpath(
            ".//text()[not(ancestor::table or ancestor::inline-formula or ancestor::disp-formula or ancestor::label"
            " or ancestor::xref or ancestor::sup or ancestor::sub or ancestor::object-id or ancestor::permissions)]"
        ):
            there.update(re.findall(r"[^\W\d_]{4,}", unicodedata.normalize("NFKC", part)))
    said: Counter[str] = Counter()
    for block in paper.blocks:
        said.update(re.findall(r"[^\W\d_]{4,}", unicodedata.normalize("NFKC", block.text)))
    kept = sum((there & said).values())
    total = sum(there.values())
    tally.there["words of the body"] += total
    tally.right["words of the body"] += kept
    if kept < 0.99 * total:
        tally.misses.append(f"{name}: words {kept} of {total}: {(there - said).most_common(6)}")


def measure(data: Path, where: str, folder: Path) -> Tally:
    tally = Tally()
    for name, content in files(data, where):
        tally.files += 1
        tally.bytes += len(content)
        path = folder / name
        path.write_bytes(content)
        begin = time.process_time()
        try:
            paper = read_jats(path)
        except ConspectusError as error:
            tally.refused.append(str(error))
            continue
        tally.seconds.append(time.process_time() - begin)
        check(truth_of(content), paper, name, tally)
    return tally


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=default_data(), help="the folder with jats_plos and the others")
    parser.add_argument("--show", action="store_true", help="print what was missed")
    arguments = parser.parse_args()
    if not (arguments.data / "jats_plos").is_dir():
        print(f"No 'jats_plos' in '{arguments.data}': give the data folder with --data.", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        tallies = {name: measure(arguments.data, where, Path(folder)) for name, where in SETS.items()}
    print("| what | " + " | ".join(tallies) + " |")
    print("| --- |" + " --- |" * len(tallies))
    print("| files read | " + " | ".join(f"{len(t.seconds)} of {t.files}" for t in tallies.values()) + " |")
    for what in dict.fromkeys(what for tally in tallies.values() for what in tally.there):
        cells = (f"{t.right[what]:,} of {t.there[what]:,}" if t.there[what] else "–" for t in tallies.values())
        print(f"| {what} | " + " | ".join(cells) + " |")
    cells = (
        f"{1000 * sum(t.seconds) / max(len(t.seconds), 1):.0f} (most {1000 * max(t.seconds):.0f})"
        for t in tallies.values()
    )
    print("| CPU-ms a file | " + " | ".join(cells) + " |")
    for tally in tallies.values():
        for line in tally.refused + (tally.misses if arguments.show else []):
            print(f"- {line}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
