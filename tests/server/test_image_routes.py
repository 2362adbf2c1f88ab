"""Collections of images, asked as a page asks."""

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from starlette.testclient import TestClient

from conspectus import Library
from conspectus.server.access import Access
from serving import collect_notices, make_client

ROOT = "/api/v1/images"


@pytest.fixture
def folder(library: Library, tmp_path: Path) -> Path:
    made = tmp_path / "sem"
    made.mkdir()
    for number in range(4):
        tones = np.random.default_rng(number).integers(0, 255, (5, 6, 3), np.uint8)
        Image.fromarray(tones).resize((60, 50)).save(made / f"{number}.png")
    library.images.add(made, collection="sem")
    return made


def test_listed_shown_grouped_and_seen(client: TestClient, folder: Path) -> None:
    """A page shows what is there, each with its small picture."""
    assert client.get(f"{ROOT}/collections").json()["collections"] == [{"name": "sem", "images": 4}]
    found = client.get(ROOT, params={"where": "part=2", "collection": "sem"}).json()
    assert [Path(one["path"]).name for one in found["images"]] == ["2.png"] and found["total"] == 1
    one = found["images"][0]["id"]
    assert client.get(f"{ROOT}/{one}").json()["images"][0]["facts"]["folder"] == ["sem"]
    small = client.get(f"{ROOT}/{one}.jpg")
    assert small.headers["content-type"] == "image/jpeg"
    assert Image.open(io.BytesIO(small.content)).size == (60, 50)
    assert client.get(f"{ROOT}/clusters", params={"k": 2}).json()["searched"] == 4
    assert client.get(f"{ROOT}/duplicates").json()["groups"] == []
    begun = client.post(f"{ROOT}/map", json={"method": "pca"}).json()["job"]
    placed = collect_notices(client, begun)[-2].data["result"]
    assert len(placed["images"]) == len(placed["x"]) == len(placed["y"]) == 4 and one in placed["images"]
    begun = client.post(f"{ROOT}/map", json={"collection": "none"}).json()["job"]
    assert collect_notices(client, begun)[-2].event == "failed"
    assert client.get(ROOT, params={"where": "nothing"}).status_code == 400
    assert client.get(f"{ROOT}/none").status_code == client.get(f"{ROOT}/none.jpg").status_code == 404


def test_found_by_an_uploaded_picture(library: Library, client: TestClient, folder: Path) -> None:
    """Also where nothing may be changed; what is no picture is told, and none is kept."""
    sent = {"file": ("x.png", (folder / "3.png").read_bytes())}
    for asked in (client, make_client(library, Access(port=80, read_only=True))):
        hits = asked.post(f"{ROOT}/search", files=sent, params={"k": 2}).json()["hits"]
        assert (
            collect_notices(asked, asked.post(f"{ROOT}/map", json={"method": "pca"}).json()["job"])[-2].event == "done"
        )
        assert [hit["rank"] for hit in hits] == [1, 2] and hits[0]["path"] == str(folder / "3.png")
        assert hits[0]["collection"] == "sem" and hits[0]["score"] == pytest.approx(1, abs=1e-3)
    part = client.post(f"{ROOT}/search", files=sent, params={"crop": "0.5,0.5,0.5,0.5", "measure": "euclidean"})
    assert part.json()["hits"][0]["score"] > 0
    assert client.post(f"{ROOT}/search", files=sent, params={"crop": "1,2"}).status_code == 400
    svg = client.post(f"{ROOT}/search", files={"file": ("x.png", b"<svg onload='x()'/>")})
    assert svg.status_code == 422 and "SVG" in svg.json()["detail"]
    assert not (library.folder / "files").exists()


def test_who_may_only_read_removes_nothing(library: Library, folder: Path) -> None:
    reader = make_client(library, Access(port=80, read_only=True))
    assert reader.delete(ROOT, params={"collection": "sem"}).status_code == 403
    assert library.images.list().total == 4


def test_an_upload_has_a_bound(library: Library, folder: Path) -> None:
    """Somebody could fill the disk; a picture of some megabytes is none too many."""
    with make_client(library, uploads=3 * 2**20) as client:
        large = client.post(f"{ROOT}/search", files={"file": ("x.png", bytes(4 * 2**20))})
        assert large.status_code == 413
        assert client.post(f"{ROOT}/search", files={"file": ("x.png", bytes(2 * 2**20))}).status_code == 422


def test_a_picture_that_is_sent_has_a_bound_of_its_own(
    library: Library, client: TestClient, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Uploads of papers may be large; a picture is held in memory."""
    monkeypatch.setattr("conspectus.server.exchange.MOST_PICTURE", 2**20)
    for route in ("/images/search", "/figures/like"):
        wrong = client.post(f"/api/v1{route}", files={"file": ("main.tex", b"no picture")}).json()
        assert wrong["detail"].startswith("'main.tex' is no picture")
        large = client.post(f"/api/v1{route}", files={"file": ("x.png", bytes(2**20 + 1))})
        assert large.status_code == 413 and "more than 1 MB" in large.json()["detail"]


def test_what_is_of_a_picture_is_not_passed_over(client: TestClient) -> None:
    """Who asks for a part of nothing would get an answer to something else."""
    for asked in ({"q": "cats", "crop": "0,0,1,1"}, {"measure": "dot"}):
        refused = client.get("/api/v1/figures", params=asked)
        assert refused.status_code == 400 and "like=FIGURE" in refused.text
