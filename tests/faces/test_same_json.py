"""Every declared verb gives the same JSON on the command line, over HTTP, as a tool and in Python."""

import asyncio
import json
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from PIL import Image

from conspectus import Library
from conspectus.cli.app import app
from conspectus.faces import index
from conspectus.faces.declare import Verb, arguments, parameters
from conspectus.faces.results import body_of, call
from conspectus.mcp.verb_tools import hide_folders, make_tool
from graph.vocabularies import put_mention, put_vocabulary
from helpers import HashEmbedder, ToneEncoder, open_library, write, write_jsonl
from serving import collect_notices, make_client

PAPERS = [
    {"id": "p0", "title": "Grid cells", "abstract": "Grid cells fire in a lattice.", "doi": "10.1000/1", "year": 2001},
    {
        "id": "p1",
        "title": "Place cells",
        "abstract": "Place cells fire at one place.",
        "doi": "10.1000/2",
        "year": 2002,
    },
]
FIGURED = "# Cells in colour\n\nWords are here.\n\n![Figure 1: Cells of a leaf.](leaf.png)\n"
MERGED = {"title": "Eels", "doi": "10.1000/3"}
CASES: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("search", {"query": "cells -place", "k": 2, "weight": ["recency"], "year": "2001.."}),
    ("count", {"query": "cells", "kind": ["abstract"]}),
    ("facets", {"query": "cells", "most": 3}),
    ("facet-values", {"facet": "author", "starts": "a"}),
    ("subjects", {"most": 3}),
    ("subjects-together", {}),
    ("built", {}),
    ("models titles", {"name": ["ollama:qwen3"]}),
    ("search", {"query": "cells", "among": ["10.1000/2"]}),
    ("similar", {"papers": ["p0"], "k": 1}),
    ("sources graph", {"papers": ["p0"], "k": 5}),
    ("list", {"limit": 1, "year": "2002.."}),
    ("papers browse", {"text": "cells", "sort": "year", "limit": 1}),
    ("passages", {"paper": "p0"}),
    ("references", {"paper": "p0"}),
    ("outline", {"paper": "p0"}),
    ("cite", {"papers": ["p1", "p0"], "style": "nature"}),
    ("paper", {"paper": "p0"}),
    ("show", {"name": "p0", "passages": True}),
    ("show", {"name": "ANSWER"}),
    ("add", {"paths": ["RECORDS"]}),
    ("retry", {"everything": True}),
    ("remove", {"papers": ["p1"]}),
    ("removals", {}),
    ("audit", {"references": "REFERENCES"}),
    ("edit", {"paper": "p0", "changes": ["venue=Nature", "year="]}),
    ("papers edit", {"paper": "p0", "set": {"venue": "Nature", "year": 2003}}),
    ("split", {"paper": "10.1000/3", "documents": ["2"]}),
    ("forget", {"paths": ["FILE"], "papers": True}),
    ("route", {"question": "Do grid cells fire?"}),
    ("status", {"failed": True}),
    ("doctor", {}),
    ("usage", {"by": "role"}),
    ("library mend", {}),
    ("library reindex", {}),
    ("library backup", {"file": "BACKUP"}),
    ("library restore", {"file": "STORED", "replace": True}),
    ("library delete-backup", {"name": "REPLACED"}),
    ("config", {}),
    ("config set", {"settings": {"search.k": 7}}),
    ("samples list", {}),
    ("samples add", {}),
    ("samples remove", {}),
    ("models needed", {}),
    ("models fetch-needed", {}),
    ("models list", {}),
    ("models connect", {}),
    ("models disconnect", {}),
    ("collections list", {}),
    ("collections show", {"name": "Mine"}),
    ("collections add", {"name": "Mine", "papers": ["p1"]}),
    ("collections remove", {"name": "Mine", "papers": ["p0"]}),
    ("collections change", {"name": "Mine", "rename": "Ours", "add": ["p1"], "remove": ["p0"]}),
    ("collections rename", {"name": "Mine", "new_name": "Ours"}),
    ("collections delete", {"name": "Mine"}),
    ("collections tags", {}),
    ("collections tag", {"name": "read", "papers": ["p0", "p1"]}),
    ("collections untag", {"name": "read", "papers": ["p0"]}),
    ("collections change-tags", {"papers": ["p0"], "add": ["a"], "remove": ["read"]}),
    ("collections notes", {"paper": "p0"}),
    ("collections note", {"paper": "p0", "text": "Good."}),
    ("collections edit-note", {"note": "NOTE", "text": "Better."}),
    ("collections delete-note", {"note": "NOTE"}),
    ("highlights list", {"text": "grid", "color": "green"}),
    ("highlights add", {"paper": "p0", "sentences": ["SPAN"], "color": "red", "note": "Key."}),
    ("highlights edit", {"highlight": "HIGHLIGHT", "note": "Better."}),
    ("highlights remove", {"highlight": "HIGHLIGHT"}),
    ("answers list", {"limit": 2}),
    ("answers show", {"name": "ANSWER"}),
    ("answers remove", {"name": "ANSWER"}),
    ("answers rerun", {"name": "ANSWER", "depth": "quick"}),
    ("answers feedback", {"answer": "ANSWER"}),
    ("answers judge", {"name": "ANSWER", "verdict": "down", "comment": "No.", "statement": 1}),
    ("answers export-feedback", {"to": "jsonl"}),
    ("answers conversations", {}),
    ("answers begin-conversation", {"title": "Cells"}),
    ("answers conversation", {"name": "TALK"}),
    ("answers rename-conversation", {"name": "TALK", "title": "Ours"}),
    ("answers remove-conversation", {"name": "TALK"}),
    ("map build", {"method": "pca"}),
    ("map show", {"points": True}),
    ("map topics", {"region": 1, "overlay": "year", "year": "2001..2009"}),
    ("map gaps", {"level": 0, "k": 2, "year": "2001.."}),
    ("map trends", {"topic": 1, "year": "..2009"}),
    ("map impact", {"words": "cells"}),
    ("map name", {"number": 1, "name": "Mine"}),
    ("map names", {"by": "phrases"}),
    ("map overlay", {"name": "keyword:cells", "since": 2002}),
    ("map texts", {"rows": [1, 0]}),
    ("graph link", {"method": "fuzzy"}),
    ("graph entities", {"paper": "p0"}),
    ("graph mentions", {"paper": "p0"}),
    ("graph sentence-mentions", {"spans": ["SPAN"]}),
    ("graph show", {"entities": ["X:1", "lattice"], "depth": 1}),
    ("graph entity", {"name": "X:1"}),
    ("graph discover", {"entity": "lattice", "k": 3}),
    ("hypotheses", {"entities": ["lattice"], "k": 3}),
    ("graph review", {"state": "new"}),
    ("graph accept", {"entities": ["local:5f1e"]}),
    ("graph reject", {"entities": ["local:5f1e"]}),
    ("graph undo-review", {"entities": ["local:5f1e"]}),
    ("graph merge", {"entity": "X:3", "into": "X:2"}),
    ("graph unmerge", {"entity": "X:4"}),
    ("graph merges", {}),
    ("graph paragraphs", {"entities": ["X:1"], "k": 2}),
    ("graph export", {"output": "OUTPUT", "to": "jsonld"}),
    ("vocabulary add", {"paths": ["TERMS"], "name": "Terms"}),
    ("vocabulary learn", {"gold": ["GOLD"], "least": 0.4}),
    ("vocabulary list", {}),
    ("vocabulary available", {}),
    ("vocabulary search", {"words": "grid", "vocabulary": "Cells"}),
    ("vocabulary show", {"concept": "X:1"}),
    ("vocabulary suggest", {"vocabulary": "Cells", "k": 3}),
    ("vocabulary remove", {"vocabulary": "Cells"}),
    ("vocabulary names", {}),
    ("vocabulary name", {"name": "cell", "verdict": "leave"}),
    ("vocabulary forget-learnt", {}),
    ("vocabulary sample", {"output": "OUTPUT", "sentences": 2}),
    ("figures search", {"query": "cells", "k": 2, "only": ["figure"]}),
    ("figures show", {"figure": "FIGURE"}),
    ("review rank", {"by": "beauty", "begin": True, "budget": 2}),
    ("review rank add", {"paper": "p1", "name": "Size"}),
    ("review rank show", {"name": "Size"}),
    ("review rank next", {"name": "Size"}),
    ("review rank answer", {"first": "p0", "second": "p1", "preferred": "tie", "name": "Size", "reason": "Equal."}),
    ("review rank verdicts", {"paper": "p0", "name": "Size"}),
    ("review list", {"kind": "rank"}),
    ("review rename", {"name": "Size", "new_name": "Sizes"}),
    ("review delete", {"name": "Size"}),
    ("images add", {"paths": ["PICTURE"], "collection": "sem"}),
    ("images list", {"where": ["part=a"], "limit": 1}),
    ("images collections", {}),
    ("images search", {"picture": "PICTURE", "k": 1, "crop": "0,0,0.5,0.5", "words": "a"}),
    ("images clusters", {"k": 2}),
    ("images duplicates", {"shown": 1}),
    ("images map", {"method": "pca"}),
    ("images show", {"image": "IMAGE"}),
    ("review contradictions", {"paper": "p0", "pairs": 2}),
    ("review report", {"question": "Where do cells fire?", "outline": True, "sections": 2}),
    ("review report show", {"name": "Cells"}),
    ("review report keep", {"section": "1", "name": "Cells"}),
    ("review report delete", {"section": "1", "name": "Cells"}),
    ("images remove", {"images": ["IMAGE"], "collection": "sem"}),
    ("review table", {"columns": "age; material", "model": "none", "where": ["age is unread"], "limit": 2}),
    ("review table show", {"name": "Ages", "sort": "age", "limit": 1}),
    ("review table add", {"name": "Ages", "columns": "dose (number, mg)", "model": "none", "limit": 1}),
    ("review table rerun", {"name": "Ages", "column": ["age"], "paper": ["p0"], "model": "none", "limit": 1}),
    ("review table edit", {"name": "Ages", "paper": "p0", "column": "age", "value": "3 days", "by": "Ann"}),
    ("review classify show", {"name": "Fields"}),
    ("review classify correct", {"name": "Fields", "paper": "p0", "categories": ["Grids"]}),
    ("review classify collect", {"name": "Fields"}),
    ("review screen next", {"name": "Cells", "reviewer": "ann"}),
    ("review screen label", {"paper": "p0", "label": "exclude", "reason": "letter", "name": "Cells"}),
    ("review screen status", {"name": "Cells", "audit": True}),
    ("review screen end", {"name": "Cells"}),
    ("review screen prisma", {"name": "Cells", "to": "svg"}),
    ("review screen export", {"name": "Cells", "to": "ris"}),
)
"""A verb, and what it is given, by the names of its parameters; `STANDS_FOR` has what words in capitals stand for."""
STANDS_FOR: Mapping[str, Callable[[Library], str]] = {
    "HIGHLIGHT": lambda library: library.highlights.list()[0].id,
    "NOTE": lambda library: library.collections.notes()[0].id,
    "ANSWER": lambda library: library.answers.list()[0].id,
    "TALK": lambda library: library.answers.conversations()[0].id,
    "BACKUP": lambda library: str(library.folder / "made.zip"),
    "STORED": lambda library: str(library.folder / "stored.zip"),
    "PICTURE": lambda library: str(library.folder / "c.png"),
    "IMAGE": lambda library: library.images.list().images[0].id,
    "FIGURE": lambda library: library.figures.search(k=1).hits[0].figure.id,
    "REPLACED": lambda library: next(iter(library.status().backups)),
    "SPAN": lambda library: next(library.passages("p0")).spans[0].id,
    "REFERENCES": lambda library: str(library.folder / "lists" / "list.txt"),
    "RECORDS": lambda library: str(library.folder / "more" / "more.jsonl"),
    "FILE": lambda library: library.status().files[0].path,
    "OUTPUT": lambda library: str(library.folder / "output"),
    "TERMS": lambda library: str(library.folder / "vocabularies" / "terms.csv"),
    "GOLD": lambda library: str(library.folder / "gold" / "gold.jsonl"),
}
GOLD_TEXT = '{"paper": "1", "text": "A lattice.", "entities": [{"start": 2, "end": 9, "id": "X:2"}]}\n'
FILES = {
    "vocabularies/terms.csv": "id,label\nT:1,fire\n",
    "gold/gold.jsonl": GOLD_TEXT,
    "more/more.jsonl": '{"title": "Border cells"}\n',
    "lists/list.txt": "1. Grid cells. 2001.\n",
}
ELSEWHERE = {
    "summarise",
    "vocabulary fetch",
    "consensus",
    "figures encode",
    "graph relate",
    "graph query",
    "highlights restore",
    "models check",
    "models fetch",
    "models verify",
    "pages",
    "page-text",
    "undo",
    "review classify",
    "review classify check",
    "review rank",
    "review rank add",
    "review report expand",
    "review report rewrite",
    "review screen",
    "review screen import",
} | {verb.full_name for verb in index.all_verbs() if verb.group in ("directions", "sources", "zotero")}
"""Verbs that need a model, a database, a PDF, services, a file or many papers; the tests of their wing run them."""
BY_SHAPE = ("status", "doctor", "library mend", "library reindex", "config")
"""Verbs whose values depend on what is handed in (an embedder, settings): the names and types of their fields count."""
_VOLATILE = re.compile(
    r'"\d{4}-\d\d-\d\dT[\d:.+]+"|(?<="(?:col|tag)-)[0-9a-f]{8}|(?<="note-)[0-9a-f]{8}|(?<="hl-)[0-9a-f]{8}|\b(?:ans|con|rev|rem)-[0-9a-f]{8}'
)
_MEASURED = re.compile(r'(?<="took": )[\d.e-]+|(?<="megabytes": )[\d.e-]+|(?<="seconds": )[\d.e-]+')


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("same") / "lib"
    with open_library(folder, encoder=ToneEncoder()) as library:
        library.add(write_jsonl(folder.parent / "papers.jsonl", PAPERS))
        library.add(write(folder.parent / "figured.md", FIGURED))
        library.add(
            [write_jsonl(folder.parent / f"{name}.jsonl", [MERGED | {"venue": name}]) for name in ("eel", "ray")]
        )
        library.collections.add("Mine", ["p0"])
        library.collections.tag("read", ["p0"])
        library.collections.note("p0", "Fine.")
        library.highlights.add("p1", sentences=[next(library.passages("p1")).spans[0].id], color="green", note="Grid!")
        library.ask("Where do grid cells fire?", conversation=library.answers.begin_conversation("Mine"))
        library.answers.judge(verdict="up", comment="Good.")
        library.review.table("age", name="Ages", model="none")
        library.review.report("What fires?", name="Cells", sections=1)
        library.review.screen({"include": ["Grid cells"], "exclude": {"letter": ""}}, name="Cells")
        library.review.screen_label("p1", "include", reviewer="ann")
        library.review.rank(by="how large cells are", name="Size", begin=True)
        library.review.rank_answer("p0", "p1", "first", reason="Larger.")
        library.review.classify({"Grids": "Grid cells", "Places": "Place cells"}, name="Fields", least=0)
        library.map.build(method="pca")
        put_vocabulary(
            library, {"X:1": ("grid cells",), "X:2": ("lattice",), "X:3": ("place",), "X:4": ("one",)}, "Cells"
        )
        library.graph.link()
        library.graph.merge("X:4", "X:3")
        library.vocabularies.name("fire", "leave")
        for name, text in FILES.items():
            (folder / name).parent.mkdir()
            (folder / name).write_text(text, "utf-8")
        put_mention(library, "Place cells", "cells", "local:5f1e")
        for name, colour in (("a", "teal"), ("b", "red")):
            Image.new("RGB", (40, 30), colour).save(folder.parent / f"{name}.png")
        library.images.add(str(folder.parent / "*.png"), collection="sem")
        Image.new("RGB", (30, 40), "gold").save(folder / "c.png")
        library.restore(library.backup(folder / "stored.zip").path, replace=True)
    return folder


