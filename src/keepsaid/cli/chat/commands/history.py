"""Commands about the history of a conversation: read, undo, redo, clear, fork."""

from __future__ import annotations

from collections.abc import Sequence

from keepsaid.cli.chat.commands.slash_command import SlashCommand
from keepsaid.cli.chat.listing import message_lines
from keepsaid.cli.chat.state import ChatState
from keepsaid.cli.output.formatting import format_count
from keepsaid.cli.output.text import to_printable, truncate_to_width
from keepsaid.types import Message, Role

SHOWN = 20


def history(state: ChatState, argument: str) -> None:
    """Print the last messages of this conversation."""
    if argument and (not argument.isdecimal() or not int(argument)):
        state.screen.warn("How many messages? /history 50")
        return
    wanted = int(argument or SHOWN)
    messages = state.chat.messages(last=wanted) if state.chat else []
    if not messages:
        state.screen.note("There are no messages in this conversation yet.")
        return
    info = state.info()
    if info is not None and info.message_count > len(messages):
        state.screen.note(f"The last {len(messages)} of {format_count(info.message_count, 'message')}:")
    state.screen.lines(message_lines(messages, state.screen.width))


def last_exchange(messages: Sequence[Message]) -> Sequence[Message]:
    """Return the user's last message and everything after it.

    >>> last_exchange([])
    []
    """
    starts = [place for place, message in enumerate(messages) if message.role is Role.USER]
    return messages[starts[-1] :] if starts else messages[len(messages) :]


def undo(state: ChatState, argument: str) -> None:
    """Undo the last exchange; it stays on a branch."""
    messages = state.chat.messages() if state.chat else []
    taken = last_exchange(messages)
    if state.chat is None or not taken:
        state.screen.note("There is nothing to undo.")
        return
    before = messages[: len(messages) - len(taken)]
    if before:
        state.chat.switch(before[-1].id)
    else:
        state.chat.clear()
    state.undone_leaves.append(taken[-1].id)
    state.answer = None
    text = truncate_to_width(to_printable(taken[0].text), max(20, state.screen.width - 40))
    state.screen.note(f"Undone: “{text}” and its answer. /redo restores it; /forget erases for good.")


def clear(state: ChatState, argument: str) -> None:
    """Empty the conversation; everything stays on a branch."""
    last = state.chat.messages(last=1) if state.chat else []
    if state.chat is None or not last:
        state.screen.note("The conversation is empty already.")
        return
    state.chat.clear()
    state.undone_leaves.append(last[0].id)
    state.answer = None
    state.screen.note("The conversation is empty now. Nothing is lost: /redo restores it; /forget erases for good.")


def redo(state: ChatState, argument: str) -> None:
    """Restore what /undo or /clear removed."""
    if state.chat is None:
        state.screen.note("There is nothing to restore.")
        return
    if not state.undone_leaves and not state.chat.messages(last=1):
        # A conversation emptied in an earlier run: restore its newest branch.
        state.undone_leaves = [branch.leaf for branch in state.chat.branches() if branch.leaf and not branch.active][-1:]
    if not state.undone_leaves:
        state.screen.note("There is nothing to restore.")
        return
    info = state.chat.switch(state.undone_leaves.pop())
    state.screen.note(f"Restored: the conversation has {format_count(info.message_count, 'message')} again.")


def fork(state: ChatState, argument: str) -> None:
    """Continue in a copy; the original stays as it is."""
    if state.chat is None or not state.chat.messages(last=1):
        state.screen.note("There is nothing to fork yet: send a message first.")
        return
    answer = state.answer
    state.switch_to(state.chat.fork(title=argument or None), temporary=state.temporary)
    state.answer = answer
    state.screen.note("You are now in a copy. The original conversation stays as it is.")


COMMANDS = (
    SlashCommand("history", "[N]", "show the last messages of this conversation", history),
    SlashCommand("undo", "", "undo the last exchange; /redo restores it", undo),
    SlashCommand("redo", "", "restore what /undo or /clear removed", redo),
    SlashCommand("clear", "", "empty this conversation; /redo restores it", clear),
    SlashCommand("fork", "[TITLE]", "continue in a copy of this conversation", fork),
)
