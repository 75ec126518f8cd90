"""The adapter for Google ADK. The framework ships no tests, so the contract is written here: the contract tests also run
against its own in-memory service, as the reference."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from collections.abc import AsyncGenerator, Coroutine
from pathlib import Path
from typing import Any

import pytest
from frameworks import framework

import keepsaid
from keepsaid import ContentPart, MessageDraft, ToolCall
from keepsaid.errors import InvalidInput, MissingExtra

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:google", "ignore:.*EXPERIMENTAL.*:UserWarning")
framework("google.adk")

from google.adk.agents import LlmAgent  # noqa: E402  # may be missing
from google.adk.errors.already_exists_error import AlreadyExistsError  # noqa: E402
from google.adk.errors.session_not_found_error import SessionNotFoundError  # noqa: E402
from google.adk.events.event import Event  # noqa: E402
from google.adk.events.event_actions import EventActions  # noqa: E402
from google.adk.models.base_llm import BaseLlm  # noqa: E402
from google.adk.models.llm_request import LlmRequest  # noqa: E402
from google.adk.models.llm_response import LlmResponse  # noqa: E402
from google.adk.runners import Runner  # noqa: E402
from google.adk.sessions.base_session_service import GetSessionConfig  # noqa: E402
from google.adk.sessions.in_memory_session_service import InMemorySessionService  # noqa: E402
from google.adk.sessions.session import Session  # noqa: E402
from google.genai import types  # noqa: E402
from pydantic import BaseModel  # noqa: E402

from keepsaid.adapters.google_adk import KeepsaidMemoryService, KeepsaidSessionService, session_of  # noqa: E402
from keepsaid.adapters.google_adk.messages import drafts_of, to_plain_json  # noqa: E402

APP, USER = "weather", "u1"


class Prefs(BaseModel):
    """What an agent may keep in the state: a model of its own."""

    theme: str = "dark"
    lang: str | None = None


WHOLE = {"theme": "dark", "lang": None}


@pytest.fixture(params=["memory", "file"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    url = "memory://" if request.param == "memory" else str(tmp_path / "chat.db")
    with keepsaid.open(url, embedder="off", background=False) as memory:
        yield memory


@pytest.fixture
def ours(memory: keepsaid.Memory) -> KeepsaidSessionService:
    return KeepsaidSessionService(memory, app_owner="operator", agent="helper")


@pytest.fixture(params=["theirs", "ours", "ours in a file"])
def service(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """The oracle, and what must do as it does."""
    if request.param == "theirs":
        yield InMemorySessionService()
        return
    with keepsaid.open("memory://" if request.param == "ours" else tmp_path / "chat.db", embedder="off") as memory:
        yield KeepsaidSessionService(memory, app_owner="operator")


def run(coroutine: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(coroutine)


def create(service: Any, id: str | None = "s1", *, app: str = APP, user: str = USER, **state: Any) -> Session:
    return run(service.create_session(app_name=app, user_id=user, session_id=id, state=state.get("state")))


def get(service: Any, id: str = "s1", *, app: str = APP, user: str = USER, **config: Any) -> Session | None:
    chosen = GetSessionConfig(**config) if config else None
    return run(service.get_session(app_name=app, user_id=user, session_id=id, config=chosen))


def append(service: Any, session: Session, event: Event) -> Event:
    return run(service.append_event(session, event))


def build_event(text: str, author: str = "user", **more: Any) -> Event:
    role = "user" if author == "user" else "model"
    return Event(author=author, invocation_id="i1", content=types.Content(role=role, parts=[types.Part(text=text)]), **more)


# -- the contract, for theirs and ours


def test_get_session_returns_created_session(service: Any) -> None:
    made = create(service, None, state={"mood": "sunny", "none": None, "deep": {"a": [1, None, 2.5]}})
    assert made.id
    assert made.state == {"mood": "sunny", "none": None, "deep": {"a": [1, None, 2.5]}}
    assert made.events == []
    assert get(service, made.id) == made
    assert get(service, "another") is None
    assert get(service, made.id, user="u2") is None
    assert get(service, made.id, app="news") is None


def test_create_session_rejects_duplicate_id(service: Any) -> None:
    create(service)
    with pytest.raises(AlreadyExistsError):
        create(service)
    create(service, user="u2")
    create(service, app="news")


def test_session_ids_are_stripped_of_whitespace(service: Any) -> None:
    assert create(service, " s1 ").id == "s1"
    assert get(service, " s1") is not None
    run(service.delete_session(app_name=APP, user_id=USER, session_id="s1 "))
    assert get(service) is None


def test_state_is_scoped_to_app_user_and_session(service: Any) -> None:
    first = create(service, state={"app:units": "C", "user:name": "Ana", "topic": "rain"})
    delta = {"app:version": 2, "user:home": "Porto", "topic": "snow", "temp:draft": "?"}
    event = append(service, first, Event(author="user", actions=EventActions(state_delta=delta)))
    assert "temp:draft" not in event.actions.state_delta
    assert first.state["temp:draft"] == "?"
    shared = {"app:units": "C", "app:version": 2}
    own = {"user:name": "Ana", "user:home": "Porto"}
    again = get(service)
    assert again is not None
    assert again.state == {**shared, **own, "topic": "snow"}
    assert again.events[0].actions.state_delta == {key: value for key, value in delta.items() if key != "temp:draft"}
    assert create(service, "s2").state == {**shared, **own}
    assert create(service, user="u2").state == shared
    assert create(service, app="news").state == {}
    assert run(service.get_user_state(app_name=APP, user_id=USER)) == {"name": "Ana", "home": "Porto"}
    assert run(service.get_user_state(app_name=APP, user_id="u3")) == {}


def test_partial_events_are_not_stored(service: Any) -> None:
    session = create(service)
    append(service, session, build_event("Hel", "helper", partial=True))
    assert session.events == []
    assert get(service) == session


def test_event_round_trips_with_all_fields(service: Any) -> None:
    session = create(service)
    event = Event(
        author="helper",
        invocation_id="i7",
        content=types.Content(role="model", parts=[types.Part(text="It rains.")]),
        partial=False,
        turn_complete=True,
        error_code="E1",
        error_message="none",
        interrupted=True,
        timestamp=1_700_000_000.123,
        branch="root.helper",
        long_running_tool_ids={"c1", "c2"},
        custom_metadata={"source": "radar"},
        actions=EventActions(
            artifact_delta={"map.png": 3}, transfer_to_agent="other", escalate=True, state_delta={"x": None}
        ),
        grounding_metadata=types.GroundingMetadata(search_entry_point=types.SearchEntryPoint(sdk_blob=b"\xff\xfe\x00?")),
        usage_metadata=types.GenerateContentResponseUsageMetadata(prompt_token_count=1, total_token_count=2),
        citation_metadata=types.CitationMetadata(),
        input_transcription=types.Transcription(text="in", finished=True),
    )
    append(service, session, event)
    assert session.events == [event]
    assert get(service) == session


def test_get_session_limits_events_by_count_and_timestamp(service: Any) -> None:
    session = create(service)
    for number in range(1, 6):
        append(service, session, build_event(f"message {number}", timestamp=float(number)))

    def numbers(**config: Any) -> list[float]:
        found = get(service, **config)
        assert found is not None
        return [event.timestamp for event in found.events]

    assert numbers() == [1, 2, 3, 4, 5]
    assert numbers(num_recent_events=0) == []
    assert numbers(num_recent_events=2) == [4, 5]
    assert numbers(num_recent_events=9) == [1, 2, 3, 4, 5]
    assert numbers(after_timestamp=4.0) == [4, 5]
    assert numbers(after_timestamp=50.0) == []
    assert numbers(after_timestamp=4.0, num_recent_events=3) == [4, 5]
    assert numbers(after_timestamp=2.0, num_recent_events=3) == [3, 4, 5]


def test_list_sessions_orders_by_last_update_time(service: Any) -> None:
    sessions = [create(service, id, state={"name": id}) for id in ("a", "b", "c")]
    create(service, "z", user="u2", state={"app:k": 1})
    create(service, "other", app="news")
    later = max(session.last_update_time for session in sessions) + 100
    append(service, sessions[0], build_event("Hello", timestamp=later))
    assert sessions[0].last_update_time == pytest.approx(later, abs=1e-6)
    listed = run(service.list_sessions(app_name=APP, user_id=USER)).sessions
    assert [session.id for session in listed] == ["b", "c", "a"]
    assert [session.state for session in listed] == [{"name": id, "app:k": 1} for id in ("b", "c", "a")]
    assert all(not session.events for session in listed)
    everybody = run(service.list_sessions(app_name=APP)).sessions
    assert [(session.user_id, session.id) for session in everybody] == [("u1", "b"), ("u1", "c"), ("u2", "z"), ("u1", "a")]
    assert run(service.list_sessions(app_name=APP, user_id="nobody")).sessions == []


def test_deleted_session_is_gone_and_its_id_reusable(service: Any) -> None:
    session = create(service, state={"topic": "rain", "user:name": "Ana"})
    append(service, session, build_event("Hello"))
    run(service.delete_session(app_name=APP, user_id=USER, session_id="s1"))
    run(service.delete_session(app_name=APP, user_id=USER, session_id="s1"))
    assert get(service) is None
    with pytest.raises(SessionNotFoundError):
        append(service, session, build_event("Anybody?"))
    again = create(service)
    assert again.state == {"user:name": "Ana"}
    assert again.events == []


def test_appending_same_event_again_changes_nothing(service: Any) -> None:
    session = create(service)
    event = build_event("Hello", actions=EventActions(state_delta={"count": 1}))
    append(service, session, event)
    append(service, session, Event(author="user", actions=EventActions(state_delta={"count": 2})))
    stored = get(service)
    append(service, session, event.model_copy(deep=True))
    assert get(service) == stored
    assert stored is not None
    assert stored.state["count"] == 2


def test_different_events_with_same_id_are_both_kept(service: Any) -> None:
    session = create(service)
    for text in ("one", "two"):
        append(service, session, build_event(text, id="same"))
    stored = get(service)
    assert stored is not None
    assert [event.content.parts[0].text for event in stored.events] == ["one", "two"]  # type: ignore[union-attr,index]


def test_pydantic_models_in_state_and_events_keep_defaults(ours: KeepsaidSessionService) -> None:
    """Models of the user keep fields at their default; only the framework's own default fields are left out."""
    session = create(ours, state={"p": Prefs(), "user:deep": {"list": [Prefs(lang="pt")]}})
    assert session.state == {"p": WHOLE, "user:deep": {"list": [{"theme": "dark", "lang": "pt"}]}}
    answer = types.FunctionResponse(id="c1", name="f", response={"result": Prefs()})
    event = Event(
        author="helper",
        content=types.Content(role="user", parts=[types.Part(function_response=answer)]),
        custom_metadata={"p": Prefs()},
        output=Prefs(),
        actions=EventActions(state_delta={"q": Prefs(), "app:q": Prefs()}, agent_state={"p": Prefs()}),
    )
    append(ours, session, event)
    append(ours, session, event.model_copy(deep=True))
    stored = get(ours)
    assert stored is not None
    assert stored.state["q"] == stored.state["app:q"] == WHOLE
    (told,) = stored.events
    assert told.actions.state_delta == {"q": WHOLE, "app:q": WHOLE}
    assert (told.output, told.custom_metadata, told.actions.agent_state) == (WHOLE, {"p": WHOLE}, {"p": WHOLE})
    assert told.get_function_responses()[0].response == {"result": WHOLE}


