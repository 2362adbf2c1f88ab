"""Do the tests see faults? Forty are planted, one at a time, in a copy of the tree; the tests nearest to each are run.

    python benchmarks/seeded_faults.py           # about a quarter of an hour on two cores
    python benchmarks/seeded_faults.py backup    # those whose text or tests hold the word

Returns 1 where a fault is MISSED. To be run before and after the tests themselves are changed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
PARTS = ("src", "tests", "examples", "docs", "benchmarks", "pyproject.toml", "README.md", "CONTRIBUTING.md")
BACKUP, ADDING = "tests/ingest/test_backup.py", "tests/ingest/test_adding.py"
AGREEMENT, NUMBERS = "tests/ingest/test_agreement.py", "tests/verify tests/evals/test_eval_checks.py"
FAULTS = (
    # what a backup holds, and what is refused
    ('        source.execute("SELECT count(*) FROM meta").fetchone()\n', "", BACKUP),
    ("with catalog.snapshot() as now, now._connection() as source,", "with catalog._connection() as source,", BACKUP),
    ("if left or digest.hexdigest() != said.sha256:", "if left:", BACKUP),
    ("    if form != FORMAT:", "    if form < FORMAT:", BACKUP),
    ("                _count_on(target)\n", "", BACKUP),
    ("                _empty(target)\n", "", BACKUP),
    ("if not begun or (replace and session.index", "if begun or (replace and session.index", BACKUP),
    # the catalog
    ("if version > SCHEMA_VERSION:", "if version < 1:", "tests/catalog/test_engine.py"),
    ("if not isinstance(version, int) or version < 1:", "if version == 0:", "tests/catalog/test_engine.py"),
    (
        '"PRAGMA foreign_keys=ON"',
        '"PRAGMA foreign_keys=OFF"',
        "tests/catalog/test_stores.py tests/ingest/test_removing.py",
    ),
    ("        store.after_making(connection)\n", "", "tests/catalog/test_stores.py"),
    ("        store.begin_making(connection)\n", "", "tests/catalog/test_stores.py"),
    # adding, and an index that is behind
    (
        "wait=FIRST_SECONDS if foreign or empty else 0",
        "wait=0",
        "tests/ingest/test_care.py",
    ),
    ("        if foreign:  # nothing could be found\n", "        if True:\n", ADDING),
    ("is None else abs(first - second) <= 1", "is None else True", AGREEMENT),
    ("return cut and not _NUMBER.fullmatch(long[len(short)])", "return cut", AGREEMENT),
    ("        return False  # parts of a series", "        return True", AGREEMENT),
    ("if not folder or error.errno not in", "if folder and error.errno not in", "tests/test_disk.py"),
    # the embedding model and its store
    ("return [encoding, *encoding.overflowing]", "return [encoding]", "tests/models/test_minilm.py"),
    ("if word not in STOP_WORDS and any(map(str.isalnum, word))", "if word", "tests/models/test_minilm.py"),
    ("Embedding(_unit(total),", "Embedding(total,", "tests/models/test_minilm.py"),
    (
        "verify(spec)\n        found = session.embedder",
        "has(spec)\n        found = session.embedder",
        "tests/ingest/test_care.py",
    ),
    ('.get("seen") != seen:', ".get('seen') == 0:", "tests/models/test_store.py"),
    # language models
    ("if limit and amount >= share * limit:", "if limit and amount > 2 * limit:", "tests/llm/test_budget.py"),
    ("if not found.transient or is_last or", "if is_last or", "tests/models/test_language_limits.py"),
    ("wait = min(found.wait, RETRY.longest)", "wait = found.wait", "tests/models/test_language_limits.py"),
    ("wait = RETRY.pause(self.tries - 1) *", "wait = 60.0 *", "tests/answer/test_written.py tests/models"),
    # answers
    ("    if 2 * judged < found:", "    if judged < 0:", "tests/consensus"),
    ("step == 3 and about < FEWEST_FOR_STRONG", "False", "tests/consensus"),
    ("if item.ordinal and item.value < 3:", "if item.ordinal:", NUMBERS),
    ("return following < len(others) and others[following][0]", "return bool(others) and others[0][0]", NUMBERS),
    ("return [item for item in numbers if not _meets(", "return [item for item in numbers if _meets(", NUMBERS),
    # search
    ("return scores / high if high > 0", "return scores if high > 0", "tests/search"),
    ("if abs(len(form) - len(word)) <= edits:", "if len(form) == len(word):", "tests/search/test_spelling.py"),
    # reading and export
    ('_LIGATURE.sub(r"\\g<0>{}", part.translate(_ESCAPES))', "part.translate(_ESCAPES)", "tests/export"),
    (
        'if text.lower().startswith(("pmid",',
        'if text.startswith(("pmid",',
        "tests/parse/bibliography tests/parse/test_identifiers.py tests/parse/test_recordfile.py",
    ),
    ("return block.kind in _KINDS and", "return", "tests/parse/test_passages.py"),
    (
        "    if mark.isdigit() and (len(stop.left) < 3",
        "    if mark.isdigit() and (len(stop.left) < 1",
        "tests/parse/test_sentences.py",
    ),
    # what grows too fast: `make clock`
    ("(?:\\bdoi\\b\\s*+(?:", "(?:\\bdoi\\b(?:\\s+)*(?:", "-m clock tests/test_patterns.py"),
    ("if match.start() < start:  # within a", "if len(text[: match.end()].split()) < 0:  # a", "-m clock tests/parse"),
)


def main(word: str = "") -> int:
    """Plant each fault, and print whether a test saw it."""
    chosen = [fault for fault in FAULTS if any(word in part for part in fault)]
    missed = 0
    with tempfile.TemporaryDirectory() as home:
        for name in PARTS:
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copy(ROOT / name, Path(home, name))
        for old, new, tests in chosen:
            seen = _seen(Path(home), old, new, tests)
            missed += not seen.startswith("tests/")
            print(f"{old.strip()[:60]!r} -> {new.strip()[:40]!r}: {seen}", flush=True)
    print(f"{len(chosen) - missed} of {len(chosen)} seen")
    return min(missed, 1)


def _seen(home: Path, old: str, new: str, tests: str) -> str:
    """The first test that fails for it, or why there is none."""
    places = [path for path in (home / "src").rglob("*.py") if old in path.read_text("utf-8")]
    if len(places) != 1 or (text := places[0].read_text("utf-8")).count(old) != 1:
        return "NOWHERE"
    places[0].write_text(text.replace(old, new), "utf-8")
    broken: list[str] = []
    while True:
        places[0].write_text(text.replace(old, new), "utf-8")
        try:
            failed = _failed(home, tests.split(), broken)
        finally:
            places[0].write_text(text, "utf-8")
        if not failed.startswith("tests/") or not _failed(home, [failed]):
            return failed or "MISSED"
        broken.append(failed)  # it fails without the fault too, so another one has to tell


def _failed(home: Path, tests: list[str], but: Sequence[str] = ()) -> str:
    """The first test that fails, but for those; "" where none does."""
    environment = {**os.environ, "PYTHONPATH": str(home / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
    command += [word for name in but for word in ("--deselect", name)]
    if "-m" not in tests and "::" not in tests[0]:
        command += ["-m", "not clock"]
    done = subprocess.run(command, cwd=home, env=environment, capture_output=True, text=True, check=False)
    found = re.search(r"^(?:FAILED|ERROR) (\S+::.*?)(?: - .*)?$", done.stdout, re.MULTILINE)
    return found[1] if found else f"BROKEN {done.returncode}" if done.returncode else ""


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
