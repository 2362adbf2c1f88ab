"""Make the table of `README.md` from the result files: `python benchmarks/report.py [--check]`.

`--check` writes nothing and ends with 1 if the README is not what the files give.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from results import FOLDER, TOPICS

README = FOLDER.parent / "README.md"
BEGIN, END = "<!-- made by report.py from results/*.json -->", "<!-- end -->"


def table() -> str:
    """The tables of all topics."""
    results = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.json"))]
    parts = []
    for topic, title in TOPICS.items():
        parts += [f"## [{title}]({topic}.md)", "", "| measured | value | limit | peers in the same run | command |"]
        parts += ["| --- | --- | --- | --- | --- |"]
        parts += [line for result in results if result["topic"] == topic for line in _lines(result)] + [""]
    return "\n".join(parts)


def _lines(result: dict[str, Any]) -> list[str]:
    """A line for each figure; the first has the command, and where it comes from."""
    source = f"{result['commit']}, {result['date']}" if result["commit"] else ""
    lines = []
    for number, figure in enumerate(result["figures"]):
        command = "" if number else f"`{result['command']}`" + (f" ({source})" if source else "")
        cells = (figure["what"], f"**{figure['value']}**", figure.get("limit", ""), figure.get("peer", ""), command)
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def main() -> int:
    before = README.read_text(encoding="utf-8")
    head, _, rest = before.partition(BEGIN)
    after = f"{head}{BEGIN}\n\n{table()}\n{END}{rest.partition(END)[2]}"
    if "--check" in sys.argv[1:]:
        if after != before:
            print("benchmarks/README.md is not what results/ gives: python benchmarks/report.py")
        return int(after != before)
    README.write_text(after, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
