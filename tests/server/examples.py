"""Writes `server/examples.json`: an answer of each kind, as a server gave it, for the description of the API.

    PYTHONPATH=src:tests:evaluations/src python tests/server/examples.py

The library has our own texts alone. Of each list of objects one stays; long texts are cut. What depends on the moment
or the machine is replaced (`Examples.stable`): written again, it has changed where the program has.
"""

import hashlib
import json
import os
import re
import time
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from PIL import Image
from starlette.testclient import TestClient

from conspectus.server.app import EXAMPLES, example_name
from conspectus.sources import kept_searches
from conspectus.store.connection import aside
from graph.vocabularies import put_mention
from helpers import ToneEncoder, open_library, write_jsonl
from serving import collect_notices, make_client
from zotero.zotero_server import zotero_server

ROOT = "/api/v1"
PAPERS = Path(__file__).resolve().parents[2] / "examples" / "papers"
PDF = "action-potential.pdf"
HOME = "/home/ada/papers"
LONGEST = 160
LONGEST_FILE = 600
_RANDOM = re.compile(r"(?<![0-9a-zA-Z.])([a-z]{2,4}-(?=[0-9a-f]{8}))?([0-9a-f]{16}|(?<=-)[0-9a-f]{8})(?![0-9a-zA-Z])")
"""Ids: of answers, jobs, images …"""
_MOMENT = (
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?"), "2026-01-02T12:00:00"),
    (re.compile(r"\b20[2-9]\d-\d\d-\d\d\b"), "2026-01-02"),
    (re.compile(r'("(?:took|seconds|model_seconds|free)":\s*)\d[\d.e+-]*'), r"\g<1>0.02"),
    (re.compile(r"\b\d+\.\d+ s\b"), "0.02 s"),
    (re.compile(r'("git":\s*)"[0-9a-f]{40}\+?"'), rf'\1"{"5" * 40}"'),
    (re.compile(r"127\.0\.0\.1:\d+"), "localhost:23119"),
)
"""Times, durations, commits and ports, and what is written in their place."""
SEEN = "spectrum rotation emission absorption polarisation variability luminosity temperature".split()
WORKS = [
    {
        **{"id": f"w{n}", "title": f"On the {what} of quasars", "year": 1990 + n, "doi": f"10.1000/p.{n}"},
        **{"authors": ["Lovelace, Ada"], "venue": "Journal of Quasars", "keywords": ["quasars", what]},
        "abstract": f"With VLT and ALMA the {what} of a quasar was held against its {SEEN[n - 1]} over {n + 2} nights.",
    }
    for n, what in enumerate(SEEN)
]


KINDS = "whales quokkas glaciers violins enzymes novae yachts bishops".split()
MANY = [
    {
        **{"id": f"{what} {n}", "title": f"{what.capitalize()} in number {n}", "year": 2000 + n % 9},
        **{
            "abstract": f"All {what} are seen, as every study of {what} shows.",
            "citation_count": 3 * len(what) + n % 2,
        },
    }
    for what in KINDS
    for n in range(30)
]
"""Papers enough for directions."""


def short(value: Any) -> Any:
    """A body with one of each list of objects, and the beginnings of its texts."""
    match value:
        case dict():
            return {name: short(one) for name, one in value.items()}
        case list():
            return [short(one) for one in (value[:1] if any(isinstance(one, dict | str) for one in value) else value)]
        case str() if len(value) > LONGEST:
            return value[: LONGEST - 1] + "…"
    return value


