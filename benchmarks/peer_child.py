"""One system in a process of its own: it reads the PDFs, then answers the questions; `peers.py` starts and watches it.

    python benchmarks/peer_child.py JOB.json

It runs in the environment of the system, so that it imports nothing of the others'. On standard output it says
`started` and `indexed`; the last line is a JSON object with what `peers.py` needs.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import sys
import time
from pathlib import Path
from typing import Any

WARM = 20
K = 10
DEEP = 100
"""Passages looked through for the first ten papers where a system ranks passages only."""

Found = list[tuple[str, str]]
"""Passages, best first: (stem of the paper's file, text)."""


class Conspectus:
    """By its public API with default settings; `passages` ranks with what `search` and `ask` rank with."""

    def __init__(self, job: dict[str, Any]) -> None:
        from conspectus import Filters, Library
        from conspectus.papers.retriever import make_retriever

        self._filters = Filters()
        self._retriever_of = make_retriever
        self._library = Library(job["folder"])

    def add(self, pdfs: list[Path]) -> None:
        report = self._library.add(list(pdfs))
        if report.failed or len(report.added) != len(pdfs):
            sys.exit(f"adding failed: {report}")

    def search(self, question: str) -> Any:
        return self._library.search(question, k=K)

    def passages(self, question: str, _: Any) -> Found:
        retriever = self._retriever_of(self._library.session)
        best = retriever.retrieve(
            retriever.encode(question, self._filters), self._filters, retriever.settings.candidates
        )[:K]
        stored = retriever.catalog.passages_by_key([one.key for one in best])
        papers = retriever.catalog.papers_by_key([one.paper_key for one in stored.values()])
        in_order = [stored[one.key] for one in best]
        return [(self._stem(papers[one.paper_key]), one.passage.text) for one in in_order]

    def papers(self, _: str, found: Any) -> list[str]:
        return [self._stem(hit.paper) for hit in found.hits]

    @staticmethod
    def _stem(paper: Any) -> str:
        return Path(paper.files[0].path).stem


class PaperQA:
    """PaperQA2 without a language model: citation, name and title are given, pictures are not described."""

    def __init__(self, job: dict[str, Any]) -> None:
        paperqa = importlib.import_module("paperqa")
        lmi = importlib.import_module("lmi")
        options = job["options"]
        self._docs = paperqa.Docs()
        self._embedder = lmi.embedding_model_factory(f"{options['embedding']}{job['model']}")
        sizes = {"chunk_chars": options["chars"], "overlap": options["overlap"]}
        self._settings = paperqa.Settings(
            parsing={
                "use_doc_details": False,
                "multimodal": False,
                "parse_pdf": f"{options['reader']}.parse_pdf_to_pages",
                "reader_config": sizes,
            }
        )
        self._loop = asyncio.new_event_loop()

    def add(self, pdfs: list[Path]) -> None:
        for path in pdfs:
            name = path.stem
            added = self._docs.aadd(
                path, citation=name, docname=name, title=name, settings=self._settings, embedding_model=self._embedder
            )
            if not self._loop.run_until_complete(added):
                sys.exit(f"adding failed: {path}")

    def search(self, question: str, k: int = K) -> Any:
        found = self._docs.retrieve_texts(question, k, self._settings, self._embedder)
        return self._loop.run_until_complete(found)

    def passages(self, _: str, found: Any) -> Found:
        return [(text.doc.docname, text.text) for text in found]

    def papers(self, question: str, _: Any) -> list[str]:
        return list(dict.fromkeys(text.doc.docname for text in self.search(question, DEEP)))[:K]


class Haiku:
    """haiku.rag with its own chunks and its hybrid search; the text is pypdfium2's, for docling wants weights."""

    def __init__(self, job: dict[str, Any]) -> None:
        client = importlib.import_module("haiku.rag.client")
        config = importlib.import_module("haiku.rag.config")
        chunkers = importlib.import_module("haiku.rag.chunkers")
        self._docling = importlib.import_module("docling_core.types.doc")
        self._pdfium = importlib.import_module("pypdfium2")
        own = config.AppConfig.model_validate(
            {
                "embeddings": {"model": {"provider": "sentence-transformers", "name": job["model"], "vector_dim": 384}},
                "processing": {"chunking_tokenizer": job["model"], "pictures": "none"},
            }
        )
        self._chunker = chunkers.get_chunker(own)
        self._loop = asyncio.new_event_loop()
        self._client = client.HaikuRAG(Path(job["folder"]) / "haiku.lancedb", config=own, create=True)
        self._loop.run_until_complete(self._client.__aenter__())

    def _read(self, path: Path) -> Any:
        document = self._docling.DoclingDocument(name=path.stem)
        pdf = self._pdfium.PdfDocument(path)
        for page in pdf:
            text = page.get_textpage().get_text_bounded()
            document.add_text(label=self._docling.DocItemLabel.TEXT, text=text)
        pdf.close()
        return document

    def add(self, pdfs: list[Path]) -> None:
        async def one(path: Path) -> None:
            document = self._read(path)
            chunks = await self._chunker.chunk(document)
            await self._client.import_document(document, chunks, uri=path.stem, title=path.stem)

        for path in pdfs:
            self._loop.run_until_complete(one(path))

    def search(self, question: str, k: int = K) -> Any:
        return self._loop.run_until_complete(self._client.search(question, limit=k))

    def passages(self, _: str, found: Any) -> Found:
        return [(one.document_uri, one.content) for one in found]

    def papers(self, question: str, _: Any) -> list[str]:
        return list(dict.fromkeys(one.document_uri for one in self.search(question, DEEP)))[:K]


SYSTEMS = {"conspectus": Conspectus, "paperqa": PaperQA, "haiku": Haiku}


def say(mark: str) -> None:
    print(mark, flush=True)


def main() -> None:
    """Start, add, search; what came out goes to standard output."""
    job = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    questions: list[str] = job["questions"]
    begun = time.perf_counter()
    system: Any = SYSTEMS[job["system"]](job)
    started = time.perf_counter()
    say("started")
    system.add([Path(path) for path in job["pdfs"]])
    system.search(questions[0])
    indexed = time.perf_counter()
    say("indexed")
    for question in questions[:WARM]:
        system.search(question)
    took, found, used = [], [], time.process_time()
    for question in questions:
        before = time.perf_counter()
        found.append(system.search(question))
        took.append(time.perf_counter() - before)
    used = (time.process_time() - used) / len(questions)
    answers = [
        {"passages": system.passages(question, results), "papers": system.papers(question, results)}
        for question, results in zip(questions, found, strict=True)
        if job["answers"]
    ]
    seconds = {"start": started - begun, "index": indexed - started, "took": took, "search_cpu": used}
    say(json.dumps(seconds | {"answers": answers}))


if __name__ == "__main__":
    main()
