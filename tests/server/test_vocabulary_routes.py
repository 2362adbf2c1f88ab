"""Vocabularies, asked as a page asks."""

from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from conspectus import Library
from conspectus.server.access import Access
from helpers import markdown, open_library, write
from serving import collect_notices, make_client
from vocabulary_files import OBO

ROOT = "/api/v1"


def sent(client: TestClient, name: str, text: str, **query: Any) -> Any:
    """What became of an upload."""
    begun = client.post(f"{ROOT}/vocabularies", files={"file": (name, text)}, params=query)
    assert begun.status_code == 202, begun.text
    return collect_notices(client, begun.json()["job"])[-2].data["result"]["vocabularies"][0]


def test_a_comma_in_the_name_of_a_file_or_folder_is_part_of_it(tmp_path: Path) -> None:
    """The file would be deleted once the vocabulary was read from it."""
    with open_library(tmp_path / "Reviews, 2026") as library:
        library.add(write(tmp_path / "a.md", markdown("Eels", "An eel swims.")))
        with make_client(library) as client:
            sent(client, "fish, eels.csv", "id,label\nX:1,eel\n")
        (vocabulary,) = library.vocabularies.list()
        assert Path(vocabulary.source).is_file() and vocabulary.source.endswith("fish, eels.csv")


def test_uploads_of_one_name_leave_each_other_alone(library: Library, client: TestClient) -> None:
    """A vocabulary would lose its source to another file of the same name, or to who removes that."""
    query = [{}, {"name": "other"}, {}]
    texts = ["id,label\nX:1,eel\n", "id,label\nX:2,owl\n", "id,label\nX:1,eel\nX:3,cod\n"]

    def add(number: int) -> None:
        sent = {"file": ("v.csv", texts[number])}
        begun = client.post(f"{ROOT}/vocabularies", files=sent, params=query[number])
        assert collect_notices(client, begun.json()["job"])[-2].event == "done"

    def kept() -> dict[str, str]:
        return {one.name: Path(one.source).read_text("utf-8") for one in library.vocabularies.list()}

    add(0)
    add(1)
    assert kept() == {"v": texts[0], "other": texts[1]}
    add(2)
    assert kept() == {"v": texts[2], "other": texts[1]}
    files = [path for path in (library.folder / "vocabularies").rglob("*") if path.is_file()]
    assert len(files) == 2, "the earlier version is gone"
    client.delete(f"{ROOT}/vocabularies/other")
    assert kept() == {"v": texts[2]}


def test_a_read_only_server_changes_nothing(library: Library) -> None:
    """Strangers could fill the library's folder."""
    client = make_client(library, Access(port=80, read_only=True))
    assert client.post(f"{ROOT}/vocabularies", files={"file": ("a.obo", OBO)}).status_code == 403
    assert client.delete(f"{ROOT}/vocabularies/a").status_code == 403
    assert client.get(f"{ROOT}/vocabularies").status_code == 200


def test_gold_is_learnt_of_and_forgotten(client: TestClient, library: Library) -> None:
    """Who has the library in a browser could not have it learn from a corpus."""
    assert sent(client, "cl.obo", OBO)["outcome"] == "added"
    rows = "paper,sentence,words,concept\n1,A neuron star,neuron,\n1,Nervous units,Nervous units,CL:0000540\n"
    rows += "2,Nervous units,Nervous units,CL:0000540\n"
    begun = client.post(f"{ROOT}/name-rules/learn", files={"file": ("said.csv", rows)}, params={"least": 0.5})
    assert begun.status_code == 202, begun.text
    told = collect_notices(client, begun.json()["job"])[-2].data["result"]
    assert (told["papers"], told["use"], told["leave"]) == (2, 1, 1)
    rules = client.get(f"{ROOT}/name-rules").json()["rules"]
    assert {(one["name"], one["verdict"], one["source"]) for one in rules} == {
        ("neuron", "leave", "learnt"),
        ("nervous units", "use", "learnt"),
    }
    assert len(client.delete(f"{ROOT}/name-rules/learnt").json()["forgotten"]) == 2
    assert client.get(f"{ROOT}/name-rules").json()["rules"] == []
    assert not (library.folder / "gold").exists()
