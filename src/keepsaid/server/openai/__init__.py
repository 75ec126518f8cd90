"""The OpenAI-compatible API: conversations with their items, and chat completions with memory."""
