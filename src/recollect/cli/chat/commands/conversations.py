"""Commands about conversations: listing, loading, beginning, naming, archiving."""

from __future__ import annotations

from recollect.cli.chat.choosing import matching, typed_id
from recollect.cli.chat.commands.table import Command
from recollect.cli.chat.listing import message_lines, session_lines
from recollect.cli.chat.talk import UNTITLED, Talk
from recollect.cli.lookup import all_sessions, is_blank
from recollect.cli.text import printable
from recollect.cli.words import count
from recollect.types import Session, Status

SHOWN = 20
STATUSES = {"": "active", "all": None, "active": "active", "archived": "archived", "deleted": "deleted"}


def sessions(talk: Talk, argument: str) -> None:
    """A numbered list, newest activity first."""
    if argument not in STATUSES:
        talk.screen.trouble(f"There is no list of {argument!r} conversations; known are all, archived and deleted.")
        return
    listed = all_sessions(talk.memory, talk.owner, status=STATUSES[argument])
    found = [session for session in listed if argument == "all" or not is_blank(session)]
    if not found:
        talk.screen.note(f"There are no {argument + ' ' if argument else ''}conversations yet.")
        return
    talk.listed = [session.id for session in found]
    current = talk.chat.id if talk.chat else None
    talk.screen.lines(session_lines(found[:SHOWN], current, talk.screen.width))
    if len(found) > SHOWN:
        talk.screen.note(f"… and {count(len(found) - SHOWN, 'older one')}: /load finds them by title, /search by content.")


def load(talk: Talk, argument: str) -> None:
    """Goes on with an earlier conversation."""
    if not argument:
        sessions(talk, "")
        talk.screen.note("Which one? /load and its number, title or id.")
        return
    found = _meant(talk, argument)
    if len(found) > 1:
        talk.screen.line(f"Several conversations have {argument!r} in their title:")
        talk.listed = [session.id for session in found]
        talk.screen.lines(session_lines(found, None, talk.screen.width))
    elif not found:
        talk.screen.trouble(f"There is no conversation {argument!r}. /sessions lists them.")
    else:
        _resume(talk, found[0])


def _meant(talk: Talk, argument: str) -> list[Session]:
    known = [one for status in (None, "deleted") for one in all_sessions(talk.memory, talk.owner, status=status)]
    if argument.isdecimal() and len(argument) < 6:
        listed = talk.listed or [session.id for session in known]
        chosen = listed[int(argument) - 1 : int(argument)]
        if found := [session for session in known if session.id in chosen]:
            return found
    return matching(known, argument)


def _resume(talk: Talk, session: Session) -> None:
    if session.status is Status.DELETED:
        chat = talk.memory.restore(owner=talk.owner, session=session.id)
        talk.screen.note("It was deleted, and is restored.")
    else:
        chat = talk.memory.chat(owner=talk.owner, session=session.id)
    if session.status is Status.ARCHIVED:
        chat.unarchive()
        talk.screen.note("It was archived, and is taken up again; /archive puts it back.")
    talk.turn_to(chat)
    welcome_back(talk)


def welcome_back(talk: Talk) -> None:
    """Says where a conversation stands: its title, its length and its last words."""
    info = talk.info()
    if talk.chat is None or info is None:
        return
    talk.screen.line(f"{info.title or UNTITLED} · {count(info.message_count, 'message')}", "bold")
    talk.screen.lines(message_lines(talk.chat.messages(last=2), talk.screen.width, brief=True))


def new(talk: Talk, argument: str) -> None:
    """Begins a conversation; it is kept from its first words on."""
    talk.turn_to(None, title=argument or None)
    talk.screen.note("A new conversation. The one before is kept: /sessions lists it.")


def temp(talk: Talk, argument: str) -> None:
    """Begins a conversation of which nothing is kept."""
    talk.turn_to(None, temporary=True)
    talk.screen.line(
        "A temporary conversation: it may use what is remembered, and nothing of it is ever written. /new ends it.",
        "magenta",
    )


def rename(talk: Talk, argument: str) -> None:
    """Gives the conversation a title."""
    if not argument:
        talk.screen.trouble("What should it be called? /rename TITLE")
    elif talk.chat is None:
        talk.title = argument
        talk.screen.note(f"The conversation will be called {printable(argument)}.")
    else:
        talk.screen.note(f"Now called {printable(talk.chat.rename(argument).title or '')}.")


def save(talk: Talk, argument: str) -> None:
    """Everything is saved already; a title makes it easier to find."""
    if talk.temporary:
        talk.screen.note("This conversation is temporary: nothing of it is written, and there is no way to save it.")
        return
    if argument:
        rename(talk, argument)
    if talk.chat is None and argument:
        return
    if talk.chat is None:
        talk.screen.note("There is nothing to save yet: what you say is saved as you say it.")
        return
    talk.screen.note(f"Everything is saved already, as it is said. Its id: {typed_id(talk.chat.info())}")


def archive(talk: Talk, argument: str) -> None:
    """Puts the conversation away, and begins a new one."""
    if talk.chat is None or talk.temporary:
        talk.screen.note("There is nothing to archive.")
        return
    title = talk.chat.archive().title or UNTITLED
    talk.turn_to(None)
    talk.screen.note(f"Archived: {printable(title)}. It is still searched; /sessions archived lists it, /load takes it up.")


COMMANDS = (
    Command("sessions", "[KIND]", "list your conversations, newest first", sessions, "statuses",
            "KIND is all, archived or deleted. The number before each is for /load."),
    Command("load", "N|ID|TITLE", "go on with an earlier conversation", load, "conversations",
            "By its number in the last list, the beginning of its id, or its title or a part of it. An archived or deleted"
            " one is taken up again."),
    Command("new", "[TITLE]", "begin a new conversation", new),
    Command("temp", "", "begin a conversation of which nothing is kept", temp),
    Command("rename", "TITLE", "give this conversation a title", rename),
    Command("save", "[TITLE]", "everything is saved already; with a title, name it", save),
    Command("archive", "", "put this conversation away and begin a new one", archive),
)  # fmt: skip
