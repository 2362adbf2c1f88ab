"""Simulators of Zotero 7, 9 and 10 on this machine, and of zotero.org, from items that they are given."""

import contextlib
import json
import random
import re
import string
import threading
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

from loopback import QuietHandler, serve_handler

Item = dict[str, Any]
Answer = tuple[int, Any, dict[str, str]]
KEYS = string.ascii_uppercase + string.digits
BASE = {"title", "creators", "abstractNote", "date", "url", "language", "rights", "extra", "tags", "collections"}
BASE |= {
    "itemType",
    "key",
    "version",
    "dateAdded",
    "dateModified",
    "relations",
    "shortTitle",
    "accessDate",
    "parentItem",
}
BASE |= {"note", "libraryCatalog", "callNumber", "archive", "archiveLocation"}
FIELDS = {
    "journalArticle": "publicationTitle volume issue pages series seriesTitle journalAbbreviation DOI ISSN",
    "conferencePaper": "proceedingsTitle conferenceName place publisher volume pages series DOI ISBN",
    "book": "series seriesNumber volume edition place publisher numPages ISBN",
    "bookSection": "bookTitle series volume edition place publisher pages ISBN",
    "thesis": "thesisType university place numPages",
    "report": "reportNumber reportType place institution pages",
    "preprint": "genre repository archiveID place DOI",
    "dataset": "identifier type versionNumber repository DOI",
    "webpage": "websiteTitle websiteType",
    "document": "publisher",
    "note": "",
    "annotation": "annotationType annotationText annotationComment annotationColor annotationPageLabel "
    "annotationSortIndex annotationPosition",
}
WORK = {"itemType": "journalArticle", "title": "Grid cells map space", "DOI": "10.1000/grid",
        "creators": [{"creatorType": "author", "firstName": "Ada", "lastName": "Berg"}], "date": "2012"}  # fmt: skip


