"""Text, whatever it says: its characters, patterns that match it, numbers of things in words, and its language.

Some characters lie: nobody sees them, they turn the direction of what follows, or they command a terminal. One policy
for all. On the way in (`cleaned`) a paper's words, a question and what a model writes lose them: commands
and what is unseen go, what stands for white space becomes a space, what is no character U+FFFD. On the way out the same
is done to all that is shown or written to a file, for names of files and messages have not
come that way; JSON keeps every value, with escapes (`escaped_json`).

A letter and its accent may be two characters or one (NFD, NFC), which look the same: on the way in they become one, so
that who searches for the word finds it however it was typed.

Words in Arabic and Hebrew stay, as their direction is their own; joiners stay between letters that they shape and in
emoji, a variation selector behind what it varies, and private characters, which hide nothing.
"""

from __future__ import annotations

import csv
import io
import json
import re
import tempfile
import unicodedata
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from conspectus.core.errors import InputError, LibraryError

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier


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


_SHAPED = "\u0600-\u06ff\u0700-\u07ff\u0840-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u18af\ufb50-\ufdff\ufe70-\ufefc"
"""Letters whose form a joiner decides: Arabic, Syriac, N'Ko, those of India, Tibetan, Burmese, Khmer, Mongolian."""
_PICTURES = "\u00a9\u00ae\u203c-\u3299\ufe0f\U0001f000-\U0001faff"
_IDEOGRAPHS = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_MARKS = "\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
MOST_MARKS = 8
"""Marks on one letter; more would paint over what stands around."""

_CONTROL = "\x00-\x08\x0b-\x1f\x7f-\x9f"
_UNSEEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
)
_NO_CHARACTER = "\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff" + "".join(
    chr(plane * 0x10000 + last) for plane in range(1, 17) for last in (0xFFFE, 0xFFFF)
)
_PRIVATE = "\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd"
_VARIATION = "\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef"
_LINES = "\u2028\u2029"

_SUSPECT = lazy_pattern(f"[{_CONTROL}{_LINES}{_UNSEEN}{_NO_CHARACTER}{_VARIATION}\u200c\u200d]")
_MARK = lazy_pattern(f"[{_MARKS}]")
_PAINTED = lazy_pattern(f"[{_MARKS}]{{{MOST_MARKS + 1}}}")
_BAD = lazy_pattern(
    r"(?P<command>\x1b\[[0-?]{0,64}[ -/]{0,8}[@-~]"  # of a terminal: colour and place; titles, links, the clipboard
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]{0,4096}(?:\x07|\x1b\\|\x9c))"
    f"|(?P<space>[\x00\x0b-\x0d\x1c-\x1f\x85{_LINES}])|(?P<broken>[{_NO_CHARACTER}])"
    f"|[{_CONTROL}{_UNSEEN}]"
    f"|(?<![{_SHAPED}{_PICTURES}])[\u200c\u200d]|[\u200c\u200d](?![{_SHAPED}{_PICTURES}])"
    f"|(?<=[\\s{_VARIATION}])[{_VARIATION}]|^[{_VARIATION}]|(?<![{_IDEOGRAPHS}])[\U000e0100-\U000e01ef]"
    f"|(?<=[{_MARKS}]{{{MOST_MARKS}}})[{_MARKS}]"
)
_PRIVATE_USE = lazy_pattern(f"[{_PRIVATE}]")
_ESCAPED = lazy_pattern(
    f"[\x7f-\x9f{_LINES}{_UNSEEN}{_NO_CHARACTER}\u200c\u200d{_VARIATION}]|(?<=[{_MARKS}]{{{MOST_MARKS}}})[{_MARKS}]"
)


def cleaned(text: str) -> str:
    """`text` without what lies, and composed (NFC): on the way in, and to a model. Tabs and line feeds stay."""
    return unicodedata.normalize("NFC", _BAD.sub(_instead, text) if _lies(text) else text)


def _lies(text: str) -> bool:
    if text.isascii() and text.isprintable():
        return False
    signs = "".join(set(text))  # few, however long the text is
    return bool(_SUSPECT.search(signs) or (_MARK.search(signs) and _PAINTED.search(text)))


def _instead(match: re.Match[str]) -> str:
    return " " if match["space"] else "\ufffd" if match["broken"] else ""


def line(text: str) -> str:
    """`cleaned`, on one line."""
    return " ".join(cleaned(text).split())


def clean_model_text(text: str) -> str:
    """What a model wrote, cleaned; it has no use for private characters, which the program marks places with."""
    text = cleaned(text)
    return text if text.isascii() else _PRIVATE_USE.sub("", text)


