"""What people call a language model: `qwen3 (LM Studio)`, not its address. Settings and JSON keep its name."""

from __future__ import annotations

from urllib.parse import urlsplit

from conspectus.core import http
from conspectus.core.errors import SettingsError
from conspectus.models.hub import PREFIX
from conspectus.models.languages.model_recommendations import RECOMMENDED
from conspectus.models.languages.offers import SERVERS
from conspectus.models.languages.providers import PROVIDERS
from conspectus.models.languages.registry import ModelName, parse_model_name

HERE = "this computer"


def model_title(name: str) -> str:
    """A model's name as people say it, with who runs it; a name of no known form stays as it is.

    Takes names as settings have them, and ids as answers keep them (`LanguageModel.id`).
    """
    if name.startswith(PREFIX):
        return _file_title(name)
    try:
        parsed = parse_model_name(name)
    except SettingsError:
        return name
    if parsed.kind == "local":
        return _file_title(parsed.model)
    if parsed.kind == "url":
        place = _place_title(parsed.address)
        return f"{parsed.model} ({place})" if parsed.model else place
    model, _, address = parsed.model.partition("@")
    return f"{model} ({_service_title(parsed, address)})"


def list_titles(names: str) -> str:
    """Several names, separated by commas, each as people say it."""
    return ", ".join(map(model_title, names.split(", "))) if names else ""


def _service_title(parsed: ModelName, address: str) -> str:
    title = PROVIDERS[parsed.kind].title if parsed.kind in PROVIDERS else "Ollama"
    host = urlsplit(address).hostname if address and not http.is_here(address) else ""
    return f"{title}, {host}" if host else title


def _place_title(address: str) -> str:
    """The program at an address of this computer, as its usual port tells; else the host."""
    parts = urlsplit(address)
    if not http.is_here(address):
        return parts.hostname or address
    known = {kind.port: kind.title for kind in SERVERS}
    port = parts.port or (443 if parts.scheme == "https" else 80)
    return known.get(port) or f"{HERE}, port {port}"


def _file_title(path: str) -> str:
    """A file's name without folders, ending and hash; of a recommended model its own name."""
    file = next((part for part in reversed(path.replace("\\", "/").split("/")) if part.lower().endswith(".gguf")), path)
    title = next((model.title for model in RECOMMENDED if model.name.endswith(f"/{file}")), file[: -len(".gguf")])
    return f"{title} ({HERE})"