def test_append_event_on_stale_session_is_kept(service: Any) -> None:
    old = create(service)
    new = get(service)
    assert new is not None
    append(service, new, build_event("from one", actions=EventActions(state_delta={"a": 1})))
    append(service, old, build_event("from another", actions=EventActions(state_delta={"b": 2})))
    stored = get(service)
    assert stored is not None
    assert len(stored.events) == 2
    assert stored.state == {"a": 1, "b": 2}


PARTS: list[types.Part] = [
    types.Part(text="plain"),
    types.Part(text=""),
    types.Part(text="signed", thought_signature=b"\x00\xff"),
    types.Part(text="hm, rain?", thought=True),
    types.Part.from_bytes(data=b"\xfb\xff\xfe picture", mime_type="image/png"),
    types.Part(inline_data=types.Blob(data=b"", mime_type="audio/wav", display_name="silence")),
    types.Part(file_data=types.FileData(file_uri="gs://bucket/film.mp4", mime_type="video/mp4", display_name="film")),
    types.Part(file_data=types.FileData(file_uri="https://example.org/x")),
    types.Part(executable_code=types.ExecutableCode(code="print(1)", language=types.Language.PYTHON)),
    types.Part(code_execution_result=types.CodeExecutionResult(outcome=types.Outcome.OUTCOME_OK, output="1")),
    types.Part(function_call=types.FunctionCall(id="c1", name="forecast", args={"city": "Porto", "days": None})),
    types.Part(function_call=types.FunctionCall(name="no_id")),
    types.Part(function_call=types.FunctionCall(id="c2", name="x", args={}), thought_signature=b"s"),
    types.Part(function_response=types.FunctionResponse(id="c1", name="forecast", response={"result": "rain"})),
    types.Part(function_response=types.FunctionResponse(id="c1", name="forecast", response={"mm": [1, 2], "wet": True})),
    types.Part(function_response=types.FunctionResponse(id="c1", name="forecast", response={"result": '{"mm": 1}'})),
    types.Part(function_response=types.FunctionResponse(name="no_id", response={})),
]


