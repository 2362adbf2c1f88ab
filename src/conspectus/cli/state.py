"""What the options before and after the verb said, and the library they mean."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conspectus.cli.verbs import schema_name

if TYPE_CHECKING:
    from conspectus.core.job_context import Notice
    from conspectus.faces.printer import Printer
    from conspectus.library import Library
    from conspectus.settings import Settings


@dataclass
class State:
    """One run of the command line. `verb` is set when the verb is known."""

    library_option: Path | None = None
    flags: dict[str, str] = field(default_factory=dict)
    json: bool = False
    quiet: bool = False
    debug: bool = False
    verb: str = ""
    has_noted_ignored: bool = False

    @classmethod
    def foreseen(cls, words: Sequence[str]) -> State:
        """What can be told from the words alone: how to report an error in reading them."""
        options = words[: list(words).index("--")] if "--" in words else words
        return cls(json="--json" in options, debug="--debug" in options)

    @cached_property
    def out(self) -> Printer:
        """Standard output."""
        from conspectus.cli.remedies import typed
        from conspectus.faces.printer import Printer

        return Printer(remedy=typed)

    def tell(
        self,
        body: Callable[[], Mapping[str, Any]],
        show: Callable[[Printer], None] | Iterable[str],
        *,
        schema: str = "",
    ) -> None:
        """Print a verb's result: with --json `body`, else as `show` prints it, or its lines.

        Args:
            body: the fields of the JSON object.
            show: prints the result, or its lines.
            schema: the name of the body's schema, where it is not that of the verb.
        """
        if self.json:
            self.out.json(schema or schema_name(self.verb), body())
        elif callable(show):
            show(self.out)
        else:
            for line in show:
                self.out.line(line)

    @property
    def folder(self) -> Path:
        """The library's folder: `--library`, else the default one."""
        if self.library_option:
            from conspectus.core.disk import user_path

            return user_path(self.library_option)
        from conspectus.settings import default_folder

        return default_folder()

    def settings(self) -> Settings:
        """The settings, without opening or making the library; a note says, once, which of them are ignored."""
        from conspectus.settings import explain_ignored, load_settings

        found = load_settings(self.folder, self.flags)
        if found.ignored and not self.has_noted_ignored and not self.json:
            from conspectus.faces.printer import clean

            self.has_noted_ignored = True
            what, remedy = map(clean, explain_ignored(found))
            with suppress(OSError):
                sys.stderr.write(f"note: {what}\n{remedy}\n")
        return found

    @contextmanager
    def library(self, *, create: bool = False) -> Iterator[Library]:
        """The library, opened; made where `create` says so.

        Raises:
            NotFoundError: there is none, and `create` is False.
            LibraryError: it cannot be opened; see `Library`.
        """
        from conspectus.library import Library

        settings = self.settings()
        if not create and not settings.catalog.url:
            self._require(self.folder / "catalog.sqlite")
        with Library(self.folder, settings, create=create) as library:
            yield library

    def note(self, told: Notice) -> None:
        """Say on standard error what is to be known now, such as why a call waits."""
        from conspectus.cli.remedies import typed
        from conspectus.faces.printer import one_line

        if not (self.json or self.quiet):
            with suppress(OSError):
                sys.stderr.write(f"note: {one_line(typed(told.text))}\n")
                sys.stderr.flush()

    def _require(self, catalog: Path) -> None:
        from conspectus.core.errors import LibraryError, NotFoundError

        try:
            there = catalog.is_file()
        except OSError as error:
            raise LibraryError(
                f"The library folder '{self.folder}' cannot be used: {error.strerror}.",
                "Give yourself the right to it, or choose another with --library.",
            ) from error
        if not there:
            raise NotFoundError(
                f"There is no library in '{self.folder}' yet.",
                "Make one with `conspectus add FILES…`, or name another folder with --library.",
            )
