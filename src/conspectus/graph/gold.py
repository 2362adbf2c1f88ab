"""Gold: texts in which people marked every mention of a concept. Read it, and learn from it which names to use."""

from __future__ import annotations

import csv
import gzip
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from pathlib import Path
from typing import TextIO

import msgspec

from conspectus.core.errors import InputError, UsageError
from conspectus.core.grouped import grouped
from conspectus.graph import sql
from conspectus.graph.vocabularies import sql as vocabularies_sql
from conspectus.records import normal_name
from conspectus.records.vocabularies import NameKind, Verdict
from conspectus.session.session import Session

COLUMNS = ("paper", "sentence", "start", "words", "concept", "label")
"""Of a table; `start` is that of the words in the sentence, or empty, and `label` is for who reads it."""
_NEEDED = ("paper", "sentence", "words", "concept")
_REMEDY = (
    "Give JSON Lines (`text`, `entities` with `start`, `end`, `id`), PubTator, or a table with the columns "
    f"{', '.join(_NEEDED)}."
)
_GUARD = re.compile(r"^'(?='*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20])")
"""What `csv_line` puts before what a spreadsheet would compute."""
_PUBTATOR = re.compile(r"([^|\t]+)\|[ta]\|(.*)")


@dataclass(frozen=True, slots=True)
class Gold:
    """A text and all that it speaks of.

    Attributes:
        paper: whose it is.
        mentions: (start, end, id of a concept), in characters.
    """

    paper: str
    text: str
    mentions: tuple[tuple[int, int, str], ...]


class _Entity(msgspec.Struct):
    start: int
    end: int
    id: str = ""


class _Line(msgspec.Struct):
    text: str
    entities: list[_Entity]
    id: str = ""


def read_gold(path: Path) -> Iterator[Gold]:
    """The texts of a file: JSON Lines, PubTator, or a table (CSV) as `sample_mentions` writes it; also with gzip.

    Raises:
        InputError: there is none, or it cannot be read.
    """
    name = path.name.lower().removesuffix(".gz")
    read = _table if name.endswith((".csv", ".tsv")) else _lines if name.endswith((".jsonl", ".ndjson")) else _pubtator
    try:
        opened = gzip.open if path.suffix.lower() == ".gz" else open
        with opened(path, "rt", encoding="utf-8-sig", newline="") as stream:
            yield from read(stream)
    except (ValueError, EOFError, csv.Error, gzip.BadGzipFile) as error:
        raise InputError(f"'{path.name}' cannot be learnt of: {error}.", _REMEDY) from error
    except OSError as error:
        raise InputError(f"'{path}' cannot be read: {error.strerror}.", "Name a file.") from error


def _lines(stream: TextIO) -> Iterator[Gold]:
    decode = msgspec.json.Decoder(_Line).decode
    for number, line in enumerate(stream, 1):
        try:
            one = decode(line)
        except msgspec.MsgspecError as error:
            raise ValueError(f"line {number}: {error}") from error
        yield _checked(Gold(one.id, one.text, tuple((a.start, a.end, a.id) for a in one.entities)), number)


def _pubtator(stream: TextIO) -> Iterator[Gold]:
    """Title and abstract with a space between, as its offsets have it; lines of relations are passed over."""
    paper, texts, mentions = "", list[str](), list[tuple[int, int, str]]()
    for number, line in enumerate(chain(stream, [""]), 1):
        cells = line.rstrip("\r\n").split("\t")
        if said := _PUBTATOR.fullmatch(line.rstrip("\r\n")):
            paper = said[1]
            texts.append(said[2])
        elif len(cells) > 5:
            mentions.append((_number(cells[1], number), _number(cells[2], number), cells[5]))
        elif cells == [""] and texts:
            yield _checked(Gold(paper, " ".join(texts), tuple(mentions)), number)
            texts, mentions = [], []
        elif len(cells) < 4 and cells != [""]:
            raise ValueError(f"line {number} is none of PubTator")


def _number(text: str, line: int) -> int:
    if not text.isdecimal():
        raise ValueError(f"line {line}: '{text[:50]}' is no place in a text")
    return int(text)


