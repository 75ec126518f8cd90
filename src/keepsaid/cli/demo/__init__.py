"""`keepsaid demo`: shows what the library does in a few seconds, with no key and no network."""

from __future__ import annotations

import click

from keepsaid.cli.open_store import StoreOpener

QUESTION = "Where does my sister live now, and what is she allergic to?"


@click.command()
@click.argument("question", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_obj
def demo(opener: StoreOpener, question: tuple[str, ...], as_json: bool) -> None:
    """Load some sample conversations and ask about them in a new one.

    QUESTION replaces the built-in question. The samples are in a separate store; yours is not touched.
    """
    from keepsaid.cli.demo.show import show, show_json

    text = " ".join(question) or QUESTION
    (show_json if as_json else show)(opener, text)
