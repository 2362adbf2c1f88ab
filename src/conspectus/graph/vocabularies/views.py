"""How vocabularies and concepts look in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from conspectus.core.text import line as one_line
from conspectus.core.text import pluralize
from conspectus.faces.describe import say_example

if TYPE_CHECKING:
    from conspectus.faces.printer import Printer
    from conspectus.records.vocabularies import (
        ConceptList,
        KeptConcept,
        KnownVocabulary,
        LearnReport,
        NameRule,
        SuggestionReport,
        Vocabulary,
        VocabularyReport,
    )

_SHOWN = 5
"""Missing imports that are named."""


def add(out: Printer, report: VocabularyReport) -> None:
    """What became of each vocabulary."""
    for added in report.vocabularies:
        if added.outcome == "failed":
            out.line(("failed", "bad"), f" {one_line(added.name)}")
            out.fold(out.remedy(added.reason), indent=4)
            continue
        size = f"{pluralize(added.concepts, 'concept')}, {pluralize(added.names, 'name')}"
        out.line(added.outcome, f" {one_line(added.name)}: {size}")
        if added.outcome == "updated":
            out.line(f"    {added.added} added, {added.changed} changed, {added.removed} removed")
        for note in added.notes:
            out.fold(note, indent=4)
        if added.left_out:
            names = f"{pluralize(added.left_out, 'name')} not searched for in texts"
            out.line(f"    {names}: {out.remedy('`vocabulary search left_out=True`').strip('`')}")
        if added.missing:
            missing_names = ", ".join(map(one_line, added.missing[:_SHOWN])) + (
                " …" if len(added.missing) > _SHOWN else ""
            )
            out.fold(f"{pluralize(len(added.missing), 'imported file')} not found: {missing_names}", indent=4)


def list(out: Printer, vocabularies: Sequence[Vocabulary]) -> None:
    """Each vocabulary with its size and source."""
    for vocabulary in vocabularies:
        part = f" below {', '.join(vocabulary.subtree)}" if vocabulary.subtree else ""
        version = f" {one_line(vocabulary.version)}" if vocabulary.version else ""
        out.line((one_line(vocabulary.name), "title"), version)
        out.line(f"    {pluralize(vocabulary.concepts, 'concept')}, {pluralize(vocabulary.names, 'name')}{part}")
        out.line((f"    {one_line(vocabulary.source)}", "dim"))
    if not vocabularies:
        out.line("There is no vocabulary yet.")


fetch = add


def available(out: Printer, vocabularies: Sequence[KnownVocabulary]) -> None:
    """Each with what it is about, its size and licence."""
    for vocabulary in vocabularies:
        out.line(
            (f"{vocabulary.name:<8}", "title"),
            f" {vocabulary.title}: {vocabulary.about}" + " (added)" * vocabulary.is_added,
        )
        out.line(
            (f"         about {vocabulary.megabytes:g} MB, {vocabulary.licence}, {vocabulary.addresses[0]}", "dim")
        )
    out.advise("Add one: " + out.remedy("`vocabulary fetch NAME online=True`").strip("`"))


def show(out: Printer, concepts: Sequence[KeptConcept]) -> None:
    """Each concept with its names and links."""
    for concept in concepts:
        state = "  deprecated" * concept.deprecated + f"  {concept.state}" * bool(concept.state)
        out.line((one_line(concept.label), "title"), f"  {concept.id}{state}")
        out.line((f"{one_line(concept.vocabulary)}  {one_line(concept.iri)}".rstrip(), "dim"))
        if concept.definition:
            out.fold(one_line(concept.definition), indent=4)
        for name in concept.names:
            out.line(f"    {name.kind}: {one_line(name.text)}" + f" (left out: {name.left_out})" * bool(name.left_out))
        for link in concept.links:
            out.line(f"    {link.kind.replace('_', ' ')}: {one_line(link.label or '?')}  {link.id}")
        for link in concept.narrower:
            out.line(f"    {'part' if link.kind == 'part_of' else 'narrower'}: {one_line(link.label)}  {link.id}")


def search(out: Printer, concept_list: ConceptList) -> None:
    """A line a name."""
    for hit in concept_list.concepts:
        why = hit.left_out or f"{hit.kind}" + " of a deprecated concept" * hit.deprecated
        label = "" if hit.name == hit.label else f"  {one_line(hit.label)}"
        out.line(one_line(hit.name), (f"  {why}", "dim"), f"{label}  {hit.id}  {one_line(hit.vocabulary)}")
    if not concept_list.concepts:
        out.line("There is no such name.")
    if concept_list.next:
        out.line((f"More after {one_line(concept_list.next)!r}", "dim"))


def remove(out: Printer, removed: Vocabulary) -> None:
    """What was removed."""
    out.line(f"Removed {one_line(removed.name)}: {pluralize(removed.concepts, 'concept')}.")


def names(out: Printer, rules: Sequence[NameRule]) -> None:
    """A line a rule."""
    for rule in rules:
        out.line(f"{rule.verdict:<5} {one_line(rule.name)}", (f"  {rule.concept} {rule.source}", "dim"))
    if not rules:
        out.line("There are no rules about names.")


name = names


def learn(out: Printer, report: LearnReport) -> None:
    """How many rules were learnt."""
    out.line(f"{pluralize(report.papers, 'paper')} with {pluralize(report.mentions, 'mention')}.")
    if report.unknown:
        out.line((f"    {report.unknown} of ids that no vocabulary has", "dim"))
    then = out.remedy("`graph link`")
    out.line(f"Learnt {pluralize(report.use, 'name')} to search for and {report.leave} to leave; run {then} now.")
    if report.said:
        out.line((f"    you have rules of your own for {report.said} more, which stay", "dim"))


def forget_learnt(out: Printer, forgotten: Sequence[NameRule]) -> None:
    """How many rules are gone."""
    out.line(f"Forgot {pluralize(len(forgotten), 'rule')} about names.")


def sample(out: Printer, sentences: int, *, output: str | Path = "") -> None:
    """How many sentences were written, and what to do with them."""
    then = out.remedy(f"`vocabulary learn {output}`")
    out.line(f"Wrote {pluralize(sentences, 'sentence')}. Correct them, then run {then}.")


def suggest(out: Printer, report: SuggestionReport) -> None:
    """Each term with where it would belong, how often it is used, and a sentence."""
    often = f"Of {pluralize(report.phrases, 'phrase')} used often enough in {pluralize(report.papers, 'paper')}"
    out.line((f"{often}, the vocabularies have {report.covered}.", "dim"))
    for suggestion in report.suggestions:
        first, last = suggestion.first_year, suggestion.last_year
        years = "" if first is None else f", {first}" if first == last else f", {first}–{last}"
        out.line(
            (one_line(f"{suggestion.rank}. {suggestion.label}"), "title"),
            (f"  {pluralize(suggestion.papers, 'paper')}{years}", "dim"),
        )
        if suggestion.variants:
            out.fold(one_line(f"also: {', '.join(suggestion.variants)}"), 2)
        if suggestion.parent:
            out.line(one_line(f"below {suggestion.parent_label} [{suggestion.parent}]?"), indent=2)
        for example in suggestion.examples[:1]:
            say_example(out, example)
    if not report.suggestions:
        none = "Papers use no phrase often that the vocabularies lack."
        out.line(none if report.papers else "No paper passes these filters.")
    if report.path:
        out.line(f"Wrote {one_line(report.path)}")
