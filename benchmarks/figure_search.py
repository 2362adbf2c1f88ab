"""How well words find figures: what a paper says of a figure, without its label, finds it.

    python benchmarks/figure_search.py [--library FOLDER]

The papers are the 72 of PLOS in `jats_plos`, whose sentences name the figures and tables that they speak of. Each such
sentence of one figure is asked without the words that name it. Once its caption alone ranks (`factors["caption"]`), for
by the passages that speak of it a figure would be found by its own question; once all ranks in papers out of which the
sentences that are asked were taken. Reciprocal ranks, within the paper and among all; beside it BM25 (nothing
re-ranked, `search.dense_weight` 0) in the same run.

Then `figure_captions`: the figures of a gallery's pages, a page once, since its figures share title and description. A
category stands for a paper; the title asks for the figure whose caption is the description.
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
import shutil
import statistics
import tarfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import corpora
from lxml import etree
from lxml.builder import E

from conspectus import Library
from conspectus.records import Paper

LIMIT = 0.8
Asked = tuple[str, str, str, str]
"""File, figure, what is asked, the sentence."""
WAYS = {"as it is": {}, "BM25": {"search.dense_weight": 0.0, "search.rerank": 0, "search.by_query": False}}


def made(folder: Path) -> Path:
    """The library of the 72 papers."""
    with tarfile.open(fileobj=lzma.open(corpora.data_folder() / "jats_plos" / "plos_72.tar.xz")) as archive:
        archive.extractall(folder / "papers", filter="data")
    with Library(folder / "library") as library:
        library.add(folder / "papers")
    return folder / "library"


def asked(library: Library, paper: Paper) -> Iterator[tuple[str, str, str]]:
    """(figure, what a sentence says of it, the sentence) of a paper's figures, for sentences that speak of one only."""
    parsed = library.parsed(paper.id)
    for figure in parsed.figures:
        for block, sentence in parsed.mentions(figure.key):
            marks = [one for one in block.marks if sentence.start <= one.start < sentence.end]
            if {target for one in marks if one.kind in ("figure", "table") for target in one.targets} != {figure.key}:
                continue
            text = "".join(
                " " if any(one.start <= at < one.end for one in marks) else block.text[at]
                for at in range(sentence.start, sentence.end)
            )
            if len(text.split()) >= 6 and "[formula]" not in text:  # which stands otherwise in the file
                yield figure.key, text, block.text[sentence.start : sentence.end]


def without(folder: Path, chosen: list[Asked]) -> list[Asked]:
    """Make `folder/without`, a library of the same papers without the chosen sentences; which could be taken out."""
    of_paper = defaultdict(list)
    for one in chosen:
        of_paper[one[0]].append(one)
    taken: list[Asked] = []
    for path in (folder / "papers").rglob("*.xml"):
        tree = etree.parse(path)
        taken += [one for one in of_paper[path.name] if any(take_out(part, one[3]) for part in tree.iter("p"))]
        (folder / "others").mkdir(exist_ok=True)
        tree.write(folder / "others" / path.name)
    with Library(folder / "without") as library:
        library.add(folder / "others")
    return taken


def take_out(paragraph: etree._Element, sentence: str) -> bool:
    """Blank a sentence in a paragraph, where it stands there as it was read."""
    places, wanted = list(signs(paragraph)), "".join(sentence.split())
    start = "".join(sign for *_, sign in places).find(wanted)
    for element, name, at, _ in places[start : start + len(wanted)] if start >= 0 else ():
        text = getattr(element, name)
        setattr(element, name, text[:at] + " " + text[at + 1 :])
    return start >= 0


def signs(element: etree._Element) -> Iterator[tuple[etree._Element, str, int, str]]:
    """(element, `text` or `tail`, place, sign) of all that is no white space, in the order of the document."""
    yield from ((element, "text", at, sign) for at, sign in enumerate(element.text or "") if not sign.isspace())
    for inner in element:
        yield from signs(inner)
        yield from ((inner, "tail", at, sign) for at, sign in enumerate(inner.tail or "") if not sign.isspace())


def ranks(library: Library, paper: str, figure: str, words: str, factor: str) -> tuple[float, float]:
    """The reciprocal ranks of a figure by a factor, "": by its score: within its paper, and among all."""
    hits = list(library.figures.search(words, k=1000, plain=True).hits)
    if factor:
        hits = sorted((hit for hit in hits if hit.factors[factor]), key=lambda hit: -hit.factors[factor])
    names = [(Path(hit.figure.paper.files[0].path).name, hit.figure.name) for hit in hits]
    own = [name for name in names if name[0] == paper]
    wanted = (paper, figure)
    return tuple(1 / (1 + group.index(wanted)) if wanted in group else 0.0 for group in (own, names))  # type: ignore[return-value]


def described(folder: Path) -> list[Asked]:
    """Make `folder/described`, a library of `figure_captions`; each title, asked for its figure."""
    lines = (corpora.data_folder() / "figure_captions" / "captions.jsonl").read_text().splitlines()
    pages = {row["source"] + row["page"]: row for row in map(json.loads, lines) if row["caption"]}
    of_category = defaultdict(list)
    for row in pages.values():
        of_category[f"{row['source']} {row['category']}.xml".replace("/", " ")].append(row)
    shutil.rmtree(folder / "described", ignore_errors=True)
    (folder / "categories").mkdir(exist_ok=True)
    for name, rows in of_category.items():
        figures = [
            E.fig(E.label(f"Figure {i}"), E.caption(E.p(row["caption"])), id=f"f{i}") for i, row in enumerate(rows, 1)
        ]
        front = E.front(E("article-meta", E("title-group", E("article-title", Path(name).stem))))
        article = E.article(front, E.body(E.sec(E.p("Examples."), *figures)))
        (folder / "categories" / name).write_bytes(etree.tostring(article))
    with Library(folder / "described") as library:
        library.add(folder / "categories")
    return [(name, f"f{i}", row["title"], "") for name, rows in of_category.items() for i, row in enumerate(rows, 1)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sentences", type=int, default=300)
    options = parser.parse_args()
    folder = corpora.WORK / "figure_search"
    if not (folder / "library").exists():
        made(folder)
    with Library(folder / "library") as library:
        papers = [(Path(paper.files[0].path).name, paper) for paper in library.papers()]
        every = [(name, *one) for name, paper in papers for one in asked(library, paper)]
    chosen = random.Random(0).sample(every, min(options.sentences, len(every)))
    print(f"{len(every):,} sentences of {len({one[:2] for one in every})} figures; {len(chosen)} are asked")
    shutil.rmtree(folder / "without", ignore_errors=True)
    taken = without(folder, chosen)
    print(f"{len(taken)} of them could be taken out")
    titles = described(folder)
    print(f"{len(titles)} titles of {len({one[0] for one in titles})} categories")
    for place, factor, some in (
        (folder / "library", "caption", chosen),
        (folder / "without", "", taken),
        (folder / "described", "caption", titles),
    ):
        for name, settings in WAYS.items():
            with Library(place, settings) as library:
                found = [ranks(library, *one[:3], factor) for one in some]
            within, among = (statistics.mean(column) for column in zip(*found, strict=True))
            by = f"{factor or 'all'}, {place.name}"
            print(
                f"{name:<9} {by:<27} MRR within the paper {within:.3f} ({within / LIMIT:.2f} of the limit), {among:.3f}"
            )


if __name__ == "__main__":
    main()
