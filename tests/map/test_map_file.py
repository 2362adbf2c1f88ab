"""A map as a file of its own: all of it is there, and nothing that a paper says runs in it."""

import gzip
import json
import re
from base64 import b64decode
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from conspectus import Library
from conspectus.cli.app import app
from conspectus.wire import html
from helpers import catalog_flags, open_library, write_jsonl

BAD = "</script><img src=x onerror=alert(1)> of eels"


@pytest.fixture
def library(tmp_path: Path, quick_pool: None) -> Iterator[Library]:
    records = [
        {
            "id": f"p{n}",
            "title": f"{n}",
            "abstract": f"Eels {n} swim at night.",
            "year": 1990 + n,
            "authors": ["Payne, C"],
        }
        for n in range(12)
    ]
    with open_library(tmp_path / "<b>lib") as library:
        library.add(write_jsonl(tmp_path / "a.jsonl", records))
        for paper in library.papers():
            library.edit(paper.id, {"title": f"{BAD} {paper.title}"})  # readers take markup out of titles
        library.map.build(method="pca")
        yield library


@pytest.fixture
def written(library: Library, tmp_path: Path) -> Callable[..., tuple[str, Any]]:
    """What `map --to` writes, and the run."""

    def written(*words: str) -> tuple[str, Any]:
        flags = [f"--set={name}={value}" for name, value in catalog_flags(library.folder).items()]
        path = tmp_path / "map.html"
        done = CliRunner().invoke(
            app, [*flags, "--library", str(library.folder), "map", "show", "--to", str(path), *words]
        )
        assert done.exit_code == 0, done.output
        assert f"Wrote {path}" in done.stdout.splitlines(), "else one would look for what is there"
        return path.read_text("utf-8"), done

    return written


def test_all_of_the_map_is_in_the_file(
    library: Library, written: Callable[..., tuple[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who is sent it would see less than there is, or a title would run there as a program."""
    for name, text in (("map.js", "draw()"), ("map.css", "b{}")):
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(html, "BUNDLE", tmp_path)
    text, done = written("--overlay", "author:Payne")
    assert "draw()" in text and "b{}" in text and html.STILL not in done.stderr
    assert "onerror" not in text and "<b>lib" not in text and "default-src 'none'" in text
    assert not re.findall(r"(?:src|href)=|https?:", text)
    packed = re.search(r'id="map">([^<]+)<', text)
    assert packed
    whole = json.loads(gzip.decompress(b64decode(packed[1])))
    found = library.map.build()
    assert whole["titles"] == found.titles and BAD in whole["titles"][0] and whole["name"] == "<b>lib"
    points = b64decode(whole["points"])
    assert (np.frombuffer(points, "<f4", 2 * len(found)).reshape(-1, 2) == found.positions).all()
    assert whole["overlay"]["kind"] == "lit" and len(whole["map"]["regions"]) == len(found.regions)


def test_without_the_page_it_is_a_picture_and_says_so(
    written: Callable[..., tuple[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that shows nothing would be sent on."""
    monkeypatch.setattr(html, "BUNDLE", tmp_path / "none")
    text, done = written("--overlay", "author:Payne")
    assert html.STILL in done.stderr
    assert "<svg" in text and "<polyline" in text and "<img" not in text and "<script" not in text
