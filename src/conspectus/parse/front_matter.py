"""The YAML front matter of a Markdown article, and its values as fields of a record.

Values are read as text, so `1999` and `yes` stay as written. Aliases are refused: a few lines of them can expand to
gigabytes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import yaml

from conspectus.parse.fields import FieldError

_MOST = 2**16
_BARE = re.compile(r"^(?P<name>[ \t]*(?:- )?[A-Za-z][\w -]{0,40}:[ \t]+)(?P<value>[^\s\"'\[{>|&*!%@`#][^\n]*)$", re.M)

_NOTE = re.compile(r"\^\[(?:[^\[\]]|\[[^\[\]]*\])*\]|\[\^[^\]\s]{1,40}\]|\^[^\s^]{1,20}\^")
"""A footnote, a mark of one, or a superscript, as Pandoc writes them: `^[equal share]`, `[^1]`, `^1,2^`."""
_WITH_NOTES = ("title", "subtitle", "author", "authors")


def load_yaml(text: str) -> Any:
    """The value of a YAML text; an unquoted value may contain a colon (`title: Moss: a study`).

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
    fields = {name: _without_notes(value) if name in _WITH_NOTES else value for name, value in values.items()}
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
    numbers = [part.strip() for part in re.split("[,;&]", numbers)] if isinstance(numbers, str) else _list(numbers)
    named = [places.get(_text(number)) or number for number in numbers]
    kept = {name: value for name, value in author.items() if name not in ("affiliation", "affiliations")}
    return kept | {"affiliations": named}


def _without_notes(value: Any) -> Any:
    if isinstance(value, str):
        return _NOTE.sub("", value)
    if isinstance(value, list):
        return [_without_notes(part) for part in value]
    return {name: _without_notes(part) for name, part in value.items()} if isinstance(value, dict) else value


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [part for part in _list(value) if isinstance(part, Mapping)]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _text(value: Any) -> str:
    return str(value).strip() if isinstance(value, str | int) else ""
