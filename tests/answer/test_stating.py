"""Which sentences may be quoted, in which order, and what is told of languages."""

from pathlib import Path

import pytest

from conspectus.answer import factual_sentences
from conspectus.answer.extractive import language_of
from conspectus.models.minilm import MiniLM
from conspectus.records import Passage, PassageKind, Span
from helpers import HashEmbedder, open_library, read_cases, write_jsonl

CASES = read_cases(__file__)


def states(passage: Passage, position: int) -> bool:
    return factual_sentences.states(
        passage, position, "A title", factual_sentences.words_of(passage.spans[position].text)
    )


def passage(*sentences: str, kind: PassageKind = "body") -> Passage:
    text, spans = "", []
    for number, sentence in enumerate(sentences):
        start = len(text) + bool(text)
        text = f"{text} {sentence}".strip()
        spans.append(Span(f"p.s{number}", start, start + len(sentence), sentence))
    return Passage("p.p0", "p", kind, "", text, tuple(spans))


@pytest.mark.parametrize("sentence", CASES["what_states_nothing_is_not_quoted"])
def test_what_states_nothing_is_not_quoted(sentence: str) -> None:
    """The question's own words, put as a question, an aim or a caption, would be given for its answer."""
    assert not states(passage("Galaxies rotate.", sentence), 1)


@pytest.mark.parametrize("sentence", CASES["what_states_something_may_be_quoted"])
def test_what_states_something_may_be_quoted(sentence: str) -> None:
    """Else sentences that answer are passed over for how they begin."""
    assert states(passage("Galaxies rotate.", sentence), 1)


def test_of_a_caption_what_it_says_beside_its_name() -> None:
    """What a figure is called is no finding; what its caption says of it is."""
    bare = "Rotation curves of forty galaxies with haloes."
    said = "The curves stay flat out to forty kiloparsecs."
    for sentences in ((f"Fig. 2 {bare}", said), ("Fig. 2.", bare, said), (bare, said)):
        caption = passage(*sentences, kind="caption")
        told = [states(caption, number) for number in range(len(sentences))]
        assert told == [False] * (len(sentences) - 1) + [True]


def test_an_answer_reads_paper_by_paper(tmp_path: Path, quick_pool: None) -> None:
    """Else two papers interrupt each other, or an introduction is read before the sentence that answers."""
    first = (
        "A flat rotation curve does need the halo of the galaxy in most of the forty cases that we looked at by "
        "radio and light, over nine long years of nights, with every telescope. Nothing else is said. Cats purr. "
        "The flat rotation curve of the galaxy does need the dark halo."
    )
    texts = {
        "One": first,
        "Two": "A flat rotation curve of the galaxy goes with a dark halo beyond its stars.",
        "Three": "Cats need to sleep all day long.",
    }
    records = [{"title": title, "abstract": text} for title, text in texts.items()]
    with open_library(tmp_path / "lib", answer__threshold=0.0) as library:
        library.add(write_jsonl(tmp_path / "three.jsonl", records))
        found = library.ask("Does the flat rotation curve of the galaxy need the dark halo?").statements
    papers = [one.citations[0].paper.title for one in found]
    assert papers == sorted(papers) and len(set(papers)) == 2, "each paper's sentences stand together"
    scores = [one.score for one in found if one.citations[0].paper.title == "One"]
    assert len(scores) == 2 and scores == sorted(scores, reverse=True), "the best sentence of a paper stands first"


@pytest.mark.parametrize(("question", "language"), CASES["the_language_of_a_question"])
def test_the_language_of_a_question(question: str, language: str) -> None:
    """A question that the embedder cannot read is told of; an English one never is."""
    assert language_of(question) == language


def test_a_language_that_the_embedder_does_not_know_is_told(tmp_path: Path) -> None:
    """Else who asks in Spanish is told that the library knows nothing, and not why."""
    embedder = HashEmbedder()
    embedder.language = MiniLM.language  # type: ignore[attr-defined]
    asked = "¿Cuál es el papel de las mitocondrias en la apoptosis?"
    with open_library(tmp_path / "lib", embedder) as library:
        note = library.ask(asked).note
        assert "'es'" in note and "ask in English" in note and "models.embedder" in note
        assert library.ask("What is the role of mitochondria?").note == ""
    with open_library(tmp_path / "lib") as library:
        assert library.ask(asked).note == "", "nothing is known of what this embedder knows"
