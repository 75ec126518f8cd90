"""Agents and chat services: turns with a language model, saved as they happen."""
