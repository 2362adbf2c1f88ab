"""Each verb that takes long, as a job: it says how far it is, ends when it is to, and gives what it always does."""

import threading
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from inspect import isgenerator
from pathlib import Path
from typing import Any

import pytest

from conspectus import Library
from conspectus.core import job_context
from conspectus.core.errors import StoppedError
from conspectus.evaluation import QuestionOptions, evaluate_self
from conspectus.export import formats
from conspectus.records.events import (
    Cancelled,
    Claimed,
    Filed,
    Finished,
    PartialResult,
    Progress,
    Reading,
    Searching,
    StanceJudged,
    Started,
)
from helpers import HANG, HashEmbedder, assert_consistent, open_library, snapshot, write_jsonl
from language_server import LanguageServer, request_text, serve_script
from oracle import sentences, task

pytestmark = pytest.mark.usefixtures("quick_pool")
QUESTION = "At how many hertz do cats purr?"
MOST_AFTER = 4
"""Events that may come after a wish that a job end: what ends it tells how far it is, too."""


def records(first: int, last: int) -> list[dict[str, Any]]:
    said = "Cats purr at {0} hertz, says work {0}. Dogs of {0} cities bark for {0} nights at what {1} neighbours say."
    fact = "With VLT and ALMA the {0} of a {1} was held against its colour and its {2} over {3} nights of winter."
    things = "quasar comet magnetar pulsar nebula galaxy meteor planet asteroid supernova".split()
    facts = {n: fact.format(things[n % 10], things[(n + 3) % 10], things[(n + 7) % 10], n + 2) for n in range(20)}
    told = {n: " ".join([facts[n], *(said.format(n, more) for more in range(8))]) for n in range(first, last)}
    return [{"id": f"p{n}", "title": f"Work {n}", "abstract": text} for n, text in told.items()]


def script(body: Mapping[str, Any]) -> Any:
    if task(body) == "claim":
        return {"claim": "Cats purr."}
    if "You condense a stretch" in request_text(body):
        return {"sentences": [{"text": text, "spans": [number]} for number, text in list(sentences(body).items())[:2]]}
    return {"stance": "supports", "spans": [1], "why": ""}


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is done in batches is done in many; libraries that are opened by others have the embedder of these, too."""
    monkeypatch.setattr("conspectus.models.registry.make_embedder", lambda _: HashEmbedder())
    monkeypatch.setattr("conspectus.ingest.index_sync.BATCH", 2)
    monkeypatch.setattr("conspectus.store.snapshot._PAGES", 2)


@pytest.fixture
def server() -> Iterator[LanguageServer]:
    with serve_script(script) as made:
        yield made


@pytest.fixture
def library(tmp_path: Path, server: LanguageServer) -> Iterator[Library]:
    models = {f"language__{role}": server.url for role in ("ask", "judge", "summarise")}
    with open_library(tmp_path / "lib", **models) as made:
        made.add(write_jsonl(tmp_path / "first.jsonl", records(0, 10)))
        yield made


def _add(library: Library, folder: Path) -> Any:
    for n in range(10, 20):
        write_jsonl(folder / f"{n}.jsonl", records(n, n + 1))
    return partial(library.add, [folder / f"{n}.jsonl" for n in range(10, 20)])


def _self(library: Library, _: Path) -> Any:
    return partial(evaluate_self, library.folder, making=QuestionOptions(5, "words"))


VERBS: dict[str, tuple[Callable[[Library, Path], Any], set[type]]] = {
    "add": (_add, {Progress, Filed}),
    "reindex": (lambda library, _: library.reindex, {Progress}),
    "doctor": (lambda library, _: library.doctor, {Progress}),
    "backup": (lambda library, folder: partial(library.backup, folder / "backup.zip"), {Progress}),
    "export": (lambda library, folder: partial(library.export, "csv", str(folder / "all.csv")), {Progress}),
    "ask": (lambda library, _: partial(library.ask, QUESTION, model="none"), {Searching}),
    "consensus": (lambda library, _: partial(library.consensus, QUESTION), {Claimed, Reading, StanceJudged}),
    "eval self": (_self, {Progress, PartialResult}),
    "summarise": (lambda library, _: partial(library.summarise, abstracts=True), {Progress}),
}


def held(verb: Callable[[], Any], reached: threading.Event, cancelled: threading.Event) -> Any:
    """The verb, which waits at the first that it tells until it is cancelled."""

    def hold(_: object) -> None:
        reached.set()
        assert cancelled.wait(HANG)

    with job_context.listen(hold):
        yield from found if isgenerator(found := verb()) else [found]


@pytest.fixture
def many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few papers are enough to say how far an export is."""
    monkeypatch.setattr(formats, "MANY", 1)


@pytest.mark.parametrize("name", VERBS)
@pytest.mark.usefixtures("many")
def test_it_says_how_far_it_is_and_gives_what_it_always_does(library: Library, tmp_path: Path, name: str) -> None:
    """A page could show nothing of it while it lasts, or would have something else in the end."""
    make, kinds = VERBS[name]
    job = library.begin(make(library, tmp_path))
    entries = list(job.journal.follow())
    assert [entry.seq for entry in entries] == sorted(entry.seq for entry in entries)
    events = [entry.event for entry in entries]
    assert isinstance(events[0], Started) and isinstance(events[-1], Finished) and events[-1].result is job.result()
    assert name != "eval self" or [event.part for event in events if isinstance(event, PartialResult)] == job.result()
    assert kinds <= {type(event) for event in events[1:-1]}
    assert_consistent(library)


@pytest.mark.parametrize("name", VERBS)
@pytest.mark.usefixtures("many")
def test_it_ends_soon_when_it_is_cancelled(library: Library, tmp_path: Path, name: str) -> None:
    """Who began it by mistake would wait, or find the library half written."""
    make, _ = VERBS[name]
    before, verb = snapshot(library), make(library, tmp_path)
    reached, cancelled = threading.Event(), threading.Event()
    job = library.begin(held, verb, reached, cancelled)
    assert reached.wait(HANG)
    at = job.journal.after()[-1].seq
    job.cancel()
    cancelled.set()
    with pytest.raises(StoppedError):
        job.result(HANG)
    (*_, last) = job.journal.follow()
    assert isinstance(last.event, Cancelled) and last.seq - at <= MOST_AFTER
    assert_consistent(library)
    assert before.items() <= snapshot(library).items()
    assert not [path.name for path in tmp_path.iterdir() if path.suffix in (".zip", ".csv", ".part")]
    list(held(verb, reached, cancelled))
    assert_consistent(library)
