"""The maps of the documentation: `python docs/maps.py TOPICS ASTRO`, two libraries that `benchmarks/atlas.py` made.

Written to `docs/pictures`, each as `conspectus map` draws it, made smaller; and that of orphans by
`benchmarks/orphans.py`.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

from conspectus import Library

FOLDER = Path(__file__).resolve().parent / "pictures"
ORPHANS = FOLDER.parents[1] / "benchmarks" / "orphans.py"
WIDE, COLOURS = 1100, 128


def main() -> None:
    """Draw them."""
    Image.MAX_IMAGE_PIXELS = None  # a poster of ours
    topics, astro = sys.argv[1:]
    with TemporaryDirectory() as scratch:
        for folder, name, terrain in (
            (topics, "map-topics", False),
            (topics, "map-topics-terrain", True),
            (astro, "map-astro-terrain", True),
        ):
            with Library(folder) as library:
                drawn = Path(scratch) / f"{name}.png"
                library.map.show(**{"terrain" if terrain else "to": drawn})
            smaller(drawn)
        subprocess.run([sys.executable, ORPHANS, "--papers=40", "--picture", f"{scratch}/map-orphans.png"], check=True)  # noqa: S603
        smaller(Path(scratch) / "map-orphans.png")


def smaller(drawn: Path) -> None:
    """Write a picture as the documentation has it."""
    with Image.open(drawn) as image:
        small = image.convert("RGB").resize((WIDE, WIDE * image.height // image.width))
    small.quantize(COLOURS).save(FOLDER / drawn.name, optimize=True)


if __name__ == "__main__":
    main()
