"""`forget`."""

from __future__ import annotations

import click

from conspectus.cli.app import Verb
from conspectus.cli.state import State
from conspectus.wire import encode


@click.command("forget", cls=Verb)
@click.argument("paths", nargs=-1, required=True, metavar="FILES…")
@click.option("--papers", is_flag=True, help="Also remove the papers that rest on these files alone.")
@click.pass_obj
def forget_verb(state: State, paths: tuple[str, ...], papers: bool) -> None:
    """Let go of files that were added, failed or are gone, and of what they said.

    FILES as they were added, or folders. Papers that other files speak of too stay, without what these said; where a
    paper rests on them alone nothing is done, unless --papers. The files stay where they are, and are read again if
    they are added again.
    """
    with state.library() as library:
        rows = library.forget(list(paths), papers=papers)
    state.tell(lambda: {"files": encode.plain(rows)}, [f"Forgot {row.path}" for row in rows])
