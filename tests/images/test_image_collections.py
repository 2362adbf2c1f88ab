"""Collections of images, from adding to removing, on both catalogs."""

import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from conspectus import Library
from conspectus.core.errors import InputError, LimitError, ModelMismatchError, NotFoundError, UsageError
from conspectus.images import collector
from conspectus.records.events import Progress
from conspectus.store.schema import image_collections, image_facts, image_files
from conspectus.store.schema import images as image_rows
from helpers import ToneEncoder, looked_at, open_library

pytestmark = pytest.mark.usefixtures("both_catalogs")


def opened(folder: Path, encoder: ToneEncoder | None = None) -> Library:
    return open_library(folder / "lib", encoder=encoder or ToneEncoder())


def drawn(seed: int) -> Image.Image:
    grid = np.random.default_rng(seed).integers(0, 255, (6, 8, 3), np.uint8)
    return Image.fromarray(grid).resize((80, 60), Image.Resampling.BICUBIC)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "run 3"
    made.mkdir()
    for number in range(6):
        drawn(number).save(made / f"sem_15kV-{number}.png")
    return made


def rows(library: Library) -> list[int]:
    from sqlalchemy import func, select

    tables = (image_collections, image_files, image_rows, image_facts)
    return [int(library.session.catalog.scalar(select(func.count()).select_from(one))) for one in tables]


def test_again_only_what_changed_is_read_and_what_is_gone_is_told(tmp_path: Path, folder: Path) -> None:
    """Adding 20,000 images each night would else take the night, and what was deleted be found for ever."""
    encoder = ToneEncoder()
    with opened(tmp_path, encoder) as library:
        first = library.images.add(folder, collection="sem")
        assert (first.added, first.images, first.failed) == (6, 6, ()) and encoder.seen == 6
        again = library.images.add([folder], collection="SEM")
        assert (again.added, again.unchanged, again.images) == (0, 6, 6) and encoder.seen == 6
        drawn(99).save(folder / "sem_15kV-0.png")
        (folder / "sem_15kV-1.png").unlink()
        before = library.images.show(str(folder / "sem_15kV-0.png"))[0]
        third = library.images.add(folder, collection="sem")
        assert (third.updated, third.unchanged, third.removed) == (1, 4, 0)
        assert third.gone == (str(folder / "sem_15kV-1.png"),) and encoder.seen == 7
        after = library.images.show(str(folder / "sem_15kV-0.png"))[0]
        assert after.id == before.id and after.sha256 != before.sha256
        pruned = library.images.add(folder, collection="sem", prune=True)
        assert (pruned.removed, pruned.images) == (1, 5) and rows(library)[1:3] == [5, 5]


def test_a_file_of_another_collection_and_folder_is_not_gone(tmp_path: Path, folder: Path) -> None:
    """Pruning one folder would else empty the others."""
    other = tmp_path / "run 30"
    other.mkdir()
    drawn(7).save(other / "a.png")
    with opened(tmp_path) as library:
        library.images.add([folder, other], collection="sem")
        (other / "a.png").unlink()
        assert library.images.add(folder, collection="sem", prune=True).gone == ()
        assert library.images.add(other, collection="sem", prune=True).removed == 1


def test_found_by_a_picture_a_part_of_one_and_what_is_known(tmp_path: Path, folder: Path) -> None:
    """The picture that was added is found as itself; a filter leaves others out."""
    asked = folder / "sem_15kV-2.png"
    with opened(tmp_path) as library:
        library.images.add(folder, collection="sem")
        found = library.images.search(asked, k=3)
        assert [hit.rank for hit in found.hits] == [1, 2, 3] and found.hits[0].path == str(asked)
        assert found.hits[0].score == pytest.approx(1, abs=1e-5) and found.searched == 6
        near = library.images.search(Image.open(asked), collection="sem", k=1, measure="euclidean").hits[0]
        assert near.path == str(asked) and near.score < 1
        only = library.images.search(asked, where={"part": "4"})
        assert [Path(hit.path).stem for hit in only.hits] == ["sem_15kV-4"] and only.searched == 1
        part = library.images.search(asked, crop=(0, 0, 40, 30))
        assert part.hits[0].score < 0.9999
        with pytest.raises(UsageError, match="does not lie"):
            library.images.search(asked, crop=(0, 0, 81, 30))
        library.images.remove([str(asked)])
        assert str(asked) not in [hit.path for hit in library.images.search(asked).hits]


