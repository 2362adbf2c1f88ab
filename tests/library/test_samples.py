"""The sample papers: added, listed and removed, with own papers left alone."""

from pathlib import Path

from conspectus.library.verbs import sample_files
from helpers import markdown, open_library, write


def test_samples_come_and_go(tmp_path: Path) -> None:
    """A newcomer could not try anything, or would never get rid of texts that are not theirs."""
    own = write(tmp_path / "tides.md", markdown("On tides", "The Moon raises the tides of the sea."))
    with open_library(tmp_path / "lib") as library:
        library.add(own)
        assert library.samples.list() == () and library.samples.remove() == ()
        report = library.samples.add()
        assert report.added == 24 and not report.failed
        assert {Path(row.path).name for row in library.samples.list()} == {path.name for path in sample_files()}
        assert library.samples.add().added == 0, "twice is once"
        assert any("Graphene" in hit.paper.title for hit in library.search("graphene").hits)
        assert len(library.samples.remove()) == len(sample_files())
        assert [paper.title for paper in library.papers()] == ["On tides"]
        assert not (library.folder / "samples").exists()
        assert not [hit for hit in library.search("graphene").hits if "Graphene" in hit.paper.title]
        assert library.samples.add().added == 24, "and once more"


def test_a_paper_of_both_stays(tmp_path: Path) -> None:
    """Removing the samples would take a paper that somebody added themselves."""
    with open_library(tmp_path / "lib") as library:
        mine = next(path for path in sample_files() if path.name == "graphene.md")
        library.add(mine)
        library.samples.add()
        library.samples.remove()
        assert [paper.title for paper in library.papers()] == ["Graphene, a Crystal One Atom Thick"]


def test_files_that_a_user_put_there_stay(tmp_path: Path) -> None:
    """A thesis in the folder of the samples would be deleted with them, or overwritten."""
    folder = tmp_path / "lib" / "samples"
    with open_library(tmp_path / "lib") as library:
        library.samples.add()
        thesis = write(folder / "thesis.md", markdown("My thesis", "I wrote about tides."))
        edited = write(folder / "graphene.md", markdown("My graphene", "I measured it myself."))
        library.add([thesis, edited])
        library.samples.add()
        assert "My graphene" in edited.read_text("utf-8")
        gone = {Path(row.path).name for row in library.samples.remove()}
        assert gone == {path.name for path in sample_files()} - {"graphene.md"}
        assert sorted(path.name for path in folder.iterdir()) == ["graphene.md", "thesis.md"]
        assert {paper.title for paper in library.papers()} >= {"My thesis", "My graphene"}
        assert library.samples.list() == () == library.samples.remove()
