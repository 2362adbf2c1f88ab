"""What libraries would do in the place of our own code: rapidfuzz, pint, bibtexparser, pybtex …

Run `python benchmarks/libraries.py [titles] [units] [bibtex] [jats] [names] [--data DIR]`; what is not installed is
left out.

* titles: the works that JATS articles cite. **Same**: a title as people change it (`audit.py`: small letters, no
  subtitle, no accents, a typing mistake). **Other**: a title with a word of another, of two halves, and the most
  similar title of another work (by rapidfuzz, so it is at no advantage). Each scorer gets the cut-off that is best for
  it on works that are not counted; the errors of both kinds are those of the others.
* units: what stands behind numbers in the papers of `jats_plos`, read by both. Those that are read otherwise, or by one
  alone, are printed, the most frequent first.
* bibtex: the files of the packages pybtex (among them all of TUGboat) and papis, which `pip` fetches the first time:
  records with a title, with authors, titles with LaTeX left in them; records that are told to be faulty.
* jats: papers of `jats_plos`: share of the words of their paragraphs, and references.
* names: authors of `jats_plos` and `jats_craft`, given and family name in one, told apart by nameparser.

LaTeX, web pages and Word files have their own: `documents.py`, `web_pages.py`.
"""

from __future__ import annotations

import argparse
import itertools
import random
import re
import sys
import tarfile
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from audit import RIGHT, WRONG, works
from lxml import etree
from parsing import default_data
from web_pages import fetch, line, words

from conspectus.parse.titles import similarity, title_words
from conspectus.verify.units import read_unit

SHELF = Path(__file__).resolve().parents[1] / ".bench" / "packages"
BIBTEX = (("pip", "pybtex==0.26.1"), ("pip", "papis==0.16.1"))
Scorer = Callable[[str, str], float]
_NUMBER = re.compile(r"(?<![\w.,/-])\d+(?:\.\d+)?(?= ?([A-Za-zμΩÅ°%][^\s,;:()\[\]]{0,15}))")


def scorers() -> dict[str, Scorer]:
    from rapidfuzz import fuzz
    from rapidfuzz.distance import Indel

    def plain(scorer: Callable[..., float]) -> Scorer:
        return lambda one, other: scorer(" ".join(title_words(one)), " ".join(title_words(other))) / 100

    named = {name: plain(getattr(fuzz, name)) for name in ("ratio", "token_sort_ratio", "token_set_ratio", "WRatio")}
    words: Scorer = lambda one, other: Indel.normalized_similarity(title_words(one), title_words(other))  # noqa: E731
    return {"conspectus": similarity, **named, "Indel of words": words}


def pairs(data: Path, part: str) -> list[tuple[str, str, bool]]:
    """Two titles and whether they are of one work."""
    from rapidfuzz import fuzz, process

    known, chance = works(data, part)[:3000], random.Random(3)
    plain = [" ".join(title_words(work.title)) for work in known]
    near = process.cdist(plain, plain, scorer=fuzz.ratio)
    np.fill_diagonal(near, 0)
    made: list[tuple[str, str, bool]] = []
    for number, work in enumerate(known):
        other, nearest = chance.choice(known), known[int(near[number].argmax())]
        same = [
            RIGHT[kind](work, other, chance)
            for kind in ("small letters", "no subtitle", "no accents", "typing mistake")
        ]
        others = [WRONG[kind](work, other, chance) for kind in ("title of two", "one word of title")]
        if nearest.year != work.year or nearest.authors[0] != work.authors[0]:
            others.append(nearest)
        made += [(work.title, each.title, True) for each in same]
        made += [(work.title, each.title, False) for each in others if each.title != work.title]
    return made


def titles(data: Path) -> None:
    """One row for each scorer."""
    chosen, counted = pairs(data, "developed-on"), pairs(data, "held-out")
    print(f"{len(counted):,} pairs\n| scorer | cut-off | same, told apart | other, taken for the same | μs a pair |")
    for name, scorer in scorers().items():
        cut = best([(scorer(one, other), same) for one, other, same in chosen])
        began = time.process_time()
        found = [(scorer(one, other), same) for one, other, same in counted]
        spent = (time.process_time() - began) / len(found) * 1e6
        right, wrong = ([score for score, same in found if same is kind] for kind in (True, False))
        missed, taken = sum(score < cut for score in right), sum(score >= cut for score in wrong)
        print(
            f"| {name} | {cut:.3f} | {missed / len(right):.2%} | {taken / len(wrong):.2%} | {spent:.0f} |", flush=True
        )


