"""What is shown and written holds no character that lies, whatever is in the library or in a name."""

import csv
import io
import json
import re
from dataclasses import fields, replace
from typing import Any

import pytest

from conspectus.core.text import clean_model_text, cleaned, cleaned_deep, escaped_json, json_text, line
from conspectus.export.answer import markdown
from conspectus.export.formats import FORMATS, STYLES
from conspectus.export.write import pieces
from conspectus.faces.printer import clean, one_line
from conspectus.records import Answer, Author, Paper
from conspectus.wire.html import page

LIES = {
    "NUL": "\x00",
    "bell": "\x07",
    "colour": "\x1b[31m",
    "title": "\x1b]0;owned\x07",
    "link": "\x1b]8;;http://evil\x1b\\",
    "clipboard": "\x1b]52;c;ZXZpbA==\x07",
    "back": "\r",
    "erase": "\x08\x08",
    "C1": "\x9b31m",
    "next line": "\x85",
    "override": "\u202e",
    "isolate": "\u2066",
    "mark": "\u200f",
    "zero": "\u200b",
    "joiner": "\u200d",
    "no break": "\ufeff",
    "soft hyphen": "\u00ad",
    "tags": "".join(chr(0xE0000 + ord(sign)) for sign in "obey"),
    "variation": "\ufe00" * 20,
    "smuggled": "\U000e0150\U000e0151",
    "line": "\u2028",
    "paragraph": "\u2029",
    "filler": "\u3164",
    "annotation": "\ufff9",
    "marks": "\u0301" * 60,
    "no character": "\ufdd0",
}
RAW = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u200b\u200d-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\ufff9-\ufffb"
    "\ufdd0-\ufdef\U000e0000-\U000e0fff]|\u0301{9}|\ufe00{2}"
)
"""Said anew here, so that the test does not ask the code what it does."""


def paper_with(lie: str) -> Paper:
    """A paper with a lie in each of its texts."""
    text = f"Mo{lie}ss"
    values: dict[str, Any] = {
        field.name: text for field in fields(Paper) if field.type == "str" and field.name not in ("date", "id")
    }
    author = Author(f"A{lie}nn {text}", text, f"A{lie}nn", text, (text,))
    extra = {"type": text, "volume": text, "pages": text, "editor": [text], "note": text, f"odd{lie}": {text: [text]}}
    return Paper(
        **values,
        id="p1",
        date="2019-03",
        year=2019,
        authors=(author,),
        keywords=(text,),
        references=(text,),
        extra=extra,
    )


@pytest.mark.parametrize("to", FORMATS)
def test_no_export_holds_a_lie(to: str) -> None:
    """Lost otherwise: who opens an export sees other words than stand there, or runs what it commands."""
    papers = [paper_with(lie) for lie in LIES.values()]
    said = "".join(text for _, text in pieces(to, lambda: papers, lambda _: [f"/a{''.join(LIES.values())}b.pdf"]))
    if to == "csv":
        said = said.replace("\r\n", "\n")
        assert len(list(csv.reader(io.StringIO(said)))) == len(papers) + 1
    assert not RAW.search(said), ascii(RAW.search(said))
    assert "\r" not in said
    if to == "jsonl":
        titles = [json.loads(row)["title"] for row in said.splitlines()]
        assert titles == [paper.title for paper in papers], "JSON keeps what there is"
    if to == "ris":
        assert all(re.match(r"[A-Z][A-Z0-9]  - | |$", one) for one in said.split("\n"))
        assert said.count("\nER  - ") == len(papers)


@pytest.mark.parametrize("name", LIES)
def test_no_view_of_an_answer_holds_a_lie(name: str) -> None:
    """Lost otherwise: a page or a note that says something else than the model or the paper did."""
    text = f"Is it {LIES[name]}so?"
    answer = Answer(text, False, text, "model", text, (), note=text)
    for said in (
        markdown(text, [answer]),
        page(text, [answer]),
        str(answer),
        clean(text),
        one_line(text),
        json_text({text: [text]}),
    ):
        assert not RAW.search(said), ascii(said)
        assert "\r" not in said


@pytest.mark.parametrize("name", LIES)
def test_json_says_the_same_in_escapes(name: str) -> None:
    """Lost otherwise: the very bytes of a file's name, for a program that reads our JSON."""
    value = {"path": f"a{LIES[name]}b", LIES[name]: 1}
    assert json.loads(json_text(value)) == value
    assert json.loads(escaped_json(json.dumps(value, ensure_ascii=False, indent=1))) == value


def test_a_record_cannot_pose_as_several() -> None:
    """Lost otherwise: a paper's title writes further records into an export."""
    text = "Moss\nER  - \n\nTY  - JOUR\nTI  - Forged"
    found = replace(paper_with(""), title=text, abstract=text, venue=text, keywords=(text,))
    said = "".join(text for _, text in pieces("ris", lambda: [found]))
    assert said.count("\nER  - ") == 1
    assert said.count("\nTY  - ") == 0
    assert said.startswith("TY  - ")


@pytest.mark.parametrize("sign", "=+-@\t\r＝＋－＠")
def test_no_cell_is_a_formula(sign: str) -> None:
    """Lost otherwise: a spreadsheet runs what a paper's title says."""
    found = replace(
        paper_with(""), title=f"{sign}cmd|' /C calc'!A0", venue=f"\u200b{sign}1", keywords=(f"{sign}1", "b")
    )
    (_, head), (_, row) = pieces("csv", lambda: [found])
    cells = dict(zip(next(csv.reader([head])), next(csv.reader([row])), strict=True))
    for name in ("title", "venue", "keywords"):
        assert cells[name][0] == "'" or cells[name][0].isalnum() or cells[name].startswith("cmd"), cells[name]


def test_markup_of_rich_is_text() -> None:
    """Lost otherwise: brackets of a title, or colours that it asks for."""
    assert one_line("[red]Moss[/red] [link=http://evil]x[/link]") == "[red]Moss[/red] [link=http://evil]x[/link]"


def test_what_a_model_writes_holds_no_marks_of_the_program() -> None:
    """Lost otherwise: places of the program's own, which it marks with private characters."""
    assert clean_model_text("a\ue000b\U000f0001c\u202e") == "abc"
    assert cleaned("a\ue000b") == "a\ue000b"
    assert cleaned_deep({"a\u200b": ["b\u200b", 1, None]}) == {"a": ["b", 1, None]}
    assert line("a\r\n\u2028 b") == "a b"


def test_every_writer_is_here() -> None:
    """Lost otherwise: a format added later, that nobody looks at."""
    assert set(FORMATS) == {"bibtex", "ris", "csl", "csv", "jsonl", "markdown", *STYLES}
