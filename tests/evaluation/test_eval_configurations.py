"""Configurations: named, described, refused."""

import pytest

from conspectus.core.errors import UsageError
from conspectus.evaluation import BUILT_IN, Configuration, configuration, select_configurations
from conspectus.evaluation.configurations import needs_own_library
from conspectus.settings import load_settings


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_built_in_configuration_is_valid(name: str) -> None:
    """One that a renamed setting broke is found here and not by who measures."""
    load_settings(None, BUILT_IN[name], {})


def test_own_configurations() -> None:
    assert configuration('low=search.rerank=0 search.dense_weight="0.5"') == Configuration(
        "low", {"search.rerank": "0", "search.dense_weight": "0.5"}
    )
    assert configuration("m=model=openai:x").overrides == {"language.model": "openai:x"}
    mine = configuration("bm25=search.rerank=3")
    assert select_configurations(["bm25", "default"], [mine]) == (mine, Configuration("default", {}))
    assert [one.name for one in select_configurations([], [mine])] == ["bm25"]
    assert [one.name for one in select_configurations([])] == ["default"]
    assert needs_own_library(configuration("x=models.embedder=ollama:y")) and not needs_own_library(mine)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("low", "no configuration"),
        ("low=", "no configuration"),
        ("=search.k=3", "no configuration"),
        ("low=search.k", "no configuration"),
        ("search.k=3", "no configuration"),
        ('low=search.k="3', "cannot be read"),
        ("low=search.rerankk=3", "no setting 'search.rerankk'"),
    ],
)
def test_what_is_no_configuration_is_refused(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        configuration(text)


def test_names_are_known_and_not_twice() -> None:
    with pytest.raises(UsageError, match="bm25"):
        select_configurations(["bm2"])
    with pytest.raises(UsageError, match="two configurations"):
        select_configurations([], [configuration("a=search.k=1"), configuration("a=search.k=2")])
