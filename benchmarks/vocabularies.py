"""Vocabularies: seconds, memory and counts of the shared ones and of 400,000 names.

    PYTHONPATH=src python benchmarks/vocabularies.py

Each is added in its own process, with its child, and once more; peaks are of resident memory. The program `zstd`
unpacks UBERON, CL and MONDO.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DATA = Path(os.environ.get("CONSPECTUS_DATA", "../shared/data"))
NAMES, SECONDS, MEGABYTES, QUESTION = 400_000, 60.0, 1000.0, 0.5
TOLD = {"nifstd": "19,433", "UAT": "2,372", "MESH": "28,470", "UBERON": "14,971", "CL": "3,324", "MONDO": "27,990"}
"""Concepts, as the READMEs of the data count them: of NIFSTD those with a label, of the last three active ones."""


def peak(who: int) -> float:
    """The greatest resident memory so far, in MB."""
    return resource.getrusage(who).ru_maxrss / 1024


def child(kind: str, *words: str) -> Any:
    """What a process of its own tells."""
    command = [sys.executable, __file__, kind, *words]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1])


def added(path: str, name: str) -> dict[str, Any]:
    """A vocabulary added to a new library, and added again."""
    from conspectus import Library

    with tempfile.TemporaryDirectory() as folder, Library(folder) as library:
        begun = time.perf_counter()
        (found,) = library.vocabularies.add(path, name=name).vocabularies
        seconds, begun = time.perf_counter() - begun, time.perf_counter()
        (again,) = library.vocabularies.add(path, name=name).vocabularies
        assert (found.outcome, again.outcome) == ("added", "unchanged"), (found, again)
        told = {"concepts": found.concepts, "names": found.names, "left_out": found.left_out}
        told |= {"missing": len(found.missing), "deprecated": _deprecated(library)}
        times = {"seconds": seconds, "again": time.perf_counter() - begun}
    return told | times | {"parent": peak(resource.RUSAGE_SELF), "child": peak(resource.RUSAGE_CHILDREN)}


def asked(path: str) -> dict[str, float]:
    """Seconds of `link` in a library with these names, and of what the graph adds to a process's first search."""
    with tempfile.TemporaryDirectory() as folder:
        texts = [f"# Paper {one}\n\nIn nucleus of region {one} in part {one} cells grow.\n" for one in range(200)]
        for number, text in enumerate(texts):
            (Path(folder) / f"{number}.md").write_text(text, "utf-8")
        from conspectus import Library

        with Library(Path(folder) / "lib") as library:
            library.add([folder])
            library.vocabularies.add(path, name="large")
            begun = time.perf_counter()
            library.graph.link()
            told = {"link": time.perf_counter() - begun}
        told |= child("question", str(Path(folder) / "lib"))
        kept = sum(one.stat().st_size for one in (Path(folder) / "lib" / "linking").iterdir()) / 1e6
        return told | {"megabytes": kept, "link again": child("link", str(Path(folder) / "lib"))}


def question(folder: str) -> dict[str, float]:
    """The same search without the graph, with it, and with it once more, in a process that has just begun."""
    from conspectus import Library

    def timed(**more: Any) -> float:
        begun = time.perf_counter()
        assert library.search("Does the layer of region 7 in part 7 have cells?", **more)
        return time.perf_counter() - begun

    with Library(folder) as library:
        graph = {"settings": {"search.graph": "subgraph"}}
        timed()
        plain, first = timed(), timed(**graph)
        return {"plain": plain, "with graph": first, "once more": timed(**graph)}


def linked_again(folder: str) -> float:
    """Seconds until papers that came since are linked."""
    from conspectus import Library

    with Library(folder) as library, tempfile.TemporaryDirectory() as place:
        (Path(place) / "new.md").write_text("# New\n\nIn nucleus of region 3 in part 3 cells grow.\n", "utf-8")
        library.add([place])
        begun = time.perf_counter()
        assert library.graph.link().linked == 1
        return time.perf_counter() - begun


