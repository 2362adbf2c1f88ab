"""What a question takes of tokens at default depth, and how much of the gold evidence reaches the writer.

    PYTHONPATH=src:tests python benchmarks/tokens.py --library FOLDER [--pubmedqa] [--questions 40]

The library is one of `benchmarks/tables.py` (full texts; the gold is the row of the table that is asked for), or, with
`--pubmedqa`, is made of the abstracts of PubMedQA (the gold is the last sentence of the abstract asked about). The
model is a script behind a loopback server: it finds the gold sentence (score 9) and sentences that share three or more
words with the question (score 4), and writes a statement of each piece of evidence. Tokens are reckoned as four
characters each, of all prompts, schemas left out. Run it with another `PYTHONPATH` to compare versions.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

import corpora
import tables

from conspectus import Library
from language_server import request_text, serve_script
from oracle import dismiss_hints, read_each, task

_SENTENCE = re.compile(r"^\[(\d+)\] (.*)$", re.MULTILINE)
_EVIDENCE = re.compile(r"<evidence-(\w+) id=\"(e\d+)\"[^>]*>\n(.*?)\n</evidence-\1>", re.DOTALL)
_WORD = re.compile(r"\w{5,}")


def script(question: str, gold: str) -> Callable[[dict[str, Any]], Any]:
    """A reader that knows the gold sentence."""
    words = set(_WORD.findall(question.lower()))

    def read(body: dict[str, Any]) -> Any:
        said = {int(number): text for number, text in _SENTENCE.findall(request_text(body))}
        best = [number for number, text in said.items() if " ".join(gold.split()) in " ".join(text.split())]
        near = [number for number, text in said.items() if len(words & set(_WORD.findall(text.lower()))) >= 3]
        chosen = best or near[:3]
        summary = " ".join(" ".join(said[number] for number in chosen).split()[:60])
        return {"relevant": bool(chosen), "score": 9 if best else 4, "spans": chosen, "summary": summary}

    def answer(body: dict[str, Any]) -> Any:
        match task(body):
            case "gather":
                return read_each(body, read)
            case "rephrase":
                return {"phrasings": [" ".join(sorted(words)), question.replace("What is", "Value of")]}
            case "judge":
                count = len(re.findall(r"^\d+\. statement: ", request_text(body), re.MULTILINE))
                verdicts = [{"number": n, "status": "supported", "why": ""} for n in range(1, count + 1)]
                return {**dismiss_hints(body), "verdicts": verdicts}
        found = [(name, text) for _, name, text in _EVIDENCE.findall(request_text(body))]
        claims = [{"text": f"It says so ({n}).", "evidence": [name]} for n, (name, _) in enumerate(found[:4])]
        return {"answerable": bool(claims), "statements": claims, "missing": ""}

    return answer


def tokens(value: Any) -> int:
    """A token is four characters."""
    return len(value if isinstance(value, str) else json.dumps(value)) // 4


def golds(library: Library, pubmedqa: bool, count: int) -> list[tuple[str, str]]:
    """(question, gold sentence)."""
    if not pubmedqa:
        return [(one.text, one.span.text) for one in tables.questions(library)[:count]]
    if not library.counts()["papers"]:
        library.add(corpora.write_lines(corpora.WORK / "pubmedqa.jsonl", corpora.pubmedqa_records()))
    asked = corpora.pubmedqa()[:count]
    last = [list(library.passages(f"pubmedqa:{item['pmid']}"))[-1].spans[-1].text for item in asked]
    return [(item["QUESTION"], text) for item, text in zip(asked, last, strict=True)]


def main() -> None:
    """Print tokens a question, by prompt, and the share of questions whose gold is among the evidence."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", required=True)
    parser.add_argument("--pubmedqa", action="store_true")
    parser.add_argument("--questions", type=int, default=40)
    options = parser.parse_args()
    took: list[int] = []
    by_prompt: Counter[str] = Counter()
    calls = right = 0
    with Library(options.library) as library:
        asked = golds(library, options.pubmedqa, options.questions)
        if not asked:
            raise SystemExit(f"'{options.library}' has no paper with a table's row that can be asked for.")
        for question, gold in asked:
            with serve_script(script(question, gold)) as server:
                answer = library.ask(question, model=server.url, cache=False)
            spent = [(task(body), tokens(request_text(body))) for body in server.requests if task(body)]
            took.append(sum(count for _, count in spent))
            calls += len(spent)
            for name, count in spent:
                by_prompt[name] += count
            right += any(gold == span.text for item in answer.evidence for span in item.spans)
    mean, median = statistics.mean(took), statistics.median(took)
    print(f"{len(asked)} questions; prompt tokens: mean {mean:,.0f}, median {median:,.0f}")
    print(f"calls each: {calls / len(asked):.1f}; gold among the evidence: {right / len(asked):.2f}")
    print(", ".join(f"{name} {count // len(asked):,}" for name, count in by_prompt.most_common()))


if __name__ == "__main__":
    main()
