"""Sets: read as they are, refused where they are not whole."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from conspectus.core.errors import ConspectusError, InputError, NotFoundError
from conspectus.evaluation import Dataset, load
from conspectus.evaluation.question_sets import QUESTIONS, SetReader
from conspectus.evaluation.set_files import read_beir_folder

Make = Callable[..., Path]


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


def test_names_that_are_no_sets(monkeypatch: pytest.MonkeyPatch, beir: Make, tmp_path: Path) -> None:
    reader = SetReader("mine", "of mine", "mine", read_beir_folder)
    monkeypatch.setattr("conspectus.evaluation.question_sets.InstalledSets", lambda group: {"mine": reader})
    with pytest.raises(NotFoundError, match="no set 'min'") as error:
        load("min", tmp_path)
    assert "'mine'" in error.value.hint
    with pytest.raises(NotFoundError, match="The set 'mine' is not in"):
        load("mine", tmp_path)
    with pytest.raises(ConspectusError, match="no folder of data"):
        load("mine", tmp_path / "none")
    with pytest.raises(InputError, match="no questions with relevant papers"):
        (tmp_path / "mine").mkdir()
        replace(reader, read=lambda data: Dataset("mine", "", lambda: iter(()), ())).load(tmp_path, QUESTIONS)
    monkeypatch.setattr("conspectus.evaluation.question_sets.InstalledSets", lambda group: {})
    with pytest.raises(NotFoundError, match="no set 'scifact'") as error:
        load("scifact", tmp_path)
    assert "conspectus-evaluations" in error.value.hint, "what brings more sets is named"
