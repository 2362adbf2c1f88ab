"""Build the documentation: the generated pages, the output of every command shown, and the site.

A `console` block has lines `$ command` (continued by lines `> …`), each followed by its output. A `python` block is run
too; a `text` block right after it has its output. The blocks of a page run in order, from the repository's root, in a
fresh library and home folder. The python blocks of a page are one program and must follow one another.

`python docs/build.py` updates the pages. `--check` only reports what is out of date, and links that lead nowhere.
"""

from __future__ import annotations

import argparse
import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import generated
import site_pages

ROOT = Path(__file__).resolve().parents[1]
ADD_EXAMPLES = "conspectus add examples/papers examples/records.jsonl"
"""Done once: pages that begin with it get a copy of the library it makes, and its output."""

ADOPT = """python -c 'from conspectus.index.index_files import LocalWrites
from conspectus.settings import default_folder
index = default_folder() / "index"
LocalWrites(index).add(index / (index / "CURRENT").read_text().strip())'"""
"""The index of a copied library would be rebuilt; this has it used as it is."""

PROGRESS = re.compile(
    r"^(?:(?:adding|checking|cutting|indexing|embedding|fetching|linking entities|reading|copying|restoring): .*"
    r"|[a-z][a-z ]+: [\d.,]+ of [\d.,]+ .*|working \(\d+ s\))\n",
    re.M,
)
CHANGING = [
    (re.compile(r"\b[\d,]+ MB free"), "… MB free"),
    (re.compile(r"\b\d{4}-\d\d-\d\dT[\d:+.Z]+"), "TIME"),
    (re.compile(r'("(?:took|seconds)": |· )[\d.e-]+( s\b|)'), r"\1…\2"),
    (re.compile(r"\bans-[0-9a-f]{8}\b"), "ans-…"),
    (re.compile(r"\b\d+\.\d+ MB"), "… MB"),
    (re.compile(r"\b(ans|con|rev|hl)-[0-9a-f]{8}\b"), r"\1-…"),
    (re.compile(r"\b\d+ s \(\d+\.\d/s\)"), "… s (…/s)"),
    (re.compile(r"^(ok   (?:drive|versions) +).+$", re.M), r"\1…"),
]
NUMBER = re.compile(r"(?<![\w.])(\d+\.\d+)(?![\w.])")
CLOSE = 0.02
"""Scores may differ by this much: processors round differently."""

FOREIGN = ("CONSPECTUS_", "OPENAI_", "OLLAMA_", "ANTHROPIC_", "GOOGLE_", "GEMINI_", "COHERE_", "CO_API_")
"""Settings of whoever runs this must not decide what the pages say."""

IDS = re.compile(r"\b[a-z2-7]{10}\.[sp][a-z2-7]{8}\b")

END = "\x1e"


@dataclass(frozen=True)
class Step:
    """A command or a python block, and the lines [start, end) of the page that show its output (end 0: none do)."""

    kind: str
    source: str
    line: int
    start: int = 0
    end: int = 0


def steps_of(lines: list[str]) -> list[Step]:
    """What a page asks to be run, in order."""
    found: list[Step] = []
    for kind, first, last in _fences(lines):
        if kind == "console":
            found += _commands(lines, first, last)
        elif kind == "python":
            found.append(Step("python", "\n".join(lines[first:last]), first))
        elif kind == "text" and found and _follows(lines, found[-1], first):
            found[-1] = replace(found[-1], start=first, end=last)
    return found


def _follows(lines: list[str], step: Step, first: int) -> bool:
    """Whether the block that begins at `first` comes right after a python block."""
    closing = step.line + len(step.source.split("\n"))
    return step.kind == "python" and not any(lines[closing + 1 : first - 1])


def _fences(lines: list[str]) -> list[tuple[str, int, int]]:
    found, kind, first = [], "", -1
    for number, line in enumerate(lines):
        if line.startswith("```") and first < 0:
            kind, first = line[3:].strip(), number + 1
        elif line == "```" and first >= 0:
            found.append((kind, first, number))
            first = -1
    return found


def _commands(lines: list[str], first: int, last: int) -> list[Step]:
    starts = [number for number in range(first, last) if lines[number].startswith("$ ")]
    found = []
    for start, following in zip(starts, [*starts[1:], last], strict=True):
        end = start + 1
        while end < following and lines[end].startswith(">"):
            end += 1
        found.append(Step("console", "\n".join(line[2:] for line in lines[start:end]), start, end, following))
    return found


def outputs(page: Path, steps: list[Step], template: Future[Path]) -> list[str]:
    """What each step prints, and what comes after; where a python block raises, its traceback is the last."""
    with tempfile.TemporaryDirectory(prefix="conspectus-docs-") as scratch:
        home = Path(scratch).resolve()
        if steps[0].source == ADD_EXAMPLES:
            made = template.result()
            shutil.copytree(made / "library", home / "library")
            _bash(ADOPT, home)
            steps = [Step("console", f"cat '{made}/said'", 0), *steps[1:]]
        python = [step for step in steps if step.kind == "python"]
        (home / page.name).write_text(_program(python), "utf-8")
        script = "exec 2>&1\n" + "".join(_shell(step, step is python[0] if python else False, page) for step in steps)
        said = _bash(script, home)
    return [_shown(part, home) for part in said.split(END)]


def _program(blocks: list[Step]) -> str:
    """The blocks at their own line numbers, so that a traceback names the line of the page."""
    lines: list[str] = []
    for block in blocks:
        lines += [""] * (block.line - len(lines)) + [*block.source.split("\n"), f"print({END!r}, end='', flush=True)"]
    return "\n".join(lines) + "\n"


