"""Typesets the documents of this folder: `python tests/parse/typeset/build.py [NAME …]`.

Needs pdflatex with the classes (Debian: texlive-latex-extra, texlive-publishers, texlive-science, lmodern), and
matplotlib for the raster picture. Writes NAME.tex, NAME.pdf and NAME.json; the tests need none of these programs.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from content import document
from latex import LAYOUTS, Typesetter

HERE = Path(__file__).resolve().parent


def raster(path: Path) -> None:
    """A small map for the figures that are pixels."""
    import matplotlib as mpl
    import numpy as np

    mpl.use("Agg")
    from matplotlib import pyplot

    x, y = np.meshgrid(np.linspace(-3, 3, 60), np.linspace(-2, 2, 40))
    pyplot.imsave(path, np.sin(x * 2) * np.exp(-(y**2)) + 0.2 * x, cmap="gray")


def build(name: str, number: int) -> None:
    """Writes the three files of one document."""
    setter = Typesetter(document(name, number, longer=name == "thesis"), LAYOUTS[name])
    tex = setter.tex()
    (HERE / f"{name}.tex").write_text(tex, encoding="utf-8")
    (HERE / f"{name}.json").write_text(json.dumps(setter.truth(), ensure_ascii=False, indent=1), encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        raster(work / "raster.png")
        (work / f"{name}.tex").write_text(tex, encoding="utf-8")
        run = ["pdflatex", "-interaction=nonstopmode", f"{name}.tex"]
        environment = os.environ | {"SOURCE_DATE_EPOCH": "1768348800", "FORCE_SOURCE_DATE": "1"}
        for _ in range(3):
            done = subprocess.run(run, cwd=work, env=environment, capture_output=True, check=False)
        output = done.stdout.decode("utf-8", "replace")
        if not (work / f"{name}.pdf").is_file() or "\n! " in output:
            lines = [line for line in output.split("\n") if line.startswith(("!", "l."))]
            print(f"{name}: {lines[:6]}", file=sys.stderr)
        if (work / f"{name}.pdf").is_file():
            (HERE / f"{name}.pdf").write_bytes((work / f"{name}.pdf").read_bytes())


if __name__ == "__main__":
    for i, each in enumerate(LAYOUTS):
        if len(sys.argv) == 1 or each in sys.argv[1:]:
            build(each, i)
