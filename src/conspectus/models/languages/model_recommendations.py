"""Small language models that run on a usual computer, for people who have none: the one list for page and commands."""

from __future__ import annotations

from dataclasses import replace

from conspectus.records.models import RecommendedModel

_QWEN = "hf:Qwen/Qwen3-"
RECOMMENDED = (
    RecommendedModel(f"{_QWEN}1.7B-GGUF/Qwen3-1.7B-Q8_0.gguf", "Qwen3 1.7B", 1834, "Apache-2.0", memory=4, minutes=1),
    RecommendedModel(f"{_QWEN}4B-GGUF/Qwen3-4B-Q4_K_M.gguf", "Qwen3 4B", 2497, "Apache-2.0", memory=8, minutes=3),
    RecommendedModel(f"{_QWEN}8B-GGUF/Qwen3-8B-Q4_K_M.gguf", "Qwen3 8B", 5028, "Apache-2.0", memory=16, minutes=6),
)
"""Published by their makers, small ones first. `minutes` is estimated, not measured: the 5,853 tokens of prompts and
5.7 calls of a question (`benchmarks/tokens.py`) at 100, 40 and 20 tokens a second, as laptops read them."""


def recommended_models(fetched: frozenset[str]) -> tuple[RecommendedModel, ...]:
    """The list; `fetched` are the names of those whose files are here."""
    return tuple(replace(model, is_here=model.name in fetched) for model in RECOMMENDED)