def _shell(step: Step, first: bool, page: Path) -> str:
    if step.kind == "console":
        return f"{step.source}\n__code=$?; printf '\\036'; (exit $__code)\n"
    return f"python ~/{page.name} || exit 1\n" if first else ""


def _bash(script: str, home: Path) -> str:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}
    env = kept | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(home),
        "CONSPECTUS_LIBRARY": str(home / "library"),
        "CONSPECTUS_MODELS_STORE": str(generated.store().root),
        "LC_ALL": "C.UTF-8",
    }
    command = ["bash", "-c", script]
    done = subprocess.run(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False)  # noqa: S603 - our own pages
    return done.stdout.decode("utf-8", "replace")


def _shown(text: str, home: Path) -> str:
    text = PROGRESS.sub("", text).replace(str(home), "~").replace(str(ROOT), "…")
    return "\n".join(line.rstrip() for line in text.strip("\n").split("\n")) if text.strip() else ""


def same(old: str, new: str) -> bool:
    """Whether two outputs differ in nothing but what differs from run to run."""
    for pattern, word in CHANGING:
        old, new = pattern.sub(word, old), pattern.sub(word, new)
    before, after = NUMBER.split(old), NUMBER.split(new)
    return before[::2] == after[::2] and all(
        abs(float(a) - float(b)) <= CLOSE for a, b in zip(before[1::2], after[1::2], strict=True)
    )


@dataclass(frozen=True)
class Checked:
    """A page as it should be, what was not so, and whether it must be run again to be sure."""

    page: Path
    text: str
    problems: list[str]
    again: bool = False


def check_page(page: Path, template: Future[Path]) -> Checked:
    """Run a page's blocks and compare."""
    lines = page.read_text("utf-8").split("\n")
    steps = steps_of(lines)
    said = outputs(page, steps, template)
    broken = len(said) <= len(steps)
    problems: list[str] = []
    moved: dict[str, str] = {}
    if broken:
        steps, trace = steps[: len(said) - 1], said[-1]
        problems.append(f"{page.relative_to(ROOT)}: a python block raised\n{trace}")
    for step, now in reversed(list(zip(steps, said, strict=False))):
        old = "\n".join(lines[step.start : step.end])
        if step.end and not same(old, now):
            diff = difflib.unified_diff(old.splitlines(), now.splitlines(), "page", "now", lineterm="")
            command = step.source.splitlines()[0]
            problems.append("\n".join([f"{page.relative_to(ROOT)}:{step.line + 1}: {command}", *diff]))
            lines[step.start : step.end] = now.splitlines()
            still = set(IDS.findall(now))  # what only changed places keeps its name
            moved |= {
                was: new for was, new in zip(IDS.findall(old), IDS.findall(now), strict=False) if was not in still
            }
    text = "\n".join(lines)
    followed = IDS.sub(lambda found: moved.get(found[0], found[0]), text)  # commands name ids that came to be others
    return Checked(page, followed, problems[::-1], broken or followed != text)


def check_pages(pages: list[Path]) -> list[Checked]:
    """All pages, two at a time."""
    with tempfile.TemporaryDirectory(prefix="conspectus-docs-") as scratch, ThreadPoolExecutor(3) as pool:
        template = pool.submit(_make_template, Path(scratch))
        return list(pool.map(partial(check_page, template=template), pages))


def _make_template(folder: Path) -> Path:
    (folder / "said").write_text(_bash(f"exec 2>&1\n{ADD_EXAMPLES}", folder), "utf-8")
    return folder


def without_model(pages: list[Path]) -> str:
    """What cannot be run, and what to do."""
    names = "\n".join(f"  {page.relative_to(ROOT)}" for page in pages)
    return f"Without the embedding model the blocks of these pages cannot be run:\n{names}\n{generated.REMEDY}"


def main() -> int:
    """Write or check; returns the exit code."""
    parser = argparse.ArgumentParser(description="Build or check the documentation.")
    parser.add_argument("--check", action="store_true", help="change no page; exit code 1 if one is out of date")
    parser.add_argument("pages", nargs="*", type=Path, help="run only the blocks of these pages")
    chosen = parser.parse_args()
    wanted = generated.pages()
    problems = [f"{path.relative_to(ROOT)} is out of date" for path, text in wanted.items() if not _is(path, text)]
    pages = [path.resolve() for path in chosen.pages] or site_pages.sources()
    pages = [page for page in pages if page.is_file() and steps_of(page.read_text("utf-8").split("\n"))]
    if not generated.has_model():
        problems.append(without_model(pages))
        pages = []
    checked = check_pages(pages)
    problems += [problem for item in checked for problem in item.problems]
    if problems:
        sys.stderr.write("\n\n".join(problems) + "\n")
    if chosen.check:
        sys.stderr.write("\nTo update: python docs/build.py\n" if problems else "")
        if not chosen.pages:
            site_pages.write(ROOT / "site")
        return int(bool(problems))
    for path, text in [*wanted.items(), *((item.page, item.text) for item in checked)]:
        if not _is(path, text):
            path.write_text(text, "utf-8")
    if not chosen.pages:
        site_pages.write(ROOT / "site")
    again = [item.page.name for item in checked if item.again]
    sys.stderr.write(f"\nRun it again for {', '.join(again)}.\n" if again else "")
    return int(bool(again))


def _is(path: Path, text: str) -> bool:
    return path.is_file() and path.read_text("utf-8") == text


if __name__ == "__main__":
    sys.exit(main())
