"""Commands that explain an answer: what its prompt contained, and why."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from keepsaid.cli.chat.commands.slash_command import SlashCommand
from keepsaid.cli.chat.state import ChatState
from keepsaid.cli.memory.memory_entries import from_cited, from_item, from_receipt, has_quotes, memory_lines
from keepsaid.cli.memory.receipt_view import replay_receipt
from keepsaid.cli.output.text import to_printable
from keepsaid.cli.output.token_bar import render_token_bar, render_token_table

if TYPE_CHECKING:
    from keepsaid.types.prompts import Context, PromptItem

SHOWN = 12
CONVERSATION_SECTIONS = ("recent", "pinned", "question")
"""Sections of the conversation itself, which the user has already seen."""


def context(state: ChatState, argument: str) -> None:
    """Print the contents of the last prompt."""
    prompt = _last_prompt(state)
    if prompt is None:
        state.screen.note("There is no prompt yet: send a message first.")
        return
    if state.screen.styled:
        state.screen.lines(render_token_bar(prompt.sections, prompt.budget, width=state.screen.width))
    else:
        state.screen.line(render_token_table(prompt.sections, prompt.budget))
    if prompt.searched_for != prompt.question:
        state.screen.note(f"searched for: {to_printable(prompt.searched_for)}")
    for fallback in prompt.fallbacks:
        state.screen.note(f"fell back: {to_printable(fallback)}")
    for kind, number in prompt.redacted.items():
        state.screen.note(f"removed before sending: {number} × {to_printable(kind)}")
    _print_items(
        state,
        "In the prompt, apart from this conversation:",
        [item for item in prompt.items if item.section not in CONVERSATION_SECTIONS],
    )
    _print_items(state, "Considered and left out:", prompt.dropped)


def _last_prompt(state: ChatState) -> Context | None:
    """Return the prompt of the last answer; in a resumed conversation, build one for its last question."""
    if state.answer is not None:
        return state.answer.context
    if state.chat is None or not state.chat.messages(last=1):
        return None
    return state.chat.context()


def _print_items(state: ChatState, title: str, items: Sequence[PromptItem]) -> None:
    if not items:
        return
    state.screen.line(title, "bold")
    memories = [from_item(item, fetch_session_titles(state, items)) for item in items[:SHOWN]]
    state.screen.lines(memory_lines(memories, width=state.screen.width))
    if len(items) > SHOWN:
        state.screen.note(f"… and {len(items) - SHOWN} more")


def fetch_session_titles(state: ChatState, items: Iterable[PromptItem]) -> dict[str, str]:
    """Return the titles, by id, of the conversations that items come from."""
    wanted = {item.session for item in items if item.session}
    known = state.memory.sessions(owner=state.owner, limit=200)
    return {session.id: session.title for session in known if session.id in wanted and session.title}


def why(state: ChatState, argument: str) -> None:
    """List the memories that the last answer had."""
    if state.answer is None:
        _show_saved_receipt(state)
        return
    alone = state.answer.model is None
    sources = (alone and [one for one in state.answer.sources if one.named]) or state.answer.sources
    # Without a model no one reads the prompt, and so the profile has no effect.
    profile = [] if alone else _unmatched_profile_items(state.answer.context)
    if not sources and not profile:
        state.screen.note("The answer used only this conversation: no memory was a good enough match.")
        return
    quotes = not alone or has_quotes(state.answer)
    heading = (
        f"The answer to “{to_printable(_shorten_question(state))}” had:"
        if quotes
        else "Nothing was quoted. Closest matches:"
    )
    state.screen.line(heading, "bold")
    memories = [from_cited(one, state.answer.session) for one in sources]
    memories += [from_item(item, {}) for item in profile]
    state.screen.lines(memory_lines(memories, width=state.screen.width, numbered=True))
    if state.answer.receipt_id:
        state.screen.note("/context shows the whole prompt.")


def _unmatched_profile_items(prompt: Context | None) -> list[PromptItem]:
    """The profile lines that the search did not return. Those it did return are among the sources."""
    return [] if prompt is None else [item for item in prompt.items if item.section == "profile" and item.score is None]


def _shorten_question(state: ChatState) -> str:
    question = state.answer.context.question if state.answer and state.answer.context else ""
    return question if len(question) <= 60 else question[:59] + "…"


def _show_saved_receipt(state: ChatState) -> None:
    """Explain an answer of an earlier run from its receipt, which has references and reasons and can be replayed."""
    found = (
        state.memory.receipts(owner=state.owner, session=state.chat.id, limit=1)
        if state.chat and not state.temporary
        else []
    )
    entries: list[dict[str, Any]] = [*found[0].data["entries"], *found[0].profile] if found else []
    if not entries:
        state.screen.note("No answer here has used memories yet.")
        return
    state.screen.line(f"On {found[0].created_at.astimezone():%Y-%m-%d %H:%M}, the answer had:", "bold")
    replay = replay_receipt(state.memory, found[0], state.owner)
    memories = [from_receipt(entry, text) for entry, text in zip(entries, (*replay.entries, *replay.profile), strict=True)]
    state.screen.lines(memory_lines(memories[:SHOWN], width=state.screen.width, numbered=True))


COMMANDS = (
    SlashCommand("context", "", "show what the last prompt contained", context),
    SlashCommand("why", "", "show which memories the last answer had", why),
)