@pytest.fixture
def folders(template: Path, tmp_path: Path) -> Iterator[Path]:
    """Copies of the same library, one a face."""
    numbers = iter(range(9))
    return (Path(shutil.copytree(template, tmp_path / str(number))) for number in numbers)


def _named(name: str) -> Verb:
    return next(verb for verb in index.all_verbs() if verb.full_name == name)


def _words(verb: Verb, given: Mapping[str, Any]) -> list[str]:
    """What is typed."""
    words, options = [], []
    for parameter in parameters(verb.function, "cli"):
        if parameter.name not in given:
            continue
        value = given[parameter.name]
        values = [str(one) for one in value] if isinstance(value, list) else [str(value)]
        flag = f"--{parameter.option.flag or parameter.name.replace('_', '-')}"
        if parameter.positional:
            words += values
        elif isinstance(value, bool):
            options += [flag] if value else []
        else:
            options += [part for one in values for part in (flag, one)]
    return [*verb.full_name.split(), *options, "--", *words]


def _over_http(library: Library, verb: Verb, given: Mapping[str, Any]) -> Any:
    left, path = dict(given), verb.path
    offered = parameters(verb.function, "http")
    for one in offered:
        if (part := f"{{{one.option.query or one.name}}}") in path:
            path = path.replace(part, str(_as_list(left.pop(one.name))[0]))
    uploads = {one.name for one in offered if one.option.upload}
    method = verb.methods[0]
    is_query = method in ("GET", "DELETE") or bool(uploads)
    queries = {one.name: one.option.query or one.name for one in offered}
    params = {queries[name]: value for name, value in left.items() if name not in uploads}
    sent: dict[str, Any] = {"params": params} if is_query else {"json": left}
    files = [(queries[name], path) for name in uploads for path in _as_list(left[name])]
    sent |= {"files": [(name, (Path(path).name, Path(path).read_bytes())) for name, path in files]} if files else {}
    client = make_client(library)
    answer = client.request(method, f"/api/v1{path}", **sent)
    assert answer.status_code == (202 if verb.job else verb.status), answer.text
    if not verb.job:
        return answer.json()
    events = collect_notices(client, answer.json()["job"])
    return {"schema": f"conspectus.{verb.schema_name}/1", **events[-2].data["result"]}


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