def best(found: list[tuple[float, bool]]) -> float:
    """The cut-off with the smallest sum of both shares of errors."""
    right, wrong = (np.array([score for score, same in found if same is kind]) for kind in (True, False))
    cuts = np.unique(np.concatenate([right, wrong]))[-4000:]
    return float(min(cuts, key=lambda cut: (right < cut).mean() + (wrong >= cut).mean()))


def units(data: Path) -> None:
    """What only one of both reads, and what they read otherwise."""
    import pint

    registry = pint.UnitRegistry(autoconvert_offset_to_baseunit=True)
    both, counts = 0, {name: Counter[str]() for name in ("only conspectus", "only pint", "otherwise")}
    for text in plos(data):
        for match in _NUMBER.finditer(text):
            word, ours = match[1].rstrip("."), read_unit(text, match.end())[0]
            try:
                theirs = registry.parse_units(word)
            except Exception:  # noqa: BLE001 - of many kinds: it is no unit
                theirs = None
            if ours and theirs is not None:
                both += 1
                value = registry.Quantity(1, theirs).to_base_units().magnitude - ours.offset
                if ours.dimension and abs(value - ours.factor) > 0.02 * ours.factor and "gram" not in str(theirs):
                    counts["otherwise"][f"{word} as {theirs}"] += 1
            elif ours or theirs is not None:
                counts["only conspectus" if ours else "only pint"][f"{word} as {theirs}" if not ours else word] += 1
    print(f"read by both {both:,}")
    for name, counter in counts.items():
        print(f"{name}: {counter.total():,}; " + ", ".join(f"{word} {n}" for word, n in counter.most_common(25)))


def plos(data: Path) -> Iterator[str]:
    """The words of the papers' bodies."""
    for root in roots(data):
        yield " ".join("".join(root.find("body").itertext()).replace("µ", "μ").split())


def bibtex(data: Path) -> None:  # noqa: ARG001 - the files are those of packages
    """One row for each reader."""
    import bibtexparser
    import pybtex.database
    from bibtexparser import middlewares

    from conspectus.parse.registry import reader_for
    from conspectus.records import ParsedPaper

    Row = tuple[str, int]

    def ours(path: Path) -> list[Row | None]:
        found = [*reader_for(path).read(path)]
        papers = (each.metadata if isinstance(each, ParsedPaper) else None for each in found)
        return [(paper.title, len(paper.authors)) if paper else None for paper in papers]

    def by_bibtexparser(path: Path) -> list[Row | None]:
        steps = (
            middlewares.NormalizeFieldKeys,
            middlewares.LatexDecodingMiddleware,
            middlewares.SeparateCoAuthors,
            middlewares.SplitNameParts,
        )
        library = bibtexparser.parse_string(path.read_text(errors="replace"), append_middleware=[of() for of in steps])
        rows = [(entry.get("title"), entry.get("author")) for entry in library.entries]
        known = [(title.value if title else "", len(author.value) if author else 0) for title, author in rows]
        return [*known, *([None] * len(library.failed_blocks))]

    def by_pybtex(path: Path) -> list[Row | None]:
        entries = pybtex.database.parse_string(path.read_text(errors="replace"), "bibtex").entries.values()
        return [(entry.fields.get("title", ""), len(entry.persons.get("author", []))) for entry in entries]

    fetch(SHELF, BIBTEX)
    files = sorted(file for package in ("pybtex", "papis") for file in (SHELF / package).rglob("*.bib"))
    print(f"{len(files)} files\n| reader | records | titles | authors | LaTeX left | told | files refused | CPU-s |")
    for name, read in {"conspectus": ours, "bibtexparser": by_bibtexparser, "pybtex": by_pybtex}.items():
        rows, refused, began = list[Row | None](), 0, time.process_time()
        for file in files:
            try:
                rows += read(file)
            except Exception as error:  # noqa: BLE001 - a file that is not read counts as one
                refused += 1
                print(f"  {name}, {file.name}: {str(error)[:100]}", file=sys.stderr)
        known = [row for row in rows if row]
        left = sum("\\" in title or "{" in title for title, _ in known)
        cells = (len(known), sum(bool(row[0]) for row in known), sum(bool(row[1]) for row in known), left)
        told = len(rows) - len(known)
        print(f"| {name} | {' | '.join(map(str, cells))} | {told} | {refused} | {time.process_time() - began:.1f} |")


