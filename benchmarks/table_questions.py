"""Does the row of a table that answers a natural question reach a language model?

    PYTHONPATH=src:tests python benchmarks/table_questions.py [--set FILE] [--near 7]

The questions are in `sets/table_questions.jsonl`, typed as people ask, each with the `paper` (a file of the data), the
strings that identify the `row`, the `answer` and two `rephrasings`. The library holds the PDFs of `pdf_rescience` and
`pdf_jose`, the JATS articles of `jats_plos` and `jats_samples`, 100 full texts of `neuro_corpus` and 1,500 abstracts
(neuroscience, arXiv, medicine). It is made once, in `.bench/table_questions`; remove that to read the papers again.

The model is a script behind a loopback server. It rephrases as the set says. A passage with the right row is relevant
(9); one with a sentence that shares three words of five letters with the question is a little (3; `--near`: as much as
a generous model says); others are not.
Printed are the passage's place among those sent (`rank`; 0: not sent; `lost`: no sentence of the paper has the row),
whether the writer got the row, calls, tokens of prompts (four characters each) and processor seconds.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import statistics
import sys
import tarfile
import time
import unicodedata
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from corpora import WORK, data_folder, distractors, read_lines, write_lines

from conspectus import Library
from language_server import request_text, serve_script
from oracle import read_each, reader, sentences, task

SET = Path(__file__).parent / "sets" / "table_questions.jsonl"
PLACE = WORK / "table_questions"
_WORD = re.compile(r"\w{5,}")


def write_papers(folder: Path) -> list[str]:
    """Write the papers that are no files in the data, and return the paths of all."""
    data, chance = data_folder(), random.Random(36)
    for name in ("jats_plos", "jats_samples"):
        for path in (data / name).glob("*.tar.xz"):
            with tarfile.open(path) as archive:
                archive.extractall(folder / name, filter="data")
    for record in chance.sample(list(read_lines(data / "neuro_corpus" / "fulltext.jsonl.gz")), 100):
        head = "".join(f"{key}: {json.dumps(record[key])}\n" for key in ("title", "authors", "year") if record[key])
        text = f"---\n{head}---\n\n## Abstract\n\n{record['abstract'] or ''}\n\n{record['body'] or ''}\n"
        (folder / f"{record['id']}.md").write_text(text, "utf-8")
    write_lines(folder / "abstracts.jsonl", islice(distractors(), 1500))
    pdfs = [path for name in ("pdf_rescience", "pdf_jose") for path in sorted((data / name).glob("*.pdf"))]
    return [*map(str, pdfs), str(folder)]


def make_library() -> None:
    """Add all papers, unless that was done before."""
    if not (PLACE / "complete").exists():
        (PLACE / "papers").mkdir(parents=True, exist_ok=True)
        with Library(PLACE / "library") as library:
            library.add(write_papers(PLACE / "papers"))  # four of the samples are no articles
        (PLACE / "complete").touch()


def comparable(text: str) -> str:
    """Text with one kind of hyphen and space, in lower case."""
    return re.sub(r"\s+", " ", re.sub(r"[‐-―−]", "-", unicodedata.normalize("NFKC", text))).strip().lower()


def find_rows(library: Library, question: dict[str, Any]) -> set[str]:
    """The sentences of the question's paper that have all strings of the row: those of tables, else others."""
    files = ((str(file.path), paper.id) for paper in library.papers() for file in paper.files)
    name = next(name for path, name in files if path.endswith("/" + question["paper"]))
    parts = [re.compile(rf"(?<![\w.]){re.escape(comparable(part))}(?!\w|\.\d)") for part in question["row"]]
    spans = [(passage.kind, comparable(span.text)) for passage in library.passages(name) for span in passage.spans]
    right = [(kind, text) for kind, text in spans if all(part.search(text) for part in parts)]
    return {text for kind, text in right if kind == "table"} or {text for _, text in right}


@dataclass
class ScriptedReader:
    """Answers the prompts of one question and keeps which passages it was sent."""

    question: dict[str, Any]
    rows: set[str]
    near: int = 3
    sent: list[bool] = field(default_factory=list)
    written: bool = False

    def read(self, body: dict[str, Any]) -> dict[str, Any]:
        """The relevance of one passage."""
        texts = {number: comparable(text) for number, text in sentences(body).items()}
        right = [number for number, text in texts.items() if any(row in text for row in self.rows)]
        words = set(_WORD.findall(self.question["question"].lower()))
        near = [number for number, text in texts.items() if len(words & set(_WORD.findall(text))) >= 3]
        self.sent.append(bool(right))
        chosen, score = (right, 9) if right else (near[:2], self.near)
        return {"relevant": bool(chosen), "score": score * bool(chosen), "spans": chosen, "summary": ""}

    def answer(self, body: dict[str, Any]) -> Any:
        """The reply to one request."""
        match task(body):
            case "gather":
                return read_each(body, self.read)
            case "rephrase":
                return {"phrasings": self.question["rephrasings"]}
            case "write":
                self.written = any(row in comparable(request_text(body)) for row in self.rows)
        return reader()(body)


def measure(library: Library, question: dict[str, Any], near: int) -> dict[str, Any]:
    """Ask one question."""
    model = ScriptedReader(question, find_rows(library, question), near)
    with serve_script(model.answer) as server:
        begun = time.process_time()
        library.ask(question["question"], model=server.url, cache=False)
        seconds = time.process_time() - begun
    prompts = [request_text(body) for body in server.requests if task(body)]
    rank = model.sent.index(True) + 1 if True in model.sent else 0
    costs = {"calls": len(prompts), "tokens": sum(map(len, prompts)) // 4, "seconds": seconds}
    return {"lost": not model.rows, "rank": rank, "of": len(model.sent), "written": model.written, **costs}


def main() -> None:
    """Print a line for each question and the shares over all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", type=Path, default=SET)
    parser.add_argument("--near", type=int, default=3)
    options = parser.parse_args()
    make_library()
    results = []
    with Library(PLACE / "library") as library:
        for question in read_lines(options.set):
            results.append(measure(library, question, options.near))
            print(question["id"], ", ".join(f"{key} {value:.4g}" for key, value in results[-1].items()), flush=True)
    sent, written, lost = (sum(bool(result[key]) for result in results) for key in ("rank", "written", "lost"))
    means = {key: statistics.mean(result[key] for result in results) for key in ("calls", "tokens", "seconds")}
    print(f"of {len(results)}: row sent {sent}, written from {written}, lost {lost}; on average", end=" ")
    print(", ".join(f"{key} {mean:,.1f}" for key, mean in means.items()))


if __name__ == "__main__":
    main()