class _QuietContext:
    """What a job reports its progress to."""

    async def report_progress(self, *_: object) -> None:
        pass


def _as_tool(library: Library, verb: Verb, given: Mapping[str, Any]) -> Any:
    async def ask() -> Any:
        return await make_tool(library, verb).run(dict(given), _QuietContext(), convert_result=True)  # type: ignore[arg-type]

    return asyncio.run(ask()).structured_content


def _settled(verb: Verb, body: Any, library: Library | Path) -> Any:
    """The JSON without what differs from run to run."""
    folder = library if isinstance(library, Path) else library.folder
    text = json.dumps(body).replace(f'"query": "{folder}/', '"query": "').replace(str(folder), "FOLDER")
    text = re.sub(r"(?<=/vocabularies/)[0-9a-f]{16}/", "", text)  # a copy that was sent
    text = _VOLATILE.sub(lambda found: '"…"' if found[0].startswith('"') else "…", text)
    settled = json.loads(_MEASURED.sub("0", text))
    return _shape(settled) if verb.full_name in BY_SHAPE else settled


def _shape(body: Any) -> Any:
    if isinstance(body, dict):
        return {name: _shape(value) for name, value in body.items()}
    return [_shape(body[0])] if isinstance(body, list) and body else type(body).__name__


def _filled(library: Library, given: Mapping[str, Any]) -> dict[str, Any]:
    """What a verb is given, with what words in capitals stand for in this library."""

    def fill(value: Any) -> Any:
        if isinstance(value, list):
            return [fill(one) for one in value]
        return STANDS_FOR[value](library) if isinstance(value, str) and value in STANDS_FOR else value

    return {key: fill(value) for key, value in given.items()}


