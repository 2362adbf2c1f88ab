"""One retrieval system in a process of its own: it takes the records, then answers what it is asked, as often as it is
asked; `retrieval_peers.py` starts it.

    python benchmarks/retrieval_peer_child.py JOB.json

It runs in the environment of the system, so that it imports nothing of the others'. When the corpus is in, it writes a
line of JSON; then one for each line `{"questions": [...], "k": 10}` that it reads, until there are no more.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.metadata
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

Records = list[dict[str, str]]
"""The papers: `id`, `title`, `abstract`."""


def text_of(record: dict[str, str]) -> str:
    """What a peer is given of a paper, in one piece."""
    return f"{record.get('title', '')}\n{record.get('abstract', '')}".strip()


class Conspectus:
    """By its public API with default settings; the signs of a question are text, as in `conspectus eval`."""

    packages = ("conspectus", "faiss-cpu", "tantivy", "onnxruntime")

    def __init__(self, job: dict[str, Any]) -> None:
        from conspectus import Library

        self._library = Library(Path(job["folder"]) / "conspectus")
        self._job = job

    def add(self, records: Records) -> dict[str, Any]:
        report = self._library.add([Path(self._job["records"])])
        if report.failed or any(row.reason for row in report.rows):
            sys.exit(f"adding failed: {report}")
        libraries = importlib.import_module("conspectus.evals.libraries")
        counts = self._library.status().counts
        held = {"given": len(records), "papers": counts["papers"], "passages": counts["passages"]}
        if held["papers"] > held["given"]:
            sys.exit(f"The library in '{self._job['folder']}' holds other papers, too: {held}")
        return {"aliases": libraries.aliases(self._library, "", self._job["wanted"])} | held

    def search(self, question: str, k: int) -> Any:
        return self._library.search(question, k, plain=True)

    def names(self, found: Any) -> list[str]:
        return [hit.paper.external_id for hit in found.hits]


class Bm25s:
    """bm25s as its documentation shows it: English stop words, Snowball's stemmer, the class's own parameters."""

    packages = ("bm25s", "PyStemmer", "numpy")

    def __init__(self, job: dict[str, Any]) -> None:
        del job
        self._bm25s = importlib.import_module("bm25s")
        self._stemmer = importlib.import_module("Stemmer").Stemmer("english")
        self._index = self._bm25s.BM25()
        self._ids: list[str] = []

    def _tokens(self, texts: str | list[str]) -> Any:
        return self._bm25s.tokenize(texts, stopwords="en", stemmer=self._stemmer, show_progress=False)

    def add(self, records: Records) -> dict[str, Any]:
        self._ids = [record["id"] for record in records]
        self._index.index(self._tokens([text_of(record) for record in records]), show_progress=False)
        return {}

    def search(self, question: str, k: int) -> Any:
        return self._index.retrieve(self._tokens(question), k=min(k, len(self._ids)), show_progress=False)

    def names(self, found: Any) -> list[str]:
        """Without those that share no word with the question: it fills up with them."""
        ranked = zip(found.documents[0], found.scores[0], strict=True)
        return [self._ids[number] for number, score in ranked if score > 0]


class PaperQA:
    """PaperQA2's `Docs.retrieve_texts`: each abstract a document of one passage, which it embeds itself.

    Vectors are kept, and given to it as `Text.embedding` in later runs. Its embedder for `st-` is one call of
    `SentenceTransformer.encode`, so it shares them with `Flat` (made by both for 60 abstracts, they were equal to the
    last bit).
    """

    packages = ("paper-qa", "sentence-transformers", "torch", "numpy")

    def __init__(self, job: dict[str, Any]) -> None:
        self._paperqa = importlib.import_module("paperqa")
        lmi = importlib.import_module("lmi")
        prefix = job["options"]["embedding"]
        self._kept = Path(job["folder"]) / ("vectors.npy" if prefix == "st-" else f"{prefix}vectors.npy")
        self._docs = self._paperqa.Docs()
        self._embedder = lmi.embedding_model_factory(f"{prefix}{job['model']}")
        self._settings = self._paperqa.Settings(
            parsing={"use_doc_details": False, "multimodal": False, "defer_embedding": True}
        )
        self._loop = asyncio.new_event_loop()

    def add(self, records: Records) -> dict[str, Any]:
        numpy = importlib.import_module("numpy")
        types = importlib.import_module("paperqa.types")
        kept = numpy.load(self._kept).tolist() if self._kept.exists() else [None] * len(records)
        for record, vector in zip(records, kept, strict=True):
            name = record["id"]
            doc = types.Doc(docname=name, dockey=name, citation=name, content_hash=name)
            texts = [types.Text(text=text_of(record), name=name, doc=doc, embedding=vector)]
            if not self._loop.run_until_complete(self._docs.aadd_texts(texts, doc, self._settings)):
                sys.exit(f"adding failed: {name}")
        self.search(text_of(records[0]), 1)
        if not self._kept.exists():
            numpy.save(self._kept, numpy.array([text.embedding for text in self._docs.texts], numpy.float32))
        return {}

    def search(self, question: str, k: int) -> Any:
        found = self._docs.retrieve_texts(question, k, self._settings, self._embedder)
        return self._loop.run_until_complete(found)

    def names(self, found: Any) -> list[str]:
        return [text.doc.docname for text in found]


class Flat:
    """sentence-transformers, whose vectors have the length 1 with this model, and FAISS's `IndexFlatIP`."""

    packages = ("sentence-transformers", "faiss-cpu", "torch", "numpy")

    def __init__(self, job: dict[str, Any]) -> None:
        self._faiss = importlib.import_module("faiss")
        library = importlib.import_module("sentence_transformers")
        self._kept = Path(job["folder"]) / "vectors.npy"
        self._model = library.SentenceTransformer(job["model"], device="cpu")
        self._ids: list[str] = []
        self._index: Any = None

    def _vectors(self, texts: list[str]) -> Any:
        return self._model.encode(texts, convert_to_numpy=True, show_progress_bar=False)

    def add(self, records: Records) -> dict[str, Any]:
        numpy = importlib.import_module("numpy")
        self._ids = [record["id"] for record in records]
        if not self._kept.exists():
            numpy.save(self._kept, self._vectors([text_of(record) for record in records]))
        vectors = numpy.load(self._kept)
        self._index = self._faiss.IndexFlatIP(vectors.shape[1])
        self._index.add(vectors)
        encoded = self._model.tokenizer([text_of(record) for record in records], truncation=False, verbose=False)
        most = self._model.max_seq_length
        return {"cut": sum(len(ids) > most for ids in encoded["input_ids"]), "max_tokens": most}

    def search(self, question: str, k: int) -> Any:
        return self._index.search(self._vectors([question]), min(k, len(self._ids)))

    def names(self, found: Any) -> list[str]:
        return [self._ids[number] for number in found[1][0]]


SYSTEMS = {"conspectus": Conspectus, "bm25s": Bm25s, "paperqa": PaperQA, "flat": Flat}


def asked(system: Any, questions: list[str], k: int) -> dict[str, Any]:
    """What was found, best first; seconds for each question, and CPU seconds for all."""
    took, found, used = [], [], time.process_time()
    for question in questions:
        before = time.perf_counter()
        found.append(system.search(question, k))
        took.append(time.perf_counter() - before)
    used = time.process_time() - used
    return {"rankings": [system.names(one) for one in found], "took": took, "cpu": used}


def main() -> None:
    """Start, add, then search for each line that comes."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what libraries print belongs to the log
    job = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    system: Any = SYSTEMS[job["system"]](job)
    with Path(job["records"]).open(encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    begun = time.perf_counter()
    told = system.add(records)
    versions = {name: importlib.metadata.version(name) for name in system.packages}
    print(json.dumps(told | {"index": time.perf_counter() - begun, "versions": versions}), file=out, flush=True)
    for line in sys.stdin:
        order = json.loads(line)
        print(json.dumps(asked(system, order["questions"], order["k"])), file=out, flush=True)


if __name__ == "__main__":
    main()
