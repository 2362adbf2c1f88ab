"""When a service is asked again."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from conspectus.core.http import RETRY, RetryPolicy, read_retry_after


def test_waits_double_up_to_a_bound() -> None:
    """A service that is away would be asked without a pause, or not again for hours."""
    assert [RETRY.pause(attempt) for attempt in range(4)] == [0.5, 1.0, 2.0, 4.0]
    assert RETRY.pause(99) == RETRY.pause(99_999) == RETRY.longest == 30
    assert RetryPolicy(first=1.0, longest=3.0).pause(2) == 3.0


def test_a_service_says_when() -> None:
    """A service that asks for time would be asked at once, and shut the door."""
    assert (RETRY.pause(0, "7"), RETRY.pause(0, "7200"), RETRY.pause(0, "soon")) == (7.0, 30.0, 0.5)
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=100), usegmt=True)
    assert 90 < read_retry_after(soon) <= 100
    assert read_retry_after(format_datetime(datetime.now(UTC) - timedelta(days=1), usegmt=True)) == 0.0
    assert read_retry_after("9" * 400) == 999_999 and read_retry_after("") == read_retry_after("٣") == 0.0


@pytest.mark.parametrize(("status", "may"), [(429, True), (503, True), (529, True), (501, False), (404, False)])
def test_what_is_permanent_is_not_asked_again(status: int, may: bool) -> None:
    """Minutes would be spent on what can never succeed, or a passing trouble would end an `add`."""
    assert RETRY.may_pass(status) is may
