"""How much a search finds of what it should: every question of a data set is asked, and the answers are counted.

The data set goes into a store of its own, which is kept, so that a second run embeds nothing again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, Literal, NamedTuple

import recollect
from recollect.bench.dataset import Memories, Outline, Question, conversations
from recollect.bench.figures import CUTS, figures, latency
from recollect.errors import InvalidInput, MissingModel
from recollect.memory import Memory
from recollect.ports import Embedder
from recollect.types import Draft, Hit

Mode = Literal["full", "words", "meaning"]
Half = Literal["all", "tuning", "held-out"]
MODES: tuple[Mode, ...] = ("words", "meaning", "full")

DEPTH = 50
"""Messages that are asked for, so that enough different sessions are among them."""
SESSIONS = 5
"""If fewer different sessions than this come back, the question is asked again, deeper."""

Tell = Callable[[str, int, int], None]
"""Is told what is being done, how much of it is done, and of how much."""
Result = dict[str, Any]


class Asked(NamedTuple):
    """A question and what was found: the ids of messages and of sessions, best first. A session ranks as its best hit."""

    question: Question
    messages: list[str]
    sessions: list[str]
    seconds: float


class Run(NamedTuple):
    """What was found in each mode, and the name of the embedder that helped; None if there was none."""

    embedder: str | None
    asked: dict[Mode, list[Asked]]


def run(
    source: Path,
    questions: Sequence[Question],
    outline: Outline,
    *,
    modes: Sequence[Mode] = ("full",),
    store: Path | None = None,
    embedder: str | None = None,
    tell: Tell = lambda what, done, total: None,
) -> Run:
    """Fills the store, embeds what is new if a mode needs it, and asks all questions in every mode."""
    with open_kept(store or kept_at(source, embedder), embedder) as memory:
        load(memory, source, outline, {question.owner for question in questions}, tell)
        if set(modes) - {"words"}:
            if memory.embedder is None:
                raise MissingModel("there is no embedder: `recollect model pull` fetches one; --mode words needs none")
            memory.maintain(progress=lambda done, total: tell("embedding", done, total))
        return Run(memory.embedder, {mode: ask(memory, outline, questions, mode, tell) for mode in modes})


def cache() -> Path:
    """Where stores are kept between runs: in the user's cache."""
    import platformdirs

    return platformdirs.user_cache_path("recollect") / "bench"


def kept_at(source: Path, embedder: str | None = None) -> Path:
    """Where the store of a data set is kept, by what is in its file."""
    with source.open("rb") as file:
        key = hashlib.file_digest(file, "sha256")
    key.update((embedder or "").encode())
    return cache() / f"{source.stem}-{key.hexdigest()[:16]}.db"


def open_kept(path: Path, embedder: str | Embedder | None = None) -> Memory:
    """A store for measuring, made if it is not there. Keys and tokenizers of the user's own do not matter here."""
    path.parent.mkdir(parents=True, exist_ok=True)
    options: dict[str, Any] = {} if embedder is None else {"embedder": embedder}
    return recollect.open(path, durable=False, key=None, key_file=None, tokenizer="", background=False, **options)


def select(outline: Outline, *, only: Iterable[str] = (), owners: Iterable[str] = (), half: Half = "all") -> list[Question]:
    """The questions to ask, of those whose answer is known: of some categories, of some owners, of one half.

    A category may be named by one of its words.

    >>> questions = [Question("u1", id, "?", ("m1",), category=c) for id, c in (("q1", "1 multi-hop"), ("q2", "2 time"))]
    >>> outline = Outline({"u1": Memories({"m1": "s1"})}, questions)
    >>> [question.id for question in select(outline, only=["multi-hop"])]
    ['q1']
    """
    chosen = [question for question in outline.questions if question.evidence or question.evidence_sessions]
    chosen = _among(chosen, only, (question.category for question in chosen), lambda question: _names(question.category))
    chosen = _among(chosen, owners, (question.owner for question in chosen), lambda question: {question.owner})
    chosen = [question for question in chosen if half in ("all", half_of(outline, question))]
    if not chosen:
        raise InvalidInput("no question is left to ask")
    return chosen