def test_what_is_known_can_be_listed_and_comes_from_a_table(tmp_path: Path, folder: Path) -> None:
    """A user's own table says what no file says, and stays when a file changes."""
    table = tmp_path / "runs.csv"
    table.write_text("file,Detector,sample\nsem_15kV-0.png,SE2,Iron oxide\nrun 3/sem_15kV-1.png,BSE,Gold\nno.png,x,y\n")
    with opened(tmp_path) as library:
        assert library.images.add(folder, collection="sem", csv=table).described == 2
        assert [one.path for one in library.images.list(where={"Detector": "se2"}).images] == [
            str(folder / "sem_15kV-0.png")
        ]
        assert (
            library.images.list(words="iron OX", collection="sem").total == 1
            and library.images.list(words="%").total == 6
        )
        assert library.images.list(words="iron gold").total == 0
        drawn(99).save(folder / "sem_15kV-0.png")
        library.images.add(folder, collection="sem")
        one = library.images.show(str(folder / "sem_15kV-0.png"))[0]
        assert one.facts["Detector"] == ("SE2",) and one.facts["folder"] == ("run 3",) and "15kV" in one.facts["part"]
        table.write_text("file,sample\nsem_15kV-0.png,Silver\n")
        library.images.add(folder, collection="sem", csv=table)
        assert library.images.list(where={"Detector": "SE2"}).total == 0
        table.write_text("name\nx\n")
        with pytest.raises(InputError, match="no column `file`"):
            library.images.add(folder, collection="sem", csv=table)
        page = library.images.list(limit=4)
        rest = library.images.list(limit=4, after=page.next)
        assert (len(page.images), len(rest.images), rest.next, rest.total) == (4, 2, "", 6)


