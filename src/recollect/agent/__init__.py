"""Agents and chat services: turns with a language model, remembered as they happen."""
