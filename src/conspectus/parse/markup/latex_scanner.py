"""TeX read token by token, with the author's own macros and environments expanded within limits."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from conspectus.core.errors import LimitError
from conspectus.parse.text.plain_text import CITING

Kind = Literal["text", "command", "open", "close", "math", "tab", "tie", "par", "end"]
_TOKEN = re.compile(
    r"\\(?P<word>[A-Za-z@]+)(?P<star>\*?)[ \t]*(?:\n(?!\s*\n)[ \t]*)?|\\(?P<sign>[\s\S])|(?P<par>\n[ \t]*\n\s*)"
    r"|(?P<math>\$\$?)|(?P<text>[^\\{}$&~\n#]+|\n|\#)|(?P<other>[{}&~])|(?P<lone>\\)"
)
_OTHER: dict[str, Kind] = {"{": "open", "}": "close", "&": "tab", "~": "tie"}
_PARAMETER = re.compile(r"#([1-9])")
_SPACE = re.compile(r"(?:[ \t]|\n(?![ \t]*\n))*")
_NEEDLESS = re.compile(r"(\\[A-Za-z]+\*?) (?=[^A-Za-z*])")
_OPTIONAL = re.compile(r"\\[\s\S]|[{}\]]")
_SIGN = re.compile(r"\\[\s\S]|[{}]")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_MANY_UNCLOSED = 100
_MAX_EXPANSIONS = 200_000
_MAX_CHARS = 50_000_000
_MAX_FRAMES = 200
_MAX_OPTIONAL = 2_000


class Token(NamedTuple):
    """A piece of source; `value` is the text, or the name of the command."""

    kind: Kind
    value: str = ""
    star: bool = False


@dataclass(frozen=True, slots=True)
class Macro:
    """A command that the author defined: how many arguments, what the first is if left out, what it means."""

    arguments: int
    default: str | None
    body: str


@dataclass(slots=True)
class Macros:
    """The author's commands, and how much expanding them has cost so far.

    Raises:
        LimitError: They expand without end (while expanding).
    """

    name: str
    known: dict[str, Macro] = field(default_factory=dict)
    expansions: int = 0
    chars: int = 0
    unclosed: int = 0

    def count(self, text: str) -> None:
        """One more expansion, to `text`."""
        self.expansions += 1
        self.chars += len(text)
        if self.expansions > _MAX_EXPANSIONS or self.chars > _MAX_CHARS:
            raise LimitError(
                f"The macros of '{self.name}' expand without end.", "Look at its \\newcommand and \\def lines."
            )


class Scanner:
    """Source text from front to back; expanded macros are put in front of what follows."""

    def __init__(self, text: str, macros: Macros) -> None:
        self._frames: list[list[str | int]] = [[text, 0]]
        self._macros = macros

    def push(self, text: str) -> None:
        """Puts text in front of what follows."""
        self._macros.count(text)
        self._tidy()
        if len(self._frames) >= _MAX_FRAMES:  # deep, and still bounded by the count of characters
            rest = "".join(str(t)[int(p) :] for t, p in reversed(self._frames))
            self._frames = [[rest, 0]]
            self._macros.count(rest)
        self._frames.append([text, 0])

    def _tidy(self) -> None:
        while len(self._frames) > 1 and int(self._frames[-1][1]) >= len(str(self._frames[-1][0])):
            self._frames.pop()

    def _here(self) -> tuple[str, int]:
        self._tidy()
        text, at = self._frames[-1]
        return str(text), int(at)

    def token(self) -> Token:
        """The next token; commands of the author are expanded first."""
        while True:
            text, at = self._here()
            match = _TOKEN.match(text, at)
            if match is None:
                return Token("end")
            self._frames[-1][1] = match.end()
            word = match["word"]
            if word and word in self._macros.known:
                if match["star"]:
                    self._frames[-1][1] = match.end("star") - 1
                self._expand(self._macros.known[word])
                continue
            return _token(match)

    def read_arguments(self, macro: Macro) -> list[str]:
        """The arguments of a command of the author that follow here."""
        arguments: list[str] = []
        if macro.default is not None:
            optional = self.optional()
            arguments.append(macro.default if optional is None else optional)
        while len(arguments) < macro.arguments:
            arguments.append(self.argument())
        return arguments

    def _expand(self, macro: Macro) -> None:
        body = filled(macro.body, self.read_arguments(macro))
        if macro.arguments == 0 and body[-1:].isalpha() and "\\" in body[-20:]:
            body += " "  # so that a command at its end does not swallow the next letters
        self.push(body)

    def optional(self) -> str | None:
        """What stands in square brackets here, or None."""
        text, at = self._here()
        match = _SPACE.match(text, at)
        start = match.end() if match else at
        if text[start : start + 1] != "[" or text.find("]", start, start + _MAX_OPTIONAL) < 0:
            return None
        depth = 0
        for match in _OPTIONAL.finditer(text, start, start + _MAX_OPTIONAL):
            sign = match[0]
            depth += (sign == "{") - (sign == "}")
            if sign == "]" and depth == 0:
                self._frames[-1][1] = match.end()
                return text[start + 1 : match.start()]
        return None

    def argument(self) -> str:
        """The next argument as written: what stands in braces, or one token."""
        text, at = self._here()
        match = _SPACE.match(text, at)
        start = match.end() if match else at
        if start >= len(text) and len(self._frames) > 1:
            self._frames[-1][1] = len(text)
            return self.argument()
        if text[start : start + 1] != "{":
            token = _TOKEN.match(text, start)
            if token is None or token["par"] or text[start] == "}":
                return ""
            end = start + 1 if token["text"] else token.end()
            self._frames[-1][1] = end
            return text[start:end].rstrip()
        end, closed = _group(text, start, self._far(text, start))
        self._frames[-1][1] = end
        self._macros.unclosed += not closed
        return text[start + 1 : end - 1] if closed else text[start + 1 : end]

    def at_group(self) -> bool:
        """Whether an argument in braces follows."""
        text, at = self._here()
        match = _SPACE.match(text, at)
        return text[match.end() if match else at :][:1] == "{"

    def before_group(self) -> str:
        """What stands before the next brace, as written."""
        text, at = self._here()
        end = text.find("{", at)
        self._frames[-1][1] = end if end >= 0 else len(text)
        return text[at:end] if end >= 0 else text[at:]

    def read_delimited(self) -> str:
        """What stands between the next character and where it comes again on the same line, as written."""
        text, at = self._here()
        line_end = text.find("\n", at)
        end = text.find(text[at : at + 1], at + 1, line_end if line_end >= 0 else len(text)) if at < len(text) else -1
        self._frames[-1][1] = end + 1 if end >= 0 else at
        return text[at + 1 : end] if end >= 0 else ""

    def until(self, stop: str) -> str:
        """What stands before the next `stop`, as written; both are passed. Without one all that is left."""
        text, at = self._here()
        end = text.find(stop, at)
        while end > 0 and text[end - 1] == "\\" and not stop.startswith("\\"):
            end = text.find(stop, end + 1)
        self._frames[-1][1] = len(text) if end < 0 else end + len(stop)
        return text[at:] if end < 0 else text[at:end]

    def environment(self, name: str, *, to_end: bool = False) -> str:
        """The content of the environment `name` that was just begun, up to its own end, also one that a macro writes.

        Without an end it is what is left of the paragraph, or all that is left if `to_end`.
        """
        begin, end = f"\\begin{{{name}}}", f"\\end{{{name}}}"
        bodies = {word: macro.body for word, macro in self._macros.known.items() if not macro.arguments}
        short = {word: body for word, body in bodies.items() if (begin in body) != (end in body)}
        words = "|".join(map(re.escape, short))
        sign = re.compile(
            rf"\\(begin|end)\s*\{{{re.escape(name)}\}}" + (rf"|\\({words})(?![A-Za-z])[ \t]*" if words else "|(?!)()")
        )
        while True:
            text, at = self._here()
            depth = 1
            for match in sign.finditer(text, at, self._far(text, at)):
                body = short[match[2]] if match[2] else match[0]
                depth += 1 if match[1] == "begin" or (match[2] and begin in body) else -1
                if depth == 0:
                    self._frames[-1][1] = match.end()
                    before, _, after = body.partition(end) if match[2] else ("", "", "")
                    if after:
                        self.push(after)
                    return text[at : match.start()] + before
            if len(self._frames) == 1:
                break
            self._frames.pop()
            below, start = self._frames[-1]
            self._frames[-1] = [text[at:] + str(below)[int(start) :], 0]
        self._macros.unclosed += 1
        blank = None if to_end else _BLANK_LINE.search(text, at)
        self._frames[-1][1] = blank.start() if blank else len(text)
        return text[at : int(self._frames[-1][1])]

    def _far(self, text: str, at: int) -> int:
        """How far the end of a group is looked for: where many are not closed, in its paragraph only."""
        if self._macros.unclosed < _MANY_UNCLOSED:
            return len(text)
        blank = _BLANK_LINE.search(text, at)
        return blank.start() if blank else len(text)


def _token(match: re.Match[str]) -> Token:
    if match["word"]:
        return Token("command", match["word"], bool(match["star"]))
    if match["sign"] is not None:
        return Token("command", match["sign"] if not match["sign"].isspace() else " ")
    if match["par"]:
        return Token("par")
    if match["math"]:
        return Token("math", match["math"])
    if match["text"] is not None:
        return Token("text", match["text"])
    return Token(_OTHER.get(match["other"] or "", "text"), "")


def filled(body: str, arguments: list[str]) -> str:
    """What a command means with these arguments."""
    return _PARAMETER.sub(lambda m: arguments[int(m[1]) - 1] if int(m[1]) <= len(arguments) else "", body)


def group_end(text: str, start: int) -> int:
    """Where the group ends that opens at `start`: behind its brace; one that is not closed, at its paragraph's end."""
    return _group(text, start, len(text))[0]


