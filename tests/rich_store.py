"""A store with a bit of everything, and all that can be seen of one: for tests of what must not change on the way."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

from keepsaid.config import Settings
from keepsaid.embed.checks import CheckedEmbedder
from keepsaid.index.local import LocalIndex
from keepsaid.llm.tokens import DEFAULT_ENCODING, counter_for
from keepsaid.memory import Memory
from keepsaid.ports import Clock, Embedding, ServerKey, Storage
from keepsaid.services.container import SearchComponents
from keepsaid.storage.inmemory.storage import MemoryStorage
from keepsaid.testing import HashEmbedder, ManualClock
from keepsaid.types import ContentPart, Message, Scope, SessionQuery, SessionStatus, ToolCall, to_microseconds

OWNERS = ("ann", "bob", "carol", "dave")
QUESTIONS = ("Where do I live?", "code of the office", "lisbon", "water the plants", "お茶", "same words")


class Careful(HashEmbedder):
    """Remembers which texts it was given to embed; questions are none."""

    def __init__(self) -> None:
        super().__init__(tokens=True)
        self.embedded: list[str] = []

    def embed(self, texts: Sequence[str], *, asking: bool = False) -> list[Embedding]:
        if not asking:
            self.embedded += texts
        return super().embed(texts, asking=asking)


def open_memory(storage: Storage, clock: Clock, embedder: HashEmbedder) -> Memory:
    """A memory over a storage, which works only when it is told to. To close it would close the storage."""
    counter = counter_for(storage.settle("tokenizer", DEFAULT_ENCODING))
    components = SearchComponents(CheckedEmbedder(embedder), LocalIndex)
    return Memory(storage, MemoryStorage(), counter, settings=Settings(background=False), clock=clock, components=components)


def fill(storage: Storage, clock: ManualClock) -> None:
    """Fills an empty storage; its last messages wait for vectors and notes."""
    memory = open_memory(storage, clock, Careful())
    _fill_purged(memory, clock)
    _let_expire(storage, memory, clock)
    _fill_talks(memory, clock)
    _fill_pool(memory, clock)
    memory.remember("Allergic to nuts", owner="ann", pinned=True)
    memory.ingest("guide.md", content="# Install\n\nRun setup.\n\n# Use\n\nWater the plants.", owner="ann")
    memory.ingest("guide.md", content="# Install\n\nRun setup twice.\n\n# Use\n\nWater the plants.", owner="ann")
    memory.ingest("trip.txt", content="The train to Porto leaves at noon.", owner="ann", session="trip")
    memory.maintain()
    _fill_drawers(memory)
    _ask(memory, clock)
    memory.maintain()
    for number in range(3):
        clock.advance(seconds=1)
        memory.chat(owner="ann", session="trip").add("user", f"Waiting number {number}: same words.", id=f"late-a{number}")
        memory.chat(owner="ann", session="long").add("user", f"Waiting number {number}: same words.", id=f"late-b{number}")
    storage.keep_key(ServerKey("k1", "digest", "laptop", "ann", None, ("read", "write"), 5))  # type: ignore[attr-defined]
    storage.keep_key(ServerKey("k2", "digest", "service", None, "acme", ("admin",), 6, 99))  # type: ignore[attr-defined]


def _fill_purged(memory: Memory, clock: ManualClock) -> None:
    """Two forks of a session that is gone: they show what is left of it."""
    gone = memory.chat(owner="ann", session="gone", create=True)
    said = [gone.add("user", f"Before the end {number}.", id=f"gone-{number}") for number in range(3)]
    for name, at in (("heir", said[1]), ("other heir", said[2])):
        fork = gone.fork(at.id, session=name)
        fork.add("user", f"I am the {name}.")
        fork.update(pinned=True)
    gone.delete()
    clock.advance(days=40)
    memory.retention(dry_run=False)


def _let_expire(storage: Storage, memory: Memory, clock: ManualClock) -> None:
    """A session that retention deleted: its fact stays."""
    memory.chat(owner="ann", session="expired", create=True).add("user", "I work in Faro.")
    memory.maintain()
    changes = {"status": SessionStatus.DELETED, "expired": True}
    storage.update_session(Scope("ann", "expired"), changes, to_microseconds(clock()))


def _fill_talks(memory: Memory, clock: ManualClock) -> None:
    trip = memory.chat(owner="ann", session="trip", create=True, title="Lisbon 🌊", tags=["family"], metadata={"x": [0.1]},
                       system_prompt="Be brief.")  # fmt: skip
    asked = trip.add("user", "My sister moved to Lisbon in May.")
    trip.add("assistant", "How nice!", importance=0.123456789)
    trip.edit(asked.id, "My brother moved to Porto in May. お茶 🍵")
    trip.add("assistant", "", tool_calls=[ToolCall("c1", "weather", '{"city": "Porto"}')], metadata={"big": 2**70})
    trip.add("tool", "21 °C in Porto, wind from the west, no rain until Friday.", tool_call_id="c1", name="weather")
    trip.add(
        "user",
        [ContentPart("text", text="Look"), ContentPart("image", uri="https://example.org/a.png", media_type="image/png")],
    )
    erased = trip.add("user", "Forget this one: 0815.")
    trip.add("user", "And remember that one.", pinned=True)
    trip.erase(erased.id)
    fork = trip.fork(session="fork", title="A fork")
    fork.add("user", "On the fork.")
    fork.fork(session="fork of a fork").add("user", "Twice forked.")
    trip.add("user", "Back on the trip.")
    secret = memory.chat(owner="ann", session="secret", create=True)
    hidden = secret.add("user", "Don't remember this: the code is 4711.")
    secret.add("user", "The code of the office is on the wall.")
    shown = secret.add("user", "I live in Lisbon.", private=True, id="shown")
    assert hidden.private
    clock.advance(hours=1)
    secret.add("user", "Now I live in Porto.", id="behind shown")
    secret.keep_private(shown.id, False)
    long = memory.chat(owner="ann", session="long", create=True)
    for number in range(60):
        clock.advance(seconds=30)
        long.add("user", f"Day {number}: I water the plants with {number} cans, and I decided to buy pot {number}. " * 3)
        long.add("assistant", f"Noted, pot {number} it is. " * 3)
    work = memory.chat(owner="ann", session="work", create=True, title="Office")
    work.add("user", "The office is in Rua Augusta.")
    work.archive()
    memory.chat(owner="ann", session="empty", create=True, title="Nothing yet")
    cleared = memory.chat(owner="ann", session="cleared", create=True)
    cleared.add("user", "Said and cleared.")
    cleared.clear()
    memory.chat(owner="bob", session="trip", create=True).add("user", "I am Bob, and this id is Ann's, too.")


def _fill_drawers(memory: Memory) -> None:
    """What programs keep: an owner's own, a session's, that of one that has no messages, and a pool's."""
    (team,) = (grant.pool for grant in memory.pools(owner="ann"))
    memory.blobs(owner="ann").put({f"state/{number}": b"%d" % number for number in range(300)})
    memory.blobs(owner="ann", session="trip").put({"checkpoint": bytes(range(256)) * 9})
    memory.blobs(owner="ann", session="no messages").put({"checkpoint": b"", "näme/ü:%": b"1"})
    memory.blobs(owner="bob", pool=team).put({"shared": b"plants"})


