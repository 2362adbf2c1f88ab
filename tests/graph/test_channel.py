"""Passages found by the entities that a question names: the printed algorithms by hand, and beside other search."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from conspectus import Filters, Library
from conspectus.cli.app import app
from conspectus.cli.state import State
from conspectus.errors import NotFoundError
from conspectus.graph.channel import (
    GraphChannel,
    NearTies,
    PassageWalk,
    collect_places,
    rescore_near_tie,
    sort_by_rarity,
    span_weight,
)
from conspectus.graph.explorer import Explorer
from conspectus.graph.mention_finder import concepts_in
from conspectus.graph.verdicts import keep_verdicts, make_verdict
from conspectus.papers.retriever import make_retriever
from conspectus.session.session import LazyResources
from conspectus.settings.user_folders import library_cache
from conspectus.store import entities
from graph.vocabularies import put_vocabulary
from helpers import catalog_flags, markdown, open_library, write

pytestmark = pytest.mark.usefixtures("quick_pool")
PAPERS = {
    "ab": "A word of alpha and beta.",
    "ax": "Here alpha meets sigma.",
    "xb": "There sigma meets beta.",
    "ay": "Only alpha and kappa.",
    "yb": "A zeta with beta.",
    "c": "Then gamma meets alpha.",
    "cx": "And gamma meets sigma.",
}
GREEK = {f"G:{name}": (name,) for name in ("alpha", "beta", "gamma", "kappa", "sigma", "zeta")}


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(tmp_path / "lib") as opened:
        opened.add([write(tmp_path / f"{name}.md", markdown(name, text)) for name, text in PAPERS.items()])
        put_vocabulary(opened, GREEK, "Greek")
        opened.graph.link()
        yield opened


def linking_folder(library: Library) -> Path:
    """Where the names of its vocabularies are cached."""
    return library_cache(library.folder) / "linking"


def keys(library: Library, *names: str) -> list[int]:
    return [key for name in names for key in entities.find_concepts(library.session.catalog, name)]


def collected(library: Library, *names: str, filters: Filters | None = None) -> set[str]:
    explorer = Explorer(library.session.catalog, filters or Filters())
    found = {one.paper for one in collect_places(explorer, keys(library, *names))}
    return {one.title for one in library.session.catalog.papers_by_key(list(found)).values()}


def test_of_one_entity_all_that_describes_it(library: Library) -> None:
    assert collected(library, "alpha") == {"ab", "ax", "ay", "c"}


def test_of_two_the_ways_between_them(library: Library) -> None:
    """alpha — beta, alpha — sigma — beta; kappa leads nowhere, and zeta does not meet alpha."""
    assert collected(library, "alpha", "beta") == {"ab", "ax", "xb"}
    assert collected(library, "kappa", "zeta") == set()


def test_of_three_the_ways_between_the_two_most_important_and_the_other(library: Library) -> None:
    """alpha — sigma directly and by gamma; beta — sigma directly and by alpha."""
    assert collected(library, "alpha", "beta", "sigma") == {"ax", "c", "cx", "xb", "ab"}
    """kappa — alpha alone, and zeta — beta — alpha."""
    assert collected(library, "kappa", "zeta", "alpha") == {"ay", "yb", "ab"}


def test_what_fewest_speak_of_is_most_important(library: Library) -> None:
    order = sort_by_rarity(Explorer(library.session.catalog), keys(library, "alpha", "kappa", "beta", "zeta"))
    assert order == keys(library, "kappa", "zeta", "beta", "alpha")


def test_the_graph_brings_passages_that_others_do_not_rank_first(library: Library) -> None:
    plain = library.search("alpha kappa", k=7)
    found = library.search("alpha kappa", k=7, settings={"search.graph": "subgraph", "search.graph_weight": 1.0})
    assert found.hits[0].paper.title == "ay" and found.hits[0].factors["graph"] == 1.0
    assert "graph" not in plain.hits[0].factors
    walked = library.search("kappa", k=1, settings={"search.graph": "pagerank", "search.graph_weight": 1.0})
    assert walked.hits[0].paper.title == "ay" and walked.hits[0].factors["graph"] == 1.0


def test_what_was_not_linked_is_told(library: Library, tmp_path: Path) -> None:
    library.add(write(tmp_path / "new.md", markdown("new", "A new alpha.")))
    assert library.search("alpha", settings={"search.graph": "subgraph"}).note.endswith(": 1 paper.")
    (told,) = [one for one in library.doctor().findings if one.check == "graph"]
    assert not told.ok and told.detail.endswith(": 1 paper")
    library.graph.link()
    assert [one.ok for one in library.doctor().findings if one.check == "graph"] == [True]


def test_a_walk_returns_to_where_it_began() -> None:
    """alpha is in passages p and q, beta in q: with damping 1/2 the walk from beta is at q most."""
    walker = PassageWalk.of([(1, "p", 10), (1, "q", 10), (1, "q", 20), (1, "q", 20)])
    ranked = dict(zip(walker.passages, walker.rank_passages({20: 1.0}), strict=True))
    # here = (alpha, beta) solves here = 1/2 (0, 1) + 1/2 back; back(alpha) = p + q/2, back(beta) = q/2
    alpha, beta = 0.25, 0.75
    assert ranked[1, "q"] == pytest.approx(alpha / 2 + beta, abs=0.05) and ranked[1, "q"] > ranked[1, "p"]
    assert sum(ranked.values()) == pytest.approx(1.0)
    assert not walker.rank_passages({99: 1.0}).any()


@pytest.mark.parametrize(
    ("difference", "weight"), [(0.0, 0.1), (0.01, 0.1), (0.015, 0.15), (0.03, 0.2), (0.05, 0.3), (0.051, 0.0)]
)
def test_weights_of_table_1(difference: float, weight: float) -> None:
    assert span_weight(difference) == weight


def test_near_ties_by_hand() -> None:
    question = np.array([1.0, 0.0], np.float32)
    near, far = np.array([[0.6, 0.8], [1.0, 0.0]], np.float32), np.array([[0.0, 1.0]], np.float32)
    # 0.80 and 0.795: weight 0.1; the second becomes 0.795 * 0.9 + 1.0 * 0.1 = 0.8155, the first stays
    first, second = rescore_near_tie(question, (0.80, 0.795), (far, near))
    assert (first, second) == (0.80, pytest.approx(0.8155))
    assert rescore_near_tie(question, (0.80, 0.70), (far, near)) == (0.80, 0.70)
    assert rescore_near_tie(question, (0.80, 0.795), (far, near[:0])) == (0.80, 0.795)


def test_a_question_is_answered_by_the_graph_too(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    """`ask --graph` is to reach what searches for the answer."""
    seen = []
    found = GraphChannel.__call__
    monkeypatch.setattr(GraphChannel, "__call__", lambda *given: seen.append(given[2]) or found(*given))
    folder, flags = library.folder, [f"--set={name}={value}" for name, value in catalog_flags(library.folder).items()]
    monkeypatch.setattr(State, "library", lambda state, **_: open_library(folder, **_named(state.flags)))
    result = CliRunner().invoke(app, [*flags, "ask", "What meets alpha and beta?", "--graph"])
    assert result.exit_code == 0 and seen == ["What meets alpha and beta?"], result.output
    CliRunner().invoke(app, [*flags, "ask", "What meets alpha and beta?"])
    assert len(seen) == 1


def _named(flags: dict[str, str]) -> dict[str, str]:
    return {name.replace(".", "__"): value for name, value in flags.items()}


def test_names_are_put_together_once(library: Library) -> None:
    """Else each process would wait for it before the first question."""
    (kept_file,) = linking_folder(library).iterdir()
    before = kept_file.stat()
    question = {"search.graph": "subgraph", "search.graph_weight": 1.0}
    for again in range(2):
        with open_library(library.folder) as other:
            assert concepts_in(other.session, "Is gamma a zeta?") == keys(other, "gamma", "zeta")
            assert other.search("alpha kappa", k=7, settings=question)
        same = (kept_file.stat().st_ino, kept_file.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
        assert same is not bool(again), "a file that a disk has spoilt is made anew"
        kept_file.write_bytes(kept_file.read_bytes()[:-8] + b"\1" * 8)


def test_names_that_changed_are_put_together_anew(library: Library) -> None:
    (before,) = linking_folder(library).iterdir()
    put_vocabulary(library, {"L:1": ("kappa", "omega"), "L:2": ("omicron",)}, "Letters")
    library.graph.link()
    library.vocabularies.name("sigma", "leave")
    assert concepts_in(library.session, "sigma, zeta, omicron or omega") == keys(library, "zeta", "kappa")
    assert concepts_in(library.session, "omicrons", whole_text=True, mentioned=False) == keys(library, "omicron")
    (after,) = linking_folder(library).iterdir()
    assert before != after
    library.vocabularies.remove("Letters")
    assert not linking_folder(library).exists(), "names of a vocabulary that was removed stay nowhere"


def test_of_a_library_from_elsewhere_no_names_are_taken(library: Library) -> None:
    """A file made to mislead would be believed."""
    (library.folder / "linking").mkdir()
    for kept_file in linking_folder(library).iterdir():
        (library.folder / "linking" / kept_file.name).write_bytes(b"")
    fresh = replace(library.session, parts=LazyResources())
    assert concepts_in(fresh, "zetas") == keys(library, "zeta")


def test_what_no_paper_speaks_of_is_told_so(library: Library) -> None:
    put_vocabulary(library, {"L:2": ("omicron",)}, "Letters")
    with pytest.raises(NotFoundError, match="No paper that counts here speaks of 'omicrons'"):
        library.graph.show(["omicrons"])


def test_near_ties_are_told_apart_by_sentences_about_the_entities(library: Library) -> None:
    """Algorithm 1 as a step of search: a sentence nearer to the question counts for its passage."""
    alone = {"search.dense_weight": 1.0, "search.rerank": 0, "search.by_query": False}
    plain = library.search("Only alpha and kappa.", k=2, settings=alone)
    assert not any("near_tie" in hit.factors for hit in plain.hits)
    near = NearTies(library.session)
    retriever = make_retriever(library.session)
    asked = retriever.encode("Where alpha and kappa are.", Filters())
    ay, ab = (next(iter(library.session.catalog.passage_keys(paper(library, name)).tolist())) for name in ("ay", "ab"))
    told = near(retriever, asked, {ab: 0.50, ay: 0.495})
    assert told[ay] >= 0.495 and told[ab] >= 0.50 and told != {ab: 0.50, ay: 0.495}
    assert near(retriever, asked, {ab: 0.60, ay: 0.50}) == {}, "not near"
    assert near(retriever, retriever.encode("Nothing that is named.", Filters()), {ab: 0.50, ay: 0.495}) == {}
    found = library.search("Where alpha and kappa are.", k=2, settings={**alone, "search.graph_near_ties": True})
    cosines = [hit.factors["cosine"] for hit in found.hits]
    told_here = ["near_tie" in hit.factors for hit in found.hits]
    assert all(told_here) == (abs(cosines[0] - cosines[1]) < 0.05)


def paper(library: Library, title: str) -> str:
    return next(one.id for one in library.papers() if one.title == title)


def test_the_router_follows_what_was_measured(library: Library, tmp_path: Path) -> None:
    """`auto` uses the graph only where it was measured to help on this library, and says why."""
    auto = {"search.graph": "auto"}

    def asked() -> tuple[bool, str]:
        found = library.search("alpha kappa", k=3, settings=auto)
        return any("graph" in hit.factors for hit in found.hits), found.method

    used, said = asked()
    assert not used and "never measured" in said
    session = library.session
    better, worse = (
        make_verdict(session, method, "nDCG@10", said, 40, "any")
        for method, said in (("pagerank", (0.05, 0.01, 0.09)), ("subgraph", (0.06, -0.01, 0.12)))
    )
    keep_verdicts(session, [worse])
    used, said = asked()
    assert (
        not used
        and "it did not help when measured here (subgraph nDCG@10 +0.060 [-0.010, +0.120] on 40 questions" in said
    )
    keep_verdicts(session, [worse, better])
    used, said = asked()
    assert used and "gains here (pagerank nDCG@10 +0.050 [+0.010, +0.090]" in said
    library.add([write(tmp_path / f"n{n}.md", markdown(f"n{n}", f"Another paper {n}.")) for n in range(1)])
    used, said = asked()
    assert not used and "8 papers, 7 before, since it was measured" in said
    put_vocabulary(library, {"R:one": ("unus",)}, "Roman")
    assert "vocabularies, embedder" in asked()[1]


def test_the_router_tells_questions_apart(library: Library) -> None:
    """What questions of entities that no sentence joins gain is no reason to use the graph for others."""
    session = library.session
    said = {"any": (-0.01, -0.02, 0.01), "apart": (0.1, 0.05, 0.15)}
    verdicts = [make_verdict(session, "subgraph", "nDCG@10", one, 40, kind) for kind, one in said.items()]
    keep_verdicts(session, verdicts)

    def uses(question: str) -> bool:
        found = library.search(question, settings={"search.graph": "auto"})
        assert "a question's entities together, which gains here" in found.method
        return any("graph" in hit.factors for hit in found.hits)

    assert uses("How is kappa related to beta?")
    assert not uses("How is alpha related to beta?"), "a sentence speaks of both"
    assert not uses("What is kappa?")
    keep_verdicts(session, verdicts[:1])
    assert "it did not help" in library.search("kappa beta", settings={"search.graph": "auto"}).method
    keep_verdicts(session, [replace(verdicts[0], low=0.001), verdicts[1]])
    assert "graph" in library.search("alpha", settings={"search.graph": "auto"}).hits[0].factors
