"""The Chainlit data layer: users, threads, steps and elements round-trip, and chats read the same conversation."""

from __future__ import annotations

import asyncio
import json
import runpy
import sys
import uuid
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest
from chainlit_context import chainlit, within

import keepsaid
from keepsaid import ContentPart, ToolCall
from keepsaid.errors import Conflict, InvalidInput, MissingExtra, NotFound

chainlit()

from chainlit.config import config  # noqa: E402  # it may be missing
from chainlit.context import ChainlitContext, context_var  # noqa: E402
from chainlit.data.storage_clients.base import BaseStorageClient  # noqa: E402
from chainlit.element import File, Image, Text  # noqa: E402
from chainlit.session import HTTPSession, WebsocketSession  # noqa: E402
from chainlit.types import Feedback, Pagination, ThreadFilter  # noqa: E402
from chainlit.user import PersistedUser, User  # noqa: E402

from keepsaid.adapters.chainlit import KeepsaidDataLayer  # noqa: E402

THREAD = "0b5ff2a1-4d7e-4a55-9d1e-2f8d3c0b7a10"


class Shelf(BaseStorageClient):
    """Files in a dictionary, as slow as is asked for."""

    def __init__(self) -> None:
        self.files: dict[str, Any] = {}
        self.seconds = 0.0
        self.broken = False
        self.closed = False

    async def upload_file(
        self, object_key: str, data: Any, mime: str = "", overwrite: bool = True, content_disposition: str | None = None
    ) -> dict[str, Any]:
        await asyncio.sleep(self.seconds)
        self.files[object_key] = data
        return {"object_key": object_key, "url": f"https://files.example.org/{object_key}"}

    async def delete_file(self, object_key: str) -> bool:
        return self.files.pop(object_key, None) is not None

    async def get_read_url(self, object_key: str) -> str:
        if self.broken:
            raise OSError("the shelf is broken")
        return f"https://signed.example.org/{object_key}"

    async def close(self) -> None:
        self.closed = True


