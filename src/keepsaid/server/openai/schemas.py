"""Schemas of the OpenAI-compatible API. Requests may have unknown fields, which are stored or passed on."""

from __future__ import annotations

from typing import Annotated, Any, Literal, cast

from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, Tag

from keepsaid.server.schemas.base import NO_NUL, Name, NewId, RequestBody, ResponseBody, Text

MAX_ITEMS = 1_000
"""The most items in one request; OpenAI itself accepts 20."""
MAX_LABEL_LENGTH = 64


def _short(labels: dict[str, str]) -> dict[str, str]:
    if any(len(name) > MAX_LABEL_LENGTH or "\0" in name for name in labels):
        raise ValueError(f"a name may have at most {MAX_LABEL_LENGTH} characters, and no NUL")
    return labels


ConversationLabels = Annotated[
    dict[str, Annotated[str, Field(max_length=512, pattern=NO_NUL)]],
    AfterValidator(_short),
    Field(max_length=16, json_schema_extra={"propertyNames": {"maxLength": MAX_LABEL_LENGTH, "pattern": NO_NUL}}),
]
"""The metadata of a conversation: at most 16 short texts."""


class ExtensibleBody(BaseModel):
    """A body, or a part of one, that may have additional fields."""

    model_config = ConfigDict(strict=True, extra="allow")


class OpenAIErrorDetail(ResponseBody):
    """The details of an error."""

    message: str
    type: str
    param: str | None = Field(description="The part of the request that caused the error.")
    code: str | None = Field(description="The kind of problem, as listed at /docs.")


class OpenAIErrorResponse(ResponseBody):
    """An error in OpenAI's format."""

    error: OpenAIErrorDetail


class OpenAIContentPart(ExtensibleBody):
    """A part of a message: text, an image, a file, audio, or anything else a provider supports."""

    type: Name
    text: Text | None = None


class OpenAIMessageItem(ExtensibleBody):
    """A message item."""

    type: Literal["message"] = "message"
    role: Literal["user", "assistant", "system", "developer"]
    content: Text | list[OpenAIContentPart]
    id: NewId | None = None


class OpenAIFunctionCall(ExtensibleBody):
    """A tool call of the model."""

    type: Literal["function_call"]
    call_id: Name
    name: Name
    arguments: Text
    id: NewId | None = None


class OpenAIFunctionCallOutput(ExtensibleBody):
    """The output of a tool call."""

    type: Literal["function_call_output"]
    call_id: Name
    output: Text | list[OpenAIContentPart]
    id: NewId | None = None


class OpenAIOtherItem(ExtensibleBody):
    """Any other item, such as reasoning or a web search: it is returned unchanged."""

    type: Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[a-z][a-z_]*$")]
    id: NewId | None = None


def _kind(item: Any) -> str:
    kind: Any = cast("dict[str, Any]", item).get("type", "message") if isinstance(item, dict) else None
    return kind if kind in ("message", "function_call", "function_call_output") else "other"


OpenAIItem = Annotated[
    Annotated[OpenAIMessageItem, Tag("message")]
    | Annotated[OpenAIFunctionCall, Tag("function_call")]
    | Annotated[OpenAIFunctionCallOutput, Tag("function_call_output")]
    | Annotated[OpenAIOtherItem, Tag("other")],
    Discriminator(_kind),
]


class NewConversation(RequestBody):
    """A conversation to create, with its first items."""

    items: Annotated[list[OpenAIItem], Field(max_length=MAX_ITEMS)] | None = None
    metadata: ConversationLabels | None = None


class ConversationChanges(RequestBody):
    """The new metadata of a conversation."""

    metadata: ConversationLabels | None


class NewItems(RequestBody):
    """Items to append, all or none."""

    items: Annotated[list[OpenAIItem], Field(min_length=1, max_length=MAX_ITEMS)]


class ConversationResponse(ResponseBody):
    """A conversation, without its items. It is one of the owner's sessions."""

    id: str
    object: Literal["conversation"] = "conversation"
    created_at: int = Field(description="Seconds since 1970.")
    metadata: dict[str, Any]


class DeletedConversationResponse(ResponseBody):
    """A deleted conversation. Until retention purges it, `/v1/sessions/{id}/restore` restores it."""

    id: str
    object: Literal["conversation.deleted"] = "conversation.deleted"
    deleted: bool = True


class ConversationItemResponse(BaseModel):
    """An item: a message, a function call or its output, or any other, with the fields of its type."""

    model_config = ConfigDict(extra="allow")

    id: str
    type: str


class ConversationItemList(ResponseBody):
    """A page of the items of a conversation."""

    object: Literal["list"] = "list"
    data: list[ConversationItemResponse]
    first_id: str | None
    last_id: str | None = Field(description="The cursor `after` for the next page.")
    has_more: bool


class ChatToolFunction(ExtensibleBody):
    """The function of a tool call."""

    name: Name
    arguments: Text


class ChatToolCall(ExtensibleBody):
    """A tool call of the model."""

    id: Name
    function: ChatToolFunction | None = None


class ChatMessage(ExtensibleBody):
    """A message of a chat completion."""

    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: Text | list[OpenAIContentPart] | None = None
    tool_calls: list[ChatToolCall] | None = None
    tool_call_id: Name | None = None
    name: Name | None = None


class ConversationName(RequestBody):
    """A conversation by its id."""

    id: NewId


class CompletionRequest(ExtensibleBody):
    """A chat completion. All other parameters (tools, temperature, …) are passed on to the model endpoint."""

    messages: Annotated[list[ChatMessage], Field(min_length=1)] = Field(
        description="The new messages, or the whole history: messages already stored are not saved twice. System and"
        " developer messages apply to this turn only and are not saved."
    )
    model: Name | None = Field(None, description="Left out: the model of the settings.")
    stream: bool | None = None
    user: Name | None = Field(None, description="The owner of the memory, for service keys, which act for their users.")
    conversation: NewId | ConversationName | None = Field(
        None, description="Left out: a new one, whose id is returned in the header Keepsaid-Conversation."
    )
    metadata: dict[str, Any] | None = Field(None, description="`conversation_id` in it may also name the conversation.")


class ModelResponse(ResponseBody):
    """An available model."""

    id: str
    object: Literal["model"] = "model"
    created: int = 0
    owned_by: str = "keepsaid"


class ModelList(ResponseBody):
    """The available models."""

    object: Literal["list"] = "list"
    data: list[ModelResponse]
