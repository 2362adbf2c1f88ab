"""What a PostgreSQL server's complaints mean for the user: each by its SQLSTATE, with a remedy."""

from __future__ import annotations

from sqlalchemy.engine import ExceptionContext

from conspectus.core.errors import (
    BusyError,
    ConspectusError,
    LibraryDamagedError,
    LibraryError,
    LibraryReadOnlyError,
    ServiceAwayError,
    ServiceError,
)

_AGAIN = "Try again when it is up; nothing that was acknowledged is lost."


def explain(shown: str, context: ExceptionContext) -> None:
    """Raise what the complaint means; what only our own mistake can bring about stays as it is."""
    original = context.original_exception
    if context.is_pre_ping or not type(original).__module__.startswith("psycopg"):
        return  # a connection kept from before that is found dead is replaced
    state = getattr(original, "sqlstate", None) or ""
    ours = state.startswith(("22", "23", "42")) and state not in ("42501", "42P01")
    if not ours:
        found = meaning(shown, state, str(original), connected=context.connection is not None)
        if (
            state == "42501"
            and context.connection is not None
            and context.connection.get_execution_options().get("write")
        ):
            found = LibraryReadOnlyError(found.message, found.hint)
        raise found from original


def meaning(shown: str, state: str, reason: str, *, connected: bool = True) -> ConspectusError:
    """The error for a SQLSTATE ("": there is none) and the server's or the driver's words."""
    first = reason.strip().splitlines()[0] if reason.strip() else "no reason given"
    if not state and not connected:
        return _not_connected(shown, reason, first)
    for prefix, make in _MEANINGS.items():
        if state.startswith(prefix):
            kind, message, hint = make
            return kind(message.format(shown=shown, reason=first), hint)
    if not state and ("connection" in reason or "server closed" in reason or "SSL" in reason):
        return ServiceAwayError(f"The connection to '{shown}' was lost ({first}).", _AGAIN)
    return LibraryError(f"The catalog '{shown}' cannot be used: {first}.", "Show the message to who runs the server.")


_Meaning = tuple[type[ConspectusError], str, str]
_MEANINGS: dict[str, _Meaning] = {  # the longer prefixes first
    "25006": (
        LibraryReadOnlyError,
        "The catalog '{shown}' can only be read ({reason}).",
        "It may be a standby: name the primary server in catalog.url.",
    ),
    "28": (
        ServiceError,
        "The server of '{shown}' refused the user or the password ({reason}).",
        "Check catalog.url, PGPASSWORD and ~/.pgpass.",
    ),
    "3D": (ServiceError, "There is no such database: '{shown}' ({reason}).", "Make it: createdb NAME"),
    "40": (
        BusyError,
        "The server of '{shown}' gave this change up for another's sake ({reason}).",
        "Run the same command again.",
    ),
    "42501": (
        LibraryError,
        "The user has no right to do this in '{shown}' ({reason}).",
        "Ask who owns the database: GRANT CREATE ON DATABASE for a new catalog, GRANT on its schema and tables else.",
    ),
    "42P01": (
        LibraryDamagedError,
        "The catalog '{shown}' lacks a table ({reason}).",
        "Restore it from a backup, or name another with catalog.schema.",
    ),
    "53100": (
        LibraryError,
        "The disk of the server of '{shown}' is full.",
        "Make room there, then run the same command again.",
    ),
    "53200": (ServiceAwayError, "The server of '{shown}' is out of memory ({reason}).", _AGAIN),
    "53300": (
        ServiceAwayError,
        "The server of '{shown}' has no connection free ({reason}).",
        "Try again later, or raise max_connections there.",
    ),
    "54": (
        LibraryError,
        "A value is too large for '{shown}' ({reason}).",
        "Please report this.",
    ),
    "55P03": (
        BusyError,
        "Another process, or a job of this one, is holding what is needed in '{shown}' ({reason}).",
        "Try again when it is done.",
    ),
    "57014": (
        ServiceAwayError,
        "The server of '{shown}' stopped the work ({reason}).",
        "Try again; if it comes back, raise statement_timeout for this user on the server.",
    ),
    "57": (ServiceAwayError, "The server of '{shown}' ended the connection ({reason}).", _AGAIN),
    "08": (ServiceAwayError, "The connection to '{shown}' was lost ({reason}).", _AGAIN),
    "58": (LibraryError, "The server of '{shown}' cannot read or write its files ({reason}).", "See the server's log."),
    "XX": (LibraryDamagedError, "The catalog '{shown}' is damaged ({reason}).", "Restore it from a backup."),
}


def _not_connected(shown: str, reason: str, first: str) -> ConspectusError:
    """No connection was made. The driver gives no SQLSTATE for it, so the words must do."""
    said = reason.lower()
    if "password" in said or "pg_hba" in said or ("role" in said and "does not exist" in said) or "authenti" in said:
        return _meant("28", shown, first)
    if "database" in said and "does not exist" in said:
        return _meant("3D", shown, first)
    if "too many" in said or "remaining connection slots" in said:
        return _meant("53300", shown, first)
    if "permission denied" in said:
        return _meant("42501", shown, first)
    return ServiceAwayError(
        f"The server of '{shown}' does not answer ({first}).",
        "Check that it runs, the address in catalog.url, and the network.",
    )


def _meant(state: str, shown: str, reason: str) -> ConspectusError:
    kind, message, hint = _MEANINGS[state]
    return kind(message.format(shown=shown, reason=reason), hint)
