"""Isolation of owners with any ids: no method returns, counts or reveals another owner's data."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import keepsaid
from keepsaid.errors import InvalidInput, NotFound

TRICKS = (
    "", "a", "A", "ä", "a\u0308", "a ", " a", "%", "_", "*", "?", "' OR '1'='1", "x'; DROP TABLE messages; --", "\t",
    "../../etc/passwd", "..", "/", "\\", "a\x1fb", "1", "1:a", ":", "0", "pool", "null", "None", "\u202e", "😀", "a\n",
    "x" * 512, "x" * 513,
)  # fmt: skip
ids = st.one_of(st.sampled_from(TRICKS), st.text(max_size=40))
SECRET = "zebra crossing at midnight"


@pytest.fixture(scope="module", params=["memory", "sqlite"])
def shared_memory(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory):
    """One store for all examples: what earlier owners left behind must not be seen either."""
    path: Path = tmp_path_factory.mktemp("neighbours") / "chat.db"
    with keepsaid.open("memory://" if request.param == "memory" else path, durable=False, embedder="off") as memory:
        yield memory


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@example("a", "A", "s", "m", "t")
@example("1", "1:a", "1", "1", "1")
@given(first=ids, second=ids, session=ids, message=ids, tag=ids)
def test_owners_are_isolated_for_any_ids(
    shared_memory: keepsaid.Memory, first: str, second: str, session: str, message: str, tag: str
) -> None:
    if first == second:
        return
    try:
        shared_memory.erase(owner=first)
        shared_memory.erase(owner=second)
        before = view(shared_memory, second, session, message)
        theirs = shared_memory.chat(owner=first, session=session, create=True, tags=[tag], title=SECRET)
        said = theirs.add("user", SECRET, id=message, metadata={"secret": SECRET})
        theirs.fork(at=said.id)
    except (InvalidInput, keepsaid.errors.Erased):
        return
    assert view(shared_memory, second, session, message) == before
    assert_untouchable(shared_memory, theirs, second, session, message)
    try:
        mine = shared_memory.chat(owner=second, session=session, create=True)
        mine.add("user", "my own words", id=message)
    except (InvalidInput, keepsaid.errors.Erased):
        return
    assert [m.text for m in mine.messages()] == ["my own words"]
    assert [m.text for m in theirs.messages()] == [SECRET]
    assert not shared_memory.search("zebra crossing midnight", owner=second)
    assert not shared_memory.sessions(owner=second, tag=tag).items
    shared_memory.erase(owner=second)
    assert [m.text for m in theirs.messages()] == [SECRET]
    assert len(shared_memory.search("zebra", owner=first)) == 1


def view(memory: keepsaid.Memory, owner: str, session: str, message: str) -> object:
    """All that an owner can see, errors included."""
    return [
        memory.sessions(owner=owner),
        memory.sessions(owner=owner, status="deleted"),
        memory.search(SECRET, owner=owner),
        memory.pools(owner=owner),
        memory.position(owner=owner),
        outcome(lambda: memory.chat(owner=owner, session=session)),
        outcome(lambda: memory.restore(owner=owner, session=session)),
        outcome(lambda: memory.erase(owner=owner, session=session, message=message)),
        outcome(lambda: memory.watch(owner=owner, session=session)),
        memory.erase(owner=owner).messages,
    ]


def outcome(use):
    try:
        return use()
    except NotFound as error:
        return str(error)


def assert_untouchable(memory, theirs, intruder, session, message):
    """Neither changed nor erased by someone else's calls."""
    handle = memory._handle(keepsaid.types.Scope(intruder, session), False)
    for use in (
        lambda: handle.add("user", "intruder"),
        lambda: handle.messages(),
        lambda: handle.message(message),
        lambda: handle.pin(message),
        lambda: handle.rename("mine now"),
        lambda: handle.delete(),
        lambda: handle.clear(),
        lambda: handle.fork(at=message),
        lambda: handle.erase(),
    ):
        with pytest.raises(NotFound):
            use()
    assert [m.text for m in theirs.messages()] == [SECRET]
    assert theirs.info().title == SECRET