@pytest.mark.usefixtures("quick_pool")
@pytest.mark.parametrize(("name", "given"), CASES, ids=[name for name, _ in CASES])
def test_every_face_gives_the_same_json(
    name: str, given: Mapping[str, Any], folders: Iterator[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A script that moves from the command line to HTTP would have to be written again."""
    monkeypatch.setattr("conspectus.models.registry.make_embedder", lambda _: HashEmbedder())
    monkeypatch.setattr("conspectus.models.registry.make_encoder", lambda _: ToneEncoder())
    verb = _named(name)
    with open_library(next(folders), encoder=ToneEncoder()) as library:
        filled = arguments(verb.function, "cli", _filled(library, given))
        body = {"schema": f"conspectus.{verb.schema_name}/1", **body_of(verb, call(library, verb, filled))}
        expected = _settled(verb, msgspec.to_builtins(body), library)
    if verb.command:
        with open_library(next(folders), encoder=ToneEncoder()) as library:
            folder, words = library.folder, _words(verb, _filled(library, given))
        done = CliRunner().invoke(app, ["--json", "--library", str(folder), *words])
        assert done.exit_code in ((0, 1) if name == "doctor" else (0,)), done.output  # 1: something is not well
        assert _settled(verb, json.loads(done.stdout), folder) == expected
    if verb.path:
        with open_library(next(folders), encoder=ToneEncoder()) as library:
            assert _settled(verb, _over_http(library, verb, _filled(library, given)), library) == expected
    if verb.tool:
        with open_library(next(folders), encoder=ToneEncoder()) as library:
            assert _settled(verb, _as_tool(library, verb, _filled(library, given)), library) == hide_folders(expected)


def test_every_verb_is_among_the_cases() -> None:
    """A verb that nobody compares could differ between faces."""
    assert {verb.full_name for verb in index.all_verbs()} == {name for name, _ in CASES} | ELSEWHERE


def test_the_index_is_up_to_date() -> None:
    """The overview would show a verb that does not exist, or hide one that does."""
    assert index.FILE.read_text("utf-8") == index.make_index(), "write it with: python -m conspectus.faces.index"