def _deprecated(library: Any) -> int:
    from sqlalchemy import func, select

    from conspectus.store.graph_tables import concepts

    return int(library.session.catalog.scalar(select(func.count()).where(concepts.c.deprecated)))


def turtle(names: int) -> Iterator[str]:
    """An ontology of so many names, four of each class."""
    yield "@prefix o: <http://www.w3.org/2002/07/owl#> . @prefix r: <http://www.w3.org/2000/01/rdf-schema#> .\n"
    yield "@prefix s: <http://www.geneontology.org/formats/oboInOwl#> .\n"
    yield "@prefix b: <http://purl.obolibrary.org/obo/> .\n"
    for one in range(names // 4):
        words = [f'"{kind} of region {one % 997} in part {one}"' for kind in ("nucleus", "layer", "field", "tract")]
        yield f"b:X_{one} a o:Class ; r:label {words[0]} ; s:hasExactSynonym {', '.join(words[1:])} ; "
        yield f"r:subClassOf b:X_{one // 10} .\n"


def obo(held: dict[str, Any]) -> Iterator[str]:
    """The same ontology as OBO."""
    yield "format-version: 1.4\nontology: x\n"
    for name, said in held.items():
        if not said["label"]:
            continue
        yield f"\n[Term]\nid: {name}\nname: {said['label']}\n"
        for word in said.get("synonyms") or ():
            text = word.replace("\\", "\\\\").replace('"', '\\"')
            yield f'synonym: "{text}" EXACT []\n'
        if said.get("deprecated"):
            yield "is_obsolete: true\n"


def shared(folder: Path) -> Iterator[tuple[str, Path]]:
    """The vocabularies of the shared data by their names."""
    yield "nifstd", DATA / "nifstd" / "nifstd_ttl.tar.xz"
    yield "UAT", DATA / "uat" / "UAT.rdf.xz"
    yield "MESH", DATA / "mesh2017" / "mesh_tree_2017.tsv"
    for packed in sorted((DATA / "obo_json").glob("*.zst")):
        name = packed.name.partition("-")[0]
        place = folder / f"{name}.json"
        subprocess.run(["zstd", "-qdf", str(packed), "-o", str(place)], check=True)
        yield name, place
        if name == "MONDO":
            (folder / "MONDO.obo").write_text("".join(obo(json.loads(place.read_text()))), "utf-8")
            yield "MONDO.obo", folder / "MONDO.obo"


def main() -> None:
    """Print a line a vocabulary, and the limits."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        print(f"{'':10} {'s':>6} {'again':>6} {'parent':>7} {'child':>6} MB  concepts (told)")
        for name, path in shared(folder):
            show(name, child("add", str(path), name), TOLD.get(name, ""))
        (folder / "large.ttl").write_text("".join(turtle(NAMES)), "utf-8")
        large = child("add", str(folder / "large.ttl"), "large")
        show("large", large)
        ratio, memory = large["seconds"] / SECONDS, max(large["parent"], large["child"]) / MEGABYTES
        print(f"400,000 names: {ratio:.2f} of {SECONDS:.0f} s, {memory:.2f} of {MEGABYTES:.0f} MB")
        told = child("ask", str(folder / "large.ttl"))
        print(", ".join(f"{name} {value:.2f}" for name, value in told.items()))
        print(f"what the graph adds to a first search: {told['with graph'] - told['plain']:.2f} of {QUESTION} s")


def show(name: str, one: dict[str, Any], told: str = "") -> None:
    """A line of the table."""
    print(
        f"{name:10} {one['seconds']:6.2f} {one['again']:6.2f} {one['parent']:7.0f} {one['child']:6.0f}     "
        f"{one['concepts']:,} ({told or '–'}), {one['deprecated']:,} deprecated, {one['names']:,} names, "
        f"{one['left_out']} left out, {one['missing']} imports missing",
        flush=True,
    )


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["add", path, name]:
            print(json.dumps(added(path, name)))
        case ["ask", path]:
            print(json.dumps(asked(path)))
        case ["question", folder]:
            print(json.dumps(question(folder)))
        case ["link", folder]:
            print(json.dumps(linked_again(folder)))
        case _:
            main()