@pytest.fixture(params=["memory", "file"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    url = "memory://" if request.param == "memory" else str(tmp_path / "chat.db")
    with keepsaid.open(url, embedder="off", background=False) as memory:
        yield memory


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


@pytest.fixture
def layer(memory: keepsaid.Memory, shelf: Shelf) -> KeepsaidDataLayer:
    return KeepsaidDataLayer(memory, owner="website", storage=shelf)


@pytest.fixture
def ana(layer: KeepsaidDataLayer) -> PersistedUser:
    user = run(layer.create_user(User("ana", metadata={"role": "admin"})))
    run(layer.update_thread(THREAD, name="Trip", user_id=user.id))
    return user


def run(coroutine: Coroutine[Any, Any, Any], user: Any = None, thread: str = THREAD) -> Any:
    return asyncio.run(within(thread, user, coroutine))


def step(type: str, output: str, second: int = 0, **more: Any) -> Any:
    said = f"2026-05-01T10:00:{second:02}.123456Z"
    return {
        "id": str(uuid.uuid4()), "threadId": THREAD, "parentId": None, "name": "Ana", "type": type, "output": output,
        "createdAt": said, "start": said, "end": said, "streaming": False, "isError": False, "waitForAnswer": False,
        "command": None, "modes": None, "language": None, "tags": ["x"], "metadata": {"mood": "sunny"}, **more,
    }  # fmt: skip


def tool(output: str, second: int = 0, **more: Any) -> Any:
    fields = {"name": "weather", "input": '{\n    "city": "Lisbon"\n}', "showInput": "json", "generation": None}
    return step("tool", output, second, **{**fields, **more})


def create(layer: KeepsaidDataLayer, *steps: Any) -> None:
    for one in steps:
        run(layer.create_step(dict(one)))


def steps_of(layer: KeepsaidDataLayer, thread: str = THREAD) -> list[Any]:
    return run(layer.get_thread(thread))["steps"]


def list_note_kinds(memory: keepsaid.Memory) -> list[str]:
    """Of what kinds the notes in the register are."""
    return [blob.name.split("/")[2] for blob in memory.blobs(owner="website").list("chainlit/register/")]


def read_texts(memory: keepsaid.Memory, owner: str = "ana", session: str = THREAD) -> list[tuple[str, str]]:
    return [(str(message.role), message.text) for message in memory.chat(owner=owner, session=session).messages()]


def list_threads(layer: KeepsaidDataLayer, user: Any, first: int = 20, cursor: str | None = None, **filters: Any) -> Any:
    asked = ThreadFilter(userId=None if user is None else user.id, **filters)
    return run(layer.list_threads(Pagination(first=first, cursor=cursor), asked))


# -- users


def test_get_user_returns_created_user(layer: KeepsaidDataLayer) -> None:
    made = run(layer.create_user(User("ana", display_name="Ana", metadata={"role": "admin"})))
    assert run(layer.get_user("ana")) == made
    assert made.display_name == "Ana"
    assert uuid.UUID(made.id)
    assert run(layer.get_user("ben")) is None


def test_create_user_again_updates_metadata_only(layer: KeepsaidDataLayer) -> None:
    made = run(layer.create_user(User("ana", display_name="Ana", metadata={"role": "admin"})))
    again = run(layer.create_user(User("ana", metadata={"role": "guest"})))
    assert (again.id, again.createdAt, again.display_name) == (made.id, made.createdAt, "Ana")
    assert again.metadata == {"role": "guest"}


def test_erase_user_erases_threads_elements_and_files(
    memory: keepsaid.Memory, layer: KeepsaidDataLayer, ana: PersistedUser, shelf: Shelf
) -> None:
    question = step("user_message", "Is it warm?")
    create(layer, question)
    run(layer.create_element(File(thread_id=THREAD, name="a.txt", content=b"abc", for_id=question["id"])))
    run(layer.erase_user("ana"))
    assert run(layer.get_user("ana")) is None
    assert run(layer.get_thread(THREAD)) is None
    assert shelf.files == {}
    left = [blob.name for blob in memory.blobs(owner="website").list()]
    assert left == []


# -- steps


@pytest.mark.parametrize(
    "one",
    [
        step("user_message", "Is it warm?"),
        step("assistant_message", "It is."),
        step("system_message", "Be brief."),
        step("user_message", "Bare", metadata={}, tags=None),
        step("user_message", "Doors", metadata={"adapters": "open"}),
        step("assistant_message", ""),
        tool("21 °C"),
        tool("21 °C", input="Lisbon"),
        tool("21 °C", input='["Lisbon"]'),
        tool("21 °C", input="{}"),
        tool("21 °C", input=""),
        tool("", isError=True),
        tool("", end=None, input=""),
        step("run", "", input="", name="on_message"),
        step("llm", "It is.", input="prompt", generation={"provider": "x", "prompt": "…"}),
        step("undefined", "?", input="!"),
    ],
    ids=lambda one: f"{one['type']} {one['output']} {one.get('input', '')}",
)
def test_step_round_trips_unchanged(layer: KeepsaidDataLayer, ana: PersistedUser, one: Any) -> None:
    create(layer, one)
    assert steps_of(layer) == [one]


def test_steps_are_stored_as_chat_messages(memory: keepsaid.Memory, layer: KeepsaidDataLayer, ana: PersistedUser) -> None:
    create(layer, step("user_message", "Is it warm?", 1), step("run", "", 2), tool("21 °C", 3), step("llm", "…", 4))
    create(layer, step("assistant_message", "It is 21 °C.", 5))
    messages = memory.chat(owner="ana", session=THREAD).messages()
    roles = [str(message.role) for message in messages]
    assert roles == ["user", "assistant", "tool", "assistant"]
    assert [message.text for message in messages] == ["Is it warm?", "", "21 °C", "It is 21 °C."]
    (call,) = messages[1].tool_calls
    assert (call.name, json.loads(call.arguments)) == ("weather", {"city": "Lisbon"})
    assert messages[2].tool_call_id == call.id
    assert messages[0].metadata["mood"] == "sunny"
    assert messages[0].created_at.isoformat() == "2026-05-01T10:00:01.123456+00:00"


def test_get_thread_orders_steps_by_start_time(layer: KeepsaidDataLayer, ana: PersistedUser) -> None:
    outer, inner = tool("", 1, end=None, input=""), tool("inner", 2)
    create(layer, outer, inner)
    run(layer.update_step({**outer, "output": "outer", "end": "2026-05-01T10:00:09Z"}))
    assert [one["output"] for one in steps_of(layer)] == ["outer", "inner"]


def test_message_is_stored_when_its_step_has_text(
    memory: keepsaid.Memory, layer: KeepsaidDataLayer, ana: PersistedUser
) -> None:
    answer, weather = step("assistant_message", "", 2), tool("", 3, end=None, input="")
    create(layer, step("user_message", "Is it warm?", 1), answer, weather)
    assert read_texts(memory) == [("user", "Is it warm?")]
    run(layer.update_step({**weather, "input": "{}", "output": "21 °C", "end": "2026-05-01T10:00:04Z"}))
    run(layer.update_step({**answer, "output": "It is."}))
    assert read_texts(memory) == [("user", "Is it warm?"), ("assistant", ""), ("tool", "21 °C"), ("assistant", "It is.")]
    assert [one["type"] for one in steps_of(layer)] == ["user_message", "assistant_message", "tool"]


def test_update_step_replaces_message_text(memory: keepsaid.Memory, layer: KeepsaidDataLayer, ana: PersistedUser) -> None:
    question = step("user_message", "My card is 4711", 1)
    create(layer, question)
    run(layer.update_step({**question, "output": "My card is lost"}))
    assert read_texts(memory) == [("user", "My card is lost")]
    assert len(memory.chat(owner="ana", session=THREAD).branches()) == 1
    assert memory.search("4711", owner="ana") == []
    assert steps_of(layer) == [{**question, "output": "My card is lost"}]


def test_update_step_with_empty_output_removes_message(
    memory: keepsaid.Memory, layer: KeepsaidDataLayer, ana: PersistedUser
) -> None:
    answer = step("assistant_message", "Thinking …")
    create(layer, answer)
    run(layer.update_step({**answer, "output": ""}))
    assert read_texts(memory) == []
    assert steps_of(layer) == [{**answer, "output": ""}]


def test_update_step_metadata_leaves_messages_unchanged(
    memory: keepsaid.Memory, layer: KeepsaidDataLayer, ana: PersistedUser
) -> None:
    first, second = step("user_message", "one", 1), step("assistant_message", "two", 2)
    create(layer, first, second)
    before = memory.chat(owner="ana", session=THREAD).messages()
    changed = {**first, "metadata": {"mood": "grey"}, "isError": True, "tags": ["y"]}
    run(layer.update_step(dict(changed)))
    assert memory.chat(owner="ana", session=THREAD).messages() == before
    assert steps_of(layer) == [changed, second]
    run(layer.update_step({"id": first["id"], "threadId": THREAD, "tags": None, "language": "json"}))
    assert steps_of(layer)[0] == {**changed, "language": "json"}


def test_create_step_after_update_keeps_content(layer: KeepsaidDataLayer, ana: PersistedUser) -> None:
    weather = tool("21 °C", 1)
    run(layer.update_step(dict(weather)))
    create(layer, {**weather, "input": "", "output": "", "metadata": {}})
    create(layer, {"id": weather["id"], "threadId": THREAD, "type": "run", "metadata": {}})
    assert steps_of(layer) == [weather]


def test_delete_step_erases_message_elements_and_feedback(
    memory: keepsaid.Memory, layer: KeepsaidDataLayer, ana: PersistedUser, shelf: Shelf
) -> None:
    kept, weather, model = step("user_message", "Is it warm?", 1), tool("Password 4711", 2), step("llm", "4711", 3)
    create(layer, kept, weather, model)
    run(layer.create_element(File(thread_id=THREAD, name="a.txt", content=b"abc", for_id=weather["id"])))
    run(layer.upsert_feedback(Feedback(forId=weather["id"], value=1, threadId=THREAD)))
    for gone in (weather, model):
        run(layer.delete_step(gone["id"]))
    assert steps_of(layer) == [kept]
    assert run(layer.get_thread(THREAD))["elements"] == []
    assert read_texts(memory) == [("user", "Is it warm?")]
    assert memory.search("password", owner="ana") == []
    assert shelf.files == {}
    assert list_note_kinds(memory) == ["step", "thread", "user"]
    assert len(memory.blobs(owner="ana", session=THREAD).list()) == 1
    run(layer.delete_step("unknown"))


def test_get_thread_omits_messages_erased_through_chat(
    memory: keepsaid.Memory, layer: KeepsaidDataLayer, ana: PersistedUser
) -> None:
    question = step("user_message", "My card is 4711", 1)
    create(layer, question)
    run(layer.update_step({**question, "isError": True}))
    run(layer.create_element(Image(thread_id=THREAD, name="cat", url="https://example.org/cat.png", for_id=question["id"])))
    chat = memory.chat(owner="ana", session=THREAD)
    chat.erase(chat.messages()[0].id)
    thread = run(layer.get_thread(THREAD))
    assert (thread["steps"], thread["elements"]) == ([], [])


def test_erasing_message_clears_its_text_from_run_input(
    memory: keepsaid.Memory, layer: KeepsaidDataLayer, ana: PersistedUser
) -> None:
    question = step("user_message", "My card is 4711", 1)
    run_of_it = step("run", "", 2, parentId=question["id"], input="", name="on_message")
    model = step("llm", "…", 3, parentId=question["id"], input="Something else")
    create(layer, question, run_of_it, model)
    told_of_it = {**run_of_it, "input": question["output"], "end": "2026-05-01T10:00:09Z"}
    run(layer.update_step(dict(told_of_it)))
    assert steps_of(layer) == [question, told_of_it, model]
    run(layer.update_step({"id": run_of_it["id"], "threadId": THREAD, "isError": True}))
    assert steps_of(layer)[1] == {**told_of_it, "isError": True}
    chat = memory.chat(owner="ana", session=THREAD)
    chat.erase(chat.messages()[0].id)
    assert [one["input"] for one in steps_of(layer)] == ["", "Something else"]
    assert not any(b"4711" in blob.content for blob in memory.blobs(owner="ana", session=THREAD).list())


def test_favorite_steps_are_set_listed_and_removed(
    memory: keepsaid.Memory, layer: KeepsaidDataLayer, ana: PersistedUser
) -> None:
    first, second, third = (step("user_message", f"message {n}", n) for n in range(3))
    create(layer, first, second, third)
    before = memory.chat(owner="ana", session=THREAD).messages()
    for one in (first, third):
        run(layer.set_step_favorite({**one, "metadata": dict(one["metadata"])}, True))
    found = run(layer.get_favorite_steps(ana.id))
    assert [one["id"] for one in found] == [third["id"], first["id"]]
    assert found[0]["metadata"] == {"mood": "sunny", "favorite": True}
    run(layer.set_step_favorite(found[0], False))
    assert [one["id"] for one in run(layer.get_favorite_steps(ana.id))] == [first["id"]]
    assert memory.chat(owner="ana", session=THREAD).messages() == before
    run(layer.delete_step(first["id"]))
    assert run(layer.get_favorite_steps(ana.id)) == []
    assert run(layer.get_favorite_steps("unknown")) == []


# -- threads


def test_update_thread_merges_metadata(layer: KeepsaidDataLayer, ana: PersistedUser) -> None:
    run(layer.update_thread(THREAD, metadata={"a": 1, "b": {"c": [2]}}, tags=["work"]))
    run(layer.update_thread(THREAD, metadata={"a": None, "d": 3}))
    run(layer.update_thread(THREAD))
    thread = run(layer.get_thread(THREAD))
    assert (thread["metadata"], thread["tags"], thread["name"]) == ({"b": {"c": [2]}, "d": 3}, ["work"], "Trip")
    run(layer.update_thread(THREAD, name="Journey", tags=[]))
    thread = run(layer.get_thread(THREAD))
    assert (thread["metadata"], thread["tags"], thread["name"]) == ({"b": {"c": [2]}, "d": 3}, [], "Journey")
    run(layer.update_thread(THREAD, metadata={"name": "By metadata"}))
    assert run(layer.get_thread(THREAD))["name"] == "By metadata"


def test_get_thread_author_returns_user_or_empty(
    memory: keepsaid.Memory, layer: KeepsaidDataLayer, ana: PersistedUser
) -> None:
    run(layer.update_thread("nobody's"))
    assert run(layer.get_thread_author(THREAD)) == "ana"
    assert run(layer.get_thread_author("nobody's")) == run(layer.get_thread_author("unknown")) == ""
    thread = run(layer.get_thread("nobody's"))
    assert (thread["userId"], thread["userIdentifier"]) == (None, None)
    thread = run(layer.get_thread(THREAD))
    assert (thread["userId"], thread["userIdentifier"]) == (ana.id, "ana")
    assert [session.id for session in memory.sessions(owner="website")] == ["nobody's"]
    with pytest.raises(NotFound):
        run(layer.update_thread(THREAD, user_id="unknown"))


def test_first_step_assigns_its_thread_to_current_user(memory: keepsaid.Memory, layer: KeepsaidDataLayer) -> None:
    run(layer.create_step(step("user_message", "Hello")), user=User("ana"))
    assert run(layer.get_thread_author(THREAD)) == "ana"
    assert len(memory.sessions(owner="website")) == 0
    run(layer.create_step(step("user_message", "Hello", threadId="elsewhere")), user=User("ana"))
    assert run(layer.get_thread_author("elsewhere")) == ""


def test_update_thread_moves_anonymous_thread_to_user(memory: keepsaid.Memory, layer: KeepsaidDataLayer) -> None:
    question, model = step("user_message", "Is it warm?", 1), step("llm", "…", 2)
    create(layer, question, model, tool("21 °C", 3))
    run(layer.create_element(Image(thread_id=THREAD, name="cat", url="https://example.org/cat.png", for_id=question["id"])))
    feedback = run(layer.upsert_feedback(Feedback(forId=question["id"], value=0, threadId=THREAD)))
    run(layer.update_thread(THREAD, name="Trip", metadata={"a": 1}, tags=["work"]))
    before = run(layer.get_thread(THREAD))
    user = run(layer.create_user(User("ana")))
    run(layer.update_thread(THREAD, user_id=user.id))
    assert run(layer.get_thread(THREAD)) == {**before, "userId": user.id, "userIdentifier": "ana"}
    assert len(memory.sessions(owner="website")) == 0
    assert memory.blobs(owner="website").sessions() == []
    run(layer.update_step({**question, "output": "Is it cold?"}))
    run(layer.delete_feedback(feedback))
    found = steps_of(layer)
    assert sorted(one["output"] for one in found) == ["21 °C", "Is it cold?", "…"]
    assert not any(one.get("feedback") for one in found)


@pytest.fixture
def unowned_thread_user(layer: KeepsaidDataLayer) -> PersistedUser:
    """A thread of nobody, and a user who is to have it."""
    create(layer, step("user_message", "Said before", 1))
    return run(layer.create_user(User("ana")))


def test_moved_thread_merges_into_session_with_same_id(
    memory: keepsaid.Memory, layer: KeepsaidDataLayer, unowned_thread_user: PersistedUser
) -> None:
    other = memory.chat(owner="ana", session=THREAD, create=True, title="Trip", tags=["a"], metadata={"a": 1})
    other.add("user", "By another adapter")
    other.archive()
    run(layer.update_thread(THREAD, name="Other", metadata={"a": 2, "b": 2}, tags=["b"]))
    run(layer.update_thread(THREAD, user_id=unowned_thread_user.id))
    assert read_texts(memory) == [("user", "By another adapter"), ("user", "Said before")]
    thread = run(layer.get_thread(THREAD))
    assert (thread["name"], thread["tags"], thread["metadata"]) == ("Trip", ["a", "b"], {"a": 1, "b": 2})
    assert len(memory.sessions(owner="website")) == 0
    assert [one["id"] for one in list_threads(layer, unowned_thread_user).data] == [THREAD]


@pytest.mark.parametrize("there", [(), ("By another adapter",)])
def test_moved_thread_keeps_branches(
    memory: keepsaid.Memory, layer: KeepsaidDataLayer, unowned_thread_user: PersistedUser, there: tuple[str, ...]
) -> None:
    chat = memory.chat(owner="website", session=THREAD)
    (first,) = chat.messages()
    chat.add("assistant", "One")
    second = chat.edit(first.id, "Said differently")
    answer = chat.add("assistant", "Two")
    chat.edit(answer.id, "Three")
    chat.switch(answer.id)
    for words in there:
        memory.chat(owner="ana", session=THREAD, create=True).add("user", words)
    run(layer.update_thread(THREAD, user_id=unowned_thread_user.id))
    assert [text for _, text in read_texts(memory)] == [*there, "Said differently", "Two"]
    chat = memory.chat(owner="ana", session=THREAD)
    ways: list[list[str]] = []
    for branch in chat.branches():
        assert branch.leaf
        chat.switch(branch.leaf)
        ways.append([text for _, text in read_texts(memory)])
    said = [["Said before", "One"], ["Said differently", "Two"], ["Said differently", "Three"]]
    assert ways == [[*there, *way] for way in said]
    assert chat.message(second.id).text == "Said differently"
    assert len(memory.sessions(owner="website")) == 0


def test_moved_thread_stays_empty_after_clear(
    memory: keepsaid.Memory, layer: KeepsaidDataLayer, unowned_thread_user: PersistedUser
) -> None:
    chat = memory.chat(owner="website", session=THREAD)
    (first,) = chat.messages()
    chat.clear()
    run(layer.update_thread(THREAD, user_id=unowned_thread_user.id))
    assert read_texts(memory) == []
    chat = memory.chat(owner="ana", session=THREAD)
    chat.switch(first.id)
    assert read_texts(memory) == [("user", "Said before")]


@pytest.mark.parametrize("broken", ["carry_blobs", "erase"])
def test_interrupted_thread_move_is_completed_on_retry(
    memory: keepsaid.Memory,
    layer: KeepsaidDataLayer,
    unowned_thread_user: PersistedUser,
    monkeypatch: pytest.MonkeyPatch,
    broken: str,
) -> None:
    chat = memory.chat(owner="website", session=THREAD)
    chat.edit(chat.messages()[0].id, "Said differently")

    def fails(*_: Any, **__: Any) -> None:
        raise OSError("the power is gone")

    with monkeypatch.context() as patch:
        if broken == "erase":
            patch.setattr(memory, "erase", fails)
        else:
            patch.setattr("keepsaid.adapters.chainlit.threads.copy_blobs", fails)
        with pytest.raises(OSError, match="power"):
            run(layer.update_thread(THREAD, user_id=unowned_thread_user.id))
    assert len(memory.sessions(owner="website")) == 1
    if broken == "carry_blobs":
        create(layer, step("assistant_message", "Said since", 2))
    run(layer.update_thread(THREAD, user_id=unowned_thread_user.id))
    expected = [("user", "Said differently"), ("assistant", "Said since")]
    assert read_texts(memory) == expected[: 2 if broken == "carry_blobs" else 1]
    assert len(memory.chat(owner="ana", session=THREAD).branches()) == 2
    assert len(memory.sessions(owner="website")) == 0
    assert memory.blobs(owner="website").sessions() == []


def test_thread_moves_when_message_id_is_already_used(
    memory: keepsaid.Memory, layer: KeepsaidDataLayer, unowned_thread_user: PersistedUser
) -> None:
    (first,) = memory.chat(owner="website", session=THREAD).messages()
    memory.chat(owner="ana", session="another", create=True).add("user", "Something else", id=first.id)
    (before,) = steps_of(layer)
    run(layer.update_thread(THREAD, user_id=unowned_thread_user.id))
    assert steps_of(layer) == [before]
    run(layer.update_step({**before, "output": "Said differently"}))
    assert read_texts(memory) == [("user", "Said differently")]
    assert read_texts(memory, "ana", "another") == [("user", "Something else")]


def test_thread_move_with_blob_conflict_keeps_both_sides(
    memory: keepsaid.Memory, layer: KeepsaidDataLayer, unowned_thread_user: PersistedUser
) -> None:
    memory.chat(owner="ana", session=THREAD, create=True)
    for owner in ("ana", "website"):
        memory.blobs(owner=owner, session=THREAD).put({"state": owner.encode()})
    with pytest.raises(Conflict, match="'state'"):
        run(layer.update_thread(THREAD, user_id=unowned_thread_user.id))
    assert read_texts(memory, "website") == [("user", "Said before")]
    assert memory.blobs(owner="ana", session=THREAD).get("state")["state"].content == b"ana"


def test_thread_move_keeps_favorites(
    memory: keepsaid.Memory, layer: KeepsaidDataLayer, unowned_thread_user: PersistedUser
) -> None:
    (one,) = steps_of(layer)
    run(layer.set_step_favorite(one, True))
    run(layer.update_thread(THREAD, user_id=unowned_thread_user.id))
    assert [found["id"] for found in run(layer.get_favorite_steps(unowned_thread_user.id))] == [one["id"]]
    assert memory.blobs(owner="website").list("chainlit/favorite/") == []


def test_delete_thread_erases_messages_blobs_and_files(
    memory: keepsaid.Memory, layer: KeepsaidDataLayer, ana: PersistedUser, shelf: Shelf
) -> None:
    question = step("user_message", "Password 4711")
    create(layer, question, step("run", "", 1), tool("21 °C", 2))
    run(layer.create_element(Text(thread_id=THREAD, name="a.txt", content="abc", for_id=question["id"])))
    run(layer.upsert_feedback(Feedback(forId=question["id"], value=1, threadId=THREAD)))
    run(layer.set_step_favorite(dict(question), True))
    run(layer.delete_thread(THREAD))
    assert run(layer.get_thread(THREAD)) is None
    assert memory.search("password", owner="ana") == []
    assert memory.blobs(owner="ana", session=THREAD).list() == []
    assert shelf.files == {}
    assert [blob.name for blob in memory.blobs(owner="ana").list()] == ["chainlit/id", "chainlit/user"]
    assert list_note_kinds(memory) == ["user"]
    run(layer.delete_thread(THREAD))
    assert len(list_threads(layer, ana).data) == 0


def test_create_step_writes_to_archived_thread(
    memory: keepsaid.Memory, layer: KeepsaidDataLayer, ana: PersistedUser
) -> None:
    memory.chat(owner="ana", session=THREAD).archive()
    create(layer, step("user_message", "Hello"))
    assert read_texts(memory) == [("user", "Hello")]


# -- lists


def test_list_threads_pages_newest_first(layer: KeepsaidDataLayer, ana: PersistedUser) -> None:
    for number in range(5):
        create(layer, step("user_message", f"message {number}", number, threadId=f"t{number}"))
        run(layer.update_thread(f"t{number}", name=f"Thread {number}", user_id=ana.id))
    run(layer.delete_thread(THREAD))
    page = list_threads(layer, ana, 2)
    seen = [thread["name"] for thread in page.data]
    while page.pageInfo.hasNextPage:
        page = list_threads(layer, ana, 2, page.pageInfo.endCursor)
        assert page.data
        seen += [thread["name"] for thread in page.data]
    assert seen == [f"Thread {number}" for number in (4, 3, 2, 1, 0)]
    assert json.loads(json.dumps(page.to_dict()))["data"][0]["steps"] == []


def test_list_threads_filters_by_title_text_and_feedback(layer: KeepsaidDataLayer, ana: PersistedUser) -> None:
    for number, words in enumerate(("My sister lives in Lisbon", "Buy milk", "Call the plumber")):
        one = step("user_message", words, number, threadId=f"t{number}")
        create(layer, one)
        run(layer.update_thread(f"t{number}", name=f"Title {number}", user_id=ana.id))
        if number < 2:
            run(layer.upsert_feedback(Feedback(forId=one["id"], value=number, threadId=f"t{number}")))

    def found(**filters: Any) -> list[str]:
        page = list_threads(layer, ana, 1, **filters)
        ids = [thread["id"] for thread in page.data]
        while page.pageInfo.hasNextPage:
            page = list_threads(layer, ana, 1, page.pageInfo.endCursor, **filters)
            ids += [thread["id"] for thread in page.data]
        return ids

    assert found(search="lisbon") == ["t0"]
    assert found(search="title") == ["t2", "t1", "t0"]
    assert found(search="nothing of this") == found(search="-milk", feedback=0) == []
    assert found(search="buy before:midnight") == ["t1"]
    assert found(feedback=0) == ["t0"]
    assert found(feedback=1) == ["t1"]
    assert found(feedback=1, search="milk") == ["t1"]
    assert set(found(search="  ")) == {"t0", "t1", "t2", THREAD}


def test_threads_created_by_chat_are_listed_and_continued(
    memory: keepsaid.Memory, layer: KeepsaidDataLayer, ana: PersistedUser
) -> None:
    for owner in ("ana", "ben"):
        chat = memory.chat(owner=owner, session="weather/s 1", create=True, title=f"Of {owner}")
        chat.add("user", f"I am {owner}")
    (thread,) = [one for one in list_threads(layer, ana).data if one["id"] != THREAD]
    assert (thread["name"], thread["userIdentifier"]) == ("Of ana", "ana")
    assert "/" not in thread["id"]
    assert run(layer.get_thread_author(thread["id"])) == "ana"
    assert [one["output"] for one in steps_of(layer, thread["id"])] == ["I am ana"]
    answer = step("assistant_message", "Hello, Ana", 59, threadId=thread["id"], createdAt="2100-01-01T00:00:00Z")
    create(layer, answer)
    assert read_texts(memory, "ana", "weather/s 1") == [("user", "I am ana"), ("assistant", "Hello, Ana")]
    assert steps_of(layer, thread["id"])[-1] == answer


def test_users_see_only_their_own_threads(memory: keepsaid.Memory, layer: KeepsaidDataLayer, ana: PersistedUser) -> None:
    ben = run(layer.create_user(User("ben")))
    memory.chat(owner="ben", session=THREAD, create=True, title="Of ben").add("user", "I am ben")
    (thread,) = list_threads(layer, ben).data
    assert thread["id"] != THREAD
    assert [one["output"] for one in steps_of(layer, thread["id"])] == ["I am ben"]
    assert [one["id"] for one in list_threads(layer, ana).data] == [THREAD]
    assert list_threads(layer, None).data == []
    assert list_threads(layer, PersistedUser(id="unknown", createdAt="", identifier="?")).data == []
    for made_up in (f"{ana.id}.", f"{ana.id}.%%%", f"{ana.id}.AA", "nobody.", "a.b", "unknown", "\ud800"):
        assert run(layer.get_thread(made_up)) is None
        assert run(layer.get_thread_author(made_up)) == ""


def test_longest_session_and_message_ids_are_supported(
    memory: keepsaid.Memory, layer: KeepsaidDataLayer, ana: PersistedUser
) -> None:
    for session in ("s" * 400, "t" * 512, "ü" * 512):
        memory.chat(owner="ana", session=session, create=True).add("assistant", "Hello", id="m" + session[1:])
    threads = [one["id"] for one in list_threads(layer, ana).data if one["id"] != THREAD]
    assert len(threads) == 3
    for thread in threads:
        (one,) = steps_of(layer, thread)
        run(layer.upsert_feedback(Feedback(forId=one["id"], value=1, threadId=thread)))
        run(layer.update_step({**one, "isError": True}))
        (changed,) = steps_of(layer, thread)
        assert (changed["isError"], changed["feedback"]["value"]) == (True, 1)


# -- one user and another


def as_ben(thread: str, work: Coroutine[Any, Any, Any]) -> None:
    """What another user asks for is refused, as if there were no such thread."""
    with pytest.raises(NotFound, match="there is no thread"):
        run(work, user=User("ben"), thread=thread)


@pytest.mark.parametrize("present", [THREAD, "his own"])
def test_user_cannot_change_thread_of_another_user(
    memory: keepsaid.Memory, layer: KeepsaidDataLayer, ana: PersistedUser, shelf: Shelf, present: str
) -> None:
    question = step("user_message", "Is it warm?")
    create(layer, question)
    file = File(thread_id=THREAD, name="a.txt", content=b"abc", for_id=question["id"])
    run(layer.create_element(file))
    feedback = run(layer.upsert_feedback(Feedback(forId=question["id"], value=0, threadId=THREAD)))
    before, files, ben = run(layer.get_thread(THREAD)), dict(shelf.files), run(layer.create_user(User("ben")))
    other = File(thread_id=THREAD, name="b.txt", content=b"def", for_id=question["id"])
    for work in (
        layer.update_thread(THREAD, user_id=ben.id),
        layer.update_thread(THREAD, metadata={"is_shared": True}),
        layer.create_step(step("user_message", "I am ben")),
        layer.update_step({**question, "output": "Is it cold?"}),
        layer.delete_step(question["id"]),
        layer.create_element(other),
        layer.delete_element(file.id, THREAD),
        layer.upsert_feedback(Feedback(forId=question["id"], value=1)),
        layer.delete_feedback(feedback),
    ):
        as_ben(present, work)
    with pytest.raises(NotFound):
        run(layer.update_thread(THREAD, user_id=ben.id))
    assert run(layer.get_thread(THREAD)) == before
    assert shelf.files == files
    assert list(memory.sessions(owner="ben")) == []


def test_user_cannot_claim_erased_thread_of_another_user(
    memory: keepsaid.Memory, layer: KeepsaidDataLayer, ana: PersistedUser
) -> None:
    ben = run(layer.create_user(User("ben")))
    for owner in ("ana", "website"):
        chat = memory.chat(owner=owner, session="assistant", create=True)
        chat.add("user", "My PIN is 1234")
        (name,) = [one["id"] for one in list_threads(layer, ana if owner == "ana" else None).data if one["id"] != THREAD]
        for is_there in (True, False):
            if not is_there:
                chat.erase()
            as_ben(name, layer.create_step(step("user_message", "I am ben", threadId=name)))
            as_ben(name, layer.update_thread(name, user_id=ben.id))
            with pytest.raises(NotFound):
                run(layer.update_thread(name, user_id=ben.id))
            assert (run(layer.get_thread(name)) is not None) == is_there
    assert list(memory.sessions(owner="ben")) == []


def test_user_ids_differ_between_stores(layer: KeepsaidDataLayer) -> None:
    with keepsaid.open("memory://", embedder="off", background=False) as another:
        same = run(KeepsaidDataLayer(another, owner="website").create_user(User("ana")))
    assert run(layer.create_user(User("ana"))).id != same.id


def test_equal_step_ids_in_two_threads_stay_separate(
    memory: keepsaid.Memory, layer: KeepsaidDataLayer, ana: PersistedUser
) -> None:
    question = step("user_message", "I am ana")
    create(layer, question)
    feedback = run(layer.upsert_feedback(Feedback(forId=question["id"], value=1, threadId=THREAD)))
    his, ben = {**question, "threadId": "his", "output": "I am ben"}, User("ben")
    run(layer.create_step(his), user=ben, thread="his")
    with pytest.raises(NotFound):
        run(layer.upsert_feedback(Feedback(forId=question["id"], value=0, threadId="his", id=feedback)))
    assert read_texts(memory) == [("user", "I am ana")]
    assert read_texts(memory, "ben", "his") == [("user", "I am ben")]
    run(layer.delete_step(question["id"]), user=ben, thread="his")
    assert steps_of(layer, "his") == []
    assert steps_of(layer)[0]["feedback"]["id"] == feedback
    run(layer.delete_step(question["id"]), user=User("ana"), thread="elsewhere")
    assert steps_of(layer) == []


def test_user_named_like_layer_owner_is_rejected(
    memory: keepsaid.Memory, layer: KeepsaidDataLayer, ana: PersistedUser
) -> None:
    run(layer.update_thread("nobody's"))
    create(layer, step("user_message", "A secret", threadId="nobody's"))
    for work in (layer.create_user(User("website")), layer.erase_user("website")):
        with pytest.raises(InvalidInput, match="'website'"):
            run(work)
    with pytest.raises(InvalidInput, match="'website'"):
        run(layer.create_step(step("user_message", "Hello", threadId="t1")), user=User("website"), thread="t1")
    assert run(layer.get_user("website")) is None
    assert [one["output"] for one in steps_of(layer, "nobody's")] == ["A secret"]
    # A thread has one name only.
    assert [one["id"] for one in list_threads(layer, None).data] == ["nobody's"]
    assert run(layer.get_thread("nobody.bm9ib2R5J3M")) is None
    with pytest.raises(NotFound):
        create(layer, step("user_message", "Hello", threadId="nobody.bm9ib2R5J3M"))


def test_slack_thread_accepts_steps_of_several_users(memory: keepsaid.Memory, layer: KeepsaidDataLayer) -> None:
    ana, ben = (run(layer.create_user(User(name))) for name in ("ana", "ben"))

    async def in_slack(user: PersistedUser, words: str) -> None:
        session = HTTPSession(id="http", client_type="slack", thread_id=THREAD, user=user, token=None, user_env=None)
        context_var.set(ChainlitContext(session))
        await layer.create_step(step("user_message", words))

    asyncio.run(in_slack(ana, "I am ana"))
    assert run(layer.get_thread_author(THREAD)) == ""
    run(layer.update_thread(THREAD, user_id=ana.id))
    asyncio.run(in_slack(ben, "I am ben"))
    assert read_texts(memory) == [("user", "I am ana"), ("user", "I am ben")]


# -- erased through any adapter


def test_erasing_user_leaves_no_identifiers_in_register(memory: keepsaid.Memory, layer: KeepsaidDataLayer) -> None:
    ana = run(layer.create_user(User("ana@example.org")))
    question = step("user_message", "Is it warm?")
    run(layer.create_step(question), user=ana)
    feedback = run(layer.upsert_feedback(Feedback(forId=question["id"], value=1, threadId=THREAD)))
    run(layer.set_step_favorite(dict(question), True), user=ana)
    (message,) = memory.chat(owner=ana.identifier, session=THREAD).messages()
    assert list_note_kinds(memory) == ["feedback", "step", "thread", "user"]
    memory.erase(owner=ana.identifier)
    left = b"".join(blob.name.encode() + blob.content for blob in memory.blobs(owner="website").list())
    for word in (ana.identifier, ana.id, THREAD, question["id"], message.id, feedback):
        assert word.encode() not in left
    assert run(layer.get_thread(THREAD)) is None
    assert run(layer.get_thread_author(THREAD)) == ""
    assert run(layer.get_user(ana.identifier)) is None
    assert list_threads(layer, ana).data == []
    again = run(layer.create_user(User(ana.identifier)))
    assert again.id != ana.id
    run(layer.update_thread("new", user_id=again.id))
    assert [one["id"] for one in list_threads(layer, again).data] == ["new"]


def test_get_user_restores_lost_register_entry(memory: keepsaid.Memory, layer: KeepsaidDataLayer) -> None:
    ana = run(layer.create_user(User("ana")))
    run(layer.update_thread(THREAD, name="Trip", user_id=ana.id))
    memory.erase(owner="website")
    assert list_threads(layer, ana).data == []
    assert run(layer.get_user("ana")) == ana
    assert [one["name"] for one in list_threads(layer, ana).data] == ["Trip"]


def test_list_threads_without_user_lists_anonymous_threads(memory: keepsaid.Memory, layer: KeepsaidDataLayer) -> None:
    run(layer.update_thread("t1", name="One"))
    memory.chat(owner="website", session="s1", create=True, title="Two")
    assert {one["name"] for one in list_threads(layer, None).data} == {"One", "Two"}
    (two,) = [one for one in list_threads(layer, None).data if one["name"] == "Two"]
    assert run(layer.get_thread_author(two["id"])) == ""
    assert run(layer.get_thread(two["id"]))["userId"] is None


# -- what other adapters wrote


def test_get_thread_reads_messages_written_by_chat(
    memory: keepsaid.Memory, layer: KeepsaidDataLayer, ana: PersistedUser
) -> None:
    chat = memory.chat(owner="ana", session=THREAD)
    chat.add("system", "Be brief.")
    picture = ContentPart("image", uri="https://example.org/cat.png", media_type="image/png")
    paper = ContentPart("file", uri="data:application/pdf;base64,JVBE", media_type="application/pdf", name="a.pdf")
    chat.add("user", [ContentPart("text", "What is this?"), picture, paper], metadata={"source": "web"})
    calls = [ToolCall("c1", "look", '{"at": "cat"}'), ToolCall("c2", "read", '{"file": "a.pdf"}')]
    chat.add(
        "assistant", [ContentPart("reasoning", data={"thought": "hm"}), ContentPart("text", "Let me see.")], tool_calls=calls
    )
    chat.add("tool", "a cat", tool_call_id="c1", name="look")
    chat.add("tool", "a paper", tool_call_id="c2", name="read")
    chat.add("tool", "lost", tool_call_id="c9")
    chat.add("assistant", "A cat.", name="helper")
    thread = run(layer.get_thread(THREAD))
    seen = [(one["type"], one["name"], one["input"], one["output"]) for one in thread["steps"]]
    assert seen == [
        ("system_message", "System", "", "Be brief."),
        ("user_message", "User", "", "What is this?"),
        ("assistant_message", "Assistant", "", "Let me see."),
        ("tool", "look", '{"at": "cat"}', "a cat"),
        ("tool", "read", '{"file": "a.pdf"}', "a paper"),
        ("tool", "tool", "", "lost"),
        ("assistant_message", "helper", "", "A cat."),
    ]
    assert thread["steps"][1]["metadata"] == {"source": "web"}
    assert len({one["id"] for one in thread["steps"]}) == 7
    kinds = [(one["type"], one["url"], one["mime"], one["name"]) for one in thread["elements"]]
    assert kinds == [
        ("image", "https://example.org/cat.png", "image/png", "image"),
        ("pdf", "data:application/pdf;base64,JVBE", "application/pdf", "a.pdf"),
    ]
    assert {one["forId"] for one in thread["elements"]} == {thread["steps"][1]["id"]}
    first = thread["elements"][0]
    assert run(layer.get_element(THREAD, first["id"])) == first
    assert json.loads(json.dumps(thread)) == thread


def test_messages_written_by_chat_are_updated_and_deleted(
    memory: keepsaid.Memory, layer: KeepsaidDataLayer, ana: PersistedUser
) -> None:
    chat = memory.chat(owner="ana", session=THREAD)
    chat.add("user", [ContentPart("text", "Is it wram?"), ContentPart("image", uri="https://example.org/cat.png")])
    (one,) = steps_of(layer)
    run(layer.update_step({**one, "output": "Is it warm?"}))
    (message,) = chat.messages()
    assert [(part.kind, part.text, part.uri) for part in message.parts] == [
        ("text", "Is it warm?", None), ("image", None, "https://example.org/cat.png"),
    ]  # fmt: skip
    run(layer.upsert_feedback(Feedback(forId=one["id"], value=1, threadId=THREAD)))
    (again,) = steps_of(layer)
    assert (again["output"], again["feedback"]["value"]) == ("Is it warm?", 1)
    run(layer.delete_step(again["id"]))
    assert chat.messages() == []


def test_updating_tool_call_step_keeps_call_and_result_paired(
    memory: keepsaid.Memory, layer: KeepsaidDataLayer, ana: PersistedUser
) -> None:
    chat = memory.chat(owner="ana", session=THREAD)
    chat.add("assistant", "Let me see.", tool_calls=[ToolCall("c1", "look", "{}")])
    chat.add("tool", "a cat", tool_call_id="c1")
    before = chat.messages()
    spoken = steps_of(layer)[0]
    run(layer.update_step({**spoken, "output": "I look.", "metadata": {"favorite": True}}))
    assert chat.messages() == before
    assert [one["output"] for one in steps_of(layer)] == ["I look.", "a cat"]
    assert [one["output"] for one in run(layer.get_favorite_steps(ana.id))] == ["I look."]
    run(layer.delete_step(spoken["id"]))
    assert chat.messages() == []


def test_get_thread_ignores_malformed_adapter_metadata(
    memory: keepsaid.Memory, layer: KeepsaidDataLayer, ana: PersistedUser
) -> None:
    chat = memory.chat(owner="ana", session=THREAD)
    said = ({"type": "tool"}, {"type": "user_message"}, {"id": "x", "type": "assistant_message"}, {"type": ["x"]}, {})
    for mine in ("text", [1], {"id": [1], "type": "user_message"}, *said):
        chat.add("user", "Hello", metadata={"adapters": {"chainlit": mine}})
    assert [one["output"] for one in steps_of(layer)] == ["Hello"] * 8


# -- elements and feedback


def test_elements_are_stored_as_message_parts(memory: keepsaid.Memory, layer: KeepsaidDataLayer, ana: PersistedUser) -> None:
    question, answer = step("user_message", "What is this?", 1), step("assistant_message", "", 2)
    create(layer, question, answer)
    picture = Image(thread_id=THREAD, name="cat", url="https://example.org/cat.png", mime="image/png", for_id=question["id"])
    wordless = Image(thread_id=THREAD, name="dog", url="https://example.org/dog.png", for_id=answer["id"])
    for element in (picture, wordless):
        run(layer.create_element(element))
    messages = memory.chat(owner="ana", session=THREAD).messages()
    parts = [[(part.kind, part.text, part.uri, part.media_type, part.name) for part in one.parts] for one in messages]
    assert parts == [
        [("text", "What is this?", None, None, None), ("image", None, "https://example.org/cat.png", "image/png", "cat")],
        [("image", None, "https://example.org/dog.png", None, "dog")],
    ]
    thread = run(layer.get_thread(THREAD))
    assert thread["steps"] == [question, answer]
    assert thread["elements"] == [picture.to_dict(), wordless.to_dict()]
    assert run(layer.get_element(THREAD, picture.id)) == picture.to_dict()
    assert run(layer.get_element("another", picture.id)) is None
    run(layer.delete_element(picture.id, "another"))
    run(layer.delete_element(picture.id))
    assert [one["id"] for one in run(layer.get_thread(THREAD))["elements"]] == [wordless.id]
    assert ("user", "What is this?") in read_texts(memory)
    assert sum(len(message.parts) for message in memory.chat(owner="ana", session=THREAD).messages()) == 1


def test_element_files_are_kept_in_storage_client(
    memory: keepsaid.Memory, layer: KeepsaidDataLayer, ana: PersistedUser, shelf: Shelf, tmp_path: Path
) -> None:
    question = step("user_message", "Read this", 1)
    create(layer, question)
    (tmp_path / "b.bin").write_bytes(b"\0\1")
    text = Text(thread_id=THREAD, name="a.txt", content="abc", mime="text/plain", for_id=question["id"])
    file = File(thread_id=THREAD, name="b.bin", path=str(tmp_path / "b.bin"), for_id=question["id"])
    for element in (text, file):
        run(layer.create_element(element))
    assert sorted(map(str, shelf.files.values())) == ["abc", str(b"\0\1")]
    found = {one["name"]: one for one in run(layer.get_thread(THREAD))["elements"]}
    assert found["a.txt"]["url"] == f"https://signed.example.org/threads/{THREAD}/files/{text.id}"
    uris = [part.uri for part in memory.chat(owner="ana", session=THREAD).messages()[0].parts if part.kind == "file"]
    assert f"https://files.example.org/threads/{THREAD}/files/{text.id}" in uris
    shelf.broken = True
    found = {one["name"]: one for one in run(layer.get_thread(THREAD))["elements"]}
    assert found["a.txt"]["url"] == f"https://files.example.org/threads/{THREAD}/files/{text.id}"
    run(layer.delete_element(text.id, THREAD))
    assert list(shelf.files.values()) == [b"\0\1"]
    run(layer.close())
    assert shelf.closed


def test_elements_without_storage_client_keep_name_and_type(memory: keepsaid.Memory) -> None:
    layer = KeepsaidDataLayer(memory, owner="website")
    create(layer, question := step("user_message", "Read this"))
    run(layer.create_element(Text(thread_id=THREAD, name="a.txt", content="abc", mime="text/plain", for_id=question["id"])))
    run(layer.create_element(Text(thread_id=THREAD, name="b.txt", content="abc")))
    (element,) = run(layer.get_thread(THREAD))["elements"]
    assert (element["name"], element["mime"], element["url"]) == ("a.txt", "text/plain", None)
    assert memory.search("abc", owner="website") == []
    run(layer.delete_thread(THREAD))
    run(layer.close())


def test_element_created_before_its_step_is_attached(
    memory: keepsaid.Memory, layer: KeepsaidDataLayer, ana: PersistedUser
) -> None:
    question = step("user_message", "What is this?")
    run(layer.create_element(Image(thread_id=THREAD, name="cat", url="https://example.org/cat.png", for_id=question["id"])))
    assert len(run(layer.get_thread(THREAD))["elements"]) == 1
    create(layer, question)
    (message,) = memory.chat(owner="ana", session=THREAD).messages()
    assert [part.kind for part in message.parts] == ["text", "image"]


def test_messages_stay_in_order_during_slow_upload(
    memory: keepsaid.Memory, layer: KeepsaidDataLayer, ana: PersistedUser, shelf: Shelf
) -> None:
    shelf.seconds = 0.2
    question, answer = step("user_message", "Read this", 1), step("assistant_message", "I have.", 2)
    file = File(thread_id=THREAD, name="a.txt", content=b"abc", for_id=question["id"])

    async def all_at_once() -> None:
        await asyncio.gather(layer.create_step(question), layer.create_element(file), layer.create_step(answer))

    run(all_at_once())
    assert read_texts(memory) == [("user", "Read this"), ("assistant", "I have.")]


def test_feedback_is_created_updated_and_deleted(layer: KeepsaidDataLayer, ana: PersistedUser) -> None:
    one = step("assistant_message", "It is.")
    create(layer, one)
    id = run(layer.upsert_feedback(Feedback(forId=one["id"], value=0, threadId=THREAD, comment="no")))
    assert steps_of(layer) == [{**one, "feedback": {"forId": one["id"], "id": id, "value": 0, "comment": "no"}}]
    assert run(layer.upsert_feedback(Feedback(forId=one["id"], value=1, id=id))) == id
    assert steps_of(layer)[0]["feedback"] == {"forId": one["id"], "id": id, "value": 1, "comment": None}
    assert run(layer.delete_feedback(id)) is True
    assert run(layer.delete_feedback(id)) is False
    assert steps_of(layer) == [one]
    with pytest.raises(NotFound):
        run(layer.upsert_feedback(Feedback(forId="unknown", value=1)))


# -- at the same time


def test_concurrent_layers_lose_no_steps(memory: keepsaid.Memory, ana: PersistedUser) -> None:
    layers = [KeepsaidDataLayer(memory, owner="website") for _ in range(2)]
    said = [step("user_message", f"message {number}", number) for number in range(20)]

    async def all_at_once() -> None:
        await asyncio.gather(*(layers[n % 2].create_step(dict(one)) for n, one in enumerate(said)))

    run(all_at_once())
    assert sorted(text for _, text in read_texts(memory)) == sorted(one["output"] for one in said)
    assert steps_of(layers[0]) == said


def test_concurrent_updates_of_one_step_leave_one_message(memory: keepsaid.Memory, ana: PersistedUser) -> None:
    layers = [KeepsaidDataLayer(memory, owner="website") for _ in range(2)]
    question = step("user_message", "message")
    create(layers[0], question)

    async def all_at_once() -> None:
        versions = [{**question, "output": f"message {number}"} for number in range(20)]
        await asyncio.gather(*(layers[n % 2].update_step(one) for n, one in enumerate(versions)))

    run(all_at_once())
    ((_, text),) = read_texts(memory)
    assert [one["output"] for one in steps_of(layers[0])] == [text]
    assert len(memory.chat(owner="ana", session=THREAD).branches()) == 1


def test_background_step_tasks_run_in_order(memory: keepsaid.Memory, layer: KeepsaidDataLayer, ana: PersistedUser) -> None:
    said = [step("user_message", f"message {number}", number) for number in range(10)]

    async def all_at_once() -> None:
        begun = [asyncio.create_task(layer.create_step({**one, "output": "…"})) for one in said]
        begun += [asyncio.create_task(layer.update_step(dict(one))) for one in said]
        begun += [asyncio.create_task(layer.delete_step(one["id"])) for one in said[::2]]
        await asyncio.gather(*begun)

    run(all_at_once())
    assert read_texts(memory) == [("user", one["output"]) for one in said[1::2]]
    assert steps_of(layer) == said[1::2]


# -- Chainlit itself


async def nothing(*_: Any) -> None:
    """In place of a browser, which is told what to show."""


def open_session(user: Any) -> WebsocketSession:
    """The session of a user who has just come."""
    id = str(uuid.uuid4())
    return WebsocketSession(
        id=id, socket_id=id, emit=nothing, emit_call=nothing, user_env={}, client_type="webapp", user=user
    )  # type: ignore[arg-type]  # fmt: skip


def build_payload(words: str) -> Any:
    asked = {"id": str(uuid.uuid4()), "name": "ana", "type": "user_message", "output": words, "createdAt": ""}
    return {"message": asked, "fileReferences": None}


async def wait_for_tasks() -> None:
    """Chainlit does not wait for what it saves."""
    while others := asyncio.all_tasks() - {asyncio.current_task()}:
        await asyncio.wait(others)


@pytest.fixture
def active_layer(layer: KeepsaidDataLayer, monkeypatch: pytest.MonkeyPatch) -> KeepsaidDataLayer:
    """Our layer is the one that Chainlit uses, and what an application sets is forgotten afterwards."""
    monkeypatch.setattr("chainlit.data._data_layer", layer)
    monkeypatch.setattr("chainlit.data._data_layer_initialized", True)
    for name in ("on_message", "on_chat_resume", "password_auth_callback", "data_layer"):
        monkeypatch.setattr(config.code, name, None)
    return layer


def test_chainlit_app_stores_and_edits_conversation(memory: keepsaid.Memory, active_layer: KeepsaidDataLayer) -> None:
    import chainlit as cl
    from chainlit.socket import edit_message, process_message

    @cl.step(type="tool", name="weather")
    async def weather(city: str) -> str:
        return f"21 °C in {city}"

    @cl.on_message
    async def on_message(message: Any) -> None:
        answer = cl.Message("")
        await answer.send()
        for token in ("It is ", await weather("Lisbon"), "."):
            await answer.stream_token(token)
        answer.elements = [Image(name="sun", url="https://example.org/sun.png", mime="image/png")]
        await answer.update()

    async def talk() -> str:
        session = open_session(await active_layer.create_user(User("ana")))
        question = build_payload("Is it warm?")
        await process_message(session, question)
        await wait_for_tasks()
        question["message"]["output"] = "Is it warm today?"
        await edit_message(session.socket_id, question)
        await wait_for_tasks()
        return session.thread_id

    thread_id = asyncio.run(talk())
    assert read_texts(memory, "ana", thread_id) == [
        ("assistant", ""), ("tool", "21 °C in Lisbon"), ("user", "Is it warm today?"), ("assistant", ""),
        ("tool", "21 °C in Lisbon"), ("assistant", "It is 21 °C in Lisbon."),
    ]  # fmt: skip
    thread = run(active_layer.get_thread(thread_id))
    assert thread["name"] == "Is it warm?"
    assert thread["userIdentifier"] == "ana"
    assert [one["url"] for one in thread["elements"]] == ["https://example.org/sun.png"]


def test_example_app_remembers_across_sessions(active_layer: KeepsaidDataLayer, monkeypatch: pytest.MonkeyPatch) -> None:
    from chainlit.socket import process_message

    monkeypatch.delenv("KEEPSAID_STORE", raising=False)
    app = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "chainlit_app.py"))
    layer = app["data_layer"]()
    monkeypatch.setattr("chainlit.data._data_layer", layer)

    async def talk(*questions: str) -> list[tuple[str, str]]:
        user = await layer.create_user(await app["login"]("ana", "secret"))
        for question in questions:
            session = open_session(user)
            await process_message(session, build_payload(question))
            await wait_for_tasks()
        return read_texts(app["memory"], "ana", session.thread_id)

    with app["memory"]:
        said = asyncio.run(talk("My sister moved to Lisbon in May.", "Where does my sister live?"))
    assert said[0] == ("user", "Where does my sister live?")
    assert said[-1] == ("assistant", "You said: My sister moved to Lisbon in May. ")


def test_data_layer_requires_owner(memory: keepsaid.Memory) -> None:
    with pytest.raises(TypeError):
        KeepsaidDataLayer(memory)  # type: ignore[call-arg]
    with pytest.raises(InvalidInput):
        KeepsaidDataLayer(memory, owner="")


def test_import_without_chainlit_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "chainlit.context", None)
    monkeypatch.delitem(sys.modules, "keepsaid.adapters.chainlit")
    with pytest.raises(MissingExtra, match=r"pip install 'keepsaid\[chainlit\]'"):
        __import__("keepsaid.adapters.chainlit")
