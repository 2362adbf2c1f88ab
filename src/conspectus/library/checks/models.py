"""Checks of models: embedder, language models, judges, rerankers, prompts, letter recognition, image encoder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import numpy as np
import numpy.typing as npt

from conspectus.core.disk import user_path
from conspectus.core.errors import ConspectusError
from conspectus.figures import sql as figures_sql
from conspectus.figures.figure_vectors import looker, picture_looked_at
from conspectus.figures.image_similarity import picture_of
from conspectus.images import sql as images_sql
from conspectus.llm.prompts import BrokenPrompt, prompt_names
from conspectus.models.pairs import OnnxEntailment
from conspectus.models.registry import specs
from conspectus.models.store import ModelStore, sha256
from conspectus.parse.pdf.ocr import find_models
from conspectus.records import Finding
from conspectus.records.models import Role
from conspectus.session.session import Session
from conspectus.settings import ModelSettings

if TYPE_CHECKING:
    from PIL.Image import Image


def embedder(session: Session) -> Finding:
    """The embedder: its files, and one text."""
    models = session.settings.models
    try:
        spec = specs().get(models.embedder)
        if spec is not None and session.injected.embedder is None:
            ModelStore(models.store or None).verify(spec)
        model = session.chosen_embedder
        return Finding("model", True, f"{model.id}, {len(model.embed_query('test').vector)} dimensions")
    except ConspectusError as error:
        return Finding("model", False, error.message, error.hint)


def language_models(session: Session) -> Finding | None:
    """One small call to each language model that is set: what is wrong with its key, its name or its server."""
    language = session.settings.language
    names = list(dict.fromkeys(filter(None, (language.of(role) for role in get_args(Role)))))
    if not names:
        return None
    from conspectus.models.languages.registry import ping_models

    pings = ping_models(names, language, session.injected.models)
    failed_pings = [ping for ping in pings if ping.remedy]
    remedies = dict.fromkeys(ping.remedy for ping in failed_pings)
    several = len(remedies) > 1
    remedy = " ".join(f"{ping.name}: {ping.remedy}" for ping in failed_pings) if several else "".join(remedies)
    return Finding("language", not failed_pings, "; ".join(ping.detail for ping in failed_pings or pings), remedy)


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
        injected_reranker = session.injected.rerankers.get(name)
        kind = "" if injected_reranker else registry.parse_reranker(name).kind
        if kind in (registry.LATE, registry.NONE):
            return None
        if kind == registry.JUDGE:
            if settings.language.of("judge"):
                return Finding("reranker", True, "the language model for the role 'judge'")
            detail = "search.reranker is 'judge', and no language model has that role"
            return Finding("reranker", False, detail, "Connect one: `models connect`.")
        scorer = injected_reranker or registry.make_reranker(name, settings.models)
        score = scorer.scores("test", ["A test."])[0]
        return Finding("reranker", True, f"{scorer.id}, score of a test {score:.3g}")
    except ConspectusError as error:
        return Finding("reranker", False, error.message, error.hint)


def prompts(session: Session) -> Finding | None:
    """The user's own prompts: one that cannot be used ends every answer that needs it."""
    prompts = session.prompts
    files = prompts.files()
    if not files:
        return None
    broken_prompts = [prompt for prompt in prompts.looked_at() if isinstance(prompt, BrokenPrompt)]
    foreign = [path for path in files if path.stem not in prompt_names()]
    troubles = [prompt.trouble for prompt in broken_prompts]
    troubles += [f"There is no prompt '{path.stem}', so '{path}' is never read." for path in foreign]
    remedies = [prompt.remedy for prompt in broken_prompts]
    remedies += ["Name the file as one of those that `conspectus prompts` lists."] if foreign else []
    detail = " ".join(troubles) or f"{len(files)} of your own"
    return Finding("prompts", not troubles, detail, " ".join(dict.fromkeys(remedies)))


def ocr(session: Session) -> Finding | None:
    """What recognises letters, where it is to be used."""
    if session.settings.parse.ocr == "no":
        return None
    try:
        find_models()
    except ConspectusError as error:
        return Finding("ocr", False, error.message, error.hint)
    return Finding("ocr", True, "installed, with its models")


