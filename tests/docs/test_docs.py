"""The documentation agrees with the program. What the commands print is compared by `docs/build.py --check`."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from conspectus.cli.verbs import VERBS
from conspectus.core import errors
from conspectus.settings import KEYS

ROOT = Path(__file__).parents[2]


def module(name: str) -> Any:
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        return import_module(name)
    finally:
        sys.path.pop(0)


PAGES = [*sorted((ROOT / "docs").glob("*.md")), *(ROOT / name for name in module("site_pages").ABOUT)]


def read(name: str) -> str:
    return (ROOT / "docs" / name).read_text("utf-8")


@pytest.mark.parametrize("name", ["settings.md", "commands.md"])
def test_generated_pages_are_up_to_date(name: str) -> None:
    """Else the reference describes another version; `python docs/build.py` writes them."""
    wanted = {path.name: text for path, text in module("generated").pages().items()}
    assert read(name) == wanted[name]


def test_every_setting_is_documented() -> None:
    """A setting without a word about it cannot be used."""
    page = read("settings.md")
    for key in KEYS.values():
        assert key.doc.strip()
        assert f"`{key.name}`" in page
        assert f"`CONSPECTUS_{key.name.upper().replace('.', '_')}`" in page


def test_every_verb_is_documented() -> None:
    """A verb that is nowhere explained is found by nobody."""
    commands, json = read("commands.md"), read("json.md")
    for verb in VERBS:
        assert f"### {verb}\n" in commands
        assert f"`{verb}`" in json or f"`{verb} list`" in json


def test_every_error_has_a_remedy() -> None:
    """Who meets an error looks for its name."""
    page = read("troubleshooting.md")
    classes = [found for found in vars(errors).values() if isinstance(found, type)]
    for found in classes:
        if found is not errors.ConspectusError:
            assert f"`{found.__name__}`" in page


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    """A link to a page or section that is not there sends the reader away empty-handed."""
    site = module("site_pages")
    for href in site.links(page.read_text("utf-8")):
        path, _, anchor = href.partition("#")
        if "://" in href:
            continue
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), href
        if anchor:
            assert anchor in map(site.slug, site.headings(target.read_text("utf-8"))), href


def test_the_navigation_has_every_page() -> None:
    """A page that the navigation forgets comes last, after the reference."""
    site = module("site_pages")
    assert {path.stem for path in (ROOT / "docs").glob("*.md")} == set(site.ORDER)


def test_the_site_needs_nothing_from_elsewhere(tmp_path: Path) -> None:
    """It is to be read without a network, and its links between pages are to work as files."""
    module("site_pages").write(tmp_path / "site")
    files = {path.name: path.read_text("utf-8") for path in (tmp_path / "site").glob("*.html")}
    assert {"index.html", "quickstart.html", "architecture.html"} <= set(files)
    for name, text in files.items():
        assert "<script" not in text, name
        for source in re.findall(r'src="([^"]*)"', text):
            assert (tmp_path / "site" / source).is_file(), f"{name} -> {source}"
        assert "<link" not in text, name
        for href in re.findall(r'href="([^"#:]+\.html)', text):
            assert href in files, f"{name} -> {href}"
