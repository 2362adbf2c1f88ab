"""Put one more paper into a ranking by few comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from conspectus.records.ranks import PaperRanking
from conspectus.review import sql
from conspectus.review.rank.bradley_terry import Pair, insertion_steps
from conspectus.review.rank.run import ModelRun, ask_person, has_model
from conspectus.review.rank.state import check_size, find_ranking, make_ranking_result
from conspectus.review.rank.terminal import ask_in_terminal
from conspectus.session.session import Session


def add_paper(
    session: Session, name: str, paper_name: str, steps: int | None, *, ask_me: bool, model: str, fresh: bool
) -> PaperRanking:
    """Add a paper to a ranking and compare it; see `RankVerbs.rank_add`."""
    paper = session.paper(paper_name).id
    state = find_ranking(session, name)
    if paper not in state.papers:
        check_size(len(state.papers) + 1)
        sql.add_papers(session, state.review, [paper])
        state = find_ranking(session, state.review.id)
    others = len(state.papers) - 1
    left = min(others, insertion_steps(others) if steps is None else steps) - state.comparisons_of(paper)
    if left <= 0:
        return replace(make_ranking_result(state), note="The paper was compared often enough before.")
    goal = len(state.verdicts) + left

    def next_pairs(_: int) -> Sequence[Pair]:
        pair = state.next_opponent(paper)
        return [pair] if pair else []

    if ask_me:
        return ask_person(state, ask_in_terminal, goal, next_pairs)
    if model or (has_model(session, model) and state.review.spec["judge"] == "model"):
        return ModelRun(state, goal, next_pairs).work(model, fresh=fresh)
    note = "The paper was added and is compared with no other yet: `review rank next` gives its pairs."
    return replace(make_ranking_result(state), note=note)
