"""Questions made of a library's own sentences: what one says, what several papers are cited for, what none joins.

Questions with one right paper are made by rule or by a language model (F15; pathfinder, sec. 4.1). The rule needs no
model, and the same seed gives the same questions.

For a paper drawn at random:

1. Of its sentences of 12 to 60 words (abstract and body; formulas between dollar signs are taken out) the densest in
   facts is taken: numbers, named things (capitals within the sentence, letters with digits) and rare words (in at most
   1 % of the passages), counted together and divided by the words. Of equals the first.
2. Numbers go: they are what such a question asks for. Function words go. Words go that would give the paper away: those
   that fewer than 5 passages of other papers have (in a library of less than 1,000 passages, one in 200 of them).
3. Of the words that are left, each once, 6 are drawn at random, 2 of them named or rare: a question is about something,
   and people ask with few words. They keep their order.
4. Where three in a row were neighbours in the sentence the middle one is dropped: nothing of it is copied.
5. With fewer than 4 words the next of the five densest sentences is tried; then the paper is passed over.
"""

from __future__ import annotations

import asyncio
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec

from conspectus.core.errors import InputError
from conspectus.core.job_context import emit
from conspectus.evaluation.answer_batches import ask_each, cost_note, has_model, model_needed, models_and_prompts
from conspectus.evaluation.records import Question, QuestionSet
from conspectus.graph import sql as graph_sql
from conspectus.graph.explorer import Explorer
from conspectus.graph.mention_finder import NO_ENTITY, concepts_in
from conspectus.graph.verdicts import DistantEntities, draw_distant_entities
from conspectus.lexicon import STOP_WORDS
from conspectus.library import Library
from conspectus.llm.client import LlmClient, RoleModels
from conspectus.llm.output_spec import OutputSpec
from conspectus.llm.prompts import fenced
from conspectus.records import Block, Paper, Sentence
from conspectus.records.events import Progress

RULE = "six words, drawn at random, of the sentence densest in facts; no numbers, no words that few others have"
SHORTEST, LONGEST = 12, 60
FEWEST, MOST = 4, 6
SPECIFIC = 2
OTHERS, OF_ALL = 5, 200
TRIED = 5
RARE = 0.01
_MATHS = re.compile(r"\$[^$]*\$|\\[a-zA-Z]+")
_WORD = re.compile(r"[^\W_]+(?:[-’'.][^\W_]+)*")

Frequencies = Callable[[Sequence[str]], list[int]]
"""In how many passages each word is."""


@dataclass(frozen=True, slots=True)
class SourceSentence:
    """A sentence to make a question from, and its id."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class QuestionSource:
    """A paper: its name, its sentences, and the texts of its passages."""

    name: str
    sentences: tuple[SourceSentence, ...]
    passages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Corpus:
    """The number of passages of all papers, and the frequencies of words in them."""

    passages: int
    frequencies: Frequencies


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    is_name: bool
    number: bool
    rare: bool
    given_away: bool

    @property
    def word(self) -> str:
        return self.text.lower()

    @property
    def is_specific(self) -> bool:
        return self.is_name or self.rare

    @property
    def is_content(self) -> bool:
        return len(self.text) > 1 and self.word not in STOP_WORDS


def count_words(texts: Iterable[str]) -> Corpus:
    """Count the words of passages, reading them once."""
    counts: Counter[str] = Counter()
    number = 0
    for text in texts:
        number += 1
        counts.update({match[0].lower() for match in _WORD.finditer(_plain(text))})
    return Corpus(number, lambda words: [counts[word.lower()] for word in words])


def make_questions(
    names: Iterable[str], source: Callable[[str], QuestionSource], corpus: Corpus, count: int, seed: int = 0
) -> tuple[Question, ...]:
    """Make at most `count` questions, each from another paper drawn at random from `names`.

    Args:
        names: of all papers.
        source: reads one of them.
        corpus: what is known of all together.
        count: how many questions.
        seed: of the draw, and of the words that are dropped.
    """
    order = sorted(names)
    random.Random(seed).shuffle(order)  # noqa: S311 - no secret
    questions: list[Question] = []
    for name in order:
        if len(questions) == count:
            break
        question = next(iter(questions_of_paper(source(name), corpus, seed)), None)
        if question is not None:
            questions.append(question)
    return tuple(questions)


def questions_of_paper(paper: QuestionSource, corpus: Corpus, seed: int = 0) -> Iterator[Question]:
    """Yield questions from the densest sentences of a paper, densest first."""
    for sentence in rank_sentences(paper, corpus)[:TRIED]:
        text = shorten_sentence(_tokens(sentence.text, paper, corpus), random.Random(f"{seed}:{sentence.id}"))  # noqa: S311
        if text:
            yield Question(sentence.id, text, {paper.name: 1}, source=sentence.id)


def rank_sentences(paper: QuestionSource, corpus: Corpus) -> list[SourceSentence]:
    """Sentences of the right length with facts, densest first."""
    fit = [sentence for sentence in paper.sentences if SHORTEST <= len(_WORD.findall(_plain(sentence.text))) <= LONGEST]
    tokens = {sentence.id: _tokens(sentence.text, paper, corpus) for sentence in fit}
    scored = [(_density(tokens[sentence.id]), sentence) for sentence in fit]
    return [sentence for score, sentence in sorted(scored, key=lambda pair: -pair[0]) if score]


def shorten_sentence(tokens: Sequence[_Token], draw: random.Random) -> str:
    """Make a query of a sentence's words; "" if too few are left."""
    first: dict[str, int] = {}
    for place, token in enumerate(tokens):
        if token.is_content and not token.number and not token.given_away:
            first.setdefault(token.word, place)
    places = list(first.values())
    specific = [place for place in places if tokens[place].is_specific]
    if len(specific) < SPECIFIC:
        return ""
    about = draw.sample(specific, SPECIFIC)
    others = [place for place in places if place not in about]
    chosen: list[int] = []
    for place in sorted([*about, *draw.sample(others, min(MOST - SPECIFIC, len(others)))]):
        if chosen[-2:] == [place - 2, place - 1]:
            chosen.pop()
        chosen.append(place)
    return " ".join(tokens[place].text for place in chosen) if len(chosen) >= FEWEST else ""


