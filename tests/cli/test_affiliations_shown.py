"""What `show` says of where a paper's authors work, and of what its source says besides."""

from conspectus.library.show_views import _in_line, _places
from conspectus.records import Author, Paper


def test_places_are_shown_with_those_who_work_there() -> None:
    """Lost otherwise: affiliations, which were in --json and exports only."""
    ada, bo = Author("Ada Roe", affiliations=("Ice Lab", "Moon Lab")), Author("Bo Day", affiliations=("Ice Lab",))
    paper = Paper(id="p1", authors=(ada, bo))
    assert list(_places(paper)) == ["Ice Lab", "Moon Lab (Roe)"]


def test_of_many_places_the_rest_is_counted() -> None:
    """Lost otherwise: the screen, to the paper of a collaboration."""
    paper = Paper(id="p1", authors=tuple(Author(f"A. B{i}", affiliations=(f"Lab {i}",)) for i in range(40)))
    shown = list(_places(paper))
    assert (len(shown), shown[-1]) == (13, "… and 28 more, in --json")


def test_lists_of_a_source_are_shown_without_the_signs_of_a_program() -> None:
    """Lost otherwise: the reader, to `['Roe 1991', None, None]`."""
    assert _in_line(["Roe 1991", None, "", ["a", 2]]) == "Roe 1991; a; 2"
    assert _in_line({"code": 1, "place": None, "lab": ["Ice", "Moon"]}) == "code: 1; lab: Ice; Moon"
    assert _in_line(0.5) == 0.5