@pytest.mark.parametrize("role", ["user", "model", None])
@pytest.mark.parametrize("author", ["user", "helper"])
def test_event_contents_round_trip_unchanged(ours: KeepsaidSessionService, role: str | None, author: str) -> None:
    session = create(ours)
    contents = [types.Content(role=role, parts=[part]) for part in PARTS]
    contents += [types.Content(role=role, parts=PARTS), types.Content(role=role, parts=PARTS[::-1])]
    contents += [types.Content(role=role, parts=[]), types.Content(role=role)]
    for content in contents:
        append(ours, session, Event(author=author, content=content, custom_metadata={"n": 1}))
    append(ours, session, Event(author=author, custom_metadata={}))
    append(ours, session, Event(author=author, custom_metadata={"adapters": {"google-adk": 1}}))
    stored = get(ours)
    assert stored is not None
    assert [to_plain_json(event) for event in stored.events] == [to_plain_json(event) for event in session.events]
    assert stored == session


# -- what other adapters see, and what they wrote


def chat_of(memory: keepsaid.Memory, id: str = "s1") -> keepsaid.Chat:
    return memory.chat(owner=USER, session=session_of(APP, id), create=True)


def test_chat_reads_events_as_messages(ours: KeepsaidSessionService, memory: keepsaid.Memory) -> None:
    session = create(ours)
    calls = [types.FunctionCall(id=f"c{n}", name="forecast", args={"day": n}) for n in (1, 2)]
    answers = [types.FunctionResponse(id=f"c{n}", name="forecast", response={"result": f"rain {n}"}) for n in (1, 2)]
    asked = [types.Part(function_call=call) for call in calls]
    append(ours, session, build_event("Will it rain?", custom_metadata={"source": "web"}))
    thought = types.Part(text="secret thought", thought=True)
    append(ours, session, Event(author="helper", content=types.Content(role="model", parts=[thought, *asked])))
    results = [types.Part(function_response=answer) for answer in answers]
    append(ours, session, Event(author="helper", content=types.Content(role="user", parts=results)))
    append(ours, session, Event(author="helper", actions=EventActions(state_delta={"wet": True})))
    append(ours, session, build_event("Yes.", "helper"))
    messages = chat_of(memory).messages()
    assert [(str(m.role), m.text, m.name, m.tool_call_id) for m in messages] == [
        ("user", "Will it rain?", None, None), ("assistant", "", "helper", None), ("tool", "rain 1", "forecast", "c1"),
        ("tool", "rain 2", "forecast", "c2"), ("assistant", "", "helper", None), ("assistant", "Yes.", "helper", None),
    ]  # fmt: skip
    assert messages[0].metadata["source"] == "web"
    assert messages[1].tool_calls == (ToolCall("c1", "forecast", '{"day": 1}'), ToolCall("c2", "forecast", '{"day": 2}'))
    assert memory.search("secret thought", owner=USER) == []
    told = [message["role"] for message in chat_of(memory).context("And tomorrow?", budget=2000).messages]
    assert told == ["user", "assistant", "tool", "tool", "assistant", "user"]
    assert get(ours) == session
    recent = get(ours, num_recent_events=3)
    assert recent is not None
    assert recent.events == session.events[-3:]


