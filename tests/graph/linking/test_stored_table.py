"""The table of names in a file: a question gets of it what it gets of all names in memory."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.graph.linking.linker import Linker, link_question
from conspectus.graph.linking.name_table import ComputedNameTable, RankedName, Rules
from conspectus.graph.name_table_cache import StoredNameTable, save_table

LISTED = {
    1: ("retina", "Retinae"),
    2: ("heart", "cor"),
    3: ("retinal vein", "vein of retina"),
    4: ("retinal artery", "artery of retina"),
    5: ("long-term potentiation", "LTP"),
    6: ("wall, heart",),
    7: ("heart wall cell",),
    8: ("TNF-alpha", "cor"),
    9: ("Quasars",),
}
TABLE = ComputedNameTable(
    [RankedName(key, text) for key, texts in LISTED.items() for text in texts],
    Rules(use=(("pump", 2),), leave=(("cor", 2),)),
)
WORDS = (
    "retinas retinal vein of the retina heart wall cell LTP LTPs long-term potentiation (LTP) , cor TNF-α pump quasar"
)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> StoredNameTable:
    path = tmp_path_factory.mktemp("kept") / "it's a name?.sqlite"
    save_table(TABLE, path)
    return StoredNameTable(path)


@given(st.lists(st.sampled_from(WORDS.split()), max_size=8).map(" ".join))
def test_a_question_finds_the_same(kept: StoredNameTable, text: str) -> None:
    """Else what is found would hang on whether somebody has linked before."""
    all_names = Linker(TABLE).link_question(text)
    assert link_question(kept, text, lambda keys: keys) == all_names == link_question(TABLE, text, lambda keys: keys)


def test_the_whole_table_comes_back(kept: StoredNameTable) -> None:
    assert kept.in_memory.readings == TABLE.readings and kept.longest == TABLE.longest
    assert not kept.readings, "it stays in the file"


def test_a_longer_name_that_is_not_wanted_hides_no_other(kept: StoredNameTable) -> None:
    found = link_question(kept, "a heart wall cell", lambda keys: set(keys) - {7})
    assert [one.concept for one in found] == [6]
