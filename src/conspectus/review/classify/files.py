"""Categories from a TOML file, and labels of papers from a CSV file."""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conspectus.core.disk import read_text, user_path
from conspectus.core.errors import InputError, NotFoundError, UsageError, describe_os_error
from conspectus.core.text import line, read_table
from conspectus.records.curation import LONGEST_NAME
from conspectus.records.filters import set_term
from conspectus.records.review import NONE, Category
from conspectus.session.session import Session

MOST_CATEGORIES = 100
LONGEST_DESCRIPTION = 2000
MOST_LABELS = 100_000
_PAPER_HEADERS = ("paper", "id", "external_id", "doi", "arxiv_id", "pmid", "title")
_LABEL_HEADERS = ("category", "categories", "label", "labels", "class")
_FORM = '[categories]\n"Stars" = "The Sun and other stars, and how they evolve"'


@dataclass(frozen=True, slots=True)
class CategorySet:
    """Categories as a file says them; `several`: whether a paper may have several of them."""

    categories: tuple[Category, ...]
    several: bool = False
    name: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """Their names, in order."""
        return tuple(category.name for category in self.categories)


@dataclass(frozen=True, slots=True)
class PaperLabels:
    """Labels of papers: paper id -> names of its categories, () if none fits; and what could not be used, and why."""

    of: Mapping[str, tuple[str, ...]]
    failed: Mapping[str, str]


def read_categories(source: str | Path | Mapping[str, str], text: str = "") -> CategorySet:
    """Categories from a mapping of names to descriptions, from a TOML file, or from the text of one.

    Raises:
        InputError: it cannot be read, or is no TOML.
        UsageError: it has no categories, too many, two of one name, or two that say the same.
    """
    if isinstance(source, Mapping):
        return check_categories(
            CategorySet(tuple(Category(line(name), line(description)) for name, description in source.items()))
        )
    if not (source or text):
        return check_categories(CategorySet(()))
    name = user_path(source).stem if source else ""
    try:
        table = tomllib.loads(text or read_text(user_path(source)))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(
            f"The categories cannot be read: {describe_os_error(error)}.", f"Write them as\n{_FORM}"
        ) from error
    categories = tuple(_categories(table))
    return check_categories(CategorySet(categories, table.get("several") is True, line(str(table.get("name") or name))))


def _categories(table: Mapping[str, Any]) -> Iterator[Category]:
    listed = table.get("categories") or table.get("category") or {}
    if isinstance(listed, dict):
        listed = [{"name": name, "description": description} for name, description in listed.items()]
    for row in listed if isinstance(listed, list) else ():
        fields = row if isinstance(row, dict) else {}
        name, description = fields.get("name", ""), fields.get("description", "")
        if not (isinstance(name, str) and isinstance(description, str) and line(name)):
            raise UsageError("A category is a name with a description.", f"Write it as\n{_FORM}")
        yield Category(line(name), line(description))


def check_categories(category_set: CategorySet) -> CategorySet:
    """See that categories can be told apart; returns them.

    Raises:
        UsageError: there are none, too many, two of one name, or two that say the same.
    """
    if not category_set.categories:
        raise UsageError("There are no categories.", f"Write them as\n{_FORM}")
    if len(category_set.categories) > MOST_CATEGORIES:
        raise UsageError(f"There are {len(category_set.categories)} categories.", f"Give at most {MOST_CATEGORIES}.")
    by_name: dict[str, str] = {}
    by_meaning: dict[str, str] = {}
    for category in category_set.categories:
        if len(category.name) > LONGEST_NAME or len(category.description) > LONGEST_DESCRIPTION:
            raise UsageError(
                f"The category '{category.name[:40]}' is too long.",
                f"A name has at most {LONGEST_NAME} characters, a description {LONGEST_DESCRIPTION:,}.",
            )
        if ";" in category.name:
            raise UsageError(
                f"The name '{category.name}' has a semicolon.", "It separates categories in a file of labels."
            )
        if set_term(category.name) == NONE:
            raise UsageError(f"No category can be called '{NONE}': it means that none fits.", "Give it another name.")
        if set_term(category.name) in by_name:
            raise UsageError(f"Two categories are called '{category.name}'.", "Give each a name of its own.")
        by_name[set_term(category.name)] = category.name
        twin = by_meaning.setdefault(set_term(category.description or category.name), category.name)
        if twin != category.name:
            raise UsageError(
                f"The categories '{twin}' and '{category.name}' overlap wholly: they say the same.",
                "Describe what sets them apart, or make one of them.",
            )
    return category_set


def read_labels(
    session: Session, source: str | Path | Mapping[str, str | Sequence[str]], category_set: CategorySet, text: str = ""
) -> PaperLabels:
    """Labels from a mapping of papers to categories, from a CSV file, or from the text of one.

    The file has a column with a paper (any of its names) and one with its category; several are separated by `;` or in
    lines of their own, and `none` or nothing means that none fits. What cannot be used is reported line by line.

    Raises:
        InputError: it cannot be read, or lacks a column.
        UsageError: no line of it can be used.
    """
    known = {set_term(name): name for name in category_set.names}
    labels: dict[str, tuple[str, ...]] = {}
    failed: dict[str, str] = {}
    rows = list(_rows(source, text))
    for place, paper, names in rows:
        unknown = [name for name in names if set_term(name) not in known]
        if unknown:
            failed[place] = f"There is no category '{line(unknown[0])}'."
            continue
        try:
            paper_id = session.paper(paper, suggest=False).id
        except NotFoundError as error:
            failed[place] = error.message
            continue
        category_names = tuple(dict.fromkeys((*labels.get(paper_id, ()), *(known[set_term(name)] for name in names))))
        if len(category_names) > 1 and not category_set.several:
            failed[place] = f"'{line(paper)}' has two categories; `several` allows that."
        else:
            labels[paper_id] = category_names
    if failed and not labels:
        hint = f"Name papers as `list` shows them. The categories are {', '.join(category_set.names)}."
        raise UsageError(f"No label can be used: {next(iter(failed.values()))}", hint)
    return PaperLabels(labels, failed)


def _rows(
    source: str | Path | Mapping[str, str | Sequence[str]], text: str
) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Where each label is, the name of its paper, and the names of categories."""
    if isinstance(source, Mapping):
        for paper, categories in source.items():
            yield paper, paper, _names([categories] if isinstance(categories, str) else categories)
        return
    if not (source or text):
        return
    try:
        text = (text or read_text(user_path(source))).lstrip("\ufeff")
        reader = read_table(text)
        names = reader.fieldnames or ()
        columns = [next((name for name in known if name in names), "") for known in (_PAPER_HEADERS, _LABEL_HEADERS)]
        if not all(columns):
            raise InputError("The labels have no columns `paper` and `category`.", "Name them so in the first line.")
        for row in reader:
            if reader.line_num > MOST_LABELS:
                raise InputError(f"There are more than {MOST_LABELS:,} labels.", "Give fewer.")
            if any(value for value in row.values() if isinstance(value, str)):
                paper_name, categories = (row[column] or "" for column in columns)
                yield f"line {reader.line_num}", paper_name.strip(), _names(categories.split(";"))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(
            f"The labels cannot be read: {describe_os_error(error)}.", "Give a CSV file in UTF-8."
        ) from error


def _names(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(name.strip() for name in names if name.strip() and set_term(name) != NONE)
