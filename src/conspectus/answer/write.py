"""Writing: evidence to statements that are each bound to it; the prose is made from them (P5, F7, F11, F14)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

import msgspec

from conspectus.evidence.candidates import Tell
from conspectus.evidence.model_text import cleaned
from conspectus.llm.client import LlmClient
from conspectus.llm.output_spec import OutputSpec
from conspectus.llm.prompts import chars_left, fenced
from conspectus.parse.text.sentences import split_sentences
from conspectus.records import AnswerKind, AskOptions, Evidence, Span
from conspectus.records.events import Text

STYLES: dict[AnswerKind, str] = {
    "single": "Be terse: one to three statements that answer the question itself, from the one paper that answers it "
    "best. Name evidence of other papers only where that paper does not answer.",
    "multi": "Synthesise: bring together what the different papers say, in as many statements as it takes "
    "and no more, the answer itself first.",
    "nuanced": "Give a first answer in as many statements as it takes, the answer itself first, with the conditions "
    "under which it holds.",
}


SentenceId = Annotated[str, msgspec.Meta(extra_json_schema={"pattern": r"^e[0-9]+\.[0-9]+$"})]


class Claim(msgspec.Struct):
    """One statement as a model wrote it, with the ids of its sentences (`e1.2`), or of whole pieces of evidence."""

    text: str
    evidence: list[SentenceId]


class WrittenAnswer(msgspec.Struct):
    """What the prompts `write` and `better` give."""

    answerable: bool
    statements: list[Claim]
    missing: str


class Critique(msgspec.Struct):
    """What the prompt `critique` gives."""

    points: list[Claim]


class Second(msgspec.Struct):
    """What the prompt `opinion` gives."""

    agrees: bool
    why: str
    statements: list[Claim]


W = TypeVar("W", WrittenAnswer, Critique, Second)


@dataclass(frozen=True, slots=True)
class AnswerWriter:
    """Has models write on one question from evidence.

    Attributes:
        evidence: numbered, the most relevant first.
        on_reference: told each reference that a model wrote on its own, and that was taken out.
        left: further pieces of evidence that were found and are not among `evidence`.
        note: told what the reader should know of what was left out.
    """

    client: LlmClient
    question: str
    evidence: tuple[Evidence, ...]
    options: AskOptions
    on_reference: Callable[[str], object] = lambda _: None
    left: int = 0
    note: Callable[[str], object] = lambda _: None

    async def write(self, tell: Tell | None = None) -> WrittenAnswer:
        """The answer."""
        style = STYLES[self.options.kind]
        seen = Prose(tell).see if tell else None
        return await self._ask("write", "write", WrittenAnswer, {"style": style}, seen)

    async def critique(self, answer: Sequence[Claim]) -> Critique:
        """What is wrong with an answer."""
        return await self._ask("judge", "critique", Critique, {"answer": self._answer(answer)})

    async def better(
        self, answer: Sequence[Claim], critique: Sequence[Claim], tell: Tell | None = None
    ) -> WrittenAnswer:
        """A better answer, after a critique."""
        values = {"answer": self._answer(answer), "critique": self._answer(critique, "critique")}
        return await self._ask("write", "better", WrittenAnswer, values, Prose(tell).see if tell else None)

    async def second(self, answer: Sequence[Claim], model: str) -> Second:
        """The view of a second model (P10)."""
        return await self._ask("judge", "opinion", Second, {"answer": self._answer(answer)}, by=model)

    async def _ask(
        self,
        role: Any,
        name: str,
        kind: type[W],
        values: dict[str, str],
        seen: Callable[[str], None] | None = None,
        by: str = "",
    ) -> W:
        values |= {
            "question": fenced("question", self.question),
            "evidence": format_evidence(self.evidence) + (f"\n\n{MORE.format(self.left)}" if self.left else ""),
            "audience": f"Write for this reader: {_plain(self.options.level)}." if self.options.level else EXPERT,
            "language": in_language(self.options.language),
        }
        known = _by_piece(self.evidence)
        spec = OutputSpec(kind, lambda reply: _trouble(reply, known))
        papers = [item.paper.id for item in self.evidence]
        reply = await self.client.ask(role, name, values, spec, papers=papers, watch=seen, by=by)
        claims = reply.points if isinstance(reply, Critique) else reply.statements
        for claim in claims:
            claim.text = self._clean_text(claim.text)
            claim.evidence = list(
                dict.fromkeys(sentence_id for name in claim.evidence for sentence_id in known.get(name, (name,)))
            )
        if isinstance(reply, WrittenAnswer):
            reply.missing, uncited = split_questions(self._clean_text(reply.missing))
            if uncited:
                self.note(UNCITED)
        if isinstance(reply, Second):
            reply.why = self._clean_text(reply.why)
        claims[:] = [claim for claim in claims if claim.text.strip()]
        return reply

    def _clean_text(self, text: str) -> str:
        text, taken = cleaned(text, [item.quote for item in self.evidence])
        for reference in taken:
            self.on_reference(reference)
        return text

    def _answer(self, claims: Sequence[Claim], kind: str = "answer") -> str:
        lines = "\n".join(f"- {claim.text} ({', '.join(claim.evidence)})" for claim in claims)
        return fenced(kind, lines)


UNCITED = (
    "The model's remarks on missing information were removed because they cite no source. Its open questions are kept."
)
_ASKS = re.compile(r"[?？؟\u037e][\"'”’»)\]\s]*$")


def split_questions(text: str) -> tuple[str, str]:
    """The questions of a text, which state nothing, and its other sentences, which would have to be checked."""
    line = " ".join(text.split())
    sentences = [line[start:end] for start, end in split_sentences(line)] or [line]
    questions = [sentence for sentence in sentences if _ASKS.search(sentence)]
    others = [sentence for sentence in sentences if sentence not in questions]
    return " ".join(questions), " ".join(others).strip()


EXPERT = "The reader is an expert."
MORE = (
    "(The library has {} more pieces of evidence on this, for which there was no room: never say that something is not "
    "in the library or in a paper.)"
)


def sentences(evidence: Sequence[Evidence]) -> dict[str, tuple[Evidence, Span]]:
    """The sentences of evidence by their ids, `e1.1`, `e1.2` …; one that two pieces share has the first's."""
    sentence_by_id: dict[str, tuple[Evidence, Span]] = {}
    seen: set[str] = set()
    for item in evidence:
        for number, span in enumerate(item.spans, 1):
            if span.id not in seen:
                seen.add(span.id)
                sentence_by_id[f"{item.id}.{number}"] = (item, span)
    return sentence_by_id


