"""`vocabulary add`, `list`, `show`, `search`, `remove`, `name` and `learn`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from conspectus.cli.app import VerbGroup, verb
from conspectus.cli.polite import step_back
from conspectus.cli.printer import Printer, one_line
from conspectus.cli.showing import showing
from conspectus.cli.state import State
from conspectus.cli.typed import typed
from conspectus.core.plural import pluralize
from conspectus.records.vocabularies import AddedVocabulary, ConceptHit, KeptConcept, LearnReport, NameRule, Vocabulary
from conspectus.wire import encode

_SHOWN = 5
_of = click.option("--of", "vocabulary", default="", metavar="NAME", help="Of this vocabulary (else all).")
_limit = click.option("-n", "--limit", type=click.IntRange(1, 100_000), default=50, show_default=True, help="How many.")
_after = click.option("--after", default="", metavar="NEXT", help="Go on where the list before ended.")


@click.group("vocabulary", cls=VerbGroup)
def vocabulary_verb() -> None:
    """Keep vocabularies (OWL, SKOS, OBO, MeSH, tables): add, list, search, show concepts, remove, rule names."""


@verb("add", of=vocabulary_verb)
@click.argument("paths", nargs=-1, required=True, metavar="PATHS…")
@click.option("--name", default="", metavar="NAME", help="Of one vocabulary of all PATHS (else each is its own).")
@click.option("--subtree", multiple=True, metavar="ROOT,…", help="Only at and below these ids or places in a tree.")
@click.option("--language", multiple=True, metavar="CODE", help="Of names, repeatable (vocabulary.languages); *: all.")
def add_verb(
    state: State, paths: tuple[str, ...], name: str, subtree: tuple[str, ...], language: tuple[str, ...]
) -> int:
    """Add vocabularies, or add them again: what has not changed is not read, and concepts that stay are the same ones.

    Files, folders and archives: Turtle, RDF/XML, N-Triples, JSON-LD, OBO, obographs, MeSH's XML, tables of names. One
    that cannot be read is named and stays as it was; then the exit code is 1.
    """
    step_back()
    roots = [root.strip() for some in subtree for root in some.split(",") if root.strip()]
    with showing(state), state.library(create=True) as library:
        report = library.add_vocabulary(paths, name, roots, language)
    state.tell(lambda: encode.plain(report), lambda out: _added(out, report.vocabularies))
    return int(bool(report.failed))


def _added(out: Printer, every: Sequence[AddedVocabulary]) -> None:
    for one in every:
        if one.outcome == "failed":
            out.line(("failed", "bad"), f" {one_line(one.name)}")
            out.fold(typed(one.reason), indent=4)
            continue
        out.line(
            one.outcome, f" {one_line(one.name)}: {pluralize(one.concepts, 'concept')}, {pluralize(one.names, 'name')}"
        )
        if one.outcome == "updated":
            out.line(f"    {one.added} added, {one.changed} changed, {one.removed} removed")
        for note in one.notes:
            out.fold(note, indent=4)
        if one.left_out:
            out.line(f"    {pluralize(one.left_out, 'name')} not searched for in texts: vocabulary show --left-out")
        if one.missing:
            some = ", ".join(map(one_line, one.missing[:_SHOWN])) + (" …" if len(one.missing) > _SHOWN else "")
            out.fold(f"{pluralize(len(one.missing), 'import')} not there: {some}", indent=4)


@verb("list", of=vocabulary_verb)
def list_verb(state: State) -> None:
    """List the vocabularies, in the order in which they go before each other where they share a name."""
    with state.library() as library:
        found = library.vocabularies()
    state.tell(lambda: {"vocabularies": encode.plain(found)}, lambda out: _listed(out, found))


def _listed(out: Printer, found: Sequence[Vocabulary]) -> None:
    for one in found:
        part = f" below {', '.join(one.subtree)}" if one.subtree else ""
        version = f" {one_line(one.version)}" if one.version else ""
        out.line((one_line(one.name), "title"), version)
        out.line(f"    {pluralize(one.concepts, 'concept')}, {pluralize(one.names, 'name')}{part}")
        out.line((f"    {one_line(one.source)}", "dim"))
    if not found:
        out.line("There is no vocabulary yet.")


@verb("show", of=vocabulary_verb)
@click.argument("concept", default="", metavar="[CONCEPT]")
@click.option("--left-out", is_flag=True, help="Instead: the names that texts are not searched for, and why.")
@_of
@_limit
@_after
def show_verb(state: State, concept: str, left_out: bool, vocabulary: str, limit: int, after: str) -> None:
    """Show a concept by its id (`UBERON:0000955`), or the names that are left out."""
    if bool(concept) == left_out:
        raise click.UsageError("Name a concept, or give --left-out.")
    with state.library() as library:
        if left_out:
            listed = library.concepts("", vocabulary, left_out=True, limit=limit, after=after)
            body = {"left_out": encode.plain(listed.concepts), "next": listed.next}
            state.tell(lambda: body, lambda out: _found(out, listed.concepts, listed.next))
            return
        found = library.concept(concept)
    state.tell(lambda: {"concepts": encode.plain(found)}, lambda out: _show(out, found))


def _show(out: Printer, found: Sequence[KeptConcept]) -> None:
    for one in found:
        state = "  deprecated" * one.deprecated + f"  {one.state}" * bool(one.state)
        out.line((one_line(one.label), "title"), f"  {one.id}{state}")
        out.line((f"{one_line(one.vocabulary)}  {one_line(one.iri)}".rstrip(), "dim"))
        if one.definition:
            out.fold(one_line(one.definition), indent=4)
        for name in one.names:
            out.line(f"    {name.kind}: {one_line(name.text)}" + f" (left out: {name.left_out})" * bool(name.left_out))
        for link in one.links:
            out.line(f"    {link.kind.replace('_', ' ')}: {one_line(link.label or '?')}  {link.id}")
        for link in one.narrower:
            out.line(f"    {'part' if link.kind == 'part_of' else 'narrower'}: {one_line(link.label)}  {link.id}")


@verb("search", of=vocabulary_verb)
@click.argument("words", nargs=-1, required=True, metavar="WORDS…")
@_of
@_limit
@_after
def search_verb(state: State, words: tuple[str, ...], **chosen: Any) -> None:
    """Find concepts with a name that begins with WORDS, whatever its case, accents and punctuation."""
    with state.library() as library:
        found = library.concepts(" ".join(words), **chosen)
    state.tell(lambda: encode.plain(found), lambda out: _found(out, found.concepts, found.next))


def _found(out: Printer, hits: Sequence[ConceptHit], more: str) -> None:
    for hit in hits:
        why = hit.left_out or f"{hit.kind}" + " of a deprecated concept" * hit.deprecated
        own = "" if hit.name == hit.label else f"  {one_line(hit.label)}"
        out.line(one_line(hit.name), (f"  {why}", "dim"), f"{own}  {hit.id}  {one_line(hit.vocabulary)}")
    if not hits:
        out.line("There is no such name.")
    if more:
        out.line((f"More: --after {one_line(more)!r}", "dim"))


@verb("remove", of=vocabulary_verb)
@click.argument("name", metavar="NAME")
def remove_verb(state: State, name: str) -> None:
    """Remove a vocabulary with all that is known of its concepts. Its files stay."""
    with state.library() as library:
        found = library.remove_vocabulary(name)
    state.tell(
        lambda: {"removed": encode.plain(found)},
        [f"Removed {one_line(found.name)}: {pluralize(found.concepts, 'concept')}."],
    )


@verb("name", of=vocabulary_verb)
@click.argument("name", default="", metavar="[NAME]")
@click.option("--use", "verdict", flag_value="use", help="Texts are searched for it.")
@click.option("--leave", "verdict", flag_value="leave", help="Texts are not searched for it.")
@click.option("--undo", "verdict", flag_value="undo", help="Take back what was said of it.")
@click.option("--concept", default="", metavar="ID", help="Of this concept alone (else whichever has the name).")
def name_verb(state: State, name: str, verdict: str | None, concept: str) -> None:
    """Say of a NAME that texts are searched for it or not, or list what was said of names."""
    if bool(name) != bool(verdict):
        raise click.UsageError("Give a name and one of --use, --leave and --undo; without both the rules are listed.")
    with state.library() as library:
        if name:
            said = {"use": "use", "leave": "leave", "undo": None}[str(verdict)]
            library.rule_name(name, said, concept)  # type: ignore[arg-type] # click gives text
        rules = library.name_rules()
    state.tell(lambda: {"rules": encode.plain(rules)}, lambda out: _rules(out, rules))


@verb("learn", of=vocabulary_verb)
@click.argument("gold", nargs=-1, metavar="GOLD…")
@click.option("--least", type=click.FloatRange(0, 1), default=0.5, show_default=True, help="Probability of a name.")
@click.option("--undo", is_flag=True, help="Instead: take back all that was learnt.")
@click.option("--sample", default="", metavar="FILE", help="Instead: write sentences to be corrected, as a table.")
@click.option("-n", "--sentences", type=click.IntRange(1), default=100, show_default=True, help="Of a sample.")
def learn_verb(state: State, gold: tuple[str, ...], least: float, undo: bool, sample: str, sentences: int) -> None:
    """Learn which names to search for and which to leave, of texts in which all is marked that they speak of.

    GOLD is JSON Lines (`text`, `entities` with `start`, `end` and `id`), PubTator, or a table (CSV) that --sample wrote
    and you corrected: `concept` emptied where words mean none, another id put there, rows added for what was missed.
    What was learnt before is replaced. `vocabulary name` lists it; what you say there goes before it. Then `link`.
    """
    if bool(gold) + undo + bool(sample) != 1:
        raise click.UsageError("Name files of gold, or give one of --undo and --sample.")
    with showing(state), state.library() as library:
        if gold:
            report = library.learn_names(gold, least)
            state.tell(lambda: encode.plain(report), lambda out: _learnt(out, report))
        elif undo:
            gone = library.forget_learnt_names()
            state.tell(lambda: {"forgotten": gone}, [f"Forgot {pluralize(gone, 'rule')} of names."])
        else:
            drawn = library.sample_mentions(sample, sentences)
            said = f"Wrote {pluralize(drawn, 'sentence')}. Correct them, then: conspectus vocabulary learn {sample}"
            state.tell(lambda: {"sentences": drawn}, [said])


def _learnt(out: Printer, report: LearnReport) -> None:
    out.line(f"{pluralize(report.papers, 'paper')} with {pluralize(report.mentions, 'mention')}.")
    if report.unknown:
        out.line((f"    {report.unknown} of ids that no vocabulary has", "dim"))
    out.line(f"Learnt {pluralize(report.use, 'name')} to search for and {report.leave} to leave; `link` goes by it.")
    if report.said:
        out.line((f"    of {report.said} more you have said something, which stands", "dim"))


def _rules(out: Printer, rules: Sequence[NameRule]) -> None:
    for rule in rules:
        out.line(f"{rule.verdict:<5} {one_line(rule.name)}", (f"  {rule.concept} {rule.source}", "dim"))
    if not rules:
        out.line("Nothing is said of names.")
