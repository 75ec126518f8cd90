"""`recollect serve`: the server, in this terminal."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from recollect.cli.door import Door

if TYPE_CHECKING:
    from recollect.llm.found import FoundLLM


@click.command()
@click.option("--host", help="The address to listen on. Default: 127.0.0.1, which needs no key.")
@click.option("--port", type=click.IntRange(0, 65535), help="The port to listen on. Default: 8765; 0 takes a free one.")
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="Processes that share the work.")
@click.option("--open", "show", is_flag=True, help="Open the page in the browser.")
@click.pass_context
def serve(context: click.Context, host: str | None, port: int | None, workers: int, show: bool) -> None:
    """Serve the memory over HTTP, with a page to look into it.

    On loopback, which is the default, nobody needs a key, and the owner is the one of the settings. On any other address the
    server starts only if there is a key (`recollect keys create`) or tokens are set up (`jwt_jwks_url`). A store that is not
    there is made. Ctrl-C or SIGTERM ends it: what was acknowledged is on the disk, and requests may finish.

    Several workers serve one address, and one that dies is replaced. Limits hold for all of them together; a temporary
    conversation, which lives in one process, is refused.
    """
    from recollect.server import run

    door: Door = context.obj
    settings = door.settings()
    if host is not None:
        settings = replace(settings, server_host=host.strip("[]"))
    if port is not None:
        settings = replace(settings, server_port=port)

    def ready(address: str, found: FoundLLM) -> None:
        click.echo(f"Recollect is at {address} and its reference at {address}/docs (Ctrl-C ends it).")
        # The address of a server may hold a password.
        store = door.where() if door.is_elsewhere else settings.url or door.where()
        served = f"Store: {store} · owner: {settings.owner} · {_model(found.llm, found.why)}"
        click.echo(served if workers == 1 else f"{served} · {workers} workers")
        if show:
            click.launch(address)

    if workers > 1:
        from recollect.server import workers as several

        several.serve(settings, workers, ready)
    else:
        app = run.build(settings)
        run.serve(app, settings, lambda address: ready(address, app.state.desk.found))


def _model(llm: object, why: str) -> str:
    return f"model: {why}" if llm is not None else f"no language model, answers are quotes from memory ({why})"
