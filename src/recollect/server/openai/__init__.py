"""The doors that OpenAI's own clients know: conversations with their items, and chat completions with a memory."""
