"""The library that golden files are made of: our own texts, a fixed embedder and encoder, a scripted language model."""

import json
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

from click.testing import CliRunner, Result
from PIL import Image

from conspectus import Library
from conspectus.cli.app import app
from helpers import HashEmbedder, InlinePool, ToneEncoder, write_jsonl
from language_server import Answer, request_text, serve_script
from oracle import reader, sentences

EXAMPLES = Path(__file__).parents[2] / "examples"
CRITERIA = 'question = "Where do cells fire?"\ninclude = ["Grid cells"]\n[exclude]\n"no cells" = "Other matter"\n'
REFERENCES = """\
[1] T. Hafting et al. Microstructure of a spatial map in the entorhinal cortex. Nature 436, 2005.
[2] N. Obody. On works that do not exist. Journal of Nothing 1, 1901.
"""
FIELDS = """\
[categories]
"Grid cells" = "Cells that fire on a grid"
"Quasars" = "Bright nuclei of galaxies"
"""
TOPICS = {
    "quasars": ("spectrum", "emission", "absorption", "luminosity", "redshift", "variability"),
    "whales": ("song", "migration", "diving", "feeding", "hearing", "calves"),
}
SURVEYS = [
    {
        "id": f"{topic}-{number}",
        "title": f"A review of the {aspect} of {topic}"
        if number == 3
        else f"On the {aspect} of {topic}, part {number}",
        "abstract": f"The {aspect} of {topic} was seen for {number + 2} nights. Among {topic} the {aspect} varies.",
        "authors": ["Lovelace, Ada", "Noether, Emmy"] if number % 2 else ["Noether, Emmy"],
        "year": 2000 + number,
        "venue": f"Journal of {topic.capitalize()}",
        "keywords": [topic, aspect],
        "doi": f"10.1000/{topic}.{number}",
        "citation_count": number,
    }
    for topic, aspects in TOPICS.items()
    for number, aspect in enumerate(2 * aspects, 1)
]
"""Papers of two fields, for a map with regions: each field has one review."""
SECOND_SOURCE = {
    "id": "hafting",
    "title": "Microstructure of a spatial map in the entorhinal cortex",
    "authors": ["Torkel Hafting"],
    "year": 2005,
    "doi": "10.1038/nature03721",
}
"""What another source says of a paper that the library has."""
SETTINGS = {"parse.workers": "1", "atlas.method": "pca", "answer.threshold": "0"}


def answer_scripted(body: dict[str, Any]) -> Answer:
    """What the language model answers to each prompt of the program."""
    return _READER(body)


def _claim(_: Mapping[str, Any]) -> Answer:
    return {"claim": "Grid cells fire on a hexagonal lattice."}


def _stance(body: Mapping[str, Any]) -> Answer:
    about = [number for number, text in sentences(body).items() if "grid" in text.lower()]
    stance = "supports" if about else "not about it"
    return {"stance": stance, "spans": about[:1], "why": "It says so." if about else ""}


def _summary(body: Mapping[str, Any]) -> Answer:
    number, text = next(iter(sentences(body).items()))
    return {"sentences": [{"text": text, "spans": [number]}]}


def _relations(body: Mapping[str, Any]) -> Answer:
    entities = re.findall(r"^(\d+)\. ", _entity_list(body), re.MULTILINE)
    numbers = list(sentences(body))
    related = len(entities) > 1 and numbers
    return {"relations": [{"first": 1, "second": 2, "spans": numbers[:1]}] if related else []}


def _entity_list(body: Mapping[str, Any]) -> str:
    return request_text(body).rpartition("<entities")[2]


def _filter(body: Mapping[str, Any]) -> Answer:
    return {"right": [int(number) for number in re.findall(r'^(\d+)\. "', _entity_list(body), re.MULTILINE)]}


def _preference(body: Mapping[str, Any]) -> Answer:
    number, _ = max(sentences(body).items(), key=lambda sentence: (len(sentence[1]), sentence[0]))
    first = len(re.findall(r"^\[", request_text(body).rpartition("<second")[0], re.MULTILINE))
    return {"spans": [number], "why": "It is longer.", "preferred": "first" if number <= first else "second"}


