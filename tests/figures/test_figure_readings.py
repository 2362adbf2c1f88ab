"""What a model that is shown the figures of an answer reads in them."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from conspectus import Library
from conspectus.core.errors import UnavailableError
from conspectus.figures.answer_figures import _NO_FIGURE, LONGEST, sendable
from conspectus.llm.budget import Budget, UsageMeter
from conspectus.mcp import results
from conspectus.models.language import ImagePart, Message, Request
from conspectus.records import Answer, FigureReading
from conspectus.settings import BudgetSettings
from conspectus.wire import encode
from helpers import open_library, table_rows, write
from language_server import Answer as Reply
from language_server import LanguageServer, error, serve_script
from oracle import reader

pytestmark = pytest.mark.usefixtures("quick_pool")
PAPERS = Path(__file__).resolve().parents[2] / "examples" / "papers"
WHICH = "Which figure shows the membrane potential?"
SEEN = {"tells": True, "shows": "It peaks at 40 mV.", "values": ["y axis: membrane potential (mV), -80 to 40"]}
NOT_THEIRS = "not the paper's words"


@pytest.fixture
def server() -> Iterator[LanguageServer]:
    """One that accepts images; its script is the test's."""
    with serve_script([]) as server:
        yield server


@pytest.fixture
def library(tmp_path: Path, server: LanguageServer) -> Iterator[Library]:
    settings = {"answer.threshold": 0.01, "language.vision": server.url}
    with open_library(tmp_path / "lib", **settings) as library:
        library.add([PAPERS / "action-potential.pdf"])
        yield library


def ask(library: Library, question: str = WHICH, **more: Any) -> Answer:
    return library.ask(question, read_figures=True, **more)


def read(answer: Answer) -> FigureReading:
    reading = answer.figures[0].reading
    assert reading, answer.note
    return reading


def shown(body: Mapping[str, Any]) -> tuple[str, bytes, str]:
    """What a request says to the model beside its picture, the picture, and its type."""
    parts = next(one["content"] for one in body["messages"] if isinstance(one["content"], list))
    text = "".join(one["text"] for one in parts if one["type"] == "text")
    (url,) = (one["image_url"]["url"] for one in parts if one["type"] == "image_url")
    kind, _, data = url.removeprefix("data:").partition(";base64,")
    return text, base64.b64decode(data), kind


def test_the_picture_comes_to_the_model_with_caption_and_question(library: Library, server: LanguageServer) -> None:
    """Else it makes up what it reads."""
    server.script = [SEEN]
    answer = ask(library)
    (body,) = server.requests
    model = f"{server.url}#scripted"
    text, data, kind = shown(body)
    with Image.open(io.BytesIO(data)) as image:
        assert image.format == "PNG" and kind == "image/png" and max(image.size) <= LONGEST
        assert len(image.getcolors(2**24) or ()) > 1, "something is on it"
    assert WHICH in text and answer.figures[0].figure.caption in text
    assert read(answer).text == SEEN["shows"] and read(answer).values == tuple(SEEN["values"])
    assert read(answer).model == model == answer.models[0]
    assert (answer.usage.calls, answer.usage.prompt_tokens, answer.usage.passages > 0) == (1, 100, True)
    assert [one.name for one in library.usage(by="prompt").rows] == ["figure/1"]


def test_what_was_read_is_not_read_again(library: Library, server: LanguageServer) -> None:
    """Else each question for the same figure costs as much as the first."""
    server.script = [SEEN, {**SEEN, "shows": "It peaks at 35 mV."}]
    first, again = ask(library), ask(library)
    assert len(server.requests) == 1 and again.usage.from_cache == 1 and read(again) == read(first)
    assert read(ask(library, cache=False)).text == "It peaks at 35 mV."
    assert len(str(table_rows(library)["calls"])) < 2000, "no picture is in it"


def test_a_reading_is_told_as_such_and_nothing_rests_on_it(
    library: Library, server: LanguageServer, tmp_path: Path
) -> None:
    """Else a model's guess is quoted as a measurement of the authors."""
    server.script = [SEEN]
    without = library.ask(WHICH)
    answer = ask(library)
    assert (answer.statements, answer.text) == (without.statements, without.text)
    said = encode.body(answer)["figures"][0]["reading"]
    assert set(said) == {"model", "tells", "text", "values"} and said["text"] == SEEN["shows"]
    library.export_answer(answer.id, "md", tmp_path / "a.md")
    library.export_answer(answer.id, "html", tmp_path / "a.html")
    for face in (
        str(answer),
        answer._repr_html_(),
        "".join(getattr(part, "text", "") for part in results.answer(answer).content),
        (tmp_path / "a.md").read_text(encoding="utf-8"),
        (tmp_path / "a.html").read_text(encoding="utf-8"),
    ):
        told = face.replace("&#39;", "'")
        assert told.index(NOT_THEIRS) < told.index("It peaks at 40 mV") < told.index("membrane potential (mV)")


def test_a_written_answer_is_checked_without_it(library: Library, server: LanguageServer) -> None:
    """A statement that only the reading would carry is as unsupported as before."""
    seen: Reply = SEEN
    server.script = reader("membrane", figure=seen)
    plain = library.ask(WHICH, model=server.url)
    answer = ask(library, model=server.url, cache=False)
    told = [body for body in server.requests if "It peaks" in str(body["messages"])]
    assert not told, "no other prompt has it"
    assert [(one.text, one.status) for one in answer.statements] == [(one.text, one.status) for one in plain.statements]
    assert answer.method == "model" and read(answer).tells and answer.usage.calls == plain.usage.calls + 1


