"""Commands about what is remembered: searching, facts, remembering, pinning."""

from __future__ import annotations

from datetime import datetime

from recollect.cli.chat.commands.table import Command
from recollect.cli.chat.listing import fact_lines, profile_lines
from recollect.cli.chat.talk import Talk
from recollect.cli.memories import from_hit, memory_lines
from recollect.cli.text import printable
from recollect.engine.query import understand
from recollect.types import Role

FACTS = 50


def search(talk: Talk, argument: str) -> None:
    """Finds what was said in all conversations."""
    if not argument:
        talk.screen.trouble("What should be found? /search WORDS")
        return
    with talk.screen.waiting("searching …"):
        hits = talk.memory.search(argument, owner=talk.owner)
    for fallback in hits.fallbacks:
        talk.screen.note(f"Note: {printable(fallback)}")
    if not hits:
        talk.screen.note("Nothing found.")
        return
    talk.listed = [hit.session for hit in hits]
    wanted = frozenset(understand(argument, datetime.now().astimezone()).terms)
    talk.screen.lines(memory_lines(map(from_hit, hits), width=talk.screen.width, numbered=True, wanted=wanted))
    talk.screen.note("/load and a number goes on with that conversation.")


def facts(talk: Talk, argument: str) -> None:
    """What is known about the user."""
    found = talk.memory.facts(argument or None, owner=talk.owner, limit=FACTS)
    if not found:
        talk.screen.note("No facts about that." if argument else "No facts yet: tell me about yourself, or /remember one.")
        return
    talk.facts = [fact.id for fact in found]
    talk.screen.lines(fact_lines(found, talk.screen.width))
    talk.screen.note("/pin N puts one into every prompt; /forget fact N removes it.")


def profile(talk: Talk, argument: str) -> None:
    """What holds for the user whatever is asked."""
    made = talk.memory.profile(owner=talk.owner)
    if not made.lines:
        talk.screen.note("Your profile is empty: tell me about yourself, or /remember something.")
        return
    talk.facts = [line.fact for line in made.lines]
    talk.screen.lines(profile_lines(made.lines, talk.screen.width))
    talk.screen.note("New conversations begin with this. /pin N keeps one in; /forget fact N removes it.")


def undo_note(talk: Talk, argument: str) -> None:
    """Forgets what was noted of the last words."""
    noted = () if talk.answer is None else talk.answer.noted
    known = {fact.id for fact in talk.memory.facts(owner=talk.owner, history=True, limit=10_000)} if noted else set[str]()
    facts = [fact for fact in noted if fact.id in known]
    for fact in facts:
        talk.memory.forget_fact(fact.id, owner=talk.owner, reopen=True)
    told = "; ".join(printable(fact.text) for fact in facts)
    talk.screen.note(f"Forgotten: {told}. What you said stays in the conversation." if facts else "Nothing was noted.")


def remember(talk: Talk, argument: str) -> None:
    """Writes a fact down in the user's own words."""
    if not argument:
        talk.screen.trouble("What should be remembered? /remember TEXT")
        return
    if talk.temporary:
        talk.screen.trouble("This conversation is temporary: nothing is written. /new ends it.")
        return
    fact = talk.memory.remember(argument, owner=talk.owner)
    talk.facts = [fact.id]
    talk.screen.note(f"Remembered: {printable(fact.text)}. /pin 1 puts it into every prompt.")


def pin(talk: Talk, argument: str) -> None:
    """Makes something a part of every prompt, or no longer."""
    if argument:
        _pin_fact(talk, argument)
        return
    said = [message for message in (talk.chat.messages() if talk.chat else []) if message.role is Role.USER]
    if talk.chat is None or not said:
        talk.screen.note("Nothing has been said yet. /pin N pins a fact of /facts.")
        return
    pinned = talk.chat.pin(said[-1].id, not said[-1].pinned).pinned
    where = "is in every prompt of this conversation now" if pinned else "is no longer pinned"
    talk.screen.note(f"Your last message {where}.")


def _pin_fact(talk: Talk, argument: str) -> None:
    chosen = fact_of(talk, argument)
    if chosen is None:
        return
    known = {fact.id: fact for fact in talk.memory.facts(owner=talk.owner, limit=10_000)}
    if chosen not in known:
        talk.screen.trouble("That fact is gone. /facts lists those there are.")
        return
    fact = talk.memory.pin_fact(chosen, not known[chosen].pinned, owner=talk.owner)
    where = "is in every prompt now" if fact.pinned else "is no longer pinned"
    talk.screen.note(f"“{printable(fact.text)}” {where}.")


def fact_of(talk: Talk, argument: str) -> str | None:
    """The id of a fact by its number in the last list; None, and a word about it, if there is no such number."""
    if not talk.facts:
        talk.facts = [fact.id for fact in talk.memory.facts(owner=talk.owner, limit=FACTS)]
    if argument.isdecimal() and len(argument) < 6 and 1 <= int(argument) <= len(talk.facts):
        return talk.facts[int(argument) - 1]
    talk.screen.trouble(f"There is no fact number {printable(argument)}. /facts lists them.")
    return None


COMMANDS = (
    Command("search", "WORDS", "find what was said in any conversation", search,
            more='Understands "last week", role:user, before:2026-05-01, "a phrase" and -word.'),
    Command("facts", "[WORDS]", "list what is known about you", facts),
    Command("profile", "", "show the profile that new conversations begin with", profile),
    Command("undo-note", "", "forget what was noted of your last words", undo_note),
    Command("remember", "TEXT", "write a fact down", remember),
    Command("pin", "[N]", "put your last message, or fact N, into every prompt", pin,
            more="Without a number: your last message, in every prompt of this conversation. With one: that fact of /facts,"
            " in every prompt. Again: no longer."),
)  # fmt: skip
