"""Tables of papers: are wrong cells marked, has each cell a sentence, and are numbers proposed without a model right?

    PYTHONPATH=src:tests python benchmarks/review_table.py

*Cells*: 300 cells of 60 papers by five columns through `review table`, with a scripted model that is wrong in half of
them: another number, ten times as much, another sign, another unit, the number of another column, words that the
sentence does not have, a sentence that says something else, or none. A wrong cell is one whose value is not what the
paper says; it is flagged if it is not `confirmed`. The same cells are then read in another table, in other company.
*Real sentences*: the same mistakes with real numbers (`sets/table_proposals_sealed.jsonl`, those judged right).

*Proposals*: `sets/table_numbers_dev.jsonl` has what 120 pairs of an abstract and a column give (rules were made while
looking at it); the peer is the number with a unit that fits which is nearest to a word of the column.
`sets/table_proposals_sealed.jsonl` has all that was proposed at the first reading of papers that were drawn by a hash
and sealed: 32 columns of abstracts, 11 of full texts, each judged right or wrong by one person with its sentence. A
number is right if it is a value of that column which the paper states; a part of the sample, a difference, or what
another paper found is wrong.

*Memory*: the most that Python holds while tables of 250 and of 1,000 papers are filled without a model.
"""

from __future__ import annotations

import random
import re
import sys
import tempfile
import tracemalloc
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from corpora import data_folder, read_lines
from results import Figure, join_figures, store_figures

from conspectus.evaluation import interval
from conspectus.parse.text.sentences import split_sentences
from conspectus.records import Passage, Span
from conspectus.records.review import ReviewTable, TableColumn
from conspectus.review.table.cell_values import check_value, read_numbers
from conspectus.review.table.columns import parse_column
from conspectus.review.table.measures import measure_of
from conspectus.review.table.proposals import propose
from helpers import open_library, write_jsonl
from language_server import InProcess, request_text

SETS = Path(__file__).resolve().parent / "sets"
PAPERS = 60
COLUMNS = "material; sample size; temperature (number, °C); dose (number, mg/kg); thickness (number, nm)"
MATERIALS = ("silica", "gold", "alumina", "graphene", "zirconia", "titania")
FIRST_READING = (126, 139)
"""Proposals of the sealed papers that were right, and all of them, when they were read for the first time."""
Cell = tuple[str, str, str]
"""Value, unit, and the beginning of the sentence that has it."""


def facts(number: int) -> dict[str, Cell]:
    """What a made-up paper says on each column."""
    draw = random.Random(number)
    return {
        "material": (draw.choice(MATERIALS), "", "Films of"),
        "sample size": (str(draw.randint(12, 400)), "", "In total,"),
        "temperature": (str(draw.randint(20, 900)), "°C", "They were"),
        "dose": (f"{draw.randint(1, 99) / 10}", "mg/kg", "Rats were"),
        "thickness": (str(draw.randint(2, 900)), "nm", "The layers"),
    }


def record(number: int) -> dict[str, Any]:
    said = {name: f"{value} {unit}".strip() for name, (value, unit, _) in facts(number).items()}
    text = (
        f"Films of {said['material']} have been used for 30 years. In total, {said['sample size']} participants aged "
        f"18–65 years were recruited for 3 visits. They were annealed at {said['temperature']} for 2 h. Rats were "
        f"given {said['dose']} of the compound twice a day. The layers were {said['thickness']} thick and 5 mm wide."
    )
    return {"title": f"Paper {number}", "abstract": text, "doi": f"10.1000/{number}"}


MISTAKES = ("number", "tenfold", "sign", "unit", "other column", "other sentence", "no sentence", "words")