def test_a_kept_answer_has_its_readings_until_the_paper_goes(library: Library, server: LanguageServer) -> None:
    """Else what a removed paper shows stays in the library."""
    server.script = [SEEN]
    answer = ask(library)
    assert library.answers.show(answer.id).answer.figures == answer.figures
    talk = library.answers.begin_conversation(answer=answer.id)
    assert library.answers.conversation(talk).answers[0].figures == answer.figures
    assert SEEN["shows"] in library.answers.rerun(answer.id).after.figures[0].reading.text  # type: ignore[union-attr]
    library.remove(answer.figures[0].figure.paper.id)
    assert not library.answers.show(answer.id).answer.figures
    assert not table_rows(library)["calls"] and "40 mV" not in str(table_rows(library)["answers"])


def test_without_a_model_for_it_nothing_is_sent(tmp_path: Path, server: LanguageServer) -> None:
    """One that writes may take no pictures, and nobody is sent any unasked."""
    with open_library(tmp_path / "lib", **{"language.model": server.url}) as library:
        for model in ("", "none", server.url):
            with pytest.raises(UnavailableError, match="reads figures") as caught:
                ask(library, model=model)
    assert "language.vision" in caught.value.hint and not server.requests


@pytest.mark.parametrize(
    ("script", "why"),
    [
        (["It peaks.", "It peaks, I said."], "not the JSON asked for"),
        ([{**SEEN, "shows": " "}] * 2, "`shows` is empty"),
        ([error(500, "image input is not supported - hint: …")], "It takes no pictures"),
        ([error(400, "image_url is only supported by certain models.")] * 3, "It takes no pictures"),
    ],
    ids=["junk", "nothing", "blind", "refused"],
)
def test_a_figure_that_cannot_be_read_costs_only_itself(
    library: Library, server: LanguageServer, script: list[Any], why: str
) -> None:
    server.script = script
    answer = ask(library)
    assert answer.answered and answer.figures and not answer.figures[0].reading
    assert f"Not read: {answer.figures[0].figure.title} of " in answer.note and why in answer.note


def test_an_answer_that_cannot_be_used_is_asked_for_once_more(library: Library, server: LanguageServer) -> None:
    server.script = ["It peaks.", SEEN]
    assert read(ask(library)).tells
    assert shown(server.requests[1])[1] == shown(server.requests[0])[1], "the picture stays before it"


def test_a_model_may_say_that_it_cannot_tell(library: Library, server: LanguageServer) -> None:
    server.script = [{"tells": False, "shows": "The axes have no numbers.", "values": ["12 mV"]}]
    answer = ask(library)
    assert not read(answer).tells and not read(answer).values
    assert "It cannot be told. The axes have no numbers." in str(answer)


def test_what_the_model_says_is_cleaned(library: Library, server: LanguageServer) -> None:
    """A picture can say what it likes to a model, and the model to us."""
    evil = "It \x1b[31mpeaks\u202e at 40 mV (Smith et al., 2015) [99] <script>x</script> " + "a" * 5000
    server.script = [{"tells": True, "shows": evil, "values": [evil] * 50}]
    answer = ask(library)
    said = read(answer)
    assert len(said.text) <= 1000 and len(said.values) == 12 and max(map(len, said.values)) <= 200
    for bad in ("\x1b", "\u202e", "Smith", "[99]"):
        assert not any(bad in text for text in (said.text, *said.values))
    assert library.answers.show(answer.id).answer.figures == answer.figures, "as cleaned when it is shown again"
    assert "<script>" not in answer._repr_html_() + str(encode.body(answer)["text"])


def test_what_has_no_picture_is_told(library: Library, server: LanguageServer, tmp_path: Path) -> None:
    xml = """<article><front><article-meta><title-group><article-title>Roots</article-title></title-group>
      </article-meta></front><body><sec><title>R</title><p>Hairs are thin.</p><fig id="f1"><label>Figure 1</label>
      <caption><p>Root hairs of a birch under the microscope.</p></caption></fig></sec></body></article>"""
    library.add(write(tmp_path / "roots.xml", xml))
    answer = ask(library, "Which figure shows root hairs of a birch?")
    assert "Figure 1" in answer.note and "There is no picture" in answer.note and not server.requests
    assert _NO_FIGURE in ask(library, "What do turtles eat on Mars?").note


def test_a_budget_reaches_for_some_figures(library: Library, server: LanguageServer) -> None:
    library.add(PAPERS / "exoplanet-transits.pdf")
    library.configure({"budget.tokens": 3000})
    server.script = [SEEN] * 2
    answer = ask(library, "Which figures show a computed potential or a computed transit?")
    assert len(answer.figures) == 2 and len(server.requests) == 1
    assert sum(one.reading is not None for one in answer.figures) == 1
    assert "Not read: Figure" in answer.note and "The budget of 3,000 tokens is used up" in answer.note


def test_a_picture_counts_as_tokens_not_as_its_bytes() -> None:
    """Else a budget lets one picture through where it would reach for ten."""
    budget = Budget(BudgetSettings(tokens=10**6), UsageMeter(), 4)
    words = Request((Message("user", "What?"),))
    seen = Request(words.messages, picture=ImagePart(b"0" * 2**20, "image/png"))
    more = budget._estimate("m", "p", seen).tokens - budget._estimate("m", "p", words).tokens
    assert 1000 < more < 5000


@pytest.mark.parametrize("size", [(4000, 3000), (5, 9000)])
def test_what_is_sent_is_bounded(size: tuple[int, int]) -> None:
    noise = np.random.default_rng(1).integers(0, 256, (size[1], size[0], 4), dtype=np.uint8)
    sent = sendable(Image.fromarray(noise))
    with Image.open(io.BytesIO(sent.data)) as image:
        assert max(image.size) == LONGEST and sent.media_type == f"image/{(image.format or '').lower()}"
    assert len(sent.data) < 2 * 2**20
