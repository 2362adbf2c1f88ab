"""A real model of 135 million weights under llama.cpp: too weak to judge, so every path is tried the hard way."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from conspectus import Library
from conspectus.core.errors import ModelAnswerError
from conspectus.llm.sql import sum_spending
from helpers import InlinePool, markdown, open_library, write

pytestmark = [pytest.mark.llm, pytest.mark.slow]

TEXTS = {
    "Halos": "Galaxies rotate at the same speed far out. A dark halo of 10 kpc explains this. Stars alone do not.",
    "Gravity": "In modified gravity the rotation curve of galaxies stays flat. It needs no dark halo at all.",
    "Cats": "Cats purr when they are warm. They sleep for 14 hours a day in the sun.",
}
LIMITS = {"evidence__read": 2, "evidence__phrasings": 1, "evidence__least": 1}
MOST, MORE = 60, 120
"""Tokens of an answer."""


@pytest.fixture
def library(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Library]:
    """Three papers, and answers of a model of `MOST` tokens or as many as are asked for."""
    monkeypatch.setattr("conspectus.ingest.executor.ParsePool", InlinePool)
    papers = [write(tmp_path / f"{title}.md", markdown(title, text, year="2001")) for title, text in TEXTS.items()]
    with open_library(
        tmp_path / "lib", language__timeout=120.0, language__max_tokens=getattr(request, "param", MOST), **LIMITS
    ) as library:
        library.add(papers)
        yield library


@pytest.mark.parametrize(
    ("library", "options"),
    [
        (MOST, {}),
        pytest.param(MORE, {"kind": "nuanced", "background": True}, marks=pytest.mark.again),
        pytest.param(MOST, {"kind": "bibliometric"}, marks=pytest.mark.again),
    ],
    indirect=["library"],
)
def test_a_weak_model_cannot_break_a_promise(library: Library, smollm_url: str, options: dict[str, str]) -> None:
    """Whoever runs a model that is too small gets an answer whose citations lead somewhere, or an error; no crash."""
    known = {
        span.id: span.text for paper in library.papers() for item in library.passages(paper.id) for span in item.spans
    }
    try:
        answer = library.ask("Why do galaxies rotate so fast?", model=smollm_url, **options)  # type: ignore[arg-type]
    except ModelAnswerError as error:
        assert "twice" in error.message and error.hint
    else:
        assert answer.answered or answer.reason
        for statement in answer.statements:
            assert statement.citations
            for citation in statement.citations:
                assert citation.quote == " … ".join(known[span.id] for span in citation.spans)
    totals = {row.name: row for row in sum_spending(library.session.catalog, by="prompt")}
    assert totals and all(row.calls <= 6 for row in totals.values()), "it asks without end"
    if options.get("kind") != "bibliometric":
        gathered = next(row for name, row in totals.items() if name.startswith("gather/"))
        assert gathered.calls - gathered.failed >= 2 and gathered.completion_tokens > 0


@pytest.mark.again  # the model's way is that of the test above
def test_a_weak_model_cannot_break_a_conversation(library: Library, smollm_url: str) -> None:
    """What it makes of a follow-up is a question, and shown; else the follow-up is asked as it stands."""
    talk = library.answers.begin_conversation()
    library.ask("Why does the rotation curve of galaxies stay flat?", model="none", conversation=talk)
    follow_up = "And what of it without a dark halo?"
    try:
        answer = library.ask(follow_up, model=smollm_url, depth="quick", conversation=talk)
    except ModelAnswerError as error:
        assert "twice" in error.message and error.hint
    else:
        assert answer.question == follow_up
        assert not answer.standalone or answer.standalone.isprintable()
    rows = [row for row in sum_spending(library.session.catalog, by="prompt") if row.name.startswith("standalone/")]
    assert len(rows) == 1 and 1 <= rows[0].calls <= 2 and rows[0].completion_tokens > 0