def mapped(text: str) -> tuple[str, list[int]] | None:
    """`cleaned`, and where each place of `text` (0 to its length) has come to; None where nothing changes."""
    if not _lies(text):
        return None if unicodedata.is_normalized("NFC", text) else _composed(text)
    parts: list[str] = []
    places: list[int] = []
    at = length = 0
    for match in _BAD.finditer(text):
        start, new = match.start(), _instead(match)
        parts += (text[at:start], new)
        places += range(length, length + start - at)
        length += start - at
        places += [length] * len(match[0])
        length += len(new)
        at = match.end()
    parts.append(text[at:])
    places += range(length, length + len(text) - at + 1)
    clean, composed_places = _composed("".join(parts))
    return clean, [composed_places[place] for place in places]


def _composed(text: str) -> tuple[str, list[int]]:
    """`text` in NFC, and where each place of it has come to."""
    starts = [at for at, sign in enumerate(text) if not _continues(sign)] or [0]
    parts: list[str] = []
    places: list[int] = []
    length = 0
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        letter = unicodedata.normalize("NFC", text[start:end])
        parts.append(letter)
        places += [length, *[length + len(letter)] * (end - start - 1)]
        length += len(letter)
    return "".join(parts), [*places, length]


def _continues(sign: str) -> bool:
    """Whether a character may be composed with the one before it: a mark, or a vowel or final of a Korean syllable."""
    return not sign.isascii() and ("\u1160" <= sign <= "\u11ff" or unicodedata.category(sign)[0] == "M")


def cleaned_deep(value: Any, clean: Callable[[str], str] = cleaned) -> Any:
    """`value`, of what JSON can say, with each text in it cleaned, names too."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, Mapping):
        return {cleaned_deep(name, clean): cleaned_deep(part, clean) for name, part in value.items()}
    return [cleaned_deep(part, clean) for part in value] if isinstance(value, list | tuple) else value


def json_text(value: Any, indent: int | None = None) -> str:
    """`value` as JSON, as `escaped_json`."""
    return escaped_json(json.dumps(value, ensure_ascii=False, indent=indent))


def escaped_json(text: str) -> str:
    """A JSON text in which what nobody sees is written as an escape: no value changes, and nothing is hidden."""
    return _ESCAPED.sub(_escape, text) if "\x7f" in text or _lies(text) else text


def _escape(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def read_table(text: str) -> csv.DictReader[str]:
    """The rows of a CSV file by the names of its columns, which are in small letters.

    Raises:
        InputError: two columns have one name.
        csv.Error: it is no CSV; also while rows are read.
    """
    reader = csv.DictReader(io.StringIO(text), delimiter=cell_separator(text), restval="", strict=True)
    names = [(name or "").strip().lower() for name in reader.fieldnames or ()]
    for at, name in enumerate(names):
        if name and name in names[:at]:
            raise InputError(f"Two columns are called '{name}'.", "Give each a name of its own in the first line.")
    reader.fieldnames = names
    return reader


def cell_separator(text: str) -> str:
    """What separates the cells of a CSV file: a comma, or what its first line has more of, a semicolon or a tab."""
    return max(",;\t", key=text.lstrip("\ufeff").partition("\n")[0].count)


def pluralize(number: int, singular: str, plural: str = "") -> str:
    """`1 paper`, `2 papers`."""
    return f"{number} {singular if number == 1 else plural or singular + 's'}"


READ = 1000
"""Characters of a text that are looked at."""
LEAST_LETTERS = 20
"""A text of fewer letters may be in any language."""
SURE = 0.8
"""The probability from which it is said in which language a text is."""
EAST_ASIAN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Kana, Chinese characters, Hangul."""
UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff]")
"""Of scripts that put no space between words: Thai, Lao, Burmese, Khmer, Kana, Chinese characters."""
_WORD = re.compile(r"[^\W\d_]+")
ENGLISH = frozenset("the and with for that this which from by are these their its have been between".split())
"""Function words of English that no other language shares three of."""


@lru_cache(maxsize=1)
def identifier() -> LanguageIdentifier:
    """The model, which takes half a second to be read."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    from conspectus.core.disk import explained

    with explained(_temporary()):  # where it is unpacked
        return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


def _temporary() -> Path:
    try:
        return Path(tempfile.gettempdir())
    except FileNotFoundError as error:  # nothing can be written to any of them
        raise LibraryError(
            "No folder for temporary files is writable; detecting the languages of papers needs one.",
            "Make room on its disk, or name another with TMPDIR; then run the same command again: nothing is lost.",
        ) from error


def words_in(text: str) -> set[str]:
    """The words of a text, in small letters."""
    return {word.lower() for word in _WORD.findall(text)}


def language_of(text: str) -> str:
    """The code of the language that a text is in; "" where it says too little to tell.

    Most texts of papers are told by a few words, without the identifier.
    """
    return _language_of(text[:READ])


@lru_cache(maxsize=256)
def _language_of(read: str) -> str:
    if len(words_in(read) & ENGLISH) >= 3:
        return "en"
    if sum(map(str.isalpha, read)) < LEAST_LETTERS:
        return ""
    code, probability = identifier().classify(read)
    return str(code) if probability >= SURE else ""
