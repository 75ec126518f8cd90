"""`Memory`: all conversations of a store. Each file has the verbs for one noun."""

from keepsaid.memory.memory import Memory

__all__ = ["Memory"]
