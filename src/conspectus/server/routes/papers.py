"""Papers: the list, one, its passages, its pages and figures as pictures, bibliographies."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Literal

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Header, Query
from fastapi import Path as InPath
from pydantic import Field
from starlette.responses import Response, StreamingResponse

from conspectus.core.errors import NotFoundError
from conspectus.export.formats import STYLES, formats
from conspectus.export.write import export_pieces
from conspectus.library import Library
from conspectus.records import Filters, Paper
from conspectus.records.parsed_paper import FIGURE_SCALE
from conspectus.server.exchange import RequestBody, TheLibrary, answers, file, json_response, served
from conspectus.server.pictures import Pictures
from conspectus.server.verb_routes import TheFilters
from conspectus.wire import bodies, encode

if TYPE_CHECKING:
    from PIL.Image import Image

router = APIRouter(tags=["papers"])
MOST = 500
_CHUNK = 65_536
"""Characters of an export that are sent at once."""
DRAWN = CapacityLimiter(4)
"""Pictures drawn at one time: each takes up to 100 MB meanwhile. Those that wait keep no other request waiting."""
SCALES = (0.25, 6.0)
ENDINGS = {"bibtex": "bib", "csl": "json", **dict.fromkeys(STYLES, "txt")}
"""Of files that are exported, where they are not called as the format is."""
if TYPE_CHECKING:
    Format = str
else:
    Format = Literal[tuple(formats())]
    """Not `library`: that names the server's own files."""
Scale = Annotated[float, Query(ge=SCALES[0], le=SCALES[1], description="Pixels per point")]
Known = Annotated[str, Header(alias="if-none-match")]
Page = Annotated[int, InPath(le=10**9)]


ThePictures = Annotated[Pictures, served("pictures")]
PNG = file("The picture.", "image/png") | {304: {"description": "It is as it was."}}


@router.get("/papers/{paper:name}/summaries", responses=answers("What a model wrote of it.", bodies.SUMMARIES))
def get_summaries(library: TheLibrary, paper: str) -> Response:
    """What a language model wrote of a paper; `links`: for each sentence the ids of the paper's own that carry it."""
    summaries = encode.body(library.summaries(paper))
    return json_response("summaries", {"paper": encode.brief(library.paper(paper)), "summaries": summaries})


@router.get("/papers/{paper:name}/structure", responses=answers("What was read of it.", bodies.STRUCTURE))
def get_structure(library: TheLibrary, paper: str) -> Response:
    """A paper's structure: headings, paragraphs, captions, footnotes, and its figures."""
    parsed_paper = library.parsed(paper)
    return json_response(
        "structure", {"blocks": encode.plain(parsed_paper.blocks), "figures": encode.figures(parsed_paper)}
    )


@router.get("/papers/{paper:name}/find", responses=answers("The sentences.", bodies.FOUND))
def find_in_paper(
    library: TheLibrary, paper: str, q: Annotated[str, Query(max_length=500, examples=["theta rhythm"])]
) -> Response:
    """Find the sentences of a paper in which words occur together; case and accents do not count."""
    return json_response("find", {"words": q, "found": encode.plain(library.find(paper, q))})


@router.get("/papers/{paper:name}/pages/{page}.png", response_class=Response, responses=PNG)
async def page_picture(
    library: TheLibrary,
    pictures: ThePictures,
    paper: str,
    page: Page,
    span: Annotated[list[str], Query(description="Sentences that are lit up")] = [],  # noqa: B006
    scale: Scale = 2.0,
    known: Known = "",
) -> Response:
    """A page of a paper's PDF as a picture."""

    def draw() -> Image:
        prefix = f"{library.paper(paper).id}."
        # what is another paper's would outlive that paper here
        if foreign := next((span_id for span_id in span if not span_id.startswith(prefix)), None):
            raise NotFoundError(f"'{paper}' has no sentence '{foreign}'.", "`/papers/NAME/passages` has their ids.")
        return library.open(span, scale, page) if span else library.page(paper, page, scale)

    return await drawn_picture(library, pictures, paper, f"page {page} {scale} {sorted(span)}", draw, known)