class Examples:
    """Asks, and keeps the first answer of each kind.

    Args:
        client: of the server.
        places: folders of this machine, which are called `HOME` in what is kept.
    """

    def __init__(self, client: TestClient, places: Sequence[str]) -> None:
        self._places = places
        self.client, self.found = client, dict[str, Any]()
        self._ids: dict[str, str] = {}
        self.document = client.get(f"{ROOT}/openapi.json").json()

    def stable(self, text: str) -> str:
        """The text with the same ids, times and durations whenever and wherever it is made."""
        for place in self._places:
            text = text.replace(place, HOME)
        for pattern, replacement in _MOMENT:
            text = pattern.sub(replacement, text)
        return _RANDOM.sub(self._stable_id, text)

    def _stable_id(self, found: re.Match[str]) -> str:
        digest = hashlib.sha256(str(len(self._ids)).encode()).hexdigest()
        return self._ids.setdefault(found[0], (found[1] or "") + digest[: len(found[2])])

    def ask(
        self, method: str, path: str, body: Any = None, *, named: dict[str, str] | None = None, **query: Any
    ) -> Any:
        """What is answered, and a note of it under the name of its schema."""
        called = self.client.request(method, ROOT + path.format(**named or {}), json=body, params=query)
        return self.answered(method, path, called)

    def upload(self, path: str, file: Path) -> Any:
        """What is answered to a file."""
        called = self.client.post(ROOT + path, files={"file": (file.name, file.read_bytes())})
        return self.answered("post", path, called)

    def answered(self, method: str, path: str, called: Any) -> Any:
        """An answer, and a note of it."""
        assert called.status_code < 300, (path, called.text)
        told = self.document["paths"][ROOT + path][method]["responses"][str(called.status_code)]["content"]
        name = told["application/json"]["schema"]["$ref"].rpartition("/")[2]
        body = short(json.loads(self.stable(called.text)))
        self.found.setdefault(name, body | ({"state": "running"} if name == "JobBegun" else {}))
        return called.json()

    def read(self, path: str, *, named: dict[str, str] | None = None, **query: Any) -> None:
        """The beginning of a file that is text."""
        called = self.client.get(ROOT + path.format(**named or {}), params=query)
        assert called.status_code == 200, (path, called.text)
        is_text = "octet-stream" not in called.headers["content-type"]
        text = self.stable(called.text) if is_text else called.content.hex(" ", 4)
        text = text if len(text) <= LONGEST_FILE else f"{text[: LONGEST_FILE - 1]}…"
        self.found[example_name(ROOT + path, called.headers["content-type"])] = text

    def do(self, path: str, body: Any, **named: str) -> Any:
        """Begin a job and wait for its end."""
        job = self.ask("post", path, body, named=named)["job"]
        assert collect_notices(self.client, job)[-2].event == "done"
        return job