def _group(text: str, start: int, far: int) -> tuple[int, bool]:
    """The same, and whether the group is closed before `far`."""
    depth = 0
    for match in _SIGN.finditer(text, start, far):
        sign = match[0]
        depth += (sign == "{") - (sign == "}")
        if depth == 0 and sign == "}":
            return match.end(), True
    end = _BLANK_LINE.search(text, start)
    return end.start() if end else len(text), False


def expanded(text: str, macros: Macros) -> str:
    """Source, such as a formula, with the author's macros expanded and nothing else changed."""
    if not any(f"\\{name}" in text for name in macros.known):
        return text
    scanner = Scanner(text, macros)
    out: list[str] = []
    while (token := scanner.token()).kind != "end":
        out.append(_source(token))
    return _NEEDLESS.sub(r"\1", "".join(out))


def _source(token: Token) -> str:
    if token.kind == "command":
        word = token.value + ("*" if token.star else "")
        return f"\\{word} " if token.value.isalpha() else f"\\{word}"
    signs = {"open": "{", "close": "}", "tab": "&", "tie": "~", "par": "\n"}
    return signs.get(token.kind, token.value)


KEPT_NAMES: set[str] = set()
"""Commands that mean what they always mean, whatever the author says."""

_PARAMETERS = re.compile(r"(?:#[1-9])*")


