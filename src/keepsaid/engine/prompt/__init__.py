"""Compile a prompt that fits a budget from a conversation and what was found for it. Pure functions, in two steps:
`plan_conversation` chooses the messages of the conversation, `compile_prompt` adds the rest and counts tokens."""

from keepsaid.engine.prompt.assembly import CompiledPrompt, PromptCandidate, PromptParts, assemble_messages, compile_prompt
from keepsaid.engine.prompt.conversation_plan import (
    ConversationExcerpt,
    PromptExchange,
    PromptPlan,
    PromptPlanOptions,
    plan_conversation,
)

__all__ = [
    "CompiledPrompt",
    "ConversationExcerpt",
    "PromptCandidate",
    "PromptExchange",
    "PromptParts",
    "PromptPlan",
    "PromptPlanOptions",
    "assemble_messages",
    "compile_prompt",
    "plan_conversation",
]
