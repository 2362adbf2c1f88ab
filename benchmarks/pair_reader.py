"""The training of the model that reads question and sentence together.

    python benchmarks/pair_reader.py              # src/conspectus/models/data/pair_reader.npz
    python benchmarks/pair_reader.py --continue   # only the last epoch, from the file as it is

Needs jax (`pip install jax`; 12 minutes an epoch of 1,480 steps on two cores with bfloat16) and `conspectus models
fetch minilm-float32`. Each group is a question, a sentence that answers it, and five that do not; the loss is that of
choosing the right one, and of each alone. Questions: BioASQ's but those of `bearing.py`, four fifths of SciFact's
claims with their rationales (other sentences of the abstract do not answer), and the training part of PubMedQA
(sentences about results answer, those about background and methods do not). Two last epochs have our own: half of
`sets/bearing_questions_wide.jsonl` and seven tenths of `bearing_questions_twice.jsonl`, with questions that nothing
answers, and a part of the others; the rest of these and all other sets of ours are kept to measure with. The three
upper layers get matrices of rank 32; all else stays as it is.

The first two epochs of the file that is shipped had a learning rate that fell with the clock as well, a third one had
the questions of `bearing_questions_wide.jsonl` alone, the rank was 16 but in the last, and pairs were cut at 64 tokens
in the first three: a run gives about the same
file, not the same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import bearing
import corpora
import numpy as np
import refusal
from scipy import sparse
from sentence_zones import zone_of

from conspectus.models.minilm_float import SPEC
from conspectus.models.pair_reader import QUESTION_TOKEN, SENTENCE_TOKEN, STRENGTH, mark_pair
from conspectus.models.store import ModelStore
from conspectus.parse.text.sentences import split_sentences

LAYERS, TRAINED, HEADS, HIDDEN, RANK = 6, (3, 4, 5), 12, 384, 32
OTHERS, GROUPS, RATE, WARM = 5, 4, (8e-4, 6e-4, 4e-4, 4e-4), 40
ALONE = (0.3, 0.3, 1.0, 1.0)
"""The weight of the loss of each sentence alone, by epoch."""
KEPT = 0.25
"""The part of the other groups that the last two epochs read once more."""
LENGTHS = (48, 64, 96)
PARTS = (
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
    "attention.output.dense",
    "intermediate.dense",
    "output.dense",
)
Group = tuple[str, list[str], bool]
"""A question, sentences, and whether the first one answers; else none does."""


# the questions


class Weighed:
    """Texts as rows of a matrix of word weights (TF-IDF), of length 1."""

    def __init__(self, texts: Sequence[str]) -> None:
        counts = [Counter(refusal.stems(text)) for text in texts]
        having = Counter(word for count in counts for word in count)
        self.columns = {word: place for place, word in enumerate(having)}
        self.rarity = [math.log(len(texts) / having[word]) for word in self.columns]
        self.rows = self.weigh(texts)

    def weigh(self, texts: Sequence[str]) -> Any:
        entries = [
            ((1 + math.log(count)) * self.rarity[self.columns[word]], row, self.columns[word])
            for row, text in enumerate(texts)
            for word, count in Counter(refusal.stems(text)).items()
            if word in self.columns
        ]
        values, rows, columns = zip(*entries, strict=True) if entries else ((), (), ())
        matrix = sparse.csr_matrix((values, (rows, columns)), (len(texts), len(self.columns)), dtype=np.float32)
        norms = np.maximum(np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel()), 1e-9)
        return sparse.diags(1 / norms) @ matrix

    def near(self, text: str, texts: Sequence[str]) -> Any:
        return (self.weigh([text]) @ self.weigh(texts).T).toarray()[0]


def sentences_of(text: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text) if is_whole(text[start:end])]


def is_whole(sentence: str) -> bool:
    return 5 <= len(sentence.split()) <= 70


def read_groups(epoch: int) -> list[Group]:
    """The groups of an epoch, in a random order that is always the same."""
    rng = random.Random(40 + epoch)
    data = corpora.data_folder()
    snippets = {one["id"]: one for one in corpora.read_lines(data / "bioasq" / "snippets.jsonl.gz")}
    of_snippet = {name: sentences_of(one["text"]) for name, one in snippets.items()}
    texts = [text for sentences in of_snippet.values() for text in sentences]
    papers = [snippets[name]["pmid"] for name, sentences in of_snippet.items() for _ in sentences]
    weighed = Weighed(texts)
    groups = list(bioasq(rng, epoch, of_snippet, snippets, texts, papers, weighed))
    groups += scifact(rng, texts)
    groups += pubmedqa(rng, texts, weighed)
    if epoch >= len(RATE) - 2:
        groups = [*rng.sample(groups, round(KEPT * len(groups))), *ours(rng)]
    rng.shuffle(groups)
    return groups


def ours(rng: random.Random) -> Iterator[Group]:
    """Each sentence that bears an answer among marked ones that do not; of a question without answer those alone."""
    texts = {
        bearing.digest(text): text
        for corpus in bearing.CORPORA
        for record in bearing.records_of(corpus)
        for text in (record["title"], *sentences_of(record["abstract"]))
    }
    for row in filter(bearing.is_read_together, bearing.read_questions()):
        answers, others = ([texts[mark] for mark in row[name] if mark in texts] for name in ("bears", "not"))
        if len(others) < 3:
            continue
        groups = 1 if "again" in row else max(2, min(len(answers), 4))  # there are more of them, in two wordings
        drawn = [rng.sample(others, min(OTHERS, len(others))) for _ in range(groups)]
        for answer, group in zip(rng.sample(answers, min(len(answers), groups)), drawn, strict=False):
            yield row["question"], [answer, *fill(rng, group, others)], True
        if not answers:
            for group in drawn:
                yield row["question"], [rng.choice(others), *fill(rng, group, others)], False


def bioasq(
    rng: random.Random,
    epoch: int,
    of_snippet: dict[str, list[str]],
    snippets: dict[str, Any],
    texts: Sequence[str],
    papers: Sequence[str],
    weighed: Weighed,
) -> Iterator[Group]:
    """The sentence of the gold snippets that is nearest to the ideal answer, among the nearest of other papers."""
    held = bearing.bioasq_questions()
    names, theirs = {one["id"] for one in held}, {pmid for one in held for pmid in one["pmids"]}
    for one in corpora.read_lines(data_file("bioasq", "questions.jsonl.gz")):
        if one["id"] in names:
            continue
        ideal = one["ideal_answer"]
        exact = json.dumps(one.get("exact_answer") or "") if one["type"] != "yesno" else ""
        asked = f"{one['question']} {' '.join(ideal) if isinstance(ideal, list) else ideal} {exact}"
        gold = sorted(
            {
                text
                for name in one["snippet_ids"]
                if name in snippets and snippets[name]["pmid"] not in theirs
                for text in of_snippet[name]
            }
        )
        if not gold:
            continue
        near = weighed.near(asked, gold)
        answers = [gold[place] for place in np.argsort(-near)[:3] if near[place] > 0.15]
        order = np.argsort(-(weighed.weigh([one["question"]]) @ weighed.rows.T).toarray()[0])[:40]
        own = {*one["pmids"], *theirs}
        others = [texts[place] for place in order if papers[place] not in own][:8]
        if answers and len(others) >= OTHERS:
            answer = answers[min(1, len(answers) - 1)] if epoch else rng.choice(answers)
            yield one["question"], [answer, *rng.sample(others, OTHERS)], True


def scifact(rng: random.Random, texts: Sequence[str]) -> Iterator[Group]:
    """Rationales among the other sentences of their abstracts, but for the claims that are held out."""
    corpus = {
        str(one["doc_id"]): one["abstract"] for one in corpora.read_lines(data_file("scifact", "corpus.jsonl.gz"))
    }
    claims = [one for one in corpora.read_lines(data_file("scifact", "claims_train.jsonl")) if one["evidence"]]
    held = {name for one in claims if bearing.fold(one["claim"]) == bearing.HELD for name in one["evidence"]}
    for one in claims:
        for name, evidence in one["evidence"].items():
            if name in held:
                continue
            gold = {number for part in evidence for number in part["sentences"]}
            answers = [text for number, text in enumerate(corpus[name]) if number in gold and is_whole(text)]
            others = [text for number, text in enumerate(corpus[name]) if number not in gold and is_whole(text)]
            for answer in rng.sample(answers, min(2, len(answers))):
                if len(others) >= 3:
                    yield (
                        one["claim"],
                        [answer.strip(), *fill(rng, rng.sample(others, min(OTHERS, len(others))), texts)],
                        True,
                    )


def pubmedqa(rng: random.Random, texts: Sequence[str], weighed: Weighed) -> Iterator[Group]:
    """Of the training part of `refusal.py`, the two sentences on results that are nearest to the question."""
    for one in corpora.pubmedqa():
        if refusal.part("pubmedqa", one["pmid"]) != "train":
            continue
        zones = [(zone_of(label), text) for label, text in zip(one["LABELS"], one["CONTEXTS"], strict=True)]
        results = [text for zone, part in zones if zone in ("result", "conclusion") for text in sentences_of(part)]
        others = [text for zone, part in zones if zone not in ("result", "conclusion") for text in sentences_of(part)]
        if results and len(others) >= 2:
            for place in np.argsort(-weighed.near(f"{one['QUESTION']} {one.get('LONG_ANSWER') or ''}", results))[:2]:
                yield (
                    one["QUESTION"],
                    [results[place], *fill(rng, rng.sample(others, min(4, len(others))), texts)],
                    True,
                )


def fill(rng: random.Random, others: list[str], texts: Sequence[str]) -> list[str]:
    return [*others, *rng.choices(texts, k=OTHERS)][:OTHERS]


def data_file(*names: str) -> Any:
    return corpora.data_folder().joinpath(*names)


# the network


def read_weights() -> dict[str, Any]:
    """The float32 weights of `minilm`, those of the linear layers in bfloat16, and turned round as well."""
    import onnx
    from jax import numpy as jnp
    from onnx import numpy_helper

    path = ModelStore().path(SPEC) / "model-float32.onnx"
    raw = {one.name: numpy_helper.to_array(one) for one in onnx.load(path).graph.initializer}
    weights = {name: jnp.asarray(value) for name, value in raw.items() if value.dtype == np.float32}
    for name in [name for name in weights if name.endswith(".weight.T")]:
        weights[name] = weights[name].astype(jnp.bfloat16)
        weights[f"{name}.turned"] = jnp.asarray(np.ascontiguousarray(raw[name].T), jnp.bfloat16)
    return weights


def begin() -> dict[str, Any]:
    """An adapter that changes nothing: the score is the nearness of the words, read together."""
    rng, adapter = np.random.default_rng(0), {}
    for layer in TRAINED:
        for part in PARTS:
            wide, high = {"intermediate.dense": (384, 1536), "output.dense": (1536, 384)}.get(part, (384, 384))
            adapter[f"encoder.layer.{layer}.{part}.down"] = rng.normal(0, 1 / math.sqrt(wide), (wide, RANK))
            adapter[f"encoder.layer.{layer}.{part}.up"] = np.zeros((RANK, high))
    adapter |= {"head": np.zeros(2 * HIDDEN), "bias": np.zeros(()), "near": np.array(8.0)}
    return {name: value.astype(np.float32) for name, value in adapter.items()}


def make_steps() -> Any:
    """One step of training, compiled; it returns the adapter, its two moments, and the loss of choosing."""
    import jax
    from jax import numpy as jnp

    half = jnp.bfloat16

    def times(first: Any, second: Any) -> Any:
        return jnp.dot(first.astype(half), second.astype(half), preferred_element_type=jnp.float32)

    # The products of the way back are in bfloat16 as well: four times as fast on processors that have it.
    @jax.custom_vjp
    def product(first: Any, second: Any) -> Any:
        return times(first, second)

    product.defvjp(
        lambda first, second: (times(first, second), (first.astype(half), second)),
        lambda kept, slope: (times(slope, kept[1].T), times(kept[0].T, slope).astype(kept[1].dtype)),
    )

    @jax.custom_vjp
    def fixed(values: Any, matrix: Any, turned: Any) -> Any:  # noqa: ARG001 - for the way back
        return times(values, matrix)

    fixed.defvjp(
        lambda values, matrix, turned: (times(values, matrix), turned),
        lambda turned, slope: (times(slope, turned), None, None),
    )

    def normalise(values: Any, weights: Any, name: str) -> Any:
        middle = values.mean(-1, keepdims=True)
        spread = ((values - middle) ** 2).mean(-1, keepdims=True)
        scaled = (values - middle) * jax.lax.rsqrt(spread + 1e-12)
        return scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"]

    def score(adapter: Any, weights: Any, ids: Any, marks: Any) -> Any:
        texts, tokens = ids.shape
        words = weights["embeddings.word_embeddings.weight"][ids]
        places = weights["embeddings.position_embeddings.weight"][:tokens]
        states = normalise(words + places + weights["token_type"], weights, "embeddings.LayerNorm")
        states = states.reshape(-1, HIDDEN)
        hidden = jnp.where(marks > 0, 0.0, -1e9)[:, None, None, :]

        def linear(values: Any, name: str) -> Any:
            made = fixed(values, weights[f"{name}.weight.T"], weights[f"{name}.weight.T.turned"])
            if f"{name}.down" in adapter:
                made += STRENGTH * product(product(values, adapter[f"{name}.down"]), adapter[f"{name}.up"])
            return made + weights[f"{name}.bias"]

        def heads(values: Any) -> Any:
            return values.reshape(texts, tokens, HEADS, -1).transpose(0, 2, 1, 3).astype(half)

        for layer in range(LAYERS):
            name = f"encoder.layer.{layer}"
            query, key, value = (heads(linear(states, f"{name}.attention.self.{part}")) for part in PARTS_OF_ATTENTION)
            near = jnp.einsum("nhqd,nhkd->nhqk", query, key, preferred_element_type=jnp.float32)
            share = jax.nn.softmax(near / math.sqrt(HIDDEN // HEADS) + hidden, -1).astype(half)
            mixed = jnp.einsum("nhqk,nhkd->nhqd", share, value, preferred_element_type=jnp.float32)
            mixed = mixed.transpose(0, 2, 1, 3).reshape(-1, HIDDEN)
            attended = states + linear(mixed, f"{name}.attention.output.dense")
            states = normalise(attended, weights, f"{name}.attention.output.LayerNorm")
            inner = jax.nn.gelu(linear(states, f"{name}.intermediate.dense"), approximate=True)
            states = normalise(states + linear(inner, f"{name}.output.dense"), weights, f"{name}.output.LayerNorm")
        states = states.reshape(texts, tokens, HIDDEN)
        own, asked = ((marks == mark).astype(jnp.float32) for mark in (SENTENCE_TOKEN, QUESTION_TOKEN))
        unit = states / jnp.linalg.norm(states, axis=-1, keepdims=True).clip(1e-6)
        cosines = jnp.einsum("nqd,nkd->nqk", unit, unit) + jnp.where(own > 0, 0.0, -1e9)[:, None, :]
        late = (cosines.max(-1) * asked).sum(-1) / asked.sum(-1).clip(1)
        mean = (states * own[..., None]).sum(1) / own.sum(1, keepdims=True).clip(1)
        seen = jnp.concatenate([states[:, 0], mean], -1)
        return seen @ adapter["head"] + adapter["bias"] + adapter["near"] * late

    def loss(adapter: Any, weights: Any, ids: Any, marks: Any, answered: Any, share: Any) -> Any:
        odds = score(adapter, weights, ids, marks).reshape(-1, 1 + OTHERS)
        chosen = (-jax.nn.log_softmax(odds)[:, 0] * answered).mean()
        bears = (jnp.arange(1 + OTHERS) == 0) & (answered[:, None] > 0)
        alone = jax.nn.softplus(jnp.where(bears, -odds, odds)).mean()
        return chosen + share * alone, chosen

    def step(adapter: Any, first: Any, second: Any, number: Any, rate: Any, weights: Any, *batch: Any) -> Any:
        (_, chosen), slope = jax.value_and_grad(loss, has_aux=True)(adapter, weights, *batch)
        length = jnp.sqrt(sum((value**2).sum() for value in jax.tree.leaves(slope)))
        slope = jax.tree.map(lambda value: value * jnp.minimum(1, 1 / (length + 1e-6)), slope)
        first = jax.tree.map(lambda old, new: 0.9 * old + 0.1 * new, first, slope)
        second = jax.tree.map(lambda old, new: 0.99 * old + 0.01 * new**2, second, slope)
        adapter = jax.tree.map(
            lambda value, mean, square: (
                value - rate * (mean / (1 - 0.9**number)) / (jnp.sqrt(square / (1 - 0.99**number)) + 1e-6)
            ),
            adapter,
            first,
            second,
        )
        return adapter, first, second, chosen

    return jax.jit(step)


PARTS_OF_ATTENTION = ("query", "key", "value")


Pairs = tuple[list[tuple[list[int], list[int]]], bool]
"""Of a group, its pairs as tokens and marks, and whether the first one answers."""


def tokenise(groups: Sequence[Group]) -> dict[int, list[Pairs]]:
    """Groups by the length that their pairs are padded to."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(ModelStore().path(SPEC) / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()

    def ids(text: str) -> list[int]:
        found: list[int] = tokenizer.encode(text, add_special_tokens=False).ids
        return found

    made: dict[int, list[Pairs]] = {length: [] for length in LENGTHS}
    for question, sentences, is_answered in groups:
        asked = ids(question)[:28]
        pairs = [mark_pair(asked, ids(text)[: LENGTHS[-1] - 3 - len(asked)]) for text in sentences]
        longest = max(len(tokens) for tokens, _ in pairs)
        made[min(length for length in LENGTHS if longest <= length)].append((pairs, is_answered))
    return made


