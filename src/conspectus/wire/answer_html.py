"""An answer as HTML, for notebooks and as a page of its own. All that papers and models say is escaped."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from conspectus.records.notes import BACKGROUND, Note, Notes, PagePicture, Said
from conspectus.wire.markup import DIM, box, dim, limited, linked, table, text

if TYPE_CHECKING:
    from conspectus.records.answering import Draft
    from conspectus.records.results import Answer, Statement

Pages = Mapping[int, tuple[PagePicture, ...]]
"""The pages behind notes, by their numbers."""

_NO_PAGES: Pages = MappingProxyType({})
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
_CSS = """
body{margin:2.5em auto;padding:0 1.2em;max-width:44em;line-height:1.55;font-family:Georgia,'Times New Roman',serif;
 color:#222;background:#fff}
h1{font-size:1.35em;line-height:1.3} h2{font-size:1.05em;margin:1.8em 0 .4em} h1,h2,summary{font-family:sans-serif}
sup{line-height:0} sup{margin-left:.1em} sup a{text-decoration:none} a{color:#1a5a96}
ol,ul{padding-left:2em} li{margin:.35em 0} li:target,p :target{background:#fff3c4}
figure{margin:.6em 0} img{max-width:100%;border:1px solid #ccc} summary{cursor:pointer}
@media (prefers-color-scheme:dark){body{color:#ddd;background:#1b1b1b} a{color:#8ab8e8} li:target{background:#4a4320}}
"""


def answer(found: Answer) -> str:
    """The answer for a notebook: prose whose notes stand below it, or the reason why there is none."""
    notes = Notes()
    body = _body(found, notes, "")
    return box(f"<div><b>{text(found.question)}</b></div>", *body, *_behind(notes, "", {}), *_made(found))


def page(title: str, answers: Sequence[Answer], pages: Pages = _NO_PAGES) -> str:
    """Answers as a document of its own; nothing in it comes from elsewhere, and nothing in it runs.

    Args:
        title: of the document; where it is the only answer's question, that is not repeated.
        answers: a label should mean the same paper in all of them.
        pages: behind the notes, which are numbered through.
    """
    notes = Notes()
    alone = len(answers) == 1 and answers[0].question == title
    turns = []
    for found in answers:
        head = "" if alone else f"<h2>{text(found.question)}</h2>"
        turns.append("\n".join([head, *_body(found, notes, "n"), *_made(found)]))
    said = "\n".join(turns)
    for note in notes:  # its first mark is what it leads back to
        said = said.replace(f'<a href="#n{note.number}">', f'<a id="m{note.number}" href="#n{note.number}">', 1)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{text(title, 120)}</title>\n<style>{_CSS}</style>\n</head>\n<body>\n"
        f"<h1>{text(title)}</h1>\n" + "\n".join([said, *_behind(notes, "n", pages)]) + "\n</body>\n</html>\n"
    )


def _body(found: Answer, notes: Notes, anchor: str) -> Iterator[str]:
    """What was said; with `anchor`, the beginning of the names of notes, numbers lead to them."""
    yield dim(f"Asked as: {found.standalone}") if found.standalone not in ("", found.question) else ""
    yield "" if found.answered else f"<p>{text(found.reason)}</p>"
    yield table(found.queries.items())
    yield from _prose(found.statements, notes, anchor)
    yield f"{dim(BACKGROUND)}<p>{text(found.background)}</p>" if found.background else ""
    yield f"<p>{text(found.opinion.said)}</p>" if found.opinion else ""


def _made(found: Answer) -> Iterator[str]:
    """What is to be known of an answer, and what it was made of, folded away."""
    yield f"<p><i>{text(found.note)}</i></p>" if found.note else ""
    yield from (_evidence(found), *map(_draft, found.drafts), _trace(found))
    yield dim(" · ".join(part for part in (found.took, found.made, *found.models) if part))


def _prose(statements: Sequence[Statement], notes: Notes, anchor: str) -> Iterator[str]:
    for paragraph in notes.prose(statements):
        label = f"{text(paragraph.label)}: " if paragraph.label else ""
        yield f"<p>{label}{' '.join(_said(one, anchor) for one in paragraph.said)}</p>"


def _said(said: Said, anchor: str) -> str:
    words = text(said.text)
    words = words if said.held else f'<span style="opacity:.6">{words}</span>'
    verdict = said.verdict and f" <small>({said.verdict}{_number(said.why, anchor) if said.why else ''})</small>"
    return words + "".join(_number(note, anchor) for note in said.notes) + verdict


def _number(note: Note, anchor: str) -> str:
    """The number of a note; what it says is shown where the pointer rests."""
    number = f'<a href="#{anchor}{note.number}">{note.number}</a>' if anchor else str(note.number)
    told = f"{note.citation.where}: {note.citation.quote}" if note.citation else note.against
    return f'<sup title="{text(told)}">[{number}]</sup>'


def _behind(notes: Notes, anchor: str, pages: Pages) -> Iterator[str]:
    """The notes, each with the way back to its first mark, and the papers that they cite."""
    rows = [_note(note, anchor, pages.get(note.number, ())) for note in notes]
    yield f"<h2>Notes</h2><ol>{''.join(rows)}</ol>" if rows else ""
    cited = [
        f"<li>{text(f'[{label}]')} {linked(paper, text(paper.reference))}</li>"
        for label, paper in notes.papers().values()
    ]
    yield f"<h2>Sources</h2><ul>{''.join(cited)}</ul>" if cited else ""


def _note(note: Note, anchor: str, pages: Iterable[PagePicture]) -> str:
    name = f' id="{anchor}{note.number}"' if anchor else ""
    back = f' <a href="#m{note.number}" title="Back to the text">↩</a>' if anchor else ""
    if note.citation is None:
        return f"<li{name}>{text(note.against)}{back}</li>"
    words = f" “{text(note.words)}”" if note.words and not note.told else ""
    tables = "".join(map(table, note.rows))
    ids = dim(", ".join(span.id for span in note.citation.spans))
    return f"<li{name}>{text(note.citation.where)}{words}{back}{tables}{ids}{''.join(map(_page, pages))}</li>"


def _page(shown: PagePicture) -> str:
    if shown.why:
        return dim(f"No picture of page {shown.page}: {shown.why}")
    data = b64encode(shown.png).decode("ascii")
    picture = f'<figure><img alt="Page {shown.page}" src="data:image/png;base64,{data}"></figure>'
    return f'<details><summary style="{DIM}">Page {shown.page}, the sentence lit up</summary>{picture}</details>'


def _evidence(found: Answer) -> str:
    rows = [
        _line(f"{item.id} · {item.score}/10 · [{item.label or item.paper.label}] {item.summary}")
        + dim(f"“{item.quote}”")
        for item in found.evidence
    ]
    return _folded("Evidence", rows)


def _draft(draft: Draft) -> str:
    notes = Notes()
    rows = [*_prose(draft.statements, notes, ""), *_behind(notes, "", {})] if draft.statements else [_line(draft.text)]
    return _folded(draft.name.capitalize(), rows)


def _trace(found: Answer) -> str:
    rows = [
        _line(f"{step.number}. {step.thought}") + dim(f"{step.tool} {step.arguments} → {step.result}")
        for step in found.trace
    ]
    return _folded("Steps", rows)


def _folded(name: str, rows: Sequence[str]) -> str:
    if not rows:
        return ""
    return f'<details><summary style="{DIM}">{text(name)}</summary>{"".join(limited(rows))}</details>'


def _line(said: str) -> str:
    return f"<div>{text(said)}</div>" if said else ""
