"""An icon in the tray that opens the page or ends its server, in its own process: some systems want its main thread.

The server starts it and holds its standard input open: the first line is the address, and when the input ends, so does
the icon. It ends by itself where there is no tray, without a word; then `app` does without.
"""

from __future__ import annotations

import locale
import logging
import os
import subprocess
import sys
import threading
import time
from contextlib import suppress
from importlib.util import find_spec
from typing import IO
from urllib.request import Request, urlopen

from PIL import Image, ImageDraw

from conspectus.cli.launcher import NAME, open_window

_GREEN, _WHITE, _YELLOW = "#0b5c6b", "#ffffff", "#839c67"
_LABELS = {"de": (f"{NAME} öffnen", f"{NAME} beenden")}
_BUTTON_PRESS = 4
"""`ButtonPressMask` of the X protocol."""
_SCALE = 8
"""Pixels drawn for each that is shown, so that edges are smooth."""


class TrayIcon:
    """The icon of a running server."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def show(self, address: str) -> None:
        """Show the icon, if the package for it is installed."""
        if find_spec("pystray") is None:
            return
        self._process = subprocess.Popen(  # noqa: S603 - this interpreter
            [sys.executable, "-P", "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,  # Ctrl-C is for the server
        )
        with suppress(OSError):  # it has ended
            pipe = self._pipe(self._process)
            pipe.write(f"{address}\n")  # with its token, which a command line would show to others
            pipe.flush()

    def is_shown(self) -> bool:
        """Whether it is there: its process ends where there is no tray."""
        return self._process is not None and self._process.poll() is None

    def close(self) -> None:
        """Remove the icon."""
        if self._process is None:
            return
        with suppress(OSError):
            self._pipe(self._process).close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._process = None

    @staticmethod
    def _pipe(process: subprocess.Popen[str]) -> IO[str]:
        assert process.stdin is not None
        return process.stdin


def quit_server(address: str) -> bool:
    """Ask the server of a window to end; whether there was one."""
    place, _, token = address.partition("/?token=")
    request = Request(f"{place}/api/v1/quit", method="POST", headers={"Authorization": f"Bearer {token}"})  # noqa: S310
    try:
        with urlopen(request, timeout=10):  # noqa: S310 - our own address
            return True
    except OSError:  # it ended without saying so, as a machine does that loses its power
        return False


def draw_icon(size: int) -> Image.Image:
    """The picture of `web/public/icon.svg`, which Pillow does not read."""
    unit = size * _SCALE / 32
    image = Image.new("RGBA", (size * _SCALE, size * _SCALE))
    draw = ImageDraw.Draw(image)
    draw.rounded_rectangle((0, 0, 32 * unit - 1, 32 * unit - 1), 7 * unit, _GREEN)
    for left, right, middle, height, colour in (
        (4.5, 21.5, 18.2, 5.0, _YELLOW),
        (6.8, 25.2, 9.0, 2.4, _WHITE),
        (6.8, 19.2, 15.0, 2.4, _WHITE),
        (6.8, 22.2, 21.0, 2.4, _WHITE),
    ):
        box = (left * unit, (middle - height / 2) * unit, right * unit, (middle + height / 2) * unit)
        draw.rounded_rectangle(box, height * unit / 2, colour)
    return image.resize((size, size), Image.Resampling.LANCZOS)


class _EndOnError(logging.Handler):
    """An icon that finds no tray only logs an error and waits for one."""

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno >= logging.ERROR:
            os._exit(1)


def _run() -> None:
    """Show the icon until the server ends, or "Quit" is chosen."""
    address = sys.stdin.readline().strip()
    log = logging.getLogger("pystray")
    log.addHandler(_EndOnError())
    log.propagate = False
    import pystray

    language = (locale.getlocale()[0] or os.environ.get("LANG", "")).partition("_")[0]
    opens, quits = _LABELS.get(language, (f"Open {NAME}", f"Quit {NAME}"))
    items = (
        pystray.MenuItem(opens, lambda: open_window(address), default=True),
        pystray.MenuItem(quits, lambda: quit_server(address)),
    )
    icon = pystray.Icon("conspectus", draw_icon(64), NAME, pystray.Menu(*items))
    if type(icon).__module__ == "pystray._xorg":  # has no menu, and as of 0.19.5 does not listen for clicks
        listens = icon._window.get_attributes().your_event_mask | _BUTTON_PRESS
        icon._window.change_attributes(event_mask=listens)

    def end_with_server() -> None:
        sys.stdin.read()
        icon.stop()
        time.sleep(2)  # an icon that has not begun cannot be stopped
        os._exit(0)

    threading.Thread(target=end_with_server, daemon=True).start()
    try:
        icon.run()
    finally:
        os._exit(0)  # a thread of an icon that could not begin would wait for ever


if __name__ == "__main__":
    _run()
