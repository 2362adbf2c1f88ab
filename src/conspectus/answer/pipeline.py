"""The fixed pipeline of an answer that language models write: rephrase, search, read, write, check."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from conspectus.answer import bibliographic
from conspectus.answer.background import background
from conspectus.answer.compose import checked, make_statements, quote_closest
from conspectus.answer.entailment_judge import EntailmentJudge
from conspectus.answer.online import SearchOnline
from conspectus.answer.out_of_scope import count_instead, declined
from conspectus.answer.prose import prose
from conspectus.answer.query_expansion import expansions, near
from conspectus.answer.statement_checks import Judge, ModelJudge
from conspectus.answer.write import AnswerWriter, Claim, fitting, in_language
from conspectus.core.errors import BudgetError, ModelAnswerError, ServiceError, UsageError
from conspectus.core.text import pluralize
from conspectus.evidence.candidates import Tell, rank_passages, search
from conspectus.evidence.gather import Gathering, gather, phrasings, select
from conspectus.evidence.reader import ROLE, PassageToRead
from conspectus.llm.client import LlmClient
from conspectus.llm.prompts import MOST_CHARS, passage_room
from conspectus.records import Answer, AskOptions, Draft, Evidence, Filters, Opinion, Passage, Statement
from conspectus.records.events import Cited, Notice, PassagesFound, StatementChecked
from conspectus.records.models import Role
from conspectus.search.retriever import Retriever
from conspectus.search.search import explain_nothing
from conspectus.settings import EvidenceSettings, Settings
from conspectus.verify.mechanical import read_ahead

T = TypeVar("T")
METHOD = "model"
NOT_FOR_QUERIES = ("level", "language", "agent", "strict", "background", "second_opinion")
"""Options that a bibliometric answer does not know."""


@dataclass(slots=True)
class QuestionRun:
    """One question on its way to an answer. The pipeline and the agent are made of its steps.

    Attributes:
        passages: those read, by id.
        notes: what the user should know of how the answer came about.
        removed_references: references that models wrote on their own.
        parts: sub-questions, which are searched for too.
        gathered: what was read so far.
        search_online: brings papers from services; None where none may be asked.
        unread: full texts that were found online and could not be read, a sentence each.
    """

    retriever: Retriever
    client: LlmClient
    question: str
    filters: Filters
    options: AskOptions
    settings: Settings
    tell: Tell
    passages: dict[str, Passage] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    removed_references: list[str] = field(default_factory=list)
    parts: tuple[str, ...] = ()
    gathered: Gathering = field(default_factory=Gathering)
    search_online: SearchOnline | None = None
    unread: list[str] = field(default_factory=list)

    @property
    def reading(self) -> EvidenceSettings:
        """How much is read, for the depth asked for."""
        usual = self.settings.evidence
        if self.options.depth == "quick":
            return replace(usual, read=max(usual.read // 2, 1), keep=max(usual.keep // 2, 1), phrasings=0)
        if self.options.depth == "thorough":
            return replace(usual, read=2 * usual.read, keep=usual.keep * 3 // 2, phrasings=usual.phrasings + 2)
        return usual

    async def prepare(self) -> None:
        """See that every model and prompt that may be asked is there, before anything is paid for."""
        options, roles, prompts = self.options, dict[Role, None](), []
        if options.kind == "bibliometric":
            roles["write"], prompts = None, ["bibliographic"]
        else:
            roles |= dict.fromkeys(("write", "summarise"))
            prompts = ["gather", "write"]
            if entailment := self.client.models.entailment():
                await asyncio.to_thread(entailment.try_out)
            elif options.depth != "quick":
                roles["judge"] = None
                prompts.append("judge")
            if self.retriever.settings.expand == "hyde":
                roles["ask"] = None
                prompts.append("hyde")
            if self.reading.phrasings or options.background:
                roles["ask"] = None
                prompts += ["rephrase", "background"]
            if options.kind == "nuanced":
                roles["judge"] = None
                prompts += ["critique", "better"]
            if options.agent:
                roles["agent"] = None
                prompts.append("agent")
        others = [name for name in (options.second_opinion,) if name and options.kind != "bibliometric"]
        await self.client.prepare(tuple(roles), [*prompts, *(["opinion"] if others else [])], others)

    def note(self, text: str) -> None:
        """Keep something for the answer's note, and tell it now."""
        if text and text not in self.notes:
            self.notes.append(text)
            self.tell(Notice(text))

    @property
    def noted(self) -> str:
        """All notes so far, as one text."""
        return " ".join(part for part in (self.retriever.note, *self.notes) if part)

    async def gather(self, question: str, *, alone: bool = False) -> Gathering:
        """Search by a question and its parts, and read what is found.

        Where the first passages do not suffice it is searched by other phrasings, too (`alone`: it is not).
        """
        questions = [question, *([] if alone else self.parts)]
        scores, *parts = await asyncio.gather(self._search_widely(question), *map(self._search, questions[1:]))
        passages = await self._rank_passages([scores, *parts])
        self.tell(PassagesFound(min(len(passages), self.reading.read), len({item.paper.id for item in passages})))

        async def widen() -> list[PassageToRead]:
            others = await self._phrasings(question)
            questions.extend(others)
            return await self._rank_passages(await asyncio.gather(*map(self._search, others))) if others else []

        room, more = await self._room(), None if alone else widen
        read = await gather(self.client, question, passages, self.reading, self.tell, room, more)
        gathering = replace(read, searched=tuple(questions))
        self.gathered += gathering
        if gathering.unread:
            failed, total = len(gathering.unread), len(gathering.read) + len(gathering.unread)
            self.note(f"{failed} of {total} passages could not be read by the model: {gathering.unread[0].message}")
        if gathering.over and gathering.read:
            total = min(len(passages), self.reading.read)
            unread = max(total - len(gathering.read) - len(gathering.unread), 0)
            self.note(f"{gathering.over.message} {unread} of {total} passages were not read.")
        return gathering

    async def _rank_passages(self, searched: Sequence[dict[int, float]]) -> list[PassageToRead]:
        """The passages found, in the order in which they are to be read."""
        passages = await asyncio.to_thread(rank_passages, self.retriever, searched, self.reading)
        self.passages |= {passage.id: passage for item in passages for passage, _ in item.own_passages}
        return passages

    async def _room(self) -> int:
        """Characters of passages that one call for reading has room for."""
        try:
            return passage_room(await self.client.context(ROLE), self.settings.language.max_tokens)
        except (ServiceError, BudgetError):
            return MOST_CHARS  # reading tells it

    async def _search(self, question: str, expanded: Sequence[str] = ()) -> dict[int, float]:
        retriever = replace(self.retriever, expansions=tuple(expanded))
        return await asyncio.to_thread(search, retriever, question, self.filters, self.reading, self.tell)

    async def _search_widely(self, question: str) -> dict[int, float]:
        """Search by the question and, where `search.expand` says so, by a hypothetical abstract, which is told.

        Other phrasings are searched by apart.
        """
        settings = self.retriever.settings
        if settings.expand != "hyde":
            return await self._search(question)
        papers = await asyncio.to_thread(near, self.retriever, question, self.filters)
        try:
            texts = await expansions(self.client, question, settings, papers)
        except (ModelAnswerError, BudgetError) as error:
            self.note(f"No hypothetical abstract was searched by: {error.message}")
            texts = ()
        for text in texts:
            self.tell(Notice(f"Written by a model to search by; no paper says this: {text}"))
        return await self._search(question, texts)

    async def _phrasings(self, question: str) -> list[str]:
        try:
            return await phrasings(self.client, question, self.reading.phrasings)
        except (ModelAnswerError, BudgetError) as error:
            self.note(f"Only the question itself was searched for: {error.message}")
            return []

    def chosen(self, gathering: Gathering) -> tuple[Evidence, ...]:
        """The evidence to write from: the best, as much as fits."""
        evidence = select(gathering.evidence, self.reading)
        model = self.client.models.of("write")
        context = self.settings.language.context or model.context
        left = self.client.tokens_left
        room = context if left is None else min(context or left, left)
        fits = fitting(evidence, self.question, room, self.settings.language.max_tokens)
        if len(fits) < len(evidence):
            of = f"the {context:,} tokens of '{model.id}'" if room == context else "what is left of budget.tokens"
            self.note(f"{len(evidence) - len(fits)} of {len(evidence)} pieces of evidence did not fit {of}.")
        return fits

    async def answer(self, gathering: Gathering, evidence: tuple[Evidence, ...]) -> Answer:
        """Write from evidence, and check."""
        left = max(len(gathering.evidence) - len(evidence), 0)
        writer = AnswerWriter(
            self.client, self.question, evidence, self.options, self.removed_references.append, left, self.note
        )
        drafts: list[Draft] = []
        async with run_alongside(self._read_ahead(evidence)) as ahead:
            written = await writer.write(self.tell)
            await ahead
        claims, missing = written.statements if written.answerable else [], written.missing
        if claims and self.options.kind == "nuanced":
            claims, missing = await self._improve_answer(writer, claims, missing, evidence, drafts)
        opinion = None
        if self.options.second_opinion:
            claims, opinion = await self._add_second_opinion(writer, claims, evidence, drafts)
        statements = await self.check(make_statements(claims, evidence))
        supported_statements = [item for item in statements if item.status != "unsupported"]
        if self.options.strict and len(supported_statements) < len(statements):
            left_out = len(statements) - len(supported_statements)
            self.note(f"{left_out} of {len(statements)} statements were left out as unsupported.")
            statements = tuple(supported_statements)
        for statement in statements:
            for citation in statement.citations:
                self.tell(Cited(citation))
            self.tell(StatementChecked(statement))
        if statements and missing:
            self.note(f"Still open: {missing}")
        if self.removed_references:
            references = "; ".join(dict.fromkeys(self.removed_references))
            self.note(f"References that the model wrote on its own were taken out: {references}.")
        papers = {citation.paper.id for statement in statements for citation in statement.citations}
        if self.options.kind == "single" and len(papers) > 1:
            self.note(f"It was to be answered from one paper; the model took {len(papers)}.")
        reason = (
            ""
            if supported_statements
            else self._explain_unsupported(claims)
            if claims
            else self.reason(gathering, missing)
        )
        return self._answer(statements, reason, gathering, evidence, tuple(drafts), opinion)

    def _explain_unsupported(self, claims: Sequence[Claim]) -> str:
        """Why there is no answer though something was written."""
        each = "The one statement" if len(claims) == 1 else f"Each of the {len(claims)} statements"
        return (
            f"I cannot answer this from the library. {each} that the model wrote is not supported by the sentences it "
            "cites. Another model may do better, or another wording, or `depth=thorough`."
        )

    async def _read_ahead(self, evidence: Sequence[Evidence]) -> None:
        """What statements will be held against is read while the model writes them."""
        sentences = [span.text for item in evidence for span in item.spans]
        around = [self.passages[item.passage_id].text for item in evidence if item.passage_id in self.passages]
        await asyncio.to_thread(read_ahead, [*sentences, *dict.fromkeys(around)])

    async def check(self, statements: Sequence[Statement]) -> tuple[Statement, ...]:
        """A verdict on each statement; a language model as judge is not asked where a quick answer was asked for."""
        return await checked(statements, self.passages, self._judge, self.note)

    @property
    def _judge(self) -> Judge | None:
        if entailment := self.client.models.entailment():
            return EntailmentJudge(entailment)
        return None if self.options.depth == "quick" else ModelJudge(self.client, self.question)

    async def _improve_answer(
        self,
        writer: AnswerWriter,
        first: list[Claim],
        missing: str,
        evidence: tuple[Evidence, ...],
        drafts: list[Draft],
    ) -> tuple[list[Claim], str]:
        """A better answer after a critique; the first where the budget does not reach further."""
        try:
            critique = await writer.critique(first)
            better = await writer.better(first, critique.points, self.tell)
        except (ServiceError, BudgetError) as error:
            self.note(f"The first answer was not criticised and bettered: {error.message}")
            return first, missing
        before = make_statements(first, evidence)
        points = make_statements(critique.points, evidence)
        drafts += [Draft("first answer", prose(before), before), Draft("critique", prose(points), points)]
        return (better.statements if better.answerable else []), better.missing

    async def _add_second_opinion(
        self, writer: AnswerWriter, claims: list[Claim], evidence: tuple[Evidence, ...], drafts: list[Draft]
    ) -> tuple[list[Claim], Opinion | None]:
        """A second model's view, and the answer that stands after it (P10)."""
        name = self.options.second_opinion
        try:
            second = await writer.second(claims, name)
        except (ServiceError, BudgetError) as error:
            self.note(f"There is no second opinion of '{name}': {error.message}")
            return claims, None
        opinion = Opinion(name, second.agrees, " ".join(second.why.split()))
        if second.agrees:
            return claims, opinion
        before = make_statements(claims, evidence)
        text = prose(before) or "It could not be answered."
        drafts.append(Draft("overruled answer", text, await self.check(before)))
        return second.statements, opinion

    def reason(self, gathering: Gathering, missing: str = "") -> str:
        """Why there is no answer: what was looked at, and what would help."""
        if not gathering.read:
            over = gathering.over
            return (
                f"{over.message} Nothing was read. {over.hint}"
                if over
                else explain_nothing(self.retriever, self.filters)
            )
        looked = (
            f"{len(gathering.read)} passages of {len(gathering.papers)} papers were read; "
            f"{len(gathering.evidence) or 'none'} bear on it."
        )
        others = "; ".join(f"“{text}”" for text in gathering.searched[1:])
        searched = f" It was also searched for: {others}." if others else ""
        helps = "Papers on this would help (`add FILES…`), or another wording, or `depth=thorough`."
        if missing:
            helps = f"Still open: {missing} {helps}"
        closest = quote_closest(gathering.evidence)
        outside = "" if gathering.evidence else " The question may be outside what the library is about."
        return f"I cannot answer this from the library. {looked}{outside}{searched}{closest} {helps}"

    def none(self, reason: str, gathering: Gathering | None = None, evidence: tuple[Evidence, ...] = ()) -> Answer:
        """No answer, and why."""
        return self._answer((), reason, gathering or Gathering(), evidence)

    def out_of_time(self, error: BudgetError) -> Answer:
        """No answer since the budget is used up; what was gathered is kept."""
        evidence = select(self.gathered.evidence, self.reading)
        if not self.gathered.read:
            return self.none(f"{error.message} Nothing was read. {error.hint}")
        pieces = pluralize(len(evidence), "piece of evidence was", "pieces of evidence were")
        have = f" {pieces} gathered and kept." if evidence else ""
        return self.none(f"{error.message} No answer was written.{have} {error.hint}", self.gathered, evidence)

    def _answer(
        self,
        statements: tuple[Statement, ...],
        reason: str,
        gathering: Gathering,
        evidence: tuple[Evidence, ...],
        drafts: tuple[Draft, ...] = (),
        opinion: Opinion | None = None,
    ) -> Answer:
        sentences = sum(len(item.spans) for item in evidence)
        usage = replace(self.client.usage, passages=len(gathering.read), sentences=sentences)
        return Answer(
            question=self.question,
            answered=any(item.status != "unsupported" for item in statements),
            reason=reason,
            method=METHOD,
            text=prose(statements),
            statements=statements,
            models=(*self.client.names(), self.retriever.embedder.id),
            usage=usage,
            note=self.noted,
            kind=self.options.kind,
            evidence=evidence,
            drafts=drafts,
            opinion=opinion,
        )


