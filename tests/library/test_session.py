"""An open library: parts put in from outside, parts made once, and nobody who reaches behind it."""

import ast
import re
import threading
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conspectus import Library
from conspectus.core.arrays import FloatArray
from conspectus.core.errors import UsageError
from conspectus.index.embedded_engine import EmbeddedIndex
from conspectus.models.language import ModelReply, Request
from conspectus.models.protocol import Embedding
from conspectus.models.wrappers import ValidatingEmbedder
from conspectus.session.session import SEARCHES
from helpers import HashEmbedder, markdown, open_library, write

pytestmark = pytest.mark.usefixtures("quick_pool")
ROOT = Path(__file__).parents[2]
LIKELY = re.compile(r"__dict__|(?:lib|library|session|Library)\s*\.\s*_")
"""What a file that reaches behind a library holds: others need not be parsed."""
INSIDE = ROOT / "src" / "conspectus" / "library"


class Zebras:
    """A reranker that likes zebras."""

    id = "zebras/1"

    def scores(self, query: str, texts: Sequence[str], papers: Sequence[str] = ()) -> FloatArray:
        return np.array([float("zebra" in text) for text in texts], np.float32)


class Waiting(HashEmbedder):
    """An embedder that says how many questions it embeds, and waits to be let go."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0
        self.go = threading.Event()
        self.is_slow = False

    def embed_query(self, text: str) -> Embedding:
        if self.is_slow:
            self.asked += 1
            assert self.go.wait(30)
        return super().embed_query(text)


class Parrot:
    """A language model of somebody's own, which says one thing."""

    id = "parrot/1"
    context = 8000
    calls_tools = False

    def __init__(self) -> None:
        self.heard: list[Request] = []
        self.is_closed = False

    async def complete(self, request: Request) -> ModelReply:
        self.heard.append(request)
        return ModelReply('{"kind": "single-paper", "reason": "It asks for one thing.", "flags": [], "parts": []}')

    async def stream(self, request: Request) -> AsyncIterator[Any]:
        yield await self.complete(request)

    async def close(self) -> None:
        self.is_closed = True


@pytest.fixture
def papers(tmp_path: Path) -> list[Path]:
    texts = {"Cats": "Cats purr at 25 hertz.", "Stripes": "Cats have no stripes; a zebra has them."}
    return [write(tmp_path / f"{name}.md", markdown(name, text)) for name, text in texts.items()]


def test_an_embedder_is_put_in(tmp_path: Path, papers: list[Path]) -> None:
    """Else who has a model of their own cannot use it, nor test what rests on it."""
    own = HashEmbedder("own/1")
    with Library(tmp_path / "lib", {"parse.workers": 1}, embedder=own) as library:
        library.add(papers)
        found = library.search("cats")
        assert library.session.embedder.id == own.id and own.embedded
        assert "own/1" in found.models and library.session.catalog.model_ids() == ("own/1",)
        assert next(one for one in library.doctor().findings if one.check == "model").detail == "own/1, 32 dimensions"


def test_an_index_is_put_in_and_stays_open(tmp_path: Path, papers: list[Path]) -> None:
    """Else what is searched must lie in the library's folder."""
    own = EmbeddedIndex(tmp_path / "elsewhere", trusted=True)
    with Library(tmp_path / "lib", {"parse.workers": 1}, embedder=HashEmbedder(), index=own) as library:
        library.add(papers)
        assert library.search("purr").hits
    assert own.stats().rows == 2 and not list((tmp_path / "lib" / "index").glob("gen-*"))
    own.close()


def test_a_reranker_is_put_in_by_name(tmp_path: Path, papers: list[Path]) -> None:
    """Else one of one's own needs a server."""
    settings = {"parse.workers": 1, "search.reranker": "zebras"}
    with Library(tmp_path / "lib", settings, embedder=HashEmbedder(), rerankers={"zebras": Zebras()}) as library:
        library.add(papers)
        found = library.search("cats")
        assert found.hits[0].paper.title == "Stripes" and "zebras/1" in found.models
        assert library.search("cats", settings={"search.reranker": "late"}).hits[0].paper.title == "Cats"
        assert next(one for one in library.doctor().findings if one.check == "reranker").ok


def test_a_language_model_is_put_in_by_name(tmp_path: Path) -> None:
    """Else one of one's own needs a server; and who shares it among libraries would find it closed."""
    own = Parrot()
    with Library(
        tmp_path / "lib", {"language.model": "parrot"}, embedder=HashEmbedder(), models={"parrot": own}
    ) as made:
        found = made.route("Do cats purr?")
        assert (found.kind, found.by) == ("single-paper", "parrot/1") and len(own.heard) == 1
        assert made.session.with_settings({"language.temperature": 0.5}).models.get_model("parrot") is own
        assert next(one for one in made.doctor().findings if one.check == "language").ok
    assert not own.is_closed


