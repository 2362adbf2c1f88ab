"""A server on loopback for as long as a test needs it."""

import contextlib
import socketserver
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
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
def serve_handler(handler: type[QuietHandler]) -> Iterator[str]:
    """Yields the address, `http://127.0.0.1:PORT`."""
    with _Server(("127.0.0.1", 0), handler) as http:
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{http.server_address[1]}"
        finally:
            http.shutdown()
            thread.join()


@dataclass
class Heard:
    """What came in at a port: `port`, and the bytes of each connection, whatever language they speak."""

    port: int = 0
    said: list[bytes] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def holds(self, secret: str) -> bool:
        """Whether the secret came over the wire."""
        return any(secret.encode() in one for one in self.said)


@contextlib.contextmanager
def record_connections() -> Iterator[Heard]:
    """A port that notes whoever connects and what they say first, and answers as a server that is broken."""
    heard = Heard()

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            number = len(heard.said)
            heard.said.append(b"")
            self.request.settimeout(0.3)
            with contextlib.suppress(OSError):
                while part := self.request.recv(65536):
                    heard.said[number] += part
            with contextlib.suppress(OSError):
                self.request.sendall(b"HTTP/1.1 404 no\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}")

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True
        allow_reuse_address = True

    with Server(("127.0.0.1", 0), Handler) as server:
        heard.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield heard
        finally:
            server.shutdown()
            thread.join()