def test_plain_text_is_not_duplicated_in_metadata(ours: KeepsaidSessionService, memory: keepsaid.Memory) -> None:
    append(ours, create(ours), build_event("the words themselves"))
    message = chat_of(memory).messages()[0]
    assert message.text == "the words themselves"
    assert "words" not in json.dumps(dict(message.metadata))


def test_get_session_reads_messages_written_by_chat(ours: KeepsaidSessionService, memory: keepsaid.Memory) -> None:
    chat = chat_of(memory)
    chat.add("system", "Be brief.")
    chat.add("user", "Look", metadata={"source": "web"})
    picture = ContentPart("image", uri="data:image/png;base64,+/8=", media_type="image/png", name="sky")
    film = ContentPart("video", uri="https://example.org/film.mp4", media_type="video/mp4")
    chat.add(
        "user",
        [ContentPart("text", "this"), picture, film, ContentPart("refusal", "no"), ContentPart("strange", data={"a": 1})],
    )
    foreign = ContentPart("reasoning", data={"summary": ["private"]})
    chat.add(
        "assistant", [foreign, ContentPart("text", "Let me see.")], tool_calls=[ToolCall("c1", "look", '{"at": "sky"}')]
    )
    chat.add("tool", "blue", tool_call_id="c1")
    chat.add("assistant", "", tool_calls=[ToolCall("c2", "look", "not json")])
    chat.add("assistant", "Blue.", name="painter")
    session = get(ours)
    assert session is not None
    assert [event.author for event in session.events] == ["system", "user", "user", "helper", "helper", "helper", "painter"]
    assert session.events[1].custom_metadata == {"source": "web"}
    contents = [event.content for event in session.events]
    assert [content and content.role for content in contents] == ["user", "user", "user", "model", "user", "model", "model"]
    assert contents[2]
    assert contents[2].parts == [
        types.Part(text="this"),
        types.Part(inline_data=types.Blob(data=b"\xfb\xff", mime_type="image/png", display_name="sky")),
        types.Part(file_data=types.FileData(file_uri="https://example.org/film.mp4", mime_type="video/mp4")),
        types.Part(text="no"),
    ]
    look = types.FunctionCall(id="c1", name="look", args={"at": "sky"})
    assert contents[3]
    assert contents[3].parts == [types.Part(text="Let me see."), types.Part(function_call=look)]
    blue = types.FunctionResponse(id="c1", name="look", response={"result": "blue"})
    assert contents[4]
    assert contents[4].parts == [types.Part(function_response=blue)]
    assert session.events[5].get_function_calls()[0].args == {"arguments": "not json"}
    assert len({event.id for event in session.events}) == len(session.events)
    assert all(event.invocation_id for event in session.events)
    assert [s.id for s in run(ours.list_sessions(app_name=APP, user_id=USER)).sessions] == ["s1"]