def test_bad_ones_are_told_and_read_again_when_mended(tmp_path: Path, folder: Path) -> None:
    """One bad file ends nothing; a file that broke takes its old picture along."""
    bad = folder / "sem_15kV-0.png"
    with opened(tmp_path) as library:
        library.images.add(folder, collection="sem")
        whole = bad.read_bytes()
        bad.write_bytes(whole[: len(whole) // 2])
        os.mkfifo(folder / "pipe.png")
        (folder / "link.png").symlink_to("/etc/hosts")
        report = library.images.add([folder, tmp_path / "nothing.png"], collection="sem")
        told = {Path(row.path).name: row.reason for row in report.failed}
        assert told.keys() == {"pipe.png", "link.png", "nothing.png", bad.name} and all(told.values())
        assert "truncated" in told[bad.name] and report.images == 5 and report.updated == 0
        bad.write_bytes(whole)
        assert library.images.add(bad, collection="sem").images == 6


def test_each_page_is_an_image_and_pages_that_go_go(tmp_path: Path) -> None:
    """A stack of micrographs is searched page by page."""
    pages = [drawn(number) for number in range(5)]
    pages[0].save(tmp_path / "stack.tif", save_all=True, append_images=pages[1:])
    with opened(tmp_path) as library:
        library.images.add(tmp_path / "stack.tif")
        assert [one.page for one in library.images.show(str(tmp_path / "stack.tif"))] == [1, 2, 3, 4, 5]
        hit = library.images.search(pages[3]).hits[0]
        assert hit.image.page == 4 and hit.collection == "images"
        pages[0].save(tmp_path / "stack.tif", save_all=True, append_images=pages[1:2])
        assert library.images.add(tmp_path / "stack.tif").images == 2


def test_another_encoder_makes_all_vectors_anew_and_goes_on_where_it_was(tmp_path: Path, folder: Path) -> None:
    """Vectors of two encoders are never compared; what was made before an interruption is not made again."""
    with opened(tmp_path) as library:
        library.images.add(folder, collection="sem")
    others = ToneEncoder("others/1")
    with opened(tmp_path, others) as library:
        with pytest.raises(ModelMismatchError, match="tones/1"):
            library.images.search(drawn(1))
        assert [one.ok for one in looked_at(library) if one.check == "images"] == [False]
        library.images.add(folder / "sem_15kV-1.png", collection="sem")
        part = library.images.search(drawn(1))
        assert part.searched == 1 and "5 images have vectors of another encoder" in part.note
        report = library.images.add(folder, collection="sem")
        assert others.seen == 1 + 1 + 5 and (report.updated, report.unchanged) == (5, 1)
        assert library.images.search(drawn(1)).note == ""
        assert [one.ok for one in looked_at(library) if one.check == "images"] == [True]


def test_an_interrupted_run_goes_on(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C loses a batch at most, and nothing comes twice."""
    monkeypatch.setattr(collector, "BATCH", 2)

    def stop(news: Progress) -> None:
        if news.done == 5:
            raise KeyboardInterrupt

    encoder = ToneEncoder()
    with opened(tmp_path, encoder) as library:
        with pytest.raises(KeyboardInterrupt):
            library.images.add(folder, collection="sem", progress=stop)
        assert 4 <= rows(library)[2] < 6
        assert library.images.add(folder, collection="sem").images == 6 and encoder.seen <= 8
        assert rows(library)[1:3] == [6, 6]


def test_near_duplicates_and_clusters(tmp_path: Path, folder: Path) -> None:
    """Copies of a picture are found together, others are not; clusters hold all."""
    with opened(tmp_path) as library:
        drawn(2).resize((40, 30)).save(folder / "small.jpg", quality=60)
        library.images.add(folder, collection="sem")
        (group,) = library.images.duplicates().groups
        assert {Path(one.path).name for one in group.images} == {"sem_15kV-2.png", "small.jpg"} and group.size == 2
        clusters = library.images.clusters(k=3)
        assert sum(one.size for one in clusters.groups) == 7 and 1 <= len(clusters.groups) <= 3
        assert sum(one.size for one in library.images.clusters().groups) == 7
        sheet = library.images.sheet(clusters)
        assert sheet.count("data:image/jpeg;base64,") == 7 and "<script" not in sheet
        assert library.images.thumbnail(group.images[0].image.id)[:2] == b"\xff\xd8"


def test_a_sheet_escapes_what_names_say(tmp_path: Path) -> None:
    """A file's name is somebody else's text."""
    name = tmp_path / "<img src=x onerror=alert(1)>.png"
    drawn(1).save(name)
    with opened(tmp_path) as library:
        library.images.add(name)
        sheet = library.images.sheet(library.images.search(drawn(1)))
        assert "<img src=x" not in sheet and "&lt;img src=x" in sheet


def test_what_is_removed_leaves_nothing(tmp_path: Path, folder: Path) -> None:
    """Deleting is exact: rows, facts and vectors go, and only those."""
    with opened(tmp_path) as library:
        library.images.add(folder, collection="sem")
        one, facts = library.images.list().images[0], rows(library)[3]
        assert library.images.remove([one.id]) == 1
        assert rows(library)[:3] == [1, 5, 5] and rows(library)[3] == facts - sum(map(len, one.facts.values()))
        with pytest.raises(NotFoundError):
            library.images.remove([library.images.list().images[0].id, one.id])
        assert rows(library)[2] == 5
        assert library.images.remove(collection="sem") == 5 and rows(library) == [0, 0, 0, 0]
        for ask in (lambda: library.images.search(drawn(1)), lambda: library.images.remove(collection="sem")):
            with pytest.raises(NotFoundError):
                ask()
        with pytest.raises(UsageError):
            library.images.remove()


def test_several_collections_are_told_apart(tmp_path: Path, folder: Path) -> None:
    """The same file may be in two; who names none of several is asked which."""
    with opened(tmp_path) as library:
        library.images.add(folder, collection="sem")
        library.images.add(folder / "sem_15kV-1.png", collection="best")
        assert {one.name: one.images for one in library.images.collections()} == {"best": 1, "sem": 6}
        with pytest.raises(UsageError, match="several"):
            library.images.search(drawn(1))
        assert library.images.search(drawn(1), collection="best").searched == 1
        library.images.remove([str(folder / "sem_15kV-1.png")], collection="best")
        assert {one.name: one.images for one in library.images.collections()} == {"sem": 6}
        assert library.status().counts["images"] == 6
        with pytest.raises(UsageError, match="no name"):
            library.images.add(folder, collection=" . ")


def test_a_backup_has_them(tmp_path: Path, folder: Path) -> None:
    """What took an hour to add comes back from a backup, and is not overwritten by one unasked."""
    with opened(tmp_path) as library:
        library.images.add(folder, collection="sem")
        library.backup(tmp_path / "kept")
        library.images.remove(collection="sem")
        library.restore(tmp_path / "kept")
        assert library.images.search(drawn(1)).searched == 6
        library.images.remove([library.images.list().images[0].id])
        with pytest.raises(UsageError, match="would be replaced"):
            library.restore(tmp_path / "kept")


@pytest.mark.parametrize("limit", [0, -1])
def test_a_list_of_none_is_refused(tmp_path: Path, folder: Path, limit: int) -> None:
    """All but the last would be listed."""
    with opened(tmp_path) as library:
        library.images.add(folder)
        with pytest.raises(UsageError, match="limit"):
            library.images.list(limit=limit)


def test_a_picture_of_too_many_bytes_is_not_read(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conspectus.parse.process.images.MOST_BYTES", 100)
    with opened(tmp_path) as library:
        library.images.add(folder)
        with pytest.raises(LimitError, match="has more than"):
            library.images.search(next(folder.glob("*.png")))


def test_images_that_look_alike_stand_together_on_a_map(tmp_path: Path) -> None:
    """Who has ten thousand micrographs would have to look at each."""
    folder = tmp_path / "tones"
    folder.mkdir()
    for number in range(24):
        tone = 20 + 200 * (number % 2) + number // 2
        Image.new("RGB", (40 + number, 30), (tone, tone if number % 2 else 0, 0)).save(folder / f"{number}.png")
    with opened(tmp_path) as library:
        with pytest.raises(NotFoundError):
            library.images.map()
        library.images.add(folder, collection="tones")
        found = library.images.map(method="pca")
        even = np.array([int(Path(library.images.show(one)[0].path).stem) % 2 == 0 for one in found.images])
        middles = [found.positions[even == kind].mean(axis=0) for kind in (True, False)]
        far = np.stack([np.linalg.norm(found.positions - middle, axis=1) for middle in middles])
        assert len(found) == 24 and ((far[0] < far[1]) == even).all()
        sheet = library.images.sheet(found)
        shown = sheet.count("data:image/jpeg;base64,")
        assert shown + sheet.count("<circle") == 24 and shown > 1 and "<script" not in sheet
        assert library.images.map(method="pca").positions.tolist() == found.positions.tolist()
    path = tmp_path / "one" / "x.png"
    path.parent.mkdir()
    Image.new("RGB", (8, 8), "red").save(path)
    with open_library(tmp_path / "single", encoder=ToneEncoder()) as single:
        single.images.add(path)
        assert single.images.map().positions.shape == (1, 2) and "<image" in single.images.sheet(single.images.map())
