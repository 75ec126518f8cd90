"""`recollect mcp`: the memory as tools for assistants that speak the Model Context Protocol."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path

import click

from recollect.cli.door import Door
from recollect.cli.options import whose


@click.command()
@whose
@click.option("--http", "address", metavar="HOST:PORT", help="Listen here. Default: speak on stdin and stdout.")
@click.option(
    "--token-file", type=click.Path(path_type=Path), metavar="FILE",
    help="Who may come in over HTTP: a token and its owner in each line. Needed unless only this machine can ask.",
)  # fmt: skip
@click.option("--read-only", is_flag=True, help="Without the tools that remember and forget.")
@click.pass_obj
def mcp(door: Door, owner: str, address: str | None, token_file: Path | None, read_only: bool) -> None:
    """Give assistants a memory over MCP, the Model Context Protocol.

    An assistant's settings name this command, and it is started by the assistant. Whose memory it is, --owner says, or over
    HTTP the token; the model cannot choose it. A store that is not there is made.
    """
    from recollect.mcp.app import create_server
    from recollect.mcp.owners import read_tokens
    from recollect.mcp.run import host_in, listen, serve, speak

    if address is None:
        if token_file is not None:
            raise click.UsageError("--token-file is for --http: on stdin and stdout there is one owner")
        if sys.stdin.isatty():
            click.echo("This speaks MCP on stdin and stdout: an assistant is to start it. Ctrl-C ends it.", err=True)
        with door.open_or_make() as memory:
            speak(create_server(memory, owner=owner, read_only=read_only))
        return

    tokens = None if token_file is None else read_tokens(token_file)

    def ready(url: str) -> None:
        served = "tokens say whose memory" if tokens is not None else f"owner: {owner}"
        click.echo(f"Recollect speaks MCP at {url} (Ctrl-C ends it).")
        click.echo(f"Store: {door.where()} · {served}{' · read-only' if read_only else ''}")

    with closing(listen(address)) as listener, door.open_or_make() as memory:
        serve(
            memory, listener, door.settings(), owner=owner, named=host_in(address), tokens=tokens, read_only=read_only,
            ready=ready,
        )  # fmt: skip
