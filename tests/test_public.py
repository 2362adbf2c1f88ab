"""The public surface: what scripts import, and how long that takes."""

import subprocess
import sys

import pytest

import conspectus

DOCUMENTED = {
    "Answer",
    "ConspectusError",
    "Filters",
    "Library",
    "Paper",
    "Passage",
    "SearchResult",
    "Settings",
    "Span",
    "__version__",
    "load_settings",
}
HEAVY = (
    "numpy",
    "sqlalchemy",
    "faiss",
    "tantivy",
    "onnxruntime",
    "onnx",
    "tokenizers",
    "pypdfium2",
    "PIL",
    "httpx2",
)


def test_exactly_the_documented_names() -> None:
    """Else a name is gone that programs use, or one is promised that nobody documented."""
    assert set(conspectus.__all__) == set(dir(conspectus)) == DOCUMENTED
    for name in conspectus.__all__:
        found = getattr(conspectus, name)
        assert name == "__version__" or found.__name__ == name
        assert name == "__version__" or found.__doc__


def test_other_names_are_refused() -> None:
    with pytest.raises(AttributeError, match="Libary"):
        conspectus.Libary  # noqa: B018


@pytest.mark.parametrize("module", ["conspectus", "conspectus.cli", "conspectus.records", "conspectus.core.errors"])
def test_importing_is_light(module: str) -> None:
    """Else `conspectus --help` takes seconds."""
    code = f"import {module}, sys; print(*sorted(set({HEAVY!r}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split() == []
