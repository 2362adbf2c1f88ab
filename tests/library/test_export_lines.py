"""Lines of an export of another library, when some of them cannot be read."""

from pathlib import Path

from conspectus.core.job_context import Notice, listen
from helpers import open_library, write_jsonl

RECORDS = [
    {"id": f"p{number}", "title": f"Study {number}", "abstract": f"Quokkas hop at night {number}."}
    for number in range(8)
]


def test_places_that_cannot_be_read_are_told_of(tmp_path: Path) -> None:
    """A paper would stand elsewhere than where it stood, and nobody would know that its line was damaged."""
    with open_library(tmp_path / "lib", atlas__method="pca") as library:
        library.add(write_jsonl(tmp_path / "papers.jsonl", RECORDS))
        library.map.build()
        library.export("library", tmp_path / "whole.jsonl")
    lines = (tmp_path / "whole.jsonl").read_text("utf-8").splitlines()
    hurt = [number for number, line in enumerate(lines, 1) if "conspectus.place/1" in line][:3]
    for number in hurt:
        lines[number - 1] = lines[number - 1].replace('"x":', '"x":1e999,"y":')
    (tmp_path / "hurt.jsonl").write_text("\n".join(lines), encoding="utf-8")
    for name, wrong in (("whole", []), ("hurt", hurt)):
        told: list[Notice] = []
        with open_library(tmp_path / name, atlas__method="pca") as other, listen(told.append, Notice):
            other.add(tmp_path / f"{name}.jsonl")
            assert len(other.map.show(update=False)) == len(RECORDS) - len(wrong)
        said = [one.text for one in told if "could not be read" in one.text]
        assert len(said) == bool(wrong)
        assert not wrong or (f"{len(wrong)} lines of maps" in said[0] and f"such as line {wrong[0]}:" in said[0])