def asked(it: Examples, library: Any) -> None:
    """Everything once."""
    paper, pdf = {"paper": "w0"}, {"paper": PDF, "page": "1"}
    it.ask("get", "/health")
    it.ask("get", "/search", q="spectrum of quasars", k=1)
    it.ask("get", "/count", q="quasars")
    it.ask("get", "/cite", paper=["w0"], style="nature")
    it.ask("get", "/facets")
    it.ask("get", "/subjects")
    it.ask("get", "/subjects/together")
    it.ask("get", "/built")
    it.ask("get", "/facets/{facet}", starts="love", named={"facet": "author"})
    it.ask("get", "/figures", q="membrane potential", k=1)
    for path in ("/images/collections", "/images", "/images/clusters", "/images/duplicates"):
        it.ask("get", path)
    it.do("/images/map", {"method": "pca"})
    it.ask("get", "/images/{image}", named={"image": library.images.list().images[0].id})
    picture = Path(library.images.list().images[0].path)
    it.upload("/images/search", picture)
    it.upload("/figures/like", picture)
    for path in ("/vocabularies", "/vocabularies/available", "/concepts"):
        it.ask("get", path)
    it.ask("post", "/vocabularies/fetch", {"name": "uat"})
    it.ask("get", "/concepts/{concept}", named={"concept": "UAT:1319"})
    it.ask("post", "/name-rules", {"name": "QSO", "verdict": "use"})
    it.ask("get", "/name-rules")
    it.ask(
        "get",
        "/figures/{figure}",
        named={"figure": library.figures.search("membrane potential", k=1).hits[0].figure.id},
    )
    it.do("/link", None)
    it.ask("get", "/graph", name="quasars", depth=1)
    it.ask("get", "/graph/discover", name="quasars")
    it.ask("get", "/graph/paragraphs", name="quasars")
    it.do("/hypotheses", {"entities": ["quasars"], "k": 2})
    it.do("/vocabularies/{vocabulary}/suggestions", {"k": 2}, vocabulary="objects")
    it.ask("get", "/entities")
    mentions = it.ask("get", "/papers/{paper}/mentions", named={"paper": "w0"})["mentions"]
    it.ask("get", "/mentions", span=[one["span_id"] for one in mentions[:1]])
    put_mention(library, library.paper("w0").title, "nights", "local:5f1e")
    it.ask("get", "/entities/review")
    for verdict in ("accept", "reject", "undo"):
        it.ask("post", f"/entities/{verdict}", {"entities": ["local:5f1e"]})
    it.ask("post", "/entities/merge", {"entity": "UAT:1319", "into": "UAT:16"})
    it.ask("get", "/entities/merges")
    it.ask("post", "/entities/unmerge", {"entity": "UAT:1319"})
    it.do("/map", {"method": "pca"})
    region = it.ask("get", "/map")["regions"][0]["id"]
    it.read("/map/points")
    it.ask("post", "/map/texts", {"rows": [0, 1]})
    it.ask("put", "/map/regions/{number}", {"name": "Quasars"}, named={"number": str(region)})
    it.do("/map/names", {"by": "phrases"})
    it.ask("get", "/map/topics")
    it.ask("get", "/map/overlay", name="keyword:quasars")
    it.ask("get", "/map/gaps")
    it.ask("get", "/map/trends", words="quasar")
    it.ask("get", "/map/impact", words="quasar")
    it.ask("get", "/similar", paper="w0", k=1)
    it.ask("get", "/route", q="Does the spectrum of a quasar vary?")
    it.ask("get", "/papers", limit=1)
    for path in ("/papers/{paper}", "/papers/{paper}/passages"):
        it.ask("get", path, named=paper)
    for part in ("pages", "pages/{page}/text", "outline", "structure", "references", "summaries"):
        it.ask("get", f"/papers/{{paper}}/{part}", named=pdf)
    it.ask("get", "/papers/{paper}/find", named=pdf, q="sodium")
    it.ask("get", "/spans/{span}", named={"span": next(library.passages("w0")).spans[0].id})
    it.ask("get", "/summaries")
    it.ask("post", "/tags", {"papers": ["w0"], "add": ["to read"]})
    made = it.ask("post", "/collections", {"name": "Quasars", "papers": ["w0", "w1"]})["collection"]
    it.ask("get", "/collections")
    with aside(library.session.catalog.engine) as connection:
        kept_searches.add_search(connection, "Quasars", {"words": "quasars"}, ["arxiv"], {"a" * 24})
    it.ask("get", "/sources/searches")
    it.ask("get", "/sources")
    it.ask("get", "/sources/graph", paper="w0", offline=True)
    it.ask("delete", "/sources/searches/{name}", named={"name": "Quasars"})
    it.ask("get", "/zotero")
    it.do("/samples", {})
    it.ask("get", "/samples")
    it.ask("delete", "/samples")
    it.ask("patch", "/collections/{name}", {"rename": "Bright quasars"}, named={"name": made["id"]})
    note = it.ask("post", "/notes", {"paper": "w0", "text": "Compare with **Lovelace 1991**."})["note"]
    it.ask("get", "/notes")
    it.ask("patch", "/notes/{note}", {"text": "Compare with **Lovelace 1992**."}, named={"note": note["id"]})
    marking = {"paper": "w0", "quote": "the spectrum of a quasar", "color": "green", "note": "As *Lovelace* says."}
    marked = {"highlight": it.ask("post", "/highlights", marking)["highlight"]["id"]}
    it.ask("get", "/highlights", paper="w0")
    it.ask("patch", "/highlights/{highlight}", {"color": "blue"}, named=marked)
    it.ask("delete", "/highlights/{highlight}", named=marked)
    it.ask("post", "/highlights/{highlight}/restore", named=marked)
    it.ask("patch", "/papers/{paper}", {"set": {"venue": "Quasars Today"}}, named=paper)
    it.ask("get", "/papers/{paper}/kept", named=paper)
    it.ask("get", "/tags")
    it.ask("delete", "/tags/{name}", named={"name": "to read"})
    fields = '[categories]\n"Quasars" = "Bright nuclei of galaxies"\n"Whales" = "Whales and their songs"\n'
    it.do("/reviews/classifications", {"categories_text": fields, "name": "Fields"})
    it.ask("get", "/reviews/classifications/{name}", named={"name": "Fields"}, limit=1)
    labels = {"labels_text": "paper,category\nw0,Whales\n"}
    it.ask("post", "/reviews/classifications/{name}/check", labels, named={"name": "Fields"})
    corrected = {"paper": "w0", "categories": ["Quasars"]}
    it.ask("post", "/reviews/classifications/{name}/papers", corrected, named={"name": "Fields"})
    it.ask("post", "/reviews/classifications/{name}/collections", {"category": ["Whales"]}, named={"name": "Fields"})
    it.ask("delete", "/notes/{note}", named={"note": note["id"]})
    it.ask("delete", "/collections/{name}", named={"name": made["id"]})
    it.do("/reviews/rankings", {"by": "how bright quasars are", "name": "Brightness", "begin": True})
    ranked = {"name": "Brightness"}
    it.ask("get", "/reviews/rankings/{name}/next", named=ranked)
    verdict = {"first": "w0", "second": "w1", "preferred": "first", "reason": "It is brighter."}
    it.ask("post", "/reviews/rankings/{name}/verdicts", verdict, named=ranked)
    it.ask("get", "/reviews/rankings/{name}", named=ranked)
    it.ask("get", "/reviews/rankings/{name}/papers/{paper}/verdicts", named=ranked | paper)
    criteria = 'question = "How bright are quasars?"\ninclude = ["quasars"]\n[exclude]\nletter = ""\n'
    screened = {"name": "Quasars"}
    it.ask("post", "/reviews/screenings", {"criteria_text": criteria, **screened})
    it.ask("get", "/reviews/screenings/{name}/next", named=screened)
    it.ask("post", "/reviews/screenings/{name}/labels", {"paper": "w0", "label": "include"}, named=screened)
    it.ask("get", "/reviews/screenings/{name}", named=screened)
    it.ask("get", "/reviews/screenings/{name}/labels", named=screened)
    labels = {"labels_text": "paper,label\nw2,include\n"}
    it.ask("post", "/reviews/screenings/{name}/labels/file", labels, named=screened)
    it.ask("post", "/reviews/screenings/{name}/end", {}, named=screened)
    it.ask("get", "/reviews/screenings/{name}/prisma", named=screened)
    it.do("/reviews/tables", {"columns": "number of nights (n)", "name": "Nights", "model": "none"})
    nights = {"name": "Nights"}
    it.ask("get", "/reviews/tables/{name}", named=nights)
    cell = {"paper": "w0", "column": "number of nights", "value": "3"}
    it.ask("patch", "/reviews/tables/{name}/cells", cell, named=nights)
    for to in ("csv", "html", "md", "xlsx"):
        it.read("/reviews/tables/{name}/file", named=nights, to=to)
    it.ask("get", "/reviews")
    it.ask("patch", "/reviews/{name}", {"new_name": "Nights of observation"}, named=nights)
    it.ask("delete", "/reviews/{name}", named={"name": "Nights of observation"})
    it.do("/reviews/contradictions", {"pairs": 1})
    it.do("/reviews/reports", {"question": "What is known about quasars?", "name": "Quasars", "sections": 1})
    report = {"name": "Quasars", "section": "1"}
    it.ask("get", "/reviews/reports/{name}", named=report)
    for to in ("md", "html", "tex", "docx", "bib", "csv"):
        it.read("/reviews/reports/{name}/file", named=report, to=to)
    it.ask("post", "/reviews/reports/{name}/sections/{section}/keep", {"off": True}, named=report)
    it.ask("delete", "/reviews/reports/{name}/sections/{section}", named=report)
    begun = it.ask("post", "/conversations", {"title": "Quasars"})["id"]
    job = it.do("/ask", {"question": "What was the spectrum of a quasar held against?", "conversation": begun})
    it.ask("get", "/jobs")
    it.ask("get", "/models/needed")
    it.ask("get", "/models/titles", name=["ollama:qwen3"])
    it.do("/models/fetch", {})
    it.do("/models/connect", {})
    it.ask("post", "/models/disconnect", {})
    it.ask("get", "/jobs/{job}", named={"job": job})
    answers = it.ask("get", "/answers")["answers"]
    it.ask("get", "/answers/{name}", named={"name": answers[0]["id"]})
    it.ask("post", "/answers/{name}/feedback", {"verdict": "up", "comment": "Right."}, named={"name": "last"})
    for to in ("md", "html", "json", "bib", "ris", "csv"):
        it.read("/answers/{name}/export", named={"name": "last"}, format=to)
        it.read("/conversations/{name}/export", named={"name": begun}, format=to)
    for to in ("csv", "jsonl"):
        it.read("/feedback/export", format=to)
    it.read("/export", paper="w0")
    it.read("/metrics")
    it.ask("get", "/conversations")
    it.ask("get", "/conversations/{name}", named={"name": begun})
    it.ask("patch", "/conversations/{name}", {"title": "On quasars"}, named={"name": begun})
    it.do("/answers/{name}/rerun", {"depth": "quick"}, name=answers[0]["id"])
    it.ask("get", "/feedback")
    it.ask("delete", "/answers/{name}", named={"name": "last"})
    it.ask("delete", "/conversations/{name}", named={"name": begun})
    it.ask("delete", "/papers/{paper}", named={"paper": "w7"})
    it.ask("delete", "/name-rules/learnt")
    it.ask("delete", "/vocabularies/{vocabulary}", named={"vocabulary": "objects"})
    it.ask("delete", "/images", image=library.images.list().images[0].id)
    it.ask("get", "/removals")
    it.ask("post", "/removals/{name}/undo", named={"name": "last"})
    for path in ("/status", "/doctor", "/settings"):
        it.ask("get", path)
    it.ask("patch", "/settings", {"settings": {"search.k": 8}})
    it.ask("get", "/usage")
    for configuration in ("default", "bm25"):
        it.do("/eval/self", {"questions": 5, "configurations": [configuration]})
        time.sleep(1.1)  # they are listed by the second in which they were made
    runs = [one["id"] for one in it.ask("get", "/eval/runs")["results"]]
    it.ask("get", "/eval/runs/{name}", named={"name": runs[0]}, failures=1)
    it.ask("get", "/eval/compare", first=runs[0], second=runs[1])
    library.add(write_jsonl(library.folder / "many.jsonl", MANY))
    it.do("/directions", {})
    it.ask("get", "/directions")
    it.ask("get", "/directions/search", q="whales")
    it.ask("get", "/directions/{name}", named={"name": "whales"}, limit=1)
    it.ask("get", "/directions/explain", paper="whales 1", other="whales 2")
    it.ask("get", "/directions/compare", left="whales", right="quokkas")
    it.ask("get", "/directions/predict/{number}", named={"number": "citations"}, within="year")


