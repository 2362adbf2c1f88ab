"""Papers in stretches for a model: nothing twice, nothing lost, nothing longer than it may be."""

import pytest

from conspectus.llm.prompts import passage_room
from conspectus.parse.markup.markdown import read_markdown
from conspectus.parse.text.passages import passages
from conspectus.records import Passage
from conspectus.summaries.summarise import LEAST, stretches

SENTENCE = "Number {} of the sentences of this paper says what was seen in the sample with this number."


@pytest.fixture
def own(tmp_path_factory: pytest.TempPathFactory) -> tuple[Passage, ...]:
    """A paper with an abstract, a long section, one with subsections, a short one and a caption."""
    count = iter(range(1000))

    def said(number: int) -> str:
        return " ".join(SENTENCE.format(next(count)) for _ in range(number))

    parts = ["# A paper", f"## Abstract\n\n{said(6)}", f"## Methods\n\n{said(100)}"]
    parts += [f"## Results\n\n{said(5)}", *(f"### Part {name}\n\n{said(8)}" for name in "ABC")]
    parts += ["## Thanks\n\nWe thank all."]
    path = tmp_path_factory.mktemp("md") / "paper.md"
    path.write_text("\n\n".join(parts) + "\n", "utf-8")
    return passages("paper", read_markdown(path))


def test_each_sentence_is_shown_once(own: tuple[Passage, ...]) -> None:
    """Else what overlapping passages share is paid for twice, and what stands between stretches is never read."""
    found = stretches(own, 3000)
    shown = [span.id for stretch in found for span in stretch.spans]
    assert len(shown) == len(set(shown))
    wanted = {span.id for p in own if p.kind == "body" and p.section.split(" > ")[-1] != "Thanks" for span in p.spans}
    assert set(shown) == wanted, "all of the text, but no abstract and nothing too short"


def test_stretches_keep_to_sections_and_length(own: tuple[Passage, ...]) -> None:
    """Else a model's context overflows (S5), or a summary is said to be of a section that it is not of."""
    for most in (700, 1500, 3000, 6000):
        found = stretches(own, most)
        assert all(LEAST <= stretch.length <= most * 1.1 for stretch in found)
        assert all(len({part.section.split(" > ")[0] for part in stretch.parts}) == 1 for stretch in found)
    assert [stretch.section for stretch in stretches(own, 20_000)] == ["Methods", "Results"]
    long = [stretch.length for stretch in stretches(own, 6000) if "Methods" in stretch.section]
    assert min(long) > 0.8 * max(long), "a long section is cut into like parts"


def test_what_fits_a_context() -> None:
    """Else a small model refuses every stretch, or a large one is asked far more often than needed."""
    assert passage_room(0, 4000) == passage_room(128_000, 4000) == 6000
    assert 600 <= passage_room(1024, 4000) < passage_room(2048, 4000) < passage_room(4096, 4000) <= 6000
    for context in (2048, 4096):
        assert passage_room(context, 4000) / 3 + context // 3 < context, (
            "three characters a token, a third for the answer"
        )
