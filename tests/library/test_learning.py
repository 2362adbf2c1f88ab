"""What is learnt of gold and of corrections about names, as rules that are shown, overruled and taken back."""

import csv
import gzip
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from conspectus import Library
from conspectus.cli.app import app
from conspectus.errors import InputError, UsageError
from conspectus.graph.vocabularies.gold import Gold, read_gold
from graph.vocabularies import put_vocabulary
from helpers import markdown, open_library, write

pytestmark = pytest.mark.usefixtures("quick_pool")
TEXTS = {
    "One": "The mouse of a computer is warm. Purring brings sleep.",
    "Two": "A mouse with two buttons. Slumber comes with purring.",
    "Three": "Slumber is warm. The mouse was moved.",
}
RIGHT = {"Purring": "CAT:1", "purring": "CAT:1", "warm": "CAT:2", "sleep": "CAT:4", "Slumber": "CAT:4"}


@pytest.fixture
def library(tmp_path: Path) -> Library:
    with open_library(tmp_path / "lib") as opened:
        opened.add([write(tmp_path / f"{title}.md", markdown(title, text)) for title, text in TEXTS.items()])
        put_vocabulary(opened)
        put_vocabulary(opened, {"ANI:1": ("mouse",)}, "Animals")
        opened.graph.link()
        yield opened


def gold(folder: Path, right: dict[str, str] = RIGHT) -> Path:
    lines = [
        {
            "id": title,
            "text": text,
            "entities": [
                {"start": text.index(words), "end": text.index(words) + len(words), "id": id}
                for words, id in right.items()
                if words in text
            ],
        }
        for title, text in TEXTS.items()
    ]
    return write(folder / "gold.jsonl", "".join(json.dumps(line) + "\n" for line in lines))


def spoken(library: Library) -> set[tuple[str, str]]:
    return {(one.text, one.entity) for paper in library.papers() for one in library.graph.mentions(paper.id)}


def test_gold_is_learnt_linked_overruled_and_forgotten(library: Library, tmp_path: Path) -> None:
    """A user with gold could not have what it says but by hand, name by name; or could not get rid of it."""
    before = spoken(library)
    assert ("mouse", "CAT:3") in before
    path = gold(tmp_path, {**RIGHT, "buttons": "NO:1"})
    report = library.vocabularies.learn(path)
    assert (report.papers, report.mentions, report.unknown) == (3, 8, 1) and report.use == report.leave == 1
    said = {(one.name, one.concept, one.verdict, one.source) for one in library.vocabularies.names()}
    assert said == {("slumber", "CAT:4", "use", "learnt"), ("mouse", "CAT:3", "leave", "learnt")}
    library.graph.link()
    after = spoken(library)
    assert after - before == {("Slumber", "CAT:4"), ("mouse", "ANI:1")}, "of what gold does not judge nothing is said"
    library.vocabularies.name("slumber", "leave", concept="CAT:4")
    assert library.vocabularies.learn(path).said == 1, "what a user says stands"
    library.graph.link()
    assert ("Slumber", "CAT:4") not in spoken(library)
    assert len(library.vocabularies.forget_learnt()) == 1
    library.vocabularies.name("slumber", "undo", concept="CAT:4")
    library.graph.link()
    assert spoken(library) == before and not library.vocabularies.names()


def test_corrections_are_learnt_of(library: Library, tmp_path: Path) -> None:
    """Who only wants to say what is wrong would have to write offsets in JSON."""
    path, run = tmp_path / "sample.csv", CliRunner()
    begin = ["--library", str(library.folder), "vocabulary"]
    library.close()
    said = run.invoke(app, [*begin, "sample", str(path)])
    assert said.exit_code == 0, said.output
    rows = list(csv.DictReader(io.StringIO(path.read_text("utf-8"))))
    assert len({row["sentence"] for row in rows}) == 6 and len(rows) == 8
    out = io.StringIO()
    table = csv.writer(out, delimiter=";")
    table.writerow(rows[0])
    for row in rows:
        table.writerow({**row, "concept": row["concept"] * (row["words"] != "mouse")}.values())
        if row["sentence"].startswith("Slumber"):
            table.writerow({**row, "words": "Slumber", "concept": "CAT:4", "start": ""}.values())
    write(path, out.getvalue())
    told = run.invoke(app, [*begin, "learn", str(path)])
    assert "Learnt 1 name to search for and 1 to leave" in told.output, told.output
    assert "slumber" in run.invoke(app, [*begin, "names"]).output
    assert "Forgot 2 rules" in run.invoke(app, [*begin, "forget-learnt"]).output


def test_kinds_of_gold(tmp_path: Path) -> None:
    """The commonest kind of such corpora would have to be converted first, or its places be off."""
    text = (
        "7|t|Warm cats.\n7|a|They purr.\n7\t0\t4\tWarm\tX\tCAT:2\n7\t16\t20\tpurr\tX\tCAT:1\n7\tCID\tCAT:1\tCAT:2\n\n"
    )
    expected = [Gold("7", "Warm cats. They purr.", ((0, 4, "CAT:2"), (16, 20, "CAT:1")))]
    path = tmp_path / "corpus.pubtator.gz"
    path.write_bytes(gzip.compress((text + "8|t|None\n").encode()))
    assert list(read_gold(path)) == [*expected, Gold("8", "None", ())]
    rows = "paper,sentence,words,concept\n7,'=a purr or purr,purr,CAT:1\n7,'=a purr or purr,purr,CAT:2\n7,'=b,,\n"
    table = list(read_gold(write(tmp_path / "corpus.csv", rows)))
    assert table == [Gold("7", "=a purr or purr", ((3, 7, "CAT:1"), (11, 15, "CAT:2"))), Gold("7", "=b", ())]


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("a.jsonl", '{"text": "purr", "entities": [{"start": 2, "end": 9}]}', "line 1: a mention stands outside"),
        ("a.jsonl", "{", "line 1"),
        ("a.txt", "Some words", "line 1 is none of PubTator"),
        ("a.txt", "7|t|Cats\n7\tx\t4\tCats\tX\tC", "line 2: 'x' is no place"),
        ("a.csv", "paper,words\n", "no column concept, sentence"),
        ("a.csv", "paper,sentence,words,concept\n1,Cats purr,bark,C:1\n", "'bark' does not stand"),
        ("a.jsonl.gz", "no gzip", "cannot be learnt of"),
    ],
)
def test_what_is_no_gold_is_told(library: Library, tmp_path: Path, name: str, text: str, why: str) -> None:
    """Half of a file would be learnt of in silence."""
    with pytest.raises(InputError, match=why):
        library.vocabularies.learn(write(tmp_path / name, text))


def test_nothing_is_learnt_in_vain(library: Library, tmp_path: Path) -> None:
    """Gold by other ids would look as if there were nothing to learn."""
    with pytest.raises(UsageError, match="no concept of the library"):
        library.vocabularies.learn(gold(tmp_path, {"Purring": "MESH:D1"}))
    with pytest.raises(UsageError, match="no probability"):
        library.vocabularies.learn(gold(tmp_path), least=2)
    with pytest.raises(InputError, match="cannot be read"):
        library.vocabularies.learn(tmp_path / "none.jsonl")
