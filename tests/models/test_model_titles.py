"""Names of language models as people say them, and the models recommended to those who have none."""

import pytest

from conspectus.models.hub import parse_hub_name
from conspectus.models.languages.model_recommendations import RECOMMENDED
from conspectus.models.languages.model_titles import list_titles, model_title


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("http://127.0.0.1:1234/v1#qwen3", "qwen3 (LM Studio)"),
        ("http://gpu.lab.example:8000/v1#qwen3", "qwen3 (gpu.lab.example)"),
        ("http://localhost:9999/v1#qwen3", "qwen3 (this computer, port 9999)"),
        ("http://localhost:8080/v1", "llama.cpp"),
        ("openai:gpt-5", "gpt-5 (OpenAI)"),
        ("ollama:qwen3:8b@http://127.0.0.1:11434", "qwen3:8b (Ollama)"),
        ("ollama:qwen3@http://gpu.lab.example:11434", "qwen3 (Ollama, gpu.lab.example)"),
        ("local:/home/ada/models/tiny.gguf", "tiny (this computer)"),
        ("local:Qwen3-4B-Q4_K_M.gguf/12ab", "Qwen3 4B (this computer)"),
        ("of another package", "of another package"),
    ],
)
def test_people_read_a_name_and_no_address(name: str, title: str) -> None:
    """Somebody who chose a model in LM Studio would read an address that says nothing to them."""
    assert model_title(name) == title
    assert list_titles(f"{name}, openai:gpt-5") == f"{title}, gpt-5 (OpenAI)"


def test_recommended_models_can_be_fetched() -> None:
    """A click would end in an error, or a licence would forbid what a researcher does."""
    for model in RECOMMENDED:
        repository, path = parse_hub_name(model.name)
        assert repository.title and path.endswith(".gguf")
        assert model.licence in ("Apache-2.0", "MIT")
        assert model.megabytes / 1000 < 0.6 * model.memory
