"""How well sentences are told apart, against paragraphs in which we marked by hand where sentences begin.

Run `python benchmarks/sentences.py [--misses] [--part first|second]`. The labels in `sentences.json` say where a
paragraph stands (data set, file, hash of its words) and at which characters a sentence begins, white space not counted;
the words themselves are not in the repository. They were set from the text alone, before any program had split it. A
boundary counts if it lies between the same two characters; the beginning and the end of a paragraph do not count.
pysbd and syntok are measured beside where they are installed.

`--pick N --seed S` prints paragraphs drawn by chance, with a number at every place where a sentence might end, and
`--label FILE` turns a file of answers into labels: a line `hash: 2 5` names the numbers at which no sentence ends.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import random
import re
import sys
import tarfile
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from corpora import data_folder

LABELS = Path(__file__).with_suffix(".json")
SETS = ("pdf_jose", "pdf_rescience", "jats_plos", "jats_craft", "pubmedqa", "scifact", "arxiv_astro")
LIMIT = 0.97
_KINDS = ("paragraph", "abstract", "caption", "footnote")
_POSSIBLE = re.compile(
    r"[.!?…][\"'”’»)\]]*(?:\s?\[[\d,;\s–-]+\]|[⁰¹²³⁴⁵⁶⁷⁸⁹][⁰¹²³⁴⁵⁶⁷⁸⁹,–-]*|(?<=\D.)\d[\d,–-]*)?(?=\s)|(?<=[a-z)])[.!?](?=[A-Z])"
)

Split = Callable[[str], list[int]]


# The paragraphs


def paragraphs(name: str, data: Path) -> Iterator[tuple[str, str]]:
    """(file, text) of all paragraphs of a data set, as our readers give them."""
    from conspectus.parse.text.blocks import clean_paragraphs

    if name.startswith("pdf_"):
        for path in sorted((data / name).glob("*.pdf")):
            yield from ((path.name, text) for text in _of_pdf(path))
    elif name.startswith("jats_"):
        yield from _of_archive(next((data / name).glob("*.tar.xz")))
    elif name == "pubmedqa":
        for item in _lines(data / name / "pqal.jsonl.gz"):
            yield from ((str(item["pmid"]), clean_paragraphs(text)) for text in item["CONTEXTS"])
    elif name == "scifact":
        for item in _lines(data / name / "corpus.jsonl.gz"):
            yield str(item["doc_id"]), clean_paragraphs(" ".join(item["abstract"]))
    else:
        for item in islice(_lines(data / name / "astro_abstracts.jsonl.gz"), 5000):
            yield str(item["id"]), clean_paragraphs(item["abstract"])


def _lines(path: Path) -> Iterator[dict]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def _of_pdf(path: Path) -> Iterator[str]:
    from conspectus.parse.pdf.reader import read_pdf

    yield from (block.text for block in read_pdf(path).blocks if block.kind in _KINDS)


def _of_archive(path: Path) -> Iterator[tuple[str, str]]:
    from conspectus.parse.markup.jats import article_of
    from conspectus.parse.markup.xml_tree import tree_of

    with tarfile.open(path) as archive:
        for member in archive:
            if member.isfile() and (file := archive.extractfile(member)) and member.name.endswith("xml"):
                paper = article_of(tree_of(file.read(), member.name), member.name)
                yield from ((Path(member.name).name, block.text) for block in paper.blocks if block.kind in _KINDS)


def hash_of(text: str) -> str:
    """What names a paragraph: it stays when only its white space changes."""
    return hashlib.sha256("".join(text.split()).encode()).hexdigest()[:16]


# Labelling


def pick(data: Path, count: int, seed: int, known: set[str]) -> None:
    """Prints `count` paragraphs of each set."""
    for name in SETS:
        found = [
            (file, text)
            for file, text in paragraphs(name, data)
            if 120 <= len(text) <= 1800 and hash_of(text) not in known
        ]
        for file, text in random.Random(f"{seed} {name}").sample(found, count):
            print(f"\n## {name} {file} {hash_of(text)}\n{numbered(text)}")


def possible(text: str) -> list[int]:
    """Every place behind which a sentence might begin."""
    return [match.end() for match in _POSSIBLE.finditer(text) if text[match.end() :].strip()]


def numbered(text: str) -> str:
    """The text with the numbers of the possible places."""
    parts, at = [], 0
    for number, place in enumerate(possible(text), 1):
        parts += [text[at:place], f"⟦{number}⟧"]
        at = place
    return "".join([*parts, text[at:]])


def label(data: Path, answers: Path, part: str) -> None:
    """Adds labels: `set file hash: numbers at which no sentence ends`, `+words` where one begins besides."""
    labels = json.loads(LABELS.read_text("utf-8")) if LABELS.exists() else []
    said = [line.partition(":") for line in answers.read_text("utf-8").splitlines() if ":" in line]
    texts = {hash_of(text): (name, file, text) for name in SETS for file, text in paragraphs(name, data)}
    for key, _, rest in said:
        name, file, text = texts[key.strip()]
        more = re.findall(r"\+\{(.*?)\}", rest)
        wrong = {int(number) for number in re.sub(r"\+\{.*?\}", "", rest).split()}
        places = [place for number, place in enumerate(possible(text), 1) if number not in wrong]
        places += [text.index(words) for words in more]
        begins = sorted({bare(text, place) for place in places})
        labels.append({"part": part, "set": name, "file": file, "hash": key.strip(), "begins": begins})
    lines = ",\n".join(json.dumps(item, ensure_ascii=False) for item in labels)
    LABELS.write_text(f"[\n{lines}\n]\n", "utf-8")


def bare(text: str, place: int) -> int:
    """How many characters that are no white space stand before the place."""
    return len("".join(text[:place].split()))


# Measuring


def splitters() -> dict[str, Split]:
    """Our splitter, and those that are installed: each gives where sentences begin."""
    from conspectus.parse.text.sentences import split_sentences

    found: dict[str, Split] = {"conspectus": lambda text: [start for start, _ in split_sentences(text)]}
    warnings.simplefilter("ignore")
    try:
        import pysbd

        segmenter = pysbd.Segmenter(language="en", clean=False)
        found["pysbd"] = lambda text: _starts(text, segmenter.segment(text))
    except ImportError:
        print("pysbd is not installed, and not measured.")
    try:
        from syntok import segmenter as syntok

        found["syntok"] = lambda text: [
            sentence[0].offset for paragraph in syntok.analyze(text) for sentence in paragraph
        ]
    except ImportError:
        print("syntok is not installed, and not measured.")
    return found


def _starts(text: str, pieces: list[str]) -> list[int]:
    starts, at = [], 0
    for piece in pieces:
        found = text.find(piece.strip(), at)
        if found >= 0:
            starts.append(found)
            at = found + len(piece.strip())
    return starts


def measure(data: Path, part: str, misses: bool) -> None:
    """Prints the figures."""
    labels = [item for item in json.loads(LABELS.read_text("utf-8")) if part in ("all", item["part"])]
    wanted = {item["hash"] for item in labels}
    files = {(item["set"], item["file"]) for item in labels}
    texts = _texts(data, files, wanted)
    gone = wanted - texts.keys()
    programs = splitters()
    counts: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0, 0])
    sentences: dict[str, int] = defaultdict(int)
    for item in labels:
        if item["hash"] in gone:
            continue
        text, true = texts[item["hash"]], set(item["begins"])
        sentences[item["set"]] += len(true) + 1
        sentences["all"] += len(true) + 1
        for program, split in programs.items():
            given = {bare(text, start) for start in split(text)} - {0}
            for name in (item["set"], "all"):
                count = counts[program, name]
                count[0] += len(true & given)
                count[1] += len(given)
                count[2] += len(true)
            if misses and program == "conspectus":
                _show(item, text, true, given)
    _print(counts, sentences, programs)
    if gone:
        print(f"\nNot found in the data, and not measured: {len(gone)} paragraphs (their reader gives other text now).")


def _texts(data: Path, files: set[tuple[str, str]], wanted: set[str]) -> dict[str, str]:
    texts: dict[str, str] = {}
    for name in SETS:
        own = {file for set_name, file in files if set_name == name}
        pdfs = name.startswith("pdf_")
        found = ((f, t) for f in own for t in _of_pdf(data / name / f)) if pdfs else paragraphs(name, data)
        texts |= {hash_of(text): text for file, text in found if file in own and hash_of(text) in wanted}
    return texts


def _show(item: dict, text: str, true: set[int], given: set[int]) -> None:
    where = [i for i, sign in enumerate(text) if not sign.isspace()]
    for place in sorted(true ^ given):
        at = where[place]
        print(
            "missed" if place in true else "wrong ", item["set"], f"…{text[max(0, at - 50) : at]}|{text[at : at + 40]}…"
        )


def _print(counts: dict, sentences: dict[str, int], programs: dict[str, Split]) -> None:
    print(f"\n| set | sentences | {' | '.join(f'{p}: P, R, F1' for p in programs)} |")
    print("| --- " * (len(programs) + 2) + "|")
    for name in (*SETS, "all"):
        figures = []
        for program in programs:
            right, given, true = counts[program, name]
            precision, recall = right / max(given, 1), right / max(true, 1)
            score = 2 * precision * recall / max(precision + recall, 1e-9)
            figures.append(f"{precision:.3f}, {recall:.3f}, {score:.3f}")
        print(f"| {name} | {sentences[name]} | {' | '.join(figures)} |")
    print(f"\nAt least: F1 {LIMIT}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", default="all", help="first, second or all")
    parser.add_argument("--misses", action="store_true", help="show what is wrong")
    parser.add_argument("--pick", type=int, help="print so many paragraphs of each set to label")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--label", type=Path, help="add the labels of this file, as --part")
    args = parser.parse_args()
    data = data_folder()
    known = {item["hash"] for item in json.loads(LABELS.read_text("utf-8"))} if LABELS.exists() else set()
    if args.pick:
        pick(data, args.pick, args.seed, known)
    elif args.label:
        label(data, args.label, args.part)
    else:
        measure(data, args.part, args.misses)


if __name__ == "__main__":
    sys.exit(main())
