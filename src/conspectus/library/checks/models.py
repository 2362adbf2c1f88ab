"""Checks of models: the embedder, language models, judges, rerankers, prompts, the recogniser of letters."""

from __future__ import annotations

from typing import get_args

from conspectus.core.disk import user_path
from conspectus.core.errors import ConspectusError
from conspectus.core.roles import Role
from conspectus.llm.prompts import BrokenPrompt, prompt_names
from conspectus.models.pairs import OnnxEntailment
from conspectus.models.registry import specs
from conspectus.models.store import ModelStore
from conspectus.parse.pdf.ocr import find_models
from conspectus.records import Finding
from conspectus.session.session import Session


def embedder(session: Session) -> Finding:
    """The embedder: its files, and one text."""
    models = session.settings.models
    try:
        spec = specs().get(models.embedder)
        if spec is not None and session.given.embedder is None:
            ModelStore(models.store or None).verify(spec)
        found = session.embedder
        return Finding("model", True, f"{found.id}, {len(found.embed_query('test').vector)} dimensions")
    except ConspectusError as error:
        return Finding("model", False, error.message, error.hint)


def language_models(session: Session) -> Finding | None:
    """One small call to each language model that is set: what is wrong with its key, its name or its server."""
    language = session.settings.language
    names = list(dict.fromkeys(filter(None, (language.of(role) for role in get_args(Role)))))
    if not names:
        return None
    from conspectus.models.languages.registry import ping_models

    pings = ping_models(names, language, session.given.models)
    wrong = [ping for ping in pings if ping.remedy]
    remedies = dict.fromkeys(ping.remedy for ping in wrong)
    several = len(remedies) > 1
    remedy = " ".join(f"{ping.name}: {ping.remedy}" for ping in wrong) if several else "".join(remedies)
    return Finding("language", not wrong, "; ".join(ping.detail for ping in wrong or pings), remedy)


def judge(session: Session) -> Finding | None:
    """One pair read by the model of entailment, where one judges statements."""
    if not (folder := session.settings.language.entailment):
        return None
    try:
        model = OnnxEntailment(user_path(folder))
        return Finding("judge", True, f"{model.id}, support of a test {model.of('A test.', 'A test.').support:.3g}")
    except ConspectusError as error:
        return Finding("judge", False, error.message, error.hint)


def reranker(session: Session) -> Finding | None:
    """One small call to a reranker that is set; late interaction needs none but the embedder."""
    from conspectus.models import registry

    settings = session.settings
    name = settings.search.reranker
    try:
        given = session.given.rerankers.get(name)
        kind = "" if given else registry.parse_reranker(name).kind
        if kind in (registry.LATE, registry.NONE):
            return None
        if kind == registry.JUDGE:
            if settings.language.of("judge"):
                return Finding("reranker", True, "the language model for the role 'judge'")
            detail = "search.reranker is 'judge', and no language model has that role"
            return Finding("reranker", False, detail, "Connect one: `models connect`.")
        found = given or registry.make_reranker(name, settings.models)
        score = found.scores("test", ["A test."])[0]
        return Finding("reranker", True, f"{found.id}, score of a test {score:.3g}")
    except ConspectusError as error:
        return Finding("reranker", False, error.message, error.hint)


def prompts(session: Session) -> Finding | None:
    """The user's own prompts: one that cannot be used ends every answer that needs it."""
    prompts = session.prompts
    files = prompts.files()
    if not files:
        return None
    broken = [found for found in prompts.looked_at() if isinstance(found, BrokenPrompt)]
    foreign = [path for path in files if path.stem not in prompt_names()]
    wrong = [found.trouble for found in broken]
    wrong += [f"There is no prompt '{path.stem}', so '{path}' is never read." for path in foreign]
    remedies = [found.remedy for found in broken]
    remedies += ["Name the file as one of those that `conspectus prompts` lists."] if foreign else []
    told = " ".join(wrong) or f"{len(files)} of your own"
    return Finding("prompts", not wrong, told, " ".join(dict.fromkeys(remedies)))


def ocr(session: Session) -> Finding | None:
    """What recognises letters, where it is to be used."""
    if session.settings.parse.ocr == "no":
        return None
    try:
        find_models()
    except ConspectusError as error:
        return Finding("ocr", False, error.message, error.hint)
    return Finding("ocr", True, "installed, with its models")
