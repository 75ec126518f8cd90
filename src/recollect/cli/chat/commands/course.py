"""Commands about the course of a conversation: reading it, taking back, going another way."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.cli.chat.commands.table import Command
from recollect.cli.chat.listing import message_lines
from recollect.cli.chat.talk import Talk
from recollect.cli.text import fitted, printable
from recollect.cli.words import count
from recollect.types import Message, Role

SHOWN = 20


def history(talk: Talk, argument: str) -> None:
    """What was said in this conversation."""
    if argument and (not argument.isdecimal() or not int(argument)):
        talk.screen.trouble("How many messages? /history 50")
        return
    wanted = int(argument or SHOWN)
    messages = talk.chat.messages(last=wanted) if talk.chat else []
    if not messages:
        talk.screen.note("Nothing has been said in this conversation yet.")
        return
    info = talk.info()
    if info is not None and info.message_count > len(messages):
        talk.screen.note(f"The last {len(messages)} of {count(info.message_count, 'message')}:")
    talk.screen.lines(message_lines(messages, talk.screen.width))


def last_exchange(messages: Sequence[Message]) -> Sequence[Message]:
    """The user's last words and all that followed them.

    >>> last_exchange([])
    []
    """
    starts = [place for place, message in enumerate(messages) if message.role is Role.USER]
    return messages[starts[-1] :] if starts else messages[len(messages) :]


def undo(talk: Talk, argument: str) -> None:
    """Takes the last exchange back; it stays on a branch."""
    messages = talk.chat.messages() if talk.chat else []
    taken = last_exchange(messages)
    if talk.chat is None or not taken:
        talk.screen.note("There is nothing to take back.")
        return
    before = messages[: len(messages) - len(taken)]
    if before:
        talk.chat.switch(before[-1].id)
    else:
        talk.chat.clear()
    talk.taken_back.append(taken[-1].id)
    talk.answer = None
    said = fitted(printable(taken[0].text), max(20, talk.screen.width - 40))
    talk.screen.note(f"Taken back: “{said}” and its answer. /redo brings it back; /forget removes for good.")


def clear(talk: Talk, argument: str) -> None:
    """Empties the conversation; everything stays on a branch."""
    last = talk.chat.messages(last=1) if talk.chat else []
    if talk.chat is None or not last:
        talk.screen.note("The conversation is empty already.")
        return
    talk.chat.clear()
    talk.taken_back.append(last[0].id)
    talk.answer = None
    talk.screen.note("The conversation is empty now. Nothing is lost: /redo brings it back; /forget removes for good.")


def redo(talk: Talk, argument: str) -> None:
    """Brings back what /undo or /clear took."""
    if talk.chat is None:
        talk.screen.note("There is nothing to bring back.")
        return
    if not talk.taken_back and not talk.chat.messages(last=1):
        # An emptied conversation of an earlier run: the newest way it went is the one meant.
        talk.taken_back = [branch.leaf for branch in talk.chat.branches() if branch.leaf and not branch.active][-1:]
    if not talk.taken_back:
        talk.screen.note("There is nothing to bring back.")
        return
    info = talk.chat.switch(talk.taken_back.pop())
    talk.screen.note(f"Brought back: the conversation has {count(info.message_count, 'message')} again.")


def fork(talk: Talk, argument: str) -> None:
    """Goes on in a copy; the conversation stays as it is."""
    if talk.chat is None or not talk.chat.messages(last=1):
        talk.screen.note("There is nothing to fork yet: say something first.")
        return
    answer = talk.answer
    talk.turn_to(talk.chat.fork(title=argument or None), temporary=talk.temporary)
    talk.answer = answer
    talk.screen.note("This is a conversation of its own now, which begins like the other. The other stays as it is.")


COMMANDS = (
    Command("history", "[N]", "show the last messages of this conversation", history),
    Command("undo", "", "take the last exchange back; /redo brings it back", undo),
    Command("redo", "", "bring back what /undo or /clear took", redo),
    Command("clear", "", "empty this conversation; /redo brings it back", clear),
    Command("fork", "[TITLE]", "go on in a copy of this conversation", fork),
)