def main() -> None:
    ids = count()
    with (
        TemporaryDirectory() as folder,
        patch("secrets.token_hex", lambda size: f"{next(ids):0{2 * size}x}"),  # they sort as they are made
        patch.dict(os.environ, XDG_CACHE_HOME=f"{folder}/cache"),
        zotero_server(10) as zotero,
        open_library(Path(folder) / "lib", encoder=ToneEncoder(), sources__zotero_url=zotero.url) as library,
        patch("conspectus.models.registry.make_embedder", lambda _: library.session.embedder),
        make_client(library) as client,
    ):
        place = Path(folder) / "papers"
        place.mkdir()
        library.add([write_jsonl(place / "works.jsonl", WORKS), PAPERS / PDF])
        for number, name in enumerate(("sem_15kV.png", "sem_15kV_copy.jpg")):
            Image.effect_mandelbrot((90 - number, 60), (-2, -1.2, 1, 1.2), 60).save(place / name)
        library.images.add(place, collection="sem")
        terms = [
            {
                "id": "UAT:1319",
                "label": "Quasars",
                "synonyms": ["QSO", "quasar"],
                "broader": ["UAT:16"],
                "definition": "Bright.",
            },
            {"id": "UAT:16", "label": "Active galactic nuclei", "abbreviations": ["AGN"]},
            {"id": "UAT:1671", "label": "Spectrum"},
        ]
        library.vocabularies.add(write_jsonl(place / "objects.jsonl", terms))
        zotero.put({"itemType": "book", "title": "Quasars", "collections": [zotero.collect("Reading")]})
        it = Examples(client, [str(PAPERS), f"{folder}/lib", str(place), folder])
        asked(it, library)
    EXAMPLES.write_text(json.dumps(dict(sorted(it.found.items())), ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