def _by_piece(evidence: Sequence[Evidence]) -> dict[str, tuple[str, ...]]:
    """The ids of the sentences that each piece of evidence has, by its id."""
    by_span = {span.id: name for name, (_, span) in sentences(evidence).items()}
    return {item.id: tuple(by_span[span.id] for span in item.spans) for item in evidence}


def format_evidence(evidence: Sequence[Evidence]) -> str:
    """Evidence as prompts show it, each sentence once, by its id."""
    known = sentences(evidence)
    return "\n\n".join(
        _format_evidence(item, [name for name, (its, _) in known.items() if its is item]) for item in evidence
    )


def _format_evidence(item: Evidence, names: Sequence[str]) -> str:
    lines = [f"summary: {item.summary}"] if item.summary else []
    for number, span in enumerate(item.spans, 1):
        if (name := f"{item.id}.{number}") in names:
            lines.append(f"[{name}] {' '.join(span.text.split())}")
    return fenced("evidence", "\n".join(lines), id=item.id, source=item.label, title=item.paper.title)


def fitting(evidence: Sequence[Evidence], question: str, context: int, answer_tokens: int) -> tuple[Evidence, ...]:
    """As many of the best as fit a model's context, with room for its answer (S5); all where that is not known."""
    if not context:
        return tuple(evidence)
    room = chars_left(context, answer_tokens) - len(question)
    chosen: list[Evidence] = []
    for item in evidence:
        room -= len(_format_evidence(item, [f"{item.id}.{number}" for number in range(1, len(item.spans) + 1)])) + 2
        if room < 0 and chosen:
            break
        chosen.append(item)
    return tuple(chosen)


class Prose:
    """Shows the statements of an answer while its JSON is being written."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._shown_text = ""

    def see(self, text: str) -> None:
        """Tell what has come since the last time. `text` is the JSON so far."""
        from pydantic_core import from_json

        try:
            reply = from_json(text[max(text.find("{"), 0) :], allow_partial="trailing-strings")
        except (ValueError, RecursionError):
            return
        claims = reply.get("statements") if isinstance(reply, dict) else None
        texts = [claim.get("text") for claim in claims if isinstance(claim, dict)] if isinstance(claims, list) else []
        prose = "\n".join(text for text in texts if isinstance(text, str))
        if prose in ("", self._shown_text):
            return
        fresh = not self._shown_text or not prose.startswith(self._shown_text)  # a second try begins anew
        self._tell(Text(prose if fresh else prose[len(self._shown_text) :], fresh))
        self._shown_text = prose


def _trouble(reply: WrittenAnswer | Critique | Second, known: Mapping[str, Sequence[str]]) -> str:
    """What is wrong with the sentences that statements name."""
    ids = [name for names in known.values() for name in names]
    for claim in reply.points if isinstance(reply, Critique) else reply.statements:
        for name in claim.evidence:
            if name not in ids and name not in known:
                return f"there is no evidence '{name}'; there are {', '.join(dict.fromkeys(ids))}"
        if not claim.evidence and not isinstance(reply, Critique):
            return f"the statement '{claim.text[:80]}' names no evidence"
    if (
        isinstance(reply, WrittenAnswer)
        and reply.answerable
        and not any(claim.text.strip() for claim in reply.statements)
    ):
        return "it says that the question can be answered, and has no statements"
    return ""


def in_language(language: str) -> str:
    """What prompts say of the language of the answer."""
    return f"Write in this language: {_plain(language)}." if language else "Write in the language of the question."


def _plain(text: str) -> str:
    """A user's own words for a prompt: one short line."""
    return " ".join(text.split())[:100]
