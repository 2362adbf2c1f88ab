"""The YAML that stands before a Markdown article, and what it says in the fields of a record.

Values are read as texts, so that `1999` and `yes` are what was written. Anchors are refused: a few lines of them can
mean gigabytes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import yaml

from conspectus.parse.fields import FieldError

_MOST = 2**16
_BARE = re.compile(r"^(?P<name>[ \t]*(?:- )?[A-Za-z][\w -]{0,40}:[ \t]+)(?P<value>[^\s\"'\[{>|&*!%@`#][^\n]*)$", re.M)


def load_yaml(text: str) -> Any:
    """The value of a YAML text; an unquoted value with a colon in it (`title: Moss: a study`) is taken as it is.

    Raises:
        FieldError: It cannot be read.
    """
    if len(text) > _MOST:
        raise FieldError(f"it is longer than {_MOST:,} characters")
    try:
        return _load(text)
    except FieldError as error:
        quoted = _BARE.sub(lambda line: line["name"] + _quoted(line["value"]), text)
        if quoted == text:
            raise
        try:
            return _load(quoted)
        except FieldError:
            raise error from None


def _load(text: str) -> Any:
    try:
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text)):
            raise FieldError("it uses an alias (*name), which is not read")
        return yaml.load(text, yaml.BaseLoader)  # noqa: S506 - it makes nothing but texts, lists and dictionaries
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 2 if error.problem_mark else 1
        raise FieldError(f"line {line} is not YAML ({error.problem})") from error
    except (yaml.YAMLError, RecursionError) as error:
        raise FieldError(f"it is not YAML ({error})") from error


def _quoted(value: str) -> str:
    return "'" + value.rstrip().replace("'", "''") + "'" if ": " in value or " #" in value else value


def article_fields(values: Mapping[str, Any]) -> dict[str, Any]:
    """Front matter as a record. As in JOSS `tags` are keywords, and authors name their affiliations by number."""
    fields = dict(values)
    if "tags" in fields and not {"keywords", "keyword"} & fields.keys():
        fields["keywords"] = fields.pop("tags")
    places = {_text(place.get("index")): place.get("name") for place in _objects(fields.get("affiliations"))}
    if places.keys() - {""}:
        fields["authors"] = [_with_places(author, places) for author in _list(fields.get("authors"))]
        del fields["affiliations"]
    return fields


def _with_places(author: Any, places: Mapping[str, Any]) -> Any:
    if not isinstance(author, Mapping):
        return author
    numbers = author.get("affiliation", author.get("affiliations"))
    numbers = re.split(r"\s*[,;&]\s*", numbers) if isinstance(numbers, str) else _list(numbers)
    named = [places.get(_text(number)) or number for number in numbers]
    kept = {name: value for name, value in author.items() if name not in ("affiliation", "affiliations")}
    return kept | {"affiliations": named}


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [part for part in _list(value) if isinstance(part, Mapping)]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _text(value: Any) -> str:
    return str(value).strip() if isinstance(value, str | int) else ""
