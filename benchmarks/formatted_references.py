"""Are formatted references those of citeproc-js, the processor of Zotero and Mendeley?

    python benchmarks/formatted_references.py --citation-js FOLDER

FOLDER has citation-js, which wraps citeproc-js: `npm install @citation-js/core @citation-js/plugin-csl` in it. Works of
Crossref from `data/api_samples` are formatted by both in five styles; a reference is the same if its letters, digits
and signs are, apart from spaces, `&` (which citation-js loses) and the kind of quotation marks. The processor time of
both is told, and that of citeproc-py alone; without `--citation-js` only this.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import subprocess
import tempfile
import time
import warnings
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

from citeproc import Citation, CitationItem, CitationStylesBibliography, CitationStylesStyle
from citeproc.formatter import html
from citeproc.source.json import CiteProcJSON
from corpora import data_folder
from results import Figure, join_figures, store_figures

from conspectus.export.formats import STYLES
from conspectus.export.formatted_references import _installed_style, _item, format_references
from conspectus.parse.bibliography.records import metadata_of_service
from conspectus.parse.bibliography.services import describe_crossref
from conspectus.records import Paper

_NODE = """
const { plugins } = require("@citation-js/core"); require("@citation-js/plugin-csl");
const { Cite } = require("@citation-js/core"); const fs = require("fs");
const given = JSON.parse(fs.readFileSync(process.argv.at(-1), "utf-8")); const config = plugins.config.get("@csl");
const made = {};
for (const [name, file] of Object.entries(given.styles)) {
  config.styles.add(name, fs.readFileSync(file, "utf-8")); const began = process.cpuUsage();
  const told = { format: "text", style: name, lang: "en-US" };
  made[name] = given.items.map((item) => new Cite([item]).format("bibliography", told));
  const used = process.cpuUsage(began); made[name + " s"] = (used.user + used.system) / 1e6;
}
console.log(JSON.stringify(made));
"""
_SIGNS = re.compile(r"[\s“”\"'’‘&]")
_HIDDEN = str.maketrans({"\ue000": "&lt;", "\ue001": "&gt;", "\ue002": "&amp;"})


def papers() -> Iterator[Paper]:
    """The works, each once."""
    known: set[str] = set()
    with gzip.open(data_folder() / "api_samples" / "crossref.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            for work in _works(json.loads(line)):
                found = metadata_of_service(*describe_crossref(work))
                if found.title and found.doi not in known and len(known) < 300:
                    known.add(found.doi)
                    yield Paper(
                        **{field.name: getattr(found, field.name) for field in fields(found)}, id=f"p{len(known)}"
                    )


def _works(said: dict[str, Any]) -> list[dict[str, Any]]:
    try:
        message = json.loads(said["body"]).get("message", {})
    except ValueError:
        return []
    works = message.get("items", [message]) if isinstance(message, dict) else []
    return [work for work in works if "DOI" in work]


def _same(one: str, other: str) -> bool:
    return _SIGNS.sub("", one) == _SIGNS.sub("", other)


def compare_times(works: list[Paper]) -> Iterator[Figure]:
    """Processor time of all works in one list, next to that of citeproc-py alone for the same items and styles."""
    items = [_item(work, str(number)) for number, work in enumerate(works)]
    for style, name in STYLES.items():
        began = time.process_time()
        format_references(works, style)
        middle = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            source, whole = CiteProcJSON(items), CitationStylesStyle(str(_installed_style(name)), validate=False)
            alone = CitationStylesBibliography(whole, source, html)
            cited = [Citation([CitationItem(str(number))]) for number in range(len(works))]
            for one in cited:
                alone.register(one)
            for one in cited:
                alone.cite(one, lambda _: None)
            alone.sort()
            alone.bibliography()
        ours, peer = middle - began, time.process_time() - middle
        print(f"{style}: {len(works)} works in {ours:.2f} s; citeproc-py alone {peer:.2f} s, {peer / ours:.1f} times")
        yield Figure(
            f"Processor time of {len(works)} references in {style}, to citeproc-py alone", f"{ours / peer:.2f}"
        )


def main() -> None:
    """Compare, and print the shares and where they differ."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--citation-js", type=Path, metavar="FOLDER")
    folder = parser.parse_args().citation_js
    works = [*papers()]
    times = join_figures("Processor time of formatted references, to citeproc-py alone", [*compare_times(works)])
    store_figures("reference_time", "parsing", "python benchmarks/formatted_references.py", [times])
    if folder is None:
        return
    items = json.loads(json.dumps([_item(work, work.id) for work in works]).translate(_HIDDEN))
    styles = {name: str(_installed_style(style)) for name, style in STYLES.items()}
    with tempfile.NamedTemporaryFile("w", suffix=".json") as given:
        json.dump({"items": items, "styles": styles}, given)
        given.flush()
        called = ["node", "-e", _NODE, "--", given.name]
        peer = json.loads(subprocess.run(called, cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout)
    figures = []
    for style in STYLES:
        began = time.process_time()
        ours = [format_references([work], style)[0].text for work in works]
        took = time.process_time() - began
        differ = [(a, b.strip()) for a, b in zip(ours, peer[style], strict=True) if not _same(a, b)]
        share = f"{len(works) - len(differ)} of {len(works)}"
        print(f"{style}: {share} the same; {took:.1f} s, citeproc-js {peer[style + ' s']:.1f} s")
        for pair in differ[:4]:
            print(*(f"    {text}" for text in pair), sep="\n")
        figures.append(Figure(f"References in {style}, the same as of citeproc-js", share))
    store_figures(
        "formatted_references", "parsing", "python benchmarks/formatted_references.py --citation-js FOLDER", figures
    )


if __name__ == "__main__":
    main()
