"""What the audit asks of Crossref, against a local server: refusals, and what is no answer at all."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conspectus.core import http
from conspectus.core.errors import ServiceAwayError, ServiceError
from conspectus.core.version import __version__
from conspectus.references.comparison import CrossrefLookup
from conspectus.services.client import MAX_ANSWER
from conspectus.settings.groups import SourcesSettings
from crossref_server import CrossrefServer, crossref_server, work
from grobid_server import address_of_nobody

GRID = work("Grid <i>cells</i> &amp; maps", "10.1000/Grid.1", 2005, "Tor Haft", "Mai Fyhn", subtitle=["A study"])


def lookup(url: str, mailto: str = "", timeout: float = 30.0) -> CrossrefLookup:
    return CrossrefLookup(SourcesSettings(crossref_url=url, mailto=mailto, timeout=timeout, max_age=0.0))


@pytest.fixture
def server() -> Iterator[CrossrefServer]:
    with crossref_server([GRID], {"10.5281/zenodo.1": "DataCite"}) as made:
        yield made


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    found: list[float] = []
    monkeypatch.setattr(http.time, "sleep", found.append)
    return found


def test_a_work_by_its_doi(server: CrossrefServer) -> None:
    """A reference would be compared with something else than what the DOI stands for."""
    found = lookup(server.url, mailto="me@example.org").work("10.1000/grid.1")
    assert found and (found.title, found.year, found.doi) == ("Grid cells & maps: A study", 2005, "10.1000/grid.1")
    assert [author.surname for author in found.authors] == ["Haft", "Fyhn"]
    ((path, query, headers),) = server.asked
    assert path == "/works/10.1000%2Fgrid.1" and query == {"mailto": ["me@example.org"]}
    assert headers["user-agent"] == f"conspectus/{__version__} (mailto:me@example.org)"


def test_no_work_is_none_rather_than_an_error(server: CrossrefServer) -> None:
    """An invented DOI would look like a service that is away."""
    client = lookup(server.url)
    assert client.work("10.1000/nothing") is None
    assert client.agency("10.1000/nothing") == ""
    assert client.agency("10.5281/zenodo.1") == "DataCite"
    assert "mailto" not in server.asked[0][2]["user-agent"]


def test_works_by_words(server: CrossrefServer) -> None:
    """A work whose DOI is wrong in the list would not be found."""
    (found,) = lookup(server.url).works("grid cells and maps haft", rows=3)
    assert found.doi == "10.1000/grid.1"
    assert server.asked[0][1]["rows"] == ["3"] and server.asked[0][1]["query.bibliographic"] == [
        "grid cells and maps haft"
    ]


def test_odd_signs_in_a_doi_stay_in_the_path(server: CrossrefServer) -> None:
    """A DOI that a model wrote would ask the service for something else than a work."""
    lookup(server.url).work("10.1002/(sici)1<5:4::aid>3.0.co;2-9/../../members?x=1#y")
    (path, query, _) = server.asked[0]
    assert path.startswith("/works/10.1002%2F") and path.count("/") == 2 and not query


def test_what_can_pass_is_tried_again(server: CrossrefServer) -> None:
    """One 'not now' would end an audit of a hundred references."""
    server.say(503)
    assert lookup(server.url).work("10.1000/grid.1") and len(server.asked) == 2


def test_a_service_that_stays_away_says_so(server: CrossrefServer, waits: list[float]) -> None:
    """An outage would be told as references that do not exist."""
    for _ in range(10):
        server.say(503, "closed for repair")
    with pytest.raises(ServiceAwayError, match="503") as caught:
        lookup(server.url).work("10.1000/grid.1")
    assert server.url in caught.value.message and caught.value.hint and caught.value.retry
    with pytest.raises(ServiceAwayError):
        lookup(address_of_nobody(), timeout=2.0).work("10.1000/grid.1")


@pytest.mark.parametrize("status", [400, 401, 403])
def test_a_refusal_is_not_asked_again(server: CrossrefServer, waits: list[float], status: int) -> None:
    """A service that has blocked us would be asked four times more."""
    server.say(status, "go away \x1b[2J")
    with pytest.raises(ServiceError, match=str(status)) as caught:
        lookup(server.url).work("10.1000/grid.1")
    assert not caught.value.retry and len(server.asked) == 1 and not waits


WRONG: dict[str, Any] = {
    "page": b"<html>Please log in</html>",
    "nothing": b"",
    "list": [1],
    "no message": {"status": "ok"},
    "text for a work": {"message": "works"},
    "no identifier": {"message": {"publisher": "x"}},
    "a list for a work": {"message": [{"DOI": "10.1/x"}]},
    "deep": b'{"message":' + b"[" * 100_000,
    "cut": b'{"message": {"DOI"',
    "not UTF-8": b'{"message": {"DOI": "\xff\xfe"}}',
}


@pytest.mark.parametrize("name", WRONG)
def test_an_answer_that_is_none_is_an_error_of_the_service(server: CrossrefServer, name: str) -> None:
    """A login page would be taken for a work, or end in a traceback."""
    server.say(200, WRONG[name])
    with pytest.raises(ServiceError) as caught:
        lookup(server.url).work("10.1000/grid.1")
    assert server.url in caught.value.message and "sources.crossref" in caught.value.hint


def test_an_endless_answer_is_cut(server: CrossrefServer) -> None:
    """A hostile service would fill the memory."""
    server.say(200, b" " * (MAX_ANSWER + 1))
    with pytest.raises(ServiceError, match="larger than"):
        lookup(server.url).work("10.1000/grid.1")


def test_redirects_stay_on_the_host(server: CrossrefServer) -> None:
    """A service would lead the program to an address inside the user's network."""
    server.say(301, location="/works/10.1000%2Fgrid.1")
    assert lookup(server.url).work("10.1000/old")
    server.say(301, location="http://169.254.169.254/secret")
    with pytest.raises(ServiceError, match="another host"):
        lookup(server.url).work("10.1000/old")
    for _ in range(9):
        server.say(302, location="/works/again")
    with pytest.raises(ServiceError, match="without end"):
        lookup(server.url).work("10.1000/old")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from("DOI title author issued date-parts family given name message items".split()), inner
        )
    ),
    max_leaves=12,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(message=JSON)
def test_any_answer_is_a_work_or_an_error_of_the_service(server: CrossrefServer, message: Any) -> None:
    """A record that nobody thought of would end an audit with a traceback."""
    server.answers.clear()
    server.say(200, {"message": message})
    try:
        found = lookup(server.url).work("10.1000/grid.1")
    except ServiceError:
        return
    assert found is not None and "\n" not in found.title


def test_editors_stand_for_authors(server: CrossrefServer) -> None:
    """A reference to a book without authors would be called wrong for the names of its editors."""
    book = work("Maps", "10.1000/book", 1999) | {"editor": [{"given": "Mai", "family": "Fyhn"}]}
    server.say(200, {"message": book})
    found = lookup(server.url).work("10.1000/book")
    assert found and [author.surname for author in found.authors] == ["Fyhn"]


def test_words_for_authors_are_nobody(server: CrossrefServer) -> None:
    """Each letter of a name would become an author."""
    server.say(200, {"message": {"DOI": "10.1/x", "author": "Smith", "title": "T"}})
    found = lookup(server.url).work("10.1/x")
    assert found and not found.authors
