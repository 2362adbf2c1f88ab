"""What the options before and after the verb said, and the library they mean."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from conspectus.cli.overview import schema_name
from conspectus.core.errors import describe_os_error

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
        from conspectus.cli.failure import typed
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

        settings = load_settings(self.folder, self.flags)
        if settings.ignored and not self.has_noted_ignored and not self.json:
            from conspectus.faces.printer import clean

            self.has_noted_ignored = True
            what, remedy = map(clean, explain_ignored(settings))
            with suppress(OSError):
                sys.stderr.write(f"note: {what}\n{remedy}\n")
        return settings

    @contextmanager
    def library(
        self, *, create: bool = False, optional: bool = False, settings_only: bool = False
    ) -> Iterator[Library]:
        """The library, opened; made where `create` says so. With `optional` an empty one in place of one not there.

        With `settings_only` it is not opened, and need not exist.

        Raises:
            NotFoundError: there is none, and neither `create` nor `optional`.
            LibraryError: it cannot be opened; see `Library`.
        """
        from conspectus.library import Library

        settings = self.settings()
        if settings_only:
            yield Library.of_settings(self.folder, settings)
            return
        with ExitStack() as stack:
            folder = self.folder
            if not (create or settings.catalog.url or self._has_catalog()):
                if not optional:
                    raise self._make_missing_error()
                create, folder = True, Path(stack.enter_context(TemporaryDirectory(prefix="conspectus-")))
            yield stack.enter_context(Library(folder, settings, create=create))

    def note(self, notice: Notice) -> None:
        """Say on standard error what is to be known now, such as why a call waits."""
        from conspectus.cli.failure import typed
        from conspectus.faces.printer import one_line

        if not (self.json or self.quiet):
            with suppress(OSError):
                sys.stderr.write(f"note: {one_line(typed(notice.text))}\n")
                sys.stderr.flush()

    def _has_catalog(self) -> bool:
        """Whether there is a library in the folder.

        Raises:
            LibraryError: the folder may not be read.
        """
        from conspectus.core.errors import LibraryError

        try:
            return (self.folder / "catalog.sqlite").is_file()
        except OSError as error:
            raise LibraryError(
                f"The library folder '{self.folder}' cannot be used: {describe_os_error(error)}.",
                "Give yourself the right to it, or choose another with --library.",
            ) from error

    def _make_missing_error(self) -> Exception:
        from conspectus.core.errors import NotFoundError

        return NotFoundError(
            f"There is no library in '{self.folder}' yet.",
            "Make one with `conspectus add FILES…`, or name another folder with --library.",
        )
