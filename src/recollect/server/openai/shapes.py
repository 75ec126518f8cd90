"""What goes over the wire at OpenAI's doors. What comes in may have fields unknown to us: they are kept, or passed on."""

from __future__ import annotations

from typing import Annotated, Any, Literal, cast

from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, Tag

from recollect.server.shapes.basis import NO_NUL, Incoming, Name, NewId, Outgoing, Text

MOST_ITEMS = 1_000
"""Items in one request: OpenAI itself takes 20."""
LONGEST_LABEL = 64


def _short(labels: dict[str, str]) -> dict[str, str]:
    if any(len(name) > LONGEST_LABEL or "\0" in name for name in labels):
        raise ValueError(f"a name may have {LONGEST_LABEL} characters, none of them NUL")
    return labels


Labels = Annotated[
    dict[str, Annotated[str, Field(max_length=512, pattern=NO_NUL)]],
    AfterValidator(_short),
    Field(max_length=16, json_schema_extra={"propertyNames": {"maxLength": LONGEST_LABEL, "pattern": NO_NUL}}),
]
"""What a conversation is marked with: 16 short texts at the most."""


class Open(BaseModel):
    """A body, or a part of one, that may have more fields than are named."""

    model_config = ConfigDict(strict=True, extra="allow")


class ErrorBody(Outgoing):
    """What went wrong."""

    message: str
    type: str
    param: str | None = Field(description="Where in the request it is.")
    code: str | None = Field(description="The kind of problem, as /docs lists them.")


class ErrorShape(Outgoing):
    """What went wrong, as OpenAI tells it."""

    error: ErrorBody


class Content(Open):
    """A piece of a message: text, a picture, a file, sound, or anything else a provider has."""

    type: Name
    text: Text | None = None


class MessageItem(Open):
    """Something that was said."""

    type: Literal["message"] = "message"
    role: Literal["user", "assistant", "system", "developer"]
    content: Text | list[Content]
    id: NewId | None = None


class FunctionCall(Open):
    """A tool that the model called for."""

    type: Literal["function_call"]
    call_id: Name
    name: Name
    arguments: Text
    id: NewId | None = None


class FunctionCallOutput(Open):
    """What a tool answered."""

    type: Literal["function_call_output"]
    call_id: Name
    output: Text | list[Content]
    id: NewId | None = None


class OtherItem(Open):
    """Any other item, such as reasoning or a web search: it comes back as it is."""

    type: Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[a-z][a-z_]*$")]
    id: NewId | None = None


def _kind(item: Any) -> str:
    kind: Any = cast("dict[str, Any]", item).get("type", "message") if isinstance(item, dict) else None
    return kind if kind in ("message", "function_call", "function_call_output") else "other"


Item = Annotated[
    Annotated[MessageItem, Tag("message")]
    | Annotated[FunctionCall, Tag("function_call")]
    | Annotated[FunctionCallOutput, Tag("function_call_output")]
    | Annotated[OtherItem, Tag("other")],
    Discriminator(_kind),
]


class NewConversation(Incoming):
    """A conversation to be made, with what was said in it so far."""

    items: Annotated[list[Item], Field(max_length=MOST_ITEMS)] | None = None
    metadata: Labels | None = None


class ConversationChanges(Incoming):
    """What a conversation is marked with from now on."""

    metadata: Labels | None


class NewItems(Incoming):
    """Items to be added at the end, all or none."""

    items: Annotated[list[Item], Field(min_length=1, max_length=MOST_ITEMS)]


class ConversationShape(Outgoing):
    """A conversation, without its items. It is one of the owner's sessions."""

    id: str
    object: Literal["conversation"] = "conversation"
    created_at: int = Field(description="Seconds since 1970.")
    metadata: dict[str, Any]


class DeletedShape(Outgoing):
    """A conversation that was deleted. Until retention purges it, `/v1/sessions/{id}/restore` brings it back."""

    id: str
    object: Literal["conversation.deleted"] = "conversation.deleted"
    deleted: bool = True


class ItemShape(BaseModel):
    """An item: a message, a function call or its output, or any other, with the fields of its type."""

    model_config = ConfigDict(extra="allow")

    id: str
    type: str


class ItemList(Outgoing):
    """Some items of a conversation."""

    object: Literal["list"] = "list"
    data: list[ItemShape]
    first_id: str | None
    last_id: str | None = Field(description="The cursor `after` for the page behind this one.")
    has_more: bool


class ChatFunction(Open):
    """The function of a tool call."""

    name: Name
    arguments: Text


class ChatCall(Open):
    """A tool that the model called for."""

    id: Name
    function: ChatFunction | None = None


class ChatMessage(Open):
    """A message as chat completions take it."""

    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: Text | list[Content] | None = None
    tool_calls: list[ChatCall] | None = None
    tool_call_id: Name | None = None
    name: Name | None = None


class ConversationName(Incoming):
    """A conversation by its id."""

    id: NewId


class CompletionOrder(Open):
    """A chat completion. Everything else that the endpoint behind us takes (tools, temperature, …) is passed on to it."""

    messages: Annotated[list[ChatMessage], Field(min_length=1)] = Field(
        description="What is new, or the whole history: what is known already is not saved twice. System and developer"
        " messages are for this turn and are not saved."
    )
    model: Name | None = Field(None, description="Left out: the model of the settings.")
    stream: bool | None = None
    user: Name | None = Field(None, description="Whose memory it is: for services, whose keys act for their users.")
    conversation: NewId | ConversationName | None = Field(
        None, description="Left out: a new one, whose id comes back in the header Recollect-Conversation."
    )
    metadata: dict[str, Any] | None = Field(None, description="`conversation_id` in it names the conversation, too.")


class ModelShape(Outgoing):
    """A model that can be asked."""

    id: str
    object: Literal["model"] = "model"
    created: int = 0
    owned_by: str = "recollect"


class ModelList(Outgoing):
    """The models that can be asked."""

    object: Literal["list"] = "list"
    data: list[ModelShape]
