"""The agent: a model that chooses what to do next, until an answer is written from enough evidence (P6, F8).

What ends it is decided here, not by the model: enough evidence, the budget, the number of steps, no progress. Then the
answer is written from what there is. The model's own words are never the answer.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Sequence
from dataclasses import replace
from functools import partial

import msgspec

from conspectus.answer import extractive
from conspectus.answer.agent_state import AgentState, Attempt, years
from conspectus.answer.pipeline import QuestionRun, answer, from_evidence
from conspectus.answer.quotes import quote_instead
from conspectus.answer.tool_executor import ToolExecutor
from conspectus.answer.tools import TOOLS, AgentTool, OnlineSearch, Search, SearchArguments
from conspectus.core.errors import BudgetError, ModelAnswerError, ServiceError
from conspectus.evidence.reader import SHARE
from conspectus.llm.budget import CallUsage, count_calls, usage_of
from conspectus.llm.prompts import CHARS_PER_TOKEN, fenced
from conspectus.models.language import Message, ModelReply, ToolCall
from conspectus.records import Answer, Filters, Step
from conspectus.records.events import Acted
from conspectus.records.filters import NAMED

METHOD = "agent"
RESULT = 600
"""Characters of what a tool gave back that the trace keeps."""
ARGUMENTS = 2000
"""Characters of arguments, and of thoughts, that it keeps."""
NAME = 100
SAID = 300
"""Characters of the agent's reason that a note shows."""
IDLE_WITH_ENOUGH = 2
"""Turns in a row without new evidence that end it once there is enough."""
MOST_SILENT = 2
"""Turns in a row without a call that end it."""
NO_ROOM = "(left out: there is no room for it any more)"
NOT_RUN = "It was not run: the agent has to answer now."
NUDGE = "Nothing was called. Call a tool: `gather_evidence`, or `answer` when there is enough evidence."


async def answer_by_agent(run: QuestionRun, tools: Sequence[AgentTool] = TOOLS) -> Answer:
    """The answer to a question, or the reason why there is none, with the steps that led there.

    Args:
        run: the question.
        tools: what the model may call; those for gathering, answering and rejecting among them.

    Raises:
        UsageError: an empty question.
        ServiceError: a model cannot be asked, or gives nothing that can be used. What was read is kept.
    """
    return await answer(run, partial(_by_agent, tools=tools))


async def _by_agent(run: QuestionRun, tools: Sequence[AgentTool]) -> Answer:
    model = run.client.models.of("agent")
    if not model.calls_tools:
        return await _answer_without_tools(run, ())
    return await Agent(run, tools).work()


async def _answer_without_tools(run: QuestionRun, steps: tuple[Step, ...]) -> Answer:
    """The answer of the fixed pipeline, for a model that calls no tools."""
    others = ", searched for in other words too" if run.reading.phrasings else ""
    run.note(
        f"'{run.client.models.of('agent').id}' calls no tools, so there was no agent: the question was answered by the "
        f"fixed pipeline{others}."
    )
    return replace(await from_evidence(run), trace=steps)