def jats(data: Path, most: int = 24) -> None:
    """One row for each reader."""
    import pubmed_parser

    from conspectus.parse.registry import reader_for

    counts: dict[str, Counter[str]] = {"conspectus": Counter(), "pubmed_parser": Counter()}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "article.xml")
        for root in itertools.islice(roots(data), most):
            path.write_bytes(etree.tostring(root))
            true = Counter(word for p in root.iterfind("body//p") if not nested(p) for word in words(line(p)))
            began = time.process_time()
            (paper,) = reader_for(path).read(path)
            middle = time.process_time()
            parts = pubmed_parser.parse_pubmed_paragraph(str(path), all_paragraph=True)
            entries = pubmed_parser.parse_pubmed_references(str(path)) or []
            pubmed_parser.parse_pubmed_xml(str(path))
            spent = {"conspectus": middle - began, "pubmed_parser": time.process_time() - middle}
            texts = {"conspectus": [b.text for b in paper.blocks], "pubmed_parser": [part["text"] for part in parts]}
            found = {"conspectus": len(paper.references), "pubmed_parser": len(entries)}
            for name, count in counts.items():
                read = Counter(word for text in texts[name] for word in words(text))
                count.update(read=(read & true).total(), true=true.total(), references=found[name])
                count.update(entries=len(root.findall(".//ref-list/ref")), ms=round(1000 * spent[name]))
    for name, count in counts.items():
        print(
            f"| {name} | {count['read'] / count['true']:.3f} | {count['references']} of {count['entries']} "
            f"| {count['ms']} ms |"
        )


def names(data: Path) -> None:
    """One row for each reader of names."""
    from nameparser import HumanName

    from conspectus.parse.people import author_named

    found = {
        (" ".join(given.split()), " ".join(family.split()))
        for root in itertools.chain(roots(data), roots(data, "jats_craft"))
        for name in root.iterfind("front//contrib//name")
        if (given := name.findtext("given-names")) and (family := name.findtext("surname"))
    }
    print(f"{len(found):,} authors, `given family`\n| reader | family name as printed |")
    readers: dict[str, Callable[[str], str]] = {
        "conspectus": lambda text: author_named(text).surname,
        "nameparser": lambda text: HumanName(text).last,
    }
    for name, read in readers.items():
        print(f"| {name} | {sum(read(f'{given} {family}') == family for given, family in found) / len(found):.3f} |")


def nested(paragraph: Any) -> bool:
    return any(outer.tag in ("p", "table-wrap") for outer in paragraph.iterancestors())


def roots(data: Path, collection: str = "jats_plos") -> Iterator[Any]:
    """The articles with a text."""
    for archive in sorted((data / collection).glob("*.tar.xz")):
        with tarfile.open(archive) as tar:
            for member in tar:
                file = tar.extractfile(member) if member.name.endswith(".xml") else None
                if file is not None and (root := etree.fromstring(file.read())).find("body") is not None:
                    yield root


PARTS: dict[str, Callable[[Path], None]] = {
    "titles": titles,
    "units": units,
    "bibtex": bibtex,
    "jats": jats,
    "names": names,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", default=[*PARTS], help=", ".join(PARTS))
    parser.add_argument("--data", type=Path, default=default_data(), help="the folder with the JATS sets")
    options = parser.parse_args()
    for part in options.parts:
        try:
            PARTS[part](options.data)
        except ImportError as error:
            print(f"{part}: {error}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
