"""Reviews of an export that somebody has changed: each is refused by its name, and nothing breaks later."""

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from conspectus import Library
from conspectus.cli.app import app
from conspectus.core.errors import InputError
from conspectus.core.job_context import Notice, listen
from conspectus.records.review import Review, ReviewEntry
from conspectus.review.stored_forms import check_stored
from helpers import HashEmbedder, open_library, write_jsonl
from serving import collect_notices, make_client

MADE = "2026-01-02T03:04:05+00:00"
FILTERS: dict[str, Any] = {"year": None, "venue": [], "kind": [], "full_text": None}
SPECS: dict[str, dict[str, Any]] = {
    "rank": {"criterion": "size", "method": "active", "judge": "user", "budget": 10, "filters": FILTERS},
    "classify": {
        "categories": [{"name": "Sun", "description": "the Sun"}, {"name": "Moon", "description": "the Moon"}],
        "several": False,
        "least": 0.5,
        "by": "vectors",
        "digests": {"vectors": "abc"},
        "filters": FILTERS,
    },
    "screen": {"criteria": {"question": "Why?", "include": ["trials"], "exclude": {"no trial": ""}}},
    "table": {
        "columns": [
            {"name": "dose", "kind": "number", "unit": "mg", "choices": []},
            {"name": "design", "kind": "choice", "unit": "", "choices": ["trial", "cohort"]},
        ]
    },
    "report": {
        "question": "What is known?",
        "stage": "outlined",
        "sections": [{"answer": "ans-0123abcd", "title": "One", "kept": False}],
        "with": ["consensus", "table:rev-0123abcd"],
        "notes": {"outline": ""},
        "coverage": {"searched": 3},
    },
}
VALUES: dict[str, dict[str, Any]] = {
    "rank": {"preferred": "first", "reason": "", "spans": []},
    "classify": {
        "categories": [{"name": "Sun", "probability": 0.5, "passage": "", "span": ""}],
        "closest": None,
        "learnt": False,
    },
    "screen": {"label": "exclude", "reason": "no trial"},
    "table": {"value": "5", "unit": "mg", "status": "edited", "why": "", "number": 5.0, "spans": [], "of": ""},
    "report": {"spans": ["a", "b"], "why": "they differ", "score": 0.3},
}
DEEP: Any = []
for _ in range(200):
    DEEP = [DEEP]
GONE = object()
Change = tuple[tuple[str | int, ...], Any]
HOSTILE: dict[str, list[Change]] = {
    "rank": [
        (("criterion",), GONE),
        (("criterion",), 7),
        (("criterion",), "\u200b\x1b"),
        (("criterion",), "x" * 20_000),
        (("method",), "worst"),
        (("method",), GONE),
        (("judge",), ["user"]),
        (("budget",), "many"),
        (("budget",), -5),
        (("budget",), 10**300),
        (("budget",), None),
        (("filters",), "all"),
        (("filters",), {"year": [2020, 1990]}),
        (("filters",), {"kind": ["poem"]}),
    ],
    "classify": [
        (("categories",), GONE),
        (("categories",), {}),
        (("categories",), []),
        (("categories",), [7]),
        (("categories", 0), {"name": "Sun"}),
        (("categories", 0, "name"), "Moon"),
        (("categories", 0, "name"), "none"),
        (("categories", 0, "name"), "Sun\x1b[2J\n"),
        (("categories",), [{"name": f"c{n}", "description": f"of {n}"} for n in range(5000)]),
        (("several",), "no"),
        (("least",), 7),
        (("least",), "half"),
        (("by",), GONE),
        (("by",), "<script>"),
        (("digests",), ["vectors"]),
        (("digests",), {"vectors": DEEP}),
    ],
    "screen": [
        (("criteria",), GONE),
        (("criteria",), "all"),
        (("criteria",), {}),
        (("criteria", "question"), 7),
        (("criteria", "include"), 7),
        (("criteria", "include"), [[]]),
        (("criteria", "exclude"), "none"),
        (("criteria", "exclude"), {"a": None}),
        (("criteria", "reviewers"), "two"),
        (("criteria", "reviewers"), 0),
        (("criteria", "decides"), ["ann"]),
        (("criteria", "prompt"), "ignore all"),
        (("ended",), "tomorrow"),
        (("ended",), {"at": "once"}),
        (("criteria", "include"), ["x" * 5000]),
    ],
    "table": [
        (("columns",), GONE),
        (("columns",), []),
        (("columns",), "dose"),
        (("columns", 0), "dose"),
        (("columns", 0, "name"), ""),
        (("columns", 0, "name"), None),
        (("columns", 0, "name"), "DESIGN"),
        (("columns", 0, "name"), "dose\n\x1b[2J"),
        (("columns", 0, "kind"), "formula"),
        (("columns", 0, "unit"), "mgs of love"),
        (("columns", 0, "unit"), 7),
        (("columns", 1, "choices"), []),
        (("columns", 1, "choices"), "trial|cohort"),
        (("columns", 0, "script"), "x"),
        (("columns",), [{"name": f"c{n}", "kind": "text", "unit": "", "choices": []} for n in range(500)]),
    ],
    "report": [
        (("question",), GONE),
        (("question",), ""),
        (("question",), {"a": 1}),
        (("stage",), 7),
        (("stage",), "done"),
        (("sections",), {"answer": "ans-1"}),
        (("sections", 0), "ans-1"),
        (("sections", 0, "answer"), GONE),
        (("sections", 0, "answer"), "../../etc/passwd"),
        (("sections", 0, "title"), None),
        (("with",), ["table:../x"]),
        (("with",), ["movies"]),
        (("with",), "figures"),
        (("notes",), {"outline": 7}),
        (("coverage",), {"searched": -1}),
        (("coverage",), {"miles": 1}),
    ],
}
VALUE_HOSTILE: dict[str, list[Change]] = {
    "rank": [(("preferred",), "third"), (("preferred",), GONE), (("spans",), "all"), (("reason",), 7)],
    "classify": [(("categories",), GONE), (("categories", 0), "Sun"), (("closest",), "Sun"), (("learnt",), 3)],
    "screen": [(("label",), "maybe"), (("label",), GONE), (("reason",), []), (("resolves",), "yes")],
    "table": [(("spans",), GONE), (("number",), "five"), (("status",), "true"), (("value",), 5)],
    "report": [(("spans",), []), (("spans",), ["a", 2]), (("score",), "high"), (("why",), GONE)],
}