def half_of(outline: Outline, question: Question) -> Half:
    """The half that a question is in: weights are tuned on one, and the other shows what they are worth.

    Of several owners the first half is for tuning. Of one owner's questions it is those whose id hashes even.

    >>> outline = Outline({"u1": Memories(), "u2": Memories()}, [])
    >>> half_of(outline, Question("u1", "q1", "?")), half_of(outline, Question("u2", "q2", "?"))
    ('tuning', 'held-out')
    """
    owners = list(outline.owners)
    if len(owners) > 1:
        tuning = question.owner in owners[: (len(owners) + 1) // 2]
    else:
        tuning = hashlib.sha256(question.id.encode()).digest()[-1] % 2 == 0
    return "tuning" if tuning else "held-out"


def load(memory: Memory, source: Path, outline: Outline, owners: Collection[str], tell: Tell) -> None:
    """Saves the conversations of these owners. What is there already is not saved again."""
    done, total = 0, sum(len(outline.owners[owner].sessions) for owner in owners if owner in outline.owners)
    for talk in conversations(source):
        if talk.owner not in owners:
            continue
        chat = memory.chat(owner=talk.owner, session=talk.session, create=True, created_at=talk.started_at)
        chat.add_many(
            Draft(said.role, said.content, said.id, name=said.name, created_at=said.created_at) for said in talk.messages
        )
        done += len(talk.messages)
        tell("loading", done, total)


def ask(memory: Memory, outline: Outline, questions: Sequence[Question], mode: Mode, tell: Tell) -> list[Asked]:
    """Asks every question, one after the other. The first is asked once before, so that no reading of files is timed."""
    _search(memory, outline, questions[0], mode, DEPTH)
    asked: list[Asked] = []
    for number, question in enumerate(questions, 1):
        start = perf_counter()
        hits = _search(memory, outline, question, mode, DEPTH)
        seconds = perf_counter() - start
        if len(hits) == DEPTH and len({hit.session for hit in hits}) < SESSIONS:
            hits = _search(memory, outline, question, mode, 10 * DEPTH)
        # What was said word for word in several conversations is one hit, which leads to all of them.
        sessions = list(dict.fromkeys(said.session for hit in hits for said in (hit.message, *hit.also)))
        asked.append(Asked(question, [hit.message.id for hit in hits], sessions, seconds))
        tell(f"asking ({mode})", number, len(questions))
    return asked


def summary(outline: Outline, asked: Sequence[Asked], limit: int = max(CUTS)) -> Result:
    """The figures of all questions and of every category. A message that comes after `limit` others was not found."""
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


def _levels(outline: Outline, asked: Sequence[Asked], limit: int) -> Result:
    answers = [(entry, *outline.answers(entry.question)) for entry in asked]
    # A question whose turns nobody labelled counts for its sessions only.
    messages = [(entry.messages[:limit], wanted) for entry, wanted, _ in answers if wanted]
    sessions = [(entry.sessions, wanted) for entry, _, wanted in answers]
    return {"message": figures(messages, [k for k in CUTS if k <= limit]), "session": figures(sessions)}


def _search(memory: Memory, outline: Outline, question: Question, mode: Mode, limit: int) -> list[Hit]:
    # Without a time of its own a question is asked right after the last message: no figure may depend on today's date.
    now = question.asked_at or outline.owners.get(question.owner, Memories()).last
    return memory.search(question.text, owner=question.owner, limit=limit, min_score=0, now=now, mode=mode)


def _names(category: str | None) -> set[str]:
    return set() if category is None else {category, *category.split()}


def _among(
    questions: list[Question], wanted: Iterable[str], known: Iterable[str | None], names: Callable[[Question], set[str]]
) -> list[Question]:
    asked_for = set(wanted)
    if unknown := asked_for - {name for question in questions for name in names(question)}:
        there = ", ".join(dict.fromkeys(name for name in known if name is not None))
        raise InvalidInput(f"no question is of {sorted(unknown)[0]!r}; there are {there or 'none'}")
    return [question for question in questions if not asked_for or names(question) & asked_for]
