"""`keepsaid serve`: run the server in this terminal."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from keepsaid.cli.open_store import StoreOpener
from keepsaid.cli.store.vector_survey import describe_pending_embedding

if TYPE_CHECKING:
    from keepsaid.llm.discovery import DiscoveredLLM


@click.command()
@click.option("--host", help="The address to listen on. Default: 127.0.0.1, which requires no key.")
@click.option("--port", type=click.IntRange(0, 65535), help="The port to listen on. Default: 8765; 0 takes a free one.")
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="Number of server processes.")
@click.option("--open", "show", is_flag=True, help="Open the page in the browser.")
@click.pass_context
def serve(context: click.Context, host: str | None, port: int | None, workers: int, show: bool) -> None:
    """Serve the memory over HTTP, with a web page to browse it.

    On loopback, which is the default, no key is required, and the owner is the one in the settings. On any other address
    the server starts only if there is a key (`keepsaid keys create`) or tokens are set up (`jwt_jwks_url`). A missing
    store is created. Ctrl-C or SIGTERM ends the server: running requests may finish, and acknowledged data is on disk.

    Several workers share one address, and one that dies is replaced. Limits apply to all of them together; temporary
    conversations, which live in one process, are refused.
    """
    from keepsaid.server import run

    opener: StoreOpener = context.obj
    settings = opener.settings()
    if host is not None:
        settings = replace(settings, server_host=host.strip("[]"))
    if port is not None:
        settings = replace(settings, server_port=port)

    def ready(address: str, found: DiscoveredLLM) -> None:
        click.echo(f"Keepsaid is at {address} and its API reference at {address}/docs (Ctrl-C ends it).")
        # The address of a server may contain a password.
        store = opener.location() if opener.is_remote else settings.url or opener.location()
        served = f"Store: {store} · owner: {settings.owner} · {_model(found.llm, found.reason)}"
        click.echo(served if workers == 1 else f"{served} · {workers} workers")
        if change := describe_pending_embedding(settings):
            click.echo(f"{change}.")
        if show:
            click.launch(address)

    if workers > 1:
        from keepsaid.server import worker_supervisor as several

        several.serve(settings, workers, ready)
    else:
        app = run.build_app(settings)
        run.serve(app, settings, lambda address: ready(address, app.state.server.found_llm))


def _model(llm: object, why: str) -> str:
    return f"model: {why}" if llm is not None else f"no language model, answers are quotes from memory ({why})"
