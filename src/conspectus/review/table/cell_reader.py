"""The cells of one paper, read by a language model that names sentences by their numbers.

Columns that need the same passages are asked about in one call. What the model says of a column is kept as if the
column had been asked about alone, by the column, the paper's passages for it and the model: a cell that is asked for
again, in whatever table, is the same. Sentences are numbered through the whole paper, whatever part of it is shown.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import msgspec

from conspectus.core.errors import ConspectusError, ModelAnswerError
from conspectus.evidence.reader import deduplicate_sentences
from conspectus.llm.client import LlmClient, ReplyShare
from conspectus.llm.output_spec import OutputSpec, SpanNumbers
from conspectus.llm.prompts import fenced
from conspectus.records import Paper, Passage, Span
from conspectus.records.models import Role
from conspectus.records.review import TableColumn
from conspectus.review.table.cell_values import find_choice
from conspectus.review.table.columns import column_text

CELL_ROLE: Role = "summarise"
CELL_PROMPT = "cells"
MOST_TOGETHER = 8
"""Columns in one call."""


class CellReply(msgspec.Struct):
    """What a model says of one column; `column` is its number in the call, from 1."""

    column: Annotated[int, msgspec.Meta(extra_json_schema={"minimum": 1, "maximum": MOST_TOGETHER})]
    stated: bool
    value: str
    unit: str
    spans: SpanNumbers


class CellReplies(msgspec.Struct):
    """What the prompt `cells` gives."""

    cells: Annotated[list[CellReply], msgspec.Meta(extra_json_schema={"minItems": 1, "maxItems": MOST_TOGETHER})]


@dataclass(frozen=True)
class PaperText:
    """A paper with its passages, in their order."""

    paper: Paper
    passages: tuple[Passage, ...]

    @cached_property
    def parts(self) -> tuple[tuple[Passage, tuple[Span, ...]], ...]:
        """The passages with their sentences, each sentence only where it stands first."""
        return deduplicate_sentences([(passage, passage.spans) for passage in self.passages])

    @cached_property
    def spans(self) -> tuple[Span, ...]:
        """All sentences, as they are numbered from 1."""
        return tuple(span for _, spans in self.parts for span in spans)


@dataclass(frozen=True, slots=True)
class CellReading:
    """What a model said of a cell: the value as it wrote it, the sentences that it named; or why it said nothing."""

    value: str = ""
    unit: str = ""
    spans: tuple[Span, ...] = ()
    error: ConspectusError | None = None


async def read_cells(
    client: LlmClient, text: PaperText, ids_by_column: Mapping[TableColumn, Collection[str]], room: int
) -> dict[TableColumn, CellReading]:
    """What a model says of columns of one paper.

    Args:
        client: asks the model, and knows what it said before.
        text: the paper.
        ids_by_column: the columns, each with the ids of the passages that may state it.
        room: characters of passages that a call has room for.

    Raises:
        ServiceError, BudgetError: the model cannot be asked.
    """
    reader = _CellReader(client, text)
    readings: dict[TableColumn, CellReading] = {}
    for column, passages in ids_by_column.items():
        if (cached_reading := await reader.find(column, passages)) is not None:
            readings[column] = cached_reading
    groups = group_columns(text, {column: ids for column, ids in ids_by_column.items() if column not in readings}, room)
    for group_readings in await asyncio.gather(*(reader.read_group(group, ids_by_column) for group in groups)):
        readings |= group_readings
    return {column: readings[column] for column in ids_by_column}


def group_columns(
    text: PaperText, ids_by_column: Mapping[TableColumn, Collection[str]], room: int
) -> list[tuple[TableColumn, ...]]:
    """The columns for each call: as many as have their passages in the room of one."""
    lengths = {passage.id: len(passage.text) for passage in text.passages}
    groups: list[tuple[list[TableColumn], set[str]]] = []
    for column, ids in ids_by_column.items():
        for columns, passage_ids in groups:
            if len(columns) < MOST_TOGETHER and sum(lengths[name] for name in passage_ids | set(ids)) <= room:
                columns.append(column)
                passage_ids |= set(ids)
                break
        else:
            groups.append(([column], set(ids)))
    return [tuple(columns) for columns, _ in groups]


@dataclass(frozen=True, slots=True)
class _CellReader:
    client: LlmClient
    text: PaperText

    async def find(self, column: TableColumn, passages: Collection[str]) -> CellReading | None:
        """What is kept of a column; None: nothing that can be used."""
        values = self._values([column], passages)
        output = OutputSpec(CellReplies, lambda reply: self._trouble(reply, [column], None))
        reply = await self.client.find_cached(CELL_ROLE, CELL_PROMPT, values, output, 1.0)
        return None if reply is None else self._reading(reply.cells[0])

    async def read_group(
        self, columns: Sequence[TableColumn], ids_by_column: Mapping[TableColumn, Collection[str]]
    ) -> dict[TableColumn, CellReading]:
        """Columns in one call; each alone if the reply cannot be used."""
        try:
            return await self._read(columns, ids_by_column)
        except ModelAnswerError as error:
            if len(columns) == 1:
                return {columns[0]: CellReading(error=error)}
        alone = await asyncio.gather(*(self.read_group([column], ids_by_column) for column in columns))
        return {column: reading for group_readings in alone for column, reading in group_readings.items()}

    async def _read(
        self, columns: Sequence[TableColumn], ids_by_column: Mapping[TableColumn, Collection[str]]
    ) -> dict[TableColumn, CellReading]:
        passage_ids = {name for column in columns for name in ids_by_column[column]}
        numbers = {number for number, passage, _ in self._number_sentences() if passage.id in passage_ids}
        by_number = dict(enumerate(columns, 1))

        def split(reply: CellReplies) -> list[ReplyShare]:
            return [
                ReplyShare(
                    self._values([by_number[cell.column]], ids_by_column[by_number[cell.column]]),
                    msgspec.json.encode(CellReplies([msgspec.structs.replace(cell, column=1)])).decode(),
                    (self.text.paper.id,),
                )
                for cell in reply.cells
            ]

        output = OutputSpec(CellReplies, lambda reply: self._trouble(reply, columns, numbers))
        reply = await self.client.ask_about_several(
            CELL_ROLE, CELL_PROMPT, self._values(columns, passage_ids), output, split, 1.0
        )
        return {by_number[cell.column]: self._reading(cell) for cell in reply.cells}

    def _number_sentences(self) -> list[tuple[int, Passage, Span]]:
        pairs = [(passage, span) for passage, spans in self.text.parts for span in spans]
        return [(number, passage, span) for number, (passage, span) in enumerate(pairs, 1)]

    def _values(self, columns: Sequence[TableColumn], passages: Collection[str]) -> dict[str, str]:
        listed = "\n".join(f"{number}. {column_text(column)}" for number, column in enumerate(columns, 1))
        lines: list[str] = []
        last = ""
        for number, passage, span in self._number_sentences():
            if passage.id not in passages:
                continue
            if passage.section != last:
                last = passage.section
                lines.append(f"({' '.join(last.split())})")
            lines.append(f"[{number}] {' '.join(span.text.split())}")
        paper = fenced("paper", "\n".join(lines), title=self.text.paper.title)
        return {"columns": fenced("columns", listed), "paper": paper}

    def _reading(self, reply: CellReply) -> CellReading:
        if not reply.stated:
            return CellReading()
        spans = self.text.spans
        return CellReading(reply.value, reply.unit, tuple(spans[number - 1] for number in sorted(set(reply.spans))))

    def _trouble(self, reply: CellReplies, columns: Sequence[TableColumn], numbers: Collection[int] | None) -> str:
        """What is wrong with a reply; `numbers` are those of the sentences shown, None: any of the paper."""
        if sorted(cell.column for cell in reply.cells) != list(range(1, len(columns) + 1)):
            return f"each of the columns 1 to {len(columns)} needs one cell"
        known = range(1, len(self.text.spans) + 1) if numbers is None else numbers
        for cell in reply.cells:
            column = columns[cell.column - 1]
            if not cell.stated:
                continue
            if wrong := [number for number in cell.spans if number not in known]:
                return f"column {cell.column}: there is no sentence {wrong[0]}"
            if not cell.spans or not cell.value.strip():
                return f"column {cell.column}: what is stated needs a value and the numbers of its sentences"
            if column.kind == "choice" and not find_choice(column, cell.value):
                return f"column {cell.column}: '{cell.value}' is none of {', '.join(column.choices)}"
            if column.kind == "yes/no" and cell.value.strip().casefold() not in ("yes", "no"):
                return f"column {cell.column}: '{cell.value}' is neither yes nor no"
        return ""