def spoil(draw: random.Random, mistake: str, name: str, said: Mapping[str, Cell]) -> tuple[str, str, str | None]:
    """A wrong value, its unit, and the beginning of the sentence that is named for it; None: none."""
    value, unit, place = said[name]
    if name == "material":
        if mistake == "no sentence":
            return value, unit, None
        return draw.choice([one for one in MATERIALS if one != value]), unit, place
    if mistake in ("number", "words"):
        return str(float(value) + draw.choice([1, -1, 0.5, 7])), unit, place
    if mistake == "tenfold":
        return f"{float(value) * draw.choice([10, 0.1, 1000]):g}", unit, place
    if mistake == "sign":
        return f"-{value}", unit, place
    if mistake == "unit":
        return value, draw.choice([one for one in ("K", "g/kg", "μm", "mg", "%", "kg") if one != unit]), place
    if mistake == "other column":
        others = [one for one in said if one not in (name, "material")]
        return said[draw.choice(others)][0] + "7", unit, place
    other = draw.choice([place for one, (_, _, place) in said.items() if one != name])
    return value, unit, None if mistake == "no sentence" else other


class ScriptedReader:
    """A model that is wrong in half of the cells, in the same way in whatever order they are asked.

    `planted` has what it gave last, by paper and column. Asked again, it names a sentence that there is.
    """

    def __init__(self) -> None:
        self.planted: dict[tuple[int, str], tuple[str, Cell]] = {}
        self.calls = 0

    def __call__(self, body: dict[str, Any]) -> dict[str, Any]:
        self.calls += 1
        text = request_text(body)
        number = int(re.findall(r'title="Paper (\d+)"', text)[0])
        sentences = {line: int(place) for place, line in re.findall(r"^\[(\d+)\] (.*)$", text, re.MULTILINE)}
        columns = re.findall(r"^(\d+)\. (.+?) \(", text, re.MULTILINE)
        return {"cells": [self._cell(number, int(place), name, sentences) for place, name in columns]}

    def _cell(self, number: int, place: int, name: str, sentences: Mapping[str, int]) -> dict[str, Any]:
        said = facts(number)
        is_again = (number, name) in self.planted
        draw = random.Random(f"{number} {name} {is_again}")
        mistake = draw.choice(MISTAKES) if draw.random() < 0.5 else ""
        mistake = "" if is_again and mistake == "no sentence" else mistake
        value, unit, begins = spoil(draw, mistake, name, said) if mistake else said[name]
        self.planted[number, name] = mistake, (value, unit, begins or "")
        spans = [at for line, at in sentences.items() if begins and line.startswith(begins)]
        return {"column": place, "stated": True, "value": value, "unit": unit, "spans": spans or [99]}


def measure_cells(folder: Path) -> list[Figure]:
    """Wrong cells that are not flagged, cells without a sentence, and the same cells read again."""
    reader = ScriptedReader()
    write_jsonl(folder / "papers.jsonl", [record(number) for number in range(PAPERS)])
    with open_library(folder / "lib", models={"scripted": InProcess(reader)}) as library:
        library.add(folder / "papers.jsonl")
        table = library.review.table(COLUMNS, name="First", model="scripted", limit=PAPERS)
        quoted = {
            span.id: span.text for row in table.rows for one in library.passages(row.paper.id) for span in one.spans
        }
        calls = reader.calls
        again = library.review.table("; ".join(COLUMNS.split("; ")[::-1]), name="Again", model="scripted", limit=PAPERS)
        same = sum(_cells(table)[key] == cell for key, cell in _cells(again).items())
        asked = reader.calls - calls
    wrong = unflagged = right = doubted = bare = unread = 0
    for (number, name), cell in _cells(table).items():
        value, unit, begins = facts(int(number))[name]
        spans = [span for citation in cell.citations for span in citation.spans]
        bare += cell.status != "unread" and not (spans and all(quoted[span.id] == span.text for span in spans))
        unread += cell.status == "unread"
        if not reader.planted[int(number), name][0]:
            right += 1
            doubted += cell.status != "confirmed"
            continue
        wrong += 1
        is_true = (cell.value, cell.unit) == (value, unit) and all(span.text.startswith(begins) for span in spans)
        unflagged += cell.status == "confirmed" and not is_true
    total = len(_cells(table))
    print(
        f"{total} cells: {wrong} planted wrong, {unflagged} of them unflagged; {doubted} of {right} right ones doubted"
    )
    print(
        f"{bare} cells without a sentence, {unread} unread; in another table {same} of {total} the same, {asked} calls"
    )
    return [
        Figure(
            f"{total} cells, {wrong} of them planted wrong: unflagged; without a sentence",
            f"{unflagged}; {bare}",
            "0; 0",
        ),
        Figure(
            "… read again in another table: the same; calls of the model", f"{same} of {total}; {asked}", f"{total}; 0"
        ),
        Figure("… right cells that are doubted", f"{doubted} of {right}"),
    ]


