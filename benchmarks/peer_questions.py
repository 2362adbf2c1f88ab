"""200 questions made mechanically from the papers' own sentences; the rule was fixed before any result was seen.

*Sentences* come from neither our reader nor a peer's: of `pdf_jose` from the publisher's JATS (paragraphs of the body,
those with formulas and lists left out), of `pdf_rescience` from poppler's `pdftotext`, where blocks of three lines or
more before the last line that reads `References` are taken for paragraphs. Text is cut where `.`, `?` or `!` is
followed by white space and a capital letter. A sentence is kept if it begins with a capital letter and ends with a full
stop, has 12 to 45 words, nine tenths of its signs letters, spaces or common punctuation, no web address and no word
broken at a line's end, and does not occur in another paper.

*Content words* are the different ones of four letters or more that occur in at most half of the papers. A sentence
needs eight.

*Questions*: papers in turn, a sentence drawn by chance from each until there are 200. `words` is half of the sentence's
content words (at least 4, at most 8), drawn by chance and shuffled; `verbatim` is the sentence as it stands.

*Right* is a paper if it is the sentence's; a passage if it is of that paper and holds at least 80 % of the sentence's
runs of eight letters and digits (case, spaces, hyphens and punctuation left out, so that line ends do not count).
"""

from __future__ import annotations

import random
import re
import subprocess
import unicodedata
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from parsing_truth import _words

COUNT = 200
RUN = 8
PART = 0.8
WEB = re.compile(r"https?:|www\.|doi\.org|@")
PLAIN = re.compile(r"[A-Za-z ,.;:()'\"‘’“”-]")


@dataclass(frozen=True)
class Question:
    """A sentence of a paper (the stem of its file's name), and what is asked for it."""

    paper: str
    sentence: str
    words: str


def jats_paragraphs(path: Path) -> list[str]:
    """The paragraphs of the body that hold no formula."""
    from xml.etree import ElementTree

    body = ElementTree.parse(path).getroot().find("body")
    assert body is not None
    formulas = ("inline-formula", "disp-formula", "tex-math", "list")
    return [
        _words(node) for node in body.iter("p") if not any(node.find(f".//{name}") is not None for name in formulas)
    ]


def pdftotext_paragraphs(path: Path) -> list[str]:
    """The blocks of three lines or more that `pdftotext` gives."""
    done = subprocess.run(["pdftotext", "-enc", "UTF-8", str(path), "-"], capture_output=True, check=True)
    text = re.split(r"\n\s*(?:\d+\.?\s+)?References\s*\n", done.stdout.decode("utf-8"))
    blocks = re.split(r"\n\s*\n|\f", "\n\n".join(text[:-1] or text))
    return [" ".join(block.split("\n")) for block in blocks if block.count("\n") >= 2]


def squeezed(text: str) -> str:
    """Letters and digits alone, in one case."""
    return "".join(c for c in unicodedata.normalize("NFKD", text).casefold() if c.isalnum())


def good(sentence: str) -> bool:
    """Whether a sentence is whole and plain; see above."""
    count = len(sentence.split())
    return (
        sentence[0].isupper()
        and sentence.endswith(".")
        and 12 <= count <= 45
        and len(PLAIN.findall(sentence)) >= 0.9 * len(sentence)
        and not WEB.search(sentence)
        and not re.search(r"\w[-\u2010\u00ad] ", sentence)
    )


def sentences(pdfs: list[Path]) -> dict[str, list[str]]:
    """By paper, the sentences that can be asked for; those that two papers share are left out."""
    found: dict[str, list[str]] = {}
    texts: dict[str, str] = {}
    for path in pdfs:
        jats = path.with_suffix(".jats.xml")
        paragraphs = jats_paragraphs(jats) if jats.exists() else pdftotext_paragraphs(path)
        cut = [one for text in paragraphs for one in re.split(r"(?<=[.?!])\s+(?=[A-Z])", text) if one]
        found[path.stem] = list(dict.fromkeys(one for one in cut if good(one)))
        texts[path.stem] = squeezed(" ".join(pdftotext_paragraphs(path)) + " ".join(paragraphs))
    return {
        paper: [one for one in some if not any(squeezed(one) in texts[other] for other in texts if other != paper)]
        for paper, some in found.items()
    }


def words_of(text: str) -> list[str]:
    """Its words of four letters or more."""
    return re.findall(r"[^\W\d_]{4,}", text)


def distinct(words: list[str]) -> list[str]:
    """Each word once, whatever its case."""
    return list({word.casefold(): word for word in words}.values())


def questions(pdfs: list[Path], seed: int = 1, count: int = COUNT) -> list[Question]:
    """The questions; the same for the same files and seed."""
    draw = random.Random(seed)
    known = sentences(pdfs)
    papers_with = Counter(
        word for some in known.values() for word in {word.casefold() for one in some for word in words_of(one)}
    )
    common = {word for word, papers in papers_with.items() if papers > len(known) / 2}
    waiting: dict[str, list[tuple[str, list[str]]]] = {}
    for paper, some in sorted(known.items()):
        pairs = [(one, [word for word in distinct(words_of(one)) if word.casefold() not in common]) for one in some]
        waiting[paper] = [pair for pair in pairs if len(pair[1]) >= 8]
        draw.shuffle(waiting[paper])
    made: list[Question] = []
    while len(made) < count and any(waiting.values()):
        for paper, pairs in waiting.items():
            if pairs and len(made) < count:
                sentence, content = pairs.pop()
                chosen = draw.sample(content, min(8, max(4, len(content) // 2)))
                made.append(Question(paper, sentence, " ".join(chosen)))
    return made


def holds(passage: str, sentence: str) -> bool:
    """Whether a passage holds the sentence, whole or nearly."""
    text, wanted = squeezed(passage), squeezed(sentence)
    runs = [wanted[start : start + RUN] for start in range(len(wanted) - RUN + 1)]
    return sum(run in text for run in runs) >= PART * len(runs)


if __name__ == "__main__":
    from corpora import data_folder

    files = [path for name in ("pdf_jose", "pdf_rescience") for path in sorted((data_folder() / name).glob("*.pdf"))]
    for question in questions(files):
        print(f"{question.paper}: {question.words}\n    {question.sentence}")
