"""Sentences are the unit of evidence: a wrong split is a wrong quotation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.parse.text.sentences import split_sentences
from growth import Steep, repeat_text

HARD = """
Marlow et al. found no effect.| We did.
This agrees with Marlow et al. (2010) and Ito et al. [12].| See below.
It was first seen by Marlow et al.| The effect was small.
This was argued in Marlow et al. Nature printed it.
Fig. 2 shows the rate.| Figs. 3A and 4 show the rest (see Eq. (5) and Ref. 7).| Sec. II explains why.
The rate was low (Fig. 2).| The rest was not (cf. Tab. 1, App. B).| So it ended.
The buffer had pH.7 Then cells were added.
As in Suppl. Fig. S3 and vol. 12, pp. 3-9, no. 4, it fell.
Growth of E. coli was fast, that of C. elegans slow.| E. coli K-12 survived.
The bee Ae. aegypti and Bacillus sp. were kept apart.
It was written by J. D. Smith, A. B. Jones and M. Curie.| The rest is known.
Dr. Smith, Prof. Jones and St. Andrews agreed.| Mr. Brown did not.
The result was significant (p < .05, t = 2.1).| Another was not (P > 0.05).
A score of .75 was reached.| Then it fell to .5 in a week.
We used version 2.0.1 of it.| Version 3.1 failed.
Data are at https://example.org/a.b/c.html.| Code is at doi:10.1000/xyz.123.| Write to a.b@example.org.
It has been shown.12| The others were not.13,14| In mice they were.
It has been shown.[12]| The others were not.[13–15]| Some were.
It has been shown.¹²| The others were not.
It has been shown. [12]| The others were not. [13, 14]| Some were.
Patients took vitamin C.| Patients with hepatitis B.| They improved.
They belong to group A.| Controls belong to group B.| Nothing else was done.
Cells were kept at 37 °C.| Medium was changed at 5 mg.| Then they died at 4.2 K.| Electrons froze.
1. Introduction
2.1. Methods of the first kind.| More of them.
Three steps follow: 1. Weigh it.| 2. Mix it.| 3. Heat it.
It was knocked out.| p53 was not.| mRNA levels fell.| miR-21 rose.| α-Synuclein did neither.
This was found in mice.| mTOR is the cause, i.e. mTOR kinase.
Did it work?| Yes!| It did.
"Why did it work?" he asked.| "It works."| They left.
He wrote "it works."| They left.| (This was in May.)| (The end came in June.)
The reagents (Sigma Inc. and Merck Ltd. in the U.S. market) were new.
This is the law in the U.S.| The law differs in the U.K. and elsewhere.
It was on Jan. 5 and Sept. 12, 2010.| It is now over.
It was tried in no. 5 and No. 6.| The answer is no.| Nothing came of it.
Apples, pears, etc. were given.| They ate bread, meat, etc.| The rest was left.
She holds a Ph.D. in physics, and an M.D. from Oxford.
It happened at 10 a.m. on Monday and at 5 p.m. daily.| At 6 p.m.| The rest is silence.
This was true ... until it was not.| And then ...| The end.
This was true...| They had proof…| So they left.
这是第一句。|这是第二句！|这是第三句？
これは新しい。|「はい。」|終わり。
it was so .| the next one was not .| fig . 2 shows it .
The rate was shown.|The next one was not.
The rate rose in all groups[1,2].|With an estimate of 3 it fell.
The rate is shown (Table 3).|We saw the same in mice.
We used Node.JS and foo.bar of www.Example.org today.
There were many in 2010.| 35 patients were (1) well.| (2) The others were not.
See Phys. Rev. Lett. 45, 12 and Proc. Natl. Acad. Sci. USA for proof.
Approx. 5 % of ca. 30 cases, viz. the old, did worse vs. Placebo.
The drug was given i.v. and the rest p.o. in turn.
Doses, e.g. Aspirin, i.e. ASA, rose.| They fell (e.g. Aspirin).
$x$ is small.| $y$ is large.| The sum is \\! 3 and more.
It is small.| © 2016 by the authors.
The aims were two.| - First aim.| • Second aim.| ## Methods
What follows is a list; 1. Salt, 2. Water.
The value x vs. y is resp. high and low.| Resp. it is not.
The temperature of 5 deg. was constant for 10 min. in all.
They paid $5.50.| She paid more.
We saw it in Exp. 2 but not in Exp. 3.| It was gone.
It ended (see the note by Marlow et al.).| The next began.
The method [Phys. Rev. B 12, 3 (2001)] is old.| We renew it.
It is a function of x.| The slope is a.| Both vary.
Is it [sic!] true?| (Who knows?)| Nobody does.
"""
CASES = [line for line in HARD.splitlines() if line]


def pieces(text: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text)]


@pytest.mark.parametrize("case", CASES)
def test_hard_strings_split_where_a_reader_would(case: str) -> None:
    """Lost otherwise: quotations that begin after "et al." or run on into the next statement."""
    assert pieces(case.replace("|", "")) == [piece.strip() for piece in case.split("|")]


def test_a_blank_line_always_ends_a_sentence() -> None:
    """Lost otherwise: a heading without a full stop is quoted as part of the sentence below it."""
    assert pieces("A heading of e.g.\n\nlower text \r\n \r\nend") == ["A heading of e.g.", "lower text", "end"]
    assert pieces("one line\nand its next") == ["one line\nand its next"]


def test_nothing_comes_of_nothing() -> None:
    """Lost otherwise: empty quotations."""
    assert split_sentences("") == split_sentences(" \n\n \t") == []


SCRAPS = st.lists(
    st.sampled_from(
        [
            *" \n.?!()[]\"'”,:-…。•#",
            "\n\n",
            ". ",
            "et al.",
            "Fig.",
            "A",
            "b",
            "the",
            "The",
            "12",
            "[3]",
            "E.",
            "e.g.",
            "p53",
            "no",
        ]
    ),
    max_size=60,
).map("".join)


@given(st.one_of(SCRAPS, st.text(max_size=200)))
def test_sentences_are_exact_and_lose_nothing(text: str) -> None:
    """Lost otherwise: words of a paper that can neither be found nor quoted, or quotations with other words in them."""
    spans = split_sentences(text)
    assert spans == split_sentences(text)
    last = 0
    for start, end in spans:
        assert last <= start < end
        assert not text[last:start].strip()
        assert text[start:end] == text[start:end].strip()
        last = end
    assert not text[last:].strip()


@given(
    st.lists(st.sampled_from(["The cat sat.", "We saw Fig. 2.", "It fell (p < .05).", "Did it?", "No!"]), max_size=8)
)
def test_a_sentence_is_one_sentence(sentences: list[str]) -> None:
    """Lost otherwise: the same sentence counts as other evidence where it stands alone."""
    assert pieces(" ".join(sentences)) == sentences
    assert all(pieces(piece) == [piece] for piece in pieces(" ".join(sentences)))


@pytest.mark.parametrize(
    "unit", [". ", "a. ", "[1", ".[1", ".1,", "((", "\n", "\n ", ".)", "...", "A.", ". [1, ", "- ", "..1–", ".¹"]
)
def test_no_text_takes_forever(unit: str, steep: Steep) -> None:
    """Lost otherwise: one hostile file stops the import of a thousand others."""
    assert not steep(lambda length: split_sentences(repeat_text(unit, length)), 50_000)


@pytest.mark.parametrize("label", ["Figure 3", "Fig. S2", "Table IV", "Supplementary Table 1", "FIG. 4a", "Box 1"])
def test_a_caption_s_label_is_no_sentence(label: str) -> None:
    """Lost otherwise: quotations that say no more than `Figure 3.`"""
    text = f"{label}. Moss on a wall. The scale is 1 cm."
    assert [text[start:end] for start, end in split_sentences(text)] == [
        f"{label}. Moss on a wall.",
        "The scale is 1 cm.",
    ]
    text = "It is shown in Figure 3. The wall is warm."
    assert len(split_sentences(text)) == 2