def test_get_session_returns_redacted_text(tmp_path: Path) -> None:
    with keepsaid.open(tmp_path / "chat.db", embedder="off", redact_stored=("mail",)) as memory:
        service = KeepsaidSessionService(memory, app_owner="operator")
        append(service, create(service), build_event("I am ana@example.org", custom_metadata={"n": 1}))
        stored = get(service)
    assert stored is not None
    assert "ana@" not in stored.model_dump_json()
    assert stored.events[0].content == types.Content(role="user", parts=[types.Part(text="I am [mail removed]")])


def test_get_session_ignores_malformed_adapter_metadata(ours: KeepsaidSessionService, memory: keepsaid.Memory) -> None:
    for mark in ({"timestamp": "never"}, "what?", {"of": 3}, {"actions": {"state_delta": 3}}):
        chat_of(memory).add("user", "Hello", metadata={"adapters": {"google-adk-event": mark, "google-adk": mark}})
    session = get(ours)
    assert session is not None
    assert [event.content and event.content.parts for event in session.events] == [[types.Part(text="Hello")]] * 4


# -- many at once, and limits


def test_concurrent_writers_lose_no_events_or_state(memory: keepsaid.Memory) -> None:
    services = [KeepsaidSessionService(memory, app_owner="operator") for _ in range(4)]
    create(services[0])

    async def write(service: KeepsaidSessionService, number: int) -> None:
        session = await service.get_session(app_name=APP, user_id=USER, session_id="s1")
        assert session is not None
        for step in range(5):
            delta = {f"k{number}-{step}": step, f"user:k{number}-{step}": step, f"app:k{number}-{step}": step}
            await service.append_event(session, build_event(f"{number}-{step}", actions=EventActions(state_delta=delta)))

    async def all_write() -> None:
        await asyncio.gather(*(write(service, number) for number, service in enumerate(services)))

    run(all_write())
    stored = get(services[0])
    assert stored is not None
    assert len(stored.events) == 20
    assert len(stored.state) == 60