def _checked(gold: Gold, line: int) -> Gold:
    if any(not 0 <= start < end <= len(gold.text) for start, end, _ in gold.mentions):
        raise ValueError(f"line {line}: a mention stands outside of its text")
    return gold


def _table(stream: TextIO) -> Iterator[Gold]:
    """A row for each mention; without a concept the words mean none, and without words the sentence has no more."""
    head = stream.readline()
    rows = csv.DictReader(chain([head], stream), delimiter=max(",;\t", key=head.count), restval="")
    if missing := set(_NEEDED).difference(rows.fieldnames or ()):
        raise ValueError(f"there is no column {', '.join(sorted(missing))}")
    for (paper, text), own in groupby(rows, key=lambda row: (row["paper"], _GUARD.sub("", row["sentence"]))):
        yield Gold(paper, text, tuple(_placed(text, own)))


def _placed(text: str, rows: Iterable[Mapping[str, str]]) -> Iterator[tuple[int, int, str]]:
    """Where words stand: where it is said, else where they are first in no row before."""
    taken = set[tuple[int, str]]()
    for row in rows:
        words, concept, said = (
            _GUARD.sub("", row["words"].strip()),
            row["concept"].strip(),
            row.get("start", "").strip(),
        )
        places = [int(said)] if said.isdecimal() else [one.start() for one in re.finditer(re.escape(words), text)]
        start = next((at for at in places if text.startswith(words, at) and (at, words) not in taken), None)
        if start is None:
            raise ValueError(f"'{words[:50]}' does not stand (again) in '{text[:50]}…'")
        taken.add((start, words))
        if words and concept:
            yield start, start + len(words), concept


class NameLearner:
    """Learns from gold which names to search for; the ids of concepts as numbers.

    Raises:
        UsageError: the gold has no concept of the library's vocabularies.
    """

    def __init__(self, session: Session, gold: Sequence[Gold]) -> None:
        self._catalog, self._gold = session.catalog, gold
        self._ids = sql.ids_by_vocabulary(session.catalog)
        self._number = {id: key for key, (id, _) in reversed(self._ids.items())}
        said = {id for one in gold for *_, id in one.mentions}
        if not said & self._number.keys():
            raise UsageError(
                "The gold has no concept of the library's vocabularies.",
                "Its ids are theirs (`UBERON:0000955`); `vocabulary add` adds one, `vocabulary search` shows ids.",
            )
        about = {vocabulary for id, vocabulary in self._ids.values() if id in said}
        self._judged = {self._number[id] for id, vocabulary in self._ids.values() if vocabulary in about}
        self.unknown = sum(id not in self._number for one in gold for *_, id in one.mentions)

    def rules(self, least: float) -> list[tuple[str, str, Verdict]]:
        """(name, id of a concept, what to do) of what is learnt, the last word on each."""
        from conspectus.graph.linking import Named, Rules, learn

        named = [
            Named(self._number[self._ids[key][0]], text, NameKind(kind), rank)
            for key, text, kind, rank in sql.searched_names(self._catalog)
        ]
        said = Rules(
            *(tuple(map(self._numbered, some)) for some in vocabularies_sql.names_by_rule(self._catalog, learnt=False))
        )
        papers = grouped((one.paper, one) for one in self._gold)
        found = learn(named, [self._paper(own) for own in papers.values()], said, least=least, judged=self._judged)
        new: dict[tuple[str, str], Verdict] = dict.fromkeys(self._named(found.use[len(said.use) :]), "use")
        new |= dict.fromkeys(self._named(found.leave[len(said.leave) :]), "leave")
        return [(name, id, verdict) for (name, id), verdict in new.items()]

    def _named(self, some: Iterable[vocabularies_sql.Surface]) -> list[tuple[str, str]]:
        return [(normal_name(text), self._ids[key][0]) for text, key in some]

    def _numbered(self, said: vocabularies_sql.Surface) -> vocabularies_sql.Surface:
        text, key = said
        return text, self._number[self._ids[key][0]] if key in self._ids else key

    def _paper(self, own: Sequence[Gold]) -> tuple[list[str], list[list[tuple[int, int, int]]]]:
        known = self._number
        return [one.text for one in own], [
            [(start, end, known[id]) for start, end, id in one.mentions if id in known] for one in own
        ]
