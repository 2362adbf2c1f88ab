"""What is called supported without a model that judges."""

from __future__ import annotations

from conspectus.answer.verify.supported import judge_mechanically

SENTENCE = "The rotation curve of NGC 1275 stays flat out to 40 kpc because a dark halo surrounds the galaxy."


def test_nearly_a_copy_without_doubts_is_supported() -> None:
    """A user without a model could never see a statement confirmed."""
    verdict = judge_mechanically("The rotation curve of NGC 1275 stays flat out to 40 kiloparsecs.", [SENTENCE])
    assert verdict.status == "supported" and verdict.why and not verdict.doubts
    assert judge_mechanically(SENTENCE, [SENTENCE]).status == "supported"


def test_other_words_are_unchecked_and_told_so() -> None:
    """Words do not prove support: a claim that nobody judged may not be shown as confirmed."""
    verdict = judge_mechanically("Unseen matter holds the outer stars of this system.", [SENTENCE])
    assert verdict.status == "unchecked" and "not judged" in verdict.why


def test_a_wrong_number_is_unsupported_and_a_missing_name_partly() -> None:
    """The kinds of doubt weigh differently: a name may stand there under another name, a number may not."""
    wrong = judge_mechanically("The rotation curve of NGC 1275 stays flat out to 60 kpc.", [SENTENCE])
    assert wrong.status == "unsupported" and "'60 kpc'" in wrong.why and wrong.doubts[0].kind == "number"
    named = judge_mechanically("The rotation curve of a galaxy in Perseus stays flat.", [SENTENCE])
    assert named.status == "partly" and named.doubts[0].found == "Perseus"


def test_another_language_is_unchecked() -> None:
    """Numbers and names are compared, but nobody may say that the rest was."""
    verdict = judge_mechanically("La curva de rotación de NGC 1275 es plana hasta 40 kpc.", [SENTENCE])
    assert verdict.status == "unchecked" and "language" in verdict.why


def test_nothing_cited_is_unchecked() -> None:
    """A statement without citations would look checked."""
    assert "cites no sentence" in judge_mechanically("The curve is flat.", []).why
    assert judge_mechanically("…", [SENTENCE]).status == "unchecked"
