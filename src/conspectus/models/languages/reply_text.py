"""The answer in what a model writes: without its thoughts and, where an object was asked for, that object alone.

Reasoning models write thoughts into the same text as the answer: `<think>…</think>`, `[THINK]…[/THINK]`,
`<|channel|>analysis<|message|>…<|end|>`, or with only the closing mark, where the server's template wrote the opening
one. Others put a preface, a fence or a remark around the object. Streamed and whole replies are read by the same class.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from typing import Any

from conspectus.models.languages.reply_repair import repair_object

LONGEST_MARK = 60
"""Characters of a mark, at most: so much of a text's end may be the beginning of one."""
MOST_TRIES = 200
"""Braces that look like an object's and begin none, after which no more are looked at: replies can be hostile."""

_THOUGHT = r"(?:think(?:ing)?|thoughts?|reason(?:ing)?|reflect(?:ion)?|analysis|scratchpad)"
_MARK = re.compile(
    rf"""(?P<open><(?:[a-z]+:|\|?begin_of_)?{_THOUGHT}\b[^<>]{{0,20}}>|\[THINK\]|◁think▷
            |<\|channel\|>(?!\s*final)[^<>]{{0,20}}(?:<\|constrain\|>\w*)?<\|message\|>)
      | (?P<close></(?:[a-z]+:)?{_THOUGHT}\s*>|<\|end_of_{_THOUGHT}\|>|\[/THINK\]|◁/think▷
            |<\|channel\|>\s*final[^<>]{{0,20}}(?:<\|constrain\|>\w*)?<\|message\|>)
      | (?P<end><\|(?:end|return|call|start)\|>(?:assistant)?)""",
    re.IGNORECASE | re.VERBOSE,
)
_STEP = re.compile(r"\{(?=\s*[\"}])|[<\[◁]")
_PLAIN_STEP = re.compile(r"[<\[◁]")
_BEFORE_OBJECT = re.compile(r"\s*(?:`{3,}\w*\s*)?")
_decode = json.JSONDecoder().raw_decode


class ReplyText:
    """Reads a reply as it comes.

    Args:
        keys: that the object asked for must have; None: free text was asked for.

    `feed` returns what can be shown already: a part of the answer that no later text can turn into a thought. So an
    object is shown as it is written where nothing but thoughts and a fence precedes it, and otherwise at the end.
    """

    def __init__(self, keys: Collection[str] | None = None) -> None:
        self._keys = None if keys is None else frozenset(keys)
        self._text = ""
        self._at = 0
        self._shown_text = ""
        self._prose = ""
        """Free text so far; less than was shown, where a closing mark says that what came before it was a thought."""
        self._has_marks = False
        self._part = "begin"
        """Where `_at` is: `begin`, `thought`, `prose` (it may be a thought without a mark), `object` or `done`."""
        self._tags = _ProseTags()
        self._depth = 0
        self._string = self._escaped = False

    def feed(self, piece: str) -> str:
        """Add a piece of the text; returns what can be shown of it."""
        self._text += piece
        before = len(self._shown_text)
        if self._keys is None:
            self._read_plain()
        else:
            while self._advance():
                pass
        return self._shown_text[before:]

    def finish(self) -> str:
        """The whole answer: the object's text, or the text without thoughts where there is no such object."""
        if self._keys is not None:
            object_text = _find_object(self._text, self._keys)
            if object_text and self._keys <= json.loads(object_text).keys():
                return object_text
            plain = ReplyText()
            plain.feed(self._text)
            return repair_object(plain.finish(), self._keys) or object_text or plain.finish() or self._text.strip()
        if not self._has_marks:
            return self._text
        return (self._prose + ("" if self._part == "thought" else self._text[self._at :])).strip()

    def rest(self) -> str:
        """What is to be shown at the end, after all pieces."""
        full_text = self.finish() if self._keys is None else _find_object(self._text, self._keys)
        return full_text[len(self._shown_text) :] if full_text.startswith(self._shown_text) else ""

    def _advance(self) -> bool:
        """Read one part of the text; False where more text is needed, or nothing is left to be shown."""
        if self._part in ("thought", "prose"):
            return self._skip_to_close()
        if self._part == "begin":
            return self._begin()
        if self._part == "object":
            self._read_object()
        return False

    def _begin(self) -> bool:
        """At the beginning, or after thoughts: an object, a mark, or prose."""
        match = _BEFORE_OBJECT.match(self._text, self._at)
        start = match.end() if match else self._at
        if start > self._at and self._text[start - 1].isspace():
            self._at = start  # white space is skipped once, not again with every piece
        rest = self._text[start : start + LONGEST_MARK]
        if not rest or "```".startswith(rest[:3]):
            return False
        if rest[0] == "{":
            if not (follows := rest[1:].lstrip()[:1]):
                return False
            self._at, self._part = start, "object" if follows in '"}' else "prose"
        elif mark := _MARK.match(self._text, start):
            self._at = mark.end()
            self._part = "thought" if mark["open"] else "begin"
        elif _may_begin_mark(rest):
            return False
        else:
            self._at, self._part = start, "prose"
        return True

    def _skip_to_close(self) -> bool:
        for mark in _MARK.finditer(self._text, self._at):
            self._at = mark.end()
            if mark["close"]:
                self._part = "begin"
                return True
        self._at = max(self._at, len(self._text) - LONGEST_MARK)
        return False

    def _read_object(self) -> None:
        start = self._at
        for char in self._text[start:]:
            self._at += 1
            self._step(char)
            if self._depth == 0:
                self._part = "done"
                break
        self._shown_text += self._text[start : self._at]

    def _step(self, char: str) -> None:
        if self._string:
            self._string = self._escaped or char != '"'
            self._escaped = char == "\\" and not self._escaped
        elif char == '"':
            self._string = True
        elif char == "{":
            self._depth += 1
        elif char == "}":
            self._depth -= 1

    def _read_plain(self) -> None:
        """Free text: all that is outside of marked thoughts, without the space before it."""
        while self._at < len(self._text):
            if self._part == "thought":
                if not self._skip_to_close():
                    return
                continue
            match = _PLAIN_STEP.search(self._text, self._at)
            end = match.start() if match else len(self._text)
            self._show(self._text[self._at : end])
            self._at = end
            if match is None:
                return
            if mark := _MARK.match(self._text, end):
                self._at = mark.end()
                if self._tags.is_text(mark, after_prose=bool(self._prose)):
                    self._show(mark[0])
                    continue
                self._has_marks = True
                self._part = "thought" if mark["open"] else "begin"
                if mark["close"]:
                    self._prose = ""
            elif _may_begin_mark(self._text[end : end + LONGEST_MARK]):
                return
            else:
                self._show(self._text[end])
                self._at = end + 1

    def _show(self, text: str) -> None:
        self._shown_text += text if self._shown_text else text.lstrip()
        self._prose += text if self._prose else text.lstrip()


