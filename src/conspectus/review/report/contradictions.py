"""Contradictions between papers: statements about the same thing, which a model judges pair by pair.

PaperQA2 (Skarlinski et al. 2024, section 2.4) takes each claim of a paper and asks the literature about it. Here pairs
are found by vectors and words, so that a model reads only pairs that are about the same thing. What it says of a pair
is kept with the calls of language models: a run that was killed goes on where it was.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import msgspec

from conspectus.core.errors import BudgetError, ServiceError
from conspectus.core.job_context import emit
from conspectus.core.text import pluralize
from conspectus.evidence.model_text import cleaned
from conspectus.llm.client import LlmClient
from conspectus.llm.output_spec import OutputSpec
from conspectus.llm.prompts import fenced
from conspectus.papers.retriever import make_retriever
from conspectus.records import Citation, Filters, Paper, Usage
from conspectus.records.events import Progress
from conspectus.records.models import Role
from conspectus.records.paper import label_papers
from conspectus.records.review import Contradiction, ContradictionReport
from conspectus.review.report.paper_statements import (
    PaperStatement,
    collect_statements,
    leave_out_formulas,
    statements_of,
)
from conspectus.review.report.statement_pairs import StatementPair, pair_statements
from conspectus.review.report.statement_vectors import embed_statements
from conspectus.review.works import group_works
from conspectus.session.session import Session
from conspectus.settings import NO_MODEL

JUDGE_ROLE: Role = "judge"
WHY_CHARS = 400
_NEAR_PASSAGES = 30
"""Passages near each statement of one paper whose papers are compared with it."""
_NEAR_PAPERS = 200
"""Papers that one paper is compared with, at most."""
_AROUND = 1
"""Sentences before and after the one compared that explain it."""
_UNFIT = re.compile("[\\0-\\x1f\\x7f\\ud800-\\udfff]+")


class ContradictionReply(msgspec.Struct):
    """What the prompt `contradiction` gives."""

    verdict: Literal["contradict", "compatible", "unrelated"]
    why: str


def find_contradictions(
    session: Session, filters: Filters, *, paper: str, most: int, model: str, cache: bool
) -> ContradictionReport:
    """The contradictions of the papers that pass filters, or of one paper with these; see `ReportVerbs`."""
    statements, paper_id = _near_statements(session, paper, filters) if paper else _all_statements(session, filters)
    statements = leave_out_formulas(statements)
    return compare_statements(
        session, statements, most=most, model=model, cache=cache, paper_id=paper_id, crowded=bool(paper_id)
    )


def compare_statements(
    session: Session,
    statements: Sequence[PaperStatement],
    *,
    most: int,
    model: str,
    cache: bool,
    paper_id: str = "",
    crowded: bool = False,
) -> ContradictionReport:
    """Have pairs of statements that are about the same thing judged, the `most` alike of them.

    Args:
        paper_id: the id of a paper that one of each pair is of; "": any.
        crowded: whether the statements are about one subject anyway; see `pair_statements`.

    Raises:
        ServiceError: the model judged none.
    """
    statement_pairs = _pairs(session, statements, paper_id, crowded=crowded)
    report = ContradictionReport(
        (),
        papers=len({item.paper.id for item in statements}),
        statements=len(statements),
        pairs=len(statement_pairs),
        left=max(len(statement_pairs) - most, 0),
        models=(session.embedder.id,),
    )
    pairs = [(statements[pair.first], statements[pair.second], pair.score) for pair in statement_pairs[:most]]
    labels = label_papers(item.paper for first, second, _ in pairs for item in (first, second))
    candidates = [
        Contradiction(_citation(first, labels), _citation(second, labels), "not judged", score=round(score, 4))
        for first, second, score in pairs
    ]
    name = model or session.settings.language.of(JUDGE_ROLE)
    if not pairs or not name or name == NO_MODEL:
        why = session.settings.language.none_for(JUDGE_ROLE, model)
        asks = f"Whether they contradict each other is judged by a language model, and {why}. Most such pairs agree."
        note = asks if pairs else ""
        return replace(report, candidates=tuple(candidates), note=note)
    judging = _Judging(session, [pair[:2] for pair in pairs], candidates)
    judging.run(model, cache=cache)
    return judging.report(report)


def _all_statements(session: Session, filters: Filters) -> tuple[list[PaperStatement], str]:
    papers = list(session.catalog.papers(filters))
    statements: list[PaperStatement] = []
    for number, findings in enumerate(collect_statements(session.catalog, papers), 1):
        statements += findings
        emit(Progress("reading", number, len(papers), "papers"))
    return statements, ""


def _near_statements(session: Session, name: str, filters: Filters) -> tuple[list[PaperStatement], str]:
    """The findings of a paper, and those of the papers with the passages nearest to them."""
    paper = session.paper(name)
    findings = statements_of(paper, list(session.catalog.passages(paper.id)), body=True)
    with make_retriever(session, "raw", reranked=False).at_one_moment() as now:
        best: dict[int, float] = {}
        for vector in embed_statements(session, findings):
            hits = now.nearest(vector, filters, _NEAR_PASSAGES)
            of = now.catalog.papers_of_passages([hit.key for hit in hits])
            for hit in hits:
                best[of[hit.key]] = max(best.get(of[hit.key], -1.0), hit.score)
        best.pop(now.catalog.paper_key(paper.id), None)
        keys = sorted(best, key=lambda key: -best[key])[:_NEAR_PAPERS]
        others = list(now.catalog.papers_by_key(keys).values())
        other_findings = [item for items in collect_statements(now.catalog, others) for item in items]
    return [*findings, *other_findings], paper.id


def _pairs(
    session: Session, statements: Sequence[PaperStatement], paper_id: str, *, crowded: bool
) -> list[StatementPair]:
    """The pairs of different works about the same thing; with `paper_id`, only those of which one is of this paper."""
    works = group_works(list({item.paper.id: item.paper for item in statements}.values()))
    numbers = {paper: number for number, work in enumerate(works) for paper in work}
    papers = [numbers[item.paper.id] for item in statements]
    vectors = embed_statements(session, statements)

    def tell(done: int) -> None:
        emit(Progress("pairing", done, len(statements), "statements"))

    pairs = pair_statements(vectors, [item.text for item in statements], papers, crowded=crowded, tell=tell)
    return [pair for pair in pairs if not paper_id or paper_id in (statements[at].paper.id for at in pair[:2])]


def _citation(item: PaperStatement, labels: dict[str, str]) -> Citation:
    return Citation(item.paper, item.passage.id, (item.span,), item.span.text, labels[item.paper.id])


@dataclass(slots=True)
class _Judging:
    """Has a model judge pairs; `done` are those judged, by their places, and `failed` why others were not."""

    session: Session
    pairs: Sequence[tuple[PaperStatement, PaperStatement]]
    candidates: Sequence[Contradiction]
    done: dict[int, Contradiction] = field(default_factory=dict)
    failed: list[ServiceError | BudgetError] = field(default_factory=list)
    models: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)

    def run(self, model: str, *, cache: bool) -> None:
        """Ask about all pairs at the same time.

        Raises:
            ServiceError: the model judged none.
        """

        async def job(put: Callable[[Progress], None]) -> None:
            async with self.session.client(model, fresh=not cache) as client:
                await client.prepare((JUDGE_ROLE,), ["contradiction"])
                await asyncio.gather(*(self._judge(client, place, put) for place in range(len(self.pairs))))
                self.models, self.usage = client.names(), client.usage

        for _ in self.session.loop.events(job):
            pass  # each event is told to who listens
        failed = [error for error in self.failed if isinstance(error, ServiceError)]
        if failed and not self.done:
            raise failed[0]

    async def _judge(self, client: LlmClient, place: int, put: Callable[[Progress], None]) -> None:
        first, second = self.pairs[place]
        values = {"first": format_statement(first, "1"), "second": format_statement(second, "2")}
        papers = [first.paper.id, second.paper.id]
        try:
            reply = await client.ask(JUDGE_ROLE, "contradiction", values, OutputSpec(ContradictionReply), papers=papers)
        except (ServiceError, BudgetError) as error:
            self.failed.append(error)
            return
        why = cleaned(" ".join(_UNFIT.sub(" ", reply.why).split()), [first.span.text, second.span.text])[0]
        why = why if len(why) <= WHY_CHARS else why[: WHY_CHARS - 1].rstrip() + "…"
        self.done[place] = replace(self.candidates[place], verdict=reply.verdict, why=why)
        put(Progress("judging", len(self.done), len(self.pairs), "pairs"))

    def report(self, report: ContradictionReport) -> ContradictionReport:
        """What came of it."""
        judged = [self.done[place] for place in sorted(self.done)]
        note = ""
        if self.failed:
            many = pluralize(len(self.failed), "pair")
            note = f"{many} of {len(self.pairs)} could not be judged: {self.failed[0].message}"
        return replace(
            report,
            contradictions=tuple(item for item in judged if item.verdict == "contradict"),
            candidates=tuple(item for place, item in enumerate(self.candidates) if place not in self.done),
            judged=len(judged),
            models=(*self.models, *report.models),
            usage=self.usage,
            note=note,
        )


def format_statement(item: PaperStatement, number: str) -> str:
    """A statement as the prompt shows it: among the sentences around it, under its paper's title."""
    spans = item.passage.spans
    at = next(place for place, span in enumerate(spans) if span.id == item.span.id)
    lines = [
        f"{'> ' if place == at else ''}{' '.join(spans[place].text.split())}"
        for place in range(max(at - _AROUND, 0), min(at + _AROUND + 1, len(spans)))
    ]
    if item.text != item.span.text:
        lines.append(f"(in full: {' '.join(item.text.split())})")
    return fenced("paper", "\n".join(lines), number=number, title=item.paper.title, year=_year(item.paper))


def _year(paper: Paper) -> str:
    return str(paper.year) if paper.year else ""