@router.get("/papers/{paper:name}/figures/{key:one}.png", response_class=Response, responses=PNG)
async def figure_picture(
    library: TheLibrary, pictures: ThePictures, paper: str, key: str, scale: Scale = FIGURE_SCALE, known: Known = ""
) -> Response:
    """A figure or table as a picture."""

    def draw() -> Image:
        return library.figures.image(paper, key, scale)

    return await drawn_picture(library, pictures, paper, f"figure {key} {scale}", draw, known)


@router.get("/spans/{span:one}", responses=answers("Where a sentence stands.", bodies.SPAN))
def get_span(library: TheLibrary, span: str) -> Response:
    """Where a citation's sentence stands: its paper, its passage, and its places on pages."""
    paper, passage, sentence = library.citation(span)
    body = {"paper": encode.brief(paper), "passage": encode.plain(passage), "span": encode.plain(sentence)}
    return json_response("span", body)


@router.get("/export", response_class=StreamingResponse, responses=file("The file.", "text/plain"))
def export_papers(
    library: TheLibrary,
    filters: TheFilters,
    to: Annotated[Format, Query(alias="format")] = "bibtex",
    paper: Annotated[list[str], Query(description="Papers, by any names; else all")] = [],  # noqa: B006
) -> Response:
    """Papers as a bibliography or records, as a file."""
    return _bibliography(library, to, paper, filters)


class Chosen(RequestBody):
    """Papers, and what they are exported to."""

    papers: list[str] = Field(min_length=1, max_length=1_000_000, fail_fast=True, examples=[["10.1038/nature03721"]])
    format: Format = "bibtex"


@router.post("/export", response_class=StreamingResponse, responses=file("The file.", "text/plain"))
def export_chosen(library: TheLibrary, chosen: Chosen) -> Response:
    """As `GET /export`, of more papers than an address can name; it changes nothing."""
    return _bibliography(library, chosen.format, chosen.papers)


def _bibliography(library: Library, to: str, papers: Sequence[str], filters: Filters | None = None) -> Response:
    """Sent as it is made: references of 20,000 papers take half a minute."""
    paper_ids = library.session.paper_ids(papers) if papers else None
    pieces = export_pieces(library.session.catalog, to, paper_ids, filters, files=False)
    headers = {"content-disposition": f'attachment; filename="papers.{ENDINGS.get(to, to)}"'}
    return StreamingResponse(_in_chunks(pieces), media_type="text/plain; charset=utf-8", headers=headers)


def _in_chunks(pieces: Iterable[tuple[int, str]]) -> Iterator[bytes]:
    """Texts of a few papers at a time; each is made in a thread."""
    chunk = ""
    for _, text in pieces:
        chunk += text
        if len(chunk) > _CHUNK:
            yield chunk.encode("utf-8", "replace")
            chunk = ""
    yield chunk.encode("utf-8", "replace")


async def drawn_picture(
    library: Library, pictures: Pictures, name: str, what: str, draw: Callable[[], Image], known: str
) -> Response:
    """A picture, drawn where neither the browser nor the server has it."""

    def respond() -> Response:
        tag = _tag(library.paper(name), what)
        headers = {"etag": tag, "cache-control": "private, no-cache"}
        if tag in known:
            return Response(status_code=304, headers=headers)
        return Response(pictures.of(tag, draw), headers=headers, media_type="image/png")

    return await to_thread.run_sync(respond, limiter=DRAWN)


def _tag(paper: Paper, what: str) -> str:
    """Of the bytes of its files, and what is shown of them."""
    parts: Sequence[str] = (paper.id, *(file.sha256 for file in paper.files), what)
    return f'"{hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:32]}"'


@router.get(
    "/papers/{paper:name}/kept",
    responses=answers("Its tags, collections, notes and edited fields.", bodies.KEPT),
)
def get_user_data(library: TheLibrary, paper: str) -> Response:
    """All that users keep about a paper."""
    record = library.paper(paper)
    user_data = {"notes": library.collections.notes(record.id), "edits": library.edits(record.id)}
    return json_response(
        "kept", {"tags": list(record.tags), "collections": list(record.collections), **encode.plain(user_data)}
    )