class ZoteroServer:
    """A library of Zotero, as `version` 7, 9 or 10 on this machine, or as zotero.org (0).

    Attributes:
        groups: libraries of the groups that the user is in, by their numbers.
        consent: what the user answers when asked whether a program may write: `once`, `always` or `no`.
        answers: given first, in place of its own.
        before_write: called when a write comes, before it is looked at.
        asked: method, path and headers of each request.
    """

    def __init__(self, version: int, user: int = 42) -> None:
        self.version, self.user = version, user
        self.url = ""
        self.library_version = 100
        self.items: dict[str, Item] = {}
        self.collections: dict[str, Item] = {}
        self.consent = "always"
        self.keys: dict[str, bool] = {}
        self.answers: list[Answer | None] = []
        self.before_write: Any = None
        self.asked: list[tuple[str, str, dict[str, str]]] = []
        self.writes: list[list[Item]] = []
        self.web_key_writes = True
        self.better_bibtex: dict[str, str] = {}
        self.name = ""
        self.groups: dict[int, ZoteroServer] = {}
        self._random = random.Random(100 * version + user)

    def put(self, item: Item) -> str:
        """Make or change an item as its user would."""
        key = item.get("key") or "".join(self._random.choices(KEYS, k=8))
        self.library_version += 1
        old = self.items.get(key, {})
        added = {"dateAdded": "2026-01-01T00:00:00Z", "dateModified": "2026-01-01T00:00:00Z"}
        self.items[key] = {"tags": [], "collections": [], **added, **old, **item, "key": key,
                           "version": self.library_version}  # fmt: skip
        return key

    def join(self, name: str) -> "ZoteroServer":
        """The library of a new group."""
        group = self.groups[len(self.groups) + 7] = ZoteroServer(self.version, len(self.groups) + 7)
        group.name = name
        return group

    def collect(self, name: str, parent: str = "") -> str:
        key = "".join(self._random.choices(KEYS, k=8))
        self.library_version += 1
        self.collections[key] = {"key": key, "version": self.library_version, "name": name,
                                 "parentCollection": parent or False}  # fmt: skip
        return key

    @property
    def headers(self) -> dict[str, str]:
        found = {"Last-Modified-Version": str(self.library_version), "Zotero-API-Version": "3"}
        found |= {"X-Zotero-Version": f"{self.version}.0.4"} if self.version else {}
        return found | ({"Zotero-Server-ID": f"SRV{self.user}"} if self.version == 10 else {})

    def answer(self, method: str, path: str, query: dict[str, str], headers: dict[str, str], body: Any) -> Answer:
        if path == "/better-bibtex/json-rpc":
            return (200, {"result": self.better_bibtex}, {}) if self.better_bibtex else (404, "", {})
        if self.version:
            if not path.startswith("/api/"):
                return 404, "No endpoint found", {}
            path = path.removeprefix("/api")
            if path == "/":
                return 200, "Nothing to see here.", {}
            if path == "/local/authorize":
                return self._authorize(body)
        elif headers.get("authorization") != "Bearer secret":
            return 403, "Invalid key", {}
        elif path == "/keys/current":
            return 200, {"userID": self.user, "access": {}}, {}
        if path.startswith("/groups/") and method == "GET":
            number, _, rest = path.removeprefix("/groups/").partition("/")
            group = self.groups[int(number)]
            status, said, more = group._read(f"/{rest}", query, headers)
            return status, said, {**group.headers, **more}
        prefix = "/users/0" if self.version else f"/users/{self.user}"
        if not path.startswith(prefix):
            return 404, "Not found", {}
        path = path.removeprefix(prefix)
        return self._write(path, headers, body) if method == "POST" else self._read(path, query, headers)

    def _authorize(self, body: Any) -> Answer:
        if self.version != 10:
            return 404, "No endpoint found", {}
        if self.consent == "no":
            return 403, "Denied", {}
        key = f"local-{len(self.keys)}"
        self.keys[key] = self.consent == "always"
        return 200, {"key": key, "remember": self.consent == "always"}, {}

    def _read(self, path: str, query: dict[str, str], headers: dict[str, str]) -> Answer:
        if int(headers.get("if-modified-since-version", -1)) >= self.library_version:
            return 304, "", {}
        if path == "/collections":
            return self._page(
                [{"key": k, "version": c["version"], "data": c, "meta": {"numItems": self._number_in(k)}}
                 for k, c in self.collections.items()],
                query,
            )  # fmt: skip
        if path == "/groups":
            about = [{"id": number, "version": 1, "meta": {"numItems": len(group.items)}, "links": {},
                      "data": {"id": number, "name": group.name}} for number, group in self.groups.items()]  # fmt: skip
            return self._page(about, query)
        items = [item for item in self.items.values() if not item.get("deleted")]
        if "itemKey" in query:
            items = [item for item in items if item["key"] in query["itemKey"].split(",")]
        if kind := query.get("itemType"):
            items = [] if self.version == 7 else [item for item in items if item["itemType"] == kind]
        elif self.version and "itemKey" not in query:
            items = [item for item in items if item["itemType"] != "annotation"]
        if path == "/items/top":
            items = [item for item in items if "parentItem" not in item]
        items = [item for item in items if item["version"] > int(query.get("since", -1))]
        if query.get("format") == "versions":
            return 200, {item["key"]: item["version"] for item in items}, {}
        return self._page([{"key": i["key"], "version": i["version"], "library": {}, "data": i} for i in items], query)

    def _number_in(self, collection: str) -> int:
        return sum(collection in item["collections"] for item in self.items.values())

    def _page(self, rows: list[Item], query: dict[str, str]) -> Answer:
        start, limit = int(query.get("start", 0)), int(query.get("limit", 25))
        assert limit <= 100
        return 200, rows[start : start + limit], {"Total-Results": str(len(rows))}

    def _write(self, path: str, headers: dict[str, str], body: Any) -> Answer:
        if self.before_write:
            then, self.before_write = self.before_write, None
            then()
        if self.version in (7, 9):
            return 400, "Endpoint does not support method", {}
        if self.version == 10:
            if headers.get("zotero-server-id") != f"SRV{self.user}":
                return 428, "Zotero-Server-ID not provided", {}
            key = headers.get("zotero-api-key", "")
            if key not in self.keys:
                return 401, "A local API key is required", {}
            if not self.keys[key]:
                del self.keys[key]
        elif not self.web_key_writes:
            return 403, "Write access denied", {}
        assert isinstance(body, list) and 0 < len(body) <= 50
        self.writes.append(body)
        store = self.items if path == "/items" else self.collections
        said: dict[str, dict[str, Any]] = {"successful": {}, "success": {}, "unchanged": {}, "failed": {}}
        for number, one in enumerate(body):
            if fault := self._fault(store, one):
                said["failed"][str(number)] = {"key": one.get("key", ""), "code": fault[0], "message": fault[1]}
                continue
            key = self.put(one) if store is self.items else self.collect(one["name"], one.get("parentCollection") or "")
            said["success"][str(number)] = key
            said["successful"][str(number)] = {"key": key, "version": self.library_version, "data": store[key]}
        return 200, said, {}

    def _fault(self, store: dict[str, Item], one: Item) -> tuple[int, str] | None:
        old = store.get(one.get("key", ""))
        if "key" in one and old is None:
            return 404, "Item doesn't exist"
        if old is not None and one.get("version") != old["version"]:
            return (428, "version not given") if "version" not in one else (412, "Item has been modified since")
        if store is self.items and old is None:
            kind = one.get("itemType", "")
            own = set(FIELDS.get(kind, "").split()) | BASE | ({"citationKey"} if self.version >= 9 else set())
            if kind not in FIELDS:
                return 400, f"'{kind}' is not a valid itemType"
            if unfit := sorted(one.keys() - own):
                return 400, f"'{unfit[0]}' is not a valid field for type '{kind}'"
        return None