def _cells(table: ReviewTable) -> dict[tuple[str, str], Any]:
    return {(row.paper.title.split()[-1], cell.column): cell for row in table.rows for cell in row.cells}


Papers = Mapping[str, Mapping[str, dict[str, Any]]]


def load_papers(rows: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, dict[str, Any]]]:
    """File -> id -> record, of the papers that rows of a set name."""
    wanted = defaultdict[str, set[str]](set)
    for row in rows:
        wanted[row["file"]].add(row["paper"])
    found = {}
    for file, ids in wanted.items():
        records = _pubtator(data_folder() / file) if file.endswith("PubTator") else read_lines(data_folder() / file)
        found[file] = {one["id"]: one for one in records if one["id"] in ids}
    return found


def _pubtator(path: Path) -> Iterable[dict[str, Any]]:
    for block in path.read_text("utf-8").strip().split("\n\n"):
        title, abstract = (line.split("|", 2) for line in block.split("\n")[:2])
        yield {"id": f"pmid:{title[0]}", "title": title[2], "abstract": abstract[2]}


def passages_of(paper: Mapping[str, Any], part: str = "abstract") -> list[Passage]:
    """The abstract as a passage; of a full text also its paragraphs."""
    texts = [paper["abstract"], *(re.split(r"\n\s*\n", paper["body"]) if part == "body" else ())]
    plain = [" ".join(text.split()) for text in texts]
    made = []
    kept = [plain[0], *(one for one in plain[1:] if one and not one.startswith("#"))]
    for number, text in enumerate(kept):
        spans = tuple(Span(f"{number}.{start}", start, end, text[start:end]) for start, end in split_sentences(text))
        made.append(Passage(str(number), "p", "body" if number else "abstract", "", text, spans, number))
    return made


def nearest_number(column: TableColumn, passages: Sequence[Passage]) -> float | None:
    """The peer: the number with a unit that fits which is nearest to a word of the column."""
    stems = {word[:5] for word in re.findall(r"\w+", column.name.casefold())}
    best: tuple[int, float] | None = None
    for span in (span for passage in passages for span in passage.spans):
        folded, items = read_numbers(span.text)
        places = [word.start() for word in re.finditer(r"[^\W\d_]+", folded.text) if word[0].casefold()[:5] in stems]
        for item in items:
            fits = item.unit is None if column.kind == "count" else measure_of(column).takes(item.unit)
            distance = min((abs(place - item.start) for place in places), default=None) if fits else None
            if distance is not None and (best is None or distance < best[0]):
                best = distance, item.value
    return best[1] if best else None


def measure_development() -> Figure:
    rows = list(read_lines(SETS / "table_numbers_dev.jsonl"))
    papers = load_papers(rows)
    shares = []
    for name in ("proposals", "nearest"):
        counts = Counter[str]()
        for row in rows:
            column, passages = parse_column(row["column"]), passages_of(papers[row["file"]][row["paper"]])
            found = propose(column, passages) if name == "proposals" else None
            value = nearest_number(column, passages) if name == "nearest" else found and found.match.first.value
            counts["stated"] += bool(row["values"])
            counts["made"] += value is not None
            counts["right"] += value is not None and any(
                abs(value - one) <= 1e-6 * max(1, one) for one in row["values"]
            )
        shares.append((counts["right"] / counts["made"], counts["right"] / counts["stated"], counts["made"]))
    (precision, recall, made), (its_precision, its_recall, _) = shares
    print(f"development: precision {precision:.3f}, recall {recall:.3f}, {made} proposals")
    print(f"nearest number: precision {its_precision:.3f}, recall {its_recall:.3f}")
    return Figure(
        "Numbers proposed without a model, 120 pairs (development): precision; recall",
        f"{precision:.2f}; {recall:.2f}",
        peer=f"nearest number {its_precision:.2f}; {its_recall:.2f}",
    )


