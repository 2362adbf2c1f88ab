"""A stranger's library on the command line: with keys in the environment, a listener where it points to hears nothing.

Each case makes a library, as a stranger would send it, runs verbs of the program in processes of their own with secrets
in every variable, and looks what came in at a port of this machine: neither a connection nor a secret may have.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import tests_path  # noqa: F401 - what listens is the tests'

from loopback import Heard, record_connections

SECRET = "geheim-4711"
KEYS = (
    "CONSPECTUS_LANGUAGE_API_KEY CONSPECTUS_MODELS_API_KEY CONSPECTUS_MODELS_RERANK_KEY OPENAI_API_KEY OPENAI_ORG_ID "
    "ANTHROPIC_API_KEY GOOGLE_API_KEY GEMINI_API_KEY COHERE_API_KEY CO_API_KEY OLLAMA_API_KEY PGPASSWORD"
).split()
EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "papers" / "exoplanet-transits.pdf"
ASK, ADD, AUDIT = ["ask", "Do eels swim at night?"], ["add", "{folder}/one.pdf"], ["audit", "{folder}/references.txt"]
SEARCH = ["search", "eels at night"]
POINTING: dict[str, tuple[str, list[list[str]]]] = {
    "language.model": ('[language]\nmodel = "{url}/v1#m"', [ASK, ["summarise"], ["consensus", "Eels swim."]]),
    "model": ('model = "{url}/v1"', [ASK, ["doctor"], ["route", "eels"]]),
    "language.ask": ('[language]\nask = "{url}/v1#m"', [["--set", "search.expand=hyde", *SEARCH], ASK]),
    "language.write": ('[language]\nwrite = "{url}/v1#m"', [ASK, ["doctor"]]),
    "language.summarise": ('[language]\nsummarise = "{url}/v1#m"', [["summarise"], ["doctor"]]),
    "language.agent": ('[language]\nagent = "{url}/v1#m"', [["ask", "--agent", "Do eels swim?"], ["doctor"]]),
    "language.judge": ('[language]\njudge = "{url}/v1#m"\n[search]\nreranker = "judge"', [SEARCH, ASK]),
    "search.reranker": ('[search]\nreranker = "{url}#m"', [SEARCH, ASK, ["doctor"]]),
    "models.embedder": ('[models]\nembedder = "{url}/v1#m"', [SEARCH, ADD, ["reindex"], ["doctor"]]),
    "parse.grobid_url": ('[parse]\ngrobid_url = "{url}"\ngrobid_away = "embedded"', [ADD, ["doctor"]]),
    "sources.crossref.url": ('[sources]\nonline = "yes"\ncrossref_url = "{url}"', [AUDIT, ["doctor"]]),
    "catalog.url": ('[catalog]\nurl = "postgresql://me@127.0.0.1:{port}/db?sslmode=disable"', [["list"], ASK, ADD]),
    "catalog.url by host": ('[catalog]\nurl = "postgresql:///db?host=127.0.0.1&port={port}"', [["status"], SEARCH]),
}
HOW = ("sent", "linked", "copied after trust", "changed after trust", "unpacked over one's own", "with one's own mark")


def cases() -> Iterator[tuple[str, Callable[[Path], str]]]:
    """Each setting that points somewhere, by each way in which such a library comes to be; and what else leads out."""
    for setting in POINTING:
        for how in HOW:
            yield f"{setting}, {how}", lambda folder, s=setting, h=how: _silent(folder, s, h)
    yield from OTHERS.items()


@cache
def _template() -> Path:
    """A library with a paper that somebody made, in a folder that lasts as long as this process."""
    keep = Path(tempfile.mkdtemp(prefix="hostile-stranger-"))
    import atexit

    atexit.register(shutil.rmtree, keep, ignore_errors=True)
    (keep / "eels.jsonl").write_text(json.dumps({"id": "eels", "title": "Eels", "abstract": "Eels swim at night."}))
    _run(keep, ["--library", keep / "library", "add", keep / "eels.jsonl"])
    return keep / "library"


def _run(folder: Path, words: list[str | Path], **more: str) -> subprocess.CompletedProcess[bytes]:
    home = folder / "home"
    home.mkdir(exist_ok=True)
    (home / ".pgpass").write_text(f"*:*:*:*:{SECRET}\n")
    (home / ".pgpass").chmod(0o600)
    given = {"HOME": str(home), "CONSPECTUS_STATE": str(home / "state"), **dict.fromkeys(KEYS, SECRET), **more}
    if "CONSPECTUS_MODELS_STORE" not in os.environ:
        from conspectus.models.store import ModelStore

        given["CONSPECTUS_MODELS_STORE"] = str(ModelStore().root)
    command = [sys.executable, "-m", "conspectus", *(str(word).format(folder=folder) for word in words)]
    return subprocess.run(command, capture_output=True, timeout=120, check=False, env={**os.environ, **given})


def _silent(folder: Path, setting: str, how: str) -> str:
    said, verbs = POINTING[setting]
    shutil.copy(EXAMPLE, folder / "one.pdf")
    (folder / "references.txt").write_text("Smith, J. (2004). Hardening of steel. Metals 3, 4-5. doi:10.1234/steel\n")
    with record_connections() as heard:
        library = _sent(folder, how, said.format(url=heard.url, port=heard.port))
        if heard.said:
            return "it was asked before any verb"
        for verb in verbs:
            done = _run(folder, ["--library", library, *verb])
            if wrong := _wrong(heard, done, verb):
                return wrong
    return ""


def _wrong(heard: Heard, done: subprocess.CompletedProcess[bytes], verb: list[str]) -> str:
    name = " ".join(verb)
    if heard.holds(SECRET):
        return f"{name}: a secret was heard"
    if heard.said:
        return f"{name}: it was asked {len(heard.said)} times"
    if SECRET.encode() in done.stdout + done.stderr:
        return f"{name}: a secret was printed"
    if b"Traceback" in done.stderr or b"should not" in done.stderr:
        return f"{name}: {done.stderr[-200:]!r}"
    if b"conspectus trust" not in done.stderr:
        return f"{name}: what is left out is not told: {done.stderr[-200:]!r}"
    return ""


def _sent(folder: Path, how: str, settings: str) -> Path:
    """A library with these settings that came from elsewhere in one of several ways."""
    library = folder / "library"
    if how in ("unpacked over one's own", "with one's own mark"):
        mine = folder / ("library" if how.startswith("unpacked") else "mine")
        _run(folder, ["--library", mine, "add", _template().parent / "eels.jsonl"])
    if how == "unpacked over one's own":  # by a program that takes the old folder away first
        shutil.rmtree(library)
    shutil.copytree(_template(), library)
    if how == "with one's own mark":
        shutil.copy2(folder / "mine" / "library.id", library / "library.id")
    if how == "changed after trust":
        (library / "conspectus.toml").write_text('[language]\nmodel = "http://127.0.0.1:9/v1#m"\n')
        _run(folder, ["--library", library, "trust"])
    (library / "conspectus.toml").write_text(settings + "\n")
    if how == "linked":
        (folder / "link").symlink_to(library, target_is_directory=True)
        return folder / "link"
    if how == "copied after trust":
        _run(folder, ["--library", library, "trust"])
        shutil.copytree(library, folder / "copy")
        return folder / "copy"
    return library


def _key_refused(folder: Path, said: str) -> str:
    library = Path(shutil.copytree(_template(), folder / "library"))
    (library / "conspectus.toml").write_text(said.format(secret=SECRET) + "\n")
    for verb in (["list"], ASK, ["config"], ["trust"], ["trust", "--show"]):
        done = _run(folder, ["--library", library, *verb])
        if done.returncode != 2 or b"Take it out" not in done.stderr or SECRET.encode() in done.stdout + done.stderr:
            return f"{verb}: exit code {done.returncode}, {done.stderr[-200:]!r}"
    return ""


def _ledger(folder: Path, target: str) -> str:
    """`retry` of a library whose ledger names a file of the user's."""
    library = Path(shutil.copytree(_template(), folder / "library"))
    named = target.format(folder=folder)
    if target.startswith("{folder}"):
        Path(named).write_text("My private notes, which nobody else is to read. They are long enough to be found.")
    with sqlite3.connect(library / "catalog.sqlite") as connection:
        connection.execute("UPDATE files SET path = ?, state = 'queued', retry = 1", (named,))
    connection.close()
    for verb in (["retry"], ["retry", "--all"]):
        done = _run(folder, ["--library", library, *verb])
        if done.returncode != 2 or b"conspectus trust" not in done.stderr:
            return f"{verb}: exit code {done.returncode}, {done.stderr[-200:]!r}"
    found = _run(folder, ["--library", library, "search", "private notes", "--json"])
    return "the file was read" if b"My private notes" in found.stdout else ""


