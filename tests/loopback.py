"""A server on loopback for as long as a test needs it."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class QuietHandler(BaseHTTPRequestHandler):
    """Logs nothing; callers that leave in the middle are no fault of the server's."""

    def send(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        """One whole answer; `_` in the name of a header stands for `-`."""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        with contextlib.suppress(OSError):
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass

    def finish(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            super().finish()


class _Server(ThreadingHTTPServer):
    request_queue_size = 256
    daemon_threads = True
    block_on_close = False

    def handle_error(self, *_: object) -> None:
        pass


@contextlib.contextmanager
def listening(handler: type[QuietHandler]) -> Iterator[str]:
    """Yields the address, `http://127.0.0.1:PORT`."""
    with _Server(("127.0.0.1", 0), handler) as http:
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{http.server_address[1]}"
        finally:
            http.shutdown()
            thread.join()
