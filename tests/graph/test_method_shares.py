"""What papers mostly mention in their methods is no suggestion of where to look."""

from __future__ import annotations

from pathlib import Path

import pytest

from conspectus import Filters
from conspectus.graph import sql
from conspectus.graph.entities import find_unspecific
from conspectus.lexicon.word_lists import is_on_methods
from graph.vocabularies import put_vocabulary
from helpers import open_library, write

pytestmark = pytest.mark.usefixtures("quick_pool")


@pytest.mark.parametrize(
    ("section", "on_methods"),
    [
        ("2 Materials and Methods > Scanner", True),
        ("Method", True),
        ("Experiment 1 > Participants", True),
        ("fMRI preprocessing", True),
        ("Results > Amygdala", False),
        ("Methodological considerations", False),
        ("", False),
    ],
)
def test_headings_of_methods(section: str, on_methods: bool) -> None:
    """What stands under other headings would be taken for equipment."""
    assert is_on_methods(section) is on_methods


def test_what_is_used_is_no_suggestion(tmp_path: Path) -> None:
    """`graph discover amygdala` began with informed consent: nearly every paper mentions it, in its methods."""
    with open_library(tmp_path / "lib") as library:
        for number in range(3):
            methods = f"The mouse {number} gave consent. Consent came before warmth."
            text = f"## Methods\n\n{methods}\n\n## Results\n\nPurring and warmth rose {number} times. The mouse slept."
            library.add([write(tmp_path / f"{number}.md", f"---\ntitle: Paper {number}\n---\n\n{text}\n")])
        library.add([write(tmp_path / "record.md", "---\ntitle: Consent\n---\n\nConsent alone.\n")])
        names = {"CAT:1": ("purring",), "CAT:2": ("warmth",), "CAT:3": ("mouse",), "CAT:5": ("consent",)}
        put_vocabulary(library, names)
        library.graph.link()
        shares = sql.method_shares(library.session.catalog, 5)
        ids = {key: id for key, (id, _) in sql.ids_by_vocabulary(library.session.catalog).items()}
        assert {ids[key]: round(share, 2) for key, share in shares.items()} == {"CAT:2": 0.5, "CAT:3": 0.5, "CAT:5": 1}
        assert not sql.method_shares(library.session.catalog, 100)
        left_out = find_unspecific(library.session, sql.count_mentions(library.session.catalog), Filters())
        assert {ids[key] for key in left_out} >= {"CAT:2", "CAT:3", "CAT:5"}
