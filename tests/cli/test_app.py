"""The page without a terminal: an entry in the menu, a window, a server that ends when nobody looks."""

import configparser
import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx2
import pytest
from starlette.testclient import TestClient

from conspectus.cli import launcher
from conspectus.cli.tray import TrayIcon
from conspectus.core.errors import UsageError
from conspectus.server import lifecycle
from conspectus.server.access import Access
from conspectus.server.app import create_app
from helpers import open_library, until

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="the menu's entries are those of Linux")


def _make_browser(folder: Path) -> None:
    (folder / "bin").mkdir()
    browser = folder / "bin" / "google-chrome"
    browser.write_text(f'#!/bin/sh\necho "$@" >> {shlex.quote(str(folder / "opened"))}\n')
    browser.chmod(0o755)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """`conspectus` with a home and a browser of its own, which writes down what it is asked to open."""
    _make_browser(tmp_path)
    env = {
        **{name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")},  # no icon
        **{
            "HOME": str(tmp_path),
            "XDG_DATA_HOME": str(tmp_path / "share"),
            "CONSPECTUS_STATE": str(tmp_path / "state"),
        },
        "PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}",
    }
    begun: list[subprocess.Popen[str]] = []

    def begin(*words: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "conspectus", "--library", str(tmp_path / 'My 50% "lib"'), *words]
        begun.append(subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
        return begun[-1]

    yield begin
    for process in begun:
        process.terminate()
        process.communicate()


@LINUX
def test_an_entry_in_the_menu_starts_it(run: Callable[..., subprocess.Popen[str]], tmp_path: Path) -> None:
    """A folder with a blank, a per cent or a quotation mark would open another library, or none."""
    said, _ = run("app", "--install", "--json").communicate(timeout=120)
    place = Path(json.loads(said)["entry"])
    assert place == tmp_path / "share" / "applications" / "conspectus.desktop"
    entry = configparser.RawConfigParser(delimiters=("=",))
    entry.optionxform = str  # type: ignore[assignment,method-assign]
    entry.read_string(place.read_text("utf-8"))
    line = entry["Desktop Entry"]["Exec"]
    words = shlex.split(line.replace("\\\\", "\\").replace("%%", "%"))
    own = [sys.executable, "-P", "-m", "conspectus", "--library", str(tmp_path / 'My 50% "lib"'), "app"]
    assert words == own
    assert entry["Desktop Entry"]["Actions"] == "quit;"
    line = entry["Desktop Action quit"]["Exec"]
    assert shlex.split(line.replace("\\\\", "\\").replace("%%", "%")) == [*own, "--quit"]
    said, _ = run("app", "--uninstall").communicate(timeout=120)
    assert "Removed" in said and not place.exists()
    said, _ = run("app", "--uninstall").communicate(timeout=120)
    assert "There is no entry." in said


@LINUX
def test_a_folder_cannot_add_lines_to_the_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A library of a stranger's archive could have the menu start another program."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    with pytest.raises(UsageError, match="control characters"):
        launcher.install(tmp_path / "a\nExec=evil")
    assert not (tmp_path / "applications").exists()


@LINUX
def test_it_opens_a_window_and_only_one_server(run: Callable[..., subprocess.Popen[str]], tmp_path: Path) -> None:
    """Each click on the icon would leave one more server behind."""
    first = run("app")
    assert first.stdout
    address = first.stdout.readline().strip()
    until((tmp_path / "opened").exists)
    assert (tmp_path / "opened").read_text().split() == [f"--app={address}"]
    assert httpx2.get(address, trust_env=False, follow_redirects=True).status_code == 200
    stranger = httpx2.get(f"{address.partition('?')[0]}api/v1/settings", trust_env=False)
    assert stranger.status_code == 401  # others who work on this machine
    second = run("app")
    said, told = second.communicate(timeout=120)
    assert (second.returncode, said.strip()) == (0, address), told
    until(lambda: (tmp_path / "opened").read_text().count(address) == 2)
    assert first.poll() is None


@LINUX
def test_it_can_be_quit_without_a_terminal(run: Callable[..., subprocess.Popen[str]]) -> None:
    """Whoever starts it by a double click could only end it by ending its process."""
    first = run("app")
    assert first.stdout
    address = first.stdout.readline().strip()
    place, _, token = address.partition("/?token=")
    bearer = {"authorization": f"Bearer {token}"}
    assert httpx2.get(f"{place}/api/v1/health", trust_env=False).json()["quits"] is True
    assert httpx2.post(f"{place}/api/v1/quit", trust_env=False).status_code == 401  # others on this machine
    evil = {**bearer, "origin": "https://example.org"}
    assert httpx2.post(f"{place}/api/v1/quit", headers=evil, trust_env=False).status_code == 403  # other pages
    assert first.poll() is None
    said, _ = run("app", "--quit", "--json").communicate(timeout=120)  # asks as the page does
    assert json.loads(said)["quit"] is True
    assert first.wait(timeout=60) == 0
    said, _ = run("app", "--quit").communicate(timeout=120)
    assert said.strip() == "Conspectus was not running."


def test_only_app_lets_the_page_end_it(tmp_path: Path, quick_pool: None) -> None:
    """A colleague could end the server of a group from the page."""
    with open_library(tmp_path / "lib") as library, TestClient(create_app(library, Access())) as client:
        client.base_url = client.base_url.copy_with(host="127.0.0.1")
        assert client.get("/api/v1/health").json()["quits"] is False
        assert client.post("/api/v1/quit").status_code == 400


def test_the_server_ends_when_nobody_looks(tmp_path: Path, quick_pool: None) -> None:
    """It would run until the machine is shut down, without a terminal to end it in."""
    seen: list[bool] = []

    def look(address: str) -> None:
        seen.append(address.startswith("http://127.0.0.1:"))

    with open_library(tmp_path / "lib") as library:
        lifecycle.serve(library, Access(), 2**20, look, idle=0.2)  # comes back
    assert seen == [True]


def test_a_page_that_is_open_keeps_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would end while somebody reads."""
    now = [0.0]
    monkeypatch.setattr(lifecycle, "monotonic", lambda: now[0])
    streams, busy = [object()], [False]
    server = lifecycle.Server(lifecycle.configured(lambda *_: None), streams)  # type: ignore[arg-type]
    server.end_when_idle(10.0, lambda: busy[0])

    def ends(at: float) -> bool:
        now[0] = at
        return _run(server.on_tick(1))

    assert not ends(100.0)
    streams.clear()
    assert not ends(109.0)
    busy[0] = True
    assert not ends(120.0)
    busy[0] = False
    assert not ends(129.0)
    assert ends(131.0)


def test_an_icon_in_the_tray_keeps_it(tmp_path: Path, quick_pool: None) -> None:
    """The icon would go five minutes after the window was closed."""
    answers = iter([True, True, True])
    with open_library(tmp_path / "lib") as library:
        lifecycle.serve(library, Access(), 2**20, lambda _: None, idle=0.1, stays=lambda: next(answers, False))
    assert next(answers, None) is None


def test_without_a_tray_it_says_nothing(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """A machine without a tray would show a traceback, or a server that never ends."""
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    icon = TrayIcon()
    icon.show("http://127.0.0.1:1/?token=secret")
    until(lambda: not icon.is_shown())
    icon.close()
    assert capfd.readouterr() == ("", "")


@LINUX
@pytest.mark.skipif(not shutil.which("Xvfb"), reason="Xvfb is not installed: apt-get install xvfb")
def test_a_click_on_the_icon_opens_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An icon that does nothing would be all that is left of a window that was closed."""
    pytest.importorskip("Xlib", reason="pystray is not installed: pip install -e '.[dev]'")
    from Xlib import X, display
    from Xlib.ext import xtest

    _make_browser(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYSTRAY_BACKEND", "xorg")
    reads, writes = os.pipe()
    screen = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writes), "-screen", "0", "200x100x24"], pass_fds=[writes], stderr=subprocess.DEVNULL
    )
    icon = TrayIcon()
    try:
        with os.fdopen(reads) as numbers:
            monkeypatch.setenv("DISPLAY", f":{numbers.readline().strip()}")
        host = display.Display()
        tray = host.screen().root.create_window(0, 0, 64, 64, 0, X.CopyFromParent)
        tray.map()
        tray.set_selection_owner(host.intern_atom("_NET_SYSTEM_TRAY_S0"), X.CurrentTime)
        host.sync()
        icon.show("http://127.0.0.1:1/?token=secret")
        until(lambda: host.pending_events() > 0)
        docked = host.create_resource_object("window", host.next_event().data[1][2])  # SYSTEM_TRAY_REQUEST_DOCK
        docked.reparent(tray, 0, 0)
        docked.configure(width=64, height=64)
        docked.map()
        xtest.fake_input(host, X.MotionNotify, x=32, y=32)
        host.sync()
        until(lambda: len(set(docked.get_image(0, 0, 64, 64, X.ZPixmap, 2**24 - 1).data)) > 9)  # it is drawn
        xtest.fake_input(host, X.ButtonPress, 1)
        xtest.fake_input(host, X.ButtonRelease, 1)
        host.sync()
        until((tmp_path / "opened").exists)
        assert (tmp_path / "opened").read_text().split() == ["--app=http://127.0.0.1:1/?token=secret"]
        assert icon.is_shown()
        command = Path(f"/proc/{icon._process.pid}/cmdline").read_bytes() if icon._process else b""
        assert command and b"secret" not in command  # others on this machine see it
        icon.close()
        host.close()
    finally:
        icon.close()
        screen.terminate()
        screen.wait()


def _run(waiting: object) -> bool:
    import asyncio

    return asyncio.run(waiting)  # type: ignore[arg-type]


def test_elsewhere_the_entry_is_of_that_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user of a Mac or of Windows would find nothing to click on."""
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setattr(sys, "platform", "darwin")
    place = launcher.install(tmp_path / "it's mine")
    assert place == tmp_path / "Applications" / "Conspectus.command" and os.access(place, os.X_OK)
    words = shlex.split(place.read_text().splitlines()[1])
    assert words[:2] == ["exec", sys.executable] and words[-2:] == [str(tmp_path / "it's mine"), "app"]
    asked: list[tuple[list[str], dict[str, str]]] = []

    def powershell(command: list[str], env: dict[str, str], **_: object) -> subprocess.CompletedProcess[str]:
        asked.append((command, env))
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("APPDATA", str(tmp_path / "AppData"))
    monkeypatch.setattr(subprocess, "run", powershell)
    place = launcher.install(tmp_path / "it's mine")
    [(command, env)] = asked
    assert place.name == "Conspectus.lnk" and env["CONSPECTUS_LINK"] == str(place)
    assert "it's mine" in env["CONSPECTUS_ARGUMENTS"] and not any("mine" in word for word in command)
