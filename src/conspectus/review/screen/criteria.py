"""Criteria of a screening, from a TOML file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import asdict
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from conspectus.core.disk import read_text, user_path
from conspectus.core.errors import InputError, UsageError, describe_os_error
from conspectus.core.text import line
from conspectus.records.review_screen import ScreeningCriteria

LONGEST_CRITERION = 2000
MOST_CRITERIA = 100
_FORM = """question = "Do beta blockers prevent migraine?"
include = ["Randomized controlled trials", "Adults with migraine"]
reviewers = 2        # labels that each paper needs (default: 1)
decides = "ann"      # whose label counts (default: all have to agree)
[exclude]
"no trial" = "Reviews, letters and case reports\""""

_KEYS = ("name", "question", "include", "exclude", "reviewers", "decides")


def read_criteria(source: str | Path | Mapping[str, Any], text: str = "") -> tuple[ScreeningCriteria, str]:
    """Criteria from a mapping, a TOML file or the text of one, and what they are called.

    Raises:
        InputError: they cannot be read, or are no TOML.
        UsageError: there are none, or a part of them is of another form.
    """
    if isinstance(source, Mapping):
        return parse_criteria(source), line(str(source.get("name", "")))
    if not (source or text):
        raise UsageError("There are no criteria.", f"Write them as\n{_FORM}")
    try:
        table = tomllib.loads(text or read_text(user_path(source)))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(
            f"The criteria cannot be read: {describe_os_error(error)}.", f"Write them as\n{_FORM}"
        ) from error
    name = line(str(table.get("name", ""))) or (user_path(source).stem if source else "")
    return parse_criteria(table), name


def parse_criteria(table: Mapping[str, Any]) -> ScreeningCriteria:
    """Criteria from a table as TOML or a review has it.

    Raises:
        UsageError: there are none, or a part of them is of another form.
    """
    if unknown := [name for name in table if name not in _KEYS]:
        near = get_close_matches(unknown[0].lower(), _KEYS, n=1)
        hint = f"Did you mean `{near[0]}`?" if near else f"There are {', '.join(_KEYS)}."
        raise UsageError(f"Criteria have no `{line(unknown[0])}`.", hint)
    exclude = table.get("exclude", {})
    if isinstance(exclude, list | tuple):
        exclude = dict.fromkeys(exclude, "")
    include = table.get("include", ())
    include = [include] if isinstance(include, str) else include
    texts = [table.get("question", ""), table.get("decides", "")]
    if not isinstance(exclude, Mapping) or not isinstance(include, list | tuple):
        raise UsageError("`include` is a list, and `exclude` a table of reasons.", f"Write them as\n{_FORM}")
    texts += [*include, *exclude, *exclude.values()]
    if not all(isinstance(text, str) and len(text) <= LONGEST_CRITERION for text in texts):
        raise UsageError(
            f"A criterion is a text of at most {LONGEST_CRITERION:,} characters.", f"Write them as\n{_FORM}"
        )
    reviewers = table.get("reviewers", 1)
    if not isinstance(reviewers, int) or isinstance(reviewers, bool) or not 1 <= reviewers <= 20:
        raise UsageError("`reviewers` is a number from 1 to 20.", f"Write them as\n{_FORM}")
    criteria = ScreeningCriteria(
        line(table.get("question", "")),
        tuple(filter(None, map(line, include))),
        {line(reason): line(meaning) for reason, meaning in exclude.items() if line(reason)},
        reviewers,
        line(table.get("decides", "")),
    )
    if not (criteria.question or criteria.include):
        raise UsageError("The criteria have neither a question nor `include`.", f"Write them as\n{_FORM}")
    if len(criteria.include) + len(criteria.exclude) > MOST_CRITERIA:
        raise UsageError(f"There are more than {MOST_CRITERIA} criteria.", "Give fewer.")
    return criteria


def criteria_table(criteria: ScreeningCriteria) -> dict[str, Any]:
    """Criteria as a review keeps them."""
    return asdict(criteria)


def include_text(criteria: ScreeningCriteria) -> str:
    """What a relevant paper would be about."""
    return ". ".join((criteria.question, *criteria.include))


def exclude_texts(criteria: ScreeningCriteria) -> list[str]:
    """What papers that are excluded would be about."""
    return [f"{reason}: {meaning}" if meaning else reason for reason, meaning in criteria.exclude.items()]


def find_reason(criteria: ScreeningCriteria, reason: str) -> str:
    """A reason for exclusion as the criteria have it, by its name in any case.

    Raises:
        UsageError: the criteria have no such reason.
    """
    reason_name = line(reason)
    if not reason_name:
        return ""
    for known in criteria.exclude:
        if known.casefold() == reason_name.casefold():
            return known
    if not criteria.exclude:
        return reason_name  # criteria without reasons: any is as good
    reasons = "; ".join(criteria.exclude)
    raise UsageError(f"The criteria have no reason '{reason_name}' for exclusion.", f"Give one of these: {reasons}.")