def _tokens(text: str, paper: QuestionSource, corpus: Corpus) -> list[_Token]:
    words = [match[0] for match in _WORD.finditer(_plain(text))]
    everywhere = corpus.frequencies(words)
    most_rare = max(2.0, RARE * corpus.passages)
    least = max(1, min(OTHERS, corpus.passages // OF_ALL))
    here = [{match[0].lower() for match in _WORD.finditer(_plain(passage))} for passage in paper.passages]
    return [
        _Token(
            text=word,
            is_name=(place > 0 and any(sign.isupper() for sign in word)) or _is_mixed(word),
            number=not any(sign.isalpha() for sign in word),
            rare=count <= most_rare,
            given_away=count - sum(word.lower() in passage for passage in here) < least,
        )
        for place, (word, count) in enumerate(zip(words, everywhere, strict=True))
    ]


def _density(tokens: Sequence[_Token]) -> float:
    facts = sum(token.is_content and (token.is_specific or token.number) for token in tokens)
    return facts / max(len(tokens), 1)


def _is_mixed(word: str) -> bool:
    return any(sign.isdigit() for sign in word) and any(sign.isalpha() for sign in word)


def _plain(text: str) -> str:
    return _MATHS.sub(" ", text)


PROMPT = "eval_question"
COPIED = 6
"""Words in a row of the sentence that make a question a copy."""

_PLAIN_WORD = re.compile(r"\w+")


class QuestionReply(msgspec.Struct):
    """The reply to the prompt `eval_question`."""

    question: str


def rephrase_questions(library: Library, questions: Sequence[Question], posed: QuestionSet) -> QuestionSet:
    """Let the model for the role `ask` write questions from the sentences of `questions`; returns `posed` with them.

    Calls are kept in the library like any other. A sentence that the model makes no usable question of is left out, and
    so are those behind the budget's end; the notes say how many.

    Raises:
        UnavailableError: no language model is set.
        ServiceError: it cannot be asked at all.
    """
    RoleModels(library.session.models).of("ask")  # a setting that is wrong is told before anything else is done

    async def make(question: Question, client: LlmClient) -> str:
        _, _, span = await asyncio.to_thread(library.citation, question.source)
        values = {"sentence": fenced("sentence", " ".join(span.text.split()))}
        spec = OutputSpec(QuestionReply, lambda reply: question_trouble(reply, span.text))
        reply = await client.ask("ask", PROMPT, values, spec, papers=list(question.relevant))
        return " ".join(reply.question.split())

    outcomes = ask_each(library, questions, make, "asking for questions", together=True)
    new_questions = [
        replace(question, text=outcome.value)
        for question, outcome in zip(questions, outcomes, strict=True)
        if outcome.value
    ]
    models, prompts = models_and_prompts(outcomes)
    notes = (
        [f"{len(questions) - len(new_questions)} sentences gave no usable question."]
        if len(new_questions) < len(questions)
        else []
    )
    notes = [*posed.notes, *notes, *([cost] if (cost := cost_note(outcomes)) else [])]
    of_models = replace(posed, models=tuple(models), prompts=tuple(prompts))
    return replace(of_models, questions=tuple(new_questions), notes=tuple(notes))


def question_trouble(reply: QuestionReply, sentence: str) -> str:
    """What is wrong with a question (empty, or copied from the sentence); "" if nothing."""
    question_words, there = (
        [word.lower() for word in _PLAIN_WORD.findall(text)] for text in (reply.question, sentence)
    )
    if len(question_words) < 3:
        return "the question is empty or of two words"
    runs = {tuple(there[at : at + COPIED]) for at in range(len(there) - COPIED + 1)}
    for at in range(len(question_words) - COPIED + 1):
        if tuple(question_words[at : at + COPIED]) in runs:
            return f"it copies '{' '.join(question_words[at : at + COPIED])}' from the sentence; use words of your own"
    return ""


LEAST = 5
"""Papers of the library that a sentence has to cite."""

_FEWEST_WORDS = 4
_EMPTIED = re.compile(r"[(\[{]\s*(?:(?:see|e\.g\.|cf\.|and|also|[,;&.–-])\s*)*[)\]}]")
_BEFORE_STOP = re.compile(r"(?<!\s)\s++(?=[.,;:](?!\d))")
_REPEATED = re.compile(r"(?<!\s)(?:\s*+[,;]){2,}+")
_AT_END = re.compile(r"(?<![\s,;–—-])(?<!\band)(?:[\s,;–—-]|\band\b)++(?=$|[.?!](?!\w))")
"""What joined marks that stood before the end of a sentence."""


def citation_clusters(library: Library, least: int = LEAST) -> Iterator[Question]:
    """The sentences of the library's papers that cite at least `least` of its other papers, as questions.

    The question is the sentence without its citation marks; relevant is what it cites; the paper that has the sentence
    is left out of what is found. Captions and footnotes are no sentences of a survey. The order is that of the papers.
    """
    papers = [paper for paper in library.papers() if paper.has_full_text]
    for number, paper in enumerate(papers):
        emit(Progress("looking for citation clusters", number, len(papers), "papers"))
        yield from _paper_clusters(library, paper, least)
    emit(Progress("looking for citation clusters", len(papers), len(papers), "papers"))


def _paper_clusters(library: Library, paper: Paper, least: int) -> Iterator[Question]:
    parsed = library.parsed(paper.id)
    candidates = [
        (number, block, sentence)
        for number, block in enumerate(parsed.blocks)
        if block.kind in ("paragraph", "abstract")
        for sentence in block.sentences
        if len(_targets(block, sentence)) >= least
    ]
    if not candidates:
        return
    linked: Mapping[str, str] = {
        work.reference.key: work.paper_id
        for work in library.references(paper.id)
        if work.paper_id and work.paper_id != paper.id
    }
    for number, block, sentence in candidates:
        cited = dict.fromkeys((linked[key] for key in _targets(block, sentence) if key in linked), 1)
        text = without_marks(block, sentence)
        words = [word for word in re.findall(r"\w+", text.lower()) if word not in STOP_WORDS]
        if len(cited) >= least and len(words) >= _FEWEST_WORDS:
            yield Question(f"{paper.id}:{number}:{sentence.start}", text, cited, (paper.id,), paper.id)


def without_marks(block: Block, sentence: Sentence) -> str:
    """Remove a sentence's citation marks with the brackets and commas around them."""
    text, at = "", sentence.start
    for mark in block.marks:
        if mark.kind == "reference" and sentence.start <= mark.start and mark.end <= sentence.end:
            text += f"{block.text[at : mark.start]} "
            at = mark.end
    text += block.text[at : sentence.end]
    before = ""
    while before != text:
        before, text = text, _EMPTIED.sub(" ", text)
    return _BEFORE_STOP.sub("", _REPEATED.sub(",", _AT_END.sub("", " ".join(text.split())))).strip()


def _targets(block: Block, sentence: Sentence) -> dict[str, None]:
    """The keys of the references that a sentence cites, each once."""
    return {
        key: None
        for mark in block.marks
        if mark.kind == "reference" and sentence.start <= mark.start < sentence.end
        for key in mark.targets
    }


NAME = "multi-entity"
ENTITY_PROMPT = "eval_entities"
LEAST_PAPERS, MOST_PAPERS = 2, 30
"""Papers of the hops between the entities of a question: one alone is no several, and what many have is too common."""
_TEMPLATES = {2: "How is {} related to {}?", 3: "How are {}, {} and {} related?"}
_RIGHT = "two or three entities that no sentence joins; right are the papers of the ways over a middle"


class EntityQuestionReply(msgspec.Struct):
    """The reply to the prompt `eval_entities`."""

    question: str


@dataclass(frozen=True, slots=True)
class _EntityQuestion:
    """A question by the template, and its entities: their keys and names."""

    question: Question
    keys: tuple[int, ...]
    labels: tuple[str, ...]


def multi_entity(library: Library, count: int, by: str = "", seed: int = 0) -> tuple[QuestionSet, ...]:
    """Make questions about several entities by a template (`words`), the model for the role `ask` (`model`), or `both`.

    Args:
        library: whose graph.
        count: of each, at most.
        by: "": by the model where one is set, else by the template.
        seed: of the entities that are drawn.

    Raises:
        InputError: the library's graph has no such entities.
        UnavailableError: `by` asks for a model, and none is set.
        ServiceError: it cannot be asked.
    """
    entity_questions = list(_questions(library, count, seed))
    if not entity_questions:
        raise InputError("The library's graph has no two entities that only others join.", NO_ENTITY)
    asks = has_model(library.settings.language, "ask")
    if by in ("model", "both") and not asks:
        raise model_needed("Questions by a model")
    sets = []
    if by in ("words", "both") or not (by or asks):
        about = f"by a template: {_RIGHT}"
        sets.append(
            QuestionSet(
                "self",
                _name(library, "by a template"),
                about,
                tuple(entity_question.question for entity_question in entity_questions),
            )
        )
    if by in ("model", "both") or (not by and asks):
        sets.append(_by_model(library, entity_questions))
    return tuple(sets)


def _name(library: Library, how: str) -> str:
    return f"{library.folder.name}: {NAME}, {how}"


def _questions(library: Library, count: int, seed: int) -> Iterator[_EntityQuestion]:
    """Questions in which their entities are found again, and that few enough papers answer."""
    explorer = Explorer(library.session.catalog)
    for entities in draw_distant_entities(explorer, seed):
        if not count:
            return
        if question := _question(library, explorer, entities):
            count -= 1
            yield question


def _question(library: Library, explorer: Explorer, entities: DistantEntities) -> _EntityQuestion | None:
    catalog = explorer.catalog
    concepts = dict.fromkeys(key for way in entities.ways for key in way)
    entity_by_key = graph_sql.read_entities(
        catalog, {key: explorer.counts([key])[key] for key in (*entities.keys, *concepts)}
    )
    labels = tuple(entity_by_key[key].name for key in entities.keys)
    text = _TEMPLATES[len(labels)].format(*labels)
    if set(concepts_in(library.session, text)) != set(entities.keys):
        return None
    papers = {place.paper for place in entities.places(explorer)}
    if not LEAST_PAPERS <= len(papers) <= MOST_PAPERS:
        return None
    right = sorted(paper.id for paper in catalog.papers_by_key(list(papers)).values())
    ways = "; ".join(" – ".join(entity_by_key[key].name for key in way) for way in entities.ways)
    name = "+".join(entity_by_key[key].id for key in entities.keys)
    return _EntityQuestion(Question(name, text, dict.fromkeys(right, 1), source=ways), entities.keys, labels)


def _by_model(library: Library, entity_questions: list[_EntityQuestion]) -> QuestionSet:
    """Let the model write the questions; unusable ones are left out and counted."""

    async def make(entity_question: _EntityQuestion, client: LlmClient) -> str:
        def check(reply: EntityQuestionReply) -> str:
            there = concepts_in(library.session, reply.question)
            lacking = [
                label
                for key, label in zip(entity_question.keys, entity_question.labels, strict=True)
                if key not in there
            ]
            return f"the question does not name {' and '.join(lacking)}" if lacking else ""

        values = {"entities": fenced("entities", "\n".join(entity_question.labels))}
        reply = await client.ask("ask", ENTITY_PROMPT, values, OutputSpec(EntityQuestionReply, check))
        return " ".join(reply.question.split())

    outcomes = ask_each(library, entity_questions, make, f"asking for questions of {NAME}")
    questions = tuple(
        replace(entity_question.question, text=outcome.value)
        for entity_question, outcome in zip(entity_questions, outcomes, strict=True)
        if outcome.value
    )
    models, prompts = models_and_prompts(outcomes)
    notes = (
        [f"{len(entity_questions) - len(questions)} times the model made no usable question."]
        if len(questions) < len(entity_questions)
        else []
    )
    notes += [cost] if (cost := cost_note(outcomes)) else []
    about = f"by a language model: {_RIGHT}"
    return QuestionSet(
        "self", _name(library, "by a model"), about, questions, tuple(notes), tuple(models), tuple(prompts)
    )
