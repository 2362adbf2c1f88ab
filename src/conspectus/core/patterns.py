"""Regular expressions that are compiled when they are first used: to compile all takes longer than many files do."""

from __future__ import annotations

import re
from typing import Any, cast


class LazyPattern:
    """Has the attributes of the compiled pattern, and compiles it when it is first asked for one."""

    def __init__(self, pattern: str, flags: int) -> None:
        self._pattern, self._flags = pattern, flags

    def __getattr__(self, name: str) -> Any:
        value = getattr(re.compile(self._pattern, self._flags), name)  # which `re` keeps
        setattr(self, name, value)
        return value


def lazy_pattern(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """As `re.compile`, for patterns that are long, or made of classes of many characters, and not always needed."""
    return cast(re.Pattern[str], LazyPattern(pattern, flags))
