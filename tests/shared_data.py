"""Where the shared data are."""

import os
from pathlib import Path


def data_folder() -> Path:
    """The shared data: `CONSPECTUS_DATA`, else beside the checkout."""
    named = os.environ.get("CONSPECTUS_DATA")
    return Path(named) if named else Path(__file__).parents[2] / "shared" / "data"
