"""What a wheel brings: the program, the page, and nothing of what is needed only to make it."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from conspectus.server.app import BUNDLE

ROOT = Path(__file__).resolve().parents[1]


def wheel(folder: Path) -> list[str]:
    """The names in a wheel of this checkout."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(command, check=True, capture_output=True, cwd=ROOT)
    (made,) = folder.glob("*.whl")
    return zipfile.ZipFile(made).namelist()


@pytest.mark.slow
@pytest.mark.skipif(not (BUNDLE / "index.html").is_file(), reason="the page is not built: make web")
def test_a_wheel_carries_the_page(tmp_path: Path) -> None:
    """Who installs the program would be told that it has no page."""
    names = wheel(tmp_path)
    assert "conspectus/web_static/index.html" in names
    assert any(name.startswith("conspectus/web_static/assets/") and name.endswith(".js") for name in names)
    assert not [name for name in names if "node_modules" in name or name.startswith("web/")]
