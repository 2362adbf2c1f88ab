"""Pictures of the map."""

import re
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from conspectus import Library
from conspectus.cli.app import app
from conspectus.errors import UsageError
from conspectus.map import map_pictures
from conspectus.map.overlay_plot import _size_of_lit
from conspectus.map.regions import smooth_density
from helpers import open_library, write_jsonl

pytest.importorskip("matplotlib")
pytestmark = pytest.mark.usefixtures("quick_pool", "small_pictures")
HOSTILE = r"$\frac{1}{0}$ <script>alert(1)</script> & \x00" + "\x1b[31m"


@pytest.fixture
def small_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(map_pictures, "DPI", 20)
    monkeypatch.setattr(map_pictures, "GRID", 120)


def library_of(tmp_path: Path, texts: list[str]) -> Library:
    library = open_library(tmp_path / "lib", atlas__method="pca")
    library.add(write_jsonl(tmp_path / "a.jsonl", [{"title": one[:40], "abstract": one} for one in texts]))
    return library


def heaps(tmp_path: Path) -> Library:
    subjects = ("quokkas hop at night", "dwarf stars cool slowly", "sourdough rises in warmth")
    return library_of(tmp_path, [f"{text} as number {number} shows." for text in subjects for number in range(20)])


def draw(library: Library, path: Path, terrain: bool = False, **options: Any) -> Path:
    library.map.show(**{"terrain" if terrain else "to": path}, **options)
    return path


def colours(path: Path) -> int:
    with Image.open(path) as image:
        return len(np.unique(np.asarray(image.convert("RGB")).reshape(-1, 3), axis=0))


def test_pictures_show_regions_and_a_land(tmp_path: Path) -> None:
    """Else a blank sheet is printed at poster size."""
    with heaps(tmp_path) as library:
        dots, land = draw(library, tmp_path / "dots.png"), draw(library, tmp_path / "land.png", terrain=True)
    assert colours(dots) > 20
    with Image.open(land) as image:
        seen = np.asarray(image.convert("RGB")).astype(int)
    is_water = seen[..., 2] > seen[..., 0] + 20
    assert 0.1 < is_water.mean() < 0.99 and is_water[20, seen.shape[1] // 2], "the edge of the map is water"


@pytest.mark.parametrize("terrain", [False, True])
def test_names_are_written_as_they_are(tmp_path: Path, terrain: bool) -> None:
    """Else a name from a paper becomes a formula, or a script in the picture."""
    with heaps(tmp_path) as library:
        for region in library.map.build().at(0):
            library.map.name(region.id, HOSTILE)
        path = draw(library, tmp_path / "map.svg", terrain=terrain)
    said = path.read_text(encoding="utf-8")
    assert "<script" not in said and not re.search("[\x00-\x08\x0e-\x1f]", said)


@pytest.mark.parametrize("many", [1, 2, 3, 12])
@pytest.mark.parametrize("terrain", [False, True])
def test_small_libraries_and_those_that_say_one_thing(tmp_path: Path, many: int, terrain: bool) -> None:
    """Else who begins with three papers gets a traceback."""
    with library_of(
        tmp_path, ["Quokkas hop at night."] * many if many == 12 else ["one", "two", "three"][:many]
    ) as one:
        assert colours(draw(one, tmp_path / "a.png", terrain=terrain)) > 1


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    with heaps(tmp_path) as library:
        with pytest.raises(UsageError, match=r"'map.doc'"):
            draw(library, tmp_path / "map.doc")
        with pytest.raises(UsageError, match=r"map.png' cannot be written: there is no such file"):
            draw(library, tmp_path / "nowhere" / "map.png")


@pytest.mark.parametrize("ending", [".png", ".svg", ".json", ".html"])
def test_a_name_that_cannot_be_a_file_is_wrong_use(tmp_path: Path, ending: str) -> None:
    """Who mistypes a folder would look for what is broken in the library, or on the disk."""
    heaps(tmp_path).close()
    (tmp_path / f"folder{ending}").mkdir()
    for name in (f"nowhere/map{ending}", f"folder{ending}"):
        done = CliRunner().invoke(
            app, ["--library", str(tmp_path / "lib"), "map", "show", "--to", str(tmp_path / name)]
        )
        assert done.exit_code == 2, done.output
        assert f"{name}' cannot be written" in done.stderr and "Choose another file." in done.stderr


def test_on_the_command_line(tmp_path: Path) -> None:
    heaps(tmp_path).close()
    chosen = ["--library", str(tmp_path / "lib"), "map", "show"]
    done = CliRunner().invoke(app, [*chosen, "--to", str(tmp_path / "a.svg"), "--terrain", str(tmp_path / "b.png")])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "a.svg").read_text(encoding="utf-8").startswith("<?xml") and colours(tmp_path / "b.png") > 20
    refused = CliRunner().invoke(app, [*chosen, "--terrain", str(tmp_path / "c.html")])
    assert refused.exit_code == 2 and ".png, .svg, .pdf" in refused.output


