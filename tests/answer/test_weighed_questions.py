"""What one question weighs papers by."""

from pathlib import Path

import pytest

from conspectus import Library
from conspectus.core.errors import UsageError
from helpers import open_library, write_jsonl

QUESTION = "At how many hertz do cats purr?"


def papers(library: Library, **options: object) -> list[str]:
    """Titles of those cited, in the order of the statements."""
    found = library.ask(QUESTION, **options)  # type: ignore[arg-type]
    return [item.paper.title for statement in found.statements for item in statement.citations]


def test_a_question_has_weights_of_its_own(tmp_path: Path) -> None:
    """Who wants the newest papers for one question would have to change what all others are answered with."""
    said = "Cats purr at 25 hertz. In the light of many nights, so they do."
    records = [{"title": title, "year": year, "abstract": said} for title, year in (("Old", 1980), ("New", 2024))]
    records.append({"title": "Else", "year": 1979, "abstract": "Dogs bark at hertz beyond counting."})
    with open_library(tmp_path / "lib", search__recency_weight=0.3, answer__passages=1) as library:
        library.add(write_jsonl(tmp_path / "all.jsonl", records))
        assert papers(library)[0] == "Old"
        assert papers(library, weight=("recency",))[0] == "New"
        saved = library.answers.show("last").options
        assert saved.weight == ("recency",), "a rerun is asked alike"
        assert not library.answers.rerun("last").changed
        assert papers(library)[0] == "Old"
        for wrong in ({"weight": ("beauty",)}, {"weighting": "loud"}):
            with pytest.raises(UsageError):
                papers(library, **wrong)