def _region_names(body: Mapping[str, Any]) -> Answer:
    groups = len(re.findall(r"^\[\d+\] ", request_text(body), re.MULTILINE))
    return {"names": [f"Field {number}" for number in range(1, groups + 1)]}


_READER = reader(
    "grid",
    claim=_claim,
    stance=_stance,
    summarise=_summary,
    relate=_relations,
    extract={"entities": ["place fields"]},
    filter=_filter,
    regions=_region_names,
    compare=_preference,
    route={"kind": "single-paper", "flags": [], "reasons": "It names one thing.", "parts": []},
    standalone={"question": "Where do grid cells fire?"},
)


@dataclass
class GoldenLibrary:
    """The library on disk and the way to call the program on it.

    Attributes:
        place: the folder of the library, its sources and what is written.
        model: the address of the scripted language model.
        names: what rows of the table refer to as `{name}`.
    """

    place: Path
    model: str
    names: dict[str, Any] = field(default_factory=dict)

    @property
    def folder(self) -> Path:
        """Of the library."""
        return self.place / "library"

    def run(self, *words: str, with_model: bool = False, **extra: Any) -> Result:
        """Call the program in this process."""
        settings = {**SETTINGS, **({"language.model": self.model} if with_model else {})}
        flags = [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
        return CliRunner().invoke(app, ["--library", str(self.folder), *flags, *words], **extra)

    @contextmanager
    def opened(self) -> Iterator[Library]:
        """The library, for the calls of Python."""
        with Library(self.folder, dict(SETTINGS)) as library:
            yield library


@contextmanager
def golden_library(place: Path) -> Iterator[GoldenLibrary]:
    """The sources of a library in `place`, and the program set up to read them; nothing is added yet."""
    papers = place / "papers"
    papers.mkdir()
    for name in ("action-potential.pdf", "place-and-grid-cells.md", "graphene.md", "long-term-potentiation.md"):
        shutil.copy(EXAMPLES / "papers" / name, papers)
    for name in ("records.jsonl", "vocabulary.ttl"):
        shutil.copy(EXAMPLES / name, place)
    write_jsonl(place / "surveys.jsonl", SURVEYS)
    write_jsonl(place / "more.jsonl", [SECOND_SOURCE])
    (place / "references.txt").write_text(REFERENCES, "utf-8")
    (place / "fields.toml").write_text(FIELDS, "utf-8")
    (place / "labels.csv").write_text("paper,category\nhafting-2005,Grid cells\n", "utf-8")
    (place / "cells.toml").write_text(CRITERIA, "utf-8")
    (place / "screened.csv").write_text("paper,label\nhafting-2005,include\nnobody,include\n", "utf-8")
    (papers / "broken.pdf").write_bytes(b"%PDF-1.7\nno more\n")
    (place / "images").mkdir()
    for number in range(3):
        picture = Image.effect_mandelbrot((60 - number // 2, 40), (-2, -1.2, 1, 1.2), 30 + 30 * (number > 1))
        picture.save(place / "images" / f"sem-{number}.bmp")
    with ExitStack() as stack:
        server = stack.enter_context(serve_script(answer_scripted))
        stack.enter_context(patch("conspectus.models.registry.make_embedder", lambda _: HashEmbedder()))
        stack.enter_context(patch("conspectus.models.registry.make_encoder", lambda _: ToneEncoder()))
        stack.enter_context(patch("conspectus.ingest.executor.ParsePool", InlinePool))
        yield GoldenLibrary(place, server.url)


def parse_output(result: Result) -> Any:
    """The JSON that the program printed: an object, several of them line by line, or that of an error."""
    said = result.stdout or result.stderr
    lines = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
    assert lines, (result.exit_code, result.stdout, result.stderr, result.exception)
    return lines[0] if len(lines) == 1 else lines