def changed(whole: dict[str, Any], change: Change) -> dict[str, Any]:
    """A copy with one part of it replaced or taken out."""
    (*way, last), value = change
    made = at = deepcopy(whole)
    for step in way:
        at = at[step]  # type: ignore[index]
    if value is GONE:
        del at[last]  # type: ignore[arg-type]
    else:
        at[last] = value  # type: ignore[index]
    return made


def review(kind: Any, spec: Any, name: str = "Mine") -> Review:
    return Review("rev-0123abcd", kind, name, spec, 0, MADE, MADE)


def entry(kind: str, value: Any) -> ReviewEntry:
    return ReviewEntry("p0", "f", "ann", value, "p1" if kind in ("rank", "report") else "", MADE)


def hostile_lines() -> Iterator[dict[str, Any]]:
    """One review of an export for each wrong part, each under a name of its own."""
    number = 0
    for kind, spec in SPECS.items():
        for change in HOSTILE[kind]:
            number += 1
            yield {
                **{"schema": "conspectus.review/1", "review": f"rev-{number:08x}", "kind": kind},
                **{"name": f"Bad {kind} {number}", "spec": changed(spec, change), "papers": ["p0", "p1"]},
                **{"entries": [], "made": MADE, "updated": MADE},
            }


@pytest.mark.parametrize("kind", SPECS)
def test_a_review_of_each_kind_is_taken(kind: str) -> None:
    """A check that is too strict would lose the reviews of a library that moves."""
    check_stored(review(kind, SPECS[kind]), [entry(kind, VALUES[kind])])


@pytest.mark.parametrize(("kind", "number"), [(kind, n) for kind, own in HOSTILE.items() for n in range(len(own))])
def test_what_a_review_asks_is_checked(kind: str, number: int) -> None:
    """A page or a verb would fail for good, with an error that names nothing."""
    with pytest.raises(InputError, match="'Mine' is damaged"):
        check_stored(review(kind, changed(SPECS[kind], HOSTILE[kind][number])), [])


@pytest.mark.parametrize("kind", SPECS)
def test_what_a_review_says_is_checked(kind: str) -> None:
    """One wrong verdict, label or cell would keep a whole review from being shown."""
    for change in VALUE_HOSTILE[kind]:
        with pytest.raises(InputError, match="'Mine' is damaged"):
            check_stored(review(kind, SPECS[kind]), [entry(kind, changed(VALUES[kind], change))])


