"""The API, asked what its description allows and what it does not: a described answer comes back."""

from collections import Counter
from typing import Any

import pytest
import schemathesis
from fastapi import FastAPI
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from conspectus import Library
from conspectus.server.access import Access
from conspectus.server.app import create_app

CHECKS: list[Any] = [
    not_a_server_error,
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
]
STREAMS = r"/events$"
"""Have no end."""


@pytest.mark.slow
def test_whatever_is_asked_is_answered_as_described(library: Library, subtests: pytest.Subtests) -> None:
    """A page made of the description would break on an answer that it does not tell of, or on a fault."""
    app = create_app(library, Access(port=80))
    described = schemathesis.openapi.from_asgi("/api/v1/openapi.json", app, headers={"host": "localhost"})
    asked, answered = 0, Counter[int]()
    for found in described.exclude(path_regex=STREAMS).get_all_operations():
        operation = found.ok()
        with subtests.test(operation.label):
            asked += 1
            ask(app, operation.as_strategy(), answered)
            if takes_less_than_all(operation):
                ask(app, operation.as_strategy(generation_mode=GenerationMode.NEGATIVE), answered)
    assert asked > 30 and {200, 202, 404, 422} <= set(answered), answered


def takes_less_than_all(operation: Any) -> bool:
    """Whether something can be wrong to ask: any text may be a name in the path."""
    names = [one.definition["schema"] for one in operation.path_parameters]
    others = (*operation.query, *operation.headers, *operation.cookies)
    return bool(
        operation.body
        or others
        or any(name.keys() - {"title", "description", "examples"} != {"type"} for name in names)
    )


def ask(app: FastAPI, cases: Any, answered: Counter[int]) -> None:
    """One after another: a library that a job is writing to would answer the next that it is busy."""

    @settings(
        max_examples=2,
        deadline=None,
        derandomize=True,
        database=None,
        phases=(Phase.explicit, Phase.generate),
        suppress_health_check=list(HealthCheck),
    )
    @given(case=cases)
    def each(case: Any) -> None:
        answered[case.call_and_validate(checks=CHECKS, headers={"host": "localhost"}).status_code] += 1
        assert all(job.wait(120) for job in app.state.board.jobs())

    each()
