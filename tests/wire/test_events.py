"""Events of jobs as JSON: what a page or another program reads, and what their schema promises."""

import json
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from conspectus import records
from conspectus.core.errors import NotFoundError, ServiceAwayError
from conspectus.records import events
from conspectus.records.events import Failed, Filed, Finished, JobEvent, JobLogEntry, Progress, Reset, Started
from conspectus.wire import encode
from conspectus.wire import events as wire
from helpers import open_library, write_jsonl

pytestmark = pytest.mark.usefixtures("quick_pool")
RECORDS = [{"id": f"p{n}", "title": f"Work {n}", "abstract": f"Cats purr at {n} hertz."} for n in range(3)]
PAPER = records.Paper(id="p", title="Purring", year=2001)
CITATION = records.Citation(PAPER, "p:1", (), "Cats purr.")


def said(event: JobEvent) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(json.dumps(wire.event(JobLogEntry("job-1", 7, 0.0, event))))
    return told


def test_a_job_in_json(tmp_path: Path) -> None:
    """A page could not show how far an answer is, nor go on after a lost connection."""
    with open_library(tmp_path / "lib") as library:
        library.add(write_jsonl(tmp_path / "a.jsonl", RECORDS))
        job = library.begin(library.ask, "At how many hertz do cats purr?")
        told = [wire.event(entry) for entry in job.journal.follow()]
    assert {event["job"] for event in told} == {job.id}
    assert [event["seq"] for event in told] == sorted({event["seq"] for event in told})
    kinds = [event["kind"] for event in told]
    assert kinds[0] == "started" and kinds[-1] == "done" and {"searching", "statement", "answer"} <= set(kinds)
    assert told[-1]["result"] == encode.body(job.result()), "the command line's JSON"
    every = reduce(or_, wire._types().values())
    for event in told:
        msgspec.json.decode(json.dumps(event), type=every)


def test_each_event_says_its_kind() -> None:
    """A reader would not know what it has before it."""
    told = said(Progress("adding", 1, 2, "bytes", "a.pdf", (1, 2), 3))
    assert told == {
        **{"kind": "progress", "job": "job-1", "seq": 7, "at": "1970-01-01T00:00:00.000+00:00"},
        **{"stage": "adding", "done": 1, "total": 2, "unit": "bytes", "detail": "a.pdf", "files": [1, 2], "papers": 3},
    }
    assert said(events.Cited(CITATION))["citation"] == {
        **{"paper": json.loads(json.dumps(encode.brief(PAPER))), "passage_id": "p:1", "quote": "Cats purr."},
        **{"marker": CITATION.marker, "spans": []},
    }
    assert said(Filed("added", records.LedgerRow("a.pdf", "stored")))["file"]["path"] == "a.pdf"
    assert said(Finished([records.Finding("disk", True, "well")]))["result"][0]["check"] == "disk"


@pytest.mark.parametrize(
    ("error", "status", "retry"),
    [(NotFoundError("No.", "Look."), 404, False), (ServiceAwayError("No."), 503, True), (ValueError("x"), 500, False)],
)
def test_an_error_says_its_remedy(error: Exception, status: int, retry: bool) -> None:
    """A page could not say what to do, nor whether to try again."""
    told = said(Failed(error))["error"]
    assert (told["status"], told["retry"]) == (status, retry)
    assert told["type"] == (type(error).__name__ if status < 500 or retry else "UnexpectedError")
    assert told["hint"] == getattr(error, "hint", "The server's output says what.")
    assert "x" not in told["message"], "what an error that should not be there says is nobody's business"


def test_reports_are_as_the_command_line_has_them(tmp_path: Path) -> None:
    """A page would need a second way to read what became of files."""
    with open_library(tmp_path / "lib") as library:
        report = library.add(write_jsonl(tmp_path / "a.jsonl", RECORDS))
    (file,) = said(Finished(report))["result"]["files"]
    assert (file["outcome"], file["papers"]) == ("added", 3)
    assert said(Finished(records.SummariseReport(failed={"p": "short"})))["result"]["failed"][0]["paper"] == "p"


def test_every_event_has_a_kind_of_its_own() -> None:
    """One that was added to the records, and not here, would break the stream that it comes in."""
    every = {*get_args(events.JobEvent)} | {*get_args(events.Event)}
    assert set(wire._KINDS) == every
    assert len({kind for kind, _ in wire._KINDS.values()}) == len(every)


def test_the_schema_says_what_comes() -> None:
    """Types made of it, for a page, would be of something else."""
    schema = wire.schema("#/components/schemas/{name}")
    mapping = schema["discriminator"]["mapping"]
    assert set(mapping) == {kind for kind, _ in wire._KINDS.values()}
    for event in (Started("ask"), Reset(), events.StatementChecked(records.Statement("Cats.", "quoted", (CITATION,)))):
        told = said(event)
        part = schema["$defs"][mapping[told["kind"]].rpartition("/")[2]]
        assert list(told) == part["required"] == list(part["properties"])
    names = json.dumps(schema).split("#/components/schemas/")[1:]
    assert {name.partition('"')[0] for name in names} <= schema["$defs"].keys()
