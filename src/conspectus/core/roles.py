"""What language models are used for."""

from typing import Literal

Role = Literal["ask", "summarise", "write", "agent", "judge", "vision"]
