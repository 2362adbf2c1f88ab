"""The tools of an agent. They read the library within the user's filters; `search_online` alone reaches the network.

What a model gives them is hostile: checked against a declared type, and refused with a text that says what is wrong.
What they give back holds words of papers, and is fenced.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, ClassVar

import msgspec

from conspectus.answer.agent_state import AgentState
from conspectus.core.errors import UsageError
from conspectus.evidence.gather import Gathering
from conspectus.llm.output_spec import schema_of
from conspectus.llm.prompts import fenced
from conspectus.models.language import Tool
from conspectus.records import Evidence, Hit, Paper, Passage, Statement
from conspectus.records.events import Searching
from conspectus.search.search import explain_nothing, find_similar, search_papers

TITLE = 200
"""Characters of a title or a heading."""
HEADINGS = 50
_MOST_QUERIES = 5

Words = Annotated[str, msgspec.Meta(min_length=1, max_length=2000)]
Id = Annotated[str, msgspec.Meta(max_length=100)]
Year = Annotated[int, msgspec.Meta(ge=0, le=9999)]


class AgentTool(ABC):
    """Something that an agent may call: a name, what the model is told of it, and the type of its arguments.

    Attributes:
        parallel: whether several calls in one turn may `begin` at the same time.
    """

    name: ClassVar[str]
    description: ClassVar[str]
    takes: ClassVar[type[msgspec.Struct]]
    parallel: ClassVar[bool] = False

    @property
    def offered(self) -> Tool:
        """How the model sees it."""
        return Tool(self.name, self.description, schema_of(self.takes, optional=True))

    async def begin(self, state: AgentState, args: Any) -> Any:  # noqa: ARG002 - for those that need them
        """What takes long and changes nothing of the state."""
        return None

    @abstractmethod
    async def call(self, state: AgentState, args: Any, begun: Any) -> str:
        """What the model is told. `begun` is what `begin` gave; calls are made in the order of the model's.

        Raises:
            UsageError: the arguments mean nothing that there is.
            ServiceError, BudgetError: a model cannot be asked.
        """


class SearchArguments(msgspec.Struct, forbid_unknown_fields=True):
    """Of `search`."""

    query: Words
    year_from: Year | None = None
    year_to: Year | None = None


class Search(AgentTool):
    """Papers by words and meaning."""

    name = "search"
    description = (
        "Find papers in the library by words and by meaning. Gives their ids, names, years and titles, each with the "
        "id of its best passage. It reads nothing: evidence comes from gather_evidence alone."
    )
    takes = SearchArguments

    async def call(self, state: AgentState, args: SearchArguments, _: object) -> str:
        """See `AgentTool`."""
        run = state.run
        query = _words(args.query)
        filters = state.narrow_filters(args.year_from, args.year_to)
        run.tell(Searching(query))
        k = max(run.retriever.settings.k, run.settings.agent.papers)
        results = await asyncio.to_thread(search_papers, run.retriever, query, k, filters)
        state.there = max(state.there, len(results.hits))
        return _list_papers(state, results.hits) or explain_nothing(run.retriever, filters)


class GatherArguments(msgspec.Struct, forbid_unknown_fields=True):
    """Of `gather_evidence`."""

    question: Words


class GatherEvidence(AgentTool):
    """Passages, each read for a question by a model."""

    name = "gather_evidence"
    description = (
        "Read the passages that are nearest to a question, and keep what they say on it as evidence. Ask specifically: "
        "the question, a part of it, or the same in other words. Shows the new evidence sentence by sentence, and says "
        "how much there is in all."
    )
    takes = GatherArguments
    parallel = True

    async def begin(self, state: AgentState, args: GatherArguments) -> Gathering:
        """See `AgentTool`."""
        return await state.run.gather(_words(args.question), alone=True)

    async def call(self, state: AgentState, _: GatherArguments, begun: Gathering) -> str:
        """See `AgentTool`."""
        new = state.add(begun)
        if not begun.read:
            return begun.over.message if begun.over else explain_nothing(state.run.retriever, state.run.filters)
        read = f"{len(begun.read)} passages of {len(begun.papers)} papers were read."
        if not new:
            known = "They say nothing that was not found before." if begun.evidence else "None of them bears on it."
            return f"{read} {known} Other words may find more. {state.status()}"
        return f"{read} New: {len(new)} pieces.\n{_show_evidence(state, new)}\n{state.status()}"


class ReadArguments(msgspec.Struct, forbid_unknown_fields=True):
    """Of `read_passage`."""

    passage: Id = ""
    paper: Id = ""
    section: Annotated[str, msgspec.Meta(max_length=300)] = ""


class ReadPassage(AgentTool):
    """The text of a passage and its neighbours, or of a section."""

    name = "read_passage"
    description = (
        "Read the text around a passage (by its id), or of a section of a paper (by the paper's id and words of the "
        "heading; without a section: its beginning, and which sections there are). Only papers that were found. What "
        "you read helps you to ask better; it is not evidence yet."
    )
    takes = ReadArguments

    async def call(self, state: AgentState, args: ReadArguments, _: object) -> str:
        """See `AgentTool`."""
        if bool(args.passage) == bool(args.paper):
            raise UsageError("Give either a passage or a paper.", "Their ids are in what `search` gives.")
        paper = state.paper(args.paper or args.passage.partition(".")[0])
        kinds = state.run.filters.kind
        passages = [item for item in state.run.retriever.catalog.passages(paper.id) if not kinds or item.kind in kinds]
        chosen = _around(passages, args.passage) if args.passage else _of_section(passages, args.section)
        excerpt = "\n\n".join(_passage(item) for item in chosen)
        if len(excerpt) > state.room:
            excerpt = f"{excerpt[: state.room]} … (cut)"
        text = fenced("passage", excerpt, paper=paper.label, title=paper.title[:TITLE])
        if args.passage or args.section:
            return text
        return f"{text}\nSections:\n{fenced('sections', _headings(passages))}"


class SimilarArguments(msgspec.Struct, forbid_unknown_fields=True):
    """Of `similar`."""

    paper: Id


class Similar(AgentTool):
    """Papers near to a paper."""

    name = "similar"
    description = "Find the papers that are nearest in meaning to a paper that was found, by its id."
    takes = SimilarArguments

    async def call(self, state: AgentState, args: SimilarArguments, _: object) -> str:
        """See `AgentTool`."""
        run, paper = state.run, state.paper(args.paper)
        results = await asyncio.to_thread(
            find_similar, run.retriever, [paper], None, run.retriever.settings.k, run.filters
        )
        return _list_papers(state, results.hits) or "There are no others that pass the user's filters."


class NoArguments(msgspec.Struct, forbid_unknown_fields=True):
    """Of `answer`."""


class WriteAnswer(AgentTool):
    """The answer, written from the evidence and checked."""

    name = "answer"
    description = (
        "Have the answer to the whole question written from all evidence gathered, and checked against it. Gives it "
        "back with a verdict on each statement. It can fail: then other or better evidence is needed."
    )
    takes = NoArguments

    async def call(self, state: AgentState, *_: object) -> str:
        """See `AgentTool`."""
        if not state.fresh:
            raise UsageError(
                "There is no new evidence since the last answer: it would be the same.",
                "Gather other evidence, or end by calling nothing.",
            )
        answer = (await state.write()).answer
        if not answer.answered:
            return f"It could not be answered:\n{fenced('reason', answer.reason)}\n{_BETTER}"
        lines = "\n".join(map(_verdict, answer.statements))
        return f"The answer:\n{fenced('answer', lines)}\n{_DONE}"


_BETTER = "Gather better evidence, by other words or for one part at a time, and call `answer` again."
_DONE = 'If it answers the question, write "done" and call nothing. Else reject it with a reason.'


class RejectArguments(msgspec.Struct, forbid_unknown_fields=True):
    """Of `reject`."""

    reason: Words


class Reject(AgentTool):
    """The agent does not take its own answer; once."""

    name = "reject"
    description = (
        "Reject the answer that `answer` gave, once, and say why: what is missing or wrong. Then gather better "
        "evidence and call `answer` again."
    )
    takes = RejectArguments

    async def call(self, state: AgentState, args: RejectArguments, _: object) -> str:
        """See `AgentTool`."""
        if not state.accepted:
            raise UsageError("There is no answer to reject.", "Call `answer` first, when there is evidence.")
        state.reject(_words(args.reason))
        return "It is put aside. Gather the evidence that it lacks, and call `answer` again."


class OnlineArguments(msgspec.Struct, forbid_unknown_fields=True):
    """Of `search_online`."""

    keywords: Annotated[list[Words], msgspec.Meta(min_length=1, max_length=_MOST_QUERIES)]
    year_from: Year | None = None
    year_to: Year | None = None


class OnlineSearch(AgentTool):
    """Papers that the library does not have (P1); only where services may be asked."""

    name = "search_online"
    description = (
        "Search scholarly services on the internet for papers that the library does not have, by one to five sets of "
        "keywords, and add what is found; open full texts are read. Then use gather_evidence. Use it where the library "
        "says too little."
    )
    takes = OnlineArguments

    async def call(self, state: AgentState, args: OnlineArguments, _: object) -> str:
        """See `AgentTool`."""
        run, search = state.run, state.run.search_online
        if search is None:
            raise UsageError("Asking services online is not allowed.", "Use what the library has.")
        filters = state.narrow_filters(args.year_from, args.year_to)
        queries = list(dict.fromkeys(" ".join(text.split()) for text in args.keywords))
        for query in queries:
            run.tell(Searching(f"online: {query}"))
        online_round = await asyncio.to_thread(search, run.question, queries, filters)
        run.retriever = online_round.retriever or run.retriever
        run.note(online_round.note)
        run.unread += online_round.unread
        state.show(online_round.brought)
        state.there += len(online_round.brought)
        lines = "\n".join(map(_paper_line, online_round.brought))
        return (
            f"{online_round.note}\n{fenced('papers', lines)}"
            if lines
            else f"{online_round.note} Other keywords may find more."
        )


TOOLS: tuple[AgentTool, ...] = (Search(), GatherEvidence(), ReadPassage(), Similar(), WriteAnswer(), Reject())


def _words(text: str) -> str:
    if not (words := " ".join(text.split())):
        raise UsageError("It is empty.", "Give words.")
    return words


def _paper_line(paper: Paper) -> str:
    text = "full text" if paper.has_full_text else "abstract only" if paper.abstract else "title only"
    return f"{paper.id}: {paper.label}: {' '.join(paper.title.split())[:200]} ({text})"


def _list_papers(state: AgentState, hits: Sequence[Hit]) -> str:
    """Papers found, a line each; "" where there are none."""
    state.show(hit.paper for hit in hits)
    return fenced("papers", "\n".join(map(_hit, hits))) if hits else ""


def _hit(hit: Hit) -> str:
    paper = hit.paper
    title = " ".join(paper.title.split())[:TITLE]
    where = f" ({' '.join(hit.passage.section.split())[:TITLE]})" if hit.passage.section else ""
    name = hit.summary.sources[0] if hit.summary else hit.passage.id  # a summary leads to the paper's own words
    return f"{paper.id}: {paper.label}: {title}; passage {name}{where}"


def _around(passages: Sequence[Passage], name: str) -> Sequence[Passage]:
    """A passage and its neighbours; by its id, or that of a sentence of it."""
    for number, item in enumerate(passages):
        if name == item.id or any(name == span.id for span in item.spans):
            return passages[max(number - 1, 0) : number + 2]
    raise UsageError(f"There is no passage '{name[:100]}'.", "`search` gives the ids of passages.")


def _of_section(passages: Sequence[Passage], heading: str) -> Sequence[Passage]:
    """The passages of the sections whose headings have these words."""
    words = " ".join(heading.split()).casefold()
    section_passages = [item for item in passages if words in item.section.casefold()]
    if not section_passages:
        known = fenced("sections", _headings(passages))
        raise UsageError(f"No section is called '{words}'.", f"There are:\n{known}")
    return section_passages


def _show_evidence(state: AgentState, pieces: Sequence[Evidence]) -> str:
    """The sentences of new evidence with their ids, the most relevant first, as far as there is room."""
    room = state.room
    blocks: list[str] = []
    for piece in pieces:
        lines: list[str] = []
        for span in piece.spans:
            line = f"[{span.id}] {' '.join(span.text.split())}"
            if span.id not in state.seen and (len(line) <= room or not blocks + lines):
                lines.append(line[: state.room])
                room -= len(line)
                state.seen.add(span.id)
        if lines:
            about = {"paper": piece.paper.id, "source": piece.label, "relevance": str(piece.score)}
            blocks.append(fenced("evidence", "\n".join(lines), **about))
    left = sum(any(span.id not in state.seen for span in piece.spans) for piece in pieces)
    more = (
        f"\n(For {left} more, less relevant, there was no room here; they count for the answer, too.)" if left else ""
    )
    return "\n".join(blocks) + more


def _headings(passages: Iterable[Passage]) -> str:
    headings = dict.fromkeys(" ".join(item.section.split())[:TITLE] for item in passages if item.section)
    return "\n".join(list(headings)[:HEADINGS]) or "(no headings)"


def _passage(item: Passage) -> str:
    return f"{item.id}{f' ({item.section[:TITLE]})' if item.section else ''}:\n{item.text}"


def _verdict(statement: Statement) -> str:
    why = f": {statement.why}" if statement.why else ""
    markers = " ".join(citation.marker for citation in statement.citations)
    return f"- {statement.text} {markers} ({statement.status}{why})"