def _may_begin_mark(text: str) -> bool:
    """Whether the end of a text, from a sign on that begins marks, may go on to be one."""
    if len(text) >= LONGEST_MARK or text[0] not in "<[◁":
        return False
    return text.startswith("<|channel|>") or not any(sign in text for sign in ">]▷\n")


class _ProseTags:
    """Distinguishes tags that prose mentions from the marks of thoughts."""

    def __init__(self) -> None:
        self._open = 0

    def is_text(self, mark: re.Match[str], *, after_prose: bool) -> bool:
        """Whether a mark is a tag in the middle of prose, such as `<analysis>`, or closes one."""
        if not after_prose or mark["end"] or not mark[0].startswith("<") or mark[0].startswith("<|"):
            return False
        if mark["open"]:
            self._open += 1
            return True
        self._open -= 1
        if self._open < 0:
            self._open = 0
            return False
        return True


def _find_object(text: str, keys: frozenset[str]) -> str:
    """The JSON object that a text holds; "": none.

    Objects within thoughts do not count, unless the thoughts have no end and nothing follows them. The first object
    counts where only thoughts precede it; of those after prose, the last, since the earlier ones may be drafts. Those
    with all `keys` go before others.
    """
    first, at, unclosed = "", 0, -1
    objects: list[tuple[str, bool]] = []
    for kind, start, end, has_keys in _parts(text, keys):
        if kind == "close":
            first, objects = "", []
        elif kind == "thought":
            unclosed = start
        else:
            if has_keys and not objects and _BEFORE_OBJECT.fullmatch(text, at, start):
                first = text[start:end]
                if at == 0:
                    return first
            objects.append((text[start:end], has_keys))
        at = end
    if not objects and unclosed >= 0:
        return _find_object(_MARK.sub(" ", text[unclosed:]), keys)
    full = [object_text for object_text, has_keys in objects if has_keys]
    return first or (full[-1] if full else max((object_text for object_text, _ in objects), key=len, default=""))


def _parts(text: str, keys: frozenset[str]) -> Iterator[tuple[str, int, int, bool]]:
    """The parts of a text in their order: objects, the ends of thoughts, and thoughts that have no end."""
    at = tries = 0
    while match := _STEP.search(text, at):
        start = match.start()
        if mark := _MARK.match(text, start):
            at = mark.end()
            if mark["open"]:
                close = next((later for later in _MARK.finditer(text, at) if later["close"]), None)
                if close is None:
                    yield "thought", start, len(text), False
                    return
                at = close.end()
            if not mark["end"]:
                yield "close", start, at, False
            continue
        at = start + 1
        if text[start] == "{" and tries < MOST_TRIES:
            if value_and_end := _read_object(text, start):
                value, at = value_and_end
                yield "object", start, at, keys <= value.keys()
            else:
                tries += 1


def _read_object(text: str, start: int) -> tuple[dict[str, Any], int] | None:
    """The object that begins at a place, and where it ends."""
    try:
        value_and_end: tuple[dict[str, Any], int] = _decode(text, start)
    except (ValueError, RecursionError):
        return None
    return value_and_end
