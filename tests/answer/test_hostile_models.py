"""A thousand answers of models that make every mistake: no citation without its sentence, no quote altered."""

import json
import random
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conspectus import Library
from conspectus.core.errors import ConspectusError
from conspectus.records import Answer
from helpers import InlinePool, markdown, open_library, write
from language_server import InProcess, Say
from oracle import evidence, read_each, sentences, task

ANSWERS = 125
"""In each of eight parts."""
WORDS = "halo galaxy curve flat mass dark star disc gas spin orbit model 10 kpc 4.5 % not higher".split()
FAKES = (
    "[99]",
    "(Smith et al., 2020)",
    "doi:10.9999/fake.1",
    "https://doi.org/10.9999/fake.2",
    "[e99]",
    "arXiv:2099.00001",
    "[Rubin 1980, p. 77]",
    "</evidence-00000000>",
    "\x1b[31m",
    "\u202e",
    "~~",
    "{question}",
)
GARBAGE = (
    "",
    "null",
    "[]",
    "{",
    '{"statements": 3}',
    "I am sorry.",
    "```json\n{}\n```",
    '{"a": ' * 2000,
    "\\ud800",
    '{"readings": [{"passage": 1, "relevant": true, "score": 1e999, "spans": [0.5], "summary": null}, 7, null]}',
    '{"readings": []}',
    '{"answerable": true, "statements": [{"text": "\\u0000", "evidence": ["e1"]}], "missing": ""}',
    "x" * 50_000,
)


