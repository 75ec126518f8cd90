"""Adapters for agent frameworks: one package and one extra each, through the interfaces of that framework.

A conversation is the same through every adapter. Messages are translated; data without a field in Keepsaid is kept in the
message's metadata and returned unchanged by the same adapter.
"""