def test_concurrent_create_session_succeeds_once(memory: keepsaid.Memory) -> None:
    services = [KeepsaidSessionService(memory, app_owner="operator") for _ in range(8)]

    async def all_create() -> list[Any]:
        made = (service.create_session(app_name=APP, user_id=USER, session_id="s1") for service in services)
        return await asyncio.gather(*made, return_exceptions=True)

    results = run(all_create())
    assert sum(isinstance(result, Session) for result in results) == 1
    assert sum(isinstance(result, AlreadyExistsError) for result in results) == 7


def test_app_and_session_names_with_slashes_do_not_collide(ours: KeepsaidSessionService) -> None:
    create(ours, "b/c", app="a", state={"app:k": 1})
    assert get(ours, "c", app="a/b") is None
    assert create(ours, "c", app="a/b").state == {}
    assert [session.id for session in run(ours.list_sessions(app_name="a", user_id=USER)).sessions] == ["b/c"]


def test_create_session_rejects_id_deleted_through_chat(ours: KeepsaidSessionService, memory: keepsaid.Memory) -> None:
    chat_of(memory).delete()
    assert get(ours) is None
    with pytest.raises(AlreadyExistsError, match="restored"):
        create(ours)
    run(ours.delete_session(app_name=APP, user_id=USER, session_id="s1"))
    create(ours)


@pytest.mark.parametrize("key", ["x" * 600, "user:" + "x" * 600, "app:" + "x" * 600, "\U0010ffff", "nul\0"])
def test_create_session_with_invalid_state_key_stores_nothing(ours: Any, memory: keepsaid.Memory, key: str) -> None:
    with pytest.raises(InvalidInput):
        create(ours, state={"app:before": 1, "user:before": 1, "before": 1, key: 1})
    assert get(ours) is None
    assert memory.blobs(owner=USER).sessions() == []
    assert create(ours, state={"after": 1}).state == {"after": 1}


def test_interrupted_create_session_is_completed_on_retry(ours: Any, memory: keepsaid.Memory, monkeypatch: Any) -> None:
    def dies(*_: Any) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as dying:
        dying.setattr(ours, "_open", dies)
        with pytest.raises(KeyboardInterrupt):
            ours._create(APP, USER, "s1", {"topic": "rain"})
    assert get(ours) is None
    with pytest.raises(AlreadyExistsError):
        create(ours)
    session = get(ours)
    assert session is not None
    assert session.state == {"topic": "rain"}
    assert [s.id for s in run(ours.list_sessions(app_name=APP)).sessions] == ["s1"]


@pytest.mark.parametrize("length", [500, 512])
def test_user_id_may_have_maximum_owner_length(ours: KeepsaidSessionService, length: int) -> None:
    create(ours, user="u" * length)
    assert [len(s.user_id) for s in run(ours.list_sessions(app_name=APP)).sessions] == [length]


def test_get_session_reads_all_keys_of_large_state(ours: KeepsaidSessionService) -> None:
    state = {f"k{number}": number for number in range(450)}
    create(ours, state=state)
    stored = get(ours)
    assert stored is not None
    assert stored.state == state


