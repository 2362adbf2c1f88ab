"""A small set in a folder, and libraries that embed without a model."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from helpers import HashEmbedder, InlinePool

SUBJECTS = ("galaxy rotation", "neuron spikes", "crystal phonons", "enzyme kinetics", "ocean tides")


@pytest.fixture(scope="module")
def hashing() -> Iterator[None]:
    """Every library embeds with `HashEmbedder`, named as the setting says, and reads files in this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("conspectus.ingest.executor.ParsePool", InlinePool)
        patch.setattr(
            "conspectus.models.registry.make_embedder", lambda settings: HashEmbedder(f"hash/{settings.embedder}")
        )
        yield


@pytest.fixture
def beir(tmp_path: Path) -> Callable[..., Path]:
    """Writes a set: thirty papers of five subjects, and a question for each, with the papers that it means."""

    def make(name: str = "mine", extra: str = "") -> Path:
        folder = tmp_path / name
        folder.mkdir()
        papers = [
            {"_id": f"p{number}", "title": f"On {SUBJECTS[number % 5]} {number}", "text": _text(number) + extra}
            for number in range(30)
        ]
        queries = [{"_id": number, "text": f"What is known of {subject}?"} for number, subject in enumerate(SUBJECTS)]
        judged = [f"{n % 5}\tp{n}\t{2 if n < 10 else 1}" for n in range(30) if n % 5 != 4]
        (folder / "corpus.jsonl").write_text("".join(json.dumps(one) + "\n" for one in papers), "utf-8")
        (folder / "queries.jsonl").write_text("".join(json.dumps(one) + "\n" for one in queries), "utf-8")
        (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n" + "\n".join(judged) + "\n", "utf-8")
        return folder

    return make


def _text(number: int) -> str:
    return f"The study number {number} of {SUBJECTS[number % 5]} has {number * 7} samples. Nothing else was looked at."
