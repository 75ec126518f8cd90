"""Commands that look behind an answer: what its prompt was made of, and why."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from recollect.cli.bar import token_bar, token_table
from recollect.cli.chat.commands.table import Command
from recollect.cli.chat.talk import Talk
from recollect.cli.memories import from_cited, from_item, from_receipt, has_quotes, memory_lines
from recollect.cli.text import printable
from recollect.cli.why import replayed

if TYPE_CHECKING:
    from recollect.prompt import Context, Item

SHOWN = 12
SPOKEN = ("recent", "pinned", "question")
"""Sections of the conversation itself, which is no news to the reader."""


def context(talk: Talk, argument: str) -> None:
    """What the last prompt was made of."""
    made = _last_prompt(talk)
    if made is None:
        talk.screen.note("Nothing was asked yet.")
        return
    if talk.screen.styled:
        talk.screen.lines(token_bar(made.sections, made.budget, width=talk.screen.width))
    else:
        talk.screen.line(token_table(made.sections, made.budget))
    if made.searched_for != made.question:
        talk.screen.note(f"searched for: {printable(made.searched_for)}")
    for fallback in made.fallbacks:
        talk.screen.note(f"fell back: {printable(fallback)}")
    for kind, number in made.redacted.items():
        talk.screen.note(f"removed before sending: {number} × {printable(kind)}")
    _list(talk, "In the prompt besides this conversation:", [item for item in made.items if item.section not in SPOKEN])
    _list(talk, "Considered and left out:", made.dropped)


def _last_prompt(talk: Talk) -> Context | None:
    """That of the last answer; of a conversation that was taken up again, one for its last question."""
    if talk.answer is not None:
        return talk.answer.context
    if talk.chat is None or not talk.chat.messages(last=1):
        return None
    return talk.chat.context()


def _list(talk: Talk, title: str, items: Sequence[Item]) -> None:
    if not items:
        return
    talk.screen.line(title, "bold")
    told = [from_item(item, titles_of(talk, items)) for item in items[:SHOWN]]
    talk.screen.lines(memory_lines(told, width=talk.screen.width))
    if len(items) > SHOWN:
        talk.screen.note(f"… and {len(items) - SHOWN} more")


def titles_of(talk: Talk, items: Iterable[Item]) -> dict[str, str]:
    """The titles of the conversations that some items are from."""
    wanted = {item.session for item in items if item.session}
    known = talk.memory.sessions(owner=talk.owner, limit=200)
    return {session.id: session.title for session in known if session.id in wanted and session.title}


def why(talk: Talk, argument: str) -> None:
    """Which memories the last answer had."""
    if talk.answer is None:
        _why_before(talk)
        return
    alone = talk.answer.model is None
    sources = (alone and [one for one in talk.answer.sources if one.named]) or talk.answer.sources
    # Without a model nobody reads the prompt, and so the profile.
    profile = [] if alone else _profile_alone(talk.answer.context)
    if not sources and not profile:
        talk.screen.note("The answer had nothing but this conversation: no memory was a good enough match.")
        return
    quotes = not alone or has_quotes(talk.answer)
    heading = f"The answer to “{printable(_asked(talk))}” had:" if quotes else "Nothing was quoted. What came nearest:"
    talk.screen.line(heading, "bold")
    told = [from_cited(one, talk.answer.session) for one in sources]
    told += [from_item(item, {}) for item in profile]
    talk.screen.lines(memory_lines(told, width=talk.screen.width, numbered=True))
    if talk.answer.receipt_id:
        talk.screen.note("/context shows the whole prompt.")


def _profile_alone(made: Context | None) -> list[Item]:
    """The lines of the profile that were not found for the question: what was is among the sources."""
    return [] if made is None else [item for item in made.items if item.section == "profile" and item.score is None]


def _asked(talk: Talk) -> str:
    question = talk.answer.context.question if talk.answer and talk.answer.context else ""
    return question if len(question) <= 60 else question[:59] + "…"


def _why_before(talk: Talk) -> None:
    """Of an earlier run there is a receipt, which has references and reasons, and can be replayed."""
    found = talk.memory.receipts(owner=talk.owner, session=talk.chat.id, limit=1) if talk.chat and not talk.temporary else []
    entries: list[dict[str, Any]] = [*found[0].data["entries"], *found[0].profile] if found else []
    if not entries:
        talk.screen.note("There is no answer here that had memories yet.")
        return
    talk.screen.line(f"On {found[0].created_at.astimezone():%Y-%m-%d %H:%M}, the answer had:", "bold")
    again = replayed(talk.memory, found[0], talk.owner)
    told = [from_receipt(entry, said) for entry, said in zip(entries, (*again.entries, *again.profile), strict=True)]
    talk.screen.lines(memory_lines(told[:SHOWN], width=talk.screen.width, numbered=True))


COMMANDS = (
    Command("context", "", "show what the last prompt was made of", context),
    Command("why", "", "show which memories the last answer had", why),
)
