"""`recollect demo`: what this is good for, in some seconds, with no key and no network."""

from __future__ import annotations

import click

from recollect.cli.door import Door

QUESTION = "Where does my sister live now, and what is she allergic to?"


@click.command()
@click.argument("question", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_obj
def demo(door: Door, question: tuple[str, ...], as_json: bool) -> None:
    """Load some sample conversations and ask about them in a new one.

    QUESTION is asked instead of the one that we thought of. The samples are in a store of their own; yours is not touched.
    """
    from recollect.cli.demo.show import show, show_json

    asked = " ".join(question) or QUESTION
    (show_json if as_json else show)(door, asked)
