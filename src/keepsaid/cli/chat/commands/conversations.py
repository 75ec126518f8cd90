"""Commands about conversations: list, load, start, rename, archive."""

from __future__ import annotations

from keepsaid.cli.chat.choose_session import match_sessions, shortest_id_to_type
from keepsaid.cli.chat.commands.slash_command import SlashCommand
from keepsaid.cli.chat.listing import message_lines, session_lines
from keepsaid.cli.chat.state import UNTITLED, ChatState
from keepsaid.cli.memory.lookup import all_sessions, is_blank
from keepsaid.cli.output.formatting import format_count
from keepsaid.cli.output.text import to_printable
from keepsaid.types import Session, SessionStatus

SHOWN = 20
STATUSES = {"": "active", "all": None, "active": "active", "archived": "archived", "deleted": "deleted"}


def sessions(state: ChatState, argument: str) -> None:
    """Print a numbered list, newest activity first."""
    if argument not in STATUSES:
        state.screen.warn(f"There is no list of {argument!r} conversations; the lists are all, archived and deleted.")
        return
    listed = all_sessions(state.memory, state.owner, status=STATUSES[argument])
    found = [session for session in listed if argument == "all" or not is_blank(session)]
    if not found:
        state.screen.note(f"There are no {argument + ' ' if argument else ''}conversations yet.")
        return
    state.listed_sessions = [session.id for session in found]
    current = state.chat.id if state.chat else None
    state.screen.lines(session_lines(found[:SHOWN], current, state.screen.width))
    if len(found) > SHOWN:
        state.screen.note(
            f"… and {format_count(len(found) - SHOWN, 'older one')}: /load finds them by title, /search by content."
        )


def load(state: ChatState, argument: str) -> None:
    """Continue an earlier conversation."""
    if not argument:
        sessions(state, "")
        state.screen.note("Which one? /load and its number, title or id.")
        return
    found = _find_matches(state, argument)
    if len(found) > 1:
        state.screen.line(f"Several conversations have {argument!r} in their title:")
        state.listed_sessions = [session.id for session in found]
        state.screen.lines(session_lines(found, None, state.screen.width))
    elif not found:
        state.screen.warn(f"There is no conversation {argument!r}. /sessions lists them.")
    else:
        _resume(state, found[0])


def _find_matches(state: ChatState, argument: str) -> list[Session]:
    known = [one for status in (None, "deleted") for one in all_sessions(state.memory, state.owner, status=status)]
    if argument.isdecimal() and len(argument) < 6:
        listed = state.listed_sessions or [session.id for session in known]
        chosen = listed[int(argument) - 1 : int(argument)]
        if found := [session for session in known if session.id in chosen]:
            return found
    return match_sessions(known, argument)


def _resume(state: ChatState, session: Session) -> None:
    if session.status is SessionStatus.DELETED:
        chat = state.memory.restore(owner=state.owner, session=session.id)
        state.screen.note("This conversation was deleted and is now restored.")
    else:
        chat = state.memory.chat(owner=state.owner, session=session.id)
    if session.status is SessionStatus.ARCHIVED:
        chat.unarchive()
        state.screen.note("This conversation was archived and is now active; /archive archives it again.")
    state.switch_to(chat)
    show_current_chat(state)


def show_current_chat(state: ChatState) -> None:
    """Show where a conversation stands: its title, its length and its last two messages."""
    info = state.info()
    if state.chat is None or info is None:
        return
    state.screen.line(f"{info.title or UNTITLED} · {format_count(info.message_count, 'message')}", "bold")
    state.screen.lines(message_lines(state.chat.messages(last=2), state.screen.width, brief=True))


def new(state: ChatState, argument: str) -> None:
    """Start a conversation. It is saved from its first message on."""
    state.switch_to(None, title=argument or None)
    state.screen.note("A new conversation. The previous one is saved: /sessions lists it.")


def temp(state: ChatState, argument: str) -> None:
    """Start a temporary conversation."""
    state.switch_to(None, temporary=True)
    state.screen.line(
        "A temporary conversation: it can use your memory, but is never saved. /new ends it.",
        "magenta",
    )


def rename(state: ChatState, argument: str) -> None:
    """Give the conversation a title."""
    if not argument:
        state.screen.warn("What should it be called? /rename TITLE")
    elif state.chat is None:
        state.title = argument
        state.screen.note(f"The conversation will be called {to_printable(argument)}.")
    else:
        state.screen.note(f"Now called {to_printable(state.chat.rename(argument).title or '')}.")


def save(state: ChatState, argument: str) -> None:
    """Report that everything is saved already; with a title, rename the conversation."""
    if state.temporary:
        state.screen.note("This conversation is temporary and cannot be saved.")
        return
    if argument:
        rename(state, argument)
    if state.chat is None and argument:
        return
    if state.chat is None:
        state.screen.note("There is nothing to save yet: messages are saved as you send them.")
        return
    state.screen.note(f"Everything is saved already. The conversation's id: {shortest_id_to_type(state.chat.info())}")


def archive(state: ChatState, argument: str) -> None:
    """Archive the conversation and start a new one."""
    if state.chat is None or state.temporary:
        state.screen.note("There is nothing to archive.")
        return
    title = state.chat.archive().title or UNTITLED
    state.switch_to(None)
    state.screen.note(f"Archived: {to_printable(title)}. Search finds it; /sessions archived lists it, /load reopens it.")


COMMANDS = (
    SlashCommand("sessions", "[KIND]", "list your conversations, newest first", sessions, "statuses",
            "KIND is all, archived or deleted. The number before each is for /load."),
    SlashCommand("load", "N|ID|TITLE", "continue an earlier conversation", load, "conversations",
            "By its number in the last list, the start of its id, or its title or a part of it. An archived or deleted"
            " one becomes active again."),
    SlashCommand("new", "[TITLE]", "start a new conversation", new),
    SlashCommand("temp", "", "start a temporary conversation, which is never saved", temp),
    SlashCommand("rename", "TITLE", "give this conversation a title", rename),
    SlashCommand("save", "[TITLE]", "everything is saved already; with a title, name it", save),
    SlashCommand("archive", "", "archive this conversation and start a new one", archive),
)  # fmt: skip