def red(path: Path) -> int:
    """How many dots of a picture have the colour of what is lit up."""
    with Image.open(path) as image:
        seen = np.asarray(image.convert("RGB")).astype(int)
    return int(((seen[..., 0] > 190) & (seen[..., 1] < 130) & (seen[..., 2] < 150)).sum())


@pytest.mark.parametrize("terrain", [False, True])
def test_a_picture_shows_what_an_overlay_says(tmp_path: Path, terrain: bool) -> None:
    """Else the hits of a query are lit up in a browser only, and what is asked for is left out in silence."""
    with heaps(tmp_path) as library:

        def drawn(name: str) -> Path:
            return draw(library, tmp_path / "a.png", terrain=terrain, overlay=name)

        none, some = red(drawn("keyword:nobody says this")), red(drawn("keyword:quokkas"))
        assert some > none and colours(drawn("reviews")) > 20
        path = draw(library, tmp_path / "a.svg", terrain=terrain, overlay=f"query:{HOSTILE} quokkas")
        said = path.read_text("utf-8")
        assert "<script" not in said and not re.search("[\x00-\x08\x0e-\x1f]", said)
        with pytest.raises(UsageError, match="of an overlay"):
            draw(library, tmp_path / "a.png", since=2000)
        with pytest.raises(UsageError, match="year"):
            draw(library, tmp_path / "a.png", year=(2000, None))
    chosen = ["--library", str(tmp_path / "lib"), "map", "show", "--overlay", "outliers"]
    done = CliRunner().invoke(app, [*chosen, "--terrain" if terrain else "--to", str(tmp_path / "b.png")])
    assert done.exit_code == 0 and colours(tmp_path / "b.png") > 5, done.output


@pytest.fixture
def figures(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The figures that are written."""
    kept: list[Any] = []
    save = map_pictures._save
    monkeypatch.setattr(map_pictures, "_save", lambda figure, path: (kept.append(figure), save(figure, path)))
    return kept


def rooms(axes: Any) -> list[Any]:
    """The boxes of what is written, names and years."""
    renderer = axes.figure.canvas.get_renderer()
    return [text.get_window_extent(renderer) for text in axes.texts]


def test_a_peak_is_marked_where_it_is(tmp_path: Path, figures: list[Any]) -> None:
    """Else the mark stands where its words have room, up to a town's width away."""
    with heaps(tmp_path) as library:
        draw(library, tmp_path / "land.png", terrain=True)
        found = library.map.build()
    density, cells = smooth_density(found.positions, map_pictures.GRID, map_pictures.GRID * map_pictures.SPREAD)
    height = density[tuple(np.rint(cells).astype(int).T)]
    tops = {
        tuple(found.positions[rows[int(height[rows].argmax())]].tolist())
        for rows in (np.flatnonzero(found.region_ids[:, 2] == one.id) for one in found.at(2))
    }
    [axes] = figures[0].axes
    [marks] = [one for one in axes.collections if one.get_gid() == "peaks"]
    assert len(marks.get_offsets()) and {tuple(at) for at in np.asarray(marks.get_offsets()).tolist()} <= tops
    boxes = rooms(axes)
    assert not any(a.overlaps(b) for a, b in combinations(boxes, 2)), "names, and the legend"


@pytest.mark.parametrize("terrain", [False, True])
def test_a_legend_covers_nothing_and_few_are_seen(tmp_path: Path, figures: list[Any], terrain: bool) -> None:
    """Else papers and names lie under the legend, and the papers of an author under the line of the path."""
    with heaps(tmp_path) as library:
        for words in ("number 7", "quokkas"):
            draw(library, tmp_path / "a.png", terrain=terrain, overlay=f"keyword:{words}")
    sizes = []
    for figure in figures:
        [axes], [legend] = figure.axes, figure.legends
        assert not legend.get_window_extent().overlaps(axes.bbox) and legend.get_window_extent().x1 <= figure.bbox.x1
        sizes.append(max(one.get_sizes()[0] for one in axes.collections if one.get_zorder() == 4))
    assert sizes[0] >= sizes[1]


def test_the_fewer_are_lit_the_larger() -> None:
    few, some, most = (_size_of_lit(3, 20_000, lit, 12) for lit in (6, 1000, 20_000))
    assert few == 72 and 7.5 < some < few and most == 7.5


def test_the_papers_of_an_author_lie_over_the_path(tmp_path: Path, figures: list[Any]) -> None:
    with library_of(tmp_path, ["Quokkas hop."]) as library:
        records = [{"title": f"Stars {year}", "authors": ["Faber, Sandra"], "year": year} for year in (2001, 2002)]
        library.add(write_jsonl(tmp_path / "b.jsonl", records))
        draw(library, tmp_path / "a.png", overlay="author:Faber")
    [axes] = figures[0].axes
    [line] = axes.lines
    assert max(one.get_zorder() for one in axes.collections) > line.get_zorder()
    assert {"2001", "2002"} <= {text.get_text() for text in axes.texts}
