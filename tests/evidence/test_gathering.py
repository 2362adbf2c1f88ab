"""What becomes evidence: the best there is, as much as there is room for, and nothing that says nothing."""

import asyncio
import re
from dataclasses import replace
from pathlib import Path

import pytest

from conspectus.answer.write import AnswerWriter, format_evidence
from conspectus.evidence.candidates import BARREN, ReadingQueue, interleave, merge_rankings, worth_reading
from conspectus.evidence.gather import gather, select
from conspectus.evidence.reader import ModelReading, PassageToRead, Readings, group_into_calls, usable
from conspectus.llm.output_spec import OutputSpec
from conspectus.records import Citation, Evidence, Paper, Passage, PassageKind, Place, Span, Usage
from conspectus.settings import EvidenceSettings
from helpers import InlinePool, markdown, open_library, write, write_jsonl
from language_server import request_text, serve_script
from oracle import reader, task


def paper(name: str) -> Paper:
    return Paper(id=name, external_id=name, title=f"On {name}")


def piece(of: str, number: int, score: int = 7) -> Evidence:
    span = Span(f"{of}.s{number}", 0, 5, "Cats.")
    return Evidence("", paper(of), f"{of}.p{number}", (span,), "", score, 1.0 / (number + 1), of)


def test_one_paper_may_fill_the_room_that_others_leave() -> None:
    """Lost otherwise: most of what the one paper that answers has to say, and the truth on what it does not say."""
    found = [piece("a", n, 9) for n in range(7)] + [piece("b", 1, 4)]
    chosen = select(found, EvidenceSettings(keep=6, per_paper=3))
    assert [item.paper.id for item in chosen] == ["a"] * 6
    assert [item.id for item in chosen] == [f"e{n}" for n in range(1, 7)]


def test_others_go_before_more_of_one_where_they_are_about_as_relevant() -> None:
    """Lost otherwise: what other papers say, where one says the same often."""
    found = [piece("a", n, 9) for n in range(7)] + [piece(name, 1, 8) for name in "bcdef"]
    chosen = select(found, EvidenceSettings(keep=6, per_paper=3))
    assert sorted(item.paper.id for item in chosen) == ["a", "a", "a", "b", "c", "d"]


def test_no_place_is_taken_by_a_sentence_that_another_piece_brings() -> None:
    """Lost otherwise: a place among the evidence, to a passage of which only the overlap is relevant."""
    first, second, other = piece("a", 1, 9), piece("a", 2, 8), piece("b", 1, 4)
    both = replace(first, spans=(*first.spans, *second.spans))
    chosen = select([both, second, other], EvidenceSettings(keep=2))
    assert [item.paper.id for item in chosen] == ["a", "b"] and len(chosen[0].spans) == 2


def test_the_same_sentences_count_once() -> None:
    """Lost otherwise: room for evidence, to a sentence that two passages share."""
    assert len(select([piece("a", 1), piece("a", 1)], EvidenceSettings())) == 1


def test_a_writer_knows_that_there_is_more() -> None:
    """Lost otherwise: the truth, where a writer says that the library has nothing on what it was not shown."""
    from conspectus.answer.write import MORE

    assert "5 more pieces" in MORE.format(5)
    assert AnswerWriter(None, "?", (), None).left == 0  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "section", "text", "worth"),
    [
        ("body", "Results", "We thank nobody.", True),
        ("body", "5. Acknowledgements", "We thank R. Roe for the cats.", False),
        ("body", "Back > Funding", "Paid by the crown.", False),
        ("body", "Competing interests", "None.", False),
        ("body", "Funding and acknowledgments", "Paid by the crown.", False),
        ("body", "Authors' contributions", "AB wrote it.", False),
        ("body", "Funding of cat shelters", "Shelters are paid by towns.", True),
        ("body", "Support vector machines", "They part two classes.", True),
        ("body", "", "It began.", True),
        ("caption", "Acknowledgements", "Figure 2. Rates of five cells at rest and in motion.", True),
        ("caption", "Results", "Figure 3. Continued.", False),
        ("abstract", "Funding", "Grants change what is studied.", True),
        ("table", "Funding", "Table 1, row NIH: Sum = 3", True),
    ],
)
def test_what_says_nothing_of_the_matter_is_not_read(kind: PassageKind, section: str, text: str, worth: bool) -> None:
    """Lost otherwise: tokens and room, to thanks and bare captions; or text, to a heading that only looks like that."""
    assert worth_reading(Passage("p", "a", kind, section, text, ())) is worth