def _fill_pool(memory: Memory, clock: ManualClock) -> None:
    """One who wrote is gone, one may only read by now, and one who made a session is not the admin."""
    team = memory.create_pool("The team", owner="ann")
    for name in ("bob", "carol", "dave"):
        memory.grant(team, to=name, by="ann", access="write")
    plans = memory.chat(owner="carol", pool=team, session="plans", create=True, title="Plans")
    for name in ("carol", "bob", "dave", "ann", "bob"):
        clock.advance(seconds=5)
        memory.chat(owner=name, pool=team, session="plans").add("user", f"This is {name}'s plan: water the plants.")
    for name in ("bob", "carol"):
        memory.chat(owner=name, pool=team, session="plans").context("Who waters the plants?", budget=2000)
    memory.ingest("plants.md", content="# Plants\n\nWater the plants daily.", owner="bob", pool=team)
    memory.grant(team, to="dave", by="ann", access="read")
    memory.receipts(owner="carol", pool=team)  # writes those that wait
    memory.revoke(team, of="carol", by="ann")
    assert plans.owner == "carol"


def _ask(memory: Memory, clock: ManualClock) -> None:
    """Turns that leave receipts: of messages, documents, facts, a pool and a summary; one session is deleted after it."""
    pools = [grant.pool for grant in memory.pools(owner="ann")]
    for session in ("long", "trip", "secret"):
        clock.advance(seconds=5)
        memory.chat(owner="ann", session=session).context("When do I water the plants in Lisbon?", budget=1500, pools=pools)
    doomed = memory.chat(owner="ann", session="doomed", create=True, title="Doomed")
    doomed.add("user", "Water the doomed plants.")
    doomed.context("Which plants?", budget=1000)
    memory.receipts(owner="ann")
    doomed.delete()