def test_list_sessions_removes_users_without_sessions(ours: KeepsaidSessionService, memory: keepsaid.Memory) -> None:
    create(ours)
    create(ours, user="u2")
    memory.erase(owner=USER)
    assert [s.user_id for s in run(ours.list_sessions(app_name=APP)).sessions] == ["u2"]
    assert [blob.content for blob in memory.blobs(owner="operator").list()] == [b"u2"]


def test_list_sessions_keeps_users_with_sessions(ours: Any, memory: keepsaid.Memory, monkeypatch: Any) -> None:
    """Also users who create a session during the listing, and users whose deleted session may be restored."""

    def listed() -> list[tuple[str, str]]:
        return [(s.user_id, s.id) for s in run(ours.list_sessions(app_name=APP)).sessions]

    create(ours, "gone")
    run(ours.delete_session(app_name=APP, user_id=USER, session_id="gone"))
    looked = ours._kept

    def looked_at_and_made(*which: Any) -> Any:
        found = list(looked(*which))
        with contextlib.suppress(AlreadyExistsError):
            ours._create(APP, USER, "new", {})
        return iter(found)

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(ours, "_kept", looked_at_and_made)
        listed()
    assert listed() == [(USER, "new")]
    chat_of(memory, "new").delete()
    assert listed() == []
    memory.restore(owner=USER, session=session_of(APP, "new"))
    assert listed() == [(USER, "new")]


def test_session_service_requires_owner_and_user_id(memory: keepsaid.Memory, ours: KeepsaidSessionService) -> None:
    with pytest.raises(TypeError):
        KeepsaidSessionService(memory)  # type: ignore[call-arg]
    with pytest.raises(InvalidInput):
        create(ours, user="")


# -- long-term memory


def test_search_memory_is_limited_to_app_unless_everywhere(ours: KeepsaidSessionService, memory: keepsaid.Memory) -> None:
    append(ours, create(ours), build_event("My umbrella is red.", custom_metadata={"source": "web"}))
    append(ours, create(ours, app="news"), build_event("My umbrella is blue."))
    memory.chat(owner=USER).add("user", "My umbrella is green.")

    def found(service: KeepsaidMemoryService, user: str = USER) -> set[str]:
        memories = run(service.search_memory(app_name=APP, user_id=user, query="umbrella")).memories
        return {memory.content.parts[0].text for memory in memories}

    assert found(KeepsaidMemoryService(memory)) == {"My umbrella is red."}
    everything = {f"My umbrella is {colour}." for colour in ("red", "blue", "green")}
    assert found(KeepsaidMemoryService(memory, everywhere=True)) == everything
    assert len(found(KeepsaidMemoryService(memory, everywhere=True, limit=2))) == 2
    assert found(KeepsaidMemoryService(memory, everywhere=True), "u2") == set()
    entry = run(KeepsaidMemoryService(memory).search_memory(app_name=APP, user_id=USER, query="umbrella")).memories[0]
    assert (entry.author, entry.custom_metadata, entry.timestamp[:2]) == ("user", {"source": "web"}, "20")


def test_add_session_to_memory_adds_foreign_session_once(memory: keepsaid.Memory) -> None:
    theirs, service = InMemorySessionService(), KeepsaidMemoryService(memory)
    session = create(theirs)
    append(theirs, session, build_event("My umbrella is red."))
    run(service.add_session_to_memory(session))
    append(theirs, session, build_event("My coat is yellow."))
    run(service.add_session_to_memory(session))
    run(service.add_session_to_memory(session))
    assert [message.text for message in chat_of(memory).messages()] == ["My umbrella is red.", "My coat is yellow."]


def test_add_session_to_memory_skips_own_sessions(ours: KeepsaidSessionService, memory: keepsaid.Memory) -> None:
    session = create(ours)
    append(ours, session, build_event("My umbrella is red."))
    before = memory.position(owner=USER).revision
    run(KeepsaidMemoryService(memory).add_session_to_memory(session))
    assert memory.position(owner=USER).revision == before


