"""What servers remember of a call for the next one: its schema, and the beginning of its prompt."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from conspectus import Library
from conspectus.llm.prompts import Prompts, prompt_names
from helpers import InlinePool, markdown, open_library, write
from language_server import serve_script
from oracle import reader, sentences, task

VARYING = re.compile(
    r"\{(question|claim|criterion|evidence|answer|critique|statements|paper|first|second|passages?|conversation|titles"
    r"|found|groups|one|two)\}"
)
"""Values that differ from question to question, or from paper to paper."""
QUESTIONS = ("Why does the rotation curve of the galaxy stay flat?", "Do cats purr when they are warm?")


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Library]:
    monkeypatch.setattr("conspectus.ingest.executor.ParsePool", InlinePool)
    halo = "The rotation curve of the galaxy stays flat because of a dark halo of 10 kpc."
    cats = "Cats purr when they are warm."
    said = {
        "Halos": f"We looked. {halo}",
        "Gravity": f"{halo} Or not.",
        "Cats": cats,
        "Cats at length": " ".join(f"{cats[:-1]}, as night {number} showed." for number in range(60)),
        "Nights": " ".join(f"Night {number} was so long that cats slept through all of it." for number in range(40)),
    }
    with open_library(tmp_path / "lib") as library:
        library.add([write(tmp_path / f"{title}.md", markdown(title, text)) for title, text in said.items()])
        yield library


SCRIPT = reader(
    "flat",
    "purr",
    route={"reason": "", "kind": "multi-paper", "flags": [], "parts": []},
    claim={"claim": "It is so."},
    stance={"stance": "supports", "spans": [1], "why": ""},
    summarise=lambda body: {"sentences": [{"text": "It is so.", "spans": [max(sentences(body))]}]},
    hyde={"abstracts": ["It is so."]},
)


def test_every_role_has_one_schema(library: Library) -> None:
    """Lost otherwise: what a server made of a schema, and all that it remembers, at each question and each passage."""
    schemas: dict[str, set[str]] = {}
    with serve_script(SCRIPT) as server:
        for question in QUESTIONS:
            library.ask(question, model=server.url, kind="nuanced", background=True, second_opinion=server.url)
            library.consensus(question, model=server.url)
            library.route(question, model=server.url)
            library.ask(question, model=server.url, kind="bibliometric")
        library.summarise(model=server.url)
    for body in server.requests:
        schemas.setdefault(task(body), set()).add(json.dumps(body["response_format"]))
    asked = "rephrase gather write judge critique better opinion background claim stance route bibliographic summarise"
    assert set(asked.split()) <= set(schemas)
    assert {name: len(found) for name, found in schemas.items()} == dict.fromkeys(schemas, 1)


@pytest.mark.parametrize("name", [name for name in prompt_names() if not name.startswith("eval_")])
def test_instructions_come_before_what_varies(name: str) -> None:
    """Lost otherwise: what a server remembers of instructions, which it does from the beginning of a prompt only."""
    prompt = Prompts().get(name)
    assert not VARYING.search(prompt.system)
    first = VARYING.search(prompt.user)
    assert first
    after = VARYING.sub("", prompt.user[first.start() :])
    assert len(after.split()) <= 10, after