def test_other_settings_share_what_is_open(tmp_path: Path) -> None:
    """A search with settings of its own would open the index, and load the embedder, again."""
    with open_library(tmp_path / "lib") as library:
        own = library.session.with_settings({"search.k": 3, "language.concurrency": 2})
        assert own.settings.search.k == 3 and library.settings.search.k != 3
        assert own.index is library.session.index and own.loop is library.session.loop
        assert own.models is not library.session.models and own.models is own.models
        with pytest.raises(FrozenInstanceError):
            own.settings = library.settings  # type: ignore[misc]


def test_a_closed_library_asks_nobody(tmp_path: Path) -> None:
    """A thread of the event loop would be left that nobody ends."""
    with open_library(tmp_path / "lib") as library:
        pass
    for part in ("loop", "models", "prompts", "index", "embedder"):
        with pytest.raises(UsageError, match="is closed"):
            getattr(library.session, part)
    library.close()


@pytest.mark.usefixtures("both_catalogs")
def test_a_closed_library_opens_nothing_again(tmp_path: Path) -> None:
    """Its files would be open again, and nobody would close them; a restore could not take their place."""
    with open_library(tmp_path / "lib") as library:
        assert library.counts()["papers"] == 0
    for ask in (library.counts, library.status, library.reindex, lambda: library.search("cats"), library.papers):
        with pytest.raises(UsageError, match="is closed"):
            found = ask()
            list(found)  # type: ignore[call-overload]
    library.close()


@pytest.mark.parametrize("name", ["models", "rerankers"])
def test_parts_without_names_are_told_at_once(tmp_path: Path, name: str) -> None:
    """It would be told at the first question, as an error of Python."""
    with pytest.raises(UsageError, match=f"`{name}` is of the type list"):
        Library(tmp_path / "lib", **{name: [object()]})  # type: ignore[arg-type]
    assert not (tmp_path / "lib").exists()


def behind(tree: ast.AST) -> Iterator[ast.expr]:
    """What reaches for private parts: `library._x`, `self.lib._x`, `library.session._x`, or `x.__dict__["_y"]`."""
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(value=ast.Attribute(attr="__dict__"), slice=ast.Constant(value=str(key))):
                if key.startswith("_"):
                    yield node
            case ast.Attribute(value=holder, attr=attr) if attr == "__dict__" or attr.strip("_") == attr[1:]:
                name = getattr(holder, "attr", getattr(holder, "id", ""))
                if name.lstrip("_") in ("lib", "library", "session", "Library"):
                    yield node


def test_nobody_reaches_behind_a_library() -> None:
    """What tests and measures rest on must be what anybody can have; else no part can be changed without them."""
    places = [path for top in ("src/conspectus", "tests", "benchmarks") for path in (ROOT / top).rglob("*.py")]
    outside = [path for path in places if INSIDE not in path.parents and path != Path(__file__)]
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {ast.unparse(node)}"
        for path in outside
        if LIKELY.search(text := path.read_text("utf-8"))
        for node in behind(ast.parse(text))
    ]
    assert len(outside) > 500 and not found


@pytest.mark.parametrize(
    "text",
    ["library._catalog", "self._library._retriever()", "lib.session._made", "library.__dict__", "two.__dict__['_x']"],
)
def test_reaching_behind_is_seen(text: str) -> None:
    """The test above would hold whatever anybody does."""
    assert LIKELY.search(text) and list(behind(ast.parse(text)))
    assert not list(behind(ast.parse("library.session.catalog; self._library.add(); library.__class__")))


def test_a_part_that_counts_as_false_is_used(tmp_path: Path) -> None:
    """An engine that is put in, and has a length of 0 while it is empty, would silently be left for the folder's."""

    class Empty(EmbeddedIndex):
        def __len__(self) -> int:
            return 0

    class Silent(HashEmbedder):
        def __bool__(self) -> bool:
            return False

    index, embedder = Empty(tmp_path / "elsewhere"), Silent()
    with Library(tmp_path / "library", index=index, embedder=embedder) as library:
        assert library.session.index is index
        assert isinstance(library.session.embedder, ValidatingEmbedder)
        assert library.session.embedder.inner is embedder


@pytest.mark.parametrize(("reranker", "most"), [("late", SEARCHES), ("zebras", 6)])
def test_searches_take_turns(tmp_path: Path, reranker: str, most: int) -> None:
    """Many callers at once would hinder each other; behind a reranker, which may be a service, nobody waits."""
    embedder, settings = Waiting(), {"search.reranker": reranker}
    with Library(tmp_path / "lib", settings, embedder=embedder, rerankers={"zebras": Zebras()}) as library:
        library.add(write(tmp_path / "a.md", markdown("Cells", "Grid cells fire.")))
        library.search("cells")
        embedder.is_slow = True
        with ThreadPoolExecutor(6) as callers:
            asked = [callers.submit(library.search, "cells") for _ in range(6)]
            until = time.monotonic() + 30
            while embedder.asked < most and time.monotonic() < until:
                time.sleep(0.01)
            time.sleep(0.2)  # for those that should wait
            at_once = embedder.asked
            embedder.go.set()
            assert all(one.result().hits for one in asked)
    assert at_once == most
