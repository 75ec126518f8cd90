"""`keepsaid mcp`: serve the memory as tools over the Model Context Protocol."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path

import click

from keepsaid.cli.open_store import StoreOpener
from keepsaid.cli.options import owner_option


@click.command()
@owner_option
@click.option("--http", "address", metavar="HOST:PORT", help="Listen on this address. Default: use stdin and stdout.")
@click.option(
    "--token-file", type=click.Path(path_type=Path), metavar="FILE",
    help="The tokens for HTTP: a token and its owner in each line. Required unless only this machine can connect.",
)  # fmt: skip
@click.option("--read-only", is_flag=True, help="Leave out the tools that remember and forget.")
@click.pass_obj
def mcp(opener: StoreOpener, owner: str, address: str | None, token_file: Path | None, read_only: bool) -> None:
    """Give assistants a memory over MCP, the Model Context Protocol.

    Put this command into an assistant's settings; the assistant starts it. The owner of the memory is set by --owner, or
    over HTTP by the token; the model cannot choose it. A missing store is created.
    """
    from keepsaid.mcp.app import create_server
    from keepsaid.mcp.owners import read_tokens
    from keepsaid.mcp.run import host_of, open_listener, serve_http, serve_stdio

    if address is None:
        if token_file is not None:
            raise click.UsageError("--token-file requires --http: on stdin and stdout there is one owner")
        if sys.stdin.isatty():
            click.echo("This serves MCP on stdin and stdout, and an assistant should start it. Ctrl-C ends it.", err=True)
        with opener.open_or_create() as memory:
            serve_stdio(create_server(memory, owner=owner, read_only=read_only))
        return

    tokens = None if token_file is None else read_tokens(token_file)

    def ready(url: str) -> None:
        served = "owners: by token" if tokens is not None else f"owner: {owner}"
        click.echo(f"Keepsaid serves MCP at {url} (Ctrl-C ends it).")
        click.echo(f"Store: {opener.location()} · {served}{' · read-only' if read_only else ''}")

    with closing(open_listener(address)) as listener, opener.open_or_create() as memory:
        serve_http(
            memory, listener, opener.settings(), owner=owner, named=host_of(address), tokens=tokens, read_only=read_only,
            ready=ready,
        )  # fmt: skip