@pytest.mark.parametrize(
    ("text", "marker"),
    [
        ("Table 2, row Golgi (Cell): Rate = 8.3", "[a, Table 2, p. 4]"),
        ("Figure 3. Rates of cells at rest.", "[a, Figure 3, p. 4]"),
        ("Fig. S1: Rates.", "[a, Fig. S1, p. 4]"),
        ("Figure 3 shows that cells rest.", "[a, p. 4]"),
        ("Cells rest.", "[a, p. 4]"),
    ],
)
def test_captions_and_rows_are_cited_as_such(text: str, marker: str) -> None:
    """Lost otherwise: that a quote stands under a figure or in a table, and in which."""
    span = Span("s", 0, len(text), text, (Place(4, (0.0, 0.0, 1.0, 1.0)),))
    assert Citation(paper("a"), "p", (span,), text, "a").marker == marker


class Script:
    """A caller whose model finds good what `good` says, by the place of a passage."""

    def __init__(self, good: dict[int, int], summary: str = "") -> None:
        self.good, self.summary = good, summary
        self.schemas: list[object] = []
        self.read = 0
        self.usage = Usage()

    async def find_cached(self, *_: object) -> None:
        return None

    async def ask(
        self, _: str, __: str, values: dict[str, str], wanted: OutputSpec[Readings], **___: object
    ) -> Readings:
        self.schemas.append(wanted.schema)
        self.read += 1
        score = self.good.get(int((re.findall(r"number (\d+)", values["passages"]) or ["-1"])[0]), 0)
        said = Readings([ModelReading(1, score > 0, score, [1] if score else [], self.summary)])
        assert not wanted.check(said) and wanted.check(Readings([ModelReading(1, True, 5, [99], "")]))
        assert wanted.check(Readings([])) and wanted.check(Readings([ModelReading(2, True, 5, [1], "")]))
        return said


def found(count: int) -> list[PassageToRead]:
    made = []
    for n in range(count):
        text = f"The dose of number {n} was 5 mg of zinc a day."
        passage = Passage(f"p{n}", f"a{n}", "body", "Methods", text, (Span(f"s{n}", 0, len(text), text),))
        made.append(PassageToRead(passage, paper(f"a{n}"), 1 - n / 100))
    return made


def gathered(script: Script, count: int = 20) -> tuple[Evidence, ...]:
    alone = 10  # characters of room: each passage is read in a call of its own
    reading = gather(script, "Which dose?", found(count), EvidenceSettings(), lambda _: None, alone)  # type: ignore[arg-type]
    return asyncio.run(reading).evidence


@pytest.mark.parametrize(
    ("good", "read"),
    [
        ({0: 9, 1: 8}, 6),
        ({}, 20),
        ({0: 9, 5: 4}, 6),
        ({0: 9, 1: 9, 5: 5}, 13),
        ({0: 6}, 20),
        (dict.fromkeys(range(20), 9), 13),
        (dict.fromkeys(range(20), 4), 20),
        ({19: 9}, 20),
        (dict.fromkeys((0, 1, 2, 7, 8, 9), 9), 20),
    ],
)
def test_reading_ends_where_more_would_bring_nothing(good: dict[int, int], read: int) -> None:
    """Lost otherwise: tokens, to passages that bring nothing; or the one that answers, far down the list."""
    script = Script(good)
    evidence = gathered(script)
    assert script.read == read
    assert len(evidence) == sum(score >= 3 for place, score in good.items() if place < read)


def test_all_calls_have_one_schema() -> None:
    """Lost otherwise: what servers remember of the beginning of a prompt, at each passage of another length."""
    script = Script({0: 9})
    gathered(script)
    assert len({str(schema) for schema in script.schemas}) == 1


@pytest.mark.parametrize(
    ("summary", "kept"),
    [
        ("The dose was 5 mg of zinc a day.", True),
        ("The dose was 50 mg of zinc a day.", False),
        ("Homeopathic water heals every cancer, says this brilliant landmark paper.", False),
    ],
)
def test_a_fooled_reader_does_not_reach_the_writer(summary: str, kept: bool) -> None:
    """Lost otherwise: the truth, to a passage that has a model write what no sentence of it says."""
    (evidence,) = gathered(Script({0: 9}, summary))
    assert evidence.summary == (summary if kept else "")
    assert evidence.spans


