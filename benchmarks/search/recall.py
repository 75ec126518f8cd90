"""The recall of searches: every question of a data set is searched for, and the answers found are counted.

The data set is loaded into a separate store, which is kept, so that a second run does not embed again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, Literal, NamedTuple

import keepsaid
from benchmarks.common.dataset import DataSetOutline, DataSetQuestion, OwnerMessages, read_conversations
from benchmarks.search.figures import CUTS, figures, latency
from keepsaid.errors import InvalidInput, MissingModel
from keepsaid.memory import Memory
from keepsaid.ports import Embedder
from keepsaid.types import MessageDraft, SearchHit

Mode = Literal["full", "words", "meaning"]
Half = Literal["all", "tuning", "held-out"]
MODES: tuple[Mode, ...] = ("words", "meaning", "full")

DEPTH = 50
"""Messages that are searched for, so that enough different sessions are among them."""
SESSIONS = 5
"""If fewer different sessions than this are found, the search is repeated with a higher limit."""

ProgressFunction = Callable[[str, int, int], None]
"""Called with the current step, the amount done, and the total."""
FigureDict = dict[str, Any]


class QuestionResult(NamedTuple):
    """A question and what was found: the ids of messages and of sessions, best first. A session ranks as its best hit."""

    question: DataSetQuestion
    messages: list[str]
    sessions: list[str]
    seconds: float


class RecallRun(NamedTuple):
    """The results of each mode, and the name of the embedder; None if there was none."""

    embedder: str | None
    asked: dict[Mode, list[QuestionResult]]


def run(
    source: Path,
    questions: Sequence[DataSetQuestion],
    outline: DataSetOutline,
    *,
    modes: Sequence[Mode] = ("full",),
    store: Path | None = None,
    embedder: str | None = None,
    tell: ProgressFunction = lambda what, done, total: None,
) -> RecallRun:
    """Fill the store, embed new messages if a mode needs it, and ask all questions in every mode."""
    with open_kept_store(store or kept_store_path(source, embedder), embedder) as memory:
        load_conversations(memory, source, outline, {question.owner for question in questions}, tell)
        if set(modes) - {"words"}:
            if memory.embedder is None:
                raise MissingModel("there is no embedder: `keepsaid model pull` fetches one; --mode words needs none")
            memory.maintain(progress=lambda done, total: tell("embedding", done, total))
        return RecallRun(memory.embedder, {mode: ask_questions(memory, outline, questions, mode, tell) for mode in modes})


def cache_folder() -> Path:
    """The folder of stores that are kept between runs, in the user's cache."""
    import platformdirs

    return platformdirs.user_cache_path("keepsaid") / "bench"


def kept_store_path(source: Path, embedder: str | None = None) -> Path:
    """The path of the store of a data set, by the hash of its file."""
    with source.open("rb") as file:
        key = hashlib.file_digest(file, "sha256")
    key.update((embedder or "").encode())
    return cache_folder() / f"{source.stem}-{key.hexdigest()[:16]}.db"


def open_kept_store(path: Path, embedder: str | Embedder | None = None) -> Memory:
    """Open a store for measuring, or create it. The user's key and tokenizer settings are ignored."""
    path.parent.mkdir(parents=True, exist_ok=True)
    options: dict[str, Any] = {} if embedder is None else {"embedder": embedder}
    return keepsaid.open(path, durable=False, key=None, key_file=None, tokenizer="", background=False, **options)


def select_questions(
    outline: DataSetOutline, *, only: Iterable[str] = (), owners: Iterable[str] = (), half: Half = "all"
) -> list[DataSetQuestion]:
    """Select the questions to ask, of those with a known answer, by category, owner and half.

    A category may be named by one of its words.

    >>> questions = [DataSetQuestion("u1", id, "?", ("m1",), category=c)
    ...              for id, c in (("q1", "1 multi-hop"), ("q2", "2 time"))]
    >>> outline = DataSetOutline({"u1": OwnerMessages({"m1": "s1"})}, questions)
    >>> [question.id for question in select_questions(outline, only=["multi-hop"])]
    ['q1']
    """
    chosen = [question for question in outline.questions if question.evidence or question.evidence_sessions]
    chosen = _among(chosen, only, (question.category for question in chosen), lambda question: _names(question.category))
    chosen = _among(chosen, owners, (question.owner for question in chosen), lambda question: {question.owner})
    chosen = [question for question in chosen if half in ("all", half_of(outline, question))]
    if not chosen:
        raise InvalidInput("no question is left to ask")
    return chosen


