"""Fit and measure the model that tells organisations from people by their names.

    python benchmarks/organisations.py   # writes conspectus/parse/people/organisations.json, prints its measurements

People are the authors of arXiv's astronomy papers and of JATS articles. Organisations are the institutions, groups,
funders and publishers of these articles, and `organisation_names.tsv`, whose part `test` is never fitted. Needs
scikit-learn, which the extra `atlas` brings, and the shared data.
"""

from __future__ import annotations

import base64
import gzip
import json
import os
import random
import re
import tarfile
from collections.abc import Iterator, Sequence
from html import unescape
from pathlib import Path

import msgspec
import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from conspectus.parse.people.names import BUCKETS, OrganisationModel, buckets

TARGET = Path(__file__).parents[1] / "src" / "conspectus" / "parse" / "people" / "organisations.json"
DATA = Path(os.environ.get("CONSPECTUS_DATA", Path(__file__).parents[2] / "shared" / "data"))
LIST = Path(__file__).with_name("organisation_names.tsv")
GROUPS = re.compile(r"<(collab|funding-source|institution|publisher-name)\b[^>]*>(.*?)</\1>", re.S)
NAMES = re.compile(r"<name\b[^>]*>\s*<surname>([^<]+)</surname>\s*<given-names[^>]*>([^<]+)</given-names>")
GROUP_AUTHOR = re.compile(r"Collab|Consort|Team|Group|\bfor\b|Survey")
NOT_GROUP = re.compile(r"^[A-Z]{1,3} [A-Z]\w+$|^\w+ [A-Z]{1,3}$|[:\d]")
FITTED_PEOPLE, TEST_PEOPLE, TEST_GROUPS = 30_000, 10_000, 150
WEIGHTS = {"people": 1.0, "groups": 3.0, "list": 12.0}


def main() -> None:
    """Fit on what is not kept aside, and print the share of names that are called organisations."""
    people, groups = collect_names(DATA)
    listed = [line.split("\t") for line in LIST.read_text("utf-8").splitlines() if "\t" in line]
    fitted, unseen = ([name for part, name in listed if part == wanted] for wanted in ("fit", "test"))
    rng = random.Random(3)
    rng.shuffle(people)
    rng.shuffle(groups)
    parts = {"people": people[:FITTED_PEOPLE], "groups": groups[TEST_GROUPS:], "list": fitted}
    model = fit(parts)
    TARGET.write_bytes(msgspec.json.encode(model) + b"\n")
    tests = {
        "organisations of the list": unseen,
        "organisations of articles": groups[:TEST_GROUPS],
        "people": people[FITTED_PEOPLE : FITTED_PEOPLE + TEST_PEOPLE],
    }
    for name, names in tests.items():
        print(f"{name}: {np.mean([score(model, one) > 0 for one in names]):.2%} of {len(names):,}")


def collect_names(data: Path) -> tuple[list[str], list[str]]:
    """The names of people and of groups in the shared data, each once."""
    people: dict[str, None] = {}
    groups: dict[str, None] = {}
    for article in articles(data):
        people |= {unescape(f"{given} {family}").strip(): None for family, given in NAMES.findall(article)}
        for _, markup in GROUPS.findall(article):
            words = unescape(" ".join(re.sub(r"<[^>]+>", "", markup).split())).strip(" ,;.")
            groups |= {part: None for part in re.split(r"[;,]\s+", words) if len(part) < 90}
    with gzip.open(data / "arxiv_astro" / "astro_abstracts.jsonl.gz", "rt") as lines:
        for line in lines:
            for name in json.loads(line)["authors"]:
                (groups if GROUP_AUTHOR.search(name) else people)[name] = None
    trimmed = (re.sub(r"^(?:for|on behalf of) (?:the )?", "", name) for name in groups if not NOT_GROUP.search(name))
    kept = [name for name in dict.fromkeys(trimmed) if 1 < len(name.split()) < 10 and name not in people]
    return [name for name in people if 1 < len(name.split()) < 6 and not re.search(r"\d", name)], kept


def articles(data: Path) -> Iterator[str]:
    """The JATS articles of the shared data."""
    for path in sorted(data.rglob("*.tar*")):
        with tarfile.open(path) as archive:
            for member in archive:
                if member.name.endswith((".xml", ".nxml")) and (file := archive.extractfile(member)):
                    yield file.read().decode("utf-8", "replace")
    for path in sorted(data.rglob("*.xml")):
        yield path.read_text("utf-8", "replace")


def fit(parts: dict[str, Sequence[str]]) -> OrganisationModel:
    """The model with its weights rounded to bytes."""
    rows = [buckets(name) for names in parts.values() for name in names]
    labels = [part != "people" for part, names in parts.items() for _ in names]
    weights = [WEIGHTS[part] for part, names in parts.items() for _ in names]
    ends = np.cumsum([0, *map(len, rows)])
    matrix = csr_matrix((np.ones(ends[-1]), np.concatenate(rows), ends), shape=(len(rows), BUCKETS))
    fitted = LogisticRegression(C=0.5, max_iter=500).fit(matrix, labels, sample_weight=weights)
    scale = float(np.abs(fitted.coef_[0]).max()) / 127
    stored = np.round(fitted.coef_[0] / scale).astype(np.int8).tobytes()
    return OrganisationModel(round(float(fitted.intercept_[0]), 4), round(scale, 6), base64.b64encode(stored).decode())


def score(model: OrganisationModel, name: str) -> float:
    """More than 0: an organisation."""
    weights = np.frombuffer(base64.b64decode(model.weights), np.int8)
    return float(model.bias + model.scale * weights[buckets(name)].sum())


if __name__ == "__main__":
    main()
