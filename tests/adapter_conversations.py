"""The adapters for conversations, each with what a test needs: write a conversation with the framework's own classes, and
read one.

Both are done by hand for each framework: no code of ours translates, except the adapter under test.
"""

from __future__ import annotations

import asyncio
import base64
import importlib
import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

from keepsaid import ContentPart, Memory, ToolCall

OWNER, APP, NAME = "u1", "matrix", "s1"
SESSION = f"{APP}/{NAME}"
"""Google ADK puts the app's name before the session's, and Strands the session's before the agent's."""


@dataclass(frozen=True)
class Thing:
    """A picture or file: by a link, or itself in a data: URI."""

    kind: str
    uri: str
    media_type: str
    name: str

    @property
    def content(self) -> bytes | None:
        """What is in the URI itself; None for a link."""
        head, _, packed = self.uri.partition(";base64,")
        return base64.b64decode(packed) if head.startswith("data:") else None


@dataclass(frozen=True)
class Call:
    """A tool that is asked for."""

    id: str
    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Said:
    """One thing that is said, in nobody's words."""

    role: str
    text: str = ""
    things: tuple[Thing, ...] = ()
    calls: tuple[Call, ...] = ()
    answers: str | None = None
    """The id of the call that this is the result of."""
    tool: str = ""
    metadata: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True)
class Heard:
    """What was heard of it: `uris` are those of the things."""

    role: str
    text: str = ""
    uris: tuple[str, ...] = ()
    calls: tuple[Call, ...] = ()
    answers: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict[str, Any])


class ConversationAdapter(ABC):
    """An adapter under test, with its framework."""

    name: ClassVar[str]
    framework: ClassVar[str]

    def __init__(self, memory: Memory) -> None:
        self.memory = memory

    @classmethod
    def is_installed(cls) -> bool:
        """Whether its framework is installed here."""
        try:
            importlib.import_module(cls.framework)
        except ImportError:
            return False
        return True

    @abstractmethod
    def write(self, conversation: Iterable[Said]) -> None:
        """Write a conversation with the framework's classes."""

    @abstractmethod
    def read(self) -> list[Heard]:
        """Read it back."""


class Plain(ConversationAdapter):
    """No framework at all: `chat.add` and `chat.messages`."""

    name = "keepsaid"
    framework = "keepsaid"

    def write(self, conversation: Iterable[Said]) -> None:
        chat = self.memory.chat(owner=OWNER, session=SESSION, create=True)
        for said in conversation:
            # One that is there itself says of what type it is, and people leave it at that.
            types = [one.media_type if one.content is None else None for one in said.things]
            parts = [
                ContentPart(one.kind, None, one.uri, type, one.name) for one, type in zip(said.things, types, strict=True)
            ]
            calls = [ToolCall(call.id, call.name, json.dumps(call.arguments)) for call in said.calls]
            content = [ContentPart("text", said.text), *parts] if parts else said.text
            name = said.tool or None
            chat.add(
                said.role, content, tool_calls=calls, tool_call_id=said.answers, name=name, metadata=said.metadata or None
            )  # fmt: skip

    def read(self) -> list[Heard]:
        heard: list[Heard] = []
        for one in self.memory.chat(owner=OWNER, session=SESSION).messages():
            calls = tuple(Call(call.id, call.name, json.loads(call.arguments)) for call in one.tool_calls)
            own = {key: value for key, value in one.metadata.items() if key != "adapters"}
            uris = tuple(part.uri for part in one.parts if part.uri)
            heard.append(Heard(str(one.role), one.text, uris, calls, one.tool_call_id, own))
        return heard