def measure_sealed() -> list[Figure]:
    """The first reading; what the rules propose of the same papers now; and mistakes planted into real cells."""
    rows = list(read_lines(SETS / "table_proposals_sealed.jsonl"))
    papers = load_papers(rows)
    counts, checks = Counter[str](), Counter[str]()
    for row in rows:
        column = parse_column(row["column"])
        found = propose(column, passages_of(papers[row["file"]][row["paper"]], row["part"]))
        if found is None:
            counts["none, was right" if row["right"] else "none, was wrong"] += 1
        elif found.match.value == row["value"]:
            counts["right" if row["right"] else "wrong"] += 1
        else:
            counts["other"] += 1
        if row["right"] and found is not None and found.match.value == row["value"]:
            _check_mistakes(column, row, found.span.text, checks)
    print("sealed papers, with the rules as they are now:", dict(counts))
    print("real cells, checked:", dict(checks))
    right, made = FIRST_READING
    made_at_first = interval([1.0] * right + [0.0] * (made - right))
    first = f"{right / made:.3f} ({made_at_first.low:.3f} to {made_at_first.high:.3f})"
    return [
        Figure(f"… {made} proposals of sealed papers, first reading: precision", first, "≥ 0.9"),
        Figure(
            f"Real cells, {checks['wrong']} planted wrong: unflagged; {checks['right']} right: doubted",
            f"{checks['wrong, confirmed']}; {checks['right'] - checks['right, confirmed']}",
            "0; –",
        ),
    ]


def _check_mistakes(column: TableColumn, row: Mapping[str, Any], quote: str, checks: Counter[str]) -> None:
    checks["right"] += 1
    checks["right, confirmed"] += check_value(column, row["value"], row["unit"], [quote]).status == "confirmed"
    number = read_numbers(f"{row['value']} {row['unit']}")[1]
    if not number:
        return
    value = number[0].value
    known = {item.value for item in read_numbers(quote)[1]}
    others = [one for one in (value * 10, value / 10, value * 1.1, -value) if one and one not in known]
    wrong = [(f"{one:.12g}", row["unit"]) for one in others]
    wrong += [(row["value"], unit) for unit in ("kg", "T", "mol/L") if column.kind == "number"]
    for one, unit in wrong:
        checks["wrong"] += 1
        checked = check_value(column, one, unit, [quote])
        checks["wrong, confirmed"] += checked.status == "confirmed"
        if checked.status == "confirmed":
            print("unflagged:", column.name, one, unit, "|", quote)


def measure_memory(folder: Path) -> Figure:
    peaks = []
    for papers in (250, 1000):
        write_jsonl(folder / f"{papers}.jsonl", [record(number) for number in range(papers)])
        with open_library(folder / f"lib{papers}") as library:
            library.add(folder / f"{papers}.jsonl")
            library.review.table("sample size", name="Warm", model="none", limit=1)
            tracemalloc.start()
            library.review.table(COLUMNS, model="none", limit=1)
            peaks.append(tracemalloc.get_traced_memory()[1] / 1e6)
            tracemalloc.stop()
    print(f"memory: {peaks[0]:.1f} MB for 250 papers, {peaks[1]:.1f} MB for 1,000")
    return Figure("Memory while 1,000 papers are read, over that for 250", f"{peaks[1] / peaks[0]:.2f}", "≤ 1.5")


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        figures = [*measure_cells(Path(name)), measure_development(), *measure_sealed(), measure_memory(Path(name))]
    joined = [join_figures("Tables", figures)]
    store_figures("review_table", "review", "PYTHONPATH=src:tests python benchmarks/review_table.py", joined)


if __name__ == "__main__":
    main()