def half_of(outline: DataSetOutline, question: DataSetQuestion) -> Half:
    """The half that a question is in: weights are tuned on one half, and evaluated on the other.

    With several owners, the first half of them is for tuning. With one owner, it is the questions whose id hashes even.

    >>> outline = DataSetOutline({"u1": OwnerMessages(), "u2": OwnerMessages()}, [])
    >>> half_of(outline, DataSetQuestion("u1", "q1", "?")), half_of(outline, DataSetQuestion("u2", "q2", "?"))
    ('tuning', 'held-out')
    """
    owners = list(outline.owners)
    if len(owners) > 1:
        tuning = question.owner in owners[: (len(owners) + 1) // 2]
    else:
        tuning = hashlib.sha256(question.id.encode()).digest()[-1] % 2 == 0
    return "tuning" if tuning else "held-out"


def load_conversations(
    memory: Memory, source: Path, outline: DataSetOutline, owners: Collection[str], tell: ProgressFunction
) -> None:
    """Add the conversations of these owners. Existing messages are not added again."""
    done, total = 0, sum(len(outline.owners[owner].sessions) for owner in owners if owner in outline.owners)
    for talk in read_conversations(source):
        if talk.owner not in owners:
            continue
        chat = memory.chat(owner=talk.owner, session=talk.session, create=True, created_at=talk.started_at)
        chat.add_many(
            MessageDraft(said.role, said.content, said.id, name=said.name, created_at=said.created_at)
            for said in talk.messages
        )
        done += len(talk.messages)
        tell("loading", done, total)


def ask_questions(
    memory: Memory, outline: DataSetOutline, questions: Sequence[DataSetQuestion], mode: Mode, tell: ProgressFunction
) -> list[QuestionResult]:
    """Ask every question in turn. The first is asked once before, so that reading files is not timed."""
    _search(memory, outline, questions[0], mode, DEPTH)
    asked: list[QuestionResult] = []
    for number, question in enumerate(questions, 1):
        start = perf_counter()
        hits = _search(memory, outline, question, mode, DEPTH)
        seconds = perf_counter() - start
        if len(hits) == DEPTH and len({hit.session for hit in hits}) < SESSIONS:
            hits = _search(memory, outline, question, mode, 10 * DEPTH)
        # The same text in several conversations is one hit, which refers to all of them.
        sessions = list(dict.fromkeys(said.session for hit in hits for said in (hit.message, *hit.also)))
        asked.append(QuestionResult(question, [hit.message.id for hit in hits], sessions, seconds))
        tell(f"asking ({mode})", number, len(questions))
    return asked


def summary(outline: DataSetOutline, asked: Sequence[QuestionResult], limit: int = max(CUTS)) -> FigureDict:
    """Return the figures of all questions and of every category. Only the first `limit` messages count as found."""
    categories = sorted({entry.question.category or "none" for entry in asked})
    grouped = {name: [entry for entry in asked if (entry.question.category or "none") == name] for name in categories}
    owners = {entry.question.owner for entry in asked}
    return {
        **_levels(outline, asked, limit),
        "by_category": {
            name: {**_levels(outline, group, limit), "questions": len(group)} for name, group in grouped.items()
        },
        "latency_ms": latency([entry.seconds for entry in asked]),
        "messages": sum(len(outline.owners[owner].sessions) for owner in owners if owner in outline.owners),
        "questions": len(asked),
    }


def _levels(outline: DataSetOutline, asked: Sequence[QuestionResult], limit: int) -> FigureDict:
    answers = [(entry, *outline.answers(entry.question)) for entry in asked]
    # A question without labeled messages counts for its sessions only.
    messages = [(entry.messages[:limit], wanted) for entry, wanted, _ in answers if wanted]
    sessions = [(entry.sessions, wanted) for entry, _, wanted in answers]
    return {"message": figures(messages, [k for k in CUTS if k <= limit]), "session": figures(sessions)}


def _search(memory: Memory, outline: DataSetOutline, question: DataSetQuestion, mode: Mode, limit: int) -> list[SearchHit]:
    # The default time is that of the last message, so that no figure depends on today's date.
    now = question.asked_at or outline.owners.get(question.owner, OwnerMessages()).last
    return memory.search(question.text, owner=question.owner, limit=limit, min_score=0, now=now, mode=mode)


def _names(category: str | None) -> set[str]:
    return set() if category is None else {category, *category.split()}


def _among(
    questions: list[DataSetQuestion],
    wanted: Iterable[str],
    known: Iterable[str | None],
    names: Callable[[DataSetQuestion], set[str]],
) -> list[DataSetQuestion]:
    asked_for = set(wanted)
    if unknown := asked_for - {name for question in questions for name in names(question)}:
        there = ", ".join(dict.fromkeys(name for name in known if name is not None))
        raise InvalidInput(f"no question is of {sorted(unknown)[0]!r}; there are {there or 'none'}")
    return [question for question in questions if not asked_for or names(question) & asked_for]
