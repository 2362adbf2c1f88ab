"""Learning names: of texts of which people say where they speak of what, and of mentions that they corrected."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from conspectus.catalog import mentions as marked
from conspectus.catalog import vocabularies as kept
from conspectus.catalog.engine import writing
from conspectus.core.disk import user_path
from conspectus.core.errors import UsageError
from conspectus.core.grouped import grouped
from conspectus.core.job_context import emit, listen
from conspectus.library.adding import Paths, names_of
from conspectus.library.linking import NONE, mentions
from conspectus.library.session import Session
from conspectus.records import normal_name
from conspectus.records.concepts import NameKind
from conspectus.records.jobs import Progress
from conspectus.records.vocabularies import LearnReport, Verdict

if TYPE_CHECKING:
    from conspectus.export.output import Output
    from conspectus.graph.gold import Gold

_PAPERS = 500
"""Of which sentences are drawn, at most."""


def learn_names(
    session: Session, paths: Paths, least: float = 0.5, *, progress: Callable[[Progress], None] | None = None
) -> LearnReport:
    """Learn of gold which names to search for in texts, and which to leave; what was learnt before is replaced.

    A form that gold has twice or more for a concept, and that no vocabulary has, is used (of an acronym or three
    letters: in two papers). A name that is less than `least` probable to be right is left. These are rules of names
    (`name_rules`), which count from the next `link` on; what users say goes before them. Vocabularies of which gold has
    no concept are left as they are.

    Args:
        paths: files of gold, in which *all* that a text speaks of is marked: JSON Lines, PubTator, or tables as
            `sample_mentions` writes them.
        least: 0 to 1; higher finds less, and more of it is right.
        progress: is told how far it is.

    Raises:
        UsageError: nothing is named, `least` is out of bounds, or gold has no concept that the library has.
        InputError: a file cannot be read.
        BusyError: another process, or job of this one, is writing to the library.
    """
    from conspectus.graph.gold import read_gold

    if not 0 <= least <= 1:
        raise UsageError(f"{least} is no probability.", "Give one from 0 to 1.")
    with session.writing(), listen(progress, Progress):
        gold = list(_told(chain.from_iterable(read_gold(user_path(one).absolute()) for one in names_of(paths))))
        learning = _Learning(session, gold)
        rules = learning.rules(least)
        with writing(session.catalog.engine) as connection:
            kept.forget_learnt(connection)
            new = {rule: kept.put_new_rule(connection, *rule, kept.LEARNT) for rule in rules}
    of = [verdict for (_, _, verdict), is_new in new.items() if is_new]
    return LearnReport(
        len({one.paper for one in gold}),
        sum(len(one.mentions) for one in gold),
        learning.unknown,
        of.count("use"),
        of.count("leave"),
        len(new) - len(of),
    )


def _told(gold: Iterator[Gold]) -> Iterator[Gold]:
    for number, one in enumerate(gold, 1):
        yield one
        emit(Progress("reading gold", number, 0, "texts"))


class _Learning:
    """Gold and names, with a number for each id."""

    def __init__(self, session: Session, gold: Sequence[Gold]) -> None:
        self._catalog, self._gold = session.catalog, gold
        self._ids = marked.ids_by_vocabulary(session.catalog)
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

        names = [
            Named(self._number[self._ids[key][0]], text, NameKind(kind), rank)
            for key, text, kind, rank in marked.names(self._catalog)
        ]
        said = Rules(*(tuple(map(self._numbered, some)) for some in kept.ruled(self._catalog, learnt=False)))
        papers = grouped((one.paper, one) for one in self._gold)
        found = learn(names, [self._paper(own) for own in papers.values()], said, least=least, judged=self._judged)
        new: dict[tuple[str, str], Verdict] = dict.fromkeys(self._named(found.use[len(said.use) :]), "use")
        new |= dict.fromkeys(self._named(found.leave[len(said.leave) :]), "leave")
        return [(name, id, verdict) for (name, id), verdict in new.items()]

    def _named(self, some: Iterable[kept.Surface]) -> list[tuple[str, str]]:
        return [(normal_name(text), self._ids[key][0]) for text, key in some]

    def _numbered(self, said: kept.Surface) -> kept.Surface:
        text, key = said
        return text, self._number[self._ids[key][0]] if key in self._ids else key

    def _paper(self, own: Sequence[Gold]) -> tuple[list[str], list[list[tuple[int, int, int]]]]:
        known = self._number
        return [one.text for one in own], [
            [(start, end, known[id]) for start, end, id in one.mentions if id in known] for one in own
        ]


def forget_learnt_names(session: Session) -> int:
    """Take back all that was learnt of names; returns how many rules that were. What users said stays.

    Raises:
        BusyError: another process, or job of this one, is writing to the library.
    """
    with session.writing(), writing(session.catalog.engine) as connection:
        return kept.forget_learnt(connection)


def sample_mentions(session: Session, output: Output, sentences: int = 100) -> int:
    """Write sentences drawn by chance, with what was found in them, as a table (CSV) to be corrected and learnt of.

    Each mention is a row. Where its words mean no concept `concept` is emptied, where another one its id is put there;
    what was missed gets a row of its own below those of its sentence. `learn_names` learns of the table.

    Args:
        output: a file, or anything with `write(text)`.
        sentences: how many, at most; of these in which something was found.

    Returns:
        How many sentences were written.

    Raises:
        UsageError: no paper is linked, or the file cannot be written.
    """
    from conspectus.export.output import writing_to
    from conspectus.export.table import csv_line
    from conspectus.graph.gold import COLUMNS

    keys = marked.papers_with_any(session.catalog)
    if not keys:
        raise UsageError("No paper speaks of an entity yet.", NONE)
    draw = random.Random(0)  # noqa: S311 - no secret: the same sample as long as the library is the same
    drawn = [one for key in draw.sample(keys, min(len(keys), _PAPERS)) for one in _sentences(session, key)]
    some = draw.sample(drawn, min(len(drawn), sentences))
    with writing_to(output) as stream:
        stream.write(csv_line(COLUMNS))
        for paper, text, own in sorted(some):
            for one in own:
                stream.write(csv_line((paper, text, *one)))
    return len(some)


def _sentences(session: Session, key: int) -> Iterator[tuple[str, str, tuple[tuple[int, str, str, str], ...]]]:
    """A paper's sentences in which something was found: paper, sentence, (start, words, id, label) of each mention."""
    for paper in session.catalog.papers_by_key([key]).values():
        texts = {span.id: span.text for passage in session.catalog.passages(paper.id) for span in passage.spans}
        for span, own in grouped((one.span_id, one) for one in mentions(session, paper.id)).items():
            yield paper.id, texts[span], tuple((one.start, one.text, one.entity, one.label) for one in own)