def read_everything(
    storage: Storage, clock: Clock, *, owners: Sequence[str] = OWNERS, embedder: HashEmbedder | None = None
) -> Any:
    """All that can be seen of a store, but for numbers of messages and revisions."""
    memory = open_memory(storage, clock, embedder or Careful())
    return {owner: _of_owner(memory, storage, owner) for owner in owners}


def _of_owner(memory: Memory, storage: Storage, owner: str) -> dict[str, Any]:
    pools = memory.pools(owner=owner)
    spaces = [None, *(grant.pool for grant in pools)]
    return {
        "pools": pools,
        "members": [memory.members(grant.pool, owner=owner) for grant in pools],
        "spaces": {pool: _of_space(memory, storage, owner, pool) for pool in spaces},
    }


def _of_space(memory: Memory, storage: Storage, owner: str, pool: str | None) -> dict[str, Any]:
    where: dict[str, Any] = {"owner": owner, "pool": pool}
    scope = Scope(owner, None, pool)
    sessions = [
        session for status in SessionStatus for session in storage.list_sessions(scope, SessionQuery(status, limit=1000))
    ]  # fmt: skip
    text = io.StringIO()
    memory.export(text, **where)
    receipts, usage = memory.receipts(**where, limit=1000), memory.usage(**where)
    live = [session.id for session in sessions if session.status is not SessionStatus.DELETED]
    drawers = [memory.blobs(**where), *(memory.blobs(**where, session=one) for one in memory.blobs(**where).sessions())]
    return {
        "drawers": [[(blob.name, blob.content) for blob in drawer.list(limit=1000)] for drawer in drawers],
        "export": text.getvalue(),
        "sessions": [session._replace(revision=0, head=0) for session in sessions],
        "branches": {id: memory.chat(session=id, **where).branches() for id in live},
        "messages": {id: [*map(_plain, memory.chat(session=id, **where).messages())] for id in live},
        "facts": memory.facts(**where, history=True),
        "summaries": memory.summaries(**where),
        "documents": memory.documents(**where),
        "usage": (usage.sessions, usage.messages),
        "receipts": [(one.id, one.session, one.created, one.question) for one in receipts],
        "replays": [_replay_receipt(memory, owner, one.id) for one in receipts],
        "found": [_hits(memory.search(question, **where, limit=8)) for question in QUESTIONS],
        "in documents": [_hits(memory.search_documents(question, **where)) for question in QUESTIONS],
    }


def _replay_receipt(memory: Memory, owner: str, receipt: str) -> Any:
    replay = memory.replay(receipt, owner=owner)
    return replay.messages, replay.intact, len(replay.missing), replay.entries, replay.near


def _plain(message: Message) -> Message:
    """Without its parent: that may be erased, and the export tells whom it follows by now."""
    return message._replace(parent=0)


def _hits(hits: Any) -> list[Any]:
    return [(_plain(hit.message), hit.score, hit.passage, hit.signals, hit.reason, hit.title) for hit in hits]