class Agent:
    """One agent at work on one question.

    Args:
        run: the question.
        tools: what the model may call.
    """

    def __init__(self, run: QuestionRun, tools: Sequence[AgentTool]) -> None:
        self.state = AgentState(run)
        self.steps: list[Step] = []
        self._run = run
        self._box = ToolExecutor(self.state, [*tools, *([OnlineSearch()] if run.search_online else [])])
        self._prompt = run.client.prompts.get("agent")
        self._messages: list[Message] = []
        self._idle = 0
        self._silent = 0
        self._acted = False
        self._ended: str | None = None
        """Why it ended, for the note; "": as it should; None: it goes on."""

    async def work(self) -> Answer:
        """The answer, or the reason why there is none."""
        results = await self._search_first()
        if not self.state.there and not self._run.search_online:
            return self._sign_answer(self._run.none(results))
        self._messages += self._prompt.messages(self._values(results))
        while self._ended is None:
            await self._turn()
        if self._silent >= MOST_SILENT and not self._acted:  # it never called a tool
            return await _answer_without_tools(self._run, tuple(self.steps))
        if self._ended:
            self._run.note(f"The agent stopped: {self._ended}")
        return self._sign_answer(await self._finish())

    async def _search_first(self) -> str:
        """Search with the whole question, before the model is asked (P1)."""
        question = SearchArguments(self._run.question)
        item = self._box.ready(Search(), question, msgspec.json.encode({"query": question.query}).decode())
        results = await self._box.result(item)
        self._record("", item.call, results, item.spent, item.seconds)
        return results

    def _values(self, results: str) -> dict[str, str]:
        pieces, papers = self.state.sufficient_counts
        return {
            "question": fenced("question", self._run.question),
            "limits": _limits(self._run.filters),
            "found": results,
            "pieces": str(pieces),
            "papers": str(papers),
            "steps": str(self._run.settings.agent.steps),
        }

    # one turn

    async def _turn(self) -> None:
        began = time.perf_counter()
        client = self._run.client
        with count_calls() as spent:
            try:
                papers = tuple(self.state.shown_papers)
                reply = await client.turn(
                    "agent", self._prompt.id, self._fit_messages(), self._box.offered, papers, SHARE
                )
            except BudgetError as error:
                self._ended = error.message
                return
            except ServiceError as error:
                self._stop_on_error(error)
                return
        took = time.perf_counter() - began
        if reply.finish == "refused":
            self._record(reply.text, ToolCall("", "", ""), "", spent, took)
            self._ended = "the model refused to go on."
        elif reply.calls:
            await self._act(reply, spent, took)
        else:
            self._record(reply.text, ToolCall("", "", ""), "", spent, took)
            self._hear(reply)

    def _stop_on_error(self, error: ServiceError) -> None:
        """The model cannot be asked: an error, but where there is evidence to answer from."""
        if not self.state.evidence:
            raise error
        self._ended = error.message

    def _hear(self, reply: ModelReply) -> None:
        """A turn without a call: it is done, or does not know how to go on, or its server took no tools after all."""
        self._silent += 1 if self._run.client.models.of("agent").calls_tools else MOST_SILENT
        if self.state.accepted:
            self._ended = ""
        elif self._silent >= MOST_SILENT:
            self._ended = "it called no tool any more."
        else:
            self._messages += [Message("assistant", reply.text or "(nothing)"), Message("user", NUDGE)]
        self._look_whether_to_end()

    async def _act(self, reply: ModelReply, spent: Sequence[CallUsage], took: float) -> None:
        """Make the calls of one turn: in their order, or at the same time where all of them gather."""
        self._silent, self._acted = 0, True
        self._messages.append(Message("assistant", reply.text, reply.calls))
        called = [self._box.prepare(call) for call in reply.calls]
        if all(item.tool and item.tool.parallel for item in called):
            left = self._run.settings.agent.steps - self._steps_taken
            await asyncio.gather(*(self._box.begin(item) for item in called[:left]))
        thought, before = reply.text, self.state.reached
        for item in called:
            if self._ended is not None:
                self._messages.append(Message("tool", NOT_RUN, answers=item.call.id))
                continue
            try:
                result = await self._box.result(item)
            except BudgetError as error:
                self._ended = result = error.message
            self._record(thought, item.call, result, [*spent, *item.spent], took + item.seconds)
            thought, spent, took = "", (), 0.0
            self._messages.append(Message("tool", result, answers=item.call.id))
            self._look_whether_to_end()
        self._idle = 0 if self.state.reached != before else self._idle + 1
        self._look_whether_to_end()

    # the end

    @property
    def _steps_taken(self) -> int:
        """Steps of the model; the first search is not one."""
        return len(self.steps) - 1

    def _look_whether_to_end(self) -> None:
        """End it where going on makes no sense; see `AgentSettings`."""
        settings, state = self._run.settings.agent, self.state
        if self._ended is not None:
            return
        if state.gathering and state.gathering.over:
            self._ended = state.gathering.over.message
        elif state.accepted and (state.drafts or self._steps_taken >= settings.steps):
            self._ended = ""  # it may reject one answer only
        elif self._box.repeats > 1:
            self._ended = "it went in a circle, calling the same tool with the same arguments again."
        elif state.enough and self._idle >= min(IDLE_WITH_ENOUGH, settings.idle):
            self._ended = ""
        elif self._idle >= settings.idle:
            self._ended = f"{self._idle} turns in a row brought nothing new (agent.idle)."
        elif self._steps_taken >= settings.steps:
            self._ended = f"it had taken {settings.steps} steps (agent.steps)."

    async def _finish(self) -> Answer:
        """The answer that stands, or one from what there is."""
        state, run = self.state, self._run
        if not state.evidence and run.question not in (state.gathering.searched if state.gathering else ()):
            await self._do("gather_evidence", self._gather_all())
        if state.fresh:
            if not state.evidence:
                return await from_evidence(run, state.gathering)
            try:
                await self._do("answer", state.write())
            except (ServiceError, BudgetError) as error:
                if state.attempt is None or not state.attempt.answer.answered:
                    if isinstance(error, ModelAnswerError) and state.gathering:
                        return await quote_instead(run, error)
                    return await from_evidence(run, state.gathering)  # says what is the matter
                run.note(f"The last evidence did not go into the answer: {error.message}")
        assert state.attempt
        return self._accept_attempt(state.attempt)

    async def _gather_all(self) -> None:
        self.state.add(await self._run.gather(self._run.question))

    async def _do(self, tool: str, work: Awaitable[object]) -> None:
        """A step that the program takes of its own accord."""
        began = time.perf_counter()
        with count_calls() as spent:
            await work
        self._record("", ToolCall("", tool, ""), self.state.status(), spent, time.perf_counter() - began)

    def _accept_attempt(self, attempt: Attempt) -> Answer:
        """The answer of an attempt, told and noted now that it stands."""
        run = self._run
        for event in attempt.events:
            run.tell(event)
        if attempt.rejected:
            reason = attempt.rejected[:SAID]
            run.note(f"The agent rejected this answer, and found no evidence for a better one: “{reason}”")
        run.notes += [note for note in attempt.notes if note not in run.notes]
        return replace(attempt.answer, drafts=(*self.state.drafts, *attempt.answer.drafts))

    # the trace, and the conversation

    def _record(self, thought: str, call: ToolCall, result: str, spent: Sequence[CallUsage], seconds: float) -> None:
        usage = usage_of(spent, seconds)
        step = Step(
            len(self.steps) + 1,
            _cut(thought.strip(), ARGUMENTS),
            call.name[:NAME],
            _cut(call.arguments, ARGUMENTS),
            _cut(result, RESULT),
            usage.prompt_tokens + usage.completion_tokens,
            usage.cost,
            seconds,
            tuple(self.state.shown_papers),
        )
        self.steps.append(step)
        self._run.tell(Acted(step))

    def _sign_answer(self, unsigned: Answer) -> Answer:
        """The answer with its trace; one made of quotes, since no model could write it, says so."""
        method = unsigned.method if unsigned.method == extractive.METHOD else METHOD
        return replace(unsigned, method=method, trace=tuple(self.steps))

    def _fit_messages(self) -> tuple[Message, ...]:
        """The conversation, without its oldest results where a model's context has no room for them."""
        settings = self._run.settings.language
        context = settings.context or self._run.client.models.of("agent").context
        if not context:
            return tuple(self._messages)
        tools = sum(len(tool.description) + len(repr(tool.schema)) for tool in self._box.offered)
        room = (context - min(settings.max_tokens, context // 3)) * CHARS_PER_TOKEN - tools
        return within(self._messages, room)


def within(messages: Sequence[Message], room: int) -> tuple[Message, ...]:
    """A conversation of at most `room` characters, as far as leaving out old results of tools makes it so."""
    conversation = list(messages)
    over = sum(map(_size, conversation)) - room
    for number, message in enumerate(conversation):
        if over <= 0:
            break
        if message.speaker == "tool" and len(message.text) > len(NO_ROOM):
            conversation[number] = replace(message, text=NO_ROOM)
            over -= len(message.text) - len(NO_ROOM)
    return tuple(conversation)


def _size(message: Message) -> int:
    return len(message.text) + sum(len(call.name) + len(call.arguments) for call in message.calls)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]} …"


def _limits(filters: Filters) -> str:
    """What the user's filters leave, for the agent to know."""
    parts = [f"{name} {' or '.join(values)}" for name in (*NAMED, "kind") if (values := getattr(filters, name))]
    if filters.year:
        parts.insert(0, years(*filters.year))
    return f"The user asks only for papers: {'; '.join(parts)}. The tools keep to that.\n" if parts else ""