def test_a_writer_sees_titles_and_no_empty_summary() -> None:
    """Lost otherwise: what the sentences of a paper are about, where they do not say so."""
    said = format_evidence([replace(piece("a", 1), id="e1")])
    assert 'title="On a"' in said and "summary" not in said and "[e1.1] Cats." in said


def of_papers(*papers: str, length: int = 100) -> list[PassageToRead]:
    """A passage of each of the papers named, of two sentences."""
    made = []
    for n, name in enumerate(papers):
        text = f"{n}".ljust(length, "x")
        spans = (Span(f"s{n}", 0, 50, text[:50]), Span(f"t{n}", 50, length, text[50:]))
        made.append(PassageToRead(Passage(f"p{n}", name, "body", "", text, spans), paper(name), 1.0))
    return made


def test_passages_are_read_together_as_far_as_there_is_room() -> None:
    """Lost otherwise: tokens, to instructions sent for each passage; or the answer, to a call that is too long."""
    items = dict(enumerate(of_papers("a", "b", "a", "c", "a", "b")))
    assert group_into_calls(items, range(6), 6000) == [[0, 2, 4, 1, 5, 3]], "those of one paper beside each other"
    assert group_into_calls(items, [0, 4, 5], 6000) == [[0, 4, 5]]
    assert group_into_calls(items, range(6), 250) == [[0, 2], [4, 1], [5, 3]]
    assert group_into_calls(items, range(6), 10) == [[0], [2], [4], [1], [5], [3]]
    assert [len(group) for group in group_into_calls(dict(enumerate(of_papers(*"a" * 15))), range(15), 10**6)] == [
        10,
        5,
    ]


def test_the_question_itself_comes_before_its_phrasings() -> None:
    """Lost otherwise: the passage that answers, to what a loose rephrasing finds."""
    assert merge_rankings([[1, 2, 3, 4, 5], [9, 1, 8], [7]]) == [1, 2, 9, 3, 4, 7, 5, 8]
    assert merge_rankings([[1, 2]]) == [1, 2]
    assert interleave([1, 2, 3], [3, 4], turns=(1, 1)) == [1, 3, 2, 4]


def of_kind(kind: PassageKind, *numbers: int, of: str = "a") -> list[PassageToRead]:
    made = []
    for n in numbers:
        span = Span(f"{of}{n}.s", 0, 8, f"Text {n}.")
        made.append(PassageToRead(Passage(f"{of}{n}", of, kind, "", span.text, (span,), n), paper(of), 1 - n / 100))
    return made


def test_tables_of_the_paper_asked_about_are_read_before_more_of_its_prose() -> None:
    """Lost otherwise: a cell of a table, behind forty passages of prose of the same paper."""
    queue = ReadingQueue([*of_kind("body", *range(40)), *of_kind("table", 50, 51, 52, 53)], 6)
    first = queue.take(6)
    queue.learn(first, {"a1"})
    assert [item.passage.id for item in first] == [f"a{n}" for n in range(6)]
    assert [item.passage.id for item in queue.take(6)] == ["a50", "a51", "a6", "a52", "a53", "a7"]


def test_papers_that_bring_nothing_are_not_read_on() -> None:
    """Lost otherwise: tokens, to passages of a paper that says nothing on the question; but its tables may."""
    others = of_kind("body", *range(60, 64), of="b")
    queue = ReadingQueue([*of_kind("body", *range(40)), *others, *of_kind("table", 50)], 6)
    queue.learn(queue.take(6), set())
    after = queue.take(20)
    assert [item.passage.id for item in after] == ["a50", *(item.passage.id for item in others)]
    queue.learn(after, set())
    assert BARREN < 4 and not queue.take(20)


def test_a_question_about_many_papers_reads_no_tables_first() -> None:
    """Lost otherwise: the prose that answers a question on a whole field, to tables that happen to be there."""
    found = [item for name in "bcdefghi" for item in of_kind("body", 1, of=name)]
    queue = ReadingQueue([*found, *of_kind("table", 50, of="b")], 6)
    queue.learn(queue.take(6), {"b1"})
    assert [item.passage.id for item in queue.take(3)] == ["h1", "i1", "b50"]


