"""The table of names in a file: a question gets of it what it gets of all names in memory."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.graph.linking.kept_table import KeptTable, save
from conspectus.graph.linking.linker import Linker, link_question
from conspectus.graph.linking.naming import Named, Names
from conspectus.graph.linking.rules import Rules

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
TABLE = Names(
    [Named(key, text) for key, texts in LISTED.items() for text in texts],
    Rules(use=(("pump", 2),), leave=(("cor", 2),)),
)
WORDS = (
    "retinas retinal vein of the retina heart wall cell LTP LTPs long-term potentiation (LTP) , cor TNF-α pump quasar"
)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> KeptTable:
    path = tmp_path_factory.mktemp("kept") / "it's a name?.sqlite"
    save(TABLE, path)
    return KeptTable(path)


@given(st.lists(st.sampled_from(WORDS.split()), max_size=8).map(" ".join))
def test_a_question_finds_the_same(kept: KeptTable, text: str) -> None:
    """Else what is found would hang on whether somebody has linked before."""
    all_names = Linker(TABLE).link_question(text)
    assert link_question(kept, text, lambda keys: keys) == all_names == link_question(TABLE, text, lambda keys: keys)


def test_the_whole_table_comes_back(kept: KeptTable) -> None:
    assert kept.whole.readings == TABLE.readings and kept.longest == TABLE.longest
    assert not kept.readings, "it stays in the file"


def test_a_longer_name_that_is_not_wanted_hides_no_other(kept: KeptTable) -> None:
    found = link_question(kept, "a heart wall cell", lambda keys: set(keys) - {7})
    assert [one.concept for one in found] == [6]
