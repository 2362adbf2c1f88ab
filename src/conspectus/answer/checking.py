"""Verification: each statement held against the sentences it cites, mechanically and by a model as judge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from conspectus.answer.caller import Caller, Wanted
from conspectus.answer.cleaning import cleaned
from conspectus.answer.prompting import fenced
from conspectus.answer.verify.supported import judge_mechanically
from conspectus.records import Statement, Verdict

Support = Literal["supported", "partly", "unsupported"]


class Judged(msgspec.Struct):
    """What the prompt `judge` says of one statement."""

    number: int
    status: Support
    why: str


class Judgement(msgspec.Struct):
    """What the prompt `judge` gives."""

    verdicts: list[Judged]


def mechanically(statement: Statement, contexts: Sequence[str]) -> Verdict:
    """Numbers, units, names, negation, comparisons and quotations of a statement, held against the sentences it cites.

    `contexts` are the passages that those stand in: they say what an abbreviation means. Titles may be named, too.
    """
    if not statement.citations:
        return Verdict("unsupported", "It cites nothing.")
    sentences = [span.text for citation in statement.citations for span in citation.spans]
    titles = [citation.paper.title for citation in statement.citations]
    found = judge_mechanically(statement.text, sentences, [*contexts, *titles])
    return Verdict(found.status, found.why)


async def judged(caller: Caller, statements: Sequence[Statement]) -> list[Verdict]:
    """What a model says of each statement, all in one call.

    Raises:
        ModelAnswerError: it does not say it of each.
    """
    lines = "\n\n".join(_shown(number, statement) for number, statement in enumerate(statements, 1))
    wanted = Wanted(Judgement, lambda said: _trouble(said, len(statements)))
    papers = [citation.paper.id for statement in statements for citation in statement.citations]
    values = {"statements": fenced("statements", lines)}
    said = await caller.ask("judge", "judge", values, wanted, papers=sorted(set(papers)))
    by_number = {verdict.number: verdict for verdict in said.verdicts}
    quotes = [citation.quote for statement in statements for citation in statement.citations]
    ordered = [by_number[number] for number in range(1, len(statements) + 1)]
    return [Verdict(found.status, cleaned(found.why, quotes)[0]) for found in ordered]


def together(mechanical: Verdict, judge: Verdict) -> Verdict:
    """One verdict of two: what speaks against a statement counts, whoever says it.

    A judge may find that a statement is supported where nothing mechanical could be said (`unchecked`), and it settles
    whether a doubt that leaves it `partly` supported is one.
    """
    if mechanical.status == "unsupported" or judge.status == "unsupported":
        why = " ".join(found.why for found in (mechanical, judge) if found.status != "supported" and found.why)
        return Verdict("unsupported", why)
    return judge


def _shown(number: int, statement: Statement) -> str:
    quotes = "\n".join(f"  sentence: {span.text}" for citation in statement.citations for span in citation.spans)
    return f"{number}. statement: {statement.text}\n{quotes}"


def _trouble(said: Judgement, count: int) -> str:
    numbers = sorted(verdict.number for verdict in said.verdicts)
    if numbers != list(range(1, count + 1)):
        return f"it has verdicts on the statements {numbers}, and needs one on each of 1 to {count}"
    return ""
