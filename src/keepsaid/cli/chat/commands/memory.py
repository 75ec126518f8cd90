"""Commands about the memory: search, facts, profile, remember, pin."""

from __future__ import annotations

from datetime import datetime

from keepsaid.cli.chat.commands.slash_command import SlashCommand
from keepsaid.cli.chat.listing import fact_lines, profile_lines
from keepsaid.cli.chat.state import ChatState
from keepsaid.cli.memory.memory_entries import from_hit, memory_lines
from keepsaid.cli.output.text import to_printable
from keepsaid.engine.query.query import parse_query
from keepsaid.types import Role

FACTS = 50


def search(state: ChatState, argument: str) -> None:
    """Search all conversations."""
    if not argument:
        state.screen.warn("What should be found? /search WORDS")
        return
    with state.screen.waiting("searching …"):
        hits = state.memory.search(argument, owner=state.owner)
    for fallback in hits.fallbacks:
        state.screen.note(f"Note: {to_printable(fallback)}")
    if not hits:
        state.screen.note("Nothing found.")
        return
    state.listed_sessions = [hit.session for hit in hits]
    wanted = frozenset(parse_query(argument, datetime.now().astimezone()).terms)
    state.screen.lines(memory_lines(map(from_hit, hits), width=state.screen.width, numbered=True, wanted=wanted))
    state.screen.note("/load N continues that conversation.")


def facts(state: ChatState, argument: str) -> None:
    """List what is known about the user."""
    found = state.memory.facts(argument or None, owner=state.owner, limit=FACTS)
    if not found:
        state.screen.note("No facts about that." if argument else "No facts yet: write about yourself, or /remember one.")
        return
    state.listed_facts = [fact.id for fact in found]
    state.screen.lines(fact_lines(found, state.screen.width))
    state.screen.note("/pin N puts one into every prompt; /forget fact N removes it.")


def profile(state: ChatState, argument: str) -> None:
    """Print the standing profile, which is independent of the question."""
    current = state.memory.profile(owner=state.owner)
    if not current.lines:
        state.screen.note("Your profile is empty: write something about yourself, or /remember a fact.")
        return
    state.listed_facts = [line.fact for line in current.lines]
    state.screen.lines(profile_lines(current.lines, state.screen.width))
    state.screen.note("New conversations begin with this. /pin N keeps one in; /forget fact N removes it.")


def undo_note(state: ChatState, argument: str) -> None:
    """Forget the facts that were noted from the last message."""
    noted = () if state.answer is None else state.answer.noted
    known = {fact.id for fact in state.memory.facts(owner=state.owner, history=True, limit=10_000)} if noted else set[str]()
    facts = [fact for fact in noted if fact.id in known]
    for fact in facts:
        state.memory.forget_fact(fact.id, owner=state.owner, reopen=True)
    texts = "; ".join(to_printable(fact.text) for fact in facts)
    state.screen.note(f"Forgotten: {texts}. Your message stays in the conversation." if facts else "Nothing was noted.")


def remember(state: ChatState, argument: str) -> None:
    """Save a fact in the user's own words."""
    if not argument:
        state.screen.warn("What should be remembered? /remember TEXT")
        return
    if state.temporary:
        state.screen.warn("This conversation is temporary: nothing is saved. /new ends it.")
        return
    fact = state.memory.remember(argument, owner=state.owner)
    state.listed_facts = [fact.id]
    state.screen.note(f"Remembered: {to_printable(fact.text)}. /pin 1 puts it into every prompt.")


def pin(state: ChatState, argument: str) -> None:
    """Pin or unpin: a pinned message or fact is part of every prompt."""
    if argument:
        _pin_fact(state, argument)
        return
    messages = [message for message in (state.chat.messages() if state.chat else []) if message.role is Role.USER]
    if state.chat is None or not messages:
        state.screen.note("There is no message yet. /pin N pins a fact of /facts.")
        return
    pinned = state.chat.pin(messages[-1].id, not messages[-1].pinned).pinned
    where = "is now in every prompt of this conversation" if pinned else "is no longer pinned"
    state.screen.note(f"Your last message {where}.")


def _pin_fact(state: ChatState, argument: str) -> None:
    chosen = resolve_fact_number(state, argument)
    if chosen is None:
        return
    known = {fact.id: fact for fact in state.memory.facts(owner=state.owner, limit=10_000)}
    if chosen not in known:
        state.screen.warn("That fact no longer exists. /facts lists the current ones.")
        return
    fact = state.memory.pin_fact(chosen, not known[chosen].pinned, owner=state.owner)
    where = "is now in every prompt" if fact.pinned else "is no longer pinned"
    state.screen.note(f"“{to_printable(fact.text)}” {where}.")


def resolve_fact_number(state: ChatState, argument: str) -> str | None:
    """Return the id of a fact by its number in the last list; print a warning and return None if there is no such number."""
    if not state.listed_facts:
        state.listed_facts = [fact.id for fact in state.memory.facts(owner=state.owner, limit=FACTS)]
    if argument.isdecimal() and len(argument) < 6 and 1 <= int(argument) <= len(state.listed_facts):
        return state.listed_facts[int(argument) - 1]
    state.screen.warn(f"There is no fact number {to_printable(argument)}. /facts lists them.")
    return None


COMMANDS = (
    SlashCommand("search", "WORDS", "find what was said in any conversation", search,
            more='Understands "last week", role:user, before:2026-05-01, "a phrase" and -word.'),
    SlashCommand("facts", "[WORDS]", "list what is known about you", facts),
    SlashCommand("profile", "", "show the profile that new conversations begin with", profile),
    SlashCommand("undo-note", "", "forget the facts noted from your last message", undo_note),
    SlashCommand("remember", "TEXT", "save a fact", remember),
    SlashCommand("pin", "[N]", "put your last message, or fact N, into every prompt", pin,
            more="Without a number: your last message, in every prompt of this conversation. With one: that fact of /facts,"
            " in every prompt. Run it again to unpin."),
)  # fmt: skip
