"""Numbers of papers from a CSV file, such as impact factors, to compare a ranking with."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from conspectus.core.disk import read_text, user_path
from conspectus.core.errors import NotFoundError, UsageError, describe_os_error
from conspectus.core.text import cell_separator
from conspectus.session.session import Session

_MISSING = ("", "na", "nan")
"""What spreadsheets, R and pandas write where there is no number."""
_REMEDY = "The first row has names, each other one a paper (an id, a DOI or a title) and a number."


def read_numbers(session: Session, file: Path, papers: Sequence[str]) -> Mapping[str, Mapping[str, float]]:
    """The numbers of a file by the name of its second column: id -> number.

    Raises:
        UsageError: it cannot be read, a row has no number, or it names no paper of the ranking.
    """
    try:
        text = read_text(user_path(file))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"'{file}' cannot be read: {describe_os_error(error)}.", "Name a CSV file in UTF-8."
        ) from error
    separator = cell_separator(text)
    cells = csv.reader(io.StringIO(text), delimiter=separator)
    head, *rows = [row for row in cells if any(cell.strip() for cell in row)] or [[]]
    if len(head) < 2:
        raise UsageError(f"'{file}' has no two columns.", _REMEDY)
    members, number_by_paper = set(papers), dict[str, float]()
    for number, row in enumerate(rows, 2):
        try:
            number_text = row[1].replace(",", ".") if separator == ";" else row[1]  # where `;` separates cells
            value = math.nan if number_text.strip().lower() in _MISSING else float(number_text)
            paper = session.paper(row[0].strip()).id
        except NotFoundError as error:
            raise UsageError(f"Row {number} of '{file}': {error.message}", _REMEDY) from error
        except (IndexError, ValueError) as error:
            raise UsageError(f"Row {number} of '{file}' has no number in its second column.", _REMEDY) from error
        if paper in members and not math.isnan(value):
            number_by_paper[paper] = value
    if not number_by_paper:
        raise UsageError(f"'{file}' has a number for no paper of the ranking.", _REMEDY)
    return {head[1].strip() or "number": number_by_paper}
