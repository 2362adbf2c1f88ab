"""Build the static site in `site/` with MkDocs (extra `dev`), and list the pages."""

from __future__ import annotations

import logging
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ["docs", "benchmarks", "examples", "evaluations", "web"]


def sources() -> list[Path]:
    """All pages."""
    return sorted(path for folder in ["", *FOLDERS] for path in (ROOT / folder).glob("*.md"))


def write(folder: Path) -> None:
    """Render all pages into `folder`. Raises `mkdocs.exceptions.Abort` for a dead link or a page without navigation."""
    logging.basicConfig(format="%(message)s")  # a warning ends the build, and says why
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    with TemporaryDirectory(prefix="conspectus-docs-") as scratch:
        for path in [*sources(), ROOT / "LICENSE", *(ROOT / "docs" / "pictures").glob("*.png")]:
            link = Path(scratch, path.relative_to(ROOT))
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(path)
        config = load_config(str(ROOT / "docs" / "mkdocs.yml"), docs_dir=scratch, site_dir=str(folder), strict=True)
        build(config)
