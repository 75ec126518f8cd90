"""`recollect chat`: a chat that remembers."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from recollect.cli.options import whose

if TYPE_CHECKING:
    from recollect.cli.chat.opening import Wanted
    from recollect.cli.door import Door

# What a chat needs is loaded when there is one: `recollect --help` should not wait for it.


@click.command()
@click.argument("message", nargs=-1)
@click.option("-c", "--continue", "newest", is_flag=True, help="Go on with your newest conversation.")
@click.option(
    "-r", "--resume", metavar="ID_OR_TITLE", help="Go on with this one: its id or the beginning of it, or its title."
)
@click.option("--temp", is_flag=True, help="A temporary conversation: nothing of it is written.")
@click.option("--model", metavar="SPEC", help="The language model: openai:MODEL, ollama:MODEL. Default: the setting `llm`.")
@click.option("--no-model", is_flag=True, help="Answer with quotes from memory alone.")
@click.option("--budget", metavar="N", help="Tokens of a prompt, or a preset such as 12k. Default: the setting.")
@click.option("--system", metavar="TEXT", help="Instructions for the model.")
@whose
@click.option("--json", "as_json", is_flag=True, help="With MESSAGE or a pipe: print one JSON object.")
@click.pass_context
def chat(context: click.Context, message: tuple[str, ...], owner: str, as_json: bool, **options: Any) -> None:
    """Talk, and be remembered.

    With MESSAGE, or with text piped in, one question is answered: the answer goes to stdout and all else to stderr. Text
    that is piped in is put below MESSAGE. Without, a conversation begins; /help lists what can be done in it.
    """
    from recollect.cli.chat.opening import Wanted

    door: Door = context.obj
    wanted = Wanted(owner=owner, **options)
    wanted.check()
    question = _question(" ".join(message))
    if question is None:
        if as_json:
            raise click.UsageError("--json is for one question: give a MESSAGE, or pipe it in")
        _converse(door, wanted)
    else:
        context.exit(_answer(door, wanted, question, as_json))


def _question(message: str) -> str | None:
    """The one question to be answered; None to begin a conversation."""
    piped = "" if sys.stdin.isatty() else sys.stdin.buffer.read().decode("utf-8", "replace").strip()
    _check_slash(message)
    message = message[1:] if message.startswith("//") else message
    question = "\n\n".join(part for part in (message.strip(), piped) if part)
    if not question and not sys.stdin.isatty():
        raise click.UsageError("nothing was asked: give a MESSAGE, or pipe it in")
    return question or None


def _check_slash(message: str) -> None:
    from recollect.cli.chat.commands import BY_NAME

    word = message[1:].split(" ", 1)[0] if message.startswith("/") else ""
    if word in BY_NAME:
        raise click.UsageError(f"/{word} is a command inside the chat: run `recollect chat`. Two slashes send it as it is.")


def _answer(door: Door, wanted: Wanted, question: str, as_json: bool) -> int:
    from recollect.cli.chat.once import answer_once
    from recollect.cli.chat.opening import opened
    from recollect.cli.chat.screen import Screen, can_be_styled

    with opened(door, wanted, Screen(can_be_styled() and not as_json, apart=True)) as talk:
        return answer_once(talk, question, as_json)


def _converse(door: Door, wanted: Wanted) -> None:
    from recollect.cli.chat.loop import converse
    from recollect.cli.chat.opening import opened
    from recollect.cli.chat.screen import Screen, can_be_styled

    styled = can_be_styled()
    with opened(door, wanted, Screen(styled, apart=not sys.stdout.isatty())) as talk:
        converse(talk, door)