@contextlib.contextmanager
def zotero_server(version: int, **more: Any) -> Iterator[ZoteroServer]:
    """Yields a simulator that listens; `url` is what the settings name."""
    server, lock = ZoteroServer(version, **more), threading.Lock()

    class Handler(QuietHandler):
        def do_GET(self) -> None:
            self._answer("GET")

        def do_POST(self) -> None:
            self._answer("POST")

        def _answer(self, method: str) -> None:
            parts = urlsplit(self.path)
            query = {name: values[0] for name, values in parse_qs(parts.query).items()}
            headers = {name.lower(): value for name, value in self.headers.items()}
            body = json.loads(self.rfile.read(int(headers.get("content-length", 0))) or "null")
            with lock:
                server.asked.append((method, self.path, headers))
                first = server.answers.pop(0) if server.answers else None
                status, said, more = first or server.answer(method, parts.path, query, headers, body)
                raw = (
                    said
                    if isinstance(said, bytes)
                    else said.encode()
                    if isinstance(said, str)
                    else json.dumps(said).encode()
                )
                self.send(status, b"" if status == 304 else raw, {**server.headers, **more})

    with serve_handler(Handler) as url:
        server.url = f"{url}/api" if version else url
        yield server


def fill(server: ZoteroServer, number: int, seed: int = 1) -> None:
    """Give a library so many varied works, with tags, collections and notes."""
    rng = random.Random(seed)
    reading = server.collect("Reading")
    places = [reading, server.collect("Grid cells", reading), server.collect("Ünïcode / slash, comma"), ""]
    kinds = sorted(FIELDS.keys() - {"note", "annotation"})
    for index in range(number):
        kind = kinds[index % len(kinds)]
        item: Item = {"itemType": kind, "title": f"{rng.choice(_WORDS).title()} {rng.choice(_WORDS)} number {index}",
                      "abstractNote": f"We measured {rng.choice(_WORDS)} in {rng.choice(_WORDS)} of sample {index}.",
                      "date": rng.choice(["2019", "2019-03", "2019-03-07", "March 2019"]),
                      "creators": _creators(rng), "url": f"https://example.org/{index}",
                      "language": rng.choice(["en", "de", ""]), "extra": rng.choice(["", f"PMID: {1000 + index}"]),
                      "rights": rng.choice(["", "CC-BY"])}  # fmt: skip
        for name in FIELDS[kind].split():
            item[name] = {"DOI": f"10.1234/{index}", "volume": "12", "issue": "3", "pages": "1-9"}.get(
                name, f"{name} {index}"
            )
        item["tags"] = [{"tag": tag} for tag in rng.sample(["to read", "Größe", "a,b; c", "grid", "Grid cell"], 2)]
        item["tags"] += [{"tag": "auto", "type": 1}] if index % 3 == 0 else []
        item["collections"] = [place for place in rng.sample(places, 2) if place]
        key = server.put(item)
        if index % 5 == 0:
            html = f"<h1>Note {index}</h1><p>It is <strong>bold</strong> &amp; <em>so</em>.</p><ul><li>a</li></ul>"
            server.put({"itemType": "note", "parentItem": key, "note": html})


_WORDS = "lattice neuron grid cell plant galaxy spectrum protein quantum ocean memory synapse".split()


def _creators(rng: random.Random) -> list[Item]:
    names = ["Müller", "O'Neil", "van der Berg"]
    people: list[Item] = [
        {"creatorType": "author", "firstName": f"A{number}", "lastName": rng.choice(names)}
        for number in range(rng.randint(1, 4))
    ]
    people += [{"creatorType": "author", "name": "The Grid Collaboration"}] if rng.random() < 0.3 else []
    return people + ([{"creatorType": "editor", "firstName": "Ed", "lastName": "Itor"}] if rng.random() < 0.3 else [])


def dump_items(server: ZoteroServer) -> list[Any]:
    """What a library holds, without keys and times: to compare two."""
    paths: dict[str, str] = {}
    for key, one in server.collections.items():
        parent = one.get("parentCollection")
        paths[key] = f"{paths[parent]}/{one['name']}" if parent else one["name"]
    notes: dict[str, list[str]] = {}
    for item in server.items.values():
        if item["itemType"] == "note":
            notes.setdefault(item["parentItem"], []).append(re.sub(r"\s+", " ", item["note"]))
    drop = {"key", "version", "dateAdded", "dateModified", "relations", "collections", "tags"}
    rows = [
        {name: value for name, value in item.items() if name not in drop and value}
        | {"tags": sorted(json.dumps(tag) for tag in item["tags"])}
        | {"in": sorted(paths[key] for key in item["collections"]), "notes": sorted(notes.get(key, []))}
        for key, item in server.items.items() if item["itemType"] not in ("note", "attachment", "annotation")
    ]  # fmt: skip
    return sorted(rows, key=lambda row: row["title"])


def attach(server: ZoteroServer, name: str, **more: Any) -> str:
    """Put a work with a PDF into a library; returns the key of the work."""
    work = server.put(WORK)
    server.put({"key": "ATTACH01", "itemType": "attachment", "parentItem": work, "linkMode": "imported_file",
                "contentType": "application/pdf", "filename": name, **more})  # fmt: skip
    return work
