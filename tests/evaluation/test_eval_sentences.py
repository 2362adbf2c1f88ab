"""Questions made of sentences by rule: seeded, of one paper, and nothing of it copied."""

import re

import pytest

from conspectus.evaluation.own_questions import (
    FEWEST,
    MOST_PAPERS,
    OTHERS,
    QuestionSource,
    SourceSentence,
    count_words,
    make_questions,
    questions_of_paper,
    rank_sentences,
)
from conspectus.lexicon import STOP_WORDS

WORDS = "quasar redshift dust ring halo jet lens flux mass spin shock plasma bar bulge disc survey".split()


def paper(number: int) -> QuestionSource:
    """A paper with one dense sentence among dull ones; the word `uniqN` is its own."""
    some = [WORDS[(number * 3 + step) % len(WORDS)] for step in range(8)]
    dense = (
        f"Observations with ALMA of the {some[0]} {some[1]} and the {some[2]} of NGC{number % 4} gave {number} "
        f"uniq{number} with a {some[3]} {some[4]} {some[5]} and {some[6]} near the {some[7]} at {number * 1.5} Jy."
    )
    dull = "This is what we have done here and there, and it was more or less as we had said before."
    found = (
        SourceSentence(f"p{number}:0", dull),
        SourceSentence(f"p{number}:1", dense),
        SourceSentence(f"p{number}:2", "Short."),
    )
    return QuestionSource(f"p{number}", found, (f"{dull} {dense} Short.",))


PAPERS = {one.name: one for one in map(paper, range(400))}
CORPUS = count_words(text for one in PAPERS.values() for text in one.passages)


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    return {next(iter(one.relevant)): one.text for one in make_questions(PAPERS, PAPERS.__getitem__, CORPUS, 60, 1)}


def test_the_densest_sentence_is_asked_about() -> None:
    """Else questions are about nothing."""
    first = rank_sentences(PAPERS["p7"], CORPUS)[0]
    assert first.id == "p7:1"
    question = next(questions_of_paper(PAPERS["p7"], CORPUS))
    assert (question.source, question.relevant) == ("p7:1", {"p7": 1})


def test_questions_keep_to_the_rule(made: dict[str, str]) -> None:
    """Numbers are the answer, own words give the paper away, and a copy proves nothing."""
    assert len(made) == 60
    for name, text in made.items():
        words, sentence = text.split(), PAPERS[name].sentences[1].text
        assert FEWEST <= len(words) <= MOST_PAPERS and len(set(words)) == len(words)
        assert not any(word.lower() in STOP_WORDS or re.fullmatch(r"[\d.]+", word) for word in words)
        assert f"uniq{name[1:]}" not in text
        assert all(CORPUS.frequencies([word])[0] > OTHERS for word in words)
        for at in range(len(words) - 2):
            assert " ".join(words[at : at + 3]) not in sentence


def test_the_same_seed_makes_the_same(made: dict[str, str]) -> None:
    """Else before and after a change are not of the same questions."""
    backwards = dict(reversed(PAPERS.items()))
    again = make_questions(backwards, PAPERS.__getitem__, CORPUS, 60, 1)
    assert {next(iter(one.relevant)): one.text for one in again} == made
    other = make_questions(PAPERS, PAPERS.__getitem__, CORPUS, 60, 2)
    assert {next(iter(one.relevant)) for one in other} != set(made)


def test_papers_with_nothing_to_ask_about_are_passed_over() -> None:
    dull = QuestionSource(
        "d",
        (SourceSentence("d:0", "It is so, and it was so, and it will be so for all that we have seen of it."),),
        ("x",),
    )
    assert make_questions(["d"], lambda _: dull, count_words(["x"]), 5) == ()
    assert make_questions([], lambda _: dull, count_words([]), 5) == ()


def test_formulas_are_no_words() -> None:
    """`\\frac` and what stands between dollar signs would be searched for."""
    text = (
        r"The flux $\alpha_{quasar}$ of the quasar and dust \frac{halo} ring with ALMA and of the halo jet lens "
        "and the NGC1 plasma survey in the disc and bulge."
    )
    source = QuestionSource("f", (SourceSentence("f:0", text),), (text,))
    for question in questions_of_paper(source, CORPUS):
        assert "alpha" not in question.text and "frac" not in question.text
