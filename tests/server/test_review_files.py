"""Tables and reports of reviews as files, as the page saves them."""

import pytest
from starlette.testclient import TestClient

from conspectus import Library

TABLES, REPORTS = "/api/v1/reviews/tables/Cells/file", "/api/v1/reviews/reports/Grid/file"


@pytest.fixture
def reviews(library: Library) -> None:
    library.review.table("lattice; frequency (number, Hz)", name="Cells", model="none")
    library.review.report("What do grid cells do?", name="Grid", outline=True, sections=1)


@pytest.mark.usefixtures("reviews")
@pytest.mark.parametrize(
    ("address", "to", "has"),
    [
        (TABLES, "csv", "frequency,frequency unit,frequency number"),
        (TABLES, "html", "<th>lattice"),
        (TABLES, "md", "| lattice"),
        (REPORTS, "md", "What do grid cells do?"),
        (REPORTS, "html", "<h1>"),
        (REPORTS, "bib", "@"),
    ],
)
def test_a_review_is_saved_as_a_file(client: TestClient, address: str, to: str, has: str) -> None:
    """Nobody could take a table or a report out of the page."""
    answer = client.get(address, params={"to": to})
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-disposition"].endswith(f'.{to}"')
    assert has in answer.text


@pytest.mark.usefixtures("reviews")
@pytest.mark.parametrize(
    ("address", "params", "status"),
    [
        (TABLES, {"to": "doc"}, 422),
        (TABLES, {"where": "colour is red"}, 404),
        (TABLES.replace("Cells", "Gone"), {}, 404),
        (REPORTS.replace("Grid", "Gone"), {}, 404),
    ],
)
def test_a_file_that_cannot_be_is_a_problem(
    client: TestClient, address: str, params: dict[str, str], status: int
) -> None:
    """A page of an error would be saved under the name of a table."""
    answer = client.get(address, params=params)
    assert answer.status_code == status, answer.text
    assert answer.json()["detail"]