def define_new(macros: Macros, source: Scanner, how: str) -> None:
    """`\\newcommand{\\name}[2][default]{body}`."""
    name = source.argument().strip().removeprefix("\\").strip()
    macro = _with_arguments(source)
    if how != "providecommand" or name not in macros.known:
        _keep(macros, name, macro)


def _with_arguments(source: Scanner) -> Macro:
    """`[2][default]{body}`."""
    count, default = source.optional(), source.optional()
    number = int(count) if count and count.strip().isdecimal() and len(count) < 3 else 0
    return Macro(min(number, 9), default, source.argument())


def define(macros: Macros, source: Scanner, _: str) -> None:
    """`\\def\\name#1#2{body}`, simple parameters only."""
    name = source.argument().strip().removeprefix("\\")
    parameters = source.before_group()
    body = source.argument()
    if _PARAMETERS.fullmatch(parameters.strip()):
        _keep(macros, name, Macro(parameters.count("#"), None, body))


def let(macros: Macros, source: Scanner, _: str) -> None:
    """`\\let\\name=\\other`."""
    name = source.argument().strip().removeprefix("\\")
    other = source.argument().strip()
    if other == "=":
        other = source.argument().strip()
    if other.startswith("\\"):
        _keep(macros, name, Macro(0, None, other))


def operator(macros: Macros, source: Scanner, _: str) -> None:
    """`\\DeclareMathOperator{\\name}{body}`."""
    name = source.argument().strip().removeprefix("\\")
    _keep(macros, name, Macro(0, None, f"\\operatorname{{{source.argument()}}}"))


def _keep(macros: Macros, name: str, macro: Macro) -> None:
    recursive = re.search(rf"\\{re.escape(name)}(?![A-Za-z])", macro.body)
    if name.isalpha() and not recursive and name not in KEPT_NAMES and not CITING.fullmatch(name):
        macros.known[name] = macro


@dataclass(slots=True)
class Environments:
    """What stands at the beginning and at the end of each, by its name."""

    known: dict[str, tuple[Macro, str]] = field(default_factory=dict)

    def define(self, source: Scanner) -> None:
        """`\\newenvironment{name}[2][default]{beginning}{end}`."""
        name = source.argument().strip()
        macro = _with_arguments(source)
        self.known[name] = macro, source.argument()

    def expand(self, source: Scanner, name: str) -> None:
        """Puts the content of one, which was just begun, between its beginning and its end."""
        macro, end = self.known[name]
        arguments = source.read_arguments(macro)
        content = source.environment(name)
        source.push(f"{filled(macro.body, arguments)} {content}{filled(end, arguments)}\\end{{{name}}}")
