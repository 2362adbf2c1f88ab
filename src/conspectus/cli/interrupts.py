"""Ctrl-C that is always heard: a second one, or SIGTERM, ends the process also where it does not end by itself.

Python raises `KeyboardInterrupt` when the main thread is next between two of its own instructions, and what then cleans
up may wait for threads: either may take minutes. A thread of its own hears every signal at once.
"""

from __future__ import annotations

import _thread
import os
import signal
import socket
import sys
import threading
import time
from contextlib import suppress
from types import FrameType

from conspectus.cli import stop

INTERRUPTED = 130
TERMINATED = 143
KEPT = "What is committed is kept, and the same command goes on from there."
GRACE = 1.0
"""Seconds that the second Ctrl-C leaves to end in an orderly way."""
AFTER = 0.05
"""Seconds after which a finaliser is over."""
SLOW = 1.5
"""Seconds after the first Ctrl-C after which it is said that one more leaves at once."""
_SHOW_CURSOR = "\x1b[?25h"


class _Listener:
    """Counts the signals that ask to leave; see `listen` and `settle`."""

    def __init__(self) -> None:
        self.terminated = False
        self.grace = GRACE
        self._signal_count = 0
        self._sender, self._receiver = socket.socketpair()
        for end in (self._sender, self._receiver):
            end.setblocking(False)
        self._receiver.setblocking(True)

    def begin(self) -> None:
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, _leave_unbegun)
        signal.set_wakeup_fd(self._sender.fileno(), warn_on_full_buffer=False)
        if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            signal.signal(signal.SIGTERM, _terminate)
        threading.Thread(target=self._listen, name="signals", daemon=True).start()

    def settle(self) -> None:
        self._signal_count = 0

    def repeat(self) -> None:
        """Send the signal again that Python has lost: it counts once."""
        self._signal_count -= 1
        if os.name == "posix":  # what the main thread waits for ends
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        else:
            _thread.interrupt_main()

    def _listen(self) -> None:
        while number := self._receiver.recv(1):
            if number[0] == signal.SIGTERM:
                self._signal_count += 2
            elif number[0] == signal.SIGINT:
                self._signal_count += 1
            if self._signal_count > 1:
                threading.Thread(target=self._leave, args=(number[0],), daemon=True).start()
            elif self._signal_count:
                threading.Thread(target=self._say, daemon=True).start()

    def _say(self) -> None:
        time.sleep(SLOW)
        if self._signal_count == 1:
            with suppress(OSError, ValueError):
                os.write(2, b"\nStopping; Ctrl-C again leaves at once.\n")

    def _leave(self, number: int) -> None:
        time.sleep(self.grace if number == signal.SIGTERM else GRACE)
        if self._signal_count < 2:
            return
        with suppress(OSError, ValueError):
            cursor = _SHOW_CURSOR if sys.stderr.isatty() else ""
            os.write(2, f"{cursor}\nerror: Stopped at once. {KEPT}\n".encode())
        os._exit(TERMINATED if number == signal.SIGTERM else INTERRUPTED)


_listeners: list[_Listener] = []


def listen() -> None:
    """From now on the process leaves at the latest `GRACE` seconds after the second Ctrl-C, or SIGTERM (`allow`).

    Where signals are ignored, as `nohup` has it, they stay so.
    """
    with suppress(ValueError, OSError):  # not the main thread, or no such thing on this system
        listener = _Listener()
        listener.begin()
        _listeners.append(listener)
        _keep_interrupts()


def _keep_interrupts() -> None:
    """A Ctrl-C that comes within a finaliser, where Python drops exceptions, is heard again after it."""
    before = sys.unraisablehook

    def hook(lost: sys.UnraisableHookArgs) -> None:
        if isinstance(lost.exc_value, KeyboardInterrupt):
            for listener in _listeners:
                threading.Timer(AFTER, listener.repeat).start()
        else:
            before(lost)

    sys.unraisablehook = hook


def work() -> None:
    """From now on there may be something to clean up after Ctrl-C, as Python has it; till then it leaves at once."""
    if signal.getsignal(signal.SIGINT) is _leave_unbegun:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def allow(seconds: float) -> None:
    """How long the process may take from SIGTERM to its end, instead of `GRACE`: a server answers whom it began to."""
    for listener in _listeners:
        listener.grace = seconds


def settle() -> None:
    """Ctrl-C was meant for something less than the process, and has been obeyed."""
    for listener in _listeners:
        listener.settle()


def is_terminated() -> bool:
    """Whether SIGTERM was heard: the system, or whoever watches the process, wants it to end."""
    return any(listener.terminated for listener in _listeners)


def _leave_unbegun(_number: int, _frame: FrameType | None) -> None:
    """While modules are imported: what they make of an exception in their midst is not known."""
    stop()


def _terminate(_number: int, _frame: FrameType | None) -> None:
    for listener in _listeners:
        listener.terminated = True
    raise KeyboardInterrupt