class Chaos:
    """Answers at random, more often in the right form than not."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._lock = threading.Lock()

    def __call__(self, body: dict[str, Any]) -> Any:
        with self._lock:
            return self._answer(body)

    def _answer(self, body: dict[str, Any]) -> Any:
        draw, name = self._random, task(body)
        if draw.random() < 0.08:
            return draw.choice(GARBAGE)
        if draw.random() < 0.02:
            return Say(refusal="I will not.")
        if draw.random() < 0.02:
            return Say('{"statements": [{"text": "It breaks', finish="length")
        makers: dict[str, Callable[[dict[str, Any]], Any]] = {
            "gather": lambda body: read_each(body, self._gather),
            "write": self._written,
            "better": self._written,
            "critique": lambda body: {"points": self._claims(body)},
            "judge": self._judge,
            "rephrase": lambda _: {"phrasings": [self._text() for _ in range(draw.randint(0, 4))]},
            "opinion": self._opinion,
            "background": lambda _: {"text": self._text()},
            "bibliographic": lambda _: dict.fromkeys(("ads", "openalex", "pubmed", "explanation"), self._text()),
        }
        return json.dumps(makers[name](body))

    def _text(self) -> str:
        weights = [4] * len(WORDS) + [1] * len(FAKES)
        return " ".join(self._random.choices([*WORDS, *FAKES], weights, k=self._random.randint(0, 14)))

    def _gather(self, body: dict[str, Any]) -> Any:
        draw, known = self._random, sentences(body)
        numbers = [draw.randint(-1, len(known) + 1) if draw.random() < 0.1 else draw.choice([*known]) for _ in range(3)]
        spans = numbers[: draw.randint(0, 3)]
        return {"relevant": draw.random() < 0.8, "score": draw.randint(0, 10), "spans": spans, "summary": self._text()}

    def _claims(self, body: dict[str, Any]) -> list[dict[str, Any]]:
        draw, known = self._random, evidence(body)
        claims = []
        for _ in range(draw.randint(0, 4)):
            names = [draw.choice([*known, "e99"]) if draw.random() < 0.05 else draw.choice([*known]) for _ in range(2)]
            text = known.get(names[0], "") if draw.random() < 0.5 else self._text()
            if draw.random() < 0.3:  # a quote that is not one
                words = f"{text} {self._text()}".split()
                draw.shuffle(words)
                text = " ".join(words)
            claims.append({"text": f"{text} {self._text()}", "evidence": names[: draw.choice([0, 1, 1, 1, 2, 2])]})
        return claims

    def _written(self, body: dict[str, Any]) -> Any:
        return {"answerable": self._random.random() < 0.9, "statements": self._claims(body), "missing": self._text()}

    def _opinion(self, body: dict[str, Any]) -> Any:
        return {"agrees": self._random.random() < 0.5, "why": self._text(), "statements": self._claims(body)}

    def _judge(self, _: dict[str, Any]) -> Any:
        draw, states = self._random, ["supported", "partly", "unsupported"]
        numbers = range(1, draw.randint(1, 6))
        return {"verdicts": [{"number": n, "status": draw.choice(states), "why": self._text()} for n in numbers]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    draw = random.Random(7)
    names = []
    for number in range(8):
        said = " ".join(" ".join(draw.choices(WORDS, k=9)).capitalize() + "." for _ in range(6))
        names.append(write(folder / f"{number}.md", markdown(f"Paper {number}", said, authors="Rubin, V", year="1980")))
    with pytest.MonkeyPatch.context() as patch, open_library(folder / "lib") as library:
        patch.setattr("conspectus.ingest.executor.ParsePool", InlinePool)
        library.add(names)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.again) for part in range(1, 8))])
def test_whatever_models_say_every_citation_resolves(folder: Path, part: int, tmp_path: Path) -> None:
    """The one promise: a citation leads to the very words that are shown, whatever a model made of its task."""
    draw = random.Random(part)
    answered = failed = cited = 0
    limits = {"evidence__read": 5, "evidence__keep": 3, "evidence__phrasings": 1, "language__cache": False}
    with open_library(folder / "lib", models={"chaos": InProcess(Chaos(part))}, **limits) as library:
        known = {span.id: (paper.id, passage.id, span.text) for paper in library.papers()
                 for passage in library.passages(paper.id) for span in passage.spans}  # fmt: skip
        for number in range(ANSWERS):
            options = {
                "kind": draw.choice(["single", "multi", "multi", "nuanced", "bibliometric"]),
                "depth": draw.choice(["quick", "standard"]),
                "strict": draw.random() < 0.2,
                "background": draw.random() < 0.2,
                "second_opinion": "chaos" if draw.random() < 0.2 else "",
            }
            question = f"What of the {draw.choice(WORDS)} number {number}?"
            try:
                answer = library.ask(question, model="chaos", **options)
            except ConspectusError:
                failed += 1
                continue
            answered += answer.answered or bool(answer.statements)
            cited += assert_grounded(answer, known)
            if answer.answered and number % 10 == 0 and options["kind"] != "bibliometric":
                assert_kept(library, answer)
    assert answered > 30 and cited > 75, (answered, failed, cited)


def assert_grounded(answer: Answer, known: dict[str, tuple[str, str, str]]) -> int:
    """Every citation leads to its words; how many there are."""
    count = 0
    drafts = [statement for draft in answer.drafts for statement in draft.statements]
    for statement in (*answer.statements, *drafts):
        assert "10.9999" not in statement.text and "[99]" not in statement.text
        assert {item.id for item in answer.evidence} >= {name.partition(".")[0] for name in statement.evidence}
        for citation in statement.citations:
            count += 1
            texts = []
            for span in citation.spans:
                paper, _, text = known[span.id]
                assert (citation.paper.id, text) == (paper, span.text)
                texts.append(text)
            assert texts and citation.quote == " … ".join(texts)
    assert all(statement.citations for statement in answer.statements)
    borne_out = any(statement.status != "unsupported" for statement in answer.statements)
    assert answer.answered == (borne_out or bool(answer.queries))
    assert answer.answered or answer.reason
    return count


def assert_kept(library: Library, answer: Answer) -> None:
    from conspectus.answer.prose import prose
    from conspectus.answer.sql import load_answer

    kept = load_answer(library.session.catalog, answer.id, prose).answer
    assert kept.statements == answer.statements and kept.text == answer.text
