"""Letters with accents may be one character or two, and look the same."""

import unicodedata
from itertools import pairwise
from pathlib import Path

import pytest

from conspectus.core.text import cleaned, mapped
from helpers import markdown, open_library, write

SENTENCE = "Schrödinger und Müller lösten die Gleichung."
TEXTS = ("plain", SENTENCE, "한국어 논문", "Nguyễn Văn Ấn", "5 \u212b", "\u0308 alone", "a\u0308\u200bb", "क\u093c ख")


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_is_composed_and_its_places_follow(text: str) -> None:
    """Marks of a formula or a link would stand a letter further on with each accent before them."""
    typed = unicodedata.normalize("NFD", text)
    clean = cleaned(typed)
    assert unicodedata.is_normalized("NFC", clean) and clean == cleaned(text)
    new, places = mapped(typed) or (typed, list(range(len(typed) + 1)))
    assert new == clean and len(places) == len(typed) + 1 and places[-1] == len(clean)
    assert all(0 <= later - earlier <= 1 for earlier, later in pairwise(places))


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_word_is_found_however_it_was_typed(tmp_path: Path, form: str) -> None:
    """macOS names files, and some programs write texts, with letters and accents apart; people type them as one."""
    text = unicodedata.normalize(form, SENTENCE)
    write(tmp_path / "a.md", markdown(unicodedata.normalize(form, "Die Lösung"), text, "Katzen schlafen."))
    write(tmp_path / "b.jsonl", f'{{"id": "x", "title": "Größe", "abstract": "{text}"}}\n')
    with open_library(tmp_path / "lib") as library:
        library.add(tmp_path)
        for asked in ("NFC", "NFD"):
            assert library.count(unicodedata.normalize(asked, "Schrödinger")).papers == 2
            assert "No paper" not in library.ask(unicodedata.normalize(asked, "Was lösten Müller?")).reason
