"""Other parsers on the same files: words of the body, order, hyphens, running heads, CPU time.

Run `python benchmarks/parsing_peers.py --python /somewhere/bin/python`, an interpreter of its own in which some of
pdfminer.six, pypdf, pymupdf4llm, docling-parse, kreuzberg and pdf-oxide are installed; they are no dependencies.
`pdftotext` is used where it is on the path. Each parser reads each file in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import time
from pathlib import Path

from parsing import bare_extraction, document_text
from parsing_measures import Measures, compare_text
from parsing_truth import Truth, default_data, real_truths, typeset_truths

from conspectus.parse.pdf.reader import read_pdf

SNIPPETS = {
    "pdfminer.six": "from pdfminer.high_level import extract_text; text = extract_text(path)",
    "pypdf": "from pypdf import PdfReader; text = '\\n'.join(page.extract_text() for page in PdfReader(path).pages)",
    "pymupdf4llm": "import pymupdf4llm; text = pymupdf4llm.to_markdown(path, show_progress=False)",
    "docling-parse": (
        "from docling_parse.pdf_parser import DoclingPdfParser\n"
        "text = '\\n'.join(cell.text for _, page in DoclingPdfParser().load(path).iterate_pages()"
        " for cell in page.iterate_cells(unit_type=__import__('docling_core.types.doc.page', fromlist=['x'])"
        ".TextCellUnit.LINE))"
    ),
    "kreuzberg": "import kreuzberg; text = kreuzberg.extract_file_sync(path).content",
    "pdf-oxide": (
        "import pdf_oxide; d = pdf_oxide.PdfDocument(path)\n"
        "text = '\\n'.join(d.extract_text(i) for i in range(d.page_count()))"
    ),
}
AROUND = """
import json, sys, resource
path = sys.argv[1]
{}
used = resource.getrusage(resource.RUSAGE_SELF)
json.dump([text, used.ru_utime + used.ru_stime], open(sys.argv[2], "w"))
"""


def read_by(name: str, python: str, path: Path) -> tuple[str, float]:
    """The text and the CPU seconds (with start and imports), or an empty text where the parser failed."""
    if name == "conspectus":
        begin = time.process_time()
        return document_text(read_pdf(path)), time.process_time() - begin
    if name == "pypdfium2":
        begin = time.process_time()
        return bare_extraction(path), time.process_time() - begin
    if name == "pdftotext":
        done = subprocess.run(["pdftotext", str(path), "-"], capture_output=True, check=False)
        return done.stdout.decode("utf-8", "replace"), 0.0
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        program = AROUND.format(SNIPPETS[name])
        done = subprocess.run(
            [python, "-c", program, str(path), out.name], capture_output=True, check=False, timeout=600
        )
        if done.returncode:
            print(f"{name} {path.name}: {done.stderr.decode('utf-8', 'replace').strip().splitlines()[-1:]}")
            return "", 0.0
        text, seconds = json.loads(Path(out.name).read_text())
        return text, seconds


def measure(name: str, python: str, truths: list[Truth]) -> tuple[Measures, float]:
    sums, total = Measures(), 0.0
    for truth in truths:
        text, seconds = read_by(name, python, truth.path)
        total += seconds
        compare_text(truth, text, bare_extraction(truth.path), sums)
    return sums, total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default="", help="the interpreter that has the other parsers")
    parser.add_argument("--data", type=Path, default=default_data(), help="the folder with pdf_jose")
    parser.add_argument("--only", default="", help="one parser")
    arguments = parser.parse_args()
    names = ["conspectus", "pypdfium2", "pdftotext", *(SNIPPETS if arguments.python else ())]
    with tempfile.TemporaryDirectory() as folder:
        sets = {
            "typeset": list(typeset_truths()),
            "scrambled": list(typeset_truths(Path(folder))),
            "jose": [truth for truth in real_truths(arguments.data) if truth.paragraphs],
        }
        print("| parser | set | words | order | heads gone | hyphens mended | kept | CPU-s |")
        print("| --- | --- | --- | --- | --- | --- | --- | --- |")
        for name in names:
            for kind, truths in sets.items():
                if arguments.only in ("", name):
                    found, seconds = measure(name, arguments.python, truths)
                    shares = (found.words, found.order, found.furniture, found.mended, found.kept)
                    figures = " | ".join(f"{share.value:.3f}" for share in shares)
                    print(f"| {name} | {kind} | {figures} | {seconds:.1f} |", flush=True)


if __name__ == "__main__":
    main()
