"""Gold: texts in which people marked every mention of a concept. Read it, and learn from it which names to use."""

from __future__ import annotations

import csv
import gzip
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import msgspec

from conspectus.core.errors import InputError, UsageError, describe_os_error
from conspectus.core.groups import grouped
from conspectus.core.text import cell_separator
from conspectus.graph import sql
from conspectus.graph.linking.name_table import NO_RULES, SHORT, Pair, Rules
from conspectus.graph.linking.words import is_acronym
from conspectus.graph.vocabularies import sql as vocabulary_sql
from conspectus.records import normal_name
from conspectus.records.vocabularies import NameKind, Verdict
from conspectus.session.session import Session

if TYPE_CHECKING:
    from conspectus.graph.linking.linker import Linker
    from conspectus.graph.linking.name_table import RankedName

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
    """A text and all that it mentions.

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
        raise InputError(f"'{path}' cannot be read: {describe_os_error(error)}.", "Name a file.") from error


def _lines(stream: TextIO) -> Iterator[Gold]:
    decode = msgspec.json.Decoder(_Line).decode
    for number, line in enumerate(stream, 1):
        try:
            record = decode(line)
        except msgspec.MsgspecError as error:
            raise ValueError(f"line {number}: {error}") from error
        yield _checked(Gold(record.id, record.text, tuple((a.start, a.end, a.id) for a in record.entities)), number)


def _pubtator(stream: TextIO) -> Iterator[Gold]:
    """Title and abstract with a space between, as its offsets have it; lines of relations are passed over."""
    paper, texts, mentions = "", list[str](), list[tuple[int, int, str]]()
    for number, line in enumerate(chain(stream, [""]), 1):
        cells = line.rstrip("\r\n").split("\t")
        if match := _PUBTATOR.fullmatch(line.rstrip("\r\n")):
            paper = match[1]
            texts.append(match[2])
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
    rows = csv.DictReader(chain([head], stream), delimiter=cell_separator(head), restval="")
    if missing := set(_NEEDED).difference(rows.fieldnames or ()):
        raise ValueError(f"there is no column {', '.join(sorted(missing))}")
    for (paper, text), group in groupby(rows, key=lambda row: (row["paper"], _GUARD.sub("", row["sentence"]))):
        yield Gold(paper, text, tuple(_placed(text, group)))


def _placed(text: str, rows: Iterable[Mapping[str, str]]) -> Iterator[tuple[int, int, str]]:
    """Where words stand: where it is said, else where they are first in no row before."""
    taken = set[tuple[int, str]]()
    for row in rows:
        words, concept, start_text = (
            _GUARD.sub("", row["words"].strip()),
            row["concept"].strip(),
            row.get("start", "").strip(),
        )
        places = (
            [int(start_text)]
            if start_text.isdecimal()
            else [match.start() for match in re.finditer(re.escape(words), text)]
        )
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
        gold_ids = {id for record in gold for *_, id in record.mentions}
        if not gold_ids & self._number.keys():
            raise UsageError(
                "The gold has no concept of the library's vocabularies.",
                "Its ids are theirs (`UBERON:0000955`); `vocabulary add` adds one, `vocabulary search` shows ids.",
            )
        about = {vocabulary for id, vocabulary in self._ids.values() if id in gold_ids}
        self._judged = {self._number[id] for id, vocabulary in self._ids.values() if vocabulary in about}
        self.unknown = sum(id not in self._number for record in gold for *_, id in record.mentions)

    def rules(self, least: float) -> list[tuple[str, str, Verdict]]:
        """(name, id of a concept, what to do) of what is learnt, the last word on each."""
        from conspectus.graph.linking.name_table import RankedName, Rules

        names = [
            RankedName(self._number[self._ids[key][0]], text, NameKind(kind), rank)
            for key, text, kind, rank in sql.searched_names(self._catalog)
        ]
        rules = Rules(
            *(
                tuple(map(self._with_numbers, surfaces))
                for surfaces in vocabulary_sql.names_by_rule(self._catalog, learnt=False)
            )
        )
        papers = grouped((record.paper, record) for record in self._gold)
        learnt_rules = learn(
            names, [self._paper(records) for records in papers.values()], rules, least=least, judged=self._judged
        )
        new: dict[tuple[str, str], Verdict] = dict.fromkeys(self._list_names(learnt_rules.use[len(rules.use) :]), "use")
        new |= dict.fromkeys(self._list_names(learnt_rules.leave[len(rules.leave) :]), "leave")
        return [(name, id, verdict) for (name, id), verdict in new.items()]

    def _list_names(self, surfaces: Iterable[vocabulary_sql.Surface]) -> list[tuple[str, str]]:
        return [(normal_name(text), self._ids[key][0]) for text, key in surfaces]

    def _with_numbers(self, surface: vocabulary_sql.Surface) -> vocabulary_sql.Surface:
        text, key = surface
        return text, self._number[self._ids[key][0]] if key in self._ids else key

    def _paper(self, records: Sequence[Gold]) -> tuple[list[str], list[list[tuple[int, int, int]]]]:
        known = self._number
        return [record.text for record in records], [
            [(start, end, known[id]) for start, end, id in record.mentions if id in known] for record in records
        ]


Span = tuple[int, int, int]
"""Start and end of a mention in its text, in characters, and its concept."""
Paper = tuple[Sequence[str], Sequence[Sequence[Span]]]
"""The texts of a paper, and the mentions of each."""
HITS = 2
"""Times that a form has to be met before it is believed."""
LEAST = 0.5
"""The least probability of a surface to be right."""


def learn(
    names: Iterable[RankedName],
    papers: Sequence[Paper],
    rules: Rules = NO_RULES,
    *,
    least: float = LEAST,
    judged: Collection[int] | None = None,
) -> Rules:
    """`rules`, with the forms that gold has and the names do not, and without what is mostly wrong.

    A form is added that gold has twice (an acronym: in two papers) and that was missed. A surface is left where it is
    less than `least` probable to be right: (times right + share of its method that is right) / (times met + 1). Both
    are counted over `papers`.

    Args:
        judged: the concepts that gold would have, where it is silent on others; None: all.
    """
    from conspectus.graph.linking.linker import Linker

    names = list(names)
    more = Rules((*rules.use, *missed(Linker(names, rules), papers)), rules.leave)
    sure = probabilities(Linker(names, more), papers, judged)
    return Rules(more.use, (*more.leave, *(pair for pair, probability in sure.items() if probability < least)))


def missed(linker: Linker, papers: Iterable[Paper]) -> list[Pair]:
    """The forms that gold has twice or more, and that the linker does not find."""
    counted: Counter[Pair] = Counter()
    within: Counter[Pair] = Counter()
    for texts, gold in papers:
        here: Counter[Pair] = Counter()
        for text, matches, spans in zip(texts, linker.link(texts), gold, strict=True):
            linked_spans = {(match.start, match.stop, match.concept) for match in matches}
            here.update((text[start:end], concept) for start, end, concept in set(spans) - linked_spans)
        counted.update(here)
        within.update({(linker.key(surface), concept) for surface, concept in here})
    return [
        (surface, concept)
        for (surface, concept), times in _by_key(linker, counted).items()
        if times >= HITS and (within[linker.key(surface), concept] > 1 or not _of_a_paper(surface))
    ]


def _of_a_paper(surface: str) -> bool:
    """Whether a form is so short that another paper may well mean something else by it."""
    return is_acronym(surface) or len(surface) < SHORT


def _by_key(linker: Linker, counted: Counter[Pair]) -> Counter[Pair]:
    """Surfaces of one key counted as one, under the commonest of them."""
    sums: Counter[tuple[str, int]] = Counter()
    surface_by_key: dict[tuple[str, int], str] = {}
    for (surface, concept), times in counted.most_common():
        sums[linker.key(surface), concept] += times
        surface_by_key.setdefault((linker.key(surface), concept), surface)
    return Counter({(surface_by_key[key, concept], concept): times for (key, concept), times in sums.items()})


def probabilities(linker: Linker, papers: Iterable[Paper], judged: Collection[int] | None = None) -> dict[Pair, float]:
    """How probable what the linker finds in gold is to be right, by surfaces, as their keys, and concepts."""
    hits, right = Counter[Pair | str](), Counter[Pair | str]()
    methods: dict[Pair, str] = {}
    for texts, gold in papers:
        for text, matches, spans in zip(texts, linker.link(texts), gold, strict=True):
            for match in (
                matches if judged is None else (candidate for candidate in matches if candidate.concept in judged)
            ):
                pair = linker.key(text[match.start : match.stop]).strip(), match.concept
                methods[pair] = match.method
                for what in (pair, match.method):
                    hits[what] += 1
                    right[what] += (match.start, match.stop, match.concept) in spans
    return {pair: (right[pair] + right[way] / hits[way]) / (hits[pair] + 1) for pair, way in methods.items()}
