"""What is asked of language models: one file a task, with a version; a file of the user replaces it.

A prompt's file begins with `version: N` and `about: …`, then `# system` and `# user`. `{name}` stands for a value; what
is put in is never looked at for further names.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from importlib import resources
from pathlib import Path

from conspectus.core.disk import explained, keep_private, read_text
from conspectus.core.errors import NotFoundError, SettingsError, UsageError, describe_os_error
from conspectus.core.text import cleaned
from conspectus.models.language import Message

FENCE = "\ufdd0"
"""Stands in the marks around texts until a call is made: no character, so that it goes out of all that is cleaned."""
_NAME = re.compile(r"\{([a-z_]+)\}")
_FILE = re.compile(r"version: *+(\S++)\nabout:([^\n]++)\n++# system\n(.*?)\n# user\n(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Prompt:
    """What is asked for one task. `origin` is where it was read: `built in`, or a file of the user."""

    name: str
    version: str
    about: str
    system: str
    user: str
    origin: str = "built in"

    @property
    def id(self) -> str:
        """Name and version; of the user's own file also a digest of its words."""
        digest = blake2b(f"{self.system}\n{self.user}".encode(), digest_size=4).hexdigest()
        return f"{self.name}/{self.version}" + ("" if self.origin == "built in" else f"+{digest}")

    @property
    def values(self) -> frozenset[str]:
        """The names of the values it takes."""
        return frozenset(_NAME.findall(self.system + self.user))

    def messages(self, values: Mapping[str, str]) -> tuple[Message, ...]:
        """The prompt with its values, cleaned; those that it does not take are passed over."""
        system, user = (
            _NAME.sub(lambda match: _fit(values[match[1]]), text).strip() for text in (self.system, self.user)
        )
        return Message("system", system), Message("user", user)


def _fit(value: str) -> str:
    """A value without what lies; what is fenced has been cleaned."""
    return FENCE.join(map(cleaned, value.split(FENCE)))


@dataclass(frozen=True, slots=True)
class BrokenPrompt:
    """A file of the user that cannot be used as a prompt: `trouble` is why, `remedy` what to do."""

    name: str
    origin: str
    trouble: str
    remedy: str


class Prompts:
    """The built-in prompts, each replaced by the user's own file for that task in `folder`, if there is one."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._read: dict[str, Prompt] = {}

    def __iter__(self) -> Iterator[Prompt]:
        return map(self.get, prompt_names())

    def get(self, name: str) -> Prompt:
        """The prompt for a task.

        Raises:
            NotFoundError: there is no such task.
            SettingsError: the user's file for it cannot be used.
        """
        if name not in self._read:
            self._read[name] = self._load_custom(built_in(name)) if self._folder else built_in(name)
        return self._read[name]

    def looked_at(self) -> Iterator[Prompt | BrokenPrompt]:
        """All prompts in order, and the user's files that cannot be used as such."""
        for name in prompt_names():
            try:
                yield self.get(name)
            except SettingsError as error:
                yield BrokenPrompt(name, str(self._path(name)), error.message, error.hint)

    def files(self) -> list[Path]:
        """The user's own prompts, in order; also files whose name is that of no task."""
        return sorted(self._folder.glob("*.md")) if self._folder else []

    def copy(self, name: str) -> Path:
        """Copy the built-in prompt for a task into the folder, to be edited there; returns the file.

        Raises:
            NotFoundError: there is no such task.
            UsageError: there is a file for it already.
            LibraryError: it cannot be written.
        """
        assert self._folder
        text = built_in_text(name)
        path = self._path(name)
        with explained(self._folder):
            self._folder.mkdir(parents=True, exist_ok=True)
            try:
                with path.open("x", encoding="utf-8", newline="\n") as file:
                    file.write(text)
                keep_private(self._folder)
                keep_private(path)
            except FileExistsError as error:
                raise UsageError(
                    f"There is a prompt '{path}' already.", "Edit that one, or take it away first."
                ) from error
        self._read.pop(name, None)
        return path

    def _path(self, name: str) -> Path:
        assert self._folder
        return self._folder / f"{name}.md"

    def _load_custom(self, prompt: Prompt) -> Prompt:
        path = self._path(prompt.name)
        try:
            text = read_text(path)
        except FileNotFoundError:
            return prompt
        except (OSError, UnicodeDecodeError) as error:
            raise SettingsError(
                f"The prompt '{path}' cannot be read: {describe_os_error(error)}.", "Mend it, or take it away."
            ) from error
        custom = _parse_prompt(prompt.name, text, str(path))
        missing, extra = sorted(prompt.values - custom.values), sorted(custom.values - prompt.values)
        if missing or extra:
            what = f"lacks {{{missing[0]}}}" if missing else f"has {{{extra[0]}}}, which has no value"
            raise SettingsError(
                f"The prompt '{path}' {what}.", f"`conspectus prompts {prompt.name} --built-in` shows ours."
            )
        return custom


