"""Cross-encoders small enough to reckon by hand: they count pairs of equal words of a question and a text."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save
from tokenizers import Tokenizer, models, pre_tokenizers, processors

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
WORDS = "tides slow the rotation of earth moon recedes corals grow steel is hard brittle and hot not".split()


def tokenizer() -> Tokenizer:
    """Words of `WORDS`, as BERT joins two texts: [CLS] question [SEP] text [SEP]."""
    made = Tokenizer(models.WordLevel({word: number for number, word in enumerate(SPECIAL + WORDS)}, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    made.enable_padding(length=64)  # as some are saved
    made.enable_truncation(4)
    return made


def matches(query: str, text: str) -> float:
    """What the model gives, by hand: pairs of equal known words, one of the question and one of the text."""
    return float(sum(a == b for a in query.split() for b in text.split() if a in WORDS))


def graph(
    outputs: int = 1, *, kind: int = TensorProto.INT64, factor: float = 1.0, extra: str = "", toil: int = 0
) -> Any:
    """The graph: logits [n, 1] of `factor` times the matches; [n, 2]: 1, and 1 more than that; else so many.

    `toil` is the side of matrices that it multiplies for nothing with each pair.
    """
    nodes: list[Any] = []
    constants: dict[str, Any] = {}

    def node(op: str, *inputs: str, **attributes: Any) -> str:
        nodes.append(helper.make_node(op, list(inputs), [f"{op}_{len(nodes)}"], **attributes))
        return f"{op}_{len(nodes) - 1}"

    def number(value: Any, of: Any = np.float32) -> str:
        name = f"c{len(constants)}"
        constants[name] = np.array(value, of)
        return name

    ids = node("Cast", "input_ids", to=TensorProto.FLOAT)
    side = node("Cast", "token_type_ids", to=TensorProto.FLOAT)
    there = node("Cast", "attention_mask", to=TensorProto.FLOAT)
    known = node("Mul", there, node("Cast", node("Greater", ids, number(3.5)), to=TensorProto.FLOAT))
    ours = node("Mul", known, node("Sub", number(1.0), side))
    theirs = node("Mul", known, side)
    last, first = number([2], np.int64), number([1], np.int64)
    same = node(
        "Cast", node("Equal", node("Unsqueeze", ids, last), node("Unsqueeze", ids, first)), to=TensorProto.FLOAT
    )
    both = node("Mul", node("Unsqueeze", ours, last), node("Unsqueeze", theirs, first))
    count = node("ReduceSum", node("Mul", same, both), number([1, 2], np.int64), keepdims=0)
    score = node("Unsqueeze", node("Mul", count, number(factor)), first)
    if toil:
        square = node("Expand", node("Mul", score, number(0.0)), number([toil, toil], np.int64))
        score = node("Add", score, node("ReduceSum", node("MatMul", square, square), keepdims=1))
    one = node("Add", node("Mul", score, number(0.0)), number(1.0))
    columns = [score] if outputs == 1 else [one, node("Add", score, number(1.0)), *[one] * (outputs - 2)]
    nodes.append(helper.make_node("Concat", columns, ["logits"], axis=1))
    inputs = ["input_ids", "attention_mask", "token_type_ids", *([extra] if extra else [])]
    made = helper.make_graph(
        nodes,
        "matches",
        [helper.make_tensor_value_info(name, kind, ["pairs", "tokens"]) for name in inputs],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["pairs", outputs])],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def folder(path: Path, model: str = "model.onnx", limit: int | None = None, **settings: Any) -> Path:
    """A folder as hubs have them; `settings` are those of `graph`, `limit` the tokens that it says it reads."""
    (path / model).parent.mkdir(parents=True, exist_ok=True)
    save(graph(**settings), path / model)
    tokenizer().save(str(path / "tokenizer.json"))
    if limit:
        (path / "tokenizer_config.json").write_text(json.dumps({"model_max_length": limit}))
    return path
