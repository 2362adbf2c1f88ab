"""What users keep about papers and answers: tags, collections, notes, highlights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from conspectus.core.errors import UsageError
from conspectus.core.text import cleaned, line
from conspectus.records.paper import Paper, PaperDocument
from conspectus.records.passage import Place

SetKind = Literal["tag", "collection"]
Judgement = Literal["up", "down", ""]
LONGEST_NAME = 100
"""Characters of the name of a tag or a collection."""
LONGEST_NOTE = 20_000
"""Characters of a note, and of a comment."""


@dataclass(frozen=True, slots=True)
class PaperSet:
    """A tag or a collection: a named set of papers.

    Attributes:
        id: it stays when a collection is renamed.
        papers: how many it has.
        made: ISO 8601, UTC.
    """

    id: str
    kind: SetKind
    name: str
    papers: int
    made: str


@dataclass(frozen=True, slots=True)
class TagRemoval:
    """A tag that was taken off papers, with the number of papers that still have it; `taken_off`: off how many."""

    tag: PaperSet
    taken_off: int


@dataclass(frozen=True, slots=True)
class PaperNote:
    """A short text in Markdown about a paper; when it was written and last changed (ISO 8601, UTC)."""

    id: str
    paper: str
    text: str
    made: str
    updated: str


@dataclass(frozen=True, slots=True)
class Removal:
    """A paper that was removed, by its id and heading, and when (ISO 8601, UTC); it can be undone by its `id`."""

    id: str
    paper: str
    title: str
    made: str


@dataclass(frozen=True, slots=True)
class RemovedPapers:
    """Papers as they were before they were removed; `undo` is the id of the last removal, "" if it cannot be undone."""

    removed: tuple[Paper, ...]
    undo: str


@dataclass(frozen=True, slots=True)
class SplitPaper:
    """A paper that another one was split into, or that is whole again, and the documents that it is made of."""

    paper: Paper
    documents: tuple[PaperDocument, ...]


@dataclass(frozen=True, slots=True)
class Edit:
    """A field of a paper's metadata that was written by hand, what its files say there, and when (ISO 8601, UTC).

    Names of authors, and keywords, are apart by `;`.
    """

    field: str
    value: str | int | None
    files_say: str | int | None
    made: str


@dataclass(frozen=True, slots=True)
class EditedPaper:
    """A paper as it is now, and what was written of it by hand."""

    paper: Paper
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Feedback:
    """What a user thinks of an answer.

    Attributes:
        answer: its id.
        question: that it answers.
        statement: the number, from 1, of the statement that is meant; 0: the whole answer.
        verdict: `up`, `down`, or "" for a comment alone.
        made: ISO 8601, UTC.
    """

    answer: str
    question: str
    statement: int
    verdict: Judgement
    comment: str
    made: str


@dataclass(frozen=True, slots=True)
class FeedbackExport:
    """All feedback in a format for other programs.

    Attributes:
        format: `csv` or `jsonl`.
        feedback: how many entries there are.
        output: the file that was written; "" if none was.
        text: the entries, if no file was written.
    """

    format: str
    feedback: int
    output: str
    text: str


def checked_name(name: str, kind: SetKind) -> str:
    """The name of a tag or a collection on one line, without what nobody sees.

    Raises:
        UsageError: nothing is left of it, or too much.
    """
    clean_name = line(name)
    if not clean_name:
        raise UsageError(f"A {kind} needs a name.", "Give one that can be seen.")
    if len(clean_name) > LONGEST_NAME:
        raise UsageError(f"The name of a {kind} has {len(clean_name):,} characters.", f"Give at most {LONGEST_NAME}.")
    return clean_name


def checked_text(text: str, what: str) -> str:
    """A note or a comment (`what`) without characters that lie; its lines stay.

    Raises:
        UsageError: it is too long.
    """
    clean_text = cleaned(text).strip()
    if len(clean_text) > LONGEST_NOTE:
        raise UsageError(f"The {what} has {len(clean_text):,} characters.", f"Give at most {LONGEST_NOTE:,}.")
    return clean_text


def checked_verdict(verdict: str) -> Judgement:
    """`verdict`, where there is such a one.

    Raises:
        UsageError: there is none.
    """
    for judgement in get_args(Judgement):
        if judgement == verdict:
            return judgement  # type: ignore[no-any-return]
    raise UsageError(f"There is no verdict '{line(verdict)[:40]}'.", "Say up, down, or nothing with a comment.")


HighlightColor = Literal["yellow", "red", "green", "blue", "purple", "magenta", "orange", "gray"]
HIGHLIGHT_COLORS: Mapping[HighlightColor, str] = {
    **{"yellow": "#ffd400", "red": "#ff6666", "green": "#5fb236", "blue": "#2ea8e5", "purple": "#a28ae5"},
    **{"magenta": "#e56eee", "orange": "#f19837", "gray": "#aaaaaa"},
}
"""The colours, as Zotero has them."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """Where words were marked, so that they are found again in another reading of the paper.

    Attributes:
        sentences: ids of the sentences that they were in.
        start: the first character of the first sentence that was marked.
        end: the character behind the last one, in the last sentence.
        before, after: some of the words around them.
        places: where they stood on the pages.
    """

    sentences: tuple[str, ...]
    start: int
    end: int
    before: str = ""
    after: str = ""
    places: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class MarkedSentence:
    """A sentence with marked words: `text` is the sentence's from the character `start` to `end`."""

    id: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Highlight:
    """Marked words of a paper.

    Attributes:
        paper: its id.
        label: how the paper is cited in running text.
        title: of the paper.
        quote: the words; as they were marked, if they are not found.
        note: in Markdown; "" for none.
        found: whether the words are in the paper as it was read last.
        sentences: that they are in; none if they are not found.
        page: on which they begin; None if there are no pages.
        places: where they are on the pages; where they were, if they are not found. Of a part of a sentence, estimated.
        made, updated: ISO 8601, UTC.
    """

    id: str
    paper: str
    label: str
    title: str
    color: HighlightColor
    quote: str
    note: str
    found: bool
    sentences: tuple[MarkedSentence, ...]
    page: int | None
    places: tuple[Place, ...]
    made: str
    updated: str