def prompt_names() -> list[str]:
    """The tasks that there are prompts for."""
    return sorted(item.name.removesuffix(".md") for item in _files().iterdir() if item.name.endswith(".md"))


def built_in(name: str) -> Prompt:
    """The prompt that comes with the program.

    Raises:
        NotFoundError: there is no such task.
    """
    return _parse_prompt(name, built_in_text(name), "built in")


def built_in_text(name: str) -> str:
    """The file of the built-in prompt; raises as `built_in`."""
    if name not in prompt_names():
        raise NotFoundError(f"There is no prompt '{name}'.", f"There are: {', '.join(prompt_names())}.")
    return _files().joinpath(f"{name}.md").read_text("utf-8")


def fenced(kind: str, text: str, **shown: str) -> str:
    """Text from elsewhere as a prompt shows it: between marks that nobody can know beforehand.

    The marks have `FENCE` in them, which no cleaned text can have; each call puts random digits in its place
    (`sealed`). What is kept of calls is found by the text as it was before.

    `shown` are attributes of the opening mark.
    """
    attributes = "".join(f' {name}="{_BARE.sub(" ", cleaned(value))}"' for name, value in shown.items() if value)
    return f"<{kind}-{FENCE}{attributes}>\n{cleaned(text).strip()}\n</{kind}-{FENCE}>"


def sealed(message: Message, seal: str) -> Message:
    """The message as a model gets it."""
    return replace(message, text=message.text.replace(FENCE, seal)) if FENCE in message.text else message


def new_seal() -> str:
    """Sixteen random hexadecimal digits."""
    return secrets.token_hex(8)


_BARE = re.compile(r"[\s\"<>]+")


def _files() -> resources.abc.Traversable:
    return resources.files("conspectus.llm") / "prompts"


def _parse_prompt(name: str, text: str, origin: str) -> Prompt:
    match = _FILE.fullmatch(text.replace("\r\n", "\n"))
    if match is None:
        raise SettingsError(
            f"The prompt '{origin}' has not the form of one.",
            "It begins with `version: …` and `about: …`, and has the headings `# system` and `# user`.",
        )
    version, about, system, user = match.groups()
    return Prompt(name, version, about.lstrip(" "), system.strip(), user.strip(), origin)


CHARS_PER_TOKEN = 3
"""Of scientific English, on the safe side."""
PROMPT_TOKENS = 700
"""What a prompt takes without the texts that it is about, on the safe side."""
MOST_CHARS = 6000
"""Of papers' text in one call that reads it, also where there is room for more."""
NUMBERED = 0.85
"""The part of a prompt's room that text fills; the numbers of sentences have the rest."""
LEAST_ROOM = 600
"""Characters of a text even where a model's context has no room for them: the model then says so itself."""


def answer_room(context: int, answer_tokens: int) -> int:
    """Tokens of an answer in a model's context of so many (0: not known), a third of which it has at most."""
    return min(answer_tokens, context // 3) if context else answer_tokens


def chars_left(context: int, answer_tokens: int) -> int:
    """Characters that fit a model's context of so many tokens beside a prompt and its answer."""
    return (context - answer_room(context, answer_tokens) - PROMPT_TOKENS) * CHARS_PER_TOKEN


def passage_room(context: int, answer_tokens: int) -> int:
    """Characters of numbered sentences that a call has room for (S5); `MOST_CHARS` where the context is not known."""
    if not context:
        return MOST_CHARS
    return max(LEAST_ROOM, min(MOST_CHARS, int(chars_left(context, answer_tokens) * NUMBERED)))