def test_other_phrasings_are_asked_for_where_the_first_passages_do_not_suffice() -> None:
    """Lost otherwise: a call of a model for each question that needs none; or papers that use other words."""
    asked: list[int] = []

    async def widen() -> list[PassageToRead]:
        asked.append(1)
        return of_kind("abstract", 1, of="z")

    for good in ({0: 9}, {}):
        script = Script(good)
        items = found(19)
        result = asyncio.run(
            gather(script, "Which dose?", items, EvidenceSettings(), lambda _: None, 10, widen)  # type: ignore[arg-type]
        )
        assert len(asked) == (0 if good else 1)
    assert "z1" in result.read, "and what they find is read"


def test_no_sentence_is_sent_twice() -> None:
    """Lost otherwise: tokens, to what overlapping passages share; or the caption that rows need to be understood."""
    texts = {name: Span(name, 0, 9, f"It is {name}.") for name in ("caption", "one", "two", "three")}

    def of_table(number: int, *names: str) -> PassageToRead:
        passage = Passage(f"p{number}", "a", "table", "", "…", tuple(texts[name] for name in names), number)
        return PassageToRead(passage, paper("a"), 1.0)

    first, second = of_table(0, "caption", "one", "two"), of_table(1, "caption", "two", "three")
    assert first.without(()) is first
    left = second.without({"caption", "one", "two"})
    assert left and [span.id for span in left.spans] == ["three"] and left.context == "It is caption."
    assert first.without({"caption", "one", "two"}) is None


def test_a_reading_that_cannot_be_used_does_not_cost_the_others() -> None:
    """Lost otherwise: what the other passages of the call say."""
    items = of_papers("a", "a", "a", "a")

    def said(number: object, spans: object = (1,), score: object = 5) -> dict[str, object]:
        return {"passage": number, "relevant": True, "score": score, "spans": spans, "summary": ""}

    one, other = said(1), said(4, [2])
    wrong = [said(2, [3]), said(3, [1], 11), said(5), said(0), said(2, []), said(1, [2]), 7, None, {}, "?"]
    found = usable([*wrong[:5], one, *wrong[5:], other], items)
    assert {place: read.spans for place, read in found.items()} == {0: [1], 3: [2]}


def test_each_reading_is_kept_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lost otherwise: the money for all passages of a paper, where one more of them is read the next time."""
    monkeypatch.setattr("conspectus.ingest.executor.ParsePool", InlinePool)
    text = " ".join(f"On day {n} the cats of house {n} slept in the warm sun until noon." for n in range(400))
    with open_library(tmp_path / "lib") as library, serve_script(reader("day 3 ")) as server:
        library.add([write(tmp_path / "cats.md", markdown("Cats", text))])
        first = library.ask("When do cats sleep?", model=server.url, depth="quick")
        again = library.ask("When do cats sleep?", model=server.url)
        reading = [request_text(body) for body in server.requests if task(body) == "gather"]
    assert first.usage.passages < again.usage.passages
    format_evidence = [line for said in reading for line in re.findall(r"^\[\d+\] (.*)$", said, re.MULTILINE)]
    assert len(format_evidence) == len(set(format_evidence)), "each sentence is sent once, though passages overlap"
    assert len(reading) < again.usage.passages, "several passages together"


def test_an_abstract_is_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lost otherwise: what a long abstract concludes, to a model that reads the half of it that was found."""
    monkeypatch.setattr("conspectus.ingest.executor.ParsePool", InlinePool)
    text = " ".join(f"On day {n} the cats of house {n} slept in the warm sun until noon." for n in range(45))
    records = [{"id": "cats", "title": "Cats asleep", "abstract": text}]
    with open_library(tmp_path / "lib") as library, serve_script(reader("on day 44 ")) as server:
        library.add([write_jsonl(tmp_path / "cats.jsonl", records)])
        passages = list(library.passages(library.paper("cats").id))
        found = library.ask("When do cats sleep?", model=server.url)
        (said,) = [request_text(body) for body in server.requests if task(body) == "gather"]
    assert len(passages) > 1 and found.answered
    days = [int(day) for day in re.findall(r"^\[\d+\] On day (\d+) ", said, re.MULTILINE)]
    assert days == list(range(45)), "all of it, in order, each sentence once"
    assert {span.id for item in found.evidence for span in item.spans} <= {s.id for one in passages for s in one.spans}
