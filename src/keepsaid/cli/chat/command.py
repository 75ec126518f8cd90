"""`keepsaid chat`: chat in the terminal, with memory."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from keepsaid.cli.options import owner_option

if TYPE_CHECKING:
    from keepsaid.cli.chat.start import ChatOptions
    from keepsaid.cli.open_store import StoreOpener

# The modules of the chat are imported when it starts, to keep `keepsaid --help` fast.


@click.command()
@click.argument("message", nargs=-1)
@click.option("-c", "--continue", "newest", is_flag=True, help="Continue your newest conversation.")
@click.option(
    "-r", "--resume", metavar="ID_OR_TITLE", help="Continue this conversation: its id, the start of the id, or its title."
)
@click.option("--temp", is_flag=True, help="Start a temporary conversation, which is never saved.")
@click.option("--model", metavar="SPEC", help="The language model: openai:MODEL, ollama:MODEL. Default: the setting `llm`.")
@click.option("--no-model", is_flag=True, help="Answer only with quotes from memory.")
@click.option("--budget", metavar="N", help="Token budget of a prompt, or a preset such as 12k. Default: the setting.")
@click.option("--system", metavar="TEXT", help="Instructions for the model.")
@owner_option
@click.option("--json", "as_json", is_flag=True, help="With MESSAGE or a pipe: print one JSON object.")
@click.pass_context
def chat(context: click.Context, message: tuple[str, ...], owner: str, as_json: bool, **options: Any) -> None:
    """Chat with an assistant that remembers.

    With MESSAGE, or with text piped in, one question is answered: the answer goes to stdout, everything else to stderr.
    Piped text is appended to MESSAGE. Without either, an interactive conversation starts; /help lists its commands.
    """
    from keepsaid.cli.chat.start import ChatOptions

    opener: StoreOpener = context.obj
    wanted = ChatOptions(owner=owner, **options)
    wanted.check()
    question = _read_question(" ".join(message))
    if question is None:
        if as_json:
            raise click.UsageError("--json needs a single question: give a MESSAGE, or pipe it in")
        _start_chat(opener, wanted)
    else:
        context.exit(_answer_question(opener, wanted, question, as_json))


def _read_question(message: str) -> str | None:
    """Return the single question to answer; None to start a conversation."""
    piped = "" if sys.stdin.isatty() else sys.stdin.buffer.read().decode("utf-8", "replace").strip()
    _check_slash(message)
    message = message[1:] if message.startswith("//") else message
    question = "\n\n".join(part for part in (message.strip(), piped) if part)
    if not question and not sys.stdin.isatty():
        raise click.UsageError("there is no question: give a MESSAGE, or pipe it in")
    return question or None


def _check_slash(message: str) -> None:
    from keepsaid.cli.chat.commands import BY_NAME

    word = message[1:].split(" ", 1)[0] if message.startswith("/") else ""
    if word in BY_NAME:
        raise click.UsageError(f"/{word} is a command inside the chat: run `keepsaid chat`. Two slashes send it as text.")


def _answer_question(opener: StoreOpener, wanted: ChatOptions, question: str, as_json: bool) -> int:
    from keepsaid.cli.chat.screen import ChatScreen, can_be_styled
    from keepsaid.cli.chat.single_question import answer_once
    from keepsaid.cli.chat.start import open_chat_state

    with open_chat_state(opener, wanted, ChatScreen(can_be_styled() and not as_json, apart=True)) as state:
        return answer_once(state, question, as_json)


def _start_chat(opener: StoreOpener, wanted: ChatOptions) -> None:
    from keepsaid.cli.chat.loop import run_chat
    from keepsaid.cli.chat.screen import ChatScreen, can_be_styled
    from keepsaid.cli.chat.start import open_chat_state

    styled = can_be_styled()
    with open_chat_state(opener, wanted, ChatScreen(styled, apart=not sys.stdout.isatty())) as state:
        run_chat(state, opener)
