"""Sets: read as they are, refused where they are not whole."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from conspectus.core.errors import ConspectusError, InputError, NotFoundError, UsageError
from conspectus.evals import known, load

Make = Callable[..., Path]

COUNTS = {
    "scifact": (5183, 809),
    "pubmedqa": (500, 500),
    "bioasq": (7808, 1497),
    "cranfield": (1400, 225),
    "sysrev": (11546, 10),
    "arxiv_cited": (21887, 1141),
    "pubmedqa_hidden": (100500, 500),
    "arxiv_astro": (20078, 500),
}


def test_every_set_is_counted_here() -> None:
    assert set(COUNTS) == set(known())


@pytest.mark.data
@pytest.mark.parametrize("name", COUNTS)
def test_a_set_is_what_its_readme_says(name: str, data: Path) -> None:
    """A set read wrongly gives figures that mean something else."""
    found = load(name, data)
    names = [one.id for one in found.documents()]
    assert (len(names), len(found.questions)) == COUNTS[name]
    assert len(set(names)) == len(names) and len({one.id for one in found.questions}) == len(found.questions)
    there = set(names)
    for question in found.questions:
        assert question.text.strip() and question.relevant
        assert there.issuperset(question.relevant) and there.issuperset(question.exclude)
        assert not set(question.relevant) & set(question.exclude)


@pytest.mark.data
def test_hidden_questions_are_hidden_among_others(data: Path) -> None:
    """A copy of a question's own abstract among the others would count as wrong."""
    found = load("pubmedqa_hidden", data)
    own = {question.id for question in found.questions}
    texts: dict[bool, set[str]] = {True: set(), False: set()}
    for one in found.documents():
        texts[one.id in own].add(one.abstract[:200])
    assert texts[True] and not texts[True] & texts[False]


def test_a_folder_is_a_set(beir: Make) -> None:
    found = load(str(beir()))
    assert (found.name, len(list(found.documents())), len(found.questions)) == ("mine", 30, 4)
    assert found.questions[0].relevant == {"p0": 2, "p5": 2, "p10": 1, "p15": 1, "p20": 1, "p25": 1}
    assert found.notes == ("1 questions without a relevant paper were left out.",)


def test_judgements_of_beir_itself(beir: Make) -> None:
    """There they lie in a folder of their own."""
    folder = beir()
    (folder / "qrels").mkdir()
    (folder / "qrels.tsv").rename(folder / "qrels" / "test.tsv")
    assert len(load(str(folder)).questions) == 4


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("corpus.jsonl", None, "no corpus.jsonl"),
        ("qrels.tsv", None, "no qrels.tsv"),
        ("qrels.tsv", "q\tp\tscore\n0\tp1\tyes\n", "line 2"),
        ("qrels.tsv", "q\tp\tscore\n0 p1 1\n", "line 2"),
        ("queries.jsonl", '{"_id": 1, "text": "x"}\n{"_id": 2}\n', "line 2"),
        ("queries.jsonl", '{"_id": 99, "text": "x"}\n', "no questions"),
        ("queries.jsonl", '{"_id": 1, "text": "x"}\n\n{"_id": 0, "text": " "}\n', r"queries\.jsonl', line 3: .* empty"),
        ("queries.jsonl", b"\xff\xfe\n", "cannot be read"),
    ],
)
def test_what_is_not_whole_is_told_with_its_line(beir: Make, name: str, text: str | bytes | None, said: str) -> None:
    folder = beir()
    if text is None:
        (folder / name).unlink()
    else:
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError, match=said):
        load(str(folder))


def test_a_damaged_corpus_is_told(beir: Make) -> None:
    folder = beir()
    (folder / "corpus.jsonl").write_text('{"_id": "a", "title": "b", "text": "c"}\n[1]\n', "utf-8")
    with pytest.raises(InputError, match=r"corpus\.jsonl', line 2"):
        list(load(str(folder)).documents())


def test_names_that_are_no_sets(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no set 'scifac'") as told:
        load("scifac", tmp_path)
    assert "'scifact'" in told.value.hint
    with pytest.raises(UsageError, match="scholarqabench") as refused:
        load("scholarqabench", tmp_path)
    assert not isinstance(refused.value, NotFoundError)
    with pytest.raises(NotFoundError, match="not in"):
        load("scifact", tmp_path)
    with pytest.raises(ConspectusError, match="no folder of data"):
        load("scifact", tmp_path / "none")