@pytest.mark.parametrize(
    "head",
    [
        {"id": "rev-1/../x"},
        {"id": ""},
        {"name": ""},
        {"name": "\u202e"},
        {"name": "x" * 5000},
        {"made": "yesterday"},
        {"updated": "9"},
    ],
)
def test_names_and_moments_are_checked(head: dict[str, str]) -> None:
    """A name that nobody sees, or a moment that sorts before all others, would hide a user's own reviews."""
    values = {"id": "rev-1", "kind": "rank", "name": "Mine", "spec": SPECS["rank"], "papers": 0}
    with pytest.raises(InputError, match="is damaged"):
        check_stored(Review(**{**values, "made": MADE, "updated": MADE, **head}), [])  # type: ignore[arg-type]


@pytest.fixture
def whole(tmp_path: Path, quick_pool: None) -> Path:
    """An export with a good screening and every hostile review."""
    records = [{"id": f"p{n}", "title": f"Trial number {n} of coffee", "abstract": "It was drunk."} for n in range(2)]
    with open_library(tmp_path / "one") as one:
        one.add(write_jsonl(tmp_path / "refs.jsonl", records))
        one.review.screen({"question": "Coffee?"}, name="Good")
        one.export("library", tmp_path / "whole.jsonl")
    with (tmp_path / "whole.jsonl").open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in hostile_lines())
    return tmp_path / "whole.jsonl"


def assert_works(library: Library) -> None:
    """The good review is the only one, and lists of every kind work."""
    assert [one.name for one in library.review.list()] == ["Good"]
    assert library.review.screen_status("Good").papers == 2


def test_the_command_line_names_what_it_refuses(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever was sent an export has to see which reviews did not come."""
    monkeypatch.setattr("conspectus.models.registry.make_embedder", lambda _: HashEmbedder())
    result = CliRunner().invoke(app, ["--library", str(tmp_path / "two"), "add", str(whole)])
    said = result.output
    assert result.exit_code == 0, said
    for line in hostile_lines():
        assert f"'{line['name']}' is damaged" in said, line
    with open_library(tmp_path / "two") as two:
        assert_works(two)


def test_a_server_names_what_it_refuses(whole: Path, tmp_path: Path, quick_pool: None) -> None:
    """An upload must not make the pages of reviews fail for everybody."""
    with open_library(tmp_path / "two") as two, make_client(two) as client:
        begun = client.post("/api/v1/files", files={"file": ("whole.jsonl", whole.read_bytes())})
        said = json.dumps([one.data for one in collect_notices(client, begun.json()["job"])])
        for line in hostile_lines():
            assert f"'{line['name']}' is damaged" in said, line
        listed = client.get("/api/v1/reviews").json()["reviews"]
        assert [one["name"] for one in listed] == ["Good"]
        assert client.get("/api/v1/reviews/screenings/Good").status_code == 200
        assert_works(two)


def test_a_report_takes_no_answer_of_the_user(tmp_path: Path, quick_pool: None) -> None:
    """Deleting a report that came by mail would delete an answer of the user's own; a table would become a report."""
    with open_library(tmp_path / "lib") as library, listen((told := []).append, Notice):
        library.add(write_jsonl(tmp_path / "refs.jsonl", [{"id": "p", "title": "Coffee", "abstract": "It was drunk."}]))
        answer = library.ask("Was coffee drunk?")
        table = library.review.table("dose (number)", name="Doses")
        library.export("library", tmp_path / "whole.jsonl")
        head = {"schema": "conspectus.review/1", "kind": "report", "papers": [], "entries": []}
        spec = changed(SPECS["report"], (("sections", 0, "answer"), answer.id))
        with (tmp_path / "whole.jsonl").open("a", encoding="utf-8") as file:
            for number, (name, asked) in enumerate({"Thief": spec, "Twin": SPECS["report"]}.items()):
                own = "rev-00000001" if not number else table.id
                moments = {"made": MADE, "updated": "2030-01-01T00:00:00+00:00"}
                file.write(json.dumps({**head, "review": own, "name": name, "spec": asked, **moments}) + "\n")
        library.add(tmp_path / "whole.jsonl")
        assert [one.name for one in library.review.list()] == ["Doses"]
        assert library.review.table_show("Doses").columns[0].name == "dose"
    text = "\n".join(one.text for one in told)
    assert "'Thief' has an answer of yours" in text and "'Twin' has the id of the table 'Doses'" in text
