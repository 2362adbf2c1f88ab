"""A GGUF file, run by llama.cpp in this process (package `xllamacpp`).

llama.cpp's own server is used, on a free port of the loopback with a key made for it, so that no other user of the
machine can call it; it is spoken to as any server with OpenAI's language is. Its own calls from Python return whole
answers only and cannot be cancelled.
"""

from __future__ import annotations

import gc
import importlib.util
import secrets
import threading
from pathlib import Path
from typing import Any

from conspectus.core.disk import open_file
from conspectus.core.errors import ModelDamagedError, ModelMissingError, ServiceError
from conspectus.models.languages.backend import ModelFacts, ServiceLabel
from conspectus.models.languages.compatible import CompatibleBackend
from conspectus.models.store import fingerprint
from conspectus.settings import LanguageSettings, Secret

MAGIC = b"GGUF"
SLOTS = 4
"""Calls that llama.cpp computes beside each other, at most; each has the whole context."""
CONTEXT = 8192
"""Tokens of a context, where neither the setting nor the file asks for less: its memory grows with it."""


class LocalBackend(CompatibleBackend):
    """A model in a file; it is loaded at its first call, and its memory is given back when it is closed.

    Raises:
        ModelMissingError: the file or the package is not there.
        ModelDamagedError: the file is no GGUF file.
    """

    doubtful = False
    free = True

    def __init__(self, path: Path, settings: LanguageSettings) -> None:
        _check(path)
        self._path = path
        self._settings = settings
        self._server: Any = None
        self._loading = threading.Lock()
        self._hash = fingerprint([path])
        super().__init__("http://127.0.0.1", path.name, Secret())
        self.place = f"local {self._hash}"
        self.at_once = min(SLOTS, settings.concurrency)

    @property
    def id(self) -> str:
        """`local:` with the file's name and a hash of its size, beginning and end."""
        return f"local:{self._path.name}/{self._hash}"

    @property
    def label(self) -> ServiceLabel:
        """See `Backend`."""
        return ServiceLabel(f"'local:{self._path}'", "", self.key.reveal(), f"'{self._path}'", "this process")

    def facts(self) -> ModelFacts:
        """What llama.cpp tells; the file is loaded for it."""
        self._start()
        return super().facts()

    def open(self) -> None:
        """See `Backend`. Loads the file."""
        self._start()

    def close(self) -> None:
        """Stop llama.cpp and give its memory back."""
        with self._loading:
            self._server = None
            gc.collect()  # its end is the end of its only reference

    def _start(self) -> None:
        with self._loading:
            if self._server is None:
                self.key = Secret(secrets.token_urlsafe(32))
                self._server = self._load()
                self.url = f"{self._server.listening_address}/v1"

    def _load(self) -> Any:
        import xllamacpp

        params = xllamacpp.CommonParams()
        params.model.path = str(self._path)
        params.hostnames, params.port = ["127.0.0.1"], 0
        params.api_keys = [self.key.reveal()]
        params.n_parallel = self.at_once
        params.n_ctx = self.at_once * (self._settings.context or CONTEXT)
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = self._settings.threads or -1
        params.cpuparams.poll = params.cpuparams_batch.poll = 0  # threads that wait leave the processor to others
        params.ui = False
        params.verbosity = -1  # it writes to the terminal
        try:
            return xllamacpp.Server(params)
        except Exception as error:
            what = f"llama.cpp cannot load '{self._path}': {error}."
            raise ServiceError(what, "The file may be damaged, too new for it, or too large for the memory.") from error


def _check(path: Path) -> None:
    if importlib.util.find_spec("xllamacpp") is None:
        raise ModelMissingError(
            "Models in files need llama.cpp, which is not installed.", "Install it: pip install 'conspectus[local]'"
        )
    try:
        with open_file(path) as file:
            magic = file.read(len(MAGIC))
    except OSError as error:
        raise ModelMissingError(
            f"The language model '{path}' cannot be read: {error.strerror or error}.",
            "Write the path of a GGUF file: local:FILE.gguf",
        ) from error
    if magic != MAGIC:
        raise ModelDamagedError(f"'{path}' is no GGUF file.", "Write the path of a GGUF file: local:FILE.gguf")
