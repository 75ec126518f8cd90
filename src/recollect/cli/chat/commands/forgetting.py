"""`/forget`: removes for good, after saying exactly what goes and asking; facts made of it are asked about separately."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from recollect.cli.chat.commands.course import last_exchange
from recollect.cli.chat.commands.finding import fact_of
from recollect.cli.chat.commands.table import Command
from recollect.cli.chat.listing import fact_lines, message_lines
from recollect.cli.chat.talk import UNTITLED, Talk
from recollect.cli.text import printable
from recollect.cli.words import count
from recollect.errors import RecollectError
from recollect.reports import EraseReceipt
from recollect.types import Fact, Message

ALL = 100_000
CHOICES = {"1": "last", "2": "conversation", "3": "fact"}


def forget(talk: Talk, argument: str) -> None:
    """Asks what, says what goes, asks whether, and about derived facts."""
    what, _, rest = (argument or _what(talk)).partition(" ")
    match what:
        case "last":
            _forget_last(talk)
        case "conversation":
            _forget_conversation(talk)
        case "fact":
            _forget_fact(talk, rest.strip())
        case "":
            talk.screen.note("Nothing was forgotten.")
        case _:
            talk.screen.trouble("Forget what? /forget last, /forget conversation or /forget fact N.")


def _what(talk: Talk) -> str:
    talk.screen.lines(
        ["What should be forgotten, for good?", "  1. the last exchange", "  2. this conversation", "  3. a fact about you"]
    )
    answer = talk.reader.ask("1, 2, 3, or nothing: ").strip().casefold()
    return CHOICES.get(answer, answer)


def _forget_last(talk: Talk) -> None:
    chat = talk.chat
    going = last_exchange(chat.messages()) if chat else ()
    if chat is None or not going:
        talk.screen.note("There is nothing to forget here.")
        return
    talk.screen.line(f"This goes for good ({count(len(going), 'message')}):", "bold")
    talk.screen.lines(message_lines(going, talk.screen.width, brief=True))
    ids = {message.id for message in going}
    derived = _facts(talk, lambda fact: not ids.isdisjoint(fact.messages))
    kept = _confirmed(talk, derived)
    if kept is not None:
        _report(talk, [chat.erase(message.id) for message in reversed(going)], kept)


def _forget_conversation(talk: Talk) -> None:
    info = talk.info()
    if talk.chat is None or info is None:
        talk.screen.note("There is nothing to forget here: this conversation has not begun.")
        return
    chat = talk.chat
    title = printable(info.title or UNTITLED)
    talk.screen.line(f"The conversation “{title}” goes for good:", "bold")
    talk.screen.line(f"  {count(info.message_count, 'message')}, and what was taken back or said differently in it")
    derived = _facts(talk, lambda fact: fact.session == chat.id)
    kept = _confirmed(talk, derived)
    if kept is not None:
        receipt = chat.erase()
        talk.turn_to(None)
        _report(talk, [receipt], kept)


def _facts(talk: Talk, is_derived: Callable[[Fact], bool]) -> list[Fact]:
    """Facts that rest on what goes. They go with it, unless the user wants to keep them."""
    if talk.temporary:
        return []
    return [fact for fact in talk.memory.facts(owner=talk.owner, history=True, limit=ALL) if is_derived(fact)]


def _confirmed(talk: Talk, derived: Sequence[Fact]) -> list[Fact] | None:
    """Asks; returns the facts that shall be kept although what they rest on goes, or None for an answer of no."""
    if derived:
        talk.screen.line(f"{count(len(derived), 'fact')} made of it:", "bold")
        talk.screen.lines(fact_lines(derived, talk.screen.width, numbered=False))
    if not _yes(talk.reader.ask("Forget it for good? [y/N] ")):
        talk.screen.note("Nothing was forgotten.")
        return None
    current = [fact for fact in derived if fact.is_current]
    if current and talk.reader.ask("Forget the facts made of it, too? [Y/n] ").strip().casefold() in ("n", "no"):
        return current
    return []


def _report(talk: Talk, receipts: Sequence[EraseReceipt], kept: Sequence[Fact] = ()) -> None:
    talk.answer = None
    talk.taken_back.clear()
    talk.reader.forget()
    messages = sum(receipt.messages for receipt in receipts)
    derived = sum(receipt.derived for receipt in receipts)
    also = f" and {count(derived, 'thing')} made of them" if derived else ""
    talk.screen.note(f"Forgotten for good: {count(messages, 'message')}{also}.")
    for fact in kept:
        # What it rested on is gone, and it with that: from now on it is one in the user's own words.
        talk.memory.remember(fact.text, owner=talk.owner, kind=fact.kind, subject=fact.subject, pinned=fact.pinned)
    if kept:
        talk.screen.note(f"Kept as your own words: {count(len(kept), 'fact')}.")
    for pending in {receipt.pending for receipt in receipts if receipt.pending}:
        talk.screen.trouble(f"Not finished: {printable(pending)}. `recollect doctor` finishes it.")


def _forget_fact(talk: Talk, number: str) -> None:
    if not number:
        known = talk.memory.facts(owner=talk.owner, limit=50)
        if not known:
            talk.screen.note("There are no facts.")
            return
        talk.facts = [fact.id for fact in known]
        talk.screen.lines(fact_lines(known, talk.screen.width))
        number = talk.reader.ask("Which one? ").strip()
    chosen = fact_of(talk, number) if number else None
    found = [fact for fact in talk.memory.facts(owner=talk.owner, history=True, limit=ALL) if fact.id == chosen]
    if not found:
        talk.screen.note("Nothing was forgotten.")
        return
    talk.screen.line(f"This fact goes for good: {printable(found[0].text)}", "bold")
    said = _messages_of(talk, found[0])
    if not _yes(talk.reader.ask("Forget it for good? [y/N] ")):
        talk.screen.note("Nothing was forgotten.")
        return
    talk.memory.forget_fact(found[0].id, owner=talk.owner)
    talk.screen.note("The fact is forgotten.")
    if said:
        _forget_said(talk, said)


def _forget_said(talk: Talk, said: Sequence[Message]) -> None:
    """What a fact was made of still says the same."""
    talk.screen.line("You said so here:", "bold")
    talk.screen.lines(message_lines(said, talk.screen.width, brief=True))
    if _yes(talk.reader.ask("Forget these words, too? [y/N] ")):
        _report(talk, [talk.memory.erase(owner=talk.owner, session=one.session, message=one.id) for one in said])


def _messages_of(talk: Talk, fact: Fact) -> list[Message]:
    if fact.session is None:
        return []
    try:
        chat = talk.memory.chat(owner=talk.owner, session=fact.session)
        return [chat.message(id) for id in fact.messages]
    except RecollectError:
        return []


def _yes(answer: str) -> bool:
    return answer.strip().casefold() in ("y", "yes")


COMMANDS = (
    Command("forget", "[WHAT]", "remove something for good; asks first", forget,
            more="WHAT is last (the last exchange), conversation (this one), or fact N (of /facts). It says exactly what"
            " goes, asks, and asks about the facts that were made of it. /undo, /clear and /archive only put away."),
)  # fmt: skip
