"""Where each verb is declared, known without importing any: the overview of the command line needs their names alone.

`python -m conspectus.faces.index` writes `verbs.json` from the groups in `GROUPS`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from conspectus.faces.declare import Verb, VerbGroup

FILE = Path(__file__).with_name("verbs.json")
GROUPS = (
    "conspectus.papers.search_verbs:SearchVerbs",
    "conspectus.library.add_verbs:AddVerbs",
    "conspectus.library.show_verbs:ShowVerbs",
    "conspectus.library.verbs:CareVerbs",
    "conspectus.consensus.verbs:ConsensusVerbs",
    "conspectus.summaries.verbs:SummaryVerbs",
    "conspectus.references.verbs:ReferenceVerbs",
    "conspectus.curation.verbs:CollectionVerbs",
    "conspectus.curation.highlight_verbs:HighlightVerbs",
    "conspectus.library.answer_verbs:AnswerVerbs",
    "conspectus.library.model_verbs:ModelVerbs",
    "conspectus.library.verbs:SampleVerbs",
    "conspectus.map.verbs:MapVerbs",
    "conspectus.directions.verbs:DirectionVerbs",
    "conspectus.graph.verbs:GraphVerbs",
    "conspectus.graph.vocabularies.verbs:VocabularyVerbs",
    "conspectus.hypotheses.verbs:HypothesisVerbs",
    "conspectus.figures.verbs:FigureVerbs",
    "conspectus.images.verbs:ImageVerbs",
    "conspectus.sources.verbs:SourceVerbs",
    "conspectus.zotero.verbs:ZoteroVerbs",
    "conspectus.review.verbs:ReviewVerbs",
    "conspectus.review.table.verbs:TableVerbs",
    "conspectus.review.classify.verbs:ClassifyVerbs",
    "conspectus.review.report.verbs:ReportVerbs",
    "conspectus.review.screen.verbs:ScreenVerbs",
    "conspectus.review.rank.verbs:RankVerbs",
    "conspectus.papers.change_verbs:ChangeVerbs",
    "conspectus.papers.verbs:PaperVerbs",
)
"""The groups of verbs, one a wing (or a part of it), in the order of the overview.

The last one has `/papers/{paper}`, which takes all addresses that begin so and belong to no other route."""


class Group(NamedTuple):
    """A group of verbs as the index knows it.

    Attributes:
        about: what it is, in one line.
        verbs: name -> `module:class` that declares it, and what it does, in one line.
    """

    about: str
    verbs: dict[str, tuple[str, str]]


NO_GROUP = Group("", {})


@cache
def groups() -> dict[str, Group]:
    """The groups by their names on the command line; "" has the verbs of the library itself."""
    return {name: Group(**group) for name, group in json.loads(FILE.read_text("utf-8")).items()}


def find_verb(group: str, name: str) -> tuple[Verb, type[VerbGroup]]:
    """A declared verb, and the class that declares it; imports its module.

    Raises:
        LookupError: there is none.
    """
    from conspectus.faces.declare import verbs_of

    place, _ = groups()[group].verbs[name]
    declaring = _load(place)
    for verb in verbs_of(declaring):
        if (verb.group, verb.name) == (group, name):
            return verb, declaring
    raise LookupError(f"{group} {name}")


def group_classes() -> Iterator[type[VerbGroup]]:
    """All groups; imports every wing's verbs."""
    return (_load(place) for place in GROUPS)


def all_verbs() -> Iterator[Verb]:
    """All declared verbs; imports every wing's."""
    from conspectus.faces.declare import verbs_of

    for group in group_classes():
        yield from verbs_of(group)


def _load(place: str) -> type[VerbGroup]:
    module, _, name = place.partition(":")
    group: type[VerbGroup] = getattr(import_module(module), name)
    return group


def make_index() -> str:
    """The content of `verbs.json`."""
    from conspectus.faces.declare import verbs_of

    index: dict[str, dict[str, Any]] = {}
    for place in GROUPS:
        group = _load(place)
        abouts = {group.group: (group.__doc__ or "").partition("\n")[0], **group.about}
        for verb in verbs_of(group):
            if verb.command:
                entry = index.setdefault(verb.group, {"about": "", "verbs": {}})
                entry["about"] = entry["about"] or (abouts.get(verb.group, "") if verb.group else "")
                entry["verbs"][verb.name] = (place, verb.summary)
    return json.dumps(index, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text(make_index(), "utf-8")
