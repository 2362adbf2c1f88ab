"""Accents that a PDF draws as glyphs of their own: names and words are found only where they come to their letters."""

from __future__ import annotations

from pathlib import Path

import pytest
import raw_pdf

from conspectus.parse.pdf.reader import read_pdf

TEX = raw_pdf.Font(
    "CMR10",
    {
        0x10: "dotlessi", 0x11: "dotlessj", 0x12: "grave", 0x13: "acute", 0x14: "caron", 0x15: "breve", 0x16: "macron",
        0x17: "ring", 0x18: "cedilla", 0x20: "suppress", 0x5E: "circumflex", 0x5F: "dotaccent", 0x7D: "hungarumlaut",
        0x7E: "tilde", 0x7F: "dieresis", 0x80: "Lslash", 0x81: "lslash", 0x82: "asciicircum", 0x83: "degree",
        0x84: "ogonek",
    },
)  # fmt: skip
SOFT = raw_pdf.Font("CMR10", {0xC1: "uni0301", 0xC8: "uni0308"})
BACK = 500


def read(tmp_path: Path, shown: str, turned: str = "1 0 0 1 72 700", font: str = "F1") -> str:
    """How a line is read that shows this, in the notation of PDF, in the midst of other words."""
    content = f"BT /{font} 10 Tf {turned} Tm [(as we read ){shown}( so it is here, and nobody knows why.)] TJ ET"
    (block,) = read_pdf(raw_pdf.save(tmp_path / "a.pdf", content, {"F1": TEX, "F2": SOFT})).blocks
    return block.text.removeprefix("as we read ").partition(" so it is")[0]


WORDS = [
    ("Poincaré", "(Poincar) {(\\023)} (e)"),
    ("Erdős", "(Erd) {(\\175)} (o) (s)"),
    ("naïve", "(na) {(\\177)} (\\020) (ve)"),
    ("Ångström", "{(\\027)} (A) (ngstr) {(\\177)} (o) (m)"),
    ("Łódź", "(\\200) {(\\023)} (o) (d) {(\\023)} (z)"),
    ("François", "(Fran) {(\\030)} (c) (ois)"),
    ("Dvořák", "(Dvo) {(\\024)} (r) {(\\023)} (a) (k)"),
    ("Señor", "(Se) {(\\176)} (n) (or)"),
    ("ĵ", "{(^)} (\\021)"),
    ("à", "{(\\022)} (a)"),
    ("Żak", "{(_)} (Z) (ak)"),
    ("ęą", "{(\\204)} (e) {(\\204)} (a)"),
]  # fmt: skip


@pytest.mark.parametrize("order", ["before", "after"])
@pytest.mark.parametrize(("word", "shown"), WORDS, ids=[word for word, _ in WORDS])
def test_an_accent_comes_to_the_letter_it_is_printed_over(tmp_path: Path, word: str, shown: str, order: str) -> None:
    """TeX sets an accent before its letter, others after it: the name would be misspelt, and not found."""
    parts = shown.split(" ")
    for i, part in enumerate(parts[:-1]):
        if part.startswith("{"):
            accent, letter = part[1:-1], parts[i + 1]
            first, second = (accent, letter) if order == "before" else (letter, accent)
            parts[i], parts[i + 1] = f"{first} {BACK}", second
    assert read(tmp_path, " ".join(parts)) == word


@pytest.mark.parametrize("turned", ["0 1 -1 0 300 100", "0 -1 1 0 300 700"])
def test_accents_of_a_turned_page(tmp_path: Path, turned: str) -> None:
    """Above is another side there: a table set across would lose the names in it."""
    assert read(tmp_path, f"(na) (\\177) {BACK} (\\020ve Poincar\\023) {BACK} (e)", turned) == "naïve Poincaré"


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        ("(see a/~user)", "see a/˜user"),
        ("(x\\202y and 90\\203C)", "x^y and 90°C"),
        ("(x ^ y)", "x ˆ y"),
        ("(the \\177 a)", "the ¨ a"),
    ],
)
def test_a_sign_of_its_own_stays_one(tmp_path: Path, shown: str, text: str) -> None:
    """An address with a tilde in it would lead nowhere, and a formula would lose its hat."""
    assert read(tmp_path, shown) == text


def test_a_hat_of_a_formula_stays_over_its_letter(tmp_path: Path) -> None:
    """No character has both, and the hat was shown as a word before the letter."""
    assert read(tmp_path, f"(the \\136) {BACK} (x and \\026) {BACK} (3 and \\136) {BACK} (y)") == "the x̂ and 3̄ and ŷ"


def test_a_raised_accent_of_its_own_text_object(tmp_path: Path) -> None:
    """TeX raises accents over capitals, and begins a new text for each: the word would fall into three."""
    content = (
        "BT /F1 10 Tf 1 0 0 1 72 700 Tm (an ) Tj 1 0 0 1 87 702 Tm (\\027) Tj 1 0 0 1 87 700 Tm (Angstr) Tj "
        "1 0 0 1 117 700 Tm (\\177) Tj 1 0 0 1 117 700 Tm (om is very small and nobody has seen one.) Tj ET"
    )
    (block,) = read_pdf(raw_pdf.save(tmp_path / "a.pdf", content, {"F1": TEX})).blocks
    assert block.text == "an Ångström is very small and nobody has seen one."


@pytest.mark.parametrize("shown", [f"(Poincar\\301) {BACK} (e)", f"(Poincare) {BACK} (\\301)"])
def test_a_combining_accent_before_its_letter(tmp_path: Path, shown: str) -> None:
    """Unicode has it after the letter, fonts do not care: it would stand over the letter before."""
    assert read(tmp_path, shown, font="F2") == "Poincaré"


def test_an_accent_that_was_drawn_elsewhere_in_the_file(tmp_path: Path) -> None:
    """Some programs draw accents apart from the words: a name would be misspelt, and a lone accent be a word."""
    content = (
        "BT /F1 10 Tf 1 0 0 1 72 700 Tm (as we read Poincare has said so, and he was right.) Tj "
        "1 0 0 1 72 688 Tm (and then there is another line.) Tj 1 0 0 1 162 701 Tm (\\023) Tj ET"
    )
    (block,) = read_pdf(raw_pdf.save(tmp_path / "a.pdf", content, {"F1": TEX})).blocks
    assert block.text.startswith("as we read Poincaré has said so") and "´" not in block.text