def _code(folder: Path, statement: str) -> str:
    """A catalog with code in it: opened, and out of a backup."""
    library = Path(shutil.copytree(_template(), folder / "library"))
    _run(folder, ["--library", library, "backup", folder / "good.zip"])
    with sqlite3.connect(library / "catalog.sqlite") as connection:
        connection.execute(statement)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    done = _run(folder, ["--library", library, "list"])
    if done.returncode != 4 or b"no catalog of Conspectus has" not in done.stderr:
        return f"list: exit code {done.returncode}, {done.stderr[-200:]!r}"
    raw = (library / "catalog.sqlite").read_bytes()
    evil = _repacked(folder, "catalog.sqlite", raw)
    other = folder / "other"
    done = _run(folder, ["--library", other, "restore", evil])
    virtual = "VIRTUAL" in statement
    if done.returncode != (1 if virtual else 0):
        return f"restore: exit code {done.returncode}, {done.stderr[-200:]!r}"
    with sqlite3.connect(other / "catalog.sqlite") as connection:
        (odd,) = connection.execute("SELECT count(*) FROM sqlite_master WHERE type IN ('trigger', 'view')").fetchone()
        (papers,) = connection.execute("SELECT count(*) FROM papers").fetchone()
    connection.close()
    return f"{odd} triggers or views, {papers} papers" if odd or papers != (0 if virtual else 1) else ""


