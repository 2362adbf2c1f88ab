"""How often the mechanical check of statements raises a false hint, and which planted errors it finds.

    python benchmarks/hints.py STATEMENTS.jsonl …        # a file for each language; no judge is asked
    python benchmarks/hints.py --quantities PAIRS.jsonl  # statements and sentences with the same or another quantity
A line of STATEMENTS has `id`, `statement`, `right`, the `kind` of a planted error, and `wrong`: its wrong words. What
it cites is in `sentences`, with the paper's `title`, or in `source`: a file of the data, the id of a record and how
each sentence begins; then their paragraph and the record's title are the context.
A line of PAIRS has `id`, `statement`, `sentence`, `verdict` (`agree`, `contradict`) and `kind`.
A hint is false if the statement is right or if it points at words that are not wrong. An error is struck out
(`unsupported`), hinted at (a hint on its wrong words) or missed.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from corpora import data_folder, read_lines

from conspectus.answer.statement_checks import Case, case_of
from conspectus.parse.text.sentences import split_sentences
from conspectus.records import Citation, Paper, Passage, Span, Statement

Row = dict[str, Any]
RIGHT = {("agree", "passed"), ("contradict", "struck out")}


def load_statements(path: Path) -> list[Row]:
    """The lines of a file, each with `sentences`, `title` and, if it is known, the `paragraph` they are in."""
    rows = list(read_lines(path))
    quoted = defaultdict[tuple[str, str], list[Row]](list)
    for row in rows:
        if "source" in row:
            quoted[row["source"][0], row["source"][1]].append(row)
    for file in {file for file, _ in quoted}:
        for record in read_lines(data_folder() / file):
            for row in quoted.get((file, record["id"]), ()):
                row |= {"title": record["title"], **find_sentences(record, row["source"][2:])}
    if missing := ", ".join(row["id"] for row in rows if "sentences" not in row):
        sys.exit(f"'{path}': no sentence of the data begins as these lines say: {missing}.")
    return rows


def find_sentences(record: Row, beginnings: Sequence[str]) -> Row:
    """The sentences of a record that begin so, and their paragraph; empty if no paragraph has them all."""
    for paragraph in [record.get("abstract") or "", *(record.get("body") or "").split("\n")]:
        starts = [paragraph.find(beginning) for beginning in beginnings]
        if min(starts) >= 0:
            spans = split_sentences(paragraph)
            ends = [next((end for first, end in spans if first <= at < end), len(paragraph)) for at in starts]
            sentences = [" ".join(paragraph[at:end].split()) for at, end in zip(starts, ends, strict=True)]
            return {"sentences": sentences, "paragraph": " ".join(paragraph.split())}
    return {}


def check(row: Row) -> Case:
    """A statement with its hints."""
    text = row.get("paragraph") or " ".join(row["sentences"])
    places = [(max(text.find(sentence), 0), sentence) for sentence in row["sentences"]]
    spans = tuple(Span(f"paper.s{at}", at, at + len(sentence), sentence) for at, sentence in places)
    passage = Passage("paper.p", "paper", "body", "", text, spans)
    citation = Citation(Paper(id="paper", title=row.get("title", "")), passage.id, spans, " … ".join(row["sentences"]))
    return case_of(Statement(row["statement"], "unchecked", (citation,)), {passage.id: passage})


def points_at(text: str, wrong: Iterable[str]) -> bool:
    """Whether a hint's words are part of wrong words, or the other way round."""
    return any(text.lower() in words.lower() or words.lower() in text.lower() for words in wrong)


def measure_hints(rows: Sequence[Row], name: str, *, show: bool) -> None:
    """Print the figures of one file."""
    hints = false = flagged = struck = 0
    errors = defaultdict[str, Counter[str]](Counter)
    for row in rows:
        case = check(row)
        wrong = [hint for hint in case.hints if not points_at(hint.words, row["wrong"])]
        hints, false, flagged = hints + len(case.hints), false + len(wrong), flagged + bool(wrong)
        is_struck = case.mechanical.status == "unsupported"
        fate = "struck out" if is_struck else "hinted at" if len(wrong) < len(case.hints) else "missed"
        struck += row["right"] and is_struck
        errors[fate][row["kind"]] += not row["right"]
        if show and (wrong or (row["right"] and is_struck)):
            print(f"  {row['id']} {'STRUCK OUT ' if row['right'] and is_struck else ''}", *[hint.why for hint in wrong])
    right = sum(row["right"] for row in rows)
    print(f"{name}: {hints} hints, {false} false ({false / max(hints, 1):.0%}) on {flagged} of {len(rows)} statements")
    print(f"  {struck} of {right} right statements struck out; of {len(rows) - right} errors:")
    for fate, kinds in errors.items():
        print(f"    {fate} {kinds.total()} ({', '.join(f'{kind} {n}' for kind, n in kinds.most_common() if n)})")


def measure_quantities(rows: Iterable[Row], *, show: bool) -> None:
    """Print how many pairs are judged right, how many right ones are struck out, how many contradictions missed."""
    fates: Counter[str] = Counter()
    for row in rows:
        case = check({**row, "sentences": [row["sentence"]]})
        fate = "struck out" if case.mechanical.status == "unsupported" else "hinted at" if case.hints else "passed"
        fate = "right" if (row["verdict"], fate) in RIGHT else f"{row['verdict']}: {fate}"
        fates[fate] += 1
        if show and fate != "right":
            print(f"  {row['id']} {row['kind']}, {fate}", *[hint.why for hint in case.hints])
    print(f"{fates.total()} pairs: {', '.join(f'{fate} {count}' for fate, count in fates.most_common())}")


def main() -> None:
    """Measure the files of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--quantities", type=Path)
    parser.add_argument("--show", action="store_true", help="print each false hint; not for a sealed file")
    options = parser.parse_args()
    for path in options.files:
        measure_hints(load_statements(path), path.stem, show=options.show)
    if options.quantities:
        measure_quantities(read_lines(options.quantities), show=options.show)


if __name__ == "__main__":
    main()