class OpenAIAgents(ConversationAdapter):
    name = "openai-agents"
    framework = "agents"

    def _session(self) -> Any:
        from keepsaid.adapters.openai_agents import KeepsaidSession

        return KeepsaidSession(self.memory, owner=OWNER, session=SESSION)

    def write(self, conversation: Iterable[Said]) -> None:
        asyncio.run(self._session().add_items([item for said in conversation for item in self._items(said)]))

    def _items(self, said: Said) -> Iterator[dict[str, Any]]:
        if said.answers:
            yield {"type": "function_call_output", "call_id": said.answers, "output": said.text}
            return
        if said.things:
            yield {"role": said.role, "content": [{"type": "input_text", "text": said.text}, *map(_item, said.things)]}
        elif said.text:
            yield {"role": said.role, "content": said.text}
        for call in said.calls:
            arguments = json.dumps(call.arguments)
            yield {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": arguments}

    def read(self) -> list[Heard]:
        heard: list[Heard] = []
        for item in asyncio.run(self._session().get_items()):
            if item.get("type") == "function_call_output":
                heard.append(Heard("tool", item["output"], answers=item["call_id"]))
            elif item.get("type") == "function_call":
                call = Call(item["call_id"], item["name"], json.loads(item["arguments"]))
                heard.append(Heard("assistant", calls=(call,)))
            elif isinstance(item["content"], str):
                heard.append(Heard(item["role"], item["content"]))
            else:
                texts = [piece["text"] for piece in item["content"] if "text" in piece]
                places = ("image_url", "file_url", "file_data")
                uris = [piece[place] for piece in item["content"] for place in places if piece.get(place)]
                heard.append(Heard(item["role"], "\n".join(texts), tuple(uris)))
        return heard


def _item(thing: Thing) -> dict[str, Any]:
    if thing.kind == "image":
        return {"type": "input_image", "image_url": thing.uri, "detail": "auto"}
    place = "file_url" if thing.content is None else "file_data"
    return {"type": "input_file", place: thing.uri, "filename": thing.name}


class LangChain(ConversationAdapter):
    name = "langchain"
    framework = "langchain_core"

    def _history(self) -> Any:
        from keepsaid.adapters.langchain import KeepsaidChatMessageHistory

        return KeepsaidChatMessageHistory(self.memory, owner=OWNER, session=SESSION)

    def write(self, conversation: Iterable[Said]) -> None:
        self._history().add_messages([self._message(said) for said in conversation])

    def _message(self, said: Said) -> Any:
        from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

        own = dict(said.metadata)
        if said.answers:
            return ToolMessage(said.text, tool_call_id=said.answers, name=said.tool, response_metadata=own)
        if said.role == "assistant":
            calls = [{"id": call.id, "name": call.name, "args": call.arguments} for call in said.calls]
            return AIMessage(said.text, tool_calls=calls, response_metadata=own)
        blocks = [{"type": "text", "text": said.text}, *map(_block, said.things)] if said.things else said.text
        kind = SystemMessage if said.role == "system" else HumanMessage
        return kind(blocks, response_metadata=own)

    def read(self) -> list[Heard]:
        roles = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool"}
        heard: list[Heard] = []
        for one in self._history().messages:
            calls = [Call(call["id"], call["name"], call["args"]) for call in getattr(one, "tool_calls", [])]
            uris = [_uri(block) for block in one.content_blocks if block["type"] in ("image", "file")]
            answers = getattr(one, "tool_call_id", None)
            heard.append(
                Heard(roles[one.type], one.text, tuple(uris), tuple(calls), answers, dict(one.response_metadata))
            )  # fmt: skip
        return heard


def _block(thing: Thing) -> dict[str, Any]:
    content = {"url": thing.uri} if thing.content is None else {"base64": base64.b64encode(thing.content).decode()}
    return {"type": thing.kind, "mime_type": thing.media_type, **content}


def _uri(block: Any) -> str:
    return block["url"] if "url" in block else f"data:{block['mime_type']};base64,{block['base64']}"


class LlamaIndex(ConversationAdapter):
    name = "llama-index"
    framework = "llama_index.core"

    def _store(self) -> Any:
        from keepsaid.adapters.llama_index import KeepsaidChatStore

        return KeepsaidChatStore(self.memory, owner=OWNER)

    def write(self, conversation: Iterable[Said]) -> None:
        for said in conversation:
            self._store().add_message(SESSION, self._message(said))

    def _message(self, said: Said) -> Any:
        from llama_index.core.base.llms.types import (
            ChatMessage,
            ContentBlock,
            DocumentBlock,
            ImageBlock,
            TextBlock,
            ToolCallBlock,
        )

        blocks: list[ContentBlock] = [TextBlock(text=said.text)] if said.text else []
        for thing in said.things:
            image = thing.kind == "image"
            given = {"url": thing.uri} if thing.content is None else {"image" if image else "data": thing.content}
            mime = {"image_mimetype" if image else "document_mimetype": thing.media_type}
            blocks.append(ImageBlock(**given, **mime) if image else DocumentBlock(**given, **mime, title=thing.name))
        blocks += [
            ToolCallBlock(tool_call_id=call.id, tool_name=call.name, tool_kwargs=call.arguments) for call in said.calls
        ]
        answer = {"tool_call_id": said.answers, "name": said.tool} if said.answers else {}
        return ChatMessage(role=said.role, blocks=blocks, additional_kwargs={**said.metadata, **answer})

    def read(self) -> list[Heard]:
        heard: list[Heard] = []
        for one in self._store().get_messages(SESSION):
            own = dict(one.additional_kwargs)
            answers, _ = own.pop("tool_call_id", None), own.pop("name", None)
            calls = [block for block in one.blocks if block.block_type == "tool_call"]
            heard.append(
                Heard(
                    one.role.value,
                    one.content or "",
                    tuple(self._uri(block) for block in one.blocks if block.block_type in ("image", "document")),
                    tuple(Call(call.tool_call_id, call.tool_name, call.tool_kwargs) for call in calls),
                    answers,
                    own,
                )
            )
        return heard

    def _uri(self, block: Any) -> str:
        if block.url is not None:
            return str(block.url)
        image = block.block_type == "image"
        mime = block.image_mimetype if image else block.document_mimetype
        return f"data:{mime};base64,{(block.image if image else block.data).decode()}"


class GoogleADK(ConversationAdapter):
    name = "google-adk"
    framework = "google.adk"

    def _service(self) -> Any:
        from keepsaid.adapters.google_adk import KeepsaidSessionService

        return KeepsaidSessionService(self.memory, app_owner="operator")

    def write(self, conversation: Iterable[Said]) -> None:
        asyncio.run(self._write(conversation))

    async def _write(self, conversation: Iterable[Said]) -> None:
        service = self._service()
        session = await service.create_session(app_name=APP, user_id=OWNER, session_id=NAME)
        for said in conversation:
            await service.append_event(session, self._event(said))

    def _event(self, said: Said) -> Any:
        from google.adk.events.event import Event
        from google.genai import types

        parts = [types.Part(text=said.text)] if said.text and not said.answers else []
        for thing in said.things:
            if thing.content is None:
                parts.append(types.Part(file_data=types.FileData(file_uri=thing.uri, mime_type=thing.media_type)))
            else:
                parts.append(types.Part(inline_data=types.Blob(data=thing.content, mime_type=thing.media_type)))
        calls = [types.FunctionCall(id=call.id, name=call.name, args=call.arguments) for call in said.calls]
        parts += [types.Part(function_call=call) for call in calls]
        if said.answers:
            answer = types.FunctionResponse(id=said.answers, name=said.tool, response={"result": said.text})
            parts.append(types.Part(function_response=answer))
        content = types.Content(role="model" if said.role == "assistant" else "user", parts=parts)
        author = "user" if said.role == "user" else "helper"
        return Event(author=author, invocation_id="i1", content=content, custom_metadata=said.metadata or None)

    def read(self) -> list[Heard]:
        asked = self._service().get_session(app_name=APP, user_id=OWNER, session_id=NAME)
        return [heard for event in asyncio.run(asked).events for heard in self._heard(event)]

    def _heard(self, event: Any) -> Iterator[Heard]:
        texts, uris, calls, parts = list[str](), list[str](), list[Call](), event.content.parts
        for part in parts:
            if part.text:
                texts.append(part.text)
            elif part.file_data:
                uris.append(part.file_data.file_uri)
            elif part.inline_data:
                packed = base64.b64encode(part.inline_data.data).decode()
                uris.append(f"data:{part.inline_data.mime_type};base64,{packed}")
            elif part.function_call:
                calls.append(Call(part.function_call.id, part.function_call.name, part.function_call.args))
        own = dict(event.custom_metadata or {})
        if texts or uris or calls:
            role = "assistant" if event.content.role == "model" else "user"
            yield Heard(role, "\n".join(texts), tuple(uris), tuple(calls), None, own)
        for part in parts:
            if part.function_response:
                answer = part.function_response
                yield Heard("tool", answer.response["result"], answers=answer.id, metadata=own)


class Strands(ConversationAdapter):
    name = "strands"
    framework = "strands"

    def _repository(self) -> Any:
        from keepsaid.adapters.strands import KeepsaidSessionRepository

        return KeepsaidSessionRepository(self.memory, owner=OWNER)

    def write(self, conversation: Iterable[Said]) -> None:
        from strands.types.session import Session, SessionAgent, SessionMessage, SessionType

        repository = self._repository()
        repository.create_session(Session(SESSION, SessionType.AGENT))
        repository.create_agent(SESSION, SessionAgent("default", state={}, conversation_manager_state={}))
        for number, said in enumerate(conversation):
            repository.create_message(SESSION, "default", SessionMessage.from_message(self._message(said), number))

    def _message(self, said: Said) -> Any:
        blocks: list[dict[str, Any]] = [{"text": said.text}] if said.text and not said.answers else []
        for thing in said.things:
            value = {"format": thing.media_type.partition("/")[2], "source": {"bytes": thing.content}}
            blocks.append({"image": value} if thing.kind == "image" else {"document": {**value, "name": thing.name}})
        uses = [{"toolUseId": call.id, "name": call.name, "input": call.arguments} for call in said.calls]
        blocks += [{"toolUse": use} for use in uses]
        if said.answers:
            result = {"toolUseId": said.answers, "status": "success", "content": [{"text": said.text}]}
            blocks.append({"toolResult": result})
        role = "assistant" if said.role == "assistant" else "user"
        own = {"metadata": {"custom": said.metadata}} if said.metadata else {}
        return {"role": role, "content": blocks, **own}

    def read(self) -> list[Heard]:
        listed = self._repository().list_messages(SESSION, "default")
        return [heard for message in listed for heard in self._heard(message.to_message())]

    def _heard(self, message: Any) -> Iterator[Heard]:
        own = dict((message.get("metadata") or {}).get("custom") or {})
        texts, uris, calls = list[str](), list[str](), list[Call]()
        for block in message["content"]:
            if "text" in block:
                texts.append(block["text"])
            elif "toolUse" in block:
                use = block["toolUse"]
                calls.append(Call(use["toolUseId"], use["name"], use["input"]))
            for kind, family in (("image", "image"), ("document", "application")):
                if kind in block:
                    packed = base64.b64encode(block[kind]["source"]["bytes"]).decode()
                    uris.append(f"data:{family}/{block[kind]['format']};base64,{packed}")
        if texts or uris or calls:
            yield Heard(message["role"], "\n".join(texts), tuple(uris), tuple(calls), None, own)
        for block in message["content"]:
            if "toolResult" in block:
                result = block["toolResult"]
                text = "\n".join(piece["text"] for piece in result["content"])
                yield Heard("tool", text, answers=result["toolUseId"], metadata=own)


class AgentFramework(ConversationAdapter):
    name = "agent-framework"
    framework = "agent_framework"

    def _provider(self) -> Any:
        from keepsaid.adapters.agent_framework import KeepsaidHistoryProvider

        return KeepsaidHistoryProvider(self.memory, owner=OWNER)

    def write(self, conversation: Iterable[Said]) -> None:
        asyncio.run(self._provider().save_messages(SESSION, [self._message(said) for said in conversation]))

    def _message(self, said: Said) -> Any:
        from agent_framework import Content, Message

        contents = [Content.from_text(said.text)] if said.text and not said.answers else []
        for thing in said.things:
            if thing.content is None:
                contents.append(Content.from_uri(thing.uri, media_type=thing.media_type))
            else:
                contents.append(Content.from_data(thing.content, thing.media_type))
        contents += [
            Content.from_function_call(call.id, call.name, arguments=json.dumps(call.arguments)) for call in said.calls
        ]
        if said.answers:
            contents.append(Content.from_function_result(said.answers, result=said.text))
        return Message(said.role, contents, additional_properties=dict(said.metadata))

    def read(self) -> list[Heard]:
        heard: list[Heard] = []
        for one in asyncio.run(self._provider().get_messages(SESSION)):
            calls = [
                Call(content.call_id, content.name, content.parse_arguments())
                for content in one.contents
                if content.type == "function_call"
            ]
            results = [content for content in one.contents if content.type == "function_result"]
            uris = tuple(content.uri for content in one.contents if content.type in ("uri", "data"))
            text = results[0].result if results else one.text
            answers = results[0].call_id if results else None
            heard.append(Heard(str(one.role), text, uris, tuple(calls), answers, dict(one.additional_properties)))
        return heard


class PydanticAI(ConversationAdapter):
    name = "pydantic-ai"
    framework = "pydantic_ai.conversation_store"

    def _store(self) -> Any:
        from keepsaid.adapters.pydantic_ai import KeepsaidConversationStore

        return KeepsaidConversationStore(self.memory, owner=OWNER)

    def write(self, conversation: Iterable[Said]) -> None:
        from pydantic_ai import Conversation

        messages = [self._message(said) for said in conversation]
        asyncio.run(self._store().save(Conversation(conversation_id=SESSION, messages=messages)))

    def _message(self, said: Said) -> Any:
        from pydantic_ai.messages import (
            BinaryContent,
            DocumentUrl,
            ImageUrl,
            ModelRequest,
            ModelResponse,
            SystemPromptPart,
            TextPart,
            ToolCallPart,
            ToolReturnPart,
            UserPromptPart,
        )

        own = said.metadata or None
        if said.role == "assistant":
            calls = [ToolCallPart(call.name, call.arguments, call.id) for call in said.calls]
            return ModelResponse(parts=[*([TextPart(said.text)] if said.text else []), *calls], metadata=own)
        if said.answers:
            return ModelRequest(parts=[ToolReturnPart(said.tool, said.text, said.answers)], metadata=own)
        if said.role == "system":
            return ModelRequest(parts=[SystemPromptPart(said.text)], metadata=own)
        content: list[Any] = [said.text] if said.text else []
        for thing in said.things:
            if thing.content is None:
                content.append(ImageUrl(thing.uri) if thing.kind == "image" else DocumentUrl(thing.uri))
            else:
                content.append(BinaryContent(thing.content, media_type=thing.media_type))
        return ModelRequest(parts=[UserPromptPart(content if said.things else said.text)], metadata=own)

    def read(self) -> list[Heard]:
        loaded = asyncio.run(self._store().load(SESSION))
        return [heard for message in loaded.messages for heard in self._heard(message)]

    def _heard(self, message: Any) -> Iterator[Heard]:
        own = dict(message.metadata or {})
        if message.kind == "response":
            texts = [part.content for part in message.parts if part.part_kind == "text"]
            calls = [part for part in message.parts if part.part_kind == "tool-call"]
            called = tuple(Call(call.tool_call_id, call.tool_name, call.args_as_dict()) for call in calls)
            yield Heard("assistant", "\n".join(texts), (), called, None, own)
            return
        for part in message.parts:
            if part.part_kind == "tool-return":
                yield Heard("tool", part.model_response_str(), answers=part.tool_call_id, metadata=own)
            else:
                given = [part.content] if isinstance(part.content, str) else part.content
                text = "\n".join(one for one in given if isinstance(one, str))
                uris = tuple(getattr(one, "url", None) or one.data_uri for one in given if not isinstance(one, str))
                yield Heard("system" if part.part_kind == "system-prompt" else "user", text, uris, metadata=own)


class Chainlit(ConversationAdapter):
    name = "chainlit"
    framework = "chainlit"

    @classmethod
    def is_installed(cls) -> bool:
        import pytest
        from chainlit_context import chainlit

        try:
            chainlit()
        except pytest.skip.Exception:
            return False
        return True

    def _run(self, work: Any) -> Any:
        from chainlit_context import within

        return asyncio.run(within(SESSION, None, work))

    def _layer(self) -> Any:
        from keepsaid.adapters.chainlit import KeepsaidDataLayer

        return KeepsaidDataLayer(self.memory, owner="website")

    async def _user(self) -> str:
        from chainlit.user import User

        return (await self._layer().create_user(User(OWNER))).id

    def write(self, conversation: Iterable[Said]) -> None:
        self._run(self._write(list(conversation)))

    async def _write(self, conversation: list[Said]) -> None:
        from chainlit.element import File, Image

        layer = self._layer()
        await layer.update_thread(SESSION, user_id=await self._user())
        results = {said.answers: said.text for said in conversation if said.answers}
        for number, said in enumerate(one for one in conversation if not one.answers):
            at, type = f"2026-05-01T10:00:{number:02}Z", f"{said.role}_message"
            step = {"threadId": SESSION, "createdAt": at, "end": at, "name": "x", "metadata": said.metadata}
            if said.text or not said.calls:
                await layer.create_step({**step, "id": f"step {number}", "type": type, "output": said.text})
            for thing in said.things:
                given = {"url": thing.uri, "mime": thing.media_type, "name": thing.name}
                kind = Image if thing.kind == "image" else File
                await layer.create_element(kind(thread_id=SESSION, for_id=f"step {number}", **given))
            for call in said.calls:
                used = {"name": call.name, "input": json.dumps(call.arguments, indent=4), "output": results[call.id]}
                await layer.create_step({**step, **used, "id": call.id, "type": "tool", "metadata": {}})

    def read(self) -> list[Heard]:
        return list(self._run(self._read()))

    async def _read(self) -> list[Heard]:
        from chainlit.types import Pagination, ThreadFilter

        layer, heard = self._layer(), list[Heard]()
        listed = await layer.list_threads(Pagination(first=20), ThreadFilter(userId=await self._user()))
        threads = [await layer.get_thread(one["id"]) for one in listed.data]
        (thread,) = [one for one in threads if one["steps"]]  # Strands has a session without words around it
        for step in thread["steps"]:
            uris = tuple(one["url"] for one in thread["elements"] if one["forId"] == step["id"])
            own = step["metadata"]
            if step["type"] == "tool":
                call = Call(step["id"], step["name"], json.loads(step["input"]))
                heard.append(Heard("assistant", calls=(call,), metadata=own))
                heard.append(Heard("tool", step["output"], uris, answers=step["id"], metadata=own))
            else:
                heard.append(Heard(step["type"].removesuffix("_message"), step["output"], uris, metadata=own))
        return heard


ADAPTERS: tuple[type[ConversationAdapter], ...] = (
    Plain, OpenAIAgents, LangChain, LlamaIndex, GoogleADK, Strands, AgentFramework, PydanticAI, Chainlit,
)  # fmt: skip