@asynccontextmanager
async def run_alongside(work: Coroutine[Any, Any, T]) -> AsyncIterator[asyncio.Task[T]]:
    """Something that goes on while a model is waited for; whoever wants it awaits it, and it ends with the block."""
    task = asyncio.create_task(work)
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def from_evidence(run: QuestionRun, gathering: Gathering | None = None) -> Answer:
    """What the evidence gathered says; None: what is found for the whole question is read first."""
    try:
        gathering = gathering or await run.gather(run.question)
        evidence = run.chosen(gathering)
        if not evidence:
            return run.none(run.reason(gathering), gathering)
        return await run.answer(gathering, evidence)
    except BudgetError as error:
        return run.out_of_time(error)


async def answer(run: QuestionRun, way: Callable[[QuestionRun], Awaitable[Answer]] = from_evidence) -> Answer:
    """The answer to a question, or the reason why there is none. `way` is how it is come by.

    Raises:
        UsageError: an empty question.
        ServiceError: a model cannot be asked, or gives nothing that can be used. What was read is kept.
    """
    if not run.question.strip():
        raise UsageError("The question is empty.", "Ask something in words.")
    if run.options.kind == "bibliometric":
        return await _bibliometric(run)
    if reason := declined(run.question):
        counted = await asyncio.to_thread(count_instead, run.question, run.retriever, run.filters)
        return run.none(f"{counted} {reason}".strip())
    async with run_alongside(_background(run)) as aside:
        new_answer = await way(run)
        background_text = await aside
    usage = replace(run.client.usage, passages=new_answer.usage.passages, sentences=new_answer.usage.sentences)
    return replace(
        new_answer,
        background=background_text,
        usage=usage,
        note=run.noted,
        models=(*run.client.names(), new_answer.models[-1]),
    )


async def _background(run: QuestionRun) -> str:
    if not run.options.background:
        return ""
    try:
        return await background(run.client, run.question, in_language(run.options.language))
    except (ServiceError, BudgetError) as error:
        run.note(f"There is no background: {error.message}")
        return ""


async def _bibliometric(run: QuestionRun) -> Answer:
    idle = [name for name in NOT_FOR_QUERIES if getattr(run.options, name)]
    if idle:
        run.note(f"Queries are written without regard to {', '.join(idle).replace('_', ' ')}.")
    reply = await bibliographic.queries(run.client, run.question)
    queries = {"ads": reply.ads, "openalex": reply.openalex, "pubmed": reply.pubmed}
    text = "\n".join(f"{service}: {query}" for service, query in queries.items())
    new_answer = run.none("")
    note = f"{new_answer.note} {reply.explanation} They were not run.".strip()
    return replace(new_answer, answered=True, text=text, queries=queries, note=note)
