"""The map over HTTP: its points as columns of numbers, and what some of them are."""

from pathlib import Path
from typing import Any

import numpy as np
from starlette.testclient import TestClient

from conspectus import Library
from helpers import write_jsonl

ROOT = "/api/v1"


def test_points_are_columns_that_the_map_has(client: TestClient, library: Library) -> None:
    """A page would draw papers where they are not, or hundreds of thousands of them would come as words."""
    assert client.get(f"{ROOT}/map/points").status_code == 404
    found = library.map.build(method="pca")
    sent = client.get(f"{ROOT}/map/points")
    assert sent.headers["content-type"] == "application/octet-stream" and len(sent.content) == 14 * len(found)
    spots = np.frombuffer(sent.content, "<f4", 2 * len(found)).reshape(-1, 2)
    regions = np.frombuffer(sent.content, "<i4", len(found), spots.nbytes)
    years = np.frombuffer(sent.content, "<i2", len(found), spots.nbytes + regions.nbytes)
    assert (spots == found.positions).all() and (regions == found.region_ids[:, -1]).all()
    assert years.tolist() == found.years.tolist()


def test_points_come_again_only_where_the_map_is_another(client: TestClient, library: Library, tmp_path: Path) -> None:
    """Megabytes would be sent at each look, or a page would keep what is no more."""
    region = library.map.build(method="pca").regions[0].id
    tags = [client.get(f"{ROOT}/map/points").headers["etag"]]
    held = {"if-none-match": tags[0]}
    assert client.get(f"{ROOT}/map/points", headers=held).status_code == 304
    state = client.get(f"{ROOT}/map?points=false").json()["state"]
    assert tags[0] == f'"{state}"'
    changes = [
        lambda: library.map.name(region, "Cells"),
        lambda: library.remove("p0"),
        lambda: library.add(
            write_jsonl(tmp_path / "b.jsonl", [{"id": "p9", "title": "Eels", "abstract": "Eels swim."}])
        ),
        library.map.build,
        lambda: library.map.names("phrases"),
    ]
    for change in changes:
        change()
        sent = client.get(f"{ROOT}/map/points", headers=held)
        assert sent.status_code == 200
        tags.append(sent.headers["etag"])
    assert len(set(tags)) == len(tags)
    assert client.get(f"{ROOT}/map?points=false").json()["texts"] == 3


def test_an_overlay_says_of_which_map_it_is(client: TestClient, library: Library) -> None:
    """A page would paint values onto the points of another map."""
    region = library.map.build(method="pca").regions[0].id

    def asked(**query: str) -> Any:
        return client.get(f"{ROOT}/map/overlay", params={"name": "density", **query})

    assert asked().json()["state"] == client.get(f"{ROOT}/map?points=false").json()["state"]
    before = asked().json()["state"]
    library.map.name(region, "Cells")
    assert asked().json()["state"] != before
    assert "only of 1900–1901" in asked(year="1900..1901").json()["legend"]["meaning"]
    assert asked(year="1900..1901").json()["values"] == [None] * len(library.map.build())
    assert asked(year="now").status_code == 400


def test_gaps_and_trends_are_of_the_years_asked_for(client: TestClient, library: Library) -> None:
    """A page that shows some years would list the gaps and the bars of all."""
    found = library.map.build(method="pca")

    def asked(path: str, **query: Any) -> Any:
        return client.get(f"{ROOT}/{path}", params=query)

    assert sum(gap["papers"] for gap in asked("map/gaps").json()["regions"]) == len(found)
    in_2002 = int((found.years == 2002).sum())
    assert 0 < in_2002 < len(found)
    assert sum(gap["papers"] for gap in asked("map/gaps", year="2002").json()["regions"]) == in_2002
    region = found.regions[0].id
    assert {one["year"] for one in asked("map/trends", topic=region, year="2002..2002").json()["years"]} <= {2002}
    assert (
        asked("map/gaps", year="now").status_code == asked("map/trends", topic=region, year="2..1").status_code == 400
    )
    assert asked("map/impact", words="place", year="1900").status_code == 404


def test_texts_are_told_by_their_numbers(client: TestClient, library: Library) -> None:
    """Who points at a dot would read another paper's title: of a map that there is no more, too."""
    found = library.map.build(method="pca")
    asked = {"rows": [2, 0], "state": found.state}
    texts = client.post(f"{ROOT}/map/texts", json=asked).json()["texts"]
    assert [one["paper"] for one in texts] == [found.papers[2], found.papers[0]]
    assert texts[0]["title"] == found.titles[2] and texts[0]["byline"] == "Moser" and texts[0]["year"] == 2002
    assert client.post(f"{ROOT}/map/texts", json={"rows": [3]}).status_code == 404
    assert client.post(f"{ROOT}/map/texts", json={"rows": [0] * 10_001}).status_code == 422
    library.map.name(found.regions[0].id, "Cells")
    refused = client.post(f"{ROOT}/map/texts", json=asked)
    assert refused.status_code == 404 and "changed" in refused.json()["detail"]
