"""The table of golden files: a row for each verb and for each form of its JSON.

Rows are run in this order on one library, so that a row may rely on those before it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from conspectus import Library

Names = Mapping[str, Any]


@dataclass(frozen=True)
class Row:
    """A call of the program whose JSON is kept.

    Attributes:
        file: the name of the golden file, without its ending.
        words: of the call; `{name}` stands for what an earlier row learned. `--json` is added.
        exit_code: of the call.
        input: of the call.
        with_model: whether a language model is set.
        learn: name -> where its value stands in the output.
        python: the same from Python, as a record; its JSON has to be that of the call.
        written: files that the call writes, which are kept too.
    """

    file: str
    words: tuple[str, ...]
    exit_code: int = 0
    input: str | None = None
    with_model: bool = False
    learn: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)
    python: Callable[[Library, Names], Any] | None = None
    written: tuple[str, ...] = ()


def row(file: str, *words: str, **options: Any) -> Row:
    """A row whose words may be given as one text where none has a space."""
    return Row(file, tuple(words[0].split()) if len(words) == 1 else words, **options)


GRID = "Where do grid cells fire?"
HEXAGON = "Do grid cells fire on a hexagonal lattice?"

ROWS = (
    # papers
    row("add", "add papers records.jsonl surveys.jsonl", exit_code=1),
    row("add.unchanged", "add records.jsonl"),
    row(
        "status",
        "status",
        learn={"broken": lambda body: next(row["path"] for row in body["files"] if row["state"] == "failed")},
        python=lambda lib, _: lib.status(),
    ),
    row("status.failed", "status --failed"),
    row("list", "list --year 2004..2005"),
    row("show", "show hafting-2005", learn={"paper": lambda body: body["paper"]["id"]}),
    row(
        "show.passages",
        "show action-potential.pdf --passages",
        learn={"span": lambda body: body["passages"][1]["spans"][0]["id"]},
    ),
    row("show.references", "show action-potential.pdf --references"),
    row("show.figures", "show action-potential.pdf --figures"),
    row("inspect", "inspect papers/graphene.md"),
    row("cite", "cite graphene.md hafting-2005 --style chicago"),
    row("papers.retry", "retry --all", exit_code=1),
    row("papers.edit", "edit", "hafting-2005", "venue=Nature", "keywords=grid cells; maps"),
    row("papers.edit.shown", "edit hafting-2005"),
    row("error.split", "split graphene.md", exit_code=2),
    row("open", "open {span} --output sentence.png"),
    row("audit", "audit references.txt --offline", python=lambda lib, _: lib.audit("references.txt", online=False)),
    # collections, tags, notes
    row("collections.tag", "collections", "tag", "to read", "hafting-2005", "graphene.md"),
    row("collections.tags", "collections tags"),
    row("collections.add", "collections", "add", "Maps in the brain", "hafting-2005", "place-and-grid-cells.md"),
    row("collections.list", "collections list"),
    row("collections.rename", "collections", "rename", "Maps in the brain", "Maps"),
    row(
        "collections.note",
        "collections",
        "note",
        "hafting-2005",
        "Compare with **place cells**.",
        learn={"note": lambda body: body["note"]["id"]},
    ),
    row("collections.notes", "collections notes hafting-2005"),
    row("collections.edit-note", "collections", "edit-note", "{note}", "Compare with place cells."),
    row(
        "highlights.add",
        *("highlights", "add", "action-potential.pdf", "--sentence", "{span}", "--color", "green", "--note", "Key."),
        learn={"highlight": lambda body: body["highlight"]["id"]},
    ),
    row("highlights.list", "highlights list --text key"),
    row("highlights.edit", "highlights edit {highlight} --color blue"),
    row("export.markdown", "export --to markdown --output notes.md", written=("notes.md",)),
    # search
    row("search", "search", "grid cells", "-k", "2", python=lambda lib, _: lib.search("grid cells", 2)),
    row("search.conditions", "search", '"grid cells" year:2005.. -theta', "-k", "1", "--outliers"),
    row("search.count", "search", "grid cells", "--count"),
    row("similar", "similar hafting-2005 -k 1", python=lambda lib, _: lib.similar("hafting-2005", k=1)),
    row("sources.graph", "sources graph hafting-2005", python=lambda lib, _: lib.sources.graph("hafting-2005")),
    row("route", "route", HEXAGON, python=lambda lib, _: lib.route(HEXAGON)),
    # answers
    row("ask.quotes", "ask", GRID),
    row("ask.unanswered", "ask", "What is the melting point of tungsten?"),
    row("ask", "ask", GRID, with_model=True, learn={"answer": lambda body: body["id"]}),
    row("consensus", "consensus", HEXAGON, "-k", "2", with_model=True),
    row("chat", "chat", input=f"{GRID}\n/sources\n/evidence\n/history\n/help\n/quit\n", with_model=True),
    row("answers.list", "answers list --limit 2"),
    row("answers.show", "answers show {answer}", python=lambda lib, names: lib.answers.show(names["answer"])),
    row("answers.rerun", "answers rerun {answer}", with_model=True),
    row("answers.judge", "answers judge {answer} --verdict up --comment Right. --statement 1"),
    row("answers.feedback", "answers feedback"),
    row("answers.export-feedback", "answers export-feedback --to jsonl"),
    row("answers.conversations", "answers conversations"),
    row("answers.conversation", "answers conversation last"),
    row("answers.rename-conversation", "answers", "rename-conversation", "last", "On grid cells"),
    row("papers.summarise", "summarise place-and-grid-cells.md", with_model=True),
    row("search.summaries", "search", "grid cells", "-k", "1", "--use", "summary"),
    row("show.summaries", "show place-and-grid-cells.md --summaries"),
    # reviews
    row("review.rank.begin", "review rank --by elegance --full-text --begin"),
    row("review.rank.next", "review rank next elegance"),
    row("review.rank.answer", "review rank answer graphene.md place-and-grid-cells.md tie elegance --reason Equal."),
    row("review.rank", "review", "rank", "--by", "predicted impact", "--full-text", "--budget", "4", with_model=True),
    row("review.rank.add", "review rank add hafting-2005", with_model=True),
    row("review.rank.show", "review rank show", python=lambda lib, _: lib.review.rank_show()),
    row("review.rank.verdicts", "review rank verdicts graphene.md"),
    # screening
    row("review.screen", "review screen cells.toml"),
    row("review.screen.label", "review", "screen", "label", "graphene.md", "exclude", "--reason", "no cells"),
    row("review.screen.next", "review screen next"),
    row(
        "review.screen.status",
        "review screen status --audit",
        python=lambda lib, _: lib.review.screen_status(audit=True),
    ),
    row("review.screen.export", "review screen export"),
    row("review.screen.import", "review screen import screened.csv", exit_code=1),
    row("review.screen.end", "review screen end"),
    row(
        "review.table",
        "review",
        "table",
        "thickness (number, nm); number of cells (n)",
        "--name",
        "Sizes",
        "--model",
        "none",
    ),
    row(
        "review.table.show",
        "review table show sizes --sort thickness",
        python=lambda lib, _: lib.review.table_show("sizes", sort="thickness"),
    ),
    row("review.table.add", "review", "table", "add", "sizes", "temperature (number, K)", "--model", "none"),
    row("review.table.edit", "review", "table", "edit", "sizes", "graphene.md", "number of cells", "0", "--by", "Ada"),
    row("review.table.rerun", "review", "table", "rerun", "sizes", "--column", "thickness", "--model", "none"),
    row("review.list", "review list"),
    row("review.rename", "review", "rename", "sizes", "Thickness"),
    row("review.delete", "review delete thickness"),
    row("review.screen.prisma", "review screen prisma --output flow.svg", written=("flow.svg",)),
    # figures and images
    row(
        "figures.search",
        "figures",
        "search",
        "membrane potential",
        "-k",
        "1",
        learn={"figure": lambda body: body["hits"][0]["figure"]["id"]},
        python=lambda lib, _: lib.figures.search("membrane potential", k=1),
    ),
    row("figures.show", "show {figure}"),
    row("figures.export", "export action-potential.pdf figures --to figures"),
    row("images.add", "images add images --collection sem"),
    row("images.list", "images list"),
    row(
        "images.list.collection",
        "images list --collection sem",
        learn={"image": lambda body: body["images"][0]["id"]},
        python=lambda lib, _: lib.images.list(collection="sem"),
    ),
    row("images.show", "images show {image}"),
    row(
        "images.search",
        "images search images/sem-0.bmp --collection sem -k 2",
        python=lambda lib, _: lib.images.search("images/sem-0.bmp", collection="sem", k=2),
    ),
    row(
        "images.clusters",
        "images clusters --collection sem -k 2",
        python=lambda lib, _: lib.images.clusters(collection="sem", k=2),
    ),
    row(
        "images.duplicates",
        "images duplicates --collection sem",
        python=lambda lib, _: lib.images.duplicates(collection="sem"),
    ),
    row("images.map", "images map --collection sem --method pca"),
    row("images.remove", "images remove {image}"),
    # vocabularies and the graph
    row("vocabulary.add", "vocabulary add vocabulary.ttl"),
    row("vocabulary.list", "vocabulary list"),
    row("vocabulary.available", "vocabulary available"),
    row("vocabulary.search", "vocabulary search place"),
    row("vocabulary.show", "vocabulary show EX:2"),
    row("vocabulary.search.left-out", "vocabulary search --left-out"),
    row("vocabulary.names", "vocabulary names"),
    row("vocabulary.forget-learnt", "vocabulary forget-learnt"),
    row("vocabulary.name", "vocabulary name spike leave"),
    row("graph.link", "graph link"),
    row("graph.link.model", "graph link --model", with_model=True),
    row(
        "graph.review",
        "graph review --examples 3",
        learn={"entity": lambda body: body["entities"][0]["id"]},
        python=lambda lib, _: lib.graph.review(examples=3),
    ),
    row("graph.reject", "graph reject {entity}"),
    row("graph.undo-review", "graph undo-review {entity}"),
    row("graph.accept", "graph accept {entity}"),
    row("graph.relate", "graph relate", with_model=True),
    row("graph.entities", "graph entities --top 3"),
    row("graph.entities.paper", "graph entities hafting-2005"),
    row("graph.show", "graph show EX:2 -k 2", python=lambda lib, _: lib.graph.show(["EX:2"], k=2)),
    row("graph.show.paths", "graph show EX:2 EX:5 -k 2"),
    row("graph.paragraphs", "graph paragraphs EX:2 -k 2", python=lambda lib, _: lib.graph.paragraphs(["EX:2"], k=2)),
    row("graph.discover", "graph discover EX:8 -k 2", python=lambda lib, _: lib.graph.discover("EX:8", k=2)),
    row("hypotheses", "hypotheses EX:8 -k 2", python=lambda lib, _: lib.hypotheses(["EX:8"], k=2)),
    row("graph.merge", "graph merge EX:6 EX:4"),
    row("graph.merges", "graph merges"),
    row("graph.unmerge", "graph unmerge EX:6"),
    row("graph.export", "graph export graph.graphml --to graphml", written=("graph.graphml",)),
    row("graph.export.jsonld", "graph export graph.jsonld --to jsonld", written=("graph.jsonld",)),
    row("graph.export.cypher", "graph export graph.cypher --to cypher", written=("graph.cypher",)),
    row("vocabulary.suggest", "vocabulary suggest vocabulary -k 3"),
    row("vocabulary.sample", "vocabulary sample mentions.csv -n 2"),
    row("search.graph", "search", "neurons of the hippocampus", "-k", "1", "--graph"),
    # the map
    row("map.build", "map build"),
    row(
        "map.show",
        "map show",
        learn={"region": lambda body: body["regions"][-1]["id"]},
        python=lambda lib, _: lib.map.show(),
    ),
    row("map.show.file", "map show --to map.json", written=("map.json",)),
    row("map.show.overlay", "map show --overlay year"),
    row("map.overlay", "map overlay year", python=lambda lib, _: lib.map.overlay("year")),
    row("map.topics", "map topics --level 0"),
    row("map.gaps", "map gaps --k 2"),
    row(
        "map.trends",
        "map trends song --year 2000..2012",
        python=lambda lib, _: lib.map.trends("song", year=(2000, 2012)),
    ),
    row("map.impact", "map impact song", python=lambda lib, _: lib.map.impact("song")),
    row("map.name", "map name {region} Brains"),
    row("map.names", "map names model", with_model=True),
    # exports
    row("export", "export hafting-2005 --to bibtex"),
    row("export.bibtex", "export hafting-2005 graphene.md --to bibtex --output papers.bib", written=("papers.bib",)),
    row("export.ris", "export hafting-2005 graphene.md --to ris --output papers.ris", written=("papers.ris",)),
    row(
        "export.csl", "export hafting-2005 graphene.md --to csl --output papers.csl.json", written=("papers.csl.json",)
    ),
    row("export.csv", "export hafting-2005 graphene.md --to csv --output papers.csv", written=("papers.csv",)),
    row("export.jsonl", "export hafting-2005 graphene.md --to jsonl --output papers.jsonl", written=("papers.jsonl",)),
    row("export.answer.md", "export {answer} --to md --no-pictures --output answer.md", written=("answer.md",)),
    row("export.answer.html", "export {answer} --to html --no-pictures --output answer.html", written=("answer.html",)),
    row("export.answer.json", "export {answer} --to json --output answer.json", written=("answer.json",)),
    row("export.answer.bib", "export {answer} --to bib --output answer.bib", written=("answer.bib",)),
    row(
        "export.feedback",
        "answers export-feedback --to csv -o feedback.csv",
        written=("feedback.csv",),
    ),
    row("export.library", "export --to library --output library.jsonl", written=("library.jsonl",)),
    # models, settings, care
    row("models.list", "models list"),
    row("models.connect", "models connect", python=lambda lib, _: lib.models.connect()),
    row("models.disconnect", "models disconnect"),
    row("models.prompts", "prompts"),
    row("models.prompts.one", "prompts claim"),
    row("models.usage", "usage --by role"),
    row("config", "config"),
    row("config.one", "config search.k"),
    row("doctor", "doctor", exit_code=1),
    row("library.reindex", "library reindex"),
    row("library.backup", "library backup library.backup"),
    # evaluations
    row(
        "eval.self",
        "eval self --questions 2 --by words --compare default --metric nDCG@10 --work work --results results",
        learn={"first": lambda body: body["results"][0]["id"]},
    ),
    row("eval.show", "eval show --results results"),
    row("eval.show.one", "eval show {first} --results results --failures 1"),
    row(
        "eval.self.other",
        "eval self --questions 2 --by words --compare bm25 --metric nDCG@10 --work work --results results",
        learn={"second": lambda body: body["results"][0]["id"]},
    ),
    row("eval.diff", "eval diff {first} {second} --questions 1 --results results"),
    row("eval.make", "eval make questions.jsonl --questions 2 --by words", written=("questions.jsonl",)),
    # reviews
    row("review.classify", "review classify fields.toml --year 2004..2005 --least 0"),
    row(
        "review.classify.show",
        "review classify show fields",
        python=lambda lib, _: lib.review.classify_show("fields"),
    ),
    row("review.classify.check", "review classify check labels.csv fields"),
    row("review.classify.correct", "review classify correct hafting-2005 Quasars --name fields"),
    row("review.classify.collect", "review classify collect fields"),
    # splitting, removing, and errors
    row("review.contradictions", "review contradictions --pairs 2"),
    row(
        *("review.report", "review", "report", GRID, "--name", "Grid", "--sections", "1", "--outline"),
        python=lambda lib, _: lib.review.report_show("Grid"),
    ),
    row("report.md", "review report show Grid --to md --output report.md", written=("report.md",)),
    row("collections.show", "collections show Maps"),
    row("collections.remove", "collections remove Maps hafting-2005"),
    row("collections.delete", "collections delete Maps"),
    row("collections.untag", "collections", "untag", "to read", "hafting-2005"),
    row("collections.delete-note", "collections delete-note {note}"),
    row("highlights.remove", "highlights remove {highlight}"),
    row("add.merged", "add more.jsonl"),
    row("papers.split", "split 10.1038/nature03721"),
    row("answers.remove", "answers remove {answer}"),
    row("answers.remove-conversation", "answers remove-conversation last"),
    row("vocabulary.remove", "vocabulary remove vocabulary"),
    row("papers.forget", "forget {broken}"),
    row("remove", "remove graphene.md --yes"),
    row("samples.add", "samples add"),
    row("samples.list", "samples list"),
    row("samples.remove", "samples remove"),
    row("library.restore", "library restore library.backup --replace"),
    row("error.paper", "show nobody-1900", exit_code=2),
    row("error.option", "search --no-such-option", exit_code=2),
    row("error.model", "consensus Why?", exit_code=3),
)

_ONLINE = "needs services (tests/sources)"
WITHOUT_ROW = {
    **dict.fromkeys(
        [f"sources {name}" for name in ("find", "enrich", "follow", "followed", "unfollow", "news")], _ONLINE
    ),
    **dict.fromkeys([f"zotero {name}" for name in ("status", "import", "export")], "needs Zotero (tests/zotero)"),
    "sources list": "says what was asked today",
    "vocabulary fetch": _ONLINE,
    "app": "opens a window (tests/cli/test_app.py)",
    **dict.fromkeys(
        [f"review report {name}" for name in ("keep", "expand", "rewrite", "delete")],
        "the same JSON as `review report` (tests/review/test_report.py)",
    ),
    **dict.fromkeys(
        [f"directions {name}" for name in ("build", "list", "show", "search", "explain", "compare", "predict")],
        "needs 200 papers (tests/directions/test_direction_faces.py)",
    ),
    "library delete-backup": "the name of a backup has the time in it (tests/faces/test_same_json.py)",
    "serve": "runs until it is stopped",
    "mcp": "runs until it is stopped",
    "figures show": "one case is enough (tests/faces/test_same_json.py); `show FIGURE` has a row",
    "figures encode": "its JSON is a number of papers (tests/figures/test_likeness.py)",
    "models fetch": "needs the network",
    "models verify": "needs a model in the store",
    "models check": "needs a model in the store (tests/models/test_devices.py)",
    "graph query": "needs a graph database (tests/graph/test_graph_database.py)",
    "vocabulary learn": "needs annotated texts (tests/faces/test_same_json.py)",
    "eval retrieval": "needs benchmark data",
    "eval answers": "needs benchmark data",
    "eval checks": "needs benchmark data",
    "eval graph": "takes minutes",
}
"""Commands that have no row, and why."""