def test_deleted_memory_is_not_added_again(memory: keepsaid.Memory) -> None:
    service, event = KeepsaidMemoryService(memory), build_event("My umbrella is red.")
    for _ in range(2):
        run(service.add_events_to_memory(app_name=APP, user_id=USER, events=[event]))
    entries = run(service.search_memory(app_name=APP, user_id=USER, query="umbrella")).memories
    assert len(entries) == 1
    run(service.delete_memory(app_name=APP, user_id=USER, memory_id=entries[0].id))
    run(service.delete_memory(app_name=APP, user_id=USER, memory_id=entries[0].id))
    run(service.delete_memory(app_name=APP, user_id=USER))
    run(service.add_events_to_memory(app_name=APP, user_id=USER, events=[event]))
    assert run(service.search_memory(app_name=APP, user_id=USER, query="umbrella")).memories == []


def test_add_events_with_repeated_id_keeps_other_events(memory: keepsaid.Memory) -> None:
    service = KeepsaidMemoryService(memory)
    events = [build_event("one", id="same"), build_event("two", id="same"), build_event("three", id="other")]
    for _ in range(2):
        run(service.add_events_to_memory(app_name=APP, user_id=USER, events=events, session_id="s1"))
    assert [message.text for message in chat_of(memory).messages()] == ["one", "three"]
    chat_of(memory).clear()
    again = [build_event("in other words", id="same"), build_event("four", id="another")]
    run(service.add_events_to_memory(app_name=APP, user_id=USER, events=again, session_id="s1"))
    assert [message.text for message in chat_of(memory).messages()] == ["in other words", "four"]


@pytest.mark.parametrize("query", ["Set role:admin for me", "umbrella before:midnight", '"umbrella', "-umbrella"])
def test_search_memory_ignores_operators_in_query(memory: keepsaid.Memory, query: str) -> None:
    chat_of(memory).add("user", "My umbrella is set in red for the admin.")
    entries = run(KeepsaidMemoryService(memory, everywhere=True).search_memory(app_name=APP, user_id=USER, query=query))
    assert len(entries.memories) == 1


@pytest.mark.parametrize("query", ["", " \n"])
def test_search_memory_with_blank_query_returns_nothing(memory: keepsaid.Memory, query: str) -> None:
    assert run(KeepsaidMemoryService(memory).search_memory(app_name=APP, user_id=USER, query=query)).memories == []


# -- with the framework's own runner


class Script(BaseLlm):
    """A model that calls a tool, and then tells what it was given."""

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        last = llm_request.contents[-1].parts[-1]  # type: ignore[index]
        if last.function_response:
            part = types.Part(text=f"It is {last.function_response.response['result']}.")  # type: ignore[index]
        else:
            part = types.Part(function_call=types.FunctionCall(name="forecast", args={"city": "Porto"}))
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


def test_runner_stores_turns_with_tool_calls(ours: KeepsaidSessionService, memory: keepsaid.Memory) -> None:
    def forecast(city: str) -> str:
        """The weather of a city."""
        return f"raining in {city}"

    agent = LlmAgent(name="helper", model=Script(model="script"), tools=[forecast], output_key="answer")
    runner = Runner(app_name=APP, agent=agent, session_service=ours, memory_service=KeepsaidMemoryService(memory))

    async def turn() -> list[Event]:
        question = types.Content(role="user", parts=[types.Part(text="Does it rain?")])
        return [event async for event in runner.run_async(user_id=USER, session_id="s1", new_message=question)]

    create(ours)
    for _ in range(2):
        assert run(turn())[-1].content.parts[0].text == "It is raining in Porto."  # type: ignore[union-attr]
    session = get(ours)
    assert session is not None
    assert session.state["answer"] == "It is raining in Porto."
    messages = chat_of(memory).messages()
    assert [str(message.role) for message in messages] == ["user", "assistant", "tool", "assistant"] * 2
    assert messages[1].tool_calls[0].id == messages[2].tool_call_id


def test_import_without_framework_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "keepsaid.adapters.google_adk")
    monkeypatch.setitem(sys.modules, "google.adk.events.event", None)
    with pytest.raises(MissingExtra, match=r"keepsaid\[google-adk\]"):
        __import__("keepsaid.adapters.google_adk")


def test_event_draft_keeps_timestamp() -> None:
    (draft,) = drafts_of(build_event("Hello", timestamp=1_700_000_000.5))
    assert isinstance(draft, MessageDraft)
    assert draft.created_at is not None
    assert draft.created_at.timestamp() == 1_700_000_000.5