def _repacked(folder: Path, name: str, raw: bytes) -> Path:
    """The backup with another file in it, and a manifest that fits."""
    import hashlib

    with zipfile.ZipFile(folder / "good.zip") as old:
        files = {inner: old.read(inner) for inner in old.namelist()} | {name: raw}
    manifest = json.loads(files["manifest.json"])
    manifest["files"][name] = {"sha256": hashlib.sha256(raw).hexdigest(), "bytes": len(raw)}
    files["manifest.json"] = json.dumps(manifest).encode()
    with zipfile.ZipFile(folder / "evil.zip", "w") as new:
        for inner, data in files.items():
            new.writestr(inner, data)
    return folder / "evil.zip"


def _restored(folder: Path, setting: str) -> str:
    """A backup whose settings point to the listener."""
    said, verbs = POINTING[setting]
    shutil.copy(EXAMPLE, folder / "one.pdf")
    (folder / "references.txt").write_text("Smith, J. (2004). Hardening of steel. Metals 3, 4-5. doi:10.1234/steel\n")
    source = Path(shutil.copytree(_template(), folder / "source"))
    _run(folder, ["--library", source, "backup", folder / "good.zip"])
    with record_connections() as heard:
        evil = _repacked(folder, "conspectus.toml", said.format(url=heard.url, port=heard.port).encode())
        done = _run(folder, ["--library", folder / "library", "restore", evil])
        if done.returncode or b"Left out: conspectus.toml" not in done.stdout:
            return f"restore: exit code {done.returncode}, {(done.stdout + done.stderr)[-200:]!r}"
        for verb in verbs:
            _run(folder, ["--library", folder / "library", *verb])
            if heard.said:
                return f"{' '.join(verb)}: it was asked"
    return ""


def _mine(folder: Path, setting: str) -> str:
    """One's own library may point where it likes, and nobody is asked."""
    said, _ = POINTING[setting]
    _run(folder, ["--library", folder / "mine", "add", _template().parent / "eels.jsonl"])
    (folder / "mine" / "conspectus.toml").write_text(said.format(url="http://127.0.0.1:9", port=9) + "\n")
    done = _run(folder, ["--library", folder / "mine", "config", "--json"])
    return f"{done.stderr[-200:]!r}" if done.returncode or done.stderr or b'"left_out"' in done.stdout else ""


KEYED = {
    "language.api_key": '[language]\napi_key = "{secret}"',
    "models.api_key": '[models]\napi_key = "{secret}"',
    "models.rerank_key": '[models]\nrerank_key = "{secret}"',
    "catalog.url": '[catalog]\nurl = "postgresql://me:{secret}@127.0.0.1/db"',
    "catalog.url in the query": '[catalog]\nurl = "postgresql://me@127.0.0.1/db?password={secret}"',
    "parse.grobid_url": '[parse]\ngrobid_url = "http://me:{secret}@127.0.0.1"',
    "models.embedder": '[models]\nembedder = "http://{secret}@127.0.0.1/v1#m"',
}
CODE = {
    "a trigger": "CREATE TRIGGER t AFTER INSERT ON meta BEGIN DELETE FROM papers; END",
    "a view": "CREATE VIEW v AS SELECT * FROM papers",
    "a virtual table": "CREATE VIRTUAL TABLE f USING fts5(words)",
}
LEDGER = {"a text": "{folder}/id_rsa.txt", "a record file": "{folder}/secrets.jsonl", "a device": "/dev/zero"}
OTHERS: dict[str, Callable[[Path], str]] = {
    **{f"a key in the file, {name}": lambda folder, s=said: _key_refused(folder, s) for name, said in KEYED.items()},
    **{f"the ledger names {name}": lambda folder, t=target: _ledger(folder, t) for name, target in LEDGER.items()},
    **{f"the catalog has {name}": lambda folder, s=statement: _code(folder, s) for name, statement in CODE.items()},
    **{f"a backup's {name}": lambda folder, n=name: _restored(folder, n) for name in ("model", "parse.grobid_url")},
    **{f"one's own {name}": lambda folder, n=name: _mine(folder, n) for name in POINTING if name != "catalog.url"},
}
