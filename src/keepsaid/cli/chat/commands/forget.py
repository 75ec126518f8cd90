"""`/forget`: erase after showing exactly what is affected and asking. It asks separately about facts derived from it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from keepsaid.cli.chat.commands.history import last_exchange
from keepsaid.cli.chat.commands.memory import resolve_fact_number
from keepsaid.cli.chat.commands.slash_command import SlashCommand
from keepsaid.cli.chat.listing import fact_lines, message_lines
from keepsaid.cli.chat.state import UNTITLED, ChatState
from keepsaid.cli.output.formatting import format_count
from keepsaid.cli.output.text import to_printable
from keepsaid.errors import KeepsaidError
from keepsaid.types import Fact, Message
from keepsaid.types.reports import EraseReceipt

ALL = 100_000
CHOICES = {"1": "last", "2": "conversation", "3": "fact"}


def forget(state: ChatState, argument: str) -> None:
    """Ask what to forget if the argument does not say, and run that."""
    what, _, rest = (argument or _ask_what(state)).partition(" ")
    match what:
        case "last":
            _forget_last(state)
        case "conversation":
            _forget_conversation(state)
        case "fact":
            _forget_fact(state, rest.strip())
        case "":
            state.screen.note("Nothing was forgotten.")
        case _:
            state.screen.warn("Forget what? /forget last, /forget conversation or /forget fact N.")


def _ask_what(state: ChatState) -> str:
    state.screen.lines(
        ["What should be forgotten, for good?", "  1. the last exchange", "  2. this conversation", "  3. a fact about you"]
    )
    answer = state.reader.ask("1, 2, 3, or nothing: ").strip().casefold()
    return CHOICES.get(answer, answer)


def _forget_last(state: ChatState) -> None:
    chat = state.chat
    affected = last_exchange(chat.messages()) if chat else ()
    if chat is None or not affected:
        state.screen.note("There is nothing to forget here.")
        return
    state.screen.line(f"This will be erased for good ({format_count(len(affected), 'message')}):", "bold")
    state.screen.lines(message_lines(affected, state.screen.width, brief=True))
    ids = {message.id for message in affected}
    derived = _find_derived_facts(state, lambda fact: not ids.isdisjoint(fact.messages))
    kept_facts = _confirm(state, derived)
    if kept_facts is not None:
        _report(state, [chat.erase(message.id) for message in reversed(affected)], kept_facts)


def _forget_conversation(state: ChatState) -> None:
    info = state.info()
    if state.chat is None or info is None:
        state.screen.note("There is nothing to forget here: this conversation has not begun.")
        return
    chat = state.chat
    title = to_printable(info.title or UNTITLED)
    state.screen.line(f"The conversation “{title}” will be erased for good:", "bold")
    state.screen.line(f"  {format_count(info.message_count, 'message')}, and all its branches")
    derived = _find_derived_facts(state, lambda fact: fact.session == chat.id)
    kept_facts = _confirm(state, derived)
    if kept_facts is not None:
        receipt = chat.erase()
        state.switch_to(None)
        _report(state, [receipt], kept_facts)


def _find_derived_facts(state: ChatState, is_derived: Callable[[Fact], bool]) -> list[Fact]:
    """Return the facts derived from what will be erased. They are erased too, unless the user keeps them."""
    if state.temporary:
        return []
    return [fact for fact in state.memory.facts(owner=state.owner, history=True, limit=ALL) if is_derived(fact)]


def _confirm(state: ChatState, derived: Sequence[Fact]) -> list[Fact] | None:
    """Ask for confirmation. Return the facts to keep although their sources are erased, or None if the user says no."""
    if derived:
        state.screen.line(f"{format_count(len(derived), 'fact')} derived from it:", "bold")
        state.screen.lines(fact_lines(derived, state.screen.width, numbered=False))
    if not _is_yes(state.reader.ask("Forget it for good? [y/N] ")):
        state.screen.note("Nothing was forgotten.")
        return None
    current = [fact for fact in derived if fact.is_current]
    if current and state.reader.ask("Forget the facts derived from it, too? [Y/n] ").strip().casefold() in ("n", "no"):
        return current
    return []


def _report(state: ChatState, receipts: Sequence[EraseReceipt], kept_facts: Sequence[Fact] = ()) -> None:
    state.answer = None
    state.undone_leaves.clear()
    state.reader.forget()
    messages = sum(receipt.messages for receipt in receipts)
    derived = sum(receipt.derived for receipt in receipts)
    also = f" and {format_count(derived, 'row')} derived from them" if derived else ""
    state.screen.note(f"Forgotten for good: {format_count(messages, 'message')}{also}.")
    for fact in kept_facts:
        # The fact was erased with its sources; it is saved again as one that the user stated directly.
        state.memory.remember(fact.text, owner=state.owner, kind=fact.kind, subject=fact.subject, pinned=fact.pinned)
    if kept_facts:
        state.screen.note(f"Kept as facts of your own: {format_count(len(kept_facts), 'fact')}.")
    for pending in {receipt.pending for receipt in receipts if receipt.pending}:
        state.screen.warn(f"Not finished: {to_printable(pending)}. `keepsaid doctor` finishes it.")


def _forget_fact(state: ChatState, number: str) -> None:
    if not number:
        known = state.memory.facts(owner=state.owner, limit=50)
        if not known:
            state.screen.note("There are no facts.")
            return
        state.listed_facts = [fact.id for fact in known]
        state.screen.lines(fact_lines(known, state.screen.width))
        number = state.reader.ask("Which one? ").strip()
    chosen = resolve_fact_number(state, number) if number else None
    found = [fact for fact in state.memory.facts(owner=state.owner, history=True, limit=ALL) if fact.id == chosen]
    if not found:
        state.screen.note("Nothing was forgotten.")
        return
    state.screen.line(f"This fact will be erased for good: {to_printable(found[0].text)}", "bold")
    sources = _messages_of(state, found[0])
    if not _is_yes(state.reader.ask("Forget it for good? [y/N] ")):
        state.screen.note("Nothing was forgotten.")
        return
    state.memory.forget_fact(found[0].id, owner=state.owner)
    state.screen.note("The fact is forgotten.")
    if sources:
        _offer_to_forget_messages(state, sources)


def _offer_to_forget_messages(state: ChatState, sources: Sequence[Message]) -> None:
    """Offer to erase the messages a fact came from, which still say the same."""
    state.screen.line("You said it here:", "bold")
    state.screen.lines(message_lines(sources, state.screen.width, brief=True))
    if _is_yes(state.reader.ask("Forget these messages, too? [y/N] ")):
        _report(state, [state.memory.erase(owner=state.owner, session=one.session, message=one.id) for one in sources])


def _messages_of(state: ChatState, fact: Fact) -> list[Message]:
    if fact.session is None:
        return []
    try:
        chat = state.memory.chat(owner=state.owner, session=fact.session)
        return [chat.message(id) for id in fact.messages]
    except KeepsaidError:
        return []


def _is_yes(answer: str) -> bool:
    return answer.strip().casefold() in ("y", "yes")


COMMANDS = (
    SlashCommand("forget", "[WHAT]", "remove something for good; asks first", forget,
            more="WHAT is last (the last exchange), conversation (this one), or fact N (of /facts). It shows exactly what"
            " will be erased and asks, also about the facts derived from it. /undo, /clear and /archive erase nothing."),
)  # fmt: skip