_TRIED = 5
"""Figures, and images of collections, that are gone through until the picture of one can be had."""
_APART = 0.2
"""How far the vectors of one picture may be apart, in parts of their length: renderers change a little."""
Kept = tuple[str, npt.NDArray[np.float16], "Image"]


def encoder(session: Session) -> Finding | None:
    """The image encoder, where one is used or chosen: its files, a picture, and some of those it has looked at."""
    models = session.settings.models
    is_chosen = session.injected.encoder is not None or models.encoder != ModelSettings().encoder
    if not (is_chosen or images_sql.encoders(session.catalog) or figures_sql.pictures_state(session.catalog)[1]):
        return None
    try:
        spec = specs().get(models.encoder)
        if spec is not None and session.injected.encoder is None:
            ModelStore(models.store or None).verify(spec)
        return _tried(session)
    except ConspectusError as error:
        return Finding("encoder", False, error.message, error.hint)


def _tried(session: Session) -> Finding:
    from PIL import Image as pillow

    image_encoder, figure_looker = session.encoder, looker(session)
    (vector,) = image_encoder.images([pillow.new("RGB", (64, 48), "white")])
    if len(vector) != image_encoder.dimensions:
        detail = f"{image_encoder.id} gives {len(vector)} numbers of a picture, and says {image_encoder.dimensions}"
        return Finding("encoder", False, detail, "Mend it, or set another: models.encoder")
    odd = images_sql.odd_vectors(session.catalog, image_encoder.id, image_encoder.dimensions)
    if odd := odd + figures_sql.count_odd_vectors(
        session.catalog, figure_looker.name, figure_looker.version, image_encoder.dimensions
    ):
        return Finding(
            "encoder", False, f"{odd} stored vectors do not have {image_encoder.dimensions} numbers", _REMEDY
        )
    compared = [
        name
        for name, stored_vector, picture in _stored_vectors(session)
        if not _same(stored_vector, next(iter(image_encoder.images([picture]))))
    ]
    if compared:
        detail = f"{image_encoder.id} no longer makes the stored vectors, such as that of {compared[0]}"
        return Finding("encoder", False, detail, _REMEDY)
    return Finding("encoder", True, f"{image_encoder.id}, {image_encoder.dimensions} dimensions")


_REMEDY = (
    "Use the encoder that made them, or change its `id`, so that they are made again. If nothing was changed, the "
    "catalog is damaged: `library restore FILE replace=True`"
)


def _same(stored_vector: npt.NDArray[np.float16], new_vector: npt.NDArray[np.float32]) -> bool:
    before = stored_vector.astype(np.float32)
    return bool(np.linalg.norm(before - new_vector) <= _APART * max(float(np.linalg.norm(new_vector)), 1e-6))


def _stored_vectors(session: Session) -> Iterator[Kept]:
    """The first figure and the first image with a kept vector whose picture can be had: what it is, both."""
    yield from islice(_figures(session), 1)
    yield from islice(_images(session), 1)


def _figures(session: Session) -> Iterator[Kept]:
    figure_looker = looker(session)
    for figure, vector in figures_sql.sample_vectors(
        session.catalog, figure_looker.name, figure_looker.version, _TRIED
    ):
        with suppress(ConspectusError):  # its file is gone, which another check tells
            yield f"figure {figure}", vector, picture_looked_at(session, figure)


def _images(session: Session) -> Iterator[Kept]:
    for path, digest, vector in images_sql.some_vectors(session.catalog, session.encoder.id, _TRIED):
        with suppress(ConspectusError, OSError):  # as above
            if sha256(Path(path)) == digest:
                yield f"'{path}'", vector, picture_of(session, Path(path), None)


def vectors(session: Session) -> Finding | None:
    """Images whose vectors are not of the encoder set, which searches leave out."""
    counts = images_sql.encoders(session.catalog)
    if not counts:
        return None
    total = sum(counts.values())
    try:
        encoder = session.encoder.id
    except ConspectusError as error:
        return Finding("images", False, error.message, error.hint)
    if others := total - counts.get(encoder, 0):
        detail = f"{others} of {total} have vectors of {', '.join(sorted(counts.keys() - {encoder}))}, not of {encoder}"
        return Finding("images", False, detail, "`images add FILES…` makes them again; or set models.encoder back")
    return Finding("images", True, f"{total}, all by {encoder}")