def train(adapter: dict[str, Any], epochs: Sequence[int]) -> dict[str, Any]:
    import jax
    from jax import numpy as jnp

    weights, adapter, step = read_weights(), jax.tree.map(jnp.asarray, adapter), make_steps()
    for epoch in epochs:
        rng, batches = random.Random(1 + epoch), []
        for length, groups in tokenise(read_groups(epoch)).items():
            rng.shuffle(groups)
            batches += [(length, groups[at : at + GROUPS]) for at in range(0, len(groups) - GROUPS + 1, GROUPS)]
        rng.shuffle(batches)
        first = second = jax.tree.map(jnp.zeros_like, adapter)
        lost: list[float] = []
        for number, (length, groups) in enumerate(batches):
            pairs = [pair for group, _ in groups for pair in group]
            ids, marks = (np.zeros((len(pairs), length), np.int32) for _ in range(2))
            for row, (tokens, told) in enumerate(pairs):
                ids[row, : len(tokens)], marks[row, : len(told)] = tokens, told
            rate = RATE[epoch] * min(1, (number + 1) / WARM) * max(1 - number / len(batches), 0.02)
            batch = (ids, marks, np.array([answered for _, answered in groups], np.float32), ALONE[epoch])
            adapter, first, second, chosen = step(adapter, first, second, number + 1.0, rate, weights, *batch)
            lost.append(float(chosen))
            if number % 50 == 49:
                print(f"epoch {epoch}, {number + 1} of {len(batches)}: loss {np.mean(lost[-50:]):.3f}", flush=True)
    return {name: np.asarray(value) for name, value in adapter.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--continue", action="store_true", dest="is_continued", help="only the last epoch")
    epochs = range(len(RATE))
    if parser.parse_args().is_continued:
        with np.load(bearing.ADAPTER, allow_pickle=False) as stored:
            made = train({name: stored[name].astype(np.float32) for name in stored}, epochs[-1:])
    else:
        made = train(begin(), epochs)
    matrices = re.compile(r"\.(?:down|up)$")
    np.savez_compressed(
        bearing.ADAPTER,
        allow_pickle=False,
        **{name: value.astype(np.float16) if matrices.search(name) else value for name, value in made.items()},
    )
    print(f"{bearing.ADAPTER}: {hashlib.sha256(bearing.ADAPTER.read_bytes()).hexdigest()[:12]}")


if __name__ == "__main__":
    main()
